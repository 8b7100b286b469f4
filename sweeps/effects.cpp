#include "sweeps/effects.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace spillover {

namespace {

using run_matrix = std::vector<std::vector<double>>;

double mean_of(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

std::vector<double> means_of(const run_matrix& runs) {
  std::vector<double> result;
  result.reserve(runs.size());
  for (const auto& row : runs)
    result.push_back(mean_of(row));
  return result;
}

/// @returns for each run its rank among all, from 1; equal values share the mean of their ranks.
run_matrix ranks_of(std::span<const std::vector<double>> values) {
  std::vector<double> sorted;
  for (const auto& x : values)
    sorted.insert(sorted.end(), x.begin(), x.end());
  std::sort(sorted.begin(), sorted.end());
  run_matrix result{values.begin(), values.end()};
  for (auto& row : result) {
    for (auto& x : row) {
      const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), x);
      x = static_cast<double>((first - sorted.begin()) + (last - sorted.begin()) + 1) / 2;
    }
  }
  return result;
}

/// Sums of squares about one mean.
class spread {
public:
  explicit spread(const run_matrix& runs)
    : runs_{runs}, settings_{means_of(runs)}, mean_{mean_of(settings_)} {}

  [[nodiscard]] double total() const {
    double result = 0;
    for (const auto& row : runs_) {
      for (const auto x : row)
        result += square(x);
    }
    return result;
  }

  /// @returns what rounding alone may leave of a sum of squares when all runs are the same.
  [[nodiscard]] double noise() const {
    return 1e-24 * mean_ * mean_ * seeds() * static_cast<double>(runs_.size());
  }

  [[nodiscard]] double of_settings() const {
    double result = 0;
    for (const auto x : settings_)
      result += square(x) * seeds();
    return result;
  }

  [[nodiscard]] double of_seeds() const {
    double result = 0;
    for (std::size_t k = 0; k < runs_.front().size(); ++k) {
      double sum = 0;
      for (const auto& row : runs_)
        sum += row[k];
      const auto count = static_cast<double>(runs_.size());
      result += square(sum / count) * count;
    }
    return result;
  }

  [[nodiscard]] double of(const sweep_factor& x) const {
    std::vector<double> sums(x.values.size());
    std::vector<double> counts(x.values.size());
    for (std::size_t i = 0; i < settings_.size(); ++i) {
      sums[x.value_of[i]] += settings_[i];
      counts[x.value_of[i]] += 1;
    }
    double result = 0;
    for (std::size_t i = 0; i < sums.size(); ++i)
      result += counts[i] > 0 ? square(sums[i] / counts[i]) * counts[i] * seeds() : 0;
    return result;
  }

private:
  [[nodiscard]] double square(double x) const { return (x - mean_) * (x - mean_); }
  [[nodiscard]] double seeds() const { return static_cast<double>(runs_.front().size()); }

  const run_matrix& runs_;
  std::vector<double> settings_;
  double mean_ = 0;
};

/// @returns for each seed the mean over the settings that have the value, of which there is one.
std::vector<double> means_by_seed(const sweep_factor& x, std::size_t value,
                                  std::span<const std::vector<double>> runs) {
  std::vector<double> result(runs.front().size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (x.value_of[i] != value)
      continue;
    ++count;
    for (std::size_t k = 0; k < result.size(); ++k)
      result[k] += runs[i][k];
  }
  for (auto& y : result)
    y /= static_cast<double>(count);
  return result;
}

/// @returns how many values of a path there are settings of.
std::size_t values_present(const sweep_factor& x) {
  return std::set<std::size_t>{x.value_of.begin(), x.value_of.end()}.size();
}

/// @returns whether there is a setting for each combination of the values that occur.
bool is_whole_grid(std::span<const sweep_factor> factors, std::size_t settings) {
  std::size_t combinations = 1;
  for (const auto& x : factors)
    combinations *= values_present(x);
  return combinations == settings;
}

/// @returns the values that the other paths have in a setting.
std::vector<std::size_t> other_values(std::span<const sweep_factor> factors, const sweep_factor& x,
                                      std::size_t place) {
  std::vector<std::size_t> result;
  for (const auto& y : factors) {
    if (&y != &x)
      result.push_back(y.value_of[place]);
  }
  return result;
}

