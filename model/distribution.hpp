#pragma once

#include "model/random.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace spillover {

// No span of a distribution is longer than 100 years.

/// Always the same.
struct constant_distribution {
  /// At least 0.
  duration value{};
  friend bool operator==(const constant_distribution&, const constant_distribution&) = default;
};

/// Memoryless.
struct exponential_distribution {
  /// Above 0.
  duration mean{};
  friend bool operator==(const exponential_distribution&,
                         const exponential_distribution&) = default;
};

/// Skewed to the right, as service times and cold starts usually are.
struct lognormal_distribution {
  /// Above 0.
  duration median{};
  /// At least `median`.
  duration p99{};
  friend bool operator==(const lognormal_distribution&, const lognormal_distribution&) = default;
};

/// Draws one of the values, each with the same chance.
struct empirical_distribution {
  /// At least one, in the order of the file.
  std::vector<duration> values;
  friend bool operator==(const empirical_distribution&, const empirical_distribution&) = default;
};

using distribution = std::variant<constant_distribution, exponential_distribution,
                                  lognormal_distribution, empirical_distribution>;

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const distribution& x);

/// @returns the expected value of `x`, rounded to the nanosecond; 100 years when it is more.
duration mean_of(const distribution& x);

/// @returns the distribution as users write it, e.g. "lognormal: {median: 40ms, p99: 200ms}" or, for
///          a constant, "40ms"; of more than eight values only their number.
std::string to_string(const distribution& x);

/// Draws from one distribution; prepared once, so that a draw costs a few operations.
///
/// Takes exactly one number from the stream whatever the distribution is, a constant included, so
/// that a changed distribution does not shift later draws.
class sampler {
public:
  /// @param x a valid distribution
  explicit sampler(const distribution& x);

  /// @returns a span within [0, 100 years].
  duration draw(random_stream& random) const noexcept;

  [[nodiscard]] duration mean() const noexcept { return mean_; }

private:
  enum class kind : std::uint8_t { constant, exponential, lognormal, empirical };
  kind kind_ = kind::constant;
  // Exponential: `scale_` is the mean in ns. Lognormal: mean and deviation of the logarithm of ns.
  double location_ = 0;
  double scale_ = 0;
  duration mean_{};
  std::vector<duration> values_;
};

} // namespace spillover
