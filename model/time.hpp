#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace spillover {

/// A span of emulated time, in nanoseconds.
using duration = std::chrono::nanoseconds;

/// Names the emulated time line. Has no `now()` on purpose: whoever needs the time is told it.
struct emulated_clock {
  using duration = spillover::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<emulated_clock>;
  static constexpr bool is_steady = true;
};

/// A point on the emulated time line, counted from the start of the run.
using instant = emulated_clock::time_point;

/// The start of every run.
inline constexpr instant run_start{};

/// Later than anything that happens.
inline constexpr instant never = instant::max();

/// @returns `x` in seconds, for formulas that are stated in seconds.
constexpr double seconds_of(duration x) noexcept {
  return static_cast<double>(x.count()) * 1e-9;
}

/// @returns `x` rounded to the nearest nanosecond, halves away from zero.
/// @param x seconds, within +-292 years
constexpr duration from_seconds(double x) noexcept {
  return duration{static_cast<duration::rep>(x * 1e9 + (x < 0 ? -0.5 : 0.5))};
}

/// @returns the number of whole seconds from the start of the run to `x`.
constexpr std::int64_t second_of(instant x) noexcept {
  return std::chrono::floor<std::chrono::seconds>(x.time_since_epoch()).count();
}

/// @returns `x` as users write it, e.g. "1500ms": in the largest unit of h, m, s, ms, us and ns that
///          holds it without a remainder; "0s" for 0.
std::string to_string(duration x);

} // namespace spillover
