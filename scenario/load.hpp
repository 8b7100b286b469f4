#pragma once

#include "scenario/problem.hpp"
#include "scenario/scenario.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover {

/// Reads a scenario file.
/// @returns the scenario, or every problem in it, in the order of the file.
std::variant<scenario, std::vector<problem>> load_scenario(const std::filesystem::path& file);

/// The same for a text that is already in memory.
/// @param name what problems call the file
std::variant<scenario, std::vector<problem>> parse_scenario(std::string_view text,
                                                            const std::string& name);

/// @returns the scenario with every default made visible, as YAML that `parse_scenario` reads back
///          to the same scenario.
std::string to_yaml(const scenario& x);

/// Remarks on a valid scenario that its author should know; none of them is an error.
std::vector<std::string> notes(const scenario& x);

} // namespace spillover
