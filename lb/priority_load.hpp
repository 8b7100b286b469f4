#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace spillover {

// Envoy's arithmetic of priorities, panic and localities, in its integers (B-59..B-65): functions of counts,
// which know no region and no request.

/// The hosts of one priority.
struct priority_hosts {
  std::uint32_t total = 0;
  std::uint32_t healthy = 0;
  std::uint32_t degraded = 0;
  /// Of `total`; left out of what the healthy ones are compared with.
  std::uint32_t excluded = 0;
};

/// What becomes of one priority.
struct priority_share {
  /// In percent of all requests; the sum over all priorities is 100.
  std::uint32_t healthy_load = 0;
  std::uint32_t degraded_load = 0;
  /// All hosts are used, whatever their health (B-61).
  bool panic = false;
  friend bool operator==(const priority_share&, const priority_share&) = default;
};

/// @param available of `total`
/// @param total at least 1, unless nothing is available
/// @param factor the overprovisioning factor in percent
/// @returns the health of a priority, 0..100: min(100, factor x available / total), rounded down; 0
///          without hosts (B-59).
std::uint32_t priority_health(std::uint64_t available, std::uint64_t total,
                              std::uint32_t factor) noexcept;

/// Splits 100 % of the load by the health of priorities, the best first (B-60).
///
/// Follows Envoy's `LoadBalancerBase::recalculatePerPriorityState`.
///
/// @param health of each priority, 0..100; at least one
/// @param degraded the same for degraded hosts, and as many
/// @returns one share a priority; all without load when nobody is available
std::vector<priority_share> split_by_health(std::span<const std::uint32_t> health,
                                            std::span<const std::uint32_t> degraded);

/// Splits 100 % of the load over priorities, the best first, with panic (B-59..B-62).
///
/// Follows Envoy's `recalculatePerPriorityState`, `recalculatePerPriorityPanic` and
/// `recalculateLoadInTotalPanic`. When nobody is available and panic is off, or nobody is there at all,
/// the first priority gets all, and every request then fails.
///
/// @param priorities at least one
/// @param factor the overprovisioning factor in percent
/// @param panic_threshold in percent; 0 for no panic, above 100 as 100
std::vector<priority_share> split_load(std::span<const priority_hosts> priorities,
                                       std::uint32_t factor, std::uint32_t panic_threshold);

/// Chooses a priority (B-63).
/// @param shares from `split_load`
/// @param hash any number
/// @returns the place of the first priority whose cumulated load reaches hash mod 100 + 1; first all
///          healthy loads, then the degraded ones
std::uint32_t choose_priority(std::span<const priority_share> shares, std::uint64_t hash) noexcept;

/// @param weight of a locality
/// @returns its weight times min(1, factor x available / total) (B-64), times 100 x 2^20 and rounded down;
///          0 without hosts. Envoy computes it in floating point, which this is close to.
std::uint64_t effective_weight(std::uint32_t weight, std::uint64_t available, std::uint64_t total,
                               std::uint32_t factor) noexcept;

} // namespace spillover
