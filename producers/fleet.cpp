#include "producers/fleet.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace spillover {

namespace {

std::uint32_t seconds_in(duration x) noexcept {
  return static_cast<std::uint32_t>(std::chrono::floor<std::chrono::seconds>(x).count());
}

} // namespace

std::vector<std::string> validate(const scale_in_config& x) {
  using namespace std::chrono_literals;
  std::vector<std::string> problems;
  if (!(x.low_utilisation > 0 && x.low_utilisation <= 1))
    problems.emplace_back("low_utilisation: must be above 0 and at most 1");
  if (x.window < 1s || x.window > 1h || x.window % 1s != 0s)
    problems.emplace_back("window: must be whole seconds within 1s..1h");
  if (x.idle_timeout <= 0s)
    problems.emplace_back("idle_timeout: must be above 0");
  if (x.drain_deadline <= 0s)
    problems.emplace_back("drain_deadline: must be above 0");
  return problems;
}

fleet::fleet(const scale_in_config& config, surplus what)
  : config_(config),
    surplus_(what),
    window_(seconds_in(config.window)),
    low_sum_(static_cast<std::uint64_t>(config.low_utilisation * 1000 * window_ + 0.5)) {
  SPILLOVER_CHECK(window_ >= 1);
}

std::uint32_t fleet::start(instant now) {
  const auto index = size();
  std::uint32_t number = 0;
  if (free_slots_.empty()) {
    number = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
    utilisation_.resize(utilisation_.size() + window_);
  } else {
    number = free_slots_.back();
    free_slots_.pop_back();
  }
  slots_[number] = {.idle_since = now};
  instances_.push_back({instance_state::starting, number});
  alive_.push_back(index);
  ++counts_.starting;
  return index;
}

fleet::change fleet::became_ready(std::uint32_t index, instant now) {
  SPILLOVER_CHECK(state(index) == instance_state::starting);
  const auto number = instances_[index].slot;
  begin_to_run(slots_[number], number, now);
  if (counts_.ready < recommended_ || surplus_ == surplus::removed)
    return pass(index, instance_state::ready, "started");
  slots_[number].group = groups_[1] <= groups_[2] ? 1 : 2;
  return pass(index, instance_state::deprioritised, "started, but not needed");
}

fleet::change fleet::crash(std::uint32_t index, instant, std::string_view reason) {
  const auto before = state(index);
  SPILLOVER_CHECK(before != instance_state::crashed && before != instance_state::stopped);
  slots_[instances_[index].slot].in_flight = 0;
  if (before != instance_state::draining)
    return pass(index, instance_state::crashed, reason);
  const auto result =
    pass(index, instance_state::stopped, reason == "crashed" ? "crashed while draining" : reason);
  forget_stopped();
  return result;
}

fleet::change fleet::restart(std::uint32_t index, instant) {
  SPILLOVER_CHECK(state(index) == instance_state::crashed);
  return pass(index, instance_state::starting, "restarted");
}

std::vector<fleet::change> fleet::recommend(std::uint32_t count, instant now) {
  recommended_ = count;
  if (surplus_ == surplus::removed)
    return remove_surplus(now);
  std::vector<change> changes;
  stop_surplus(instance_state::crashed, changes);
  const auto surplus = running() > count ? running() - count : 0;
  if (counts_.deprioritised > surplus)
    promote(counts_.deprioritised - surplus, changes);
  else if (counts_.deprioritised < surplus)
    demote(surplus - counts_.deprioritised, changes);
  return changes;
}

std::uint32_t fleet::missing() const noexcept {
  const auto members = counts_.members();
  return recommended_ > members ? recommended_ - members : 0;
}

void fleet::busy(std::uint32_t index, std::uint32_t in_flight, instant now) noexcept {
  // Requests of a stopped instance may still be counted out.
  if (state(index) == instance_state::stopped)
    return;
  auto& x = slots_[instances_[index].slot];
  if (in_flight == 0 && x.in_flight != 0)
    x.idle_since = now;
  x.in_flight = in_flight;
}

std::vector<fleet::change> fleet::observe(instant now, std::span<const std::uint32_t> utilisation) {
  std::vector<change> changes;
  for (const auto index : alive_) {
    const auto state = instances_[index].state;
    if (state != instance_state::ready && state != instance_state::deprioritised)
      continue;
    const auto number = instances_[index].slot;
    sample(slots_[number], number, index < utilisation.size() ? utilisation[index] : 0);
  }
  second_ = (second_ + 1) % window_;
  for (auto i = alive_.rbegin(); i != alive_.rend() && counts_.deprioritised > 0; ++i) {
    if (running() <= recommended_)
      break;
    const auto& x = slots_[instances_[*i].slot];
    if (instances_[*i].state != instance_state::deprioritised
        || (running() == 1 && x.in_flight > 0))
      continue;
    const auto reason = reason_to_leave(x, now);
    if (reason.empty())
      continue;
    slots_[instances_[*i].slot].drain_until = now + config_.drain_deadline;
    changes.push_back(pass(*i, instance_state::draining, reason));
  }
  return changes;
}