/// Finds pairs of settings that differ in one path only.
class pairing {
public:
  /// @param x one of the factors
  pairing(std::span<const sweep_factor> factors, const sweep_factor& x, std::size_t first)
    : factors_{factors}, factor_{x} {
    for (std::size_t i = 0; i < x.value_of.size(); ++i) {
      if (x.value_of[i] == first)
        firsts_.emplace(other_values(factors, x, i), i);
    }
  }

  /// @returns for each seed the mean difference over the pairs; empty when there is none.
  [[nodiscard]] std::vector<double> differences(std::size_t value,
                                                std::span<const std::vector<double>> runs) const {
    std::vector<double> result(runs.front().size());
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (factor_.value_of[i] != value)
        continue;
      const auto first = firsts_.find(other_values(factors_, factor_, i));
      if (first == firsts_.end())
        continue;
      ++pairs;
      for (std::size_t k = 0; k < result.size(); ++k)
        result[k] += runs[i][k] - runs[first->second][k];
    }
    if (pairs == 0)
      return {};
    for (auto& x : result)
      x /= static_cast<double>(pairs);
    return result;
  }

private:
  std::span<const sweep_factor> factors_;
  const sweep_factor& factor_;
  // Settings of the first value, by what else they have.
  std::map<std::vector<std::size_t>, std::size_t> firsts_;
};

void compare(value_effect& result, std::vector<double> differences) {
  const auto finite = [](double x) { return std::isfinite(x); };
  if (differences.empty() || !std::all_of(differences.begin(), differences.end(), finite))
    return;
  result.difference = mean_of(differences);
  result.difference_interval = sample{std::move(differences)}.mean_interval();
}

std::vector<value_effect> effects_of(std::span<const sweep_factor> factors, const sweep_factor& x,
                                     std::span<const std::vector<double>> runs) {
  std::vector<value_effect> result;
  const auto first = *std::min_element(x.value_of.begin(), x.value_of.end());
  const pairing pairs{factors, x, first};
  for (std::size_t value = 0; value < x.values.size(); ++value) {
    std::vector<double> all;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (x.value_of[i] == value)
        all.insert(all.end(), runs[i].begin(), runs[i].end());
    }
    if (all.empty())
      continue;
    const sample pooled{std::move(all)};
    auto& effect = result.emplace_back();
    effect.value = x.values[value];
    effect.runs = pooled.size();
    effect.censored = pooled.censored();
    effect.median = pooled.quantile(0.5);
    effect.mean = pooled.mean();
    effect.mean_interval = sample{means_by_seed(x, value, runs)}.mean_interval();
    if (value != first)
      compare(effect, pairs.differences(value, runs));
  }
  return result;
}

} // namespace

effect_table main_effects(std::span<const sweep_factor> factors,
                          std::span<const std::vector<double>> values) {
  effect_table result;
  if (values.empty() || values.front().empty())
    return result;
  const auto ended = [](const auto& row) {
    return std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); });
  };
  result.of_ranks = !std::all_of(values.begin(), values.end(), ended);
  const auto runs = result.of_ranks ? ranks_of(values) : run_matrix{values.begin(), values.end()};
  const spread squares{runs};
  const auto total = squares.total();
  result.no_variance = total <= squares.noise();
  result.is_incomplete = !is_whole_grid(factors, values.size());
  const auto none = result.no_variance || result.is_incomplete;
  const auto share = [&](double x) { return none ? 0 : x / total; };
  double explained = 0;
  for (const auto& x : factors) {
    SPILLOVER_CHECK(x.value_of.size() == values.size());
    if (values_present(x) < 2)
      continue;
    result.paths.push_back({x.path, share(squares.of(x)), effects_of(factors, x, values)});
    explained += result.paths.back().share;
  }
  std::stable_sort(result.paths.begin(), result.paths.end(),
                   [](const auto& x, const auto& y) { return x.share > y.share; });
  const auto settings = share(squares.of_settings());
  result.combinations = std::max(0.0, settings - explained);
  result.seeds = share(squares.of_seeds());
  result.rest = none ? 0 : std::max(0.0, 1 - settings - result.seeds);
  return result;
}

} // namespace spillover
