#pragma once

#include "scenario/load.hpp"

#include <optional>
#include <string>

namespace spillover::app {

/// Loads the scenario that the user named, or prints every problem in it to stderr.
/// @returns nothing when there was a problem; the caller exits with `bad_input`
std::optional<scenario> load_or_explain(const std::string& file);

} // namespace spillover::app
