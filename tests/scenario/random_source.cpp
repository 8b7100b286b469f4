#include "tests/scenario/random_source.hpp"

#include <string>

namespace spillover::test {

namespace {

using namespace std::chrono_literals;

cloud_run_config any_cloud_run(random_source& from) {
  cloud_run_config x;
  x.max_instances = from.between(1, 10'000);
  x.min_instances = from.between(0, x.max_instances);
  x.cpu_target = from.coin() ? 0 : 0.1 + 0.85 * from.unit();
  x.concurrency_target = 0.1 + 0.85 * from.unit();
  x.evaluation = std::chrono::floor<std::chrono::seconds>(from.span(1s, 60s));
  x.variant = static_cast<cloud_run_variant>(from.between(0, 2));
  x.dead_band = x.variant != cloud_run_variant::tolerance10 || from.coin();
  return x;
}

knative_kpa_config any_knative(random_source& from) {
  knative_kpa_config x;
  auto& config = x.knative.config;
  auto& annotations = x.knative.annotations;
  if (from.coin())
    config["stable-window"] = std::to_string(from.between(6, 3'600)) + "s";
  if (from.coin())
    config["enable-scale-to-zero"] = from.coin() ? "true" : "false";
  // All of them, always: an override adds to what its service has, and takes nothing away.
  annotations["target"] = "0." + std::to_string(from.between(1, 99)) + "5";
  annotations["metric"] = from.coin() ? "rps" : "concurrency";
  annotations["min-scale"] = std::to_string(from.between(0, 9));
  annotations["max-scale"] = std::to_string(from.between(9, 100));
  x.knative.reach = from.coin() ? kpa::reachability::reachable : kpa::reachability::unreachable;
  x.deployed_at_start = from.coin();
  x.report_offset = from.span(0s, 1s - 1ns);
  x.tick_offset = from.span(0s, 2s - 1ns);
  x.routing = static_cast<spread>(from.between(0, 2));
  x.scrape_sample = from.coin();
  return x;
}

} // namespace

distribution random_source::any_distribution() {
  switch (random_.below(4)) {
    case 0: return constant_distribution{span(0s, 10s)};
    case 1: return exponential_distribution{span(1ns, 10s)};
    case 2: {
      const auto median = span(1ns, 5s);
      return lognormal_distribution{median, median + span(0s, 10s)};
    }
    default: return empirical_distribution{{span(0s, 1s), span(0s, 1s), span(1s, 2s)}};
  }
}

autoscaling_config any_autoscaling(random_source& from) {
  if (from.coin())
    return fixed_config{from.between(1, 10'000)};
  if (from.coin())
    return any_knative(from);
  return any_cloud_run(from);
}

} // namespace spillover::test
