#pragma once

#include <cstdint>

namespace spillover::bench {

/// What a run of the loop did.
struct loop_result {
  std::uint64_t requests = 0;
  /// Mean time a request waited for a server, in emulated seconds.
  double mean_wait = 0;
};

/// The limit that everything else is measured against: an M/M/c queue as a hand-written event loop
/// over a 4-ary heap of 16-byte keys, without actors, accounts or faults.
///
/// @param servers c, at least 1
/// @param load offered load per server, within (0, 1)
/// @param requests arrivals to simulate
loop_result native_mmc(std::uint32_t servers, double load, std::uint64_t requests,
                       std::uint64_t seed);

} // namespace spillover::bench
