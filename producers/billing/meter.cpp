#include "producers/billing/meter.hpp"

#include "model/check.hpp"
#include "producers/startup.hpp"
#include "producers/thousandths.hpp"

#include <algorithm>

namespace spillover::billing {

namespace {

/// @returns thousandths of `x`, at least one.
std::int64_t some_thousandths(double x) noexcept {
  SPILLOVER_CHECK(x > 0 && x <= 1000);
  return std::max(thousandths(x), std::int64_t{1});
}

/// Opens or closes an interval, or leaves it as it is.
void set(interval_sum& x, bool open, const life_span& now) noexcept {
  if (open && !x.is_open())
    x.begin(now);
  else if (!open && x.is_open())
    x.end(now);
}

} // namespace

meter::meter(const vcpus& cpu, rounding rule) noexcept
  : milli_(some_thousandths(cpu.normal)),
    boosted_milli_(some_thousandths(cpu.boosted)),
    active_(rule),
    idle_(rule),
    life_(rule, shortest_life) {}

void meter::starting(instant now) noexcept {
  SPILLOVER_CHECK(phase_ != phase::shutting_down);
  boosted_before_ = point_of(now).boosted;
  boost_from_ = now;
  boost_to_ = never;
  requests_ = 0;
  enter(phase::starting, now);
}

void meter::ready(instant now) noexcept {
  SPILLOVER_CHECK(phase_ == phase::starting);
  boost_to_ = now + boost_after_start;
  enter(phase::serving, now);
}

void meter::warm(instant now) noexcept {
  SPILLOVER_CHECK(phase_ == phase::gone);
  enter(phase::serving, now);
}

void meter::request_begins(instant now) noexcept {
  SPILLOVER_CHECK(phase_ == phase::serving);
  ++requests_;
  update(now);
}

void meter::request_ends(instant now) noexcept {
  SPILLOVER_CHECK(requests_ > 0);
  --requests_;
  update(now);
}

void meter::keep_as_minimum(instant now, bool kept) noexcept {
  is_minimum_ = kept;
  update(now);
}

void meter::shutting_down(instant now) noexcept {
  SPILLOVER_CHECK(phase_ == phase::starting || phase_ == phase::serving);
  enter(phase::shutting_down, now);
}

void meter::stopped(instant now) noexcept {
  SPILLOVER_CHECK(phase_ != phase::gone);
  requests_ = 0;
  enter(phase::gone, now);
  active_.separate();
  idle_.separate();
  life_.separate();
  // What is left of the boost belongs to nobody.
  boosted_before_ = point_of(now).boosted;
  boost_from_ = now;
  boost_to_ = now;
}

request_based_bill meter::request_based(instant now) const noexcept {
  const auto end = point_of(now);
  return {charge_of(active_.billed(end)), charge_of(idle_.billed(end))};
}

charge meter::instance_based(instant now) const noexcept {
  return charge_of(life_.billed(point_of(now)));
}

life_span meter::point_of(instant now) const noexcept {
  const auto current = std::max(std::min(now, boost_to_) - boost_from_, duration::zero());
  return {now.time_since_epoch(), boosted_before_ + current};
}

charge meter::charge_of(const life_span& x) const noexcept {
  // Nanoseconds times thousandths would overflow within 40 hours: whole microseconds apart.
  const auto boosted = x.boosted.count();
  const auto normal = (x.all - x.boosted).count();
  const auto whole = normal / 1000 * milli_ + boosted / 1000 * boosted_milli_;
  const auto rest = normal % 1000 * milli_ + boosted % 1000 * boosted_milli_;
  return {x.all, duration{whole + rest / 1000}};
}

void meter::enter(phase x, instant now) noexcept {
  phase_ = x;
  update(now);
}

void meter::update(instant now) noexcept {
  const auto at = point_of(now);
  const auto is_active =
    phase_ == phase::starting || phase_ == phase::shutting_down || requests_ > 0;
  set(active_, is_active, at);
  set(idle_, phase_ == phase::serving && !is_active && is_minimum_, at);
  set(life_, phase_ != phase::gone, at);
}

} // namespace spillover::billing
