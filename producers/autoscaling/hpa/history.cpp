#include "producers/autoscaling/hpa/history.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spillover::hpa {

namespace {

using limits = std::numeric_limits<std::int32_t>;

std::int32_t narrow(double x) noexcept {
  return static_cast<std::int32_t>(
    std::clamp(x, static_cast<double>(limits::min()), static_cast<double>(limits::max())));
}

enum class direction : std::uint8_t { up, down };

/// @returns the replicas at the start of a policy's period.
double period_start(instant now, std::int32_t present, const change_log& changes, duration period,
                    direction way, generation follows) noexcept {
  auto start = std::int64_t{present};
  if (way == direction::up || follows == generation::newer)
    start -= changes.added.sum_after(now - period);
  if (way == direction::down || follows == generation::newer)
    start += changes.removed.sum_after(now - period);
  return static_cast<double>(start);
}

/// @returns the count that one policy allows. Rounded so that a percentage always allows a step up.
std::int32_t allowed(const scaling_policy& x, double start, direction way) noexcept {
  const auto value = static_cast<double>(x.value);
  const auto up = way == direction::up;
  if (x.type == policy_type::pods)
    return narrow(up ? start + value : start - value);
  return narrow(up ? std::ceil(start * (1 + value / 100)) : start * (1 - value / 100));
}

/// @returns the count that the policies allow together; `present` when there is none to select.
std::int32_t limit(instant now, std::int32_t present, const change_log& changes,
                   const scaling_rules& rules, direction way, generation follows) noexcept {
  if (rules.select == select_policy::disabled || rules.policies.empty())
    return present;
  const auto highest = (rules.select == select_policy::max) == (way == direction::up);
  auto result = highest ? limits::min() : limits::max();
  for (const auto& x : rules.policies) {
    const auto start = period_start(now, present, changes, x.period, way, follows);
    const auto count = allowed(x, start, way);
    result = highest ? std::max(result, count) : std::min(result, count);
  }
  return result;
}

} // namespace

void replica_log::record(instant at, std::int32_t value) {
  SPILLOVER_CHECK(entries_.empty() || entries_.back().at <= at);
  entries_.push_back({at, value});
}

void replica_log::forget_before(instant at) {
  const auto old = [at](const entry& x) { return x.at < at; };
  entries_.erase(entries_.begin(), std::find_if_not(entries_.begin(), entries_.end(), old));
}

std::int32_t replica_log::lowest_after(instant cutoff, std::int32_t x) const noexcept {
  for (auto i = entries_.rbegin(); i != entries_.rend() && i->at > cutoff; ++i)
    x = std::min(x, i->value);
  return x;
}

std::int32_t replica_log::highest_after(instant cutoff, std::int32_t x) const noexcept {
  for (auto i = entries_.rbegin(); i != entries_.rend() && i->at > cutoff; ++i)
    x = std::max(x, i->value);
  return x;
}

void step_log::record(instant at, std::int32_t replicas) {
  const auto old = [cutoff = at - longest_](const entry& x) { return x.at < cutoff; };
  const auto place = std::find_if(entries_.rbegin(), entries_.rend(), old);
  if (place == entries_.rend())
    entries_.push_back({at, replicas});
  else
    *place = {at, replicas};
}

std::int64_t step_log::sum_after(instant cutoff) const noexcept {
  std::int64_t result = 0;
  for (const auto& x : entries_)
    result += x.at > cutoff ? x.replicas : 0;
  return result;
}

std::int32_t up_limit(instant now, std::int32_t present, const change_log& changes,
                      const scaling_rules& rules, generation follows) noexcept {
  return std::max(present, limit(now, present, changes, rules, direction::up, follows));
}

std::int32_t down_limit(instant now, std::int32_t present, const change_log& changes,
                        const scaling_rules& rules, generation follows) noexcept {
  return std::min(present, limit(now, present, changes, rules, direction::down, follows));
}

std::int32_t plain_up_limit(std::int32_t present) noexcept {
  return narrow(std::max(2.0 * present, 4.0));
}

stabilization windows_of(const settings& x) noexcept {
  if (!x.behavior)
    return {{}, x.downscale_stabilization};
  return {x.behavior->scale_up.stabilization_window.value_or(duration::zero()),
          x.behavior->scale_down.stabilization_window.value_or(x.downscale_stabilization)};
}

std::int32_t stabilized(instant now, std::int32_t present, std::int32_t proposed,
                        const replica_log& proposals, const stabilization& windows,
                        generation follows) noexcept {
  const auto lowest = proposals.lowest_after(now - windows.up, proposed);
  const auto highest = proposals.highest_after(now - windows.down, proposed);
  if (follows == generation::older)
    return proposed >= present ? lowest : highest;
  return std::clamp(present, lowest, highest);
}

std::int32_t plainly_stabilized(instant now, std::int32_t proposed, const replica_log& proposals,
                                duration window) noexcept {
  return proposals.highest_after(now - window - duration{1}, proposed);
}

} // namespace spillover::hpa
