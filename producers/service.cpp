#include "producers/service.hpp"

#include "model/check.hpp"

#include <algorithm>

namespace spillover {

namespace {

constexpr std::uint32_t whole = 100;
constexpr std::uint32_t most_instances = 10'000;

// What serves is remembered as long as the longest window of a policy that takes over its load.
constexpr std::size_t remembered_seconds = 600;

bool is_within(const std::optional<std::uint32_t>& x, std::uint32_t least) noexcept {
  return !x || (*x >= least && *x <= most_instances);
}

void add(revision_sample& sum, const revision_sample& x) noexcept {
  sum.arrivals += x.arrivals;
  sum.completions += x.completions;
  sum.failures += x.failures;
  sum.queue += x.queue;
  sum.queue_peak += x.queue_peak;
  sum.concurrency_milli += x.concurrency_milli;
  sum.cpu_milli += x.cpu_milli;
  sum.recommended += x.recommended;
  sum.starting += x.starting;
  sum.ready += x.ready;
  sum.deprioritised += x.deprioritised;
  sum.draining += x.draining;
  sum.crashed += x.crashed;
  sum.billed_milli += x.billed_milli;
  sum.billed_idle_milli += x.billed_idle_milli;
}

void add(books& sum, const books& x) noexcept {
  sum.taken += x.taken;
  sum.late += x.late;
  for (std::size_t i = 0; i < outcome_count; ++i)
    sum.ended[i] += x.ended[i];
}

bool is_set(const service_scaling& x) noexcept {
  return x.min_instances || x.max_instances || x.manual_instances;
}

} // namespace

std::vector<std::string> validate(const service_scaling& x) {
  std::vector<std::string> problems;
  if (!is_within(x.min_instances, 0))
    problems.emplace_back("min_instances: must be within 0..10000");
  if (!is_within(x.max_instances, 1))
    problems.emplace_back("max_instances: must be within 1..10000");
  if (!is_within(x.manual_instances, 1))
    problems.emplace_back("manual_instances: must be within 1..10000");
  if (x.manual_instances && (x.min_instances || x.max_instances))
    problems.emplace_back(
      "manual_instances: stands beside bounds for the autoscaler, which it turns "
      "off; leave one of them out");
  if (x.min_instances && x.max_instances && *x.min_instances > *x.max_instances)
    problems.emplace_back("min_instances: must be at most max_instances");
  return problems;
}

service_scaling scaled(const service_scaling& x, const service_scaling& order) noexcept {
  if (order.manual_instances)
    return {.manual_instances = order.manual_instances};
  if (!is_set(order))
    return x;
  return {.min_instances = order.min_instances ? order.min_instances : x.min_instances,
          .max_instances = order.max_instances ? order.max_instances : x.max_instances};
}

service::service(const service_config& config)
  : config_(config),
    revisions_(config.revisions.size()),
    wanted_(config.revisions.size(), false),
    was_ready_(config.revisions.size(), false),
    traffic_(config.traffic),
    random_(config.seed, config.path + "/split") {
  SPILLOVER_CHECK(!config.revisions.empty());
  std::vector<std::uint32_t> there;
  for (std::uint32_t i = 0; i < size(); ++i)
    if (std::any_of(traffic_.begin(), traffic_.end(),
                    [&](const auto& x) { return x.revision == name_of(i); }))
      there.push_back(i);
  if (there.empty())
    there.push_back(0);
  latest_ = there.back();
  for (const auto i : there) {
    was_ready_[i] = true;
    create(run_start, i, false);
  }
  route();
  const auto by_revision = shares();
  for (const auto i : there)
    wanted_[i] = by_revision[i] > 0 || is_tagged(i);
}

void service::create(instant now, std::uint32_t number, bool fresh) {
  auto config = config_.revisions[number].config;
  config.number = number;
  config.began = now;
  if (auto* knative = std::get_if<knative_kpa_config>(&config.autoscaling); knative && fresh)
    knative->deployed_at_start = true;
  revisions_[number] = std::make_unique<revision>(config, pool_);
}

std::vector<std::uint32_t> service::initial_counts() const {
  std::vector<std::uint32_t> result(size());
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (!exists(i))
      continue;
    const auto within = bounds_now(i);
    result[i] = follows<cloud_run_config>(i)
                  ? within.by_hand.value_or(within.least)
                  : instances_at_start(config_.revisions[i].config.autoscaling);
  }
  return result;
}

