#pragma once

#include "tests/scenario/sample.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace spillover::test {

// A scenario that no check remarks on. Tests count on its lines.
inline constexpr std::string_view quiet = R"(name: quiet
duration: 10m
warm_up: 1m
network:
  default: {latency: 10ms}
  links:
    - {between: [shop, west], latency: 40ms}
producers:
  checkout:
    regions: [east, west]
    backend_services:
      web:
        instance: {cpu: 1, concurrency: 10, cold_start: 2s, service_time: 200ms, cpu_per_request: 20ms}
        autoscaling: {policy: fixed, instances: 10}
        health_check: {interval: 5s, timeout: 5s}
    composite_health:
      sources:
        - {backend_service: web, healthy_percent_threshold: 60, min_healthy_threshold: 1}
consumers:
  shop:
    load_balancer: {regions: [east, west], timeout: 10s, retries: 1}
    traffic: [{open_loop: {rate: 50}}]
    client: {timeout: 20s}
faults:
  - {at: 2m, for: 2m, instances: {of: east/checkout/web, fraction: 50%, become: silent}}
expect:
  - failover: {from: east, within: 20s}
  - failback: {to: east, within: 30s}
  - capacity_recovered: {in: west, within: 1m}
  - errors: {from: 2m, to: 4m, at_most: 5%}
)";

// Places of the quiet world that are changed, each before and after.
using lint_edit = std::vector<std::pair<const char*, const char*>>;

struct lint_world {
  const char* why;
  const char* id;
  lint_edit bad;
  // As near to it as can be, without the remark.
  lint_edit neighbour;
  // What the check says about the bad one, a line each.
  const char* expected;
};

std::vector<lint_world> lint_worlds();

// Those about probes, and load that comes too late.
std::vector<lint_world> probe_worlds();

// Those about revisions.
std::vector<lint_world> revision_worlds();

} // namespace spillover::test
