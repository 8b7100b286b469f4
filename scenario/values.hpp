#pragma once

#include "model/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace spillover {

/// @returns the duration that `text` says, e.g. "1m30s", in whole nanoseconds; nothing when it is
///          not one, is below 0, or is longer than 292 years. Reads what `to_string` writes.
std::optional<duration> parse_duration(std::string_view text);

/// @returns the share that a percentage says, e.g. 0.5 for "50%"; nothing when it is none.
std::optional<double> parse_percentage(std::string_view text);

/// @returns the shortest text that reads back as `x`.
std::string format_number(double x);

} // namespace spillover
