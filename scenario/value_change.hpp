#pragma once

#include "scenario/yaml_tree.hpp"

#include <span>
#include <string>

namespace spillover {

/// A value that is to stand in a scenario, in place of what its file says or leaves out.
struct value_change {
  /// As `parse_value_path` takes it, e.g. "faults.0.for".
  std::string path;
  /// YAML: a scalar, or a list or mapping in flow style.
  std::string text;
  friend bool operator==(const value_change&, const value_change&) = default;
};

/// Sets values in a scenario's tree, one after the other.
///
/// What the schema knows and the file leaves out is made, with the mappings around it. Entries of
/// lists must be there, and so must producers, backend services, revisions and consumers. A value
/// behind an alias changes in the one place that is named.
/// A path that names nothing, and a text that is not YAML, are problems; they call `PATH=TEXT` their
/// file, and so do later problems with the value.
void change_values(yaml_node& root, std::span<const value_change> changes, problem_list& problems);

} // namespace spillover
