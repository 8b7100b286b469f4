#include "tests/scenario/random_health.hpp"

#include <algorithm>

namespace spillover::test {

using namespace std::chrono_literals;

health_check_config any_health_check(random_source& from) {
  health_check_config x;
  x.interval = from.span(1s, 300s);
  x.timeout = from.span(2ns, x.interval);
  x.healthy_threshold = from.between(1, 10);
  x.unhealthy_threshold = from.between(1, 10);
  x.probers = from.between(1, 32);
  x.quorum = from.between(0, x.probers);
  x.response_time = from.span(0s, x.timeout - 1ns);
  x.protocol = static_cast<probe_protocol>(from.between(0, 4));
  if (has_path(x.protocol)) {
    x.path = from.coin() ? "/" : "/health?deep=1";
    x.path_status = from.between(100, 599);
    x.expected_statuses = {from.between(100, 596)};
    for (auto more = from.between(0, 2); more > 0; --more)
      x.expected_statuses.push_back(x.expected_statuses.back() + 1);
  }
  x.first_result_decides = from.coin();
  x.error_decides = from.coin();
  x.no_traffic_interval = from.span(1ms, 1h);
  x.unhealthy_interval = from.span(1ms, 1h);
  x.unhealthy_edge_interval = from.span(1ms, 1h);
  x.healthy_edge_interval = from.span(1ms, 1h);
  x.initial_delay = from.span(0s, 1h);
  x.network_lag = from.span(0s, 1h);
  return x;
}

composite_health_spec any_composite(random_source& from, const std::vector<std::string>& names) {
  composite_health_spec x;
  for (const auto& name : names)
    if (x.sources.empty() || from.coin())
      x.sources.push_back({name, {from.between(0, 100), from.between(1, 10'000)}});
  x.propagation = {from.span(1ms, 60s), from.span(0s, 1min), from.span(0s, 1min),
                   from.span(0s, 1min), from.span(1s, 1min), from.span(0s, 1h)};
  return x;
}

void balance(random_source& from, const std::string& service,
             std::vector<published_service_spec>& in) {
  producer_balancer_config config{static_cast<producer_balancer>(from.between(0, 2)), false};
  if (config.kind == producer_balancer::internal_passthrough_network)
    config.drop_traffic_if_unhealthy = from.coin();
  for (auto& x : in)
    if (x.service == service)
      x.load_balancer = config;
}

void judge_by_readiness(random_source& from, const std::string& service,
                        std::vector<published_service_spec>& in) {
  const auto is_probed = [](const auto& x) { return x.instance.readiness_probe.has_value(); };
  const auto all_probed = [&](const backend_service_spec& x) {
    return x.revisions.empty() ? is_probed(x)
                               : std::all_of(x.revisions.begin(), x.revisions.end(), is_probed);
  };
  const aggregation_policy policy{from.between(0, 100), from.between(1, 10'000)};
  const auto fits = [&](const published_service_spec& x) {
    return x.service != service
           || (x.composite_health
               && std::all_of(x.backend_services.begin(), x.backend_services.end(), all_probed));
  };
  if (!std::all_of(in.begin(), in.end(), fits))
    return;
  for (auto& x : in) {
    if (x.service != service)
      continue;
    x.load_balancer.reset();
    for (auto& backend : x.backend_services) {
      backend.health_check = {};
      backend.auto_healing.reset();
    }
    x.composite_health->signal = health_signal::readiness;
    x.composite_health->sources.clear();
    for (const auto& backend : x.backend_services)
      x.composite_health->sources.push_back({backend.name, policy});
  }
}

} // namespace spillover::test
