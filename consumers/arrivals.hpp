#pragma once

#include "consumers/rate_curve.hpp"
#include "model/random.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace spillover {

/// From `at` on, the rate is `rps`; with `ramp`, it moves there in a straight line from the entry
/// before.
struct rate_step {
  instant at{};
  /// Requests a second: 0, or from a millionth to ten million.
  double rps = 0;
  bool ramp = false;
  friend bool operator==(const rate_step&, const rate_step&) = default;
};

/// Added to the rate: amplitude x sin(2 pi (t - phase) / period).
struct sinusoid {
  /// Requests a second, from a thousandth to ten million.
  double amplitude = 0;

  /// At least 1 s.
  duration period{};

  duration phase{};
  friend bool operator==(const sinusoid&, const sinusoid&) = default;
};

enum class arrival_process : std::uint8_t {
  /// Independent of one another, as many users are.
  poisson,
  /// Evenly spaced: one when the integral of the rate reaches 1, 2, 3 and so on.
  uniform,
};

/// Requests that come whatever the answers.
struct open_loop_config {
  /// In order of time, the first at 0s.
  std::vector<rate_step> rate;

  /// Where the sum with these is below 0, the rate is 0.
  std::vector<sinusoid> waves = {};
  arrival_process arrivals = arrival_process::poisson;
  friend bool operator==(const open_loop_config&, const open_loop_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const open_loop_config& x);

/// Says when the next request of an open loop comes.
///
/// Exact for any rate: the process of unit rate is stretched by the integral of the rate, so a step
/// takes effect at its instant, and a time without traffic costs nothing.
class arrivals {
public:
  /// @param config a valid one
  arrivals(const open_loop_config& config, const random_stream& random);

  /// @returns the next arrival, not before the last one, or `never` when no more come.
  instant next();

  /// @returns the rate at `t` in requests a second, never below 0.
  [[nodiscard]] double rate_at(instant t) const { return curve_.rate_at(t); }

private:
  rate_curve curve_;
  random_stream random_;
  arrival_process process_;
  double done_ = 0; // of the integral over the curve's stretch at hand
  bool over_ = false;
  instant last_ = run_start;
};

} // namespace spillover
