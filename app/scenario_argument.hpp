#pragma once

#include "scenario/load.hpp"

#include <optional>
#include <string>
#include <vector>

namespace spillover::app {

/// The scenario that the user named, and what its author should know about it.
struct scenario_argument {
  scenario value;
  /// One line each, "file:line:column: lint: ...": what is likely to be a mistake.
  std::vector<std::string> lints;
  /// The same with "note: ...": what is worth knowing.
  std::vector<std::string> notes;
};

/// Loads the scenario that the user named, or prints every problem in it to stderr.
/// @returns nothing when there was a problem; the caller exits with `bad_input`
std::optional<scenario_argument> load_or_explain(const std::string& file);

/// Prints lines to stderr.
void print_remarks(const std::vector<std::string>& lines);

} // namespace spillover::app
