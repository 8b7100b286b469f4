#pragma once

#include "sweeps/outcome.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace spillover {

/// @returns the outcome as one line of JSON without a line end: how a process that ran it tells the one
///          that asked.
std::string to_line(const run_outcome& x);

/// @returns what `to_line` wrote, or nothing when it did not write that.
std::optional<run_outcome> parse_outcome(std::string_view line);

} // namespace spillover
