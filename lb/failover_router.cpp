#include "lb/failover_router.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <bit>

namespace spillover {

namespace {

constexpr std::uint64_t bit_of(std::uint32_t region) noexcept {
  return std::uint64_t{1} << region;
}

// The place of the n-th bit set in `mask`, from 0, which has more bits than n.
std::uint32_t nth_bit(std::uint64_t mask, std::uint64_t n) noexcept {
  for (; n > 0; --n)
    mask &= mask - 1;
  return static_cast<std::uint32_t>(std::countr_zero(mask));
}

} // namespace

failover_router::failover_router(std::uint32_t regions, unknown_policy unknown)
  : unknown_(unknown), states_(regions, health::unknown), last_known_(regions, health::healthy) {
  SPILLOVER_CHECK(regions >= 1 && regions <= 64);
  update();
}

void failover_router::set(std::uint32_t region, health state) {
  SPILLOVER_CHECK(region < states_.size());
  states_[region] = state;
  if (state != health::unknown)
    last_known_[region] = state;
  update();
}

void failover_router::set_ejected(std::uint32_t region, bool ejected) {
  SPILLOVER_CHECK(region < states_.size());
  ejected_ = ejected ? ejected_ | bit_of(region) : ejected_ & ~bit_of(region);
  update();
}

std::uint32_t failover_router::pick(random_stream& random, std::uint64_t tried) noexcept {
  // All regions are eligible when failing open, so that both cases have the same rule: untried ones
  // first, and of those the closest, or any when failing open.
  const auto untried = eligible_ & ~tried;
  const auto candidates = untried != 0 ? untried : eligible_;
  const auto choices =
    route_.fail_open ? static_cast<std::uint64_t>(std::popcount(candidates)) : std::uint64_t{1};
  return nth_bit(candidates, random.below(choices));
}

void failover_router::update() {
  eligible_ = 0;
  for (std::uint32_t region = 0; region < states_.size(); ++region)
    if (eligible(region))
      eligible_ |= bit_of(region);
  route_.regions.clear();
  route_.fail_open = eligible_ == 0;
  if (!route_.fail_open) {
    route_.regions.push_back(nth_bit(eligible_, 0));
    return;
  }
  for (std::uint32_t region = 0; region < states_.size(); ++region) {
    eligible_ |= bit_of(region);
    route_.regions.push_back(region);
  }
}

bool failover_router::eligible(std::uint32_t region) const noexcept {
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
