#include "scenario/lint_checks.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

namespace spillover {

namespace {

bool has_composite(const scenario& x, const std::string& service, std::string_view region) {
  const auto* published = find_published(x, service, region);
  return published != nullptr && published->composite_health.has_value();
}

lint_path in_consumer(const consumer_spec& x, std::initializer_list<std::string_view> keys) {
  lint_path result{"consumers", x.name};
  result.insert(result.end(), keys.begin(), keys.end());
  return result;
}

} // namespace

/// A consumer with one region has nowhere to go when that is UNHEALTHY (B-29, B-30). Way out: a second
/// region.
void lint_one_region(const scenario& x, lint_list& out) {
  for (const auto& consumer : x.consumers)
    if (consumer.regions.size() == 1)
      out.add(in_consumer(consumer, {"load_balancer", "regions"}),
              consumer.name + ": has one region, " + consumer.regions.front()
                + ", and can never fail over; give it a second one");
}

/// Without a composite health check nothing is propagated, and the closest region is used whatever
/// becomes of it (B-22); unknown_policy changes nothing about that. Way out: composite_health, or
/// outlier detection (B-43).
void lint_no_health(const scenario& x, lint_list& out) {
  for (const auto& consumer : x.consumers)
    if (consumer.regions.size() > 1 && !consumer.load_balancer.outlier_detection
        && !wants_endpoints(consumer.load_balancer) && !makes_connections(consumer.load_balancer)
        && !has_composite(x, consumer.service, consumer.regions.front()))
      out.add(
        in_consumer(consumer, {}),
        consumer.name + ": " + consumer.service
          + " has no composite_health, so its PSC NEGs stay UNKNOWN and new requests always go "
          + "to " + consumer.regions.front()
          + " first, however ill that is; only retries reach the others; add "
          + "composite_health to " + consumer.service + ", or outlier_detection to "
          + consumer.name);
}

/// A failover or failback is expected of a region that no consumer could ever leave: there is no
/// composite health check, or no other region (B-22, B-29). Way out: composite_health, or a region.
void lint_impossible_failover(const scenario& x, lint_list& out) {
  std::set<std::pair<std::string_view, std::string_view>> composites;
  for (const auto& published : x.published_services)
    if (published.composite_health)
      composites.emplace(published.service, published.region);
  std::set<std::string_view> left; // that consumers can leave
  for (const auto& consumer : x.consumers)
    for (const auto& region : consumer.regions)
      if (consumer.regions.size() > 1 && !consumer.load_balancer.distribution
          && composites.contains({consumer.service, region}))
        left.insert(region);
  for (std::size_t i = 0; i < x.expectations.size(); ++i) {
    const auto* failover = std::get_if<expect_failover>(&x.expectations[i].what);
    const auto* failback = std::get_if<expect_failback>(&x.expectations[i].what);
    if (failover == nullptr && failback == nullptr)
      continue;
    const auto& region = failover != nullptr ? failover->from : failback->to;
    if (left.contains(region))
      continue;
    const std::string key = failover != nullptr ? "failover" : "failback";
    out.add(
      lint_path{"expect", std::to_string(i), key, failover != nullptr ? "from" : "to"},
      key + (failover != nullptr ? " from " : " to ") + region
        + ": can only fail: no consumer that uses the region has both another one and a service "
          "with composite_health");
  }
}

/// A retry of the load balancer goes to a region not tried yet while there is one (B-29); with one
/// region it only adds load where the first try failed. Way out: retries 0, or a second region.
void lint_retry_in_place(const scenario& x, lint_list& out) {
  for (const auto& consumer : x.consumers)
    if (consumer.regions.size() == 1 && consumer.load_balancer.retries > 0)
      out.add(in_consumer(consumer, {"load_balancer", "retries"}),
              consumer.name + ": " + std::to_string(consumer.load_balancer.retries)
                + (consumer.load_balancer.retries == 1 ? " retry" : " retries") + " can only go to "
                + consumer.regions.front() + " again, up to "
                + std::to_string(consumer.load_balancer.retries + 1)
                + " times the load where it failed; use retries 0 or a second region");
}

/// Clients give up before their load balancer does (B-58), which goes on with a request that nobody
/// waits for, and never answers lb_timeout in time. Way out: load_balancer.timeout below the clients'.
void lint_balancer_outlasts_client(const scenario& x, lint_list& out) {
  for (const auto& consumer : x.consumers)
    if (consumer.client.timeout && consumer.load_balancer.timeout > *consumer.client.timeout)
      out.add(
        in_consumer(consumer, {"load_balancer", "timeout"}),
        consumer.name + ": load_balancer.timeout (" + to_string(consumer.load_balancer.timeout)
          + ") is above the clients' timeout (" + to_string(*consumer.client.timeout)
          + "): clients give up first, and their requests keep slots in the region until then; "
          + "set it below");
}

/// Requests that wait for a region that lets nobody connect give up before the next one is tried (B-88). Way
/// out: a longer load_balancer.timeout, or a shorter failover_timeout or connect_timeout.
void lint_failover_outlasts_request(const scenario& x, lint_list& out) {
  for (const auto& consumer : x.consumers) {
    const auto& balancer = consumer.load_balancer;
    const auto& grpc = balancer.grpc;
    if (!makes_connections(balancer) || consumer.regions.size() == 1)
      continue;
    const auto round = std::max(grpc.connect_timeout, grpc.back_off.base_interval) * grpc.addresses;
    const auto restarts = grpc.failover_timer_restarts == timer_restart::always
                          && grpc.connect_timeout < grpc.failover_timeout;
    const auto wait = restarts ? round : std::min<duration>(round, grpc.failover_timeout);
    if (wait < balancer.timeout)
      continue;
    out.add(in_consumer(consumer, {"load_balancer", "timeout"}),
            consumer.name + ": a region that does not answer is waited for " + to_string(wait)
              + " before the next one is tried, and requests give up after "
              + to_string(balancer.timeout)
              + "; raise load_balancer.timeout, or lower grpc.failover_timeout or "
              + "grpc.connect_timeout");
  }
}

} // namespace spillover
