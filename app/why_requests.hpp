#pragma once

#include "app/recorded_run.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace spillover::app {

/// Which requests of a run shall be explained.
struct request_choice {
  /// Of this consumer only; "" means all of them.
  std::string consumer;
  /// The request with this number; its consumer must be named when there are several.
  std::optional<std::uint64_t> number;
  /// So many of those that failed, the first ones.
  std::optional<std::uint32_t> failed;
  /// So many of the slowest, the slowest first.
  std::optional<std::uint32_t> slowest;
  bool json = false;
};

/// Repeats the run until the chosen requests have ended, and prints what happened to them at each hop.
/// @returns the program's exit code: `run_failed` when the run cannot be repeated
int explain_requests(const recorded_run& run, const request_choice& choice);

} // namespace spillover::app
