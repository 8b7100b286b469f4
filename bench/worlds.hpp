#pragma once

#include "scenario/scenario.hpp"

#include <cstdint>

namespace spillover::bench {

/// What instances of `full_path` do.
enum class job : std::uint8_t {
  /// The M/M/c job of the hand-written loop: one request at a time, exponential, load 0.8.
  mmc,
  /// The default scenario's: 80 at a time, lognormal, 15 ms of shared CPU each, 54 % of the CPU.
  web,
};

/// One consumer, one region and `instances` instances with everything on: links, health checks,
/// composite health, Cloud Run's autoscaler, the event log.
/// @param requests how many come, about
scenario full_path(job what, std::uint32_t instances, std::uint64_t requests);

/// The M/M/c job through the product's actors: clients, a revision with all its deciders, and one
/// instance for each server.
/// @returns requests that came
std::uint64_t actor_mmc(std::uint32_t servers, double load, std::uint64_t requests,
                        std::uint64_t seed);

} // namespace spillover::bench
