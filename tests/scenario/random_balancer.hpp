#pragma once

#include "lb/load_balancer_config.hpp"
#include "tests/scenario/random_source.hpp"

#include <algorithm>
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

inline circuit_breaker_config any_circuit_breakers(std::uint64_t seed) {
  random_source from{seed};
  circuit_breaker_config x;
  x.max_requests = from.between(1, 1'000'000);
  if (from.coin())
    x.retry_budget = {from.between(0, 100), from.between(0, 1'000'000)};
  else
    x.max_retries = from.between(0, 1'000'000);
  return x;
}

} // namespace spillover::test
