#pragma once

#include "model/health.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// How the endpoints of a backend service are probed (B-35..B-41).
struct health_check_config {
  /// From the start of one probe to the start of the next by the same prober, 1s..300s.
  duration interval = std::chrono::seconds{5};

  /// A probe without an answer by then has failed; above 0, at most `interval`.
  duration timeout = std::chrono::seconds{5};

  /// Successes in a row that make an endpoint healthy, 1..10.
  std::uint32_t healthy_threshold = 2;

  /// Failures in a row that make it unhealthy, 1..10.
  std::uint32_t unhealthy_threshold = 2;

  /// Probers, each with a random phase of its own for each endpoint, 1..32 (B-37, inferred).
  std::uint32_t probers = 3;

  /// Probers that must agree, 1..probers; 0 means the majority, probers / 2 + 1.
  std::uint32_t quorum = 0;

  /// How long a healthy instance takes to answer a probe; below `timeout`.
  duration response_time = std::chrono::milliseconds{1};

  friend bool operator==(const health_check_config&, const health_check_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const health_check_config& x);

/// @returns how many probers must agree.
std::uint32_t quorum_of(const health_check_config& x) noexcept;

/// What several probers together think of one endpoint: each needs its threshold of equal results
/// in a row (B-36), and the endpoint changes when enough of them agree (B-40).
class endpoint_tracker {
public:
  /// What a result changed.
  struct transition {
    health before = health::unknown;
    health after = health::unknown;
    /// Probers that agree with `after`.
    std::uint32_t agreeing = 0;
    friend bool operator==(const transition&, const transition&) = default;
  };

  /// @param initial `unknown` for endpoints that a run begins with, `unhealthy` for later ones
  ///        (B-38)
  endpoint_tracker(const health_check_config& config, health initial);

  /// Takes one result of one prober into account.
  /// @param may_change false while too few probers are left to reach the quorum: the endpoint then
  ///        keeps its state; the next result that may change it lets it follow what all probers think
  /// @returns the transition it caused, if any
  std::optional<transition> observe(std::uint32_t prober, bool success, bool may_change = true);

  [[nodiscard]] health state() const noexcept { return state_; }

private:
  struct streak {
    health verdict = health::unknown;
    std::uint32_t length = 0;
    bool success = false;
  };
  // Changes when enough probers think so.
  std::optional<transition> turn(health to);

  std::uint32_t healthy_threshold_;
  std::uint32_t unhealthy_threshold_;
  std::uint32_t quorum_;
  health state_;
  std::vector<streak> probers_;
  bool withheld_ = false; // a prober changed its mind while the endpoint could not change
};

} // namespace spillover
