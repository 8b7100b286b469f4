#pragma once

#include "model/time.hpp"

#include <chrono>

namespace spillover {

/// Tells what emulated time it is by the machine's monotonic clock. Emulated time runs `speed` times as
/// fast: at 60, a quarter of an hour passes in 15 s.
class wall_clock {
public:
  using real = std::chrono::steady_clock;

  /// @param start when the run starts, which may be still to come
  /// @param speed 0.001..10,000
  wall_clock(real::time_point start, double speed);

  [[nodiscard]] double speed() const noexcept { return speed_; }

  /// @returns the emulated time, before `run_start` when the run has not started.
  [[nodiscard]] instant now() const noexcept { return at(real::now()); }

  /// @returns the emulated time at a point of the machine's clock.
  [[nodiscard]] instant at(real::time_point x) const noexcept;

  /// @returns the first point of the machine's clock at which it is `x`; its last one for `never` and for
  ///          whatever it has no point for.
  [[nodiscard]] real::time_point real_of(instant x) const noexcept;

private:
  real::time_point start_;
  double speed_;
};

} // namespace spillover
