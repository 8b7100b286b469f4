#pragma once

#include "model/time.hpp"

namespace spillover {

/// @returns `x` times `factor` to the nearest nanosecond, at most 8784h: longer than any run, and far
///          from the end of the clock.
/// @param x at least 0
/// @param factor at least 0
inline duration stretched(duration x, double factor) noexcept {
  const duration longest = std::chrono::hours{24 * 366};
  const auto exact = static_cast<double>(x.count()) * factor + 0.5;
  return exact < static_cast<double>(longest.count()) ? duration{static_cast<duration::rep>(exact)}
                                                      : longest;
}

} // namespace spillover
