#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace spillover {

/// What a run counts as whose clock never ended: later than everything that was measured. It keeps its
/// place in every quantile; a mean over it is not finite either.
inline constexpr double never_ended = std::numeric_limits<double>::infinity();

/// The confidence of every interval that reports show.
inline constexpr double usual_confidence = 0.95;

/// Where the true value lies, with a confidence. `never_ended` as an end is a value: the clock may not end
/// within the run. A missing end is no value: so few runs do not bound it on that side.
struct confidence_interval {
  std::optional<double> low;
  std::optional<double> high;

  /// How often such an interval holds the true value. At least what was asked for, but where an end is
  /// missing; above it, because ranks and counts are whole numbers.
  double confidence = 0;

  friend bool operator==(const confidence_interval&, const confidence_interval&) = default;
};

/// The values of one measure over independent runs, in order.
class sample {
public:
  /// @param values any order; `never_ended` for a run that has none, no NaN
  explicit sample(std::vector<double> values);

  [[nodiscard]] std::size_t size() const noexcept { return sorted_.size(); }
  [[nodiscard]] bool empty() const noexcept { return sorted_.empty(); }
  [[nodiscard]] std::span<const double> sorted() const noexcept { return sorted_; }

  /// @returns how many runs never ended.
  [[nodiscard]] std::size_t censored() const noexcept;

  /// @param q within (0, 1]
  /// @returns the least value that at least the share `q` of all runs stays at or below: the value with
  ///          rank ceil(q n), which is definition 1 of Hyndman and Fan (1996). It is never a value that no
  ///          run had, so its seed can be replayed, and runs that never ended need no special case.
  ///          Requires that the sample is not empty.
  [[nodiscard]] double quantile(double q) const;

  /// @returns the interval of a quantile of the distribution that the runs come from, whatever its shape:
  ///          the values with the ranks l and u of which the binomial distribution says that the quantile
  ///          lies outside with at most (1 - confidence) / 2 on either side (David and Nagaraja 2003, 7.1).
  /// @param q within (0, 1)
  /// @param confidence within (0, 1)
  [[nodiscard]] confidence_interval quantile_interval(double q,
                                                      double confidence = usual_confidence) const;

  /// @returns the arithmetic mean; not finite if a run never ended. Requires that the sample is not empty.
  [[nodiscard]] double mean() const noexcept;

  /// @returns the interval of the mean by Student's t, which is exact for normal values and good for 30 runs
  ///          or more of skewed ones; without ends for fewer than 2 runs, or when one never ended.
  [[nodiscard]] confidence_interval mean_interval(double confidence = usual_confidence) const;

private:
  std::vector<double> sorted_;
};

/// @returns how many independent runs bound the quantile from both sides, e.g. 72 for 0.95.
/// @param q within (0, 1)
std::size_t runs_to_bound(double q, double confidence = usual_confidence);

/// @returns the interval of a share of which `part` of `whole` runs are a sample, by Clopper and Pearson
///          (1934): from the binomial distribution itself, so it is never too narrow.
/// @param whole at least 1
/// @param part at most `whole`
confidence_interval share_interval(std::size_t part, std::size_t whole,
                                   double confidence = usual_confidence);

/// @returns how unlikely it is to see `part` or more of `whole` runs if the true share is `share`: the p value
///          against "the share is at most `share`".
/// @param share within [0, 1]
double chance_of_at_least(std::size_t part, std::size_t whole, double share);

/// @returns how unlikely it is to see `part` or fewer of `whole` runs if the true share is `share`.
double chance_of_at_most(std::size_t part, std::size_t whole, double share);

/// @returns how unlikely a mean as low as that of the values is if the true one is `bound` or above, by
///          Student's t; 1 when there are fewer than 2 values or one is not finite. Values that are all the
///          same leave no doubt: 0 when they are below the bound, else 1.
double chance_that_mean_is_not_below(std::span<const double> values, double bound);

} // namespace spillover
