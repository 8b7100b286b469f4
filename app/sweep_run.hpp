#pragma once

#include "sweeps/plan.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillover {
class stored_search;
} // namespace spillover

namespace spillover::app {

/// What the user asked `spillover sweep` for.
struct sweep_options {
  std::string file;
  /// Each PATH=VALUE,VALUE,...
  std::vector<std::string> vary;
  /// Empty: the scenario's.
  std::string seeds;
  /// 0: one a processor.
  std::uint32_t jobs = 0;
  std::string out;
  std::string shard;
  bool retry = false;
  bool quiet = false;
  bool json = false;
};

/// What is run, and where it is kept.
struct planned_sweep {
  sweep_plan plan;
  std::vector<std::uint64_t> seeds;
  shard part;
  std::string out;
};

/// Reads what the user asked for, or prints every problem to stderr.
/// @returns nothing when there was a problem; the caller exits with `bad_input`
std::optional<planned_sweep> plan_or_explain(const sweep_options& options);

/// How a sweep went.
struct sweep_tally {
  std::string file;
  std::string name;
  std::uint64_t settings = 0;
  std::uint64_t seeds = 0;
  shard part;
  /// Of this part.
  std::uint64_t runs = 0;
  /// Those that were in the file already, and those that were done now.
  std::uint64_t before = 0;
  std::uint64_t ran = 0;
  /// All runs of the file, by `run_end`.
  std::array<std::uint64_t, 3> ended{};
  /// Of a search.
  std::size_t rounds = 0;
  /// False when a signal stopped it.
  bool complete = false;
  /// Real time that the runs took.
  double seconds = 0;
};

/// Does the runs that are not in the file yet.
/// @param search which runs are done, in place of all; nothing for all. The tally then counts its runs only
/// @throws store_error when the file cannot be used
sweep_tally run_sweep(const sweep_options& options, const planned_sweep& x,
                      stored_search* search = nullptr);

} // namespace spillover::app
