#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace spillover::kpa {

/// @returns `x` without its fraction, kept inside of what 32 bits hold: settings may ask for more.
constexpr std::int32_t whole(double x) noexcept {
  using limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(
    std::clamp(x, static_cast<double>(limits::min()), static_cast<double>(limits::max())));
}

} // namespace spillover::kpa
