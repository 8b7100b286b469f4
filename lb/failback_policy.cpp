#include "lb/failback_policy.hpp"

#include "model/check.hpp"

#include <algorithm>

namespace spillover {

namespace {

// In seconds, cut to milliseconds: nobody asks for the nanosecond.
std::string moment_text(instant x) {
  const auto milli = (x - run_start) / std::chrono::milliseconds{1};
  auto result = std::to_string(milli / 1000);
  if (milli % 1000 != 0) {
    result.append(".").append(std::to_string(1000 + milli % 1000), 1);
    result.resize(result.find_last_not_of('0') + 1);
  }
  return result + "s";
}

} // namespace

std::vector<std::string> validate(const failback_config& x) {
  using namespace std::chrono_literals;
  std::vector<std::string> problems;
  if (x.back_span < 1ms || x.back_span > 86'400s)
    problems.emplace_back("failback: the time must be from 1ms to 86400s");
  if (x.leave_span < 1ms || x.leave_span > 86'400s)
    problems.emplace_back("failover: the time must be from 1ms to 86400s");
  if (x.steps < 1 || x.steps > 100)
    problems.emplace_back("failback: steps must be from 1 to 100");
  return problems;
}

failback_policy::failback_policy(const failback_config& config, std::uint32_t regions)
  : config_(config), regions_(regions), automatic_(config.leave != failover_mode::manual) {
  refresh();
}

void failback_policy::set(instant now, std::uint32_t region, health state) {
  SPILLOVER_CHECK(region < regions_.size());
  changes_.clear();
  auto& x = regions_[region];
  x.state = state;
  if (state != health::unknown) {
    x.healthy = state == health::healthy;
    weigh(now, region);
  }
  refresh();
}

void failback_policy::set_ejected(std::uint32_t region, bool ejected) {
  SPILLOVER_CHECK(region < regions_.size());
  changes_.clear();
  regions_[region].ejected = ejected;
  refresh();
}

void failback_policy::on_time(instant now) {
  changes_.clear();
  for (std::uint32_t i = 0; i < regions_.size(); ++i) {
    auto& x = regions_[i];
    if (x.due <= now) {
      x.due = never;
      if (x.used)
        leave(i);
      else
        come_back(i);
    }
    if (x.since != never)
      take_step(now, i);
  }
  refresh();
}

instant failback_policy::next() const noexcept {
  auto result = never;
  for (const auto& x : regions_)
    result = std::min(result, next_of(x));
  return result;
}

void failback_policy::set_automatic(instant now, bool on) {
  changes_.clear();
  automatic_ = on;
  for (std::uint32_t i = 0; i < regions_.size(); ++i) {
    regions_[i].due = never;
    if (on)
      weigh(now, i);
  }
  refresh();
}

void failback_policy::fail_over(instant, std::uint32_t region) {
  SPILLOVER_CHECK(region < regions_.size());
  changes_.clear();
  auto& x = regions_[region];
  x.drained = true;
  x.due = x.since = never;
  x.used = false;
  x.share = 100;
  changes_.push_back(region);
  refresh();
}

bool failback_policy::fail_back(instant now, std::uint32_t region) {
  SPILLOVER_CHECK(region < regions_.size());
  changes_.clear();
  auto& x = regions_[region];
  x.drained = false;
  const auto stays = x.healthy || !automatic_;
  if (stays) {
    x.due = x.since = never;
    x.used = true;
    x.share = 100;
    changes_.push_back(region);
  } else {
    weigh(now, region);
  }
  refresh();
  return stays;
}

health failback_policy::shown(std::uint32_t region) const noexcept {
  const auto& x = regions_[region];
  if (relaxed_ && x.healthy && !x.drained)
    return x.state;
  if (!x.used || x.share == 0)
    return health::unhealthy;
  return x.healthy ? x.state : health::healthy;
}

std::uint32_t failback_policy::share(std::uint32_t region) const noexcept {
  return relaxed_ ? 100 : regions_[region].share;
}

std::string failback_policy::remark(std::uint32_t region) const {
  const auto& x = regions_[region];
  const auto until = x.due == never ? std::string{} : " until " + moment_text(x.due);
  if (x.drained)
    return "drained";
  if (x.used && !x.healthy)
    return "kept" + until;
  if (x.used)
    // A share above 0 is in the route.
    return x.share == 0 ? std::string{"0%"} + (relaxed_ ? ", used all the same" : "") : "";
  if (!x.healthy)
    return {};
  return (x.due == never ? "waits" : "held" + until) + (relaxed_ ? ", used all the same" : "");
}

// A region's state, or who decides about it, changed.
void failback_policy::weigh(instant now, std::uint32_t region) {
  auto& x = regions_[region];
  if (!automatic_ || x.drained)
    return;
  if (x.healthy && !x.used) {
    if (x.due == never)
      begin_return(now, region);
  } else if (x.healthy || !x.used) {
    if (x.due != never)
      changes_.push_back(region);
    x.due = never;
  } else if (config_.leave != failover_mode::after || x.since != never) {
    // A share that is still growing is not held: the region was on trial.
    leave(region);
  } else if (x.due == never) {
    x.due = now + config_.leave_span;
    changes_.push_back(region);
  }
}

void failback_policy::leave(std::uint32_t region) {
  auto& x = regions_[region];
  note_unless_plain(region);
  x.used = false;
  x.since = never;
  x.share = 100;
}

void failback_policy::begin_return(instant now, std::uint32_t region) {
  auto& x = regions_[region];
  switch (config_.back) {
    case failback_mode::immediate: come_back(region); return;
    case failback_mode::manual: changes_.push_back(region); return;
    case failback_mode::after:
      x.due = now + config_.back_span;
      changes_.push_back(region);
      return;
    case failback_mode::over: break;
  }
  x.used = true;
  x.since = now;
  x.step = 0;
  x.share = 0;
  changes_.push_back(region);
}

void failback_policy::come_back(std::uint32_t region) {
  auto& x = regions_[region];
  x.used = true;
  x.share = 100;
  x.since = never;
  note_unless_plain(region);
}

void failback_policy::take_step(instant now, std::uint32_t region) {
  auto& x = regions_[region];
  const auto before = x.step;
  while (x.step < config_.steps && next_of(x) <= now)
    ++x.step;
  if (x.step == before)
    return;
  if (x.step == config_.steps) {
    come_back(region);
    return;
  }
  x.share = share_at(x.step);
  changes_.push_back(region);
}

instant failback_policy::next_of(const region_state& x) const noexcept {
  if (x.since == never)
    return x.due;
  // Split, so that a span of a day times 100 steps stays far from the ends of the type.
  const auto whole = config_.back_span / config_.steps;
  const auto rest = config_.back_span % config_.steps;
  const auto n = static_cast<duration::rep>(x.step) + 1;
  return x.since + whole * n + rest * n / config_.steps;
}

std::uint32_t failback_policy::share_at(std::uint32_t step) const noexcept {
  return 100 * step / config_.steps;
}

void failback_policy::note_unless_plain(std::uint32_t region) {
  // With the defaults a region is left and comes back as the router would have it: nothing to tell.
  if (config_.back != failback_mode::immediate || config_.leave != failover_mode::automatic)
    changes_.push_back(region);
}

void failback_policy::refresh() {
  // What is used although UNHEALTHY is held or kept by hand: that counts as well.
  relaxed_ = std::none_of(regions_.begin(), regions_.end(), [](const region_state& x) {
    return x.used && x.share > 0 && !x.ejected;
  });
  ramping_ = !relaxed_ && std::any_of(regions_.begin(), regions_.end(), [](const region_state& x) {
    return x.used && x.share > 0 && x.share < 100;
  });
}

} // namespace spillover
