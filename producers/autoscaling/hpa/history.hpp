#pragma once

#include "producers/autoscaling/hpa/settings.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spillover::hpa {

/// Numbers of replicas that were proposed and when, the oldest first.
class replica_log {
public:
  /// @param capacity entries up to which nothing is allocated
  explicit replica_log(std::size_t capacity) { entries_.reserve(capacity); }

  /// @param at never earlier than in an earlier call
  void record(instant at, std::int32_t value);

  /// Drops what was said before `at`.
  void forget_before(instant at);

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

  /// @returns the smallest of `x` and of what was said after `cutoff`, which itself does not count.
  [[nodiscard]] std::int32_t lowest_after(instant cutoff, std::int32_t x) const noexcept;

  /// @returns the largest of them.
  [[nodiscard]] std::int32_t highest_after(instant cutoff, std::int32_t x) const noexcept;

private:
  struct entry {
    instant at{};
    std::int32_t value = 0;
  };
  std::vector<entry> entries_;
};

/// The steps that an autoscaler took in one direction (E-8).
///
/// As in Kubernetes, a step older than the longest period of its own direction's policies gives its place
/// to the next one, even if a policy of the other direction would still have asked for it.
class step_log {
public:
  /// @param longest the longest period of this direction's policies
  /// @param capacity steps up to which nothing is allocated
  step_log(duration longest, std::size_t capacity) : longest_(longest) {
    entries_.reserve(capacity);
  }

  /// @param at never earlier than in an earlier call
  /// @param replicas how many came or went, above 0
  void record(instant at, std::int32_t replicas);

  /// @returns the replicas of the steps after `cutoff`, which itself does not count.
  [[nodiscard]] std::int64_t sum_after(instant cutoff) const noexcept;

private:
  struct entry {
    instant at{};
    std::int32_t replicas = 0;
  };
  duration longest_;
  std::vector<entry> entries_;
};

/// The steps in both directions.
struct change_log {
  step_log added;
  step_log removed;
};

/// @returns the most replicas that the policies of scaling up allow now (E-8), at least `present`.
std::int32_t up_limit(instant now, std::int32_t present, const change_log& changes,
                      const scaling_rules& rules, generation follows) noexcept;

/// @returns the fewest replicas that the policies of scaling down allow now (E-8), at most `present`;
///          may be below 0.
std::int32_t down_limit(instant now, std::int32_t present, const change_log& changes,
                        const scaling_rules& rules, generation follows) noexcept;

/// @returns the most replicas that an autoscaler without a behavior goes to at once (E-10).
std::int32_t plain_up_limit(std::int32_t present) noexcept;

/// How far back stabilisation looks in each direction.
struct stabilization {
  duration up{};
  duration down{};
};

/// @returns the windows of an autoscaler (E-7, E-10).
stabilization windows_of(const settings& x) noexcept;

/// @returns what is left of a proposal when earlier ones have their say (E-9). An earlier one that is
///          as old as a window does not count.
std::int32_t stabilized(instant now, std::int32_t present, std::int32_t proposed,
                        const replica_log& proposals, const stabilization& windows,
                        generation follows) noexcept;

/// @returns the same for an autoscaler without a behavior (E-10): the largest proposal of the window.
///          One that is as old as the window counts.
std::int32_t plainly_stabilized(instant now, std::int32_t proposed, const replica_log& proposals,
                                duration window) noexcept;

} // namespace spillover::hpa
