#include "lb/priority_load.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace spillover {

namespace {

using load_of = std::uint32_t priority_share::*;

std::uint32_t sum(std::span<const std::uint32_t> x) {
  std::uint32_t result = 0;
  for (const auto y : x)
    result += y;
  return result;
}

std::optional<std::size_t> first_above_zero(std::span<const std::uint32_t> x) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] > 0)
      return i;
  return std::nullopt;
}

// Gives each priority as much as it can take, the best first.
// @returns what is left
std::uint32_t distribute(std::vector<priority_share>& to, load_of which,
                         std::span<const std::uint32_t> availability, std::uint32_t load,
                         std::uint32_t normalized) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i].*which = std::min(load, availability[i] * 100 / normalized);
    load -= to[i].*which;
  }
  return load;
}

// Healthy and degraded hosts are fewer than the threshold, which Envoy compares in floating point.
bool in_panic(const priority_hosts& x, std::uint32_t threshold) {
  const std::uint64_t count = x.total - x.excluded;
  if (count == 0)
    return threshold > 0;
  return 100 * (std::uint64_t{x.healthy} + x.degraded) < threshold * count;
}

// Everybody is in panic: by hosts, whatever their health (B-62).
void split_by_hosts(std::vector<priority_share>& to, std::span<const priority_hosts> priorities) {
  std::uint64_t all = 0;
  for (const auto& x : priorities)
    all += x.total;
  if (all == 0) {
    to.front().healthy_load = 100;
    return;
  }
  std::uint32_t load = 100;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!first && priorities[i].total > 0)
      first = i;
    to[i].healthy_load = static_cast<std::uint32_t>(std::uint64_t{100} * priorities[i].total / all);
    to[i].degraded_load = 0;
    load -= to[i].healthy_load;
  }
  to[*first].healthy_load += load;
}

} // namespace

std::uint32_t priority_health(std::uint64_t available, std::uint64_t total,
                              std::uint32_t factor) noexcept {
  if (total == 0)
    return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(100, factor * available / total));
}

std::vector<priority_share> split_by_health(std::span<const std::uint32_t> health,
                                            std::span<const std::uint32_t> degraded) {
  SPILLOVER_CHECK(!health.empty() && health.size() == degraded.size());
  std::vector<priority_share> result(health.size());
  const auto normalized = std::min(100u, sum(health) + sum(degraded));
  if (normalized == 0)
    return result;
  auto load = distribute(result, &priority_share::healthy_load, health, 100, normalized);
  load = distribute(result, &priority_share::degraded_load, degraded, load, normalized);
  // Only what rounding left.
  if (const auto first = first_above_zero(health))
    result[*first].healthy_load += load;
  else
    result[*first_above_zero(degraded)].degraded_load += load;
  return result;
}

std::vector<priority_share> split_load(std::span<const priority_hosts> priorities,
                                       std::uint32_t factor, std::uint32_t panic_threshold) {
  std::vector<std::uint32_t> health;
  std::vector<std::uint32_t> degraded;
  for (const auto& x : priorities) {
    const std::uint64_t count = x.total - x.excluded;
    health.push_back(priority_health(x.healthy, count, factor));
    degraded.push_back(priority_health(x.degraded, count, factor));
  }
  auto result = split_by_health(health, degraded);
  const auto normalized = std::min(100u, sum(health) + sum(degraded));
  const auto threshold = std::min(100u, panic_threshold);
  if (threshold == 0 && normalized == 0) {
    result.front().healthy_load = 100;
    return result;
  }
  auto all = true;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].panic = normalized != 100 && in_panic(priorities[i], threshold);
    all = all && result[i].panic;
  }
  if (all)
    split_by_hosts(result, priorities);
  return result;
}

std::uint32_t choose_priority(std::span<const priority_share> shares, std::uint64_t hash) noexcept {
  const auto point = static_cast<std::uint32_t>(hash % 100 + 1);
  std::uint32_t load = 0;
  for (const auto which : {&priority_share::healthy_load, &priority_share::degraded_load})
    for (std::uint32_t i = 0; i < shares.size(); ++i) {
      load += shares[i].*which;
      if (point <= load)
        return i;
    }
  return 0;
}

std::uint64_t effective_weight(std::uint32_t weight, std::uint64_t available, std::uint64_t total,
                               std::uint32_t factor) noexcept {
  if (total == 0)
    return 0;
  // Both sides of the minimum times 100 x total; then times 2^20, so that rounding does not show.
  const auto ratio = std::min<std::uint64_t>(factor * available, 100 * total);
  return (std::uint64_t{weight} * ratio << 20) / total;
}

} // namespace spillover
