#pragma once

#include "producers/autoscaling/config.hpp"

#include <chrono>
#include <cstdint>

namespace spillover::bench {

/// What it takes a policy to decide.
struct decision_cost {
  /// Of wall time, for one decision.
  std::chrono::nanoseconds decide{};
  /// For taking in one second of all instances.
  std::chrono::nanoseconds observe{};
};

/// Lets a policy decide about `instances` of them whose load goes up and down, as often as its rhythm
/// says, and takes the means. One with tickers of its own decides once more each second; what it decides
/// by itself counts as taking in.
/// @param decisions at least 1
decision_cost decide_often(const autoscaling_config& policy, std::uint32_t instances,
                           std::uint32_t decisions);

} // namespace spillover::bench
