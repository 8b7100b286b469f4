#include "exports/trace_times.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace spillover {

namespace {

constexpr std::int64_t per_microsecond = 1'000;

/// A double has so many bits.
constexpr int bits_of_double = 53;

/// A millionth of a microsecond is more than anybody reads, and digits are space in a file.
constexpr int finest = 20;

/// What is less fine does not lead to the right nanosecond any more when durations are rounded.
constexpr int coarsest = 11;

} // namespace

trace_times::trace_times(duration longest) noexcept {
  const auto whole = static_cast<std::uint64_t>(longest.count() / per_microsecond) + 1;
  bits_ = std::clamp(bits_of_double - static_cast<int>(std::bit_width(whole)), coarsest, finest);
}

double trace_times::at(instant at) const noexcept {
  const auto count = at.time_since_epoch().count();
  const auto rest = (count % per_microsecond) << bits_;
  const auto places = (rest + per_microsecond - 1) / per_microsecond;
  const auto whole = count / per_microsecond;
  return static_cast<double>(whole) + std::ldexp(static_cast<double>(places), -bits_);
}

} // namespace spillover