void service::begin(instant now, service_effects& out) {
  const auto counts = initial_counts();
  for (std::uint32_t i = 0; i < size(); ++i)
    if (exists(i))
      at(i).begin(now, counts[i], out.of(i));
  apply_scaling(now, out);
  if (size() > 1)
    tell_traffic("begin", out);
}

std::optional<std::uint32_t> service::find(std::string_view name) const noexcept {
  for (std::uint32_t i = 0; i < size(); ++i)
    if (name_of(i) == name)
      return i;
  return std::nullopt;
}

std::uint32_t service::resolve(const traffic_target& x) const noexcept {
  return x.revision.empty() ? latest_ : find(x.revision).value_or(latest_);
}

std::optional<std::uint32_t> service::tagged(std::string_view tag) const noexcept {
  const auto found = find_tag(traffic_, tag);
  if (!found)
    return std::nullopt;
  return resolve(traffic_[*found]);
}

bool service::is_tagged(std::uint32_t number) const noexcept {
  return std::any_of(traffic_.begin(), traffic_.end(),
                     [&](const auto& x) { return !x.tag.empty() && resolve(x) == number; });
}

std::vector<std::uint32_t> service::shares() const {
  std::vector<std::uint32_t> result(size());
  for (const auto& x : traffic_)
    result[resolve(x)] += x.percent;
  if (traffic_.empty())
    result[latest_] = whole;
  return result;
}

void service::route() {
  const auto by_revision = shares();
  const auto all = std::find(by_revision.begin(), by_revision.end(), whole);
  only_.reset();
  splitter_.reset();
  if (all != by_revision.end()) {
    only_ = static_cast<std::uint32_t>(all - by_revision.begin());
    return;
  }
  splitter_.emplace(by_revision);
}

void service::refuse() noexcept {
  refused_.take();
  refused_.end(outcome::unavailable);
}

void service::send_traffic(instant now, std::vector<traffic_target> targets, std::string_view why,
                           service_effects& out) {
  traffic_ = std::move(targets);
  route();
  tell_traffic(why, out);
  const auto by_revision = shares();
  for (std::uint32_t i = 0; i < size(); ++i) {
    const auto wanted = by_revision[i] > 0 || is_tagged(i);
    if (wanted == wanted_[i])
      continue;
    wanted_[i] = wanted;
    if (wanted)
      take_up(now, i, out);
    else if (!is_preparing(i))
      let_go(now, i, out);
  }
  apply_scaling(now, out);
}

void service::tell_traffic(std::string_view why, service_effects& out) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_revision;
  const auto percents = shares();
  for (std::uint32_t i = 0; i < size(); ++i)
    if (percents[i] > 0)
      by_revision.emplace_back(i, percents[i]);
  std::vector<std::pair<std::string, std::uint32_t>> tags;
  for (const auto& x : traffic_)
    if (!x.tag.empty())
      tags.emplace_back(x.tag, resolve(x));
  out.traffic_changed(by_revision, tags, why);
}

void service::let_go(instant now, std::uint32_t number, service_effects& out) {
  auto& x = *revisions_[number];
  if (follows<knative_kpa_config>(number))
    x.set_reachable(now, false);
  else if (!follows<cloud_run_config>(number))
    x.abandon(now, "RETIRED", out.of(number));
  // Without its minimum one of Cloud Run's idles out by itself: see `apply_scaling`.
}

void service::take_up(instant now, std::uint32_t number, service_effects& out) {
  auto& x = *revisions_[number];
  const auto& config = config_.revisions[number].config;
  x.release();
  if (follows<knative_kpa_config>(number))
    x.set_reachable(now, true);
  else if (!follows<cloud_run_config>(number) && x.recommended() == 0) {
    x.hold(now, std::max(1U, instances_at_start(config.autoscaling)), "TAKEN_UP", out.of(number));
    x.release();
  }
}

