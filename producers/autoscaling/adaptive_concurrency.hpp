#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spillover {

/// When an instance's limit moves.
struct adaptive_concurrency_config {
  /// Utilisation of an instance's CPU above which its limit falls, above 0 and at most 1.
  double lower_above = 0.9;

  /// Utilisation below which a limit that was reached rises, above 0 and at most `lower_above`.
  double raise_below = 0.7;

  friend bool operator==(const adaptive_concurrency_config&,
                         const adaptive_concurrency_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const adaptive_concurrency_config& x);

/// How many requests one instance is given at a time: adaptive concurrency tuning (A-42..A-46).
///
/// The limit belongs to one process of the instance: a new one begins at the ceiling. It
/// bounds admission only; what runs already when it falls goes on.
class adaptive_concurrency {
public:
  /// @param x valid
  /// @param ceiling M, the requests that the instance takes at a time, at least 1; where the limit
  ///        begins
  adaptive_concurrency(const adaptive_concurrency_config& x, std::uint32_t ceiling) noexcept;

  /// Takes the last second into account, once a second: one step down, one step up, or none, within
  /// [1, ceiling]. Bounds are compared with a relative slack of 1e-9 (G-2).
  ///
  /// @param cpu_utilisation CPU time used in the second / (its length x vCPUs), at least 0
  /// @param reached_limit whether as many requests as the limit, or more, were in flight at any time
  ///        in the second
  /// @returns the limit from now on
  std::uint32_t observe(double cpu_utilisation, bool reached_limit) noexcept;

  [[nodiscard]] std::uint32_t limit() const noexcept { return limit_; }

private:
  double lower_above_; // the bounds, slack included
  double raise_below_;
  std::uint32_t ceiling_;
  std::uint32_t limit_;
};

/// What the driver of adaptive concurrency tuning needs, before it is rounded up and held by a band:
/// average / (mean limit x target).
///
/// `tolerance10` and `trigger90` of `cloud_run.hpp` make a count of it: usage is `average60`, and
/// `mean_limit` takes the place of M as the capacity.
///
/// @param average60 requests in flight on all instances, mean of the last 60 s, at least 0; the mean
///        of 600 s has no say
/// @param mean_limit mean limit of the revision's instances, at least 1
/// @param target the concurrency driver's, within (0, 1]
/// @returns instances, not rounded
double raw_act(double average60, double mean_limit, double target) noexcept;

} // namespace spillover
