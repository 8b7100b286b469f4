#pragma once

#include "model/time.hpp"

namespace spillover {

/// The times of a trace: microseconds as doubles, on a grid of a power of two.
///
/// Viewers of traces reckon in floating point: speedscope takes the first time of a thread off the
/// others, and all add up begins and durations. What is on such a grid is added and subtracted without
/// any rounding, so that spans that end together do so in every viewer, and nest. The grid is finer
/// than a fiftieth of a nanosecond in a run of a day: whoever rounds to nanoseconds, as Perfetto does,
/// has the times of the run.
class trace_times {
public:
  /// @param longest the latest time there will be; up to 50 days are exact
  explicit trace_times(duration longest) noexcept;

  /// @returns the first place on the grid that is not before `at`, in microseconds from the run's start.
  [[nodiscard]] double at(instant at) const noexcept;

  /// @returns how long it is from `from` to `to`, in microseconds, without any rounding.
  [[nodiscard]] double between(instant from, instant to) const noexcept {
    return at(to) - at(from);
  }

private:
  /// The grid's places in a microsecond, as a power of two.
  int bits_;
};

} // namespace spillover
