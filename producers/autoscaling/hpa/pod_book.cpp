#include "producers/autoscaling/hpa/pod_book.hpp"

#include "model/check.hpp"
#include "producers/thousandths.hpp"

#include <algorithm>
#include <utility>

namespace spillover::hpa {

namespace {

constexpr std::size_t place_of(quantity x) noexcept {
  return static_cast<std::size_t>(x);
}

double used(const instance_usage& x, quantity what) noexcept {
  switch (what) {
    case quantity::cpu: return x.cpu;
    case quantity::concurrency: return x.concurrency;
    case quantity::requests: break;
  }
  return x.requests;
}

bool of_all(const metric_spec& x) noexcept {
  return x.source == metric_source::object || x.source == metric_source::external;
}

void insert(std::vector<quantity>& to, quantity x) {
  if (std::find(to.begin(), to.end(), x) == to.end())
    to.push_back(x);
}

} // namespace

std::optional<quantity> quantity_of(const metric_spec& x) noexcept {
  if (x.source == metric_source::resource)
    return x.name == "cpu" ? std::optional{quantity::cpu} : std::nullopt;
  if (x.name == "concurrency")
    return quantity::concurrency;
  return x.name == "requests_per_second" ? std::optional{quantity::requests} : std::nullopt;
}

pod_book::pod_book(settings x, std::int64_t request)
  : settings_(std::move(x)),
    request_(request),
    window_(static_cast<std::int32_t>(settings_.metrics_resolution / std::chrono::seconds{1})),
    readings_(settings_.metrics.size()) {
  SPILLOVER_CHECK(request > 0);
  for (const auto& metric : settings_.metrics)
    insert(of_all(metric) ? of_all_ : of_pods_, *quantity_of(metric));
}

void pod_book::observe(instant ended, std::span<const instance_usage> pods) {
  observed_ = ended;
  measures_ = ended.time_since_epoch() % settings_.metrics_resolution == duration::zero();
  if (measures_)
    measured_ = ended;
  next_initialized_ = never;
  auto next = pods.begin();
  std::size_t kept = 0;
  for (auto& pod : pods_) {
    if (next == pods.end() || next->index != pod.index) {
      count(pod, -1);
      continue;
    }
    if (&pod != &pods_[kept])
      pods_[kept] = pod;
    meet(pods_[kept++], *next++);
  }
  pods_.erase(pods_.begin() + static_cast<std::ptrdiff_t>(kept), pods_.end());
  for (; next != pods.end(); ++next)
    add(*next);
  if (!of_all_.empty())
    sum_up(pods);
}

void pod_book::add(const instance_usage& x) {
  SPILLOVER_CHECK(pods_.empty() || pods_.back().index < x.index);
  auto& pod = pods_.emplace_back();
  pod.index = x.index;
  pod.started = x.started;
  pod.initialized = x.started + settings_.cpu_initialization_period;
  use(pod, x);
  renew(pod, x);
}

void pod_book::meet(known_pod& pod, const instance_usage& x) {
  use(pod, x);
  // Whose time has passed could wait for `seen`; here it costs a decision nothing.
  if (measures_ || pod.state != x.state || pod.ready_changed != x.ready_changed
      || pod.initialized <= observed_) {
    count(pod, -1);
    renew(pod, x);
  } else {
    next_initialized_ = std::min(next_initialized_, pod.initialized);
  }
}

void pod_book::use(known_pod& pod, const instance_usage& x) {
  for (const auto what : of_pods_)
    pod.meters[place_of(what)].add(thousandths(used(x, what)));
}

void pod_book::renew(known_pod& pod, const instance_usage& x) {
  if (measures_)
    for (const auto what : of_pods_)
      pod.meters[place_of(what)].measure(window_);
  pod.state = x.state;
  pod.ready = x.state == instance_state::ready && x.passes_readiness;
  pod.ready_changed = x.ready_changed;
  pod.served = pod.served || x.state == instance_state::ready;
  judge(pod, observed_);
  count(pod, 1);
}

void pod_book::judge(known_pod& known, instant now) noexcept {
  // Until its cold start is over it waits for its node and its image; a crashed one is restarted in
  // place.
  const auto waits = known.state == instance_state::starting && !known.served;
  const pod is{.phase = waits ? pod_phase::pending : pod_phase::running,
               .terminating = known.state == instance_state::draining,
               .started = known.started,
               .ready = known.ready,
               .ready_changed = known.ready_changed};
  // It was there for a window or not, whatever is measured.
  const auto missing =
    of_pods_.empty() || !known.meters[place_of(of_pods_.front())].value().has_value();
  const pod_sample sample{
    .missing = missing, .at = measured_, .window = settings_.metrics_resolution};
  known.uses = {use_of(now, settings_, false, is, sample),
                use_of(now, settings_, true, is, sample)};
  if (known.initialized <= now)
    known.initialized = never;
  next_initialized_ = std::min(next_initialized_, known.initialized);
}

void pod_book::count(const known_pod& pod, std::int32_t sign) noexcept {
  ready_ += pod.ready ? sign : 0;
  for (std::size_t cpu = 0; cpu < counts_.size(); ++cpu)
    counts_[cpu][static_cast<std::size_t>(pod.uses[cpu])] += sign;
  for (const auto what : of_pods_)
    if (pod.uses[what == quantity::cpu ? 1 : 0] == pod_use::counted)
      usages_[place_of(what)] += wide{pod.meters[place_of(what)].value().value_or(0)} * sign;
}

void pod_book::sum_up(std::span<const instance_usage> pods) {
  for (const auto what : of_all_) {
    double sum = 0;
    for (const auto& x : pods)
      sum += used(x, what);
    auto& total = totals_[place_of(what)];
    total.add(thousandths(sum));
    if (measures_)
      total.measure(window_);
  }
}

pod_tally pod_book::tally_of(const metric_spec& metric) const noexcept {
  const auto cpu = is_cpu(metric);
  const auto& counts = counts_[cpu ? 1 : 0];
  const auto share = [&](pod_use x, wide usage) {
    const auto pods = counts[static_cast<std::size_t>(x)];
    return pod_share{pods, usage, wide{pods} * (cpu ? request_ : 0)};
  };
  const auto assumed = assumed_usage(settings_, metric, request_);
  pod_tally result{
    .counted = share(pod_use::counted, usages_[place_of(*quantity_of(metric))]),
    .unready = share(pod_use::unready, 0),
    .missing = share(pod_use::missing, 0),
    .ignored = counts[static_cast<std::size_t>(pod_use::ignored)],
    .all_request = cpu || pods_.empty(),
  };
  result.missing.usage = result.missing.pods * assumed;
  return result;
}

snapshot pod_book::seen(instant now, std::int32_t spec) {
  SPILLOVER_CHECK(now >= observed_);
  if (next_initialized_ <= now) {
    next_initialized_ = never;
    for (auto& pod : pods_) {
      if (pod.initialized <= now) {
        count(pod, -1);
        judge(pod, now);
        count(pod, 1);
      }
      next_initialized_ = std::min(next_initialized_, pod.initialized);
    }
  }
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    const auto& metric = settings_.metrics[i];
    if (of_all(metric)) {
      const auto value = totals_[place_of(*quantity_of(metric))].value();
      readings_[i] = {.available = value.has_value(), .value = value.value_or(0)};
    } else {
      readings_[i] = {.pods = tally_of(metric)};
    }
  }
  // Those that crashed count, until Kubernetes has restarted them.
  const auto pods = static_cast<std::int32_t>(pods_.size());
  const auto terminating = counts_[0][static_cast<std::size_t>(pod_use::ignored)];
  return {spec, pods - terminating, pods, ready_, readings_};
}

} // namespace spillover::hpa
