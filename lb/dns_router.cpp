#include "lb/dns_router.hpp"

#include "lb/percents.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

dns_router::dns_router(const dns_config& config, std::uint32_t regions, unknown_policy unknown)
  : region_router(regions, unknown),
    config_(config),
    kept_(std::max(config.ttl, config.client_cache)),
    caches_(config.resolvers) {
  update(run_start);
}

std::uint32_t dns_router::pick(instant, random_stream& random, const region_set& tried,
                               std::uint64_t client) noexcept {
  const auto& known = caches_[client % caches_.size()];
  const auto untried = known.without(tried);
  const auto& among = untried.empty() ? known : untried;
  return among.nth(random.below(among.size()));
}

void dns_router::on_time(instant now) {
  for (std::size_t i = 0; i < caches_.size(); ++i)
    // It expires now.
    if (caches_[i] != answer_ && expiry_after(now - duration{1}, i) <= now)
      caches_[i] = answer_;
  find_next(now);
  find_route();
}

void dns_router::update(instant now) {
  answer_ = answer();
  if (now == run_start)
    std::fill(caches_.begin(), caches_.end(), answer_);
  find_next(now);
  find_route();
}

region_set dns_router::answer() const {
  region_set healthy;
  for (std::uint32_t region = 0; region < regions(); ++region)
    if (!config_.health_checked || eligible(region))
      healthy.insert(region);
  // Nobody is left out when all would be.
  if (healthy.empty())
    healthy = region_set::first_of(regions());
  if (config_.answer == dns_answer::all)
    return healthy;
  region_set closest;
  closest.insert(healthy.nth(0));
  return closest;
}

instant dns_router::expiry_after(instant now, std::size_t cache) const noexcept {
  if (config_.cache_forever)
    return never;
  const auto phase =
    kept_ * static_cast<duration::rep>(cache + 1) / static_cast<duration::rep>(caches_.size());
  const auto since = now - run_start - phase;
  const auto passed = since < duration::zero() ? 0 : since / kept_ + 1;
  return run_start + phase + passed * kept_;
}

void dns_router::find_next(instant now) {
  next_change_ = never;
  for (std::size_t i = 0; i < caches_.size(); ++i)
    if (caches_[i] != answer_)
      next_change_ = std::min(next_change_, expiry_after(now, i));
}

void dns_router::find_route() {
  constexpr std::uint64_t whole = std::uint64_t{1} << 32;
  std::vector<std::uint64_t> weights(regions());
  for (const auto& x : caches_)
    for (std::uint32_t region = 0; region < regions(); ++region)
      weights[region] += x.contains(region) ? whole / x.size() : 0;
  region_route route;
  std::vector<std::uint64_t> used;
  auto even = true;
  for (std::uint32_t region = 0; region < regions(); ++region)
    if (weights[region] > 0) {
      route.regions.push_back(region);
      used.push_back(weights[region]);
      even = even && used.front() == used.back();
    }
  if (!even)
    route.shares = percents(used);
  route.fail_open = config_.health_checked;
  for (std::uint32_t region = 0; region < regions(); ++region)
    route.fail_open = route.fail_open && !eligible(region);
  route_to(std::move(route));
}

} // namespace spillover
