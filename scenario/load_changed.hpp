#pragma once

#include "scenario/load.hpp"
#include "scenario/value_change.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover {

/// Reads a scenario as `parse_scenario` does, with values that stand in place of the text's.
/// @param changes see `change_values`; a problem with one calls `PATH=TEXT` its file
std::variant<scenario, std::vector<problem>>
parse_changed_scenario(std::string_view text, const std::string& name,
                       const scenario_folder& folder, std::span<const value_change> changes);

} // namespace spillover
