#pragma once

#include "lb/failback_policy.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace spillover {

/// A region's state as a load balancer applies it, from a time on.
struct applied_state {
  instant at{};
  health state = health::unknown;
  friend bool operator==(const applied_state&, const applied_state&) = default;
};

/// How much of what is meant for a region a load balancer sends there, from a time on.
struct usage_step {
  instant at{};
  /// 0..100 percent.
  std::uint32_t share = 100;
  friend bool operator==(const usage_step&, const usage_step&) = default;
};

/// @returns for each region, from the run's start on, whether consumers would use it: that nobody sends
///          requests to a region because a closer one takes them all is not asked. A region with a share
///          of 0 is avoided. When there is no other choice, all are used (fail open, B-30).
/// @param states of each region in the order of time; before the first of them it is UNKNOWN
/// @param end nothing happens at this time or later
std::vector<std::vector<usage_step>>
replay_usage(const failback_config& config, std::span<const std::vector<applied_state>> states,
             instant end);

} // namespace spillover
