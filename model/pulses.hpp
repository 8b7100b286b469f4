#pragma once

#include "model/fault.hpp"

#include <optional>

namespace spillover {

/// When a flapping fault next comes or goes, after the step at `now`.
///
/// From its onset on it lies for `down` of every `period`. Its own end is not a pulse: what would come
/// at that instant or later does not.
///
/// @param now when it last came (`lies`) or went
/// @returns nothing when the fault does not flap, or its end comes first
std::optional<instant> next_pulse(const fault& x, instant now, bool lies) noexcept;

} // namespace spillover
