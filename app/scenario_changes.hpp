#pragma once

#include "app/scenario_argument.hpp"
#include "scenario/value_change.hpp"

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace spillover::app {

/// Does what `load_or_explain` does, with values in place of the file's.
std::optional<scenario_argument> load_changed_or_explain(const std::string& file,
                                                         std::span<const value_change> changes);

/// Reads what users give as PATH=VALUE.
/// @returns the change, or what is wrong with the text.
std::variant<value_change, std::string> parse_change(const std::string& text);

/// @returns what is wrong with a text that should be PATH=VALUE; empty when nothing is.
std::string check_change(const std::string& text);

} // namespace spillover::app
