#include "scenario/write_balancer.hpp"

#include "scenario/names.hpp"
#include "scenario/values.hpp"
#include "scenario/write_capacity.hpp"

namespace spillover {

namespace {

using json = nlohmann::ordered_json;

json write(const envoy_config& x, const std::vector<std::string>& regions) {
  json result;
  if (!x.priorities.empty()) {
    auto levels = json::array();
    for (std::size_t i = 0; i < regions.size(); ++i) {
      while (levels.size() <= x.priorities[i])
        levels.push_back(json::array());
      levels[x.priorities[i]].push_back(regions[i]);
    }
    result["priorities"] = levels;
  }
  result["overprovisioning_factor"] = x.overprovisioning_factor;
  result["healthy_panic_threshold"] = x.healthy_panic_threshold;
  for (std::size_t i = 0; i < x.locality_weights.size(); ++i)
    result["locality_weights"][regions[i]] = x.locality_weights[i];
  result["policy"] = name_of(x.policy, host_policies);
  if (x.policy == host_policy::ring_hash)
    result["hash_keys"] = x.hash_keys;
  return result;
}

json write(const dns_config& x) {
  return {{"ttl", to_string(x.ttl)},
          {"resolvers", x.resolvers},
          {"health_checked", x.health_checked},
          {"answer", name_of(x.answer, dns_answers)},
          {"client_cache", to_string(x.client_cache)},
          {"cache_forever", x.cache_forever}};
}

json write(const grpc_config& x) {
  json result = {{"connect_timeout", to_string(x.connect_timeout)},
                 {"addresses", x.addresses},
                 {"back_off",
                  {{"base_interval", to_string(x.back_off.base_interval)},
                   {"multiplier", x.back_off.multiplier},
                   {"jitter", x.back_off.jitter},
                   {"max_interval", to_string(x.back_off.max_interval)}}},
                 {"failover_timeout", to_string(x.failover_timeout)},
                 {"failover_timer_restarts", name_of(x.failover_timer_restarts, timer_restarts)}};
  if (x.keepalive)
    result["keepalive"] = {{"interval", to_string(x.keepalive->interval)},
                           {"timeout", to_string(x.keepalive->timeout)}};
  result["wait_for_ready"] = x.wait_for_ready;
  result["idle_timeout"] = to_string(x.idle_timeout);
  return result;
}

json write(const circuit_breaker_config& x) {
  json result = {{"protocol", name_of(x.protocol, upstream_protocols)}};
  if (x.protocol == upstream_protocol::http1) {
    result["max_connections"] = x.max_connections;
    result["max_pending_requests"] = x.max_pending_requests;
  }
  result["max_requests"] = x.max_requests;
  if (x.retry_budget)
    result["retry_budget"] = {{"percent", x.retry_budget->percent},
                              {"min_retry_concurrency", x.retry_budget->min_retry_concurrency}};
  else
    result["max_retries"] = x.max_retries;
  return result;
}

void write_tries(json& to, const load_balancer_config& x) {
  if (x.per_try_timeout)
    to["per_try_timeout"] = to_string(*x.per_try_timeout);
  to["hedge_on_per_try_timeout"] = x.hedge_on_per_try_timeout;
  if (const auto& pause = x.retry_back_off)
    to["retry_back_off"] = {{"base_interval", to_string(pause->base_interval)},
                            {"max_interval", to_string(pause->max_interval)}};
}

} // namespace

json write_balancer(const consumer_spec& x) {
  const auto& config = x.load_balancer;
  json result = {{"kind", name_of(config.kind, load_balancer_kinds)},
                 {"regions", x.regions},
                 {"timeout", to_string(config.timeout)}};
  if (tries_again(config.kind)) {
    result["retries"] = config.retries;
    auto retry_on = json::array();
    for (const auto how : config.retry_on)
      retry_on.push_back(name_of(how, outcomes));
    result["retry_on"] = retry_on;
    write_tries(result, config);
  }
  if (config.connection_draining_timeout)
    result["connection_draining_timeout"] = to_string(*config.connection_draining_timeout);
  result["unknown_policy"] = name_of(config.unknown, unknown_policies);
  if (config.kind == load_balancer_kind::dns)
    result["dns"] = write(config.dns);
  else
    result["proxies"] = config.proxies;
  if (config.kind == load_balancer_kind::envoy)
    result["envoy"] = write(config.envoy, x.regions);
  if (makes_connections(config))
    result["grpc"] = write(config.grpc);
  if (config.distribution)
    result["distribution"] = write_capacity(*config.distribution, x.regions);
  if (config.circuit_breakers)
    result["circuit_breakers"] = write(*config.circuit_breakers);
  return result;
}

} // namespace spillover
