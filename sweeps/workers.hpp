#pragma once

#include "sweeps/outcome.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace spillover {

/// What a sweep does beside running; all is called by the process that called `run_in_processes`.
struct sweep_hooks {
  /// Takes what became of a run, once it ended.
  std::function<void(const run_outcome&)> ended;
  /// Called several times a second.
  std::function<void()> meanwhile = {};
  /// Once true, what is being run is dropped and no run begins any more.
  std::function<bool()> stop = {};
};

/// Runs each key once, in processes that are copies of this one, each of which does one run after the
/// other.
///
/// The caller must have no other threads. A process that ends in the middle of a run costs that run,
/// whose outcome is `failed` and says how; another process goes on in its place. Processes end with
/// the calling one, whatever ends it.
/// @param jobs processes at once, at least 1
/// @param run does one run, in such a process; an exception makes the run's outcome `failed`
/// @returns false when `stop` ended it before all had been run
/// @throws std::system_error when no process can be started, or pipes are not to be had
bool run_in_processes(std::span<const run_key> keys, std::uint32_t jobs,
                      const std::function<run_outcome(run_key)>& run, const sweep_hooks& hooks);

/// @returns how many processors this process may use, at least 1.
std::uint32_t usable_processors() noexcept;

} // namespace spillover
