#pragma once

#include "model/random.hpp"
#include "scenario/scenario.hpp"

namespace spillover::test {

/// Gives consumers of a world other kinds of load balancers, and circuit breakers.
inline void vary_balancers(scenario& x, std::uint64_t seed) {
  random_stream random{seed, "random world/balancers"};
  const auto below = [&random](std::uint32_t n) {
    return static_cast<std::uint32_t>(random.below(n));
  };
  for (auto& consumer : x.consumers) {
    auto& lb = consumer.load_balancer;
    lb.kind = static_cast<load_balancer_kind>(below(5));
    lb.unknown = static_cast<unknown_policy>(below(3));
    if (!tries_again(lb.kind)) {
      lb.retries = 0;
      lb.retry_on.clear();
    }
    const auto regions = static_cast<std::uint32_t>(consumer.regions.size());
    auto& envoy = lb.envoy;
    envoy.policy = static_cast<host_policy>(below(4));
    envoy.healthy_panic_threshold = below(2) * 50;
    if (below(2) == 0)
      for (std::uint32_t i = 0; i < regions; ++i)
        envoy.priorities.push_back(i / 2);
    if (below(2) == 0)
      for (std::uint32_t i = 0; i < regions; ++i)
        envoy.locality_weights.push_back(1 + below(5));
    lb.dns.ttl = std::chrono::seconds{1 + below(30)};
    lb.dns.resolvers = 1 + below(5);
    lb.dns.answer = static_cast<dns_answer>(below(2));
    if (lb.kind == load_balancer_kind::dns) {
      lb.outlier_detection.reset();
      lb.proxies = 1;
    } else if (below(2) == 0) {
      auto& limits = lb.circuit_breakers.emplace();
      limits.max_requests = 1 + below(10);
      limits.max_retries = below(3);
      if (below(2) == 0)
        limits.retry_budget = {below(101), below(3)};
    }
    if (lb.kind != load_balancer_kind::envoy)
      lb.envoy = {};
    if (lb.kind != load_balancer_kind::dns)
      lb.dns = {};
  }
}

/// Lets the clients of a world balance for themselves, over connections that they make.
inline void vary_channels(scenario& x, std::uint64_t seed) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  random_stream random{seed, "random world/channels"};
  const auto below = [&random](std::uint32_t n) {
    return static_cast<std::uint32_t>(random.below(n));
  };
  for (auto& consumer : x.consumers) {
    const auto before = consumer.load_balancer;
    auto& lb = consumer.load_balancer = {};
    lb.kind = load_balancer_kind::grpc;
    lb.timeout = before.timeout;
    lb.unknown = before.unknown;
    lb.retries = below(3);
    lb.proxies = 1 + below(3);
    auto& grpc = lb.grpc;
    grpc.connect_timeout = milliseconds{100} * (1 + below(60));
    grpc.addresses = 1 + below(3);
    grpc.failover_timer_restarts = static_cast<timer_restart>(below(3));
    if (below(2) == 0)
      grpc.keepalive = {.interval = seconds{1 + below(10)}, .timeout = seconds{1 + below(5)}};
    grpc.wait_for_ready = below(2) == 0;
    grpc.idle_timeout = seconds{1 + below(60)};
    if (below(2) == 0)
      lb.per_try_timeout = milliseconds{20} * (1 + below(100));
  }
}

/// Lets things happen to single tries of a world's load balancers.
inline void vary_tries(scenario& x, std::uint64_t seed) {
  using std::chrono::milliseconds;
  random_stream random{seed, "random world/tries"};
  const auto below = [&random](std::uint32_t n) {
    return static_cast<std::uint32_t>(random.below(n));
  };
  for (auto& consumer : x.consumers) {
    auto& lb = consumer.load_balancer;
    if (lb.kind == load_balancer_kind::dns)
      continue;
    if (below(2) == 0)
      lb.connection_draining_timeout = milliseconds{100} * below(100);
    if (below(2) == 0)
      lb.circuit_breakers = circuit_breaker_config{.protocol = upstream_protocol::http1,
                                                   .max_connections = 1 + below(10),
                                                   .max_pending_requests = below(10)};
    if (!tries_again(lb.kind))
      continue;
    lb.retries = 1 + below(3);
    lb.per_try_timeout = milliseconds{20} * (1 + below(100));
    lb.hedge_on_per_try_timeout = below(2) == 0;
    if (below(2) == 0)
      lb.retry_back_off.emplace();
  }
}

} // namespace spillover::test
