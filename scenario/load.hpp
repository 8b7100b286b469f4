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

/// Reads a file whole, up to one byte more than a scenario may have.
/// @returns its text, or why it cannot be read.
std::variant<std::string, std::vector<problem>>
read_scenario_file(const std::filesystem::path& file);

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

} // namespace spillover
