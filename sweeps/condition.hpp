#pragma once

#include "sweeps/quantity.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover {

/// How a value is compared with a bound.
enum class comparison : std::uint8_t { below, at_most, above, at_least };

/// What a setting of a sweep must do: something that must hold in a share of its runs, or for their mean.
struct condition {
  /// As the user wrote it.
  std::string text;

  /// What is compared; null stands for "all expectations of the scenario are met".
  const quantity* of = nullptr;
  comparison how = comparison::below;
  /// In the quantity's unit.
  double bound = 0;

  /// In which share of runs it must hold, within (0, 1); nothing: the mean over runs is compared.
  std::optional<double> share;

  /// @returns whether it holds in a run. Not in one that is no result or lacks the quantity, which therefore
  ///          counts against the setting.
  [[nodiscard]] bool holds_in(const run_outcome& x) const;
};

/// Reads conditions that must all hold, joined by "and" or commas: `QUANTITY<VALUE`, `pN(QUANTITY)<VALUE`,
/// `median(QUANTITY)<VALUE`, `mean(QUANTITY)<VALUE`, or `met`. `<` may be `<=`, `>` or `>=`.
///
/// "p95(x) < 15s" says the same as "x < 15s in 95 % of runs", and "p5(x) > 3" the same as "x > 3 in 95 %".
///
/// @param text e.g. "p95(failover)<15s and errors<0.5%"
/// @param usual_share in which share of runs a condition must hold that does not say it, within (0, 1)
/// @returns the conditions, at least one, or what is wrong and what is allowed.
std::variant<std::vector<condition>, std::string> parse_conditions(std::string_view text,
                                                                   double usual_share);

} // namespace spillover
