#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace spillover {

/// What one setting of a sweep takes and costs; less of either is better.
struct trade_off {
  double time = 0;
  double cost = 0;
};

/// @returns the places of those that no other beats: none is at least as good in both and better in one.
///          Of equal ones all are kept. In ascending order of time, then of place. What never ends
///          (`never_ended`) is no choice, however cheap it is.
std::vector<std::size_t> pareto_front(std::span<const trade_off> all);

/// What the runs of one setting took and cost, by seed: the same place is the same seed in every setting.
struct paired_runs {
  std::vector<double> times;
  std::vector<double> costs;
};

/// Tells how much of a front is luck of the seeds: draws as many seeds as there are, with replacement and the
/// same ones for every setting, and looks who is on the front then (Efron and Tibshirani 1993, chapter 6).
///
/// @param all every one with as many runs as the first, at least one
/// @param quantile which quantile of the times counts, as in `sample::quantile`; of costs the mean counts
/// @param draws how often; 1 or more
/// @param seed of the draws, which are the same every time
/// @returns for each setting the share of the draws in which it is on the front.
std::vector<double> front_shares(std::span<const paired_runs> all, double quantile,
                                 std::size_t draws = 1000, std::uint64_t seed = 1);

} // namespace spillover
