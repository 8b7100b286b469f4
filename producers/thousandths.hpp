#pragma once

#include <cstdint>

namespace spillover {

/// @returns `x` in thousandths, rounded to the nearest, halves away from 0.
/// @param x within +-9.2e15, so that 64 bits hold the result
constexpr std::int64_t thousandths(double x) noexcept {
  return static_cast<std::int64_t>(x * 1000 + (x < 0 ? -0.5 : 0.5));
}

} // namespace spillover
