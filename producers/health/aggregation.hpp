#pragma once

#include "model/health.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spillover {

/// A health aggregation policy (B-1).
struct aggregation_policy {
  /// Share of endpoints that must be healthy, 0..100.
  std::uint32_t healthy_percent_threshold = 60;

  /// Number of endpoints that must be healthy, at least 1.
  std::uint32_t min_healthy_threshold = 1;

  friend bool operator==(const aggregation_policy&, const aggregation_policy&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const aggregation_policy& x);

/// @returns healthy when both thresholds are met, else unhealthy; without endpoints unhealthy
///          (B-16, B-18).
health aggregate(const aggregation_policy& x, std::uint32_t healthy, std::uint32_t total) noexcept;

/// @returns how many of `total` endpoints must be healthy (B-17).
std::uint32_t needed(const aggregation_policy& x, std::uint32_t total) noexcept;

/// @returns the three-valued AND of the sources (B-20); unknown without any.
health conjunction(std::span<const health> sources) noexcept;

/// A health source: counts the endpoints of one backend service and judges at each tick.
class health_source {
public:
  struct transition {
    health before = health::unknown;
    health after = health::unknown;
    std::uint32_t healthy = 0;
    std::uint32_t total = 0;
    std::uint32_t needed = 0;
    friend bool operator==(const transition&, const transition&) = default;
  };

  /// @param warm_up until then an endpoint without a first definitive state keeps the source
  ///        unknown; afterwards it counts as unhealthy (B-19, inferred)
  health_source(const aggregation_policy& policy, instant warm_up) noexcept;

  /// Judges by another policy from now on.
  void set_policy(const aggregation_policy& x) noexcept { policy_ = x; }

  /// An endpoint came, with its state then.
  void add(health state) noexcept;

  /// An endpoint left, with its last state.
  void remove(health state) noexcept;

  /// An endpoint changed.
  void change(health before, health after) noexcept;

  /// @returns what a judgement at `now` would say.
  [[nodiscard]] health verdict(instant now) const noexcept;

  /// Judges.
  /// @returns the transition, if the verdict changed
  std::optional<transition> judge(instant now) noexcept;

  [[nodiscard]] health state() const noexcept { return state_; }
  [[nodiscard]] std::uint32_t healthy() const noexcept { return counts_[1]; }
  [[nodiscard]] std::uint32_t total() const noexcept {
    return counts_[0] + counts_[1] + counts_[2];
  }

private:
  aggregation_policy policy_;
  instant warm_up_;
  std::uint32_t counts_[3]{};
  health state_ = health::unknown;
};

/// When the steps after an endpoint's change happen (B-23; all inferred, no source states them).
struct propagation_config {
  /// A source judges at multiples of this after a phase of its own, 1ms..60s.
  duration aggregation_tick = std::chrono::seconds{1};

  /// From the composite's change to its arrival at a consumer, at least 0.
  duration propagation = std::chrono::seconds{2};

  /// Added to that, uniform in [0, this], drawn for each consumer and change.
  duration propagation_jitter = std::chrono::seconds{1};

  /// From the arrival to the load balancer's routing, at least 0.
  duration apply = std::chrono::seconds{1};

  /// The state is sent again this often, so that a lost message does not stay lost (B-24); at
  /// least 1s.
  duration resend = std::chrono::seconds{10};

  /// Longest time a source stays UNKNOWN because of endpoints without a state (B-19).
  duration warm_up = std::chrono::seconds{60};

  friend bool operator==(const propagation_config&, const propagation_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const propagation_config& x);

} // namespace spillover
