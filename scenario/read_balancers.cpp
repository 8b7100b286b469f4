#include "scenario/names.hpp"
#include "scenario/read.hpp"
#include "scenario/values.hpp"

#include <algorithm>
#include <array>

namespace spillover {

namespace {

/// Keys that only one kind of load balancer has.
constexpr std::array<std::pair<std::string_view, load_balancer_kind>, 2> own_keys{{
  {"envoy", load_balancer_kind::envoy},
  {"dns", load_balancer_kind::dns},
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
    for (const auto* key : {"retries", "retry_on"})
      if (from.has(key))
        from.fail(key, "has no meaning with kind " + name_of_kind(kind)
                         + ": only clients see how a request ended, and can try it again");
  if (kind == load_balancer_kind::dns)
    for (const auto* key : {"outlier_detection", "circuit_breakers", "proxies"})
      if (from.has(key))
        from.fail(key, "has no meaning with kind dns: no balancer is between clients and regions");
}

/// @returns the place of a region among those of the consumer, once it is known; says so otherwise.
std::optional<std::size_t> place_of(const section& from, const std::string& region, mark at,
                                    const std::vector<std::string>& regions) {
  const auto found = std::find(regions.begin(), regions.end(), region);
  if (found != regions.end())
    return static_cast<std::size_t>(found - regions.begin());
  from.problems().add(at, "\"" + region + "\" is not among the regions of this load balancer"
                            + suggestion(region, regions, "known"));
  return std::nullopt;
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

circuit_breaker_config read_circuit_breakers(const section& from) {
  circuit_breaker_config result;
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
