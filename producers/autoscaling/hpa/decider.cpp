#include "producers/autoscaling/hpa/decider.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <utility>

namespace spillover::hpa {

namespace {

duration longest_period(const scaling_rules& x) noexcept {
  duration result{};
  for (const auto& policy : x.policies)
    result = std::max(result, policy.period);
  return result;
}

settings checked(settings x) {
  SPILLOVER_CHECK(validate(x).empty());
  return x;
}

/// @returns entries of a log that looks back by `span`, both ends counted.
std::size_t entries_in(const settings& x, duration span) noexcept {
  return static_cast<std::size_t>(span / x.sync_period) + 2;
}

/// @returns a log for the steps of one direction; nothing is written to it without a behavior.
step_log steps_of(const settings& x, const scaling_rules scaling_behavior::*way) {
  const auto longest = x.behavior ? longest_period((*x.behavior).*way) : duration{};
  return {longest, x.behavior ? entries_in(x, longest) : 0};
}

std::string capitals(std::string_view name) {
  std::string result{name};
  for (auto& c : result)
    if (c >= 'a' && c <= 'z')
      c = static_cast<char>(c - 'a' + 'A');
  return result;
}

} // namespace

decider::decider(settings x)
  : settings_(checked(std::move(x))),
    longest_window_(std::max(windows_of(settings_).up, windows_of(settings_).down)),
    recommended_(entries_in(settings_, longest_window_)),
    changes_{steps_of(settings_, &scaling_behavior::scale_up),
             steps_of(settings_, &scaling_behavior::scale_down)} {
  for (const auto& metric : settings_.metrics)
    drivers_.push_back(capitals(metric.name));
  proposals_.reserve(settings_.metrics.size());
}

decision decider::decide(instant now, const snapshot& seen) {
  SPILLOVER_CHECK(seen.readings.size() == settings_.metrics.size());
  SPILLOVER_CHECK(seen.spec_replicas >= 0 && seen.status_replicas >= 0);
  const auto present = seen.spec_replicas;
  if (recommended_.empty())
    recommended_.record(now, present);
  decision result;
  result.present = result.desired = result.proposed = result.stabilized = present;
  if (present == 0 && settings_.min_replicas != 0) {
    result.from = basis::scaling_disabled;
  } else if (present > settings_.max_replicas) {
    result.from = basis::above_maximum;
    result.desired = settings_.max_replicas;
    result.bounded_by = limit::too_many_replicas;
  } else if (present < settings_.min_replicas) {
    result.from = basis::below_minimum;
    result.desired = settings_.min_replicas;
    result.bounded_by = limit::too_few_replicas;
  } else {
    ask(now, seen, result);
  }
  record(now, result);
  return result;
}

void decider::ask(instant now, const snapshot& seen, decision& result) {
  proposals_.clear();
  auto failures = false;
  std::int32_t most = 0;
  for (std::size_t i = 0; i < settings_.metrics.size(); ++i) {
    const auto& x =
      proposals_.emplace_back(propose(settings_, settings_.metrics[i], seen, seen.readings[i]));
    if (x.failed != failure::none) {
      failures = true;
    } else if (!result.winner || x.replicas > most) {
      result.winner = i;
      most = x.replicas;
    }
  }
  result.proposals = proposals_;
  if (!result.winner || (failures && most < result.present)) {
    result.from = basis::no_metrics;
    result.winner.reset();
    return;
  }
  result.proposed = most;
  if (settings_.behavior)
    normalize(now, result);
  else
    normalize_plainly(now, result);
  recommended_.forget_before(now - longest_window_);
  recommended_.record(now, result.proposed);
}

void decider::normalize(instant now, decision& result) {
  const auto& [scale_up, scale_down] = *settings_.behavior;
  const auto follows = settings_.follows;
  const auto present = result.present;
  result.stabilized =
    stabilized(now, present, result.proposed, recommended_, windows_of(settings_), follows);
  if (result.stabilized != result.proposed)
    result.stabilized_by =
      result.proposed >= present ? limit::scale_up_stabilized : limit::scale_down_stabilized;
  result.desired = result.stabilized;
  if (result.stabilized > present) {
    const auto rate = up_limit(now, present, changes_, scale_up, follows);
    result.rate_limit = rate;
    result.desired = std::min({result.stabilized, rate, settings_.max_replicas});
    if (result.desired != result.stabilized)
      result.bounded_by =
        rate < settings_.max_replicas ? limit::scale_up_limit : limit::too_many_replicas;
  } else if (result.stabilized < present) {
    const auto rate = down_limit(now, present, changes_, scale_down, follows);
    result.rate_limit = rate;
    result.desired = std::max({result.stabilized, rate, settings_.min_replicas});
    if (result.desired != result.stabilized)
      result.bounded_by =
        rate > settings_.min_replicas ? limit::scale_down_limit : limit::too_few_replicas;
  }
}

void decider::normalize_plainly(instant now, decision& result) {
  result.stabilized = plainly_stabilized(now, result.proposed, recommended_, longest_window_);
  if (result.stabilized != result.proposed)
    result.stabilized_by = limit::scale_down_stabilized;
  const auto rate = plain_up_limit(result.present);
  if (result.stabilized > result.present)
    result.rate_limit = rate;
  const auto most = std::min(rate, settings_.max_replicas);
  result.desired = result.stabilized;
  if (result.stabilized < settings_.min_replicas) {
    result.desired = settings_.min_replicas;
    result.bounded_by = limit::too_few_replicas;
  } else if (result.stabilized > most) {
    result.desired = most;
    result.bounded_by =
      rate < settings_.max_replicas ? limit::scale_up_limit : limit::too_many_replicas;
  }
}

void decider::record(instant now, const decision& x) {
  if (!settings_.behavior || x.desired == x.present)
    return;
  if (x.desired > x.present)
    changes_.added.record(now, x.desired - x.present);
  else
    changes_.removed.record(now, x.present - x.desired);
}

} // namespace spillover::hpa
