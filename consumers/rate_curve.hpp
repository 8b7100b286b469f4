#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <vector>

namespace spillover {

struct open_loop_config;

/// The rate of an open loop over time and its integral, stretch by stretch.
///
/// A stretch is a span in which the rate is linear, or linear plus waves and above 0 throughout, so
/// that its integral has a closed form. Integrals count from the start of a stretch, which keeps
/// their precision over any number of hours.
class rate_curve {
public:
  /// @param config a valid one
  explicit rate_curve(const open_loop_config& config);

  /// @returns the rate at `t` in requests a second, never below 0.
  [[nodiscard]] double rate_at(instant t) const noexcept;

  /// Moves on to the stretch that begins at `from`, not before the one at hand.
  /// @returns false when the rate stays 0 from there on
  bool enter(instant from) noexcept;

  [[nodiscard]] instant start() const noexcept { return start_; }
  [[nodiscard]] instant end() const noexcept { return end_; }

  /// @returns the integral over the whole stretch, in requests.
  [[nodiscard]] double total() const noexcept { return total_; }

  /// Finds where the integral from the stretch's start reaches `integral`.
  /// @param integral within (0, total()], not less than in the call before on this stretch
  /// @returns seconds from the stretch's start
  double offset_of(double integral) noexcept;

private:
  // What the rate is but for its waves, from one entry of the configuration to the next.
  struct step {
    instant at{};
    double rate = 0;
    double slope = 0;
  };
  struct sine {
    double amplitude = 0;
    duration period{};
    duration phase{};
    double frequency = 0; // in 1/s
    double requests = 0;  // of half a wave: amplitude / (pi x frequency)
    double turns = 0;     // where the wave stands at the stretch's start, in [0, 1)
  };
  void set_linear(instant from, instant until, double first, double last) noexcept;
  void set_wavy(instant from, instant until) noexcept;
  void enter_waves(instant from, instant limit) noexcept;
  [[nodiscard]] double base_at(const step& x, instant t) const noexcept;
  [[nodiscard]] double sum_at(const step& x, instant t) const noexcept;
  [[nodiscard]] double wavy_rate(double offset) const noexcept;
  [[nodiscard]] double wavy_integral(double offset) const noexcept;
  [[nodiscard]] double solve_wavy(double integral) const noexcept;

  std::vector<step> steps_;
  std::vector<sine> waves_;
  duration shortest_period_ = duration::max();
  double amplitudes_ = 0; // their sum
  double curvature_ = 0;  // no second derivative of the waves is larger; in requests / s^3

  std::size_t current_ = 0;
  instant start_{};
  instant end_{};
  bool wavy_ = false;
  double length_ = 0; // in seconds
  double rate_ = 0;   // at the start, without waves
  double slope_ = 0;  // without waves
  double total_ = 0;
  double offset_ = 0; // the last answer
};

} // namespace spillover
