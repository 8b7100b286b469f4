#pragma once

#include "scenario/scenario.hpp"
#include "tests/scenario/random_source.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace spillover::test {

/// @returns valid settings of failover and failback; what a file does not say is as by default.
inline failback_config any_failback(random_source& draw) {
  constexpr duration least = std::chrono::milliseconds{1};
  constexpr duration most = std::chrono::seconds{86'400};
  failback_config x;
  x.back = static_cast<failback_mode>(draw.between(0, 3));
  if (x.back == failback_mode::after || x.back == failback_mode::over)
    x.back_span = draw.span(least, most);
  if (x.back == failback_mode::over)
    x.steps = draw.between(1, 100);
  x.leave = static_cast<failover_mode>(draw.between(0, 2));
  if (x.leave == failover_mode::after)
    x.leave_span = draw.span(least, most);
  return x;
}

/// @param lasts the run
inline std::vector<balancer_action>
any_balancer_actions(random_source& draw, const std::vector<std::string>& regions, duration lasts) {
  std::vector<balancer_action> result;
  for (std::uint32_t i = draw.between(0, 3); i > 0; --i) {
    balancer_action x{run_start + draw.span(duration::zero(), lasts - duration{1}),
                      static_cast<balancer_step>(draw.between(0, 3))};
    if (x.step == balancer_step::fail_over || x.step == balancer_step::fail_back)
      x.region = draw.one_of(regions);
    result.push_back(std::move(x));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  return result;
}

/// Settles how a consumer whose regions are known leaves them and comes back, where that has a meaning.
/// @param lasts the run
inline void add_failover(random_source& draw, duration lasts, consumer_spec& x) {
  auto& lb = x.load_balancer;
  if (!has_psc_negs(lb))
    return;
  lb.failback = any_failback(draw);
  lb.actions = any_balancer_actions(draw, x.regions, lasts);
}

} // namespace spillover::test
