#include "scenario/schema.hpp"

#include "scenario/values.hpp"
#include "tests/scenario/sample.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <set>

namespace spillover::test {

namespace {

using json = nlohmann::json;

// Only what must be there, and one of everything that has defaults.
constexpr std::string_view least = R"(
name: a
duration: 1h
network: {default: {}, links: [{between: [c, r]}]}
producers:
  p:
    regions: [r]
    backend_services:
      b: {instance: {startup_probe: {}, liveness_probe: {}, readiness_probe: {}}, autoscaling: {}, pending: {}, scale_in: {}, routing: {session_affinity: {}}, health_check: {}, auto_healing: {health_check: {}}}
      f: {autoscaling: {policy: fixed}}
      k: {autoscaling: {policy: knative_kpa, config: {}, annotations: {}}}
      n: {autoscaling: {policy: netscaler_adm, memory_model: {}}}
      h: {autoscaling: {policy: hpa, behavior: {scale_up: {}, scale_down: {policies: [{pods: 1}]}}}}
      v: {revisions: {v1: {}, v2: {}}, traffic: [{percent: 100}], scaling: {min_instances: 1}}
    composite_health: {sources: [{backend_service: b}], propagation: {}}
    load_balancer: {kind: internal_passthrough_network}
    overrides: {}
  served: {regions: [r], backend_services: {b: {instance: {readiness_probe: {}}, autoscaling: {}}}, service_health: {propagation: {}}}
consumers:
  c:
    producer: p
    load_balancer: {outlier_detection: {}}
    traffic:
      - open_loop: {rate: [{at: 0s, rps: 1}], waves: [{amplitude: 1, period: 1s}]}
      - trace: {file: tests/scenario/traces/hey.csv}
      - closed_loop: {}
      - push_subscription: {rate: [{at: 0s, rps: 1}], waves: [{amplitude: 1, period: 1s}], push_backoff: {}, retry: {}, window: {}}
    client: {backoff: {}}
  by-dns: {producer: p, load_balancer: {kind: dns, dns: {}}, traffic: [{closed_loop: {}}]}
  by-capacity: {producer: p, load_balancer: {distribution: {max_rate: 5}}, traffic: [{closed_loop: {}}]}
  by-envoy: {producer: p, load_balancer: {kind: envoy, envoy: {}, circuit_breakers: {}}, traffic: [{closed_loop: {}}]}
  by-grpc: {producer: p, load_balancer: {kind: grpc, grpc: {back_off: {}, keepalive: {}}}, traffic: [{closed_loop: {}}]}
  by-http1: {producer: p, load_balancer: {circuit_breakers: {protocol: http1}, retry_back_off: {}}, traffic: [{closed_loop: {}}]}
  guarded: {producer: p, load_balancer: {circuit_breakers: {retry_budget: {}}}, traffic: [{closed_loop: {}}]}
  held:
    producer: p
    load_balancer: {failback: {over: 1s}, failover: {after: 1s}, actions: [{at: 1s, failover: on}]}
    traffic: [{closed_loop: {}}]
faults:
  - {at: 1s, instances: {of: r/p/b}}
  - {at: 1s, instances: {of: r/p/b, become: failing}}
  - {at: 1s, instances: {of: r/p/b, become: crashed}}
  - {at: 1s, zone: {region: r, name: a}}
  - {at: 1s, zone: {region: r, name: a, become: crashed}}
  - {at: 1s, region: {name: r}}
  - {at: 1s, region: {name: r, become: crashed}}
  - {at: 1s, quota: {of: r/p/b, instances: 1}}
  - {at: 1s, link: {between: [c, r], become: cut}}
  - {at: 1s, probers: {of: r/p/b}}
  - {at: 1s, consumer: {name: c}}
  - {at: 1s, load_balancer: {of: c}}
  - {at: 1s, clock: {site: r, ahead: 1s}}
actions:
  - {at: 1s, of: r/p/v, deploy: {revision: v2}}
  - {at: 2s, of: r/p/v, split: [{percent: 100}]}
  - {at: 3s, of: r/p/b, patch_health_policy: {healthy_percent_threshold: 70}}
expect:
  - failover: {from: r, within: 1s}
  - failback: {to: r, within: 1s}
  - capacity_recovered: {in: r, within: 1s}
  - lost: {}
  - sequence: {of: [{event: source_changed}, {event: first_request}], within: 1s}
stop_if:
  - queue: {of: r/p/b, above: 1}
  - instances: {of: r/p/b, above: 1}
  - event: {event: first_request}
recovery: {}
)";

json tree_of(std::string_view text) {
  problem_list problems{"s"};
  const auto tree = parse_yaml(text, problems);
  EXPECT_TRUE(tree && problems.empty()) << text;
  return tree ? to_json(*tree) : json{};
}

// Calls `f(path, schema)` for each key that a scenario can have; "*" is any name, "[]" any item.
void each_key(const json& schema, const std::string& path,
              const std::function<void(const std::string&, const json&)>& f) {
  if (schema.contains("properties"))
    for (const auto& [key, value] : schema.at("properties").items()) {
      const auto below = path.empty() ? key : path + "." + key;
      f(below, value);
      each_key(value, below, f);
    }
  if (schema.contains("additionalProperties") && schema.at("additionalProperties").is_object())
    each_key(schema.at("additionalProperties"), path + ".*", f);
  if (schema.contains("items"))
    each_key(schema.at("items"), path + "[]", f);
}

// Every value that stands at a path of the schema.
void collect(const json& x, std::string_view path, std::vector<json>& out) {
  if (path.empty()) {
    out.push_back(x);
    return;
  }
  if (path.front() == '.')
    return collect(x, path.substr(1), out);
  if (path.starts_with("[]")) {
    for (const auto& y : x.is_array() ? x : json::array())
      collect(y, path.substr(2), out);
    return;
  }
  const auto end = path.find_first_of(".[");
  const auto key = path.substr(0, end);
  const auto rest = end == std::string_view::npos ? std::string_view{} : path.substr(end);
  if (!x.is_object())
    return;
  for (const auto& [name, value] : x.items())
    if (key == "*" || key == name)
      collect(value, rest, out);
}

bool same(const json& a, const json& b) {
  if (a.is_number() && b.is_number())
    return a.get<double>() == b.get<double>();
  if (a.is_string() && b.is_string())
    if (const auto span = parse_duration(a.get<std::string>()))
      return span == parse_duration(b.get<std::string>());
  return a == b;
}

// Keys without a default that need not be there.
const std::set<std::string> optional_keys{"network",
                                          "producers.*.composite_health",
                                          "producers.*.overrides",
                                          "producers.*.backend_services.*.revisions",
                                          "producers.*.backend_services.*.traffic",
                                          "producers.*.backend_services.*.traffic[].percent",
                                          "producers.*.backend_services.*.traffic[].tag",
                                          "producers.*.backend_services.*.scaling",
                                          "consumers.*.tag",
                                          "actions[].name",
                                          "actions[].scale.min_instances",
                                          "actions[].scale.max_instances",
                                          "actions[].scale.manual_instances",
                                          "expect[].queue.revision",
                                          "expect[].rate.revision",
                                          "expect[].instances.revision",
                                          "stop_if[].queue.revision",
                                          "stop_if[].instances.revision",
                                          "producers.*.backend_services.*.instance.restart_backoff",
                                          "producers.*.backend_services.*.instance.sidecars[].cpu",
                                          "consumers.*.producer",
                                          "consumers.*.load_balancer",
                                          "consumers.*.load_balancer.regions",
                                          "consumers.*.load_balancer.failback.after",
                                          "consumers.*.load_balancer.failback.over",
                                          "consumers.*.load_balancer.failover.after",
                                          "consumers.*.load_balancer.actions[].failover",
                                          "consumers.*.load_balancer.actions[].fail_over",
                                          "consumers.*.load_balancer.actions[].fail_back",
                                          "consumers.*.load_balancer.envoy.priorities",
                                          "consumers.*.load_balancer.envoy.locality_weights",
                                          "consumers.*.load_balancer.distribution",
                                          "consumers.*.load_balancer.distribution.balancing_mode",
                                          "consumers.*.load_balancer.distribution."
                                          "max_rate_per_endpoint",
                                          "consumers.*.load_balancer.distribution.max_rate",
                                          "consumers.*.load_balancer.distribution."
                                          "max_connections_per_endpoint",
                                          "consumers.*.load_balancer.distribution.max_connections",
                                          "consumers.*.load_balancer.distribution.max_utilization",
                                          "consumers.*.load_balancer.distribution.backends",
                                          "consumers.*.load_balancer.distribution.backends.*."
                                          "max_rate_per_endpoint",
                                          "consumers.*.load_balancer.distribution.backends.*."
                                          "max_rate",
                                          "consumers.*.load_balancer.distribution.backends.*."
                                          "max_connections_per_endpoint",
                                          "consumers.*.load_balancer.distribution.backends.*."
                                          "max_connections",
                                          "consumers.*.load_balancer.distribution.backends.*."
                                          "max_utilization",
                                          "consumers.*.load_balancer.circuit_breakers",
                                          "consumers.*.load_balancer.per_try_timeout",
                                          "consumers.*.load_balancer.retry_back_off",
                                          "consumers.*.load_balancer.retry_back_off.max_interval",
                                          "consumers.*.load_balancer.connection_draining_timeout",
                                          "consumers.*.load_balancer.circuit_breakers.retry_budget",
                                          "consumers.*.client",
                                          "consumers.*.client.timeout",
                                          "faults[].for",
                                          "faults[].name",
                                          "faults[].flap",
                                          "faults[].instances.count",
                                          "faults[].instances.factor",
                                          "faults[].instances.by",
                                          "faults[].instances.vcpu_per_minute",
                                          "faults[].quota.starts_per_minute",
                                          "faults[].quota.instances",
                                          "faults[].link.by",
                                          "faults[].link.share",
                                          "faults[].link.per_second",
                                          "faults[].probers.count",
                                          "faults[].clock.ahead",
                                          "faults[].clock.behind",
                                          "expect[].name",
                                          "expect[].errors.at_least",
                                          "expect[].errors.at_most",
                                          "expect[].errors.consumer",
                                          "expect[].errors.region",
                                          "expect[].latency.consumer",
                                          "expect[].queue.from",
                                          "expect[].queue.to",
                                          "expect[].rate.at_least",
                                          "expect[].rate.at_most",
                                          "expect[].instances.at",
                                          "expect[].instances.at_least",
                                          "expect[].lost.consumer",
                                          "expect[].cost.of",
                                          "expect[].sequence.of[].of",
                                          "stop_if[].name",
                                          "stop_if[].errors.consumer",
                                          "stop_if[].instances.above",
                                          "stop_if[].event.of",
                                          "recovery"};

TEST(ScenarioSchema, DefaultsAreThoseOfTheStructs) {
  const auto loaded = parse_scenario(least, "s", SPILLOVER_SOURCE_DIR);
  ASSERT_EQ(joined(problems_of(loaded)), "");
  const auto resolved = tree_of(to_yaml(std::get<scenario>(loaded)));
  int compared = 0;
  each_key(expanded_schema(), "", [&](const std::string& path, const json& schema) {
    if (!schema.contains("default") || path == "faults" || path == "actions" || path == "expect"
        || path == "stop_if"
        || path.starts_with("network.links")
        // It belongs to another policy than the usual one.
        || path == "consumers.*.load_balancer.envoy.hash_keys"
        || path.starts_with("producers.*.overrides")
        // A revision's are those of its backend service.
        || path.starts_with("producers.*.backend_services.*.revisions"))
      return;
    std::vector<json> values;
    collect(resolved, path, values);
    EXPECT_FALSE(values.empty()) << path << " is not printed";
    const auto hit = std::any_of(values.begin(), values.end(),
                                 [&](const json& x) { return same(x, schema.at("default")); });
    // Where one key has to differ, e.g. policy, another entry of `least` has the default.
    EXPECT_TRUE(hit || path.ends_with(".waves"))
      << path << " is " << json(values).dump() << ", the schema says "
      << schema.at("default").dump();
    ++compared;
  });
  EXPECT_GT(compared, 60);
}

TEST(ScenarioSchema, EachKeyHasADescriptionAndADefaultOrAReasonForNone) {
  each_key(expanded_schema(), "", [](const std::string& path, const json& schema) {
    EXPECT_GT(schema.value("description", "").size(), 3u) << path;
    EXPECT_TRUE(schema.contains("type")) << path;
  });
  for (const auto& path : optional_keys) {
    bool found = false;
    each_key(expanded_schema(), "", [&](const std::string& x, const json& schema) {
      found = found || (x == path && !schema.contains("default"));
    });
    EXPECT_TRUE(found) << path;
  }
}

// Every mapping either lists its keys and allows no others, or has names of the user's.
void expect_closed(const json& x, const std::string& path) {
  if (x.is_array() || x.is_object())
    for (const auto& [key, value] : x.items())
      expect_closed(value, path + "/" + key);
  if (!x.is_object() || !x.contains("type")
      || x.at("type").dump().find("\"object\"") == std::string::npos)
    return;
  ASSERT_TRUE(x.contains("additionalProperties")) << path;
  if (x.contains("properties"))
    EXPECT_EQ(x.at("additionalProperties"), false) << path;
  else
    EXPECT_TRUE(x.contains("propertyNames")) << path;
}

TEST(ScenarioSchema, AllowsNoOtherKeysAnywhere) {
  expect_closed(scenario_schema(), "");
}

TEST(ScenarioSchema, NeedsAllThatIsNeitherOptionalNorHasADefault) {
  for (const auto* key : {"name", "duration", "producers", "consumers"}) {
    auto tree = tree_of(least);
    tree.erase(key);
    const auto problems = problems_of(parse_scenario(tree.dump(), "s"));
    ASSERT_FALSE(problems.empty());
    EXPECT_NE(problems.front().find("the key " + std::string{key} + " is missing"),
              std::string::npos)
      << problems.front();
  }
}

TEST(JudgeBySchema, AcceptsWhatTheCheckAccepts) {
  for (const auto text : {sample, least}) {
    problem_list problems{"s"};
    auto tree = parse_yaml(text, problems);
    ASSERT_TRUE(tree);
    check_schema(*tree, problems);
    EXPECT_TRUE(problems.empty());
    EXPECT_TRUE(judge_by_schema(*tree).empty());
  }
}

} // namespace

} // namespace spillover::test
