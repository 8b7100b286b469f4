#pragma once

#include "scenario/yaml_tree.hpp"

#include <filesystem>
#include <optional>
#include <string_view>

namespace spillover {

/// What the files of faults of a scenario may have at most, all together.
inline constexpr std::size_t max_fault_files = 100;
inline constexpr std::size_t max_fault_rows = 20'000;
/// Each.
inline constexpr std::size_t max_fault_columns = 100;

/// Puts the faults of the files that `faults: !file NAME`, or an entry `- !file NAME`, names in the
/// place of the name, so that everything after sees them as if they stood in the scenario.
///
/// A file that cannot be used is a problem and leaves no fault; so is a name anywhere else.
/// @param folder that the names start from; nothing for a scenario that is in no folder and can name
///        no file
void insert_fault_files(yaml_node& root, const std::optional<std::filesystem::path>& folder,
                        problem_list& problems);

/// Reads faults from comma-separated values.
///
/// Quoting is that of RFC 4180. The first row names keys of a fault as dotted paths such as
/// `instances.of`; every further one that is not empty is a fault. Cells are plain scalars of YAML
/// without the blanks around them; an empty one is an absent key.
/// @param file what places of nodes and problems name as their file; see `problem_list::add_file`
/// @param what a row is called
/// @param before faults of files that were read earlier, at most `max_fault_rows`
/// @returns a list of mappings; there may be problems in either case
yaml_node parse_fault_rows(std::string_view text, std::uint32_t file, problem_list& problems,
                           std::size_t before = 0, std::string_view what = "fault");

} // namespace spillover
