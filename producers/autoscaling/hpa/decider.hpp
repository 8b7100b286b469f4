#pragma once

#include "producers/autoscaling/hpa/history.hpp"
#include "producers/autoscaling/hpa/proposal.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillover::hpa {

/// What a decision comes from.
enum class basis : std::uint8_t {
  metrics,
  /// No replicas, while the minimum is above 0: someone turned scaling off (E-12).
  scaling_disabled,
  /// More replicas than the maximum, or fewer than the minimum: no metric is asked.
  above_maximum,
  below_minimum,
  /// All metrics failed, or one did and the others want fewer replicas (E-6).
  no_metrics,
};

std::string_view to_string(basis x) noexcept;

/// What changed a proposal; named like the reasons of Kubernetes' conditions.
enum class limit : std::uint8_t {
  none,
  scale_up_stabilized,
  scale_down_stabilized,
  scale_up_limit,
  scale_down_limit,
  too_many_replicas,
  too_few_replicas,
};

/// @returns "ScaleUpStabilized" and so on; "none".
std::string_view to_string(limit x) noexcept;

/// How many replicas there should be, and everything that led there.
struct decision {
  /// To be asked for from now on.
  std::int32_t desired = 0;

  /// Asked for so far.
  std::int32_t present = 0;

  basis from = basis::metrics;

  /// The metric whose proposal won, by its place in the settings; nothing unless `from` is `metrics`.
  std::optional<std::size_t> winner = std::nullopt;

  /// What the metrics ask for together, and what stabilisation leaves of it; `present` unless `from`
  /// is `metrics`.
  std::int32_t proposed = 0;
  std::int32_t stabilized = 0;

  /// What the rate of change allows in the direction of `stabilized`; nothing when it stays.
  std::optional<std::int32_t> rate_limit = std::nullopt;

  /// Who changed `proposed` to `stabilized`, and that to `desired`.
  limit stabilized_by = limit::none;
  limit bounded_by = limit::none;

  /// One for each metric of the settings; none unless they were asked. Valid until the next decision.
  std::span<const proposal> proposals = {};
};

/// Kubernetes' horizontal pod autoscaler (E-1..E-12).
class decider {
public:
  /// @param x valid
  explicit decider(settings x);

  /// Decides, and takes it that what it says is asked for at once.
  ///
  /// The number of replicas at the first call counts as a proposal (E-9).
  ///
  /// @param now never earlier than in an earlier call; due each `sync_period`
  /// @param seen with a reading for each metric of the settings
  decision decide(instant now, const snapshot& seen);

  /// @returns who is named for a decision of this autoscaler, as other policies name their drivers: the
  ///          metric that won, in capitals; "MIN" or "MAX" when a bound decided, "RATE" or
  ///          "STABILIZATION" when those did, "HOLD" when no metric could say, "DISABLED". Valid as long
  ///          as the autoscaler.
  [[nodiscard]] std::string_view driver_of(const decision& said) const noexcept;

  [[nodiscard]] const settings& config() const noexcept { return settings_; }

private:
  void ask(instant now, const snapshot& seen, decision& result);
  void normalize(instant now, decision& result);
  void normalize_plainly(instant now, decision& result);
  void record(instant now, const decision& x);

  settings settings_;
  duration longest_window_{};
  std::vector<std::string> drivers_; // one for each metric
  std::vector<proposal> proposals_;
  replica_log recommended_;
  change_log changes_;
};

/// Appends every number of a decision by name, in a fixed order (E-1..E-12). Ratios and tolerances are
/// thousandths, `_milli`; a count that there is none of is left out. The metric that won has `_won` 1, one
/// that failed `_failed` and the reason; a limit that acted is 1 under the name of Kubernetes' condition,
/// e.g. `scale_up_limit`.
void list_inputs(const settings& x, const decision& said,
                 std::vector<std::pair<std::string, std::int64_t>>& inputs);

} // namespace spillover::hpa
