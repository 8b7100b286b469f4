#include "producers/affliction_book.hpp"
#include "producers/health/detection_time.hpp"
#include "scenario/lint_checks.hpp"
#include "scenario/plan.hpp"

#include <algorithm>
#include <set>
#include <variant>

namespace spillover {

namespace {

// From a failure to the verdict of one endpoint, and on to the route of consumers.
struct time_bounds {
  duration best{};
  duration worst{};
  // E.g. "interval 5s x 2, timeout 5s".
  std::string how;
};

// What every probe of an endpoint meets because of a fault; nothing when it may succeed.
struct met_by {
  const health_check_config& check;

  using result = std::optional<probe_result>;

  result operator()(const instance_fault& x) const {
    // Endpoints that are there before the fault do not start.
    if (bearing_of(x.suffer) != probe_bearing::whole || is_of_starts(x.suffer.become))
      return std::nullopt;
    const auto connects = check.protocol == probe_protocol::tcp;
    switch (x.suffer.become) {
      case ailment::silent: return probe_result::silent;
      case ailment::hung: return connects ? result{} : probe_result::silent;
      case ailment::failing: return connects ? result{} : probe_result::failed;
      default: return probe_result::refused;
    }
  }
  result operator()(const zone_fault& x) const { return of(x.become); }
  result operator()(const region_fault& x) const { return of(x.become); }
  result operator()(const prober_fault& x) const {
    return x.become == prober_ailment::cut_off && !x.count ? result{probe_result::silent}
                                                           : std::nullopt;
  }
  template <class Other>
  result operator()(const Other&) const {
    return std::nullopt;
  }

  static probe_result of(ailment x) {
    return x == ailment::crashed ? probe_result::refused : probe_result::silent;
  }
};

// Whether a probe can fail because of a fault.
struct is_met {
  bool operator()(const instance_fault& x) const {
    return bearing_of(x.suffer) != probe_bearing::none;
  }
  bool operator()(const zone_fault&) const { return true; }
  bool operator()(const region_fault&) const { return true; }
  bool operator()(const prober_fault& x) const { return x.become == prober_ailment::cut_off; }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

// Whether a fault takes enough endpoints of a source to turn it, as far as the start tells.
bool turns(const fault& x, const source_in_region& at) {
  const auto* instances = std::get_if<instance_fault>(&x.what);
  if (instances == nullptr)
    return !std::holds_alternative<zone_fault>(x.what)
           && (!std::holds_alternative<prober_fault>(x.what) || target_of(x) == at.path());
  if (instances->of != at.path())
    return false;
  const auto total = initial_instances(at.backend);
  const auto hit = victims_among(*instances, total);
  return aggregate(at.source.policy, total - hit, total) != health::healthy;
}

// The slowest way of the state to a consumer of a service, at best and at worst.
std::pair<duration, duration> health_latency(const scenario& x, const source_in_region& at) {
  std::set<std::string_view> listeners;
  for (const auto& consumer : x.consumers)
    if (consumer.service == at.published.service)
      listeners.insert(consumer.name);
  std::pair<duration, duration> result{};
  for (const auto& link : x.links) {
    if (link.from != at.published.region || !listeners.contains(link.to))
      continue;
    const auto& config = link.planes[static_cast<std::size_t>(plane::health)];
    result.first = std::max(result.first, config.latency);
    result.second = std::max(result.second, config.latency + config.jitter);
  }
  return result;
}

// B-39 for the endpoint, whose bounds hold for any number of probers and endpoints (B-40, B-41), then
// B-23 up to the route (B-42).
time_bounds bounds_of_source(const scenario& x, const source_in_region& at, probe_result met) {
  const auto& check = at.backend.health_check;
  const auto& delays = at.composite.propagation;
  const auto detection = endpoint_detection(check, met);
  const auto way = health_latency(x, at);
  time_bounds result;
  result.best = detection.least + delays.propagation + way.first + delays.apply;
  result.worst = detection.most + delays.aggregation_tick + delays.propagation
                 + delays.propagation_jitter + way.second + delays.apply;
  const auto decides = check.error_decides && met == probe_result::failed;
  const auto failures = decides ? 1 : check.unhealthy_threshold;
  result.how = "interval " + to_string(check.interval) + " x " + std::to_string(failures)
               + (decides ? ", an error decides" : "");
  if (is_paced(check) && failures > 1)
    result.how.append(", ")
      .append(to_string(pause_after(check, false, true, true)))
      .append(" between failures");
  if (met == probe_result::silent)
    result.how.append(", timeout ").append(to_string(check.timeout));
  result.how += ", aggregation up to " + to_string(delays.aggregation_tick) + ", propagation "
                + to_string(delays.propagation) + " to "
                + to_string(delays.propagation + delays.propagation_jitter);
  // The rest is what the sum has beside: who adds it up should come to it.
  if (way.second > duration::zero())
    result.how.append(", link ").append(to_string(way.first));
  if (way.second != way.first)
    result.how.append(" to ").append(to_string(way.second));
  result.how.append(", apply ").append(to_string(delays.apply));
  return result;
}

// How long the failover of a region takes after its first fault that probes notice and that turns a
// source: the first source that turns decides. Nothing when the scenario has no such fault.
std::optional<time_bounds> failover_bounds(const scenario& x, std::string_view region) {
  std::optional<time_bounds> result;
  const health_check_config usual;
  const auto* cause = first_fault(
    x, region, [&usual](const fault& y) { return !y.flap && std::visit(met_by{usual}, y.what); });
  if (cause == nullptr)
    return result;
  for_each_source(x, [&](const source_in_region& at) {
    const auto met = std::visit(met_by{at.backend.health_check}, cause->what);
    if (at.published.region != region || at.composite.signal != health_signal::endpoints || !met
        || !turns(*cause, at))
      return;
    auto y = bounds_of_source(x, at, *met);
    if (!result || y.worst < result->worst)
      result = std::move(y);
  });
  return result;
}

void add_failover_times(const scenario& x, bool best_is_over, lint_list& out) {
  for (std::size_t i = 0; i < x.expectations.size(); ++i) {
    const auto* expected = std::get_if<expect_failover>(&x.expectations[i].what);
    const auto bounds = expected == nullptr ? std::nullopt : failover_bounds(x, expected->from);
    if (!bounds || bounds->worst <= expected->within
        || (bounds->best > expected->within) != best_is_over)
      continue;
    out.add(lint_path{"expect", std::to_string(i), "failover", "within"},
            "failover from " + expected->from + " takes "
              + (best_is_over ? to_string(bounds->best) + " even at best, which is over "
                              : to_string(bounds->best) + " at best, and up to "
                                  + to_string(bounds->worst) + ", which is over ")
              + to_string(expected->within) + " (" + bounds->how + "); "
              + (best_is_over
                   ? "allow " + to_string(bounds->worst)
                   : "whether it is met depends on the seed; allow " + to_string(bounds->worst))
              + ", or probe more often");
  }
}

} // namespace

bool probes_can_meet(const fault& x) {
  return std::visit(is_met{}, x.what);
}

/// The earliest failover that health checks and propagation can bring (B-42) comes after `within`: the
/// expectation cannot be met. Way out: a longer `within`, a shorter interval, timeout or threshold.
void lint_failover_too_slow(const scenario& x, lint_list& out) {
  add_failover_times(x, true, out);
}

/// The latest one (B-42) comes after `within`, the earliest does not: the seed decides. Way out: as
/// above.
void lint_failover_may_be_late(const scenario& x, lint_list& out) {
  add_failover_times(x, false, out);
}

} // namespace spillover
