#pragma once

#include "scenario/scenario.hpp"

#include <cstdint>

namespace spillover::test {

/// When everything is over that `random_world` lets faults do, in a calm world.
inline constexpr duration faults_over = std::chrono::seconds{75};
/// From here to the end nothing of it may be felt any more.
inline constexpr duration calm_again = std::chrono::seconds{150};
inline constexpr duration random_world_lasts = std::chrono::seconds{170};

/// @returns a valid world of 1..6 regions, 1..4 services and 1..3 consumers, with up to eight faults
///          of any kind on its timeline, flapping ones among them.
/// @param calm nothing but faults may make a request fail: enough instances, links that lose nothing,
///        a composite for every service; and every fault ends by `faults_over`. Otherwise faults come
///        at any time and may stay, and autoscalers, losses and short limits have their way.
scenario random_world(std::uint64_t seed, bool calm);

} // namespace spillover::test
