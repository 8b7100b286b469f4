#pragma once

#include <cstdint>

namespace spillover::bench {

/// The M/M/c job through the runtime alone: a source, a queue and one server for each of c are CAF
/// actors that speak records, with nothing in them but the job. What it costs more than the
/// hand-written loop is the price of the lane and of actors.
/// @returns requests served
std::uint64_t lane_mmc(std::uint32_t servers, double load, std::uint64_t requests,
                       std::uint64_t seed);

} // namespace spillover::bench
