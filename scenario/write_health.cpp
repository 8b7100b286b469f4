#include "scenario/write_health.hpp"

#include "scenario/names.hpp"
#include "scenario/values.hpp"

namespace spillover {

namespace {

using json = nlohmann::ordered_json;

std::string text(duration x) {
  return to_string(x);
}

void add(json& to, const char* key, const std::optional<duration>& x) {
  if (x)
    to[key] = text(*x);
}

json write(const propagation_config& x) {
  return {{"aggregation_tick", text(x.aggregation_tick)},
          {"propagation", text(x.propagation)},
          {"propagation_jitter", text(x.propagation_jitter)},
          {"apply", text(x.apply)},
          {"resend", text(x.resend)},
          {"warm_up", text(x.warm_up)}};
}

json write(const aggregation_policy& x) {
  return {{"healthy_percent_threshold", x.healthy_percent_threshold},
          {"min_healthy_threshold", x.min_healthy_threshold}};
}

} // namespace

json write_health(const health_check_config& x) {
  json result = {{"interval", text(x.interval)},
                 {"timeout", text(x.timeout)},
                 {"healthy_threshold", x.healthy_threshold},
                 {"unhealthy_threshold", x.unhealthy_threshold},
                 {"probers", x.probers},
                 {"quorum", x.quorum},
                 {"response_time", text(x.response_time)},
                 {"protocol", to_string(x.protocol)}};
  if (has_path(x.protocol)) {
    result["path"] = x.path;
    result["path_status"] = x.path_status;
    result["expected_statuses"] = x.expected_statuses;
  }
  result["first_result_decides"] = x.first_result_decides;
  result["error_decides"] = x.error_decides;
  add(result, "no_traffic_interval", x.no_traffic_interval);
  add(result, "unhealthy_interval", x.unhealthy_interval);
  add(result, "unhealthy_edge_interval", x.unhealthy_edge_interval);
  add(result, "healthy_edge_interval", x.healthy_edge_interval);
  result["initial_delay"] = text(x.initial_delay);
  result["network_lag"] = text(x.network_lag);
  return result;
}

json write_health(const std::optional<auto_healing_config>& x) {
  if (!x)
    return "off";
  return {{"initial_delay", text(x->initial_delay)},
          {"health_check", write_health(x->health_check)}};
}

json write_health(const producer_balancer_config& x) {
  json result = {{"kind", name_of(x.kind, producer_balancers)}};
  if (x.kind == producer_balancer::internal_passthrough_network)
    result["drop_traffic_if_unhealthy"] = x.drop_traffic_if_unhealthy;
  return result;
}

json write_health(const composite_health_spec& x) {
  if (x.signal == health_signal::readiness) {
    auto result = write(x.sources.front().policy);
    result["propagation"] = write(x.propagation);
    return result;
  }
  auto sources = json::array();
  for (const auto& y : x.sources) {
    json source = {{"backend_service", y.backend_service}};
    source.update(write(y.policy));
    sources.push_back(std::move(source));
  }
  return {{"sources", sources}, {"propagation", write(x.propagation)}};
}

std::string key_of(const composite_health_spec& x) {
  return x.signal == health_signal::readiness ? "service_health" : "composite_health";
}

} // namespace spillover