service::bounds service::bounds_now(std::uint32_t number) const {
  const auto within = bounds_of(config_.revisions[number].config.autoscaling);
  const auto percents = shares();
  const auto share = [&](std::uint32_t count) {
    return divide_by_traffic(count, percents)[number];
  };
  bounds result{wanted_[number] ? within.min : 0, within.max, std::nullopt};
  const auto& all = config_.scaling;
  if (all.min_instances)
    result.least = std::max(result.least, share(*all.min_instances));
  // One that is only tagged is not counted.
  if (all.max_instances && percents[number] > 0)
    result.most = std::min(result.most, std::max(1U, share(*all.max_instances)));
  result.least = std::min(result.least, result.most);
  // Without an autoscaler nobody would start the first instance for what has requests.
  if (all.manual_instances)
    result.by_hand = std::max(share(*all.manual_instances), wanted_[number] ? 1U : 0U);
  return result;
}

void service::apply_scaling(instant now, service_effects& out) {
  // One revision alone keeps the bounds of its settings.
  if (size() == 1 && !is_set(config_.scaling))
    return;
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (!exists(i) || is_preparing(i) || !follows<cloud_run_config>(i))
      continue;
    const auto within = bounds_now(i);
    if (within.by_hand) {
      at(i).hold(now, *within.by_hand, "MANUAL", out.of(i));
      continue;
    }
    if (wanted_[i])
      at(i).release();
    at(i).set_bounds(now, {within.least, within.most}, out.of(i));
  }
}

void service::scale(instant now, const service_scaling& x, service_effects& out) {
  config_.scaling = scaled(config_.scaling, x);
  apply_scaling(now, out);
}

void service::lay_quota(std::uint32_t fault, const quota_fault& what) {
  pool_.quota.lay(fault, what);
  for (auto& x : revisions_)
    if (x)
      x->forget_denials();
}

void service::take_off_quota(std::uint32_t fault) {
  pool_.quota.take_off(fault);
  for (auto& x : revisions_)
    if (x)
      x->forget_denials();
}

revision_sample service::on_second(instant now, service_effects& out) {
  if (size() == 1) {
    const auto only = revisions_[0]->on_second(now, out.of(0));
    if (!name_of(0).empty())
      out.sampled(0, only);
    return only;
  }
  revision_sample sum;
  second_usage serving{.ended = now};
  const auto percents = shares();
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (!exists(i))
      continue;
    std::optional<second_usage> carried;
    if (is_preparing(i) && rollout_->moves && !carried_.empty())
      carried = share_of(carried_.back(), rollout_->plan.steps.front());
    const auto x = at(i).on_second(now, out.of(i), carried ? &*carried : nullptr);
    out.sampled(i, x);
    add(sum, x);
    if (percents[i] > 0) {
      serving.cpu += at(i).used().cpu;
      serving.concurrency += at(i).used().concurrency;
    }
  }
  carried_.push_back(serving);
  if (carried_.size() > remembered_seconds)
    carried_.pop_front();
  follow(now, out);
  return sum;
}

void service::on_deadline(instant now, service_effects& out) {
  for (std::uint32_t i = 0; i < size(); ++i)
    if (exists(i) && at(i).next_deadline() <= now)
      at(i).on_deadline(now, out.of(i));
  follow(now, out);
}

instant service::next_deadline() const noexcept {
  if (size() == 1 && !rollout_)
    return revisions_[0]->next_deadline();
  auto result = rollout_ ? rollout_->due : never;
  for (const auto& x : revisions_)
    if (x)
      result = std::min(result, x->next_deadline());
  return result;
}

books service::requests() const noexcept {
  auto sum = refused_;
  for (const auto& x : revisions_)
    if (x)
      add(sum, x->requests());
  return sum;
}

} // namespace spillover
