#include "scenario/lint_checks.hpp"
#include "scenario/plan.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <variant>

namespace spillover {

namespace {

bool survives_one_loss(const aggregation_policy& x, std::uint32_t total) {
  return aggregate(x, total - 1, total) == health::healthy;
}

// How one loss could be survived: with more instances, or another threshold.
std::string way_out(const aggregation_policy& x, std::uint32_t total) {
  const auto spare = 100 - x.healthy_percent_threshold;
  std::string result;
  // One of n is at most the spare share when n >= 100 / spare.
  const auto enough =
    spare == 0 ? 0 : std::max((100 + spare - 1) / spare, x.min_healthy_threshold + 1);
  if (enough != 0)
    result = "from " + std::to_string(enough) + " instances on one may be lost";
  if (total - 1 < x.min_healthy_threshold)
    return result;
  const auto share = 100 * (total - 1) / total;
  return result + (result.empty() ? "" : ", or ") + "with healthy_percent_threshold "
         + std::to_string(share) + " or less";
}

std::string policy_text(const aggregation_policy& x) {
  return std::to_string(x.healthy_percent_threshold) + " %, at least "
         + std::to_string(x.min_healthy_threshold);
}

void add_single_loss(const source_in_region& at, std::uint32_t total, const std::string& which,
                     lint_list& out) {
  const auto& policy = at.source.policy;
  if (total == 0 || aggregate(policy, total, total) != health::healthy
      || survives_one_loss(policy, total))
    return;
  out.add(at.in_source("healthy_percent_threshold"),
          at.path() + ": " + std::to_string(needed(policy, total)) + " of the "
            + std::to_string(total) + (total == 1 ? " instance " : " instances ") + which
            + " must be healthy (" + policy_text(policy)
            + "), so that any single loss fails the region over; " + way_out(policy, total));
}

// What the autoscaler makes of a steady load, within its bounds.
std::uint32_t decided_count(const cloud_run_config& x, const instance_config& instance,
                            double rate) {
  const auto mean = mean_of(instance.service_time);
  const auto cpu = rate * seconds_of(std::min(instance.cpu_per_request, mean));
  const auto busy = rate * seconds_of(mean);
  const auto wanted = [](double usage, double capacity, double target) {
    return target > 0 ? std::ceil(usage / (capacity * target) * (1 - 1e-9)) : 0;
  };
  const auto most = std::max(wanted(cpu, instance.cpu, x.cpu_target),
                             wanted(busy, instance.concurrency, x.concurrency_target));
  return static_cast<std::uint32_t>(std::clamp<double>(most, x.min_instances, x.max_instances));
}

} // namespace

/// With few instances, or a high threshold, the loss of any one takes the region away (B-16, B-17):
/// with those at the start, and with those that the load at the end of the warm-up calls for. Way out:
/// more instances, or a lower threshold.
void lint_single_loss(const scenario& x, lint_list& out) {
  const offered_load load{x};
  for_each_source(x, [&](const source_in_region& at) {
    const auto start = initial_instances(at.backend);
    add_single_loss(at, start, "at the start", out);
    const auto* config = std::get_if<cloud_run_config>(&at.backend.autoscaling);
    if (config == nullptr)
      return;
    const auto rate = load.rate(at.published.service, at.published.region, run_start + x.warm_up)
                      * share_of(at.published, at.backend);
    const auto decided = decided_count(*config, at.backend.instance, rate);
    if (decided != start)
      add_single_loss(at, decided, "that " + number_text(rate) + " requests/s call for", out);
  });
}

/// A new endpoint counts as unhealthy until its first probes (B-38), so that scaling out by one can
/// take the region away (case C40). Way out: more min_instances, or a lower threshold.
void lint_scale_out(const scenario& x, lint_list& out) {
  for_each_source(x, [&](const source_in_region& at) {
    const auto bounds = bounds_of(at.backend.autoscaling);
    const auto least = bounds.min;
    if (least == 0 || least == bounds.max
        || aggregate(at.source.policy, least, least) != health::healthy
        || aggregate(at.source.policy, least, least + 1) == health::healthy)
      return;
    out.add(in_backend(at.published, at.backend, {"autoscaling", "min_instances"}),
            at.path() + ": a new endpoint counts as unhealthy until its first probes, so scaling "
              + "out from " + std::to_string(least) + " makes " + std::to_string(least) + " of "
              + std::to_string(least + 1) + " healthy and the composite UNHEALTHY ("
              + policy_text(at.source.policy) + "); start with more min_instances");
  });
}

/// A source without endpoints is UNHEALTHY (B-18). Way out: min_instances 1.
void lint_scale_to_zero(const scenario& x, lint_list& out) {
  for_each_source(x, [&](const source_in_region& at) {
    if (bounds_of(at.backend.autoscaling).min == 0)
      out.add(in_backend(at.published, at.backend, {"autoscaling", "min_instances"}),
              at.path()
                + ": may scale to zero, and a source without endpoints is UNHEALTHY, which "
                  "sends consumers elsewhere; min_instances 1 avoids it");
  });
}

/// More healthy endpoints are asked for than there are (B-16). Way out: more instances, or a lower
/// min_healthy_threshold.
void lint_never_healthy(const scenario& x, lint_list& out) {
  for_each_source(x, [&](const source_in_region& at) {
    const auto least = at.source.policy.min_healthy_threshold;
    const auto most = bounds_of(at.backend.autoscaling).max;
    const auto start = initial_instances(at.backend);
    if (least > most)
      out.add(at.in_source("min_healthy_threshold"),
              at.path() + ": can never be HEALTHY: min_healthy_threshold is "
                + std::to_string(least) + ", and there are at most " + std::to_string(most)
                + " instances");
    else if (start > 0 && least > start)
      out.add(at.in_source("min_healthy_threshold"),
              at.path() + ": is UNHEALTHY until it has scaled out: min_healthy_threshold is "
                + std::to_string(least) + ", and it starts with " + std::to_string(start)
                + " instances; raise min_instances to " + std::to_string(least));
  });
}

/// In Google Cloud a Cloud Run service cannot be a health source. Said once for each backend
/// service; needs no change.
void lint_extension(const scenario& x, lint_list& out) {
  std::vector<std::string> said;
  for_each_source(x, [&](const source_in_region& at) {
    const auto name = at.published.service + "/" + at.backend.name;
    if (!std::holds_alternative<cloud_run_config>(at.backend.autoscaling)
        || std::find(said.begin(), said.end(), name) != said.end())
      return;
    said.push_back(name);
    out.add(at.in_source("backend_service"),
            name
              + ": policy cloud_run behind a composite health check is this emulator's "
                "extension; in Google Cloud a Cloud Run service cannot be a health source");
  });
}

namespace {

// From a failure to the verdict of one endpoint, and on to the route of consumers.
struct time_bounds {
  duration best{};
  duration worst{};
  // E.g. "interval 5s x 2, timeout 5s".
  std::string how;
};

// How a probe meets what is wrong: at once, or by its timeout.
enum class failure { unnoticed, fast, slow };

struct failure_of {
  failure operator()(const instance_fault& x) const {
    if (x.suffer.affects == affected_part::requests)
      return failure::unnoticed;
    if (x.suffer.become == ailment::silent)
      return failure::slow;
    const auto fails = x.suffer.become == ailment::failing && x.suffer.error_fraction == 1;
    return fails || x.suffer.become == ailment::crashed ? failure::fast : failure::unnoticed;
  }
  failure operator()(const zone_fault& x) const { return of(x.become); }
  failure operator()(const region_fault& x) const { return of(x.become); }
  failure operator()(const link_fault&) const { return failure::unnoticed; }
  failure operator()(const prober_fault& x) const {
    return x.become == prober_ailment::cut_off && !x.count ? failure::slow : failure::unnoticed;
  }
  failure operator()(const quota_fault&) const { return failure::unnoticed; }
  failure operator()(const consumer_fault&) const { return failure::unnoticed; }
  failure operator()(const clock_fault&) const { return failure::unnoticed; }

