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

} // namespace

meter::meter(const vcpus& cpu, rounding rule) noexcept
  : rule_(rule),
    milli_(some_thousandths(cpu.normal)),
    boosted_milli_(some_thousandths(cpu.boosted)),
    life_(rule, shortest_life) {}

void meter::starting(instant now) noexcept {
  SPILLOVER_CHECK(phase_ != phase::shutting_down);
  count_boost(now);
  boost_counted_ = boosted_before_ = point_of(now).boosted;
  boost_from_ = now;
  boost_to_ = never;
  counts_boost_ = milli_ != boosted_milli_;
  requests_ = 0;
  if (phase_ == phase::gone) {
    active_since_ = idle_since_ = now;
    life_.begin(point_of(now));
  }
  phase_ = phase::starting;
  activate(now);
}

void meter::ready(instant now) noexcept {
  SPILLOVER_CHECK(phase_ == phase::starting);
  count_boost(now);
  boost_to_ = now + boost_after_start;
  phase_ = phase::serving;
  go_idle(now);
}

void meter::warm(instant now) noexcept {
  SPILLOVER_CHECK(phase_ == phase::gone);
  active_since_ = idle_since_ = now;
  life_.begin(point_of(now));
  phase_ = phase::serving;
}

void meter::request_begins(instant now) noexcept {
  SPILLOVER_CHECK(phase_ == phase::serving);
  if (++requests_ == 1)
    activate(now);
}

void meter::request_ends(instant now) noexcept {
  SPILLOVER_CHECK(requests_ > 0);
  if (--requests_ == 0 && phase_ == phase::serving)
    go_idle(now);
}

void meter::keep_as_minimum(instant now, bool kept) noexcept {
  if (kept == is_minimum_)
    return;
  if (phase_ != phase::gone && !is_active_ && idle_since_ != now)
    settle(now);
  if (is_active_ && active_since_ > idle_since_) {
    // The pause before is what the instance was until now.
    idle_ = idle_at(now);
    idle_since_ = active_since_;
  }
  count_boost(now);
  is_minimum_ = kept;
}

void meter::shutting_down(instant now) noexcept {
  SPILLOVER_CHECK(phase_ == phase::starting || phase_ == phase::serving);
  activate(now);
  phase_ = phase::shutting_down;
}

void meter::stopped(instant now) noexcept {
  SPILLOVER_CHECK(phase_ != phase::gone);
  settle(now);
  life_.end(point_of(now));
  life_.separate();
  requests_ = 0;
  is_active_ = false;
  phase_ = phase::gone;
  // What is left of the boost belongs to nobody.
  boosted_before_ = point_of(now).boosted;
  boost_from_ = now;
  boost_to_ = now;
  counts_boost_ = false;
}

request_based_bill meter::request_based(instant now) const noexcept {
  const auto all = [this](duration x) { return rule_ == rounding::total ? round_up(x) : x; };
  life_span active{all(active_at(now)), boosted_active_};
  life_span idle{round_up(idle_at(now)), boosted_idle_};
  if (counts_boost_) {
    const auto more = point_of(now).boosted - boost_counted_;
    if (is_active_)
      active.boosted += more;
    else if (is_minimum_)
      idle.boosted += more;
  }
  // The boost goes on while what a request has paid for passes, and is no idle time then.
  active.boosted = std::min(active.boosted, active.all);
  idle.boosted = std::min(idle.boosted, idle.all);
  return {charge_of(active), charge_of(idle)};
}

charge meter::instance_based(instant now) const noexcept {
  return charge_of(life_.billed(point_of(now)));
}

charge meter::life_so_far(instant now) const noexcept {
  return charge_of(life_.so_far(point_of(now)));
}

void meter::activate(instant now) noexcept {
  if (is_active_)
    return;
  count_boost(now);
  is_active_ = true;
  const auto paid = paid_until();
  if (now <= paid)
    return; // the last interval goes on: nothing is paid twice
  active_ += paid - active_since_;
  active_since_ = now;
  idle_since_ = paid;
}

void meter::go_idle(instant now) noexcept {
  count_boost(now);
  is_active_ = false;
  if (active_since_ <= idle_since_) {
    // After another minimum an interval may begin where the one before is paid for.
    idle_since_ = std::max(now, active_since_);
  } else if (active_since_ == now) {
    // It was active for no time at all, and the pause goes on.
    active_since_ = idle_since_;
  } else {
    if (is_minimum_)
      idle_ += active_since_ - idle_since_;
    idle_since_ = now;
  }
}

void meter::settle(instant now) noexcept {
  count_boost(now);
  const auto active = active_at(now);
  idle_ = idle_at(now);
  // What is paid for is neither idle time nor paid for again, whatever the instance is from now on.
  const auto next = is_active_ ? now : std::max(now, paid_until());
  active_ = active;
  active_since_ = idle_since_ = next;
}

duration meter::active_at(instant now) const noexcept {
  const auto end = is_active_ ? std::max(now, active_since_) : idle_since_;
  return active_ + rounded(end - active_since_);
}

duration meter::idle_at(instant now) const noexcept {
  if (!is_minimum_ || phase_ == phase::gone)
    return idle_;
  if (!is_active_)
    return idle_ + std::max(now - paid_until(), duration::zero());
  return idle_ + std::max(active_since_ - idle_since_, duration::zero());
}

void meter::count_boost(instant now) noexcept {
  if (!counts_boost_)
    return;
  const auto boosted = point_of(now).boosted;
  const auto more = boosted - boost_counted_;
  boost_counted_ = boosted;
  if (is_active_)
    boosted_active_ += more;
  else if (is_minimum_)
    boosted_idle_ += more;
  if (now >= boost_to_)
    counts_boost_ = false;
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

} // namespace spillover::billing
