#include "scenario/write_autoscaling.hpp"

#include "scenario/names.hpp"
#include "scenario/values.hpp"
#include "scenario/write_distribution.hpp"

namespace spillover {

namespace {

using json = nlohmann::ordered_json;

json write(const hpa::metric_spec& x) {
  const auto scale = x.type == hpa::target_type::utilization ? 1.0 : 1000.0;
  return {{name_of(x.source, hpa_sources), x.name},
          {name_of(x.type, hpa_targets), static_cast<double>(x.target) / scale}};
}

json write(const hpa::scaling_rules& x) {
  json result = json::object();
  if (x.stabilization_window)
    result["stabilization_window"] = to_string(*x.stabilization_window);
  result["select_policy"] = name_of(x.select, hpa_selections);
  if (x.tolerance)
    result["tolerance"] = *x.tolerance;
  result["policies"] = json::array();
  for (const auto& y : x.policies)
    result["policies"].push_back(
      {{name_of(y.type, hpa_policies), y.value}, {"period", to_string(y.period)}});
  return result;
}

json write(const netscaler::settings& x) {
  json result = json::object();
  const auto add = [&result](const char* name, const netscaler::threshold& y) {
    if (y.selected)
      result[name] = {{"min", y.min}, {"max", y.max}};
  };
  add("cpu", x.cpu);
  add("memory", x.memory);
  add("throughput", x.throughput);
  return result;
}

struct writer {
  json operator()(const cloud_run_config& x) const {
    return {{"policy", policy_of(x)},
            {"variant", name_of(x.variant, cloud_run_variants)},
            {"min_instances", x.min_instances},
            {"max_instances", x.max_instances},
            {"cpu_target", x.cpu_target},
            {"concurrency_target", x.concurrency_target},
            {"evaluation", to_string(x.evaluation)},
            {"dead_band", x.dead_band},
            {"adaptive_concurrency", x.adaptive_concurrency}};
  }

  json operator()(const fixed_config& x) const {
    return {{"policy", policy_of(x)}, {"instances", x.instances}};
  }

  json operator()(const knative_kpa_config& x) const {
    return {{"policy", policy_of(x)},
            {"config", x.knative.config},
            {"annotations", x.knative.annotations},
            {"reachable", x.knative.reach != kpa::reachability::unreachable},
            {"deployed_at_start", x.deployed_at_start},
            {"report_offset", to_string(x.report_offset)},
            {"tick_offset", to_string(x.tick_offset)},
            {"routing", name_of(x.routing, spreads)},
            {"scrape_sample", x.scrape_sample},
            {"activator",
             {{"latency", to_string(x.way.latency)},
              {"response_time", write_distribution(x.way.response_time)}}}};
  }

  json operator()(const hpa_config& x) const {
    const auto& own = x.kubernetes;
    auto metrics = json::array();
    for (const auto& y : own.metrics)
      metrics.push_back(write(y));
    json result = {{"policy", policy_of(x)},
                   {"min_replicas", own.min_replicas},
                   {"max_replicas", own.max_replicas},
                   {"metrics", std::move(metrics)}};
    if (own.behavior)
      result["behavior"] = {{"scale_up", write(own.behavior->scale_up)},
                            {"scale_down", write(own.behavior->scale_down)}};
    result["sync_period"] = to_string(own.sync_period);
    result["tolerance"] = own.tolerance;
    result["downscale_stabilization"] = to_string(own.downscale_stabilization);
    result["cpu_initialization_period"] = to_string(own.cpu_initialization_period);
    result["initial_readiness_delay"] = to_string(own.initial_readiness_delay);
    result["metrics_resolution"] = to_string(own.metrics_resolution);
    result["follows"] = name_of(own.follows, hpa_generations);
    result["routing"] = name_of(x.routing, spreads);
    return result;
  }

  json operator()(const netscaler_adm_config& x) const {
    const auto& own = x.adm;
    return {{"policy", policy_of(x)},
            {"min_nodes", own.min_nodes},
            {"max_nodes", own.max_nodes},
            {"thresholds", write(own)},
            {"statistic", name_of(own.statistic, netscaler_statistics)},
            {"interval", to_string(own.interval)},
            {"watch_time", to_string(own.watch_time)},
            {"watch", name_of(own.watch, netscaler_watches)},
            {"cooldown", to_string(own.cooldown)},
            {"provisioning_time", to_string(own.provisioning_time)},
            {"deprovisioning_time", to_string(own.deprovisioning_time)},
            {"drain_connection_timeout", to_string(own.drain_connection_timeout)},
            {"drain_ends_when_empty", own.drain_ends_when_empty},
            {"distribution", name_of(own.distribution, netscaler_distributions)},
            {"dns_ttl", to_string(own.dns_ttl)},
            {"update_time", to_string(own.update_time)},
            {"memory_model", {{"base", x.memory.base}, {"per_request", x.memory.per_request}}},
            {"routing", name_of(x.routing, spreads)}};
  }
};

} // namespace

json write_autoscaling(const autoscaling_config& x) {
  return std::visit(writer{}, x);
}

} // namespace spillover
