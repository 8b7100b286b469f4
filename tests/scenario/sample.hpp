#pragma once

#include "scenario/load.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover::test {

// A small scenario with one of everything that other parts refer to. Tests count on its lines.
inline constexpr std::string_view sample = R"(name: sample
seed: 7
duration: 10m
warm_up: 1m
network:
  default: {latency: 30ms, jitter: 2ms, loss: 0.1%}
  links:
    - {between: [shop, us-east1], latency: 8ms}
    - {from: us-west1, to: shop, plane: all, latency: 70ms}
producers:
  checkout:
    regions: [us-east1, us-west1]
    backend_services:
      web:
        instance: {cpu: 2, concurrency: 40, service_time: {lognormal: {median: 40ms, p99: 200ms}}}
        autoscaling: {policy: cloud_run, min_instances: 2, max_instances: 20}
        health_check: {interval: 4s, timeout: 3s, probers: 3}
      api:
        autoscaling: {policy: fixed, instances: 3}
    composite_health:
      sources:
        - {backend_service: web, healthy_percent_threshold: 60, min_healthy_threshold: 1}
    overrides:
      us-west1:
        web: {autoscaling: {min_instances: 1}}
consumers:
  shop:
    load_balancer: {regions: [us-east1, us-west1], retry_on: [unavailable]}
    traffic:
      - open_loop: {rate: [{at: 0s, rps: 100}, {at: 5m, rps: 200}]}
      - closed_loop: {clients: 10, think_time: {exponential: {mean: 2s}}}
    client: {retries: 1, backoff: {base: 1s, max: 5s}}
faults:
  - {at: 2m, for: 1m, instances: {of: us-east1/checkout/web, fraction: 50%, become: silent}}
  - {at: 4m, for: 1m, region: {name: us-east1}}
  - {at: 6m, for: 1m, link: {between: [shop, us-west1], become: delayed, by: 1s}}
expect:
  - failover: {from: us-east1, within: 20s}
  - errors: {from: 2m, to: 4m, at_most: 1%}
  - transitions: {of: us-east1/checkout, at_most: 2}
)";

// The sample with one place changed.
inline std::string edited(std::string_view before, std::string_view after) {
  std::string text{sample};
  const auto position = text.find(before);
  EXPECT_NE(position, std::string::npos) << before;
  if (position != std::string::npos)
    text.replace(position, before.size(), after);
  return text;
}

using outcome_of_load = std::variant<scenario, std::vector<problem>>;

inline std::vector<std::string> problems_of(const outcome_of_load& x) {
  std::vector<std::string> result;
  if (const auto* problems = std::get_if<std::vector<problem>>(&x))
    for (const auto& y : *problems)
      result.push_back(to_string(y));
  return result;
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string result;
  for (const auto& x : lines)
    result += (result.empty() ? "" : "\n") + x;
  return result;
}

// The scenario that a valid text holds.
inline scenario valid(std::string_view text) {
  auto result = parse_scenario(text, "s");
  EXPECT_EQ(joined(problems_of(result)), "") << text;
  return std::holds_alternative<scenario>(result) ? std::get<scenario>(std::move(result))
                                                  : scenario{};
}

inline std::string read_file(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace spillover::test
