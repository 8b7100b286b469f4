#pragma once

#include "sweeps/effects.hpp"
#include "sweeps/grid.hpp"
#include "sweeps/quantity.hpp"
#include "sweeps/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// The runs of a sweep, as a store holds them.
struct sweep_results {
  /// Of the scenario.
  std::string name;
  std::vector<variation> varied;
  std::vector<setting> settings;
  /// What was asked for; runs may be missing.
  std::size_t seeds = 0;
  /// In any order, each (setting, seed) at most once.
  std::vector<run_outcome> runs;
};

/// How a sweep is reported.
struct sweep_report_options {
  /// Whose distributions are shown; by default those that people decide from and that some run has.
  std::vector<const quantity*> shown = {};
  /// What the trade-off is about; the second one is the price.
  const quantity* time = find_quantity("failover");
  const quantity* cost = find_quantity("cost");
  /// Which quantile of the time stands in the trade-off, within (0, 1].
  double quantile = 0.95;
};

/// One quantity of the runs of one setting.
struct distribution_row {
  std::size_t setting = 0;
  /// That are a result, and have something to be measured. Without any there are no values.
  std::size_t runs = 0;
  /// That are a result in which no failover began, where it is one that is measured.
  std::size_t without_failover = 0;
  /// Of `runs` the ones that do not have it, e.g. because the clock never ended.
  std::size_t censored = 0;
  double median = 0;
  confidence_interval median_interval;
  double p95 = 0;
  confidence_interval p95_interval;
  double mean = 0;
  confidence_interval mean_interval;
  /// The highest value, and the lowest seed that has it.
  double worst = 0;
  std::uint64_t worst_seed = 0;
};

struct distribution_table {
  const quantity* of = nullptr;
  /// Settings with at least one run.
  std::vector<distribution_row> rows;
};

/// What a setting takes and costs.
struct trade_off_row {
  std::size_t setting = 0;
  double time = 0;
  confidence_interval time_interval;
  double cost = 0;
  confidence_interval cost_interval;
  bool on_front = false;
  /// In what share of draws of seeds it is on the front; nothing where `front_draws` is 0.
  std::optional<double> front_share;
};

/// Which path matters how much for a quantity.
struct effect_section {
  const quantity* of = nullptr;
  /// How many seeds the settings are compared at.
  std::size_t seeds = 0;
  effect_table table;
};

/// The run that took the longest, or is no result.
struct notable_run {
  run_key key;
  double value = 0;
  /// Why it failed; empty when it did not.
  std::string trouble;
};

/// What a sweep says.
struct sweep_report {
  std::string name;
  std::vector<setting> settings;
  std::vector<std::string> paths;
  std::size_t seeds = 0;
  std::size_t runs = 0;
  std::size_t met = 0;
  std::size_t missed = 0;
  std::size_t failed = 0;
  /// Seeds that every setting with runs has: what comparisons between settings are made of.
  std::size_t common_seeds = 0;
  /// The same of results that have a time to be measured.
  std::size_t time_seeds = 0;
  /// Results in which no failover began, though the time is of one; what is said of the time leaves them out.
  std::size_t without_failover = 0;
  /// Settings without a run that is a result.
  std::size_t without_runs = 0;
  /// The first setting of those with the fewest results, but some, and how many it has.
  std::optional<std::size_t> scarcest;
  std::size_t scarcest_runs = 0;
  std::vector<distribution_table> distributions;
  /// Asked for, and no run has it.
  std::vector<const quantity*> absent;
  const quantity* time = nullptr;
  const quantity* cost = nullptr;
  double quantile = 0;
  /// Over `time_seeds`, by time, then by cost; none when there are no such seeds.
  std::vector<trade_off_row> trade_offs;
  /// How often seeds are drawn to tell how sure the front is; fewer for a large sweep, and 0 without common
  /// seeds, or for a sweep so large that it would take minutes.
  std::size_t front_draws = 0;
  std::vector<effect_section> effects;
  /// Of the time; nothing when no run has it. Runs without any failover are none that lasted long.
  std::optional<notable_run> worst;
  /// In the order of settings and seeds.
  std::vector<notable_run> failures;
};

/// Runs that failed are no result, and say nothing of their settings: they are counted and named, and left out of
/// everything else. Runs in which a clock never ended are not.
///
/// @param x every setting of a run exists
sweep_report report_on(const sweep_results& x, const sweep_report_options& options = {});

/// How commands name the store, and what they must be called to repeat a run.
struct sweep_source {
  /// E.g. "sweep.sqlite".
  std::string store;
  /// Settings play traces, which lie beside the scenario to be run.
  bool traces = false;

  /// @returns the commands that repeat a run exactly.
  [[nodiscard]] std::string command_for(run_key key) const;
};

/// @returns the report for people, with lines of at most 100 columns unless names are longer.
std::string to_text(const sweep_report& x, const sweep_source& source);

/// @returns the report as Markdown, e.g. for a comment on a pull request.
std::string to_markdown(const sweep_report& x, const sweep_source& source);

/// @returns the report for programs, as docs/sweep-report.md describes it: values in the units of the store,
///          "never" for what did not end, null for an end that so few runs do not bound.
std::string to_json(const sweep_report& x, const sweep_source& source);

} // namespace spillover
