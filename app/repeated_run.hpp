#pragma once

#include "actors/world.hpp"
#include "app/recorded_run.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace spillover::app {

/// A request of a run.
struct request_name {
  std::string consumer;
  /// At that consumer, from 1.
  std::uint64_t number = 0;
};

/// Lets a run happen again with some of its requests followed from hop to hop, until all of them have ended.
/// @param until goes no further
/// @param shown shows on stderr how it goes
/// @param then gets the world at that time; what it returns is returned
/// @returns otherwise `run_failed`, having said why: this program does something else than what is recorded
int repeat_run(const recorded_run& run, const std::vector<request_name>& followed, instant until,
               bool shown, const std::function<int(const world&)>& then);

} // namespace spillover::app
