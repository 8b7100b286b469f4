#include "scenario/lint_checks.hpp"
#include "scenario/plan.hpp"

#include <algorithm>
#include <cmath>
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
  const auto most = std::max(wanted(cpu, total_cpu(instance), x.cpu_target),
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
    const auto bounds = bounds_in(at.backend);
    const auto least = bounds.min;
    // A new instance of Cloud Run's service health does not count until its probe had a result (B-68).
    if (at.composite.signal == health_signal::readiness || least == 0 || least == bounds.max
        || aggregate(at.source.policy, least, least) != health::healthy
        || aggregate(at.source.policy, least, least + 1) == health::healthy)
      return;
    const auto minimum = minimum_of(at.published, at.backend);
    out.add(minimum.places,
            at.path() + ": a new endpoint counts as unhealthy until its first probes, so scaling "
              + "out from " + std::to_string(least) + " makes " + std::to_string(least) + " of "
              + std::to_string(least + 1) + " healthy and the composite UNHEALTHY ("
              + policy_text(at.source.policy) + "); raise " + minimum.name);
  });
}

/// A source without endpoints is UNHEALTHY (B-18). Way out: min_instances 1.
void lint_scale_to_zero(const scenario& x, lint_list& out) {
  for_each_source(x, [&](const source_in_region& at) {
    if (bounds_in(at.backend).min != 0)
      return;
    const auto minimum = minimum_of(at.published, at.backend);
    out.add(minimum.places,
            at.path()
              + ": may scale to zero, and a source without endpoints is UNHEALTHY, which sends "
                "consumers elsewhere; "
              + minimum.name + " 1 avoids it");
  });
}

/// More healthy endpoints are asked for than there are (B-16). Way out: more instances, or a lower
/// min_healthy_threshold.
void lint_never_healthy(const scenario& x, lint_list& out) {
  for_each_source(x, [&](const source_in_region& at) {
    const auto least = at.source.policy.min_healthy_threshold;
    const auto most = bounds_in(at.backend).max;
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
                + " instances; raise " + minimum_of(at.published, at.backend).name + " to "
                + std::to_string(least));
  });
}

/// In Google Cloud a Cloud Run service cannot be a health source. Said once for each backend
/// service; needs no change.
void lint_extension(const scenario& x, lint_list& out) {
  std::vector<std::string> said;
  for_each_source(x, [&](const source_in_region& at) {
    const auto name = at.published.service + "/" + at.backend.name;
    if (at.composite.signal == health_signal::readiness
        || !std::holds_alternative<cloud_run_config>(at.backend.autoscaling)
        || std::find(said.begin(), said.end(), name) != said.end())
      return;
    said.push_back(name);
    out.add(at.in_source("backend_service"),
            name
              + ": policy cloud_run behind a composite health check is this emulator's "
                "extension; in Google Cloud a Cloud Run service cannot be a health source");
  });
}

} // namespace spillover
