#include "producers/billing/tally.hpp"

#include "model/check.hpp"

#include <algorithm>

namespace spillover::billing {

namespace {

bool runs(instance_state x) noexcept {
  return x == instance_state::ready || x == instance_state::deprioritised;
}

std::uint64_t thousandths(std::chrono::microseconds x) noexcept {
  return static_cast<std::uint64_t>(x.count() / 1000);
}

void add(bill& to, const meter& x, instant now) noexcept {
  const auto requests = x.request_based(now);
  to.active += requests.active;
  to.idle_minimum += requests.idle_minimum;
  to.life += x.instance_based(now);
}

} // namespace

charges& charges::operator+=(const charge& x) noexcept {
  using std::chrono::microseconds;
  time += std::chrono::floor<microseconds>(x.time);
  vcpu_time += std::chrono::floor<microseconds>(x.vcpu_time);
  return *this;
}

void tally::change(instant now, const fleet::change& x) {
  end_crashed(now);
  if (x.index == meters_.size()) {
    meters_.push_back(fresh_);
    alive_.push_back(x.index);
  }
  auto& own = meters_[x.index];
  switch (x.after) {
    case instance_state::starting:
      forget_crash(x.index);
      own.starting(now);
      break;
    case instance_state::ready:
    case instance_state::deprioritised:
      if (x.before == instance_state::starting)
        own.ready(now);
      break;
    case instance_state::draining: own.shutting_down(now); break;
    case instance_state::crashed: crashed_.push_back({x.index, now}); break;
    case instance_state::stopped:
      if (x.before != instance_state::crashed || forget_crash(x.index))
        own.stopped(now);
      break;
  }
  if (runs(x.after) && !runs(x.before))
    begin_to_run(now, x.index);
  else if (runs(x.before) && !runs(x.after))
    end_to_run(now, x.index);
  if (x.after == instance_state::stopped) {
    add(departed_, own, now);
    std::erase(alive_, x.index);
  }
}

void tally::warm(instant now, std::uint32_t index) {
  meters_[index] = fresh_;
  meters_[index].warm(now);
  begin_to_run(now, index);
}

void tally::keep(instant now, std::uint32_t minimum) {
  const auto kept = [this](std::uint32_t least) {
    return running_.begin()
           + static_cast<std::ptrdiff_t>(std::min<std::size_t>(least, running_.size()));
  };
  const auto set = [&](auto from, auto to, bool to_what) {
    for (; from < to; ++from)
      meters_[*from].keep_as_minimum(now, to_what);
  };
  set(kept(minimum_), kept(minimum), true);
  set(kept(minimum), kept(minimum_), false);
  minimum_ = minimum;
}

second_cost tally::take_second(instant now) {
  end_crashed(now);
  bill sum = departed_;
  for (const auto index : alive_) {
    const auto& x = meters_[index];
    if (config_.how == mode::instance_based) {
      sum.life += x.life_so_far(now);
      continue;
    }
    const auto requests = x.request_based(now);
    sum.active += requests.active;
    sum.idle_minimum += requests.idle_minimum;
  }
  const auto before = taken_;
  taken_ =
    config_.how == mode::instance_based
      ? second_cost{thousandths(sum.life.vcpu_time), 0}
      : second_cost{thousandths(sum.active.vcpu_time), thousandths(sum.idle_minimum.vcpu_time)};
  SPILLOVER_CHECK(taken_.full >= before.full && taken_.idle_minimum >= before.idle_minimum);
  return {taken_.full - before.full, taken_.idle_minimum - before.idle_minimum};
}

bill tally::total(instant now) {
  end_crashed(now);
  auto sum = departed_;
  for (const auto index : alive_)
    add(sum, meters_[index], now);
  sum.instances = static_cast<std::uint32_t>(meters_.size());
  return sum;
}

void tally::end_crashed(instant now) {
  // Whoever starts again at once does so in the same instant.
  std::erase_if(crashed_, [&](const crash& x) {
    if (x.at == now)
      return false;
    meters_[x.index].stopped(x.at);
    return true;
  });
}

bool tally::forget_crash(std::uint32_t index) {
  return std::erase_if(crashed_, [index](const crash& x) { return x.index == index; }) > 0;
}

void tally::begin_to_run(instant now, std::uint32_t index) {
  const auto place = std::lower_bound(running_.begin(), running_.end(), index);
  const auto before = static_cast<std::size_t>(place - running_.begin());
  running_.insert(place, index);
  if (before >= minimum_)
    return;
  meters_[index].keep_as_minimum(now, true);
  if (running_.size() > minimum_)
    meters_[running_[minimum_]].keep_as_minimum(now, false);
}

void tally::end_to_run(instant now, std::uint32_t index) {
  const auto place = std::lower_bound(running_.begin(), running_.end(), index);
  const auto before = static_cast<std::size_t>(place - running_.begin());
  running_.erase(place);
  if (before >= minimum_)
    return;
  meters_[index].keep_as_minimum(now, false);
  if (running_.size() >= minimum_)
    meters_[running_[minimum_ - 1]].keep_as_minimum(now, true);
}

} // namespace spillover::billing
