#include "lb/region_router.hpp"

#include "model/check.hpp"

namespace spillover {

region_router::region_router(std::uint32_t regions, unknown_policy unknown)
  : unknown_(unknown),
    states_(regions, health::unknown),
    last_known_(regions, health::healthy),
    endpoints_(regions) {
  SPILLOVER_CHECK(regions >= 1 && regions <= region_set::capacity);
}

void region_router::set(instant now, std::uint32_t region, health state) {
  SPILLOVER_CHECK(region < states_.size());
  states_[region] = state;
  if (state != health::unknown)
    last_known_[region] = state;
  update(now);
}

void region_router::set_endpoints(instant now, std::uint32_t region, const endpoint_view& x) {
  SPILLOVER_CHECK(region < states_.size());
  endpoints_[region] = x;
  update(now);
}

void region_router::set_ejected(instant now, std::uint32_t region, bool ejected) {
  SPILLOVER_CHECK(region < states_.size());
  if (ejected)
    ejected_.insert(region);
  else
    ejected_.erase(region);
  update(now);
}

bool region_router::eligible(std::uint32_t region) const noexcept {
  const auto state = states_[region];
  if (ejected(region))
    return false;
  if (state != health::unknown)
    return state == health::healthy;
  switch (unknown_) {
    case unknown_policy::as_healthy: return true;
    case unknown_policy::as_unhealthy: return false;
    case unknown_policy::last_known: break;
  }
  return last_known_[region] == health::healthy;
}

} // namespace spillover
