#include "lb/load_balancer.hpp"
#include "model/check.hpp"

#include <algorithm>
#include <utility>

// How a load balancer leaves regions and comes back to them, where that is not done at once.

namespace spillover {

std::string load_balancer::act(instant now, balancer_step step, std::uint32_t region) {
  SPILLOVER_CHECK(failback_);
  std::string refused;
  switch (step) {
    case balancer_step::failover_on: failback_->set_automatic(now, true); break;
    case balancer_step::failover_off: failback_->set_automatic(now, false); break;
    case balancer_step::fail_over: failback_->fail_over(now, region); break;
    case balancer_step::fail_back:
      if (!failback_->fail_back(now, region))
        refused = "UNHEALTHY, and failover is automatic";
  }
  show_states(now);
  return refused;
}

std::string load_balancer::described(std::uint32_t region) const {
  if (!failback_)
    return proxies_.front().router->described(region);
  const auto remark = failback_->remark(region);
  std::string result{to_string(failback_->state(region))};
  return remark.empty() ? result : result.append("(").append(remark).append(")");
}

bool load_balancer::show_states(instant now) {
  const auto count = static_cast<std::uint32_t>(attempts_.size());
  for (auto& proxy : proxies_)
    for (std::uint32_t i = 0; i < count; ++i)
      if (proxy.router->state(i) != failback_->shown(i))
        proxy.router->set(now, i, failback_->shown(i));
  return update_route(now) || !failback_->changes().empty();
}

// What every proxy ejected is no place to go to, and no reason to leave one unused that merely waits.
void load_balancer::follow_ejection(instant now, std::uint32_t region) {
  if (failback_) {
    failback_->set_ejected(region, ejected_by(region) == proxies_.size());
    show_states(now);
  } else {
    update_route(now);
  }
}

// A region that comes back in steps leaves the rest of its requests to the next closest one, as `left_out`
// does.
void load_balancer::spread_ramps(region_route& x) const {
  if (x.fail_open || x.regions.size() != 1)
    return;
  const auto& router = *proxies_.front().router;
  std::vector<std::uint32_t> regions;
  std::vector<std::uint32_t> shares;
  std::uint32_t rest = 100;
  for (std::uint32_t i = x.regions.front(); i < attempts_.size() && rest > 0; ++i) {
    // What is UNKNOWN may or may not be used; whether it is, only the first one tells.
    if (i != x.regions.front() && (router.ejected(i) || failback_->shown(i) != health::healthy))
      continue;
    const auto share = rest * failback_->share(i) / 100;
    if (share == 0)
      continue;
    regions.push_back(i);
    shares.push_back(share);
    rest -= share;
  }
  if (regions.size() < 2)
    return;
  shares.front() += rest;
  x.regions = std::move(regions);
  x.shares = std::move(shares);
}

// The regions that a request is to stay away from while there are others.
region_set load_balancer::left_out() noexcept {
  region_set result;
  for (std::uint32_t i = 0; i < attempts_.size(); ++i)
    if (const auto share = failback_->share(i); share < 100 && ramps_->below(100) >= share)
      result.insert(i);
  return result;
}

} // namespace spillover
