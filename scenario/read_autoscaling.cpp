#include "scenario/names.hpp"
#include "scenario/read.hpp"
#include "scenario/values.hpp"

#include <array>
#include <span>

namespace spillover {

namespace {

// The keys that each policy has beside `policy` itself.
constexpr std::array<std::string_view, 1> fixed_keys{"instances"};
constexpr std::array<std::string_view, 8> cloud_run_keys{
  "variant",    "min_instances", "max_instances",       "cpu_target", "concurrency_target",
  "evaluation", "dead_band",     "adaptive_concurrency"};
constexpr std::array<std::string_view, 9> knative_kpa_keys{
  "config",      "annotations", "reachable",     "deployed_at_start", "report_offset",
  "tick_offset", "routing",     "scrape_sample", "activator"};

constexpr std::array<std::string_view, 12> hpa_keys{"min_replicas",
                                                    "max_replicas",
                                                    "metrics",
                                                    "behavior",
                                                    "sync_period",
                                                    "tolerance",
                                                    "downscale_stabilization",
                                                    "cpu_initialization_period",
                                                    "initial_readiness_delay",
                                                    "metrics_resolution",
                                                    "follows",
                                                    "routing"};
constexpr std::array<std::string_view, 17> netscaler_adm_keys{"min_nodes",
                                                              "max_nodes",
                                                              "thresholds",
                                                              "statistic",
                                                              "interval",
                                                              "watch_time",
                                                              "watch",
                                                              "cooldown",
                                                              "provisioning_time",
                                                              "deprovisioning_time",
                                                              "drain_connection_timeout",
                                                              "drain_ends_when_empty",
                                                              "distribution",
                                                              "dns_ttl",
                                                              "update_time",
                                                              "memory_model",
                                                              "routing"};

using key_list = std::span<const std::string_view>;

constexpr std::array<std::pair<std::string_view, key_list>, 5> keys_by_policy{{
  {fixed_config::policy, fixed_keys},
  {cloud_run_config::policy, cloud_run_keys},
  {knative_kpa_config::policy, knative_kpa_keys},
  {netscaler_adm_config::policy, netscaler_adm_keys},
  {hpa_config::policy, hpa_keys},
}};

void refuse_other_keys(const section& from, std::string_view policy) {
  const auto own =
    std::find_if(keys_by_policy.begin(), keys_by_policy.end(), [policy](const auto& x) {
      return x.first == policy;
    })->second;
  std::string allowed{"policy"};
  for (const auto key : own)
    allowed.append(", ").append(key);
  for (const auto& [other, keys] : keys_by_policy)
    for (const auto key : keys)
      if (from.has(key) && std::find(own.begin(), own.end(), key) == own.end())
        from.fail(key,
                  "has no meaning with policy " + std::string{policy} + "; allowed: " + allowed);
}

// A target is within the product's range, or 0, which turns its driver off.
void check_target(const section& from, std::string_view key, double value) {
  if (from.fine({key}) && value != 0 && (value < 0.1 || value > 0.95))
    from.fail(key, "must be between 10% and 95%, or 0 to turn the driver off; got "
                     + format_number(value * 100) + "%");
}

void read_policy(const section& from, cloud_run_config& into) {
  read_name(from, "variant", cloud_run_variants, into.variant);
  from.read("min_instances", into.min_instances);
  from.read("max_instances", into.max_instances);
  from.read("cpu_target", into.cpu_target);
  from.read("concurrency_target", into.concurrency_target);
  from.read("evaluation", into.evaluation);
  from.read("dead_band", into.dead_band);
  from.read("adaptive_concurrency", into.adaptive_concurrency);

  if (from.fine({"min_instances", "max_instances"}) && into.min_instances > into.max_instances)
    from.fail("min_instances",
              "must be at most max_instances (" + std::to_string(into.max_instances) + "); got "
                + std::to_string(into.min_instances),
              "max_instances");
  check_target(from, "cpu_target", into.cpu_target);
  check_target(from, "concurrency_target", into.concurrency_target);
  if (from.fine({"cpu_target", "concurrency_target"}) && into.cpu_target == 0
      && into.concurrency_target == 0)
    from.fail("concurrency_target",
              "both drivers are off; one of cpu_target and "
              "concurrency_target must be above 0",
              "cpu_target");
}

void read_policy(const section& from, fixed_config& into) {
  from.read("instances", into.instances);
}

// Knative takes texts, numbers and truths alike; what they mean is its own affair.
void read_texts(const section& from, std::map<std::string, std::string, std::less<>>& into,
                std::string_view key) {
  for (const auto& x : from.entries(key))
    if (!x.value.bad)
      into[x.key] = x.value.text;
}

void read_policy(const section& from, knative_kpa_config& into) {
  read_texts(from, into.knative.config, "config");
  read_texts(from, into.knative.annotations, "annotations");
  auto reachable = into.knative.reach != kpa::reachability::unreachable;
  from.read("reachable", reachable);
  into.knative.reach = reachable ? kpa::reachability::reachable : kpa::reachability::unreachable;
  from.read("deployed_at_start", into.deployed_at_start);
  from.read("report_offset", into.report_offset);
  from.read("tick_offset", into.tick_offset);
  read_name(from, "routing", spreads, into.routing);
  from.read("scrape_sample", into.scrape_sample);
  const auto activator = from.at("activator");
  activator.read("latency", into.way.latency);
  activator.read("response_time", into.way.response_time);
  // Knative's rules beside whatever else is wrong: a value that is not allowed was not read.
  from.report(validate(into, 0));
}

hpa::metric_spec read_metric(const section& from) {
  hpa::metric_spec x;
  const auto given = [&from](const auto& names) {
    return std::count_if(names.begin(), names.end(),
                         [&from](const auto& y) { return from.given(y.first); });
  };
  if (given(hpa_sources) != 1 || given(hpa_targets) != 1)
    from.fail("needs one of resource, pods, object and external, and one of average_utilization, "
              "average_value and value");
  for (const auto& [name, source] : hpa_sources)
    if (from.has(name)) {
      x.source = source;
      from.read(name, x.name);
    }
  for (const auto& [name, type] : hpa_targets)
    if (from.has(name)) {
      double target = 0;
      from.read(name, target);
      // A share of the request is told in percent, other numbers in thousandths.
      const auto scale = type == hpa::target_type::utilization ? 1 : 1000;
      x.type = type;
      x.target = static_cast<std::int64_t>(target * scale + 0.5);
    }
  return x;
}

void read_rules(const section& from, hpa::scaling_rules& into) {
  from.read("stabilization_window", into.stabilization_window);
  read_name(from, "select_policy", hpa_selections, into.select);
  from.read("tolerance", into.tolerance);
  if (!from.has("policies"))
    return;
  into.policies.clear();
  for (const auto& x : from.list("policies")) {
    const section policy{from.problems(), &x, x.at};
    hpa::scaling_policy result;
    for (const auto& [name, type] : hpa_policies)
      if (policy.has(name)) {
        std::uint32_t value = 0;
        policy.read(name, value);
        result.type = type;
        result.value = static_cast<std::int32_t>(value);
      }
    policy.read("period", result.period);
    into.policies.push_back(result);
  }
}

void read_count(const section& from, std::string_view key, std::int32_t& into) {
  auto value = static_cast<std::uint32_t>(into);
  from.read(key, value);
  into = static_cast<std::int32_t>(value);
}

void read_policy(const section& from, hpa_config& into) {
  auto& x = into.kubernetes;
  read_count(from, "min_replicas", x.min_replicas);
  read_count(from, "max_replicas", x.max_replicas);
  if (from.has("metrics")) {
    x.metrics.clear();
    for (const auto& metric : from.list("metrics"))
      x.metrics.push_back(read_metric(section{from.problems(), &metric, metric.at}));
  }
  if (from.has("behavior")) {
    if (!x.behavior)
      x.behavior.emplace();
    read_rules(from.at("behavior").at("scale_up"), x.behavior->scale_up);
    read_rules(from.at("behavior").at("scale_down"), x.behavior->scale_down);
  }
  from.read("sync_period", x.sync_period);
  from.read("tolerance", x.tolerance);
  from.read("downscale_stabilization", x.downscale_stabilization);
  from.read("cpu_initialization_period", x.cpu_initialization_period);
  from.read("initial_readiness_delay", x.initial_readiness_delay);
  from.read("metrics_resolution", x.metrics_resolution);
  read_name(from, "follows", hpa_generations, x.follows);
  read_name(from, "routing", spreads, into.routing);
}

void read_threshold(const section& from, std::string_view key, netscaler::threshold& into) {
  into.selected = from.has(key);
  const auto limits = from.at(key);
  limits.read("min", into.min);
  limits.read("max", into.max);
}

void read_policy(const section& from, netscaler_adm_config& into) {
  auto& x = into.adm;
  from.read("min_nodes", x.min_nodes);
  from.read("max_nodes", x.max_nodes);
  if (from.has("thresholds")) {
    const auto thresholds = from.at("thresholds");
    read_threshold(thresholds, "cpu", x.cpu);
    read_threshold(thresholds, "memory", x.memory);
    read_threshold(thresholds, "throughput", x.throughput);
  }
  read_name(from, "statistic", netscaler_statistics, x.statistic);
  from.read("interval", x.interval);
  from.read("watch_time", x.watch_time);
  read_name(from, "watch", netscaler_watches, x.watch);
  from.read("cooldown", x.cooldown);
  from.read("provisioning_time", x.provisioning_time);
  from.read("deprovisioning_time", x.deprovisioning_time);
  from.read("drain_connection_timeout", x.drain_connection_timeout);
  from.read("drain_ends_when_empty", x.drain_ends_when_empty);
  read_name(from, "distribution", netscaler_distributions, x.distribution);
  from.read("dns_ttl", x.dns_ttl);
  from.read("update_time", x.update_time);
  const auto memory = from.at("memory_model");
  memory.read("base", into.memory.base);
  memory.read("per_request", into.memory.per_request);
  read_name(from, "routing", spreads, into.routing);
}

} // namespace

void read_autoscaling(const section& from, autoscaling_config& into) {
  std::string policy{policy_of(into)};
  if (!from.fine({"policy"}))
    return;
  from.read("policy", policy);
  // Another policy than before begins with its own defaults.
  if (policy != policy_of(into))
    into = default_policy(policy).value();
  refuse_other_keys(from, policy);
  std::visit([&from](auto& x) { read_policy(from, x); }, into);
}

} // namespace spillover
