#pragma once

#include "scenario/scenario.hpp"
#include "tests/scenario/random_source.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace spillover::test {

/// @returns valid settings of an Envoy before so many regions.
inline envoy_config any_envoy(std::uint64_t seed, std::uint32_t regions) {
  random_source from{seed};
  envoy_config x;
  if (from.coin())
    for (std::uint32_t place = 0; place < regions; ++place)
      x.priorities.push_back(from.between(0, regions - 1));
  x.overprovisioning_factor = from.between(100, 100'000);
  x.healthy_panic_threshold = from.between(0, 100);
  if (from.coin())
    for (std::uint32_t place = 0; place < regions; ++place)
      x.locality_weights.push_back(from.between(1, 1'000'000));
  x.policy = static_cast<host_policy>(from.between(0, 3));
  const auto keys = from.between(1, 1'000'000);
  if (x.policy == host_policy::ring_hash)
    x.hash_keys = keys;
  // Levels without gaps.
  std::vector<std::uint32_t> used = x.priorities;
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (auto& level : x.priorities)
    level = static_cast<std::uint32_t>(std::find(used.begin(), used.end(), level) - used.begin());
  return x;
}

inline dns_config any_dns(std::uint64_t seed) {
  random_source from{seed};
  dns_config x;
  x.ttl = from.span(std::chrono::seconds{1}, std::chrono::seconds{86'400});
  x.resolvers = from.between(1, 1'000);
  x.health_checked = from.coin();
  x.answer = from.coin() ? dns_answer::all : dns_answer::failover;
  x.client_cache = from.span(duration::zero(), std::chrono::seconds{86'400});
  x.cache_forever = from.coin();
  return x;
}

inline grpc_config any_grpc(std::uint64_t seed) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  random_source from{seed};
  grpc_config x;
  x.connect_timeout = from.span(milliseconds{1}, seconds{3'600});
  x.addresses = from.between(1, 100);
  x.back_off.base_interval = from.span(milliseconds{1}, seconds{3'600});
  x.back_off.multiplier = from.between(100, 1'000);
  x.back_off.jitter = from.between(0, 100);
  x.back_off.max_interval = from.span(x.back_off.base_interval, seconds{86'400});
  x.failover_timeout = from.span(milliseconds{1}, seconds{3'600});
  x.failover_timer_restarts = static_cast<timer_restart>(from.between(0, 2));
  if (from.coin())
    x.keepalive = {.interval = from.span(milliseconds{100}, seconds{86'400}),
                   .timeout = from.span(milliseconds{1}, seconds{3'600})};
  x.wait_for_ready = from.coin();
  x.idle_timeout = from.span(seconds{1}, seconds{86'400});
  return x;
}

inline circuit_breaker_config any_circuit_breakers(std::uint64_t seed) {
  random_source from{seed};
  circuit_breaker_config x;
  if (from.coin()) {
    x.protocol = upstream_protocol::http1;
    x.max_connections = from.between(1, 1'000'000);
    x.max_pending_requests = from.between(0, 1'000'000);
  }
  x.max_requests = from.between(1, 1'000'000);
  if (from.coin())
    x.retry_budget = {from.between(0, 100), from.between(0, 1'000'000)};
  else
    x.max_retries = from.between(0, 1'000'000);
  return x;
}

/// Gives a load balancer valid settings of its own kind, where these do not depend on its regions.
inline void any_of_kind(std::uint64_t seed, load_balancer_config& x) {
  if (x.kind == load_balancer_kind::dns)
    x.dns = any_dns(seed);
  if (makes_connections(x))
    x.grpc = any_grpc(seed);
}

/// Gives a load balancer valid settings of what happens to single tries.
inline void any_tries(std::uint64_t seed, load_balancer_config& x) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  random_source from{seed};
  if (x.kind != load_balancer_kind::dns && !makes_connections(x) && from.coin())
    x.connection_draining_timeout = from.span(seconds{0}, seconds{3'600});
  if (!tries_again(x.kind))
    return;
  if (from.coin()) {
    x.per_try_timeout = from.span(milliseconds{1}, seconds{86'400});
    x.hedge_on_per_try_timeout = x.retries > 0 && from.coin();
  }
  if (from.coin()) {
    auto& pause = x.retry_back_off.emplace();
    pause.base_interval = from.span(milliseconds{1}, seconds{3'600});
    pause.max_interval = from.span(pause.base_interval, seconds{3'600});
  }
}

/// @returns a valid distribution over so many regions.
inline capacity_config any_capacity(std::uint64_t seed, std::uint32_t regions,
                                    balancing_mode mode) {
  random_source from{seed};
  const auto utilization = mode == balancing_mode::utilization;
  capacity_config x;
  x.mode = mode;
  x.groups = from.coin() ? group_extent::zonal : group_extent::regional;
  x.algorithm = static_cast<distribution_algorithm>(from.between(0, 2));
  if (x.groups == group_extent::regional
      && x.algorithm == distribution_algorithm::waterfall_by_zone)
    x.algorithm = distribution_algorithm::spray_to_region;
  for (std::uint32_t place = 0; place < regions; ++place)
    x.regions.push_back(
      {.target_milli = from.between(1, utilization ? 1'000 : 1'000'000'000),
       .per_endpoint = utilization || from.coin(),
       .scaler_milli = place > 0 && from.between(0, 3) == 0 ? 0 : from.between(100, 1'000),
       .preferred = from.coin()});
  x.auto_capacity_drain = from.coin();
  x.failover_health_threshold = from.between(1, 99);
  if (from.coin())
    x.isolation = from.coin() ? isolation_mode::nearest : isolation_mode::strict;
  x.measured_over = from.span(std::chrono::seconds{1}, std::chrono::seconds{600});
  x.recomputed_every = from.span(std::chrono::milliseconds{100},
                                 std::min<duration>(x.measured_over, std::chrono::seconds{60}));
  return x;
}

/// Lets a consumer whose regions are known distribute by capacity now and then, where that is possible.
inline void add_distribution(std::uint64_t seed, const scenario& in, consumer_spec& x) {
  random_source from{seed};
  auto& lb = x.load_balancer;
  if (!has_psc_negs(lb) || from.between(0, 2) > 0)
    return;
  auto mode = lb.kind == load_balancer_kind::internal_proxy_network ? balancing_mode::connection
                                                                    : balancing_mode::rate;
  const auto tells = [&x](const published_service_spec& y) {
    return y.service != x.service
           || std::all_of(y.backend_services.begin(), y.backend_services.end(),
                          [](const auto& z) { return z.backends == backend_kind::instance_group; });
  };
  const auto& published = in.published_services;
  if (from.coin() && std::all_of(published.begin(), published.end(), tells))
    mode = balancing_mode::utilization;
  lb.distribution = any_capacity(seed + 1, static_cast<std::uint32_t>(x.regions.size()), mode);
}

} // namespace spillover::test
