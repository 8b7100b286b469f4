#include "scenario/names.hpp"
#include "scenario/read.hpp"
#include "scenario/values.hpp"

#include <algorithm>
#include <array>

namespace spillover {

namespace {

/// Keys that only one kind of load balancer has.
constexpr std::array<std::pair<std::string_view, load_balancer_kind>, 3> own_keys{{
  {"envoy", load_balancer_kind::envoy},
  {"dns", load_balancer_kind::dns},
  {"grpc", load_balancer_kind::grpc},
}};

std::string name_of_kind(load_balancer_kind kind) {
  return std::string{name_of(kind, load_balancer_kinds)};
}

void refuse_other_keys(const section& from, load_balancer_kind kind) {
  for (const auto& [key, whose] : own_keys)
    if (from.has(key) && kind != whose)
      from.fail(key, "has no meaning with kind " + name_of_kind(kind) + "; only "
                       + name_of_kind(whose) + " has it");
  if (!tries_again(kind))
    for (const auto* key :
         {"retries", "retry_on", "per_try_timeout", "hedge_on_per_try_timeout", "retry_back_off"})
      if (from.has(key))
        from.fail(key, "has no meaning with kind " + name_of_kind(kind)
                         + ": only clients see how a request ended, and can try it again");
  if (kind == load_balancer_kind::dns)
    for (const auto* key :
         {"outlier_detection", "circuit_breakers", "proxies", "connection_draining_timeout"})
      if (from.has(key))
        from.fail(key, "has no meaning with kind dns: no balancer is between clients and regions");
  if (kind == load_balancer_kind::grpc)
    for (const auto* key : {"outlier_detection", "circuit_breakers", "connection_draining_timeout"})
      if (from.has(key))
        from.fail(key, "has no meaning with kind grpc, whose clients have connections and nothing "
                       "else to judge regions by");
}

void read_priorities(const section& from, const std::vector<std::string>& regions,
                     envoy_config& into) {
  constexpr auto nowhere = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> levels(regions.size(), nowhere);
  std::uint32_t level = 0;
  auto whole = true;
  for (const auto& group : from.list("priorities")) {
    for (const auto& x : group.items) {
      const auto place = x.bad ? std::nullopt : place_of(from, x.text, x.at, regions);
      if (place && levels[*place] != nowhere)
        from.problems().add(x.at, "priorities: \"" + x.text + "\" is there twice");
      else if (place)
        levels[*place] = level;
      whole = whole && place;
    }
    ++level;
  }
  for (std::size_t i = 0; i < regions.size() && whole; ++i)
    if (levels[i] == nowhere) {
      from.fail("priorities",
                "must name every region of this load balancer; not there: " + regions[i]);
      whole = false;
    }
  if (whole)
    into.priorities = std::move(levels);
}

} // namespace

std::optional<std::size_t> place_of(const section& from, const std::string& region, mark at,
                                    const std::vector<std::string>& regions) {
  const auto found = std::find(regions.begin(), regions.end(), region);
  if (found != regions.end())
    return static_cast<std::size_t>(found - regions.begin());
  from.problems().add(at, "\"" + region + "\" is not among the regions of this load balancer"
                            + suggestion(region, regions, "known"));
  return std::nullopt;
}

envoy_config read_envoy(const section& from, const std::vector<std::string>& regions) {
  envoy_config result;
  if (from.has("priorities"))
    read_priorities(from, regions, result);
  from.read("overprovisioning_factor", result.overprovisioning_factor);
  from.read("healthy_panic_threshold", result.healthy_panic_threshold);
  if (from.has("locality_weights")) {
    result.locality_weights.assign(regions.size(), 1);
    for (const auto& x : from.entries("locality_weights")) {
      const auto place = x.value.bad ? std::nullopt : place_of(from, x.key, x.key_at, regions);
      if (place)
        result.locality_weights[*place] = static_cast<std::uint32_t>(x.value.number);
    }
  }
  read_name(from, "policy", host_policies, result.policy);
  from.read("hash_keys", result.hash_keys);
  if (from.has("hash_keys") && from.fine({"policy"}) && result.policy != host_policy::ring_hash)
    from.fail("hash_keys", "has a meaning with policy: ring_hash only");
  return result;
}

dns_config read_dns(const section& from) {
  dns_config result;
  from.read("ttl", result.ttl);
  from.read("resolvers", result.resolvers);
  from.read("health_checked", result.health_checked);
  read_name(from, "answer", dns_answers, result.answer);
  from.read("client_cache", result.client_cache);
  from.read("cache_forever", result.cache_forever);
  return result;
}

grpc_config read_grpc(const section& from) {
  grpc_config result;
  from.read("connect_timeout", result.connect_timeout);
  from.read("addresses", result.addresses);
  const auto pause = from.at("back_off");
  pause.read("base_interval", result.back_off.base_interval);
  pause.read("multiplier", result.back_off.multiplier);
  pause.read("jitter", result.back_off.jitter);
  result.back_off.max_interval =
    std::max(result.back_off.max_interval, result.back_off.base_interval);
  pause.read("max_interval", result.back_off.max_interval);
  if (pause.fine({"base_interval", "max_interval"})
      && result.back_off.max_interval < result.back_off.base_interval)
    pause.fail("max_interval", "must be at least base_interval ("
                                 + to_string(result.back_off.base_interval) + "); got "
                                 + to_string(result.back_off.max_interval));
  from.read("failover_timeout", result.failover_timeout);
  read_name(from, "failover_timer_restarts", timer_restarts, result.failover_timer_restarts);
  if (from.has("keepalive")) {
    const auto pings = from.at("keepalive");
    auto& into = result.keepalive.emplace();
    pings.read("interval", into.interval);
    pings.read("timeout", into.timeout);
  }
  from.read("wait_for_ready", result.wait_for_ready);
  from.read("idle_timeout", result.idle_timeout);
  return result;
}

circuit_breaker_config read_circuit_breakers(const section& from) {
  circuit_breaker_config result;
  read_name(from, "protocol", upstream_protocols, result.protocol);
  for (const auto* key : {"max_connections", "max_pending_requests"})
    if (from.has(key) && from.fine({"protocol"}) && result.protocol == upstream_protocol::http2)
      from.fail(key,
                "has no meaning with protocol http2, where tries share a connection; only http1 "
                "has it");
  from.read("max_connections", result.max_connections);
  from.read("max_pending_requests", result.max_pending_requests);
  from.read("max_requests", result.max_requests);
  from.read("max_retries", result.max_retries);
  if (from.has("retry_budget")) {
    const auto budget = from.at("retry_budget");
    auto& into = result.retry_budget.emplace();
    budget.read("percent", into.percent);
    budget.read("min_retry_concurrency", into.min_retry_concurrency);
    if (from.has("max_retries"))
      from.fail("max_retries", "has no meaning beside retry_budget, which takes its place");
  }
  return result;
}

void read_tries(const section& from, load_balancer_config& into) {
  if (from.has("per_try_timeout"))
    from.read("per_try_timeout", into.per_try_timeout.emplace());
  from.read("hedge_on_per_try_timeout", into.hedge_on_per_try_timeout);
  if (from.has("connection_draining_timeout"))
    from.read("connection_draining_timeout", into.connection_draining_timeout.emplace());
  if (into.hedge_on_per_try_timeout && tries_again(into.kind)
      && (!into.per_try_timeout || into.retries == 0))
    from.fail("hedge_on_per_try_timeout", "needs per_try_timeout, and at least one retry");
  if (!from.has("retry_back_off"))
    return;
  const auto pause = from.at("retry_back_off");
  auto& to = into.retry_back_off.emplace();
  pause.read("base_interval", to.base_interval);
  to.max_interval = std::min<duration>(10 * to.base_interval, std::chrono::seconds{3'600});
  pause.read("max_interval", to.max_interval);
  if (pause.fine({"base_interval", "max_interval"}) && to.max_interval < to.base_interval)
    pause.fail("max_interval", "must be at least base_interval (" + to_string(to.base_interval)
                                 + "); got " + to_string(to.max_interval));
}

void read_kind(const section& from, load_balancer_config& into) {
  read_name(from, "kind", load_balancer_kinds, into.kind);
  if (from.fine({"kind"}))
    refuse_other_keys(from, into.kind);
  if (!tries_again(into.kind)) {
    into.retries = 0;
    into.retry_on.clear();
  }
}

} // namespace spillover
