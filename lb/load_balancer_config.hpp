#pragma once

#include "lb/balancer_action.hpp"
#include "lb/capacity_config.hpp"
#include "lb/failback_policy.hpp"
#include "lb/grpc_config.hpp"
#include "lb/outlier_detection.hpp"
#include "lb/region_router.hpp"
#include "model/record.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// How a consumer finds the region of a request.
enum class load_balancer_kind : std::uint8_t {
  /// HTTP; one PSC NEG is one endpoint (B-33).
  global_external_application,
  cross_region_internal_application,
  /// The same, but of connections: it sees no status and tries nothing again.
  internal_proxy_network,
  /// No balancer: clients use the addresses that a name resolves to (B-80).
  dns,
  /// Envoy's priorities, over endpoints (B-59..B-66).
  envoy,
  /// No balancer: clients balance for themselves, over connections that they make (B-87..B-89).
  grpc,
};

/// How Envoy chooses within a priority.
enum class host_policy : std::uint8_t { round_robin, least_request, random, ring_hash };

/// How an Envoy balances over the endpoints of the regions (B-59..B-64).
struct envoy_config {
  /// The priority of each region, by place, 0 the best, without gaps; empty: each region has its own, by
  /// latency (B-66).
  std::vector<std::uint32_t> priorities = {};

  /// In percent, 100..100000; 140 lets a priority lose 28 % of its endpoints before load goes to the next
  /// one (B-59).
  std::uint32_t overprovisioning_factor = 140;

  /// In percent, 0..100: with fewer healthy endpoints a priority uses all of its endpoints (B-61); 0 for
  /// never: requests are then refused with 503 when nobody is healthy (B-62).
  std::uint32_t healthy_panic_threshold = 50;

  /// The weight of each region within its priority, by place, 1..1000000 (B-64); empty: by endpoints.
  std::vector<std::uint32_t> locality_weights = {};

  host_policy policy = host_policy::round_robin;

  /// Of `ring_hash`: different keys of clients, 1..1000000; requests have them in turn.
  std::uint32_t hash_keys = 1'000;

  friend bool operator==(const envoy_config&, const envoy_config&) = default;
};

/// What a name resolves to.
enum class dns_answer : std::uint8_t {
  /// The closest healthy region.
  failover,
  /// All healthy regions; each request goes to one of them.
  all,
};

/// How clients find regions by DNS (B-80).
struct dns_config {
  /// How long a resolver keeps an answer, 1s..86400s.
  duration ttl = std::chrono::seconds{60};

  /// Caches that the clients are spread over, 1..1000.
  std::uint32_t resolvers = 20;

  /// Regions that are UNHEALTHY are left out of answers.
  bool health_checked = true;

  dns_answer answer = dns_answer::failover;

  /// How long clients use an address they once got, where that is longer than the TTL,
  /// 0s..86400s.
  duration client_cache{};

  /// They use it as long as they live.
  bool cache_forever = false;

  friend bool operator==(const dns_config&, const dns_config&) = default;
};

/// The share of requests that may be retries, in place of `max_retries` (B-81).
struct retry_budget_config {
  /// Of the requests in flight, 0..100 %.
  std::uint32_t percent = 20;

  /// Retries that may always be, 0..1000000.
  std::uint32_t min_retry_concurrency = 3;

  friend bool operator==(const retry_budget_config&, const retry_budget_config&) = default;
};

/// How the tries from one proxy to one region use connections (B-83).
enum class upstream_protocol : std::uint8_t {
  /// Each has one of its own while it is in flight.
  http1,
  /// They share one, which is always there.
  http2,
};

/// What each proxy lets through to each region; what is more fails at once (B-81).
struct circuit_breaker_config {
  upstream_protocol protocol = upstream_protocol::http2;

  /// Of http1: connections, 1..1000000; tries beyond wait for one (B-83).
  std::uint32_t max_connections = 1'024;

  /// Of http1: tries that wait for a connection, 0..1000000; what is more fails at once.
  std::uint32_t max_pending_requests = 1'024;

  /// Tries in flight, 1..1000000.
  std::uint32_t max_requests = 1'024;

  /// Of these retries, 0..1000000; without a budget.
  std::uint32_t max_retries = 3;

  std::optional<retry_budget_config> retry_budget = {};

  friend bool operator==(const circuit_breaker_config&, const circuit_breaker_config&) = default;
};