std::vector<fleet::change> fleet::stop_drained(instant now) {
  std::vector<change> changes;
  if (counts_.draining == 0)
    return changes;
  for (const auto index : alive_) {
    if (instances_[index].state != instance_state::draining)
      continue;
    const auto& x = slots_[instances_[index].slot];
    if (x.in_flight == 0)
      changes.push_back(pass(index, instance_state::stopped, "drained"));
    else if (now >= x.drain_until)
      changes.push_back(pass(index, instance_state::stopped, "drain deadline"));
  }
  if (!changes.empty())
    forget_stopped();
  return changes;
}

instance_state fleet::state(std::uint32_t index) const noexcept {
  SPILLOVER_CHECK(index < instances_.size());
  return instances_[index].state;
}

fleet::change fleet::pass(std::uint32_t index, instance_state after, std::string_view reason) {
  auto& x = instances_[index];
  auto& group = slots_[x.slot].group;
  const change result{index, x.state, after, reason};
  if (x.state == instance_state::deprioritised) {
    --groups_[group];
    group = 0;
  }
  --count_of(x.state);
  x.state = after;
  if (after == instance_state::deprioritised)
    ++groups_[group];
  if (after == instance_state::stopped)
    free_slots_.push_back(x.slot);
  else
    ++count_of(after);
  return result;
}

std::uint32_t& fleet::count_of(instance_state x) noexcept {
  switch (x) {
    case instance_state::starting: return counts_.starting;
    case instance_state::ready: return counts_.ready;
    case instance_state::deprioritised: return counts_.deprioritised;
    case instance_state::draining: return counts_.draining;
    default: break;
  }
  SPILLOVER_CHECK(x == instance_state::crashed);
  return counts_.crashed;
}

std::uint32_t fleet::running() const noexcept {
  return counts_.ready + counts_.deprioritised;
}

void fleet::begin_to_run(slot& x, std::uint32_t number, instant now) {
  x = {.idle_since = now};
  const auto row =
    utilisation_.begin() + static_cast<std::ptrdiff_t>(std::size_t{number} * window_);
  std::fill_n(row, window_, std::uint16_t{0});
}

void fleet::sample(slot& x, std::uint32_t number, std::uint32_t utilisation) noexcept {
  constexpr std::uint32_t most = std::numeric_limits<std::uint16_t>::max();
  auto& place = utilisation_[std::size_t{number} * window_ + second_];
  x.sum -= place;
  place = static_cast<std::uint16_t>(std::min(utilisation, most));
  x.sum += place;
  x.samples = std::min(x.samples + 1, window_);
}

std::string_view fleet::reason_to_leave(const slot& x, instant now) const noexcept {
  if (x.group == 1)
    return x.samples == window_ && x.sum < low_sum_ ? "low utilisation" : "";
  return x.in_flight == 0 && now - x.idle_since >= config_.idle_timeout ? "idle timeout" : "";
}

std::vector<fleet::change> fleet::remove_all(instant now) {
  recommended_ = 0;
  return remove_surplus(now);
}

std::vector<fleet::change> fleet::remove_surplus(instant now) {
  std::vector<change> changes;
  stop_surplus(instance_state::starting, changes);
  stop_surplus(instance_state::crashed, changes);
  for (auto i = alive_.rbegin(); i != alive_.rend() && counts_.members() > recommended_; ++i)
    if (const auto x = instances_[*i].state;
        x == instance_state::ready || x == instance_state::deprioritised) {
      slots_[instances_[*i].slot].drain_until = now + config_.drain_deadline;
      changes.push_back(pass(*i, instance_state::draining, "no longer needed"));
    }
  return changes;
}

void fleet::stop_surplus(instance_state which, std::vector<change>& changes) {
  if (count_of(which) == 0 || counts_.members() <= recommended_)
    return;
  for (auto i = alive_.rbegin(); i != alive_.rend() && counts_.members() > recommended_; ++i)
    if (instances_[*i].state == which)
      changes.push_back(pass(*i, instance_state::stopped, "no longer needed"));
  forget_stopped();
}

void fleet::promote(std::uint32_t count, std::vector<change>& changes) {
  for (auto i = alive_.begin(); count > 0; ++i)
    if (instances_[*i].state == instance_state::deprioritised) {
      changes.push_back(pass(*i, instance_state::ready, "needed again"));
      --count;
    }
}

void fleet::demote(std::uint32_t count, std::vector<change>& changes) {
  // As many of them into group 1 as make it half of all, rounded up.
  const auto half = (groups_[1] + groups_[2] + count + 1) / 2;
  auto first_group = half > groups_[1] ? half - groups_[1] : 0;
  for (auto i = alive_.rbegin(); i != alive_.rend() && count > 0; ++i) {
    if (instances_[*i].state != instance_state::ready)
      continue;
    auto& x = slots_[instances_[*i].slot];
    if (recommended_ == 0 && counts_.ready == 1 && x.in_flight > 0)
      return;
    x.group = first_group > 0 ? 1 : 2;
    first_group -= first_group > 0 ? 1 : 0;
    changes.push_back(pass(*i, instance_state::deprioritised, "more than recommended"));
    --count;
  }
}

void fleet::forget_stopped() {
  const auto stopped = [this](std::uint32_t index) {
    return instances_[index].state == instance_state::stopped;
  };
  alive_.erase(std::remove_if(alive_.begin(), alive_.end(), stopped), alive_.end());
}

} // namespace spillover
