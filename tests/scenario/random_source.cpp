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
  x.adaptive_concurrency = from.coin();
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
  x.way = {from.span(0s, 60s), from.any_distribution()};
  return x;
}

hpa::scaling_rules any_rules(random_source& from) {
  hpa::scaling_rules x;
  x.stabilization_window = std::chrono::seconds{from.between(0, 3'600)};
  x.select = static_cast<hpa::select_policy>(from.between(0, 2));
  x.tolerance = from.unit();
  for (std::uint32_t i = 0; i < from.between(1, 3); ++i)
    x.policies.push_back({from.coin() ? hpa::policy_type::pods : hpa::policy_type::percent,
                          static_cast<std::int32_t>(from.between(1, 1'000)),
                          std::chrono::seconds{from.between(1, 1'800)}});
  if (x.policies.empty())
    x.policies.push_back({});
  return x;
}

hpa_config any_hpa(random_source& from) {
  hpa_config x;
  auto& own = x.kubernetes;
  own.max_replicas = static_cast<std::int32_t>(from.between(1, 10'000));
  own.min_replicas =
    static_cast<std::int32_t>(from.between(1, static_cast<std::uint32_t>(own.max_replicas)));
  own.metrics = {
    {hpa::metric_source::resource, "cpu", hpa::target_type::utilization, from.between(1, 1'000)},
    {hpa::metric_source::pods, "concurrency", hpa::target_type::average_value,
     from.between(1, 1'000'000)},
    {hpa::metric_source::external, "requests_per_second", hpa::target_type::value,
     from.between(1, 1'000'000)}};
  own.behavior = {any_rules(from), any_rules(from)};
  own.sync_period = std::chrono::seconds{from.between(1, 600)};
  own.tolerance = from.unit();
  own.downscale_stabilization = std::chrono::seconds{from.between(0, 3'600)};
  own.cpu_initialization_period = from.span(0s, 24h);
  own.initial_readiness_delay = from.span(0s, 24h);
  own.metrics_resolution = std::chrono::seconds{from.between(1, 300)};
  x.routing = static_cast<spread>(from.between(0, 2));
  return x;
}

netscaler_adm_config any_netscaler(random_source& from) {
  netscaler_adm_config x;
  auto& own = x.adm;
  own.max_nodes = from.between(1, 10'000);
  own.min_nodes = from.between(1, own.max_nodes);
  own.cpu = {true, 50 * from.unit(), 50 + 50 * from.unit()};
  own.memory = {true, 50 * from.unit(), 50 + 50 * from.unit()};
  own.throughput = {true, 50 * from.unit(), 50 + 50'000 * from.unit()};
  own.statistic = static_cast<netscaler::cluster_statistic>(from.between(0, 1));
  own.interval = std::chrono::seconds{from.between(1, 3'600)};
  own.watch_time = from.span(0s, 24h);
  own.watch = static_cast<netscaler::watch_rule>(from.between(0, 1));
  own.cooldown = from.span(0s, 24h);
  own.provisioning_time = from.span(0s, 24h);
  own.deprovisioning_time = from.span(0s, 24h);
  own.drain_connection_timeout = from.span(0s, 24h);
  own.drain_ends_when_empty = from.coin();
  own.distribution = static_cast<netscaler::traffic_distribution>(from.between(0, 1));
  own.dns_ttl = from.span(0s, 24h);
  own.update_time = from.span(0s, 1h);
  x.memory = {100 * from.unit(), 100 * from.unit()};
  x.routing = static_cast<spread>(from.between(0, 2));
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
  switch (from.between(0, 5)) {
    case 0: return fixed_config{from.between(1, 10'000)};
    case 1: return any_knative(from);
    case 2: return any_hpa(from);
    case 3: return any_netscaler(from);
    default: return any_cloud_run(from);
  }
}

billing::config any_billing(random_source& from, const autoscaling_config& policy) {
  billing::config x;
  if (!std::holds_alternative<cloud_run_config>(policy) || from.coin())
    x.how = billing::mode::instance_based;
  if (from.coin())
    x.rule = billing::rounding::total;
  return x;
}

} // namespace spillover::test
