#pragma once

#include "scenario/load_changed.hpp"
#include "sweeps/grid.hpp"
#include "sweeps/outcome.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover {

/// Which of several machines' part of a sweep is meant: the n-th of so many.
struct shard {
  /// From 1.
  std::uint32_t number = 1;
  /// At least 1; 1 means that there is no division.
  std::uint32_t of = 1;
  friend bool operator==(const shard&, const shard&) = default;
};

inline constexpr std::uint32_t max_shards = 100'000;

/// @param text e.g. "3/8"
/// @returns the shard, or what is wrong with the text.
std::variant<shard, std::string> parse_shard(std::string_view text);

/// What is run in a sweep, beside the seeds.
struct sweep_plan {
  /// Of the scenario.
  std::string name;
  /// The scenario that is varied, with every default.
  std::string base;
  std::vector<setting> settings;
  /// What each setting makes of the scenario.
  std::vector<scenario> scenarios;
};

/// Reads a scenario and what each setting of a grid makes of it.
/// @param name what problems call the file
/// @param variations together at most `max_settings` settings
/// @returns the plan, or every problem, one line each: a problem that only some settings have says
///          which.
std::variant<sweep_plan, std::vector<std::string>>
plan_sweep(std::string_view text, const std::string& name, const scenario_folder& folder,
           std::span<const variation> variations);

/// How many runs a sweep may have.
inline constexpr std::uint64_t max_runs = 10'000'000;

/// @returns the runs of one shard, seed by seed, so that settings can be compared before all is done.
///          Every run is in one shard, and of each setting all shards have equally many, or one more or less;
///          so with as many seeds as shards each has runs of every setting.
/// @param settings times `seeds` at most `max_runs`
std::vector<run_key> runs_of(std::uint32_t settings, std::span<const std::uint64_t> seeds,
                             shard which);

/// Lets a scenario run once, in virtual time, and reads off what is kept of it.
run_outcome run_once(const scenario& x, run_key key);

} // namespace spillover
