#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace spillover {

/// What an operator does at a load balancer.
enum class balancer_step : std::uint8_t {
  /// Automatic failover and failback begin again, with the states as they are then.
  failover_on,
  /// Regions are neither left nor used again by themselves.
  failover_off,
  /// A region is taken out of use, whatever its state.
  fail_over,
  /// A region is taken into use, whole and at once.
  fail_back,
};

/// What an operator does at a load balancer at a time.
struct balancer_action {
  instant at{};
  balancer_step step = balancer_step::failover_on;
  /// Of `fail_over` and `fail_back`; else empty.
  std::string region = {};
  friend bool operator==(const balancer_action&, const balancer_action&) = default;
};

/// @returns the action in words, e.g. "fail over us-east1".
inline std::string to_string(const balancer_action& x) {
  switch (x.step) {
    case balancer_step::failover_on: return "automatic failover on";
    case balancer_step::failover_off: return "automatic failover off";
    case balancer_step::fail_over: return "fail over " + x.region;
    case balancer_step::fail_back: return "fail back " + x.region;
  }
  return "?";
}

} // namespace spillover