  static failure of(ailment x) { return x == ailment::crashed ? failure::fast : failure::slow; }
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
  const auto hit =
    instances->count
      ? std::min(*instances->count, total)
      : static_cast<std::uint32_t>(std::ceil(instances->fraction * total * (1 - 1e-9)));
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
time_bounds bounds_of_source(const scenario& x, const source_in_region& at, failure how) {
  const auto& check = at.backend.health_check;
  const auto& delays = at.composite.propagation;
  const auto lag = how == failure::slow ? check.timeout : duration{};
  const auto way = health_latency(x, at);
  time_bounds result;
  result.best = check.interval * (check.unhealthy_threshold - 1) + lag + delays.propagation
                + way.first + delays.apply;
  result.worst = check.interval * check.unhealthy_threshold + lag + delays.aggregation_tick
                 + delays.propagation + delays.propagation_jitter + way.second + delays.apply;
  result.how =
    "interval " + to_string(check.interval) + " x " + std::to_string(check.unhealthy_threshold)
    + (how == failure::slow ? ", timeout " + to_string(check.timeout) : "") + ", aggregation up to "
    + to_string(delays.aggregation_tick) + ", propagation " + to_string(delays.propagation) + " to "
    + to_string(delays.propagation + delays.propagation_jitter) + ", apply "
    + to_string(delays.apply);
  return result;
}

// How long the failover of a region takes after its first fault that probes notice and that turns a
// source: the first source that turns decides. Nothing when the scenario has no such fault.
std::optional<time_bounds> failover_bounds(const scenario& x, std::string_view region) {
  std::optional<time_bounds> result;
  const auto* cause = first_fault(x, region, [](const fault& y) {
    return !y.flap && std::visit(failure_of{}, y.what) != failure::unnoticed;
  });
  if (cause == nullptr)
    return result;
  for_each_source(x, [&](const source_in_region& at) {
    if (at.published.region != region || !turns(*cause, at))
      return;
    auto y = bounds_of_source(x, at, std::visit(failure_of{}, cause->what));
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