/// The pause before a retry: before the n-th any time from 0 to min(`base_interval` x 2^(n - 1),
/// `max_interval`), exclusively, drawn evenly (B-85).
struct retry_back_off_config {
  /// 1ms..3600s.
  duration base_interval = std::chrono::milliseconds{25};

  /// From `base_interval` to 3600s; a scenario that names none gets ten times `base_interval`, or 3600s.
  duration max_interval = std::chrono::milliseconds{250};

  friend bool operator==(const retry_back_off_config&, const retry_back_off_config&) = default;
};

/// @returns outcomes that a load balancer tries again unless it is told otherwise.
std::vector<outcome> usual_retries();

/// A consumer's load balancer in front of one PSC NEG per region.
struct load_balancer_config {
  load_balancer_kind kind = load_balancer_kind::global_external_application;

  /// For a request with all its tries, 1ms..86400s (B-58).
  duration timeout = std::chrono::seconds{30};

  /// Further tries after the first, 0..25, each in a region not tried yet while there is one; none where
  /// nobody tries again (`tries_again`).
  std::uint32_t retries = 1;

  /// Outcomes that are tried again; the timeout never is.
  std::vector<outcome> retry_on = usual_retries();

  /// For one try, 1ms..86400s (B-84): what takes longer counts as 504 to `retry_on` and outlier
  /// detection. Nothing: no limit but `timeout`.
  std::optional<duration> per_try_timeout = {};

  /// A try whose `per_try_timeout` ends goes on beside the next one, and the first answer counts (B-84);
  /// needs both, the timeout and retries.
  bool hedge_on_per_try_timeout = false;

  /// Nothing: retries are made at once.
  std::optional<retry_back_off_config> retry_back_off = {};

  /// How long tries in flight go on in a region that may not be used any more, 0s..3600s, before they are cut
  /// off, which counts as 502 (B-86). Nothing: until they end by themselves (B-32).
  std::optional<duration> connection_draining_timeout = {};

  unknown_policy unknown = unknown_policy::as_healthy;

  /// Processes that make it up, 1..1000; each request goes to any of them, and each detects outliers
  /// for itself (B-48) and has circuit breakers of its own (B-81). Without either they are all alike, and
  /// their number changes nothing. Of `kind` grpc these are channels, each with connections of its own.
  std::uint32_t proxies = 1;

  /// Leaves regions for what they answer (B-43..B-48); nothing: off.
  std::optional<outlier_detection_config> outlier_detection = {};

  /// Of `kind` envoy.
  envoy_config envoy = {};

  /// Of `kind` dns.
  dns_config dns = {};

  /// Of `kind` grpc.
  grpc_config grpc = {};

  /// By the capacities of the groups of the regions, in place of PSC NEGs (B-33, B-49..B-57); nothing: by PSC
  /// NEGs. Not for the kinds dns, envoy and grpc.
  std::optional<capacity_config> distribution = {};

  /// Nothing: no limits.
  std::optional<circuit_breaker_config> circuit_breakers = {};

  /// How it leaves regions and comes back to them; the defaults do both at once (B-29). Not for the kinds
  /// dns, envoy and grpc.
  failback_config failback = {};

  /// What operators do meanwhile, in the order of time.
  std::vector<balancer_action> actions = {};

  friend bool operator==(const load_balancer_config&, const load_balancer_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const load_balancer_config& x);

/// @returns whether a balancer of this kind sees how requests end, and can try them again.
bool tries_again(load_balancer_kind x) noexcept;

/// @returns whether it routes by the states of PSC NEGs alone.
bool has_psc_negs(const load_balancer_config& x) noexcept;

/// @returns whether it wants to know the endpoints of each region (`endpoint_view`).
bool wants_endpoints(const load_balancer_config& x) noexcept;

/// @returns whether tries have to be known one by one, and not only the last one of each request: where
///          something happens to them between their sending and their answer.
bool wants_try_table(const load_balancer_config& x) noexcept;

/// @returns whether it wants to know the utilization of each region beside them.
bool wants_utilization(const load_balancer_config& x) noexcept;

/// @returns whether its clients make the connections that tries use (B-87).
bool makes_connections(const load_balancer_config& x) noexcept;

/// @returns in how many processes that decide apart from each other its requests are routed.
std::uint32_t deciding_proxies(const load_balancer_config& x) noexcept;

/// @returns whether a failback policy stands between states and routers.
bool wants_failback_policy(const load_balancer_config& x) noexcept;

} // namespace spillover
