#include "sweeps/statistics.hpp"

#include "model/check.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spillover {

namespace {

/// Slack of ranks, as rule G-2 has it: 0.95 x 20 is 19 and not a little more.
constexpr double slack = 1e-12;

struct moments {
  double mean = 0;
  /// Of the mean, from the values' own spread.
  double standard_error = 0;
};

/// @param values at least 2, finite
moments moments_of(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const auto mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const auto x : values)
    squares += (x - mean) * (x - mean);
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

/// Ranks from 1; 0 and n + 1 stand for "no value bounds it".
struct rank_pair {
  std::size_t low = 0;
  std::size_t high = 0;
};

/// @returns the first number of 0..n for which `holds`, which stays true from there on; n + 1 if none.
template <class Predicate>
std::size_t first_of(std::size_t n, Predicate holds) {
  std::size_t low = 0;
  auto high = n + 1;
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    if (holds(static_cast<double>(middle)))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// @returns the ranks whose values bound the quantile. Of so many runs a binomial number B stays below it:
///          the lower end fails if B < low, the upper one if B >= high.
rank_pair bounding_ranks(std::size_t n, double q, double tail) {
  const boost::math::binomial below{static_cast<double>(n), q};
  const auto low = first_of(n, [&](double x) { return cdf(below, x) > tail; });
  const auto high = first_of(n, [&](double x) { return cdf(complement(below, x)) <= tail; });
  return {low, high + 1};
}

} // namespace

sample::sample(std::vector<double> values) : sorted_{std::move(values)} {
  SPILLOVER_CHECK(std::none_of(sorted_.begin(), sorted_.end(), [](double x) { return x != x; }));
  std::sort(sorted_.begin(), sorted_.end());
}

std::size_t sample::censored() const noexcept {
  const auto first = std::lower_bound(sorted_.begin(), sorted_.end(), never_ended);
  return static_cast<std::size_t>(sorted_.end() - first);
}

double sample::quantile(double q) const {
  SPILLOVER_CHECK(!empty());
  const auto n = static_cast<double>(size());
  const auto rank = std::clamp(std::ceil(q * n * (1 - slack)), 1.0, n);
  return sorted_[static_cast<std::size_t>(rank) - 1];
}

confidence_interval sample::quantile_interval(double q, double confidence) const {
  if (empty())
    return {};
  const auto n = size();
  const auto ranks = bounding_ranks(n, q, (1 - confidence) / 2);
  const boost::math::binomial below{static_cast<double>(n), q};
  confidence_interval result;
  double outside = 0;
  if (ranks.low > 0) {
    result.low = sorted_[ranks.low - 1];
    outside += cdf(below, static_cast<double>(ranks.low - 1));
  }
  if (ranks.high <= n) {
    result.high = sorted_[ranks.high - 1];
    outside += cdf(complement(below, static_cast<double>(ranks.high - 1)));
  }
  result.confidence = 1 - outside;
  return result;
}

double sample::mean() const noexcept {
  return std::accumulate(sorted_.begin(), sorted_.end(), 0.0) / static_cast<double>(size());
}

confidence_interval sample::mean_interval(double confidence) const {
  if (size() < 2 || !all_finite(sorted_))
    return {};
  const auto x = moments_of(sorted_);
  const boost::math::students_t t{static_cast<double>(size() - 1)};
  const auto reach = boost::math::quantile(complement(t, (1 - confidence) / 2)) * x.standard_error;
  return {x.mean - reach, x.mean + reach, confidence};
}

std::size_t runs_to_bound(double q, double confidence) {
  // The farther tail decides: the upper end needs that not all runs lie below the quantile.
  const auto all_on_one_side = std::max(q, 1 - q);
  return static_cast<std::size_t>(
    std::ceil(std::log((1 - confidence) / 2) / std::log(all_on_one_side)));
}

confidence_interval share_interval(std::size_t part, std::size_t whole, double confidence) {
  using boost::math::binomial;
  SPILLOVER_CHECK(whole > 0 && part <= whole);
  const auto n = static_cast<double>(whole);
  const auto k = static_cast<double>(part);
  const auto tail = (1 - confidence) / 2;
  return {part == 0 ? 0 : binomial::find_lower_bound_on_p(n, k, tail),
          part == whole ? 1 : binomial::find_upper_bound_on_p(n, k, tail), confidence};
}

double chance_of_at_least(std::size_t part, std::size_t whole, double share) {
  if (part == 0)
    return 1;
  const boost::math::binomial x{static_cast<double>(whole), share};
  return cdf(complement(x, static_cast<double>(part - 1)));
}

double chance_of_at_most(std::size_t part, std::size_t whole, double share) {
  const boost::math::binomial x{static_cast<double>(whole), share};
  return cdf(x, static_cast<double>(part));
}

double chance_that_mean_is_not_below(std::span<const double> values, double bound) {
  if (values.size() < 2 || !all_finite(values))
    return 1;
  const auto x = moments_of(values);
  if (x.standard_error <= 0)
    return x.mean < bound ? 0 : 1;
  const boost::math::students_t t{static_cast<double>(values.size() - 1)};
  return cdf(t, (x.mean - bound) / x.standard_error);
}

} // namespace spillover
