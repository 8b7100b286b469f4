#include "lb/load_balancer_config.hpp"

#include <algorithm>

namespace spillover {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using problems = std::vector<std::string>;

void add_range(problems& to, std::string_view field, std::uint64_t x, std::uint64_t from,
               std::uint64_t until) {
  if (x < from || x > until)
    to.push_back(std::string{field} + ": must be from " + std::to_string(from) + " to "
                 + std::to_string(until));
}

// Every level below the worst one has a region.
bool without_gaps(const std::vector<std::uint32_t>& priorities) {
  for (std::uint32_t level = 0; level < *std::max_element(priorities.begin(), priorities.end());
       ++level)
    if (std::find(priorities.begin(), priorities.end(), level) == priorities.end())
      return false;
  return true;
}

void add(problems& to, const envoy_config& x) {
  if (!x.priorities.empty() && !without_gaps(x.priorities))
    to.emplace_back("envoy.priorities: every priority must have a region");
  add_range(to, "envoy.overprovisioning_factor", x.overprovisioning_factor, 100, 100'000);
  add_range(to, "envoy.healthy_panic_threshold", x.healthy_panic_threshold, 0, 100);
  for (const auto weight : x.locality_weights)
    add_range(to, "envoy.locality_weights", weight, 1, 1'000'000);
  add_range(to, "envoy.hash_keys", x.hash_keys, 1, 1'000'000);
}

void add(problems& to, const dns_config& x) {
  if (x.ttl < seconds{1} || x.ttl > seconds{86'400})
    to.emplace_back("dns.ttl: must be from 1s to 86400s");
  add_range(to, "dns.resolvers", x.resolvers, 1, 1'000);
  if (x.client_cache < duration::zero() || x.client_cache > seconds{86'400})
    to.emplace_back("dns.client_cache: must be from 0s to 86400s");
}

void add(problems& to, const circuit_breaker_config& x) {
  add_range(to, "circuit_breakers.max_connections", x.max_connections, 1, 1'000'000);
  add_range(to, "circuit_breakers.max_pending_requests", x.max_pending_requests, 0, 1'000'000);
  add_range(to, "circuit_breakers.max_requests", x.max_requests, 1, 1'000'000);
  add_range(to, "circuit_breakers.max_retries", x.max_retries, 0, 1'000'000);
  if (!x.retry_budget)
    return;
  add_range(to, "circuit_breakers.retry_budget.percent", x.retry_budget->percent, 0, 100);
  add_range(to, "circuit_breakers.retry_budget.min_retry_concurrency",
            x.retry_budget->min_retry_concurrency, 0, 1'000'000);
}

void add_tries(problems& to, const load_balancer_config& x) {
  if (x.per_try_timeout
      && (*x.per_try_timeout < milliseconds{1} || *x.per_try_timeout > seconds{86'400}))
    to.emplace_back("per_try_timeout: must be from 1ms to 86400s");
  if ((x.per_try_timeout || x.retry_back_off) && !tries_again(x.kind))
    to.emplace_back(
      "kind: where nobody tries again there is no per_try_timeout and no retry_back_off");
  if (x.hedge_on_per_try_timeout && (!x.per_try_timeout || x.retries == 0))
    to.emplace_back("hedge_on_per_try_timeout: needs per_try_timeout, and at least one retry");
  if (const auto& pause = x.retry_back_off) {
    if (pause->base_interval < milliseconds{1} || pause->base_interval > seconds{3'600})
      to.emplace_back("retry_back_off.base_interval: must be from 1ms to 3600s");
    if (pause->max_interval < pause->base_interval || pause->max_interval > seconds{3'600})
      to.emplace_back("retry_back_off.max_interval: must be from base_interval to 3600s");
  }
  const auto& drain = x.connection_draining_timeout;
  if (drain && (*drain < duration::zero() || *drain > seconds{3'600}))
    to.emplace_back("connection_draining_timeout: must be from 0s to 3600s");
  if (drain && x.kind == load_balancer_kind::dns)
    to.emplace_back("connection_draining_timeout: kind dns has nobody who cuts requests off");
  if (drain && makes_connections(x))
    to.emplace_back("connection_draining_timeout: kind grpc lets requests end where they are");
}

void add_distribution(problems& to, const load_balancer_config& x) {
  if (!x.distribution)
    return;
  for (const auto& problem : validate(*x.distribution))
    to.push_back("distribution." + problem);
  if (x.kind == load_balancer_kind::dns || x.kind == load_balancer_kind::envoy
      || makes_connections(x))
    to.emplace_back("kind: dns, envoy and grpc do not distribute by capacity");
  const auto proxy_network = x.kind == load_balancer_kind::internal_proxy_network;
  if (x.distribution->mode == (proxy_network ? balancing_mode::rate : balancing_mode::connection))
    to.emplace_back(
      "distribution.balancing_mode: connections are for internal_proxy_network, rates for "
      "the others");
}

} // namespace

std::vector<outcome> usual_retries() {
  return {outcome::bad_gateway, outcome::unavailable, outcome::gateway_timeout};
}

problems validate(const load_balancer_config& x) {
  problems result;
  if (x.timeout < milliseconds{1} || x.timeout > seconds{86'400})
    result.emplace_back("timeout: must be from 1ms to 86400s");
  if (x.retries > 25)
    result.emplace_back("retries: must be at most 25");
  if (x.retries > 0 && !tries_again(x.kind))
    result.emplace_back("retries: must be 0 where nobody tries again");
  for (const auto how : {outcome::ok, outcome::lb_timeout, outcome::client_timeout})
    if (std::find(x.retry_on.begin(), x.retry_on.end(), how) != x.retry_on.end())
      result.push_back("retry_on: " + std::string{to_string(how)} + " is never tried again");
  add_tries(result, x);
  if (x.proxies < 1 || x.proxies > 1'000)
    result.emplace_back("proxies: must be from 1 to 1000");
  if (x.outlier_detection)
    for (const auto& problem : validate(*x.outlier_detection))
      result.push_back("outlier_detection." + problem);
  if (x.kind == load_balancer_kind::dns && (x.outlier_detection || x.circuit_breakers))
    result.emplace_back("kind: dns has nobody who detects outliers or breaks circuits");
  if (makes_connections(x) && (x.outlier_detection || x.circuit_breakers))
    result.emplace_back("kind: grpc detects no outliers and breaks no circuits here");
  add(result, x.envoy);
  add(result, x.dns);
  for (const auto& problem : validate(x.grpc))
    result.push_back("grpc." + problem);
  if (x.circuit_breakers)
    add(result, *x.circuit_breakers);
  for (const auto& problem : validate(x.failback))
    result.push_back(problem);
  add_distribution(result, x);
  if (!has_psc_negs(x) && wants_failback_policy(x))
    result.emplace_back("failback: failback, failover and actions have no meaning with kind dns, "
                        "envoy or grpc, or with distribution");
  return result;
}

bool tries_again(load_balancer_kind x) noexcept {
  return x != load_balancer_kind::internal_proxy_network && x != load_balancer_kind::dns;
}

bool has_psc_negs(const load_balancer_config& x) noexcept {
  return x.kind != load_balancer_kind::dns && x.kind != load_balancer_kind::envoy
         && !makes_connections(x) && !x.distribution;
}

bool wants_endpoints(const load_balancer_config& x) noexcept {
  return x.kind == load_balancer_kind::envoy || x.distribution.has_value();
}

bool wants_utilization(const load_balancer_config& x) noexcept {
  return x.distribution && x.distribution->mode == balancing_mode::utilization;
}

std::uint32_t deciding_proxies(const load_balancer_config& x) noexcept {
  return x.outlier_detection || x.circuit_breakers || makes_connections(x) ? x.proxies : 1;
}

bool makes_connections(const load_balancer_config& x) noexcept {
  return x.kind == load_balancer_kind::grpc;
}

bool wants_try_table(const load_balancer_config& x) noexcept {
  const auto waits = x.circuit_breakers && x.circuit_breakers->protocol == upstream_protocol::http1;
  return waits || makes_connections(x) || x.per_try_timeout || x.retry_back_off
         || x.connection_draining_timeout;
}

bool wants_failback_policy(const load_balancer_config& x) noexcept {
  return x.failback != failback_config{} || !x.actions.empty();
}

} // namespace spillover
