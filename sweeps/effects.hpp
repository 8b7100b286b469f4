#pragma once

#include "sweeps/statistics.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spillover {

/// A path that a sweep varies.
struct sweep_factor {
  std::string path;
  /// What it takes in turn.
  std::vector<std::string> values;
  /// For each setting the place of its value in `values`.
  std::vector<std::size_t> value_of;
};

/// What one value of a path does to a measure.
struct value_effect {
  std::string value;
  /// Over all settings that have it and all seeds.
  std::size_t runs = 0;
  /// Of these the ones whose clock never ended.
  std::size_t censored = 0;
  double median = 0;
  double mean = 0;

  /// Of the mean, over seeds: each seed's mean over the settings counts once, since runs of one seed are
  /// not independent.
  confidence_interval mean_interval;

  /// What its runs take more than those of the path's first value with the same seed and else the same
  /// setting, on average over such pairs; nothing for the first value, where there is no pair, and where a run
  /// never ended.
  std::optional<double> difference;
  confidence_interval difference_interval;
};

/// How much one path matters.
struct path_effect {
  std::string path;
  /// Of the variance of all runs, what goes with the path's value, within [0, 1]; 0 where combinations are
  /// missing.
  double share = 0;
  std::vector<value_effect> values;
};

/// How much each varied path matters for one measure: an analysis of variance in which the seed is a block.
struct effect_table {
  /// Paths with settings of more than one value, the one that matters most first.
  std::vector<path_effect> paths;
  /// What only combinations of paths explain.
  double combinations = 0;
  /// What the seed explains in all settings alike: luck that comparing at the same seed takes out.
  double seeds = 0;
  /// What is left.
  double rest = 0;
  /// Shares are of the ranks of the runs, because some never ended (Conover and Iman 1981).
  bool of_ranks = false;
  /// Every run is the same.
  bool no_variance = false;
  /// Of the values that occur not every combination does. There are no shares then, since what goes with one
  /// path's value goes with another's too.
  bool is_incomplete = false;
};

/// @param factors each with a value for every setting; no two settings have the same values
/// @param values for each setting its runs by seed: the same place is the same seed in every setting, and
///               all settings have equally many. `never_ended` is allowed, NaN is not.
/// @returns shares that add up to 1; none where combinations of values are missing.
effect_table main_effects(std::span<const sweep_factor> factors,
                          std::span<const std::vector<double>> values);

} // namespace spillover
