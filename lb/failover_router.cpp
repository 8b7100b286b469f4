#include "lb/failover_router.hpp"

#include <utility>

namespace spillover {

failover_router::failover_router(std::uint32_t regions, unknown_policy unknown)
  : region_router(regions, unknown) {
  update(run_start);
}

std::uint32_t failover_router::pick(instant, random_stream& random, const region_set& tried,
                                    std::uint64_t) noexcept {
  // All regions are eligible when failing open, so that both cases have the same rule: untried ones
  // first, and of those the closest, or any when failing open.
  const auto untried = eligible_.without(tried);
  const auto& candidates = untried.empty() ? eligible_ : untried;
  const auto choices = current().fail_open ? std::uint64_t{candidates.size()} : std::uint64_t{1};
  return candidates.nth(random.below(choices));
}

void failover_router::update(instant) {
  eligible_ = {};
  for (std::uint32_t region = 0; region < regions(); ++region)
    if (eligible(region))
      eligible_.insert(region);
  region_route route;
  route.fail_open = eligible_.empty();
  if (route.fail_open) {
    eligible_ = region_set::first_of(regions());
    for (std::uint32_t region = 0; region < regions(); ++region)
      route.regions.push_back(region);
  } else {
    route.regions.push_back(eligible_.nth(0));
  }
  route_to(std::move(route));
}

} // namespace spillover
