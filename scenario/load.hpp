#pragma once

#include "scenario/problem.hpp"
#include "scenario/scenario.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover {

/// Reads a scenario file.
/// @returns the scenario, or every problem in it, in the order of the file.
std::variant<scenario, std::vector<problem>> load_scenario(const std::filesystem::path& file);

/// Where the files are that a scenario names; nothing when it is in no folder, and can name none.
using scenario_folder = std::optional<std::filesystem::path>;

/// The same for a text that is already in memory.
/// @param name what problems call the file
std::variant<scenario, std::vector<problem>>
parse_scenario(std::string_view text, const std::string& name, const scenario_folder& folder = {});

/// @returns the scenario with every default made visible, as YAML that `parse_scenario` reads back
///          to the same scenario.
std::string to_yaml(const scenario& x);

/// Remarks on a valid scenario that its author should know; none of them is an error.
std::vector<std::string> notes(const scenario& x);

} // namespace spillover
