#include "model/check.hpp"
#include "producers/service.hpp"

#include <algorithm>
#include <array>

// How a revision that is deployed takes over.

namespace spillover {

namespace {

constexpr std::uint32_t whole = 100;

std::uint32_t running(const revision& x) noexcept {
  return x.count().ready + x.count().deprioritised;
}

} // namespace

std::string_view to_string(rollout_step x) noexcept {
  constexpr std::array<std::string_view, 4> names{"deploying", "ready", "failed", "superseded"};
  return names[static_cast<std::size_t>(x)];
}

std::vector<std::string> validate(const rollout_plan& x) {
  std::vector<std::string> problems;
  if (x.steps.empty())
    problems.emplace_back("steps: must have at least one share");
  for (std::size_t i = 0; i < x.steps.size(); ++i) {
    if (x.steps[i] < 1 || x.steps[i] > whole)
      problems.push_back("steps[" + std::to_string(i) + "]: must be within 1..100");
    else if (i > 0 && x.steps[i] <= x.steps[i - 1])
      problems.push_back("steps[" + std::to_string(i) + "]: must be above the one before");
  }
  if (x.every <= duration::zero())
    problems.emplace_back("every: must be above 0s");
  if (x.deadline <= duration::zero())
    problems.emplace_back("deadline: must be above 0s");
  return problems;
}

void service::deploy(instant now, std::uint32_t number, const rollout_plan& plan,
                     service_effects& out) {
  supersede(now, out);
  const auto gradual = plan.steps != std::vector<std::uint32_t>{whole};
  const auto follows_latest =
    traffic_.empty() || std::any_of(traffic_.begin(), traffic_.end(), [](const auto& x) {
      return x.revision.empty() && x.percent > 0;
    });
  rollout_ = rollout{.number = number,
                     .plan = plan,
                     .pinned = false,
                     .moves = gradual || follows_latest,
                     .due = now + plan.deadline};
  prepare(now, out);
}

std::string service::refusal(const std::vector<traffic_target>& targets) const {
  for (const auto& x : targets) {
    if (x.revision.empty())
      continue;
    const auto number = find(x.revision);
    if (!number || !was_ready_[*number])
      return "revision " + x.revision + " was never ready";
  }
  return {};
}

void service::roll_back(instant now, std::uint32_t number, service_effects& out) {
  supersede(now, out);
  if (follows<cloud_run_config>(number) || follows<knative_kpa_config>(number)) {
    send_traffic(now, pinned_to(number), "roll back", out);
    return;
  }
  const rollout_plan plan;
  rollout_ = rollout{
    .number = number, .plan = plan, .pinned = true, .moves = true, .due = now + plan.deadline};
  prepare(now, out);
}

void service::split(instant now, const std::vector<traffic_target>& targets, service_effects& out) {
  supersede(now, out);
  send_traffic(now, targets, "split", out);
}

void service::prepare(instant now, service_effects& out) {
  auto& x = *rollout_;
  x.base = traffic_;
  if (x.base.empty())
    x.base.push_back({.percent = whole});
  for (auto& target : x.base)
    target.revision = name_of(resolve(target));
  const auto fresh = !exists(x.number);
  if (fresh)
    create(now, x.number, true);
  auto& target = at(x.number);
  const auto& config = config_.revisions[x.number].config;
  const auto knative = follows<knative_kpa_config>(x.number);
  if (wanted_[x.number]) {
    // What has traffic, or a tag, keeps what it has.
    x.needed = std::max(1U, target.recommended());
  } else if (knative && fresh) {
    // Its reconciler starts the initial scale.
    target.on_deadline(now, out.of(x.number));
    x.needed = target.recommended();
  } else {
    x.needed = std::max(1U, instances_at_start(config.autoscaling));
    if (follows<cloud_run_config>(x.number)) {
      const auto percent = x.moves ? x.plan.steps.front() : 0;
      std::vector<second_usage> load;
      for (const auto& second : carried_)
        load.push_back(share_of(second, percent));
      std::uint32_t members = 0;
      for (std::uint32_t i = 0; i < size(); ++i)
        members += wanted_[i] && i != x.number ? at(i).recommended() : 0;
      const auto wanted = target.wanted_for(now, load, members * percent / whole);
      x.needed = std::clamp(wanted, x.needed, bounds_of(config.autoscaling).max);
    }
    if (knative)
      target.set_reachable(now, true);
  }
  if (!knative || !fresh)
    target.hold(now, x.needed, "DEPLOY", out.of(x.number));
  out.rollout_stepped(x.number, rollout_step::deploying, running(target), x.needed, "");
  follow_rollout(now, out);
}

second_usage service::share_of(const second_usage& x, std::uint32_t percent) noexcept {
  auto result = x;
  result.cpu *= percent / 100.0;
  result.concurrency *= percent / 100.0;
  return result;
}

void service::follow_rollout(instant now, service_effects& out) {
  auto& x = *rollout_;
  if (x.prepared) {
    if (now >= x.due)
      take_step(now, out);
    return;
  }
  if (running(at(x.number)) >= x.needed) {
    x.prepared = true;
    was_ready_[x.number] = true;
    if (!x.pinned)
      latest_ = x.number;
    out.rollout_stepped(x.number, rollout_step::ready, running(at(x.number)), x.needed, "");
    take_step(now, out);
  } else if (now >= x.due) {
    fail_rollout(now, "too few instances at its deadline", out);
  }
}

void service::take_step(instant now, service_effects& out) {
  auto& x = *rollout_;
  at(x.number).release();
  if (!x.moves) {
    // The traffic stays pinned to others; what was started idles out, or is kept for its tag.
    const auto number = x.number;
    rollout_.reset();
    if (is_tagged(number) != wanted_[number])
      send_traffic(now, traffic_, "roll out", out); // the tag of the latest has moved
    else if (!wanted_[number])
      let_go(now, number, out);
    apply_scaling(now, out);
    return;
  }
  const auto at_once = x.plan.steps.size() == 1 && x.plan.steps.front() == whole;
  const auto percent = x.plan.steps[x.step++];
  auto targets = traffic_;
  if (x.pinned)
    targets = pinned_to(x.number);
  else if (!at_once)
    targets = mixed(percent);
  x.due = now + x.plan.every;
  if (x.step == x.plan.steps.size())
    rollout_.reset();
  send_traffic(now, std::move(targets), "roll out", out);
}

std::vector<traffic_target> service::pinned_to(std::uint32_t number) const {
  std::vector<traffic_target> result{{name_of(number), whole}};
  for (const auto& x : traffic_)
    if (!x.tag.empty())
      result.push_back(x);
  return result;
}

std::vector<traffic_target> service::mixed(std::uint32_t percent) const {
  const auto& x = *rollout_;
  if (percent == whole) {
    auto result = pinned_to(x.number);
    result.front().revision.clear(); // the latest, so that later deployments take over as well
    return result;
  }
  std::vector<std::uint32_t> others(size());
  std::uint32_t sum = 0;
  for (const auto& y : x.base)
    if (const auto number = *find(y.revision); number != x.number) {
      others[number] += y.percent;
      sum += y.percent;
    }
  // What it had itself is given up first, so that the others share all the rest.
  std::vector<traffic_target> result{{name_of(x.number), sum == 0 ? whole : percent}};
  if (sum > 0) {
    const auto parts = divide_by_weights(whole - percent, others);
    for (std::uint32_t i = 0; i < size(); ++i)
      if (parts[i] > 0)
        result.push_back({name_of(i), parts[i]});
  }
  for (const auto& y : traffic_)
    if (!y.tag.empty())
      result.push_back(y);
  return result;
}

void service::supersede(instant now, service_effects& out) {
  if (!rollout_)
    return;
  const auto number = rollout_->number;
  const auto needed = rollout_->needed;
  const auto prepared = rollout_->prepared;
  rollout_.reset();
  out.rollout_stepped(number, rollout_step::superseded, running(at(number)), needed, "");
  if (wanted_[number])
    at(number).release();
  else if (!prepared)
    at(number).abandon(now, "SUPERSEDED", out.of(number));
  apply_scaling(now, out);
}

void service::on_start_failed(instant now, std::uint32_t number, service_effects& out) {
  // Kubernetes tries again until the deadline.
  if (is_preparing(number) && follows<cloud_run_config>(number))
    fail_rollout(now, "an instance failed to start", out);
}

void service::fail_rollout(instant now, std::string_view why, service_effects& out) {
  const auto number = rollout_->number;
  const auto needed = rollout_->needed;
  rollout_.reset();
  out.rollout_stepped(number, rollout_step::failed, running(at(number)), needed, why);
  if (wanted_[number])
    at(number).release();
  else
    at(number).abandon(now, "FAILED", out.of(number));
  apply_scaling(now, out);
}

} // namespace spillover
