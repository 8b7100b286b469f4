#include "scenario/document.hpp"
#include "scenario/emit_yaml.hpp"
#include "scenario/load.hpp"
#include "scenario/names.hpp"
#include "scenario/outlier_fields.hpp"
#include "scenario/values.hpp"
#include "scenario/write_actions.hpp"
#include "scenario/write_autoscaling.hpp"
#include "scenario/write_balancer.hpp"
#include "scenario/write_distribution.hpp"
#include "scenario/write_failover.hpp"
#include "scenario/write_faults.hpp"
#include "scenario/write_health.hpp"
#include "scenario/write_observed.hpp"
#include "scenario/write_trace.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace spillover {

namespace {

using json = nlohmann::ordered_json;

std::string text(duration x) {
  return to_string(x);
}

std::string text(instant x) {
  return to_string(x.time_since_epoch());
}

// What has no meaning with a policy is not written: it would be refused when read again.

json write(const startup_probe_config& x) {
  return {{"kind", name_of(x.kind, startup_probe_kinds)},
          {"initial_delay", text(x.initial_delay)},
          {"period", text(x.period)},
          {"timeout", text(x.timeout)},
          {"failure_threshold", x.failure_threshold}};
}

json write(const liveness_probe_config& x) {
  return {{"initial_delay", text(x.initial_delay)},
          {"period", text(x.period)},
          {"timeout", text(x.timeout)},
          {"failure_threshold", x.failure_threshold}};
}

json write(const readiness_probe_config& x) {
  return {{"period", text(x.period)},
          {"timeout", text(x.timeout)},
          {"failure_threshold", x.failure_threshold},
          {"success_threshold", x.success_threshold}};
}

template <class Probe>
json write_switch(const std::optional<Probe>& x) {
  return x ? write(*x) : json("off");
}

template <class Spec>
json write_instance(const Spec& of) {
  const auto& x = of.instance;
  json result = {{"cpu", x.cpu}, {"concurrency", x.concurrency}};
  const auto container = !platform_of(of.autoscaling, x).start_time;
  if (container)
    result["cold_start"] = write_distribution(x.cold_start);
  result["service_time"] = write_distribution(x.service_time);
  result["cpu_per_request"] = text(x.cpu_per_request);
  auto& sidecars = result["sidecars"] = json::array();
  for (const auto& y : x.sidecars)
    sidecars.push_back({{"cpu", y.cpu}});
  if (!container)
    return result;
  result["startup_cpu_boost"] = x.startup_cpu_boost;
  result["startup_probe"] = write_switch(x.startup_probe);
  result["liveness_probe"] = write_switch(x.liveness_probe);
  result["readiness_probe"] = write_switch(x.readiness_probe);
  result["restart_backoff"] = {{"base", text(x.restart_backoff.base)},
                               {"max", text(x.restart_backoff.max)},
                               {"reset_after", text(x.restart_backoff.reset_after)}};
  return result;
}

template <class Spec>
json write_pending(const Spec& x) {
  if (!platform_of(x.autoscaling, x.instance).packs())
    return json::object();
  return {{"floor", text(x.pending.floor)}, {"cold_start_factor", x.pending.cold_start_factor}};
}

template <class Spec>
json write_scale_in(const Spec& x) {
  json result = json::object();
  const auto where = platform_of(x.autoscaling, x.instance);
  if (where.drain_deadline)
    return result;
  if (where.unneeded == surplus::deprioritised) {
    result["low_utilisation"] = x.scale_in.low_utilisation;
    result["window"] = text(x.scale_in.window);
    result["idle_timeout"] = text(x.scale_in.idle_timeout);
  }
  result["drain_deadline"] = text(x.scale_in.drain_deadline);
  return result;
}

json write(const billing::config& x) {
  return {{"mode", name_of(x.how, billing_modes)},
          {"rounding", name_of(x.rule, billing_roundings)}};
}

json write_routing(const backend_service_spec& x) {
  if (!platform_of(x.autoscaling, x.instance).packs())
    return json::object();
  json result = {{"early_reject", x.routing.early_reject},
                 {"spread_over_minimum", x.routing.spread_over_minimum}};
  if (x.routing.affinity)
    result["session_affinity"] = {{"sessions", x.routing.affinity->sessions},
                                  {"ttl", text(x.routing.affinity->ttl)}};
  return result;
}

/// Adds what a backend service and each of its revisions have alike.
template <class Spec>
void add_settings(json& to, const Spec& x) {
  to["instance"] = write_instance(x);
  to["autoscaling"] = write_autoscaling(x.autoscaling);
  to["pending"] = write_pending(x);
  to["scale_in"] = write_scale_in(x);
  to["request_timeout"] = text(x.request_timeout);
}

/// @returns whether health checks have a meaning for its backend services (B-68).
bool is_checked(const published_service_spec& x) {
  return !x.composite_health || x.composite_health->signal == health_signal::endpoints;
}

/// @param checked what `is_checked` says of its published service
json write(const backend_service_spec& x, bool checked) {
  json result = {
    {"backends", name_of(x.backends, backend_kinds)}, {"weight", x.weight}, {"zones", x.zones}};
  add_settings(result, x);
  result["billing"] = write(x.billing);
  result["routing"] = write_routing(x);
  if (checked) {
    result["health_check"] = write_health(x.health_check);
    result["auto_healing"] = write_health(x.auto_healing);
  }
  for (const auto& revision : x.revisions)
    add_settings(result["revisions"][revision.name], revision);
  if (!x.traffic.empty())
    result["traffic"] = write(x.traffic);
  if (x.scaling != service_scaling{})
    result["scaling"] = write(x.scaling);
  return result;
}

/// @returns the members of `full` that `base` has not alike.
json difference(const json& full, const json& base) {
  auto result = json::object();
  for (const auto& [key, value] : full.items())
    if (!base.contains(key) || value != base.at(key))
      result[key] = value;
  return result;
}

/// @returns what an override says for a backend service that is `full` where `base` is the service's.
json write_override(const backend_service_spec& full, const backend_service_spec& base,
                    bool checked) {
  const auto below = write(base, checked);
  const auto above = write(full, checked);
  auto result = difference(above, below);
  if (result.contains("revisions")) {
    const auto revisions = std::exchange(result["revisions"], json::object());
    for (const auto& [name, own] : revisions.items())
      if (auto other = difference(own, below.at("revisions").at(name)); !other.empty())
        result["revisions"][name] = std::move(other);
  }
  // An override that says nothing leaves them as they are.
  if (below.contains("traffic") && full.traffic.empty())
    result["traffic"] = json::array();
  if (below.contains("scaling") && full.scaling == service_scaling{})
    result["scaling"] = json::object();
  return result;
}

// A service is written as it is in its first region; other regions override what they have
// different, section by section.
json write_overrides(const published_service_spec& first, const published_service_spec& other) {
  auto result = json::object();
  for (std::size_t i = 0; i < other.backend_services.size(); ++i)
    if (auto different =
          write_override(other.backend_services[i], first.backend_services[i], is_checked(other));
        !different.empty())
      result[other.backend_services[i].name] = std::move(different);
  return result;
}

json write_producers(const scenario& x) {
  auto result = json::object();
  for (const auto& published : x.published_services) {
    auto& service = result[published.service];
    if (service.is_null()) {
      service = {{"regions", json::array()}, {"backend_services", json::object()}};
      for (const auto& backend : published.backend_services)
        service["backend_services"][backend.name] = write(backend, is_checked(published));
      if (published.load_balancer)
        service["load_balancer"] = write_health(*published.load_balancer);
      if (published.composite_health)
        service[key_of(*published.composite_health)] = write_health(*published.composite_health);
      service["overrides"] = json::object();
    }
    service["regions"].push_back(published.region);
    const auto first =
      std::find_if(x.published_services.begin(), x.published_services.end(),
                   [&published](const auto& y) { return y.service == published.service; });
    if (auto overrides = write_overrides(*first, published); !overrides.empty())
      service["overrides"][published.region] = std::move(overrides);
  }
  return result;
}

json write(const std::vector<outcome>& x) {
  auto result = json::array();
  for (const auto y : x)
    result.push_back(name_of(y, outcomes));
  return result;
}

json write_rates(const open_loop_config& open) {
  auto rate = json::array();
  for (const auto& step : open.rate)
    rate.push_back({{"at", text(step.at)}, {"rps", step.rps}, {"ramp", step.ramp}});
  auto waves = json::array();
  for (const auto& wave : open.waves)
    waves.push_back(
      {{"amplitude", wave.amplitude}, {"period", text(wave.period)}, {"phase", text(wave.phase)}});
  return {
    {"rate", rate}, {"waves", waves}, {"arrivals", name_of(open.arrivals, arrival_processes)}};
}

json write_subscription(const push_subscription_config& x) {
  auto result = write_rates(x.publish);
  result["ack_deadline"] = text(x.ack_deadline);
  if (x.retry)
    result["retry"] = {{"min_backoff", text(x.retry->min_backoff)},
                       {"max_backoff", text(x.retry->max_backoff)}};
  result["retention"] = text(x.retention);
  if (x.max_delivery_attempts)
    result["max_delivery_attempts"] = *x.max_delivery_attempts;
  const auto& window = x.window;
  result["window"] = {{"initial", window.initial},
                      {"minimum", window.minimum},
                      {"linear_from", window.linear_from},
                      {"maximum", window.maximum},
                      {"growth", window.growth},
                      {"shrink", window.shrink},
                      {"slow", text(window.slow)},
                      {"acknowledged", window.acknowledged},
                      {"judged_over", text(window.judged_over)}};
  result["push_backoff"] = {{"min", text(window.pause)}, {"max", text(window.longest_pause)}};
  return result;
}

json write(const load_config& x) {
  if (const auto* closed = std::get_if<closed_loop_config>(&x)) {
    json loop = {{"clients", closed->clients},
                 {"think_time", write_distribution(closed->think_time)},
                 {"from", text(closed->from)},
                 {"ramp_up", text(closed->ramp_up)}};
    if (closed->to)
      loop["to"] = text(*closed->to);
    return {{"closed_loop", std::move(loop)}};
  }
  if (const auto* push = std::get_if<push_subscription_config>(&x))
    return {{"push_subscription", write_subscription(*push)}};
  if (const auto* trace = std::get_if<trace_config>(&x))
    return {{"trace", write_trace_keys(*trace)}};
  return {{"open_loop", write_rates(std::get<open_loop_config>(x))}};
}

json write(const client_config& x) {
  auto result = json::object();
  if (x.timeout)
    result["timeout"] = text(*x.timeout);
  result["retries"] = x.retries;
  result["backoff"] = {
    {"base", text(x.backoff_base)}, {"max", text(x.backoff_max)}, {"jitter", x.backoff_jitter}};
  result["retry_on"] = write(x.retry_on);
  return result;
}

json write(const outlier_detection_config& x) {
  json result;
  for_each_outlier_field(
    [&result](const char* key, const auto& value) {
      using type = std::remove_cvref_t<decltype(value)>;
      if constexpr (std::is_same_v<type, duration>)
        result[key] = text(value);
      else
        result[key] = value;
    },
    x);
  return result;
}

json write(const consumer_spec& x) {
  auto traffic = json::array();
  for (const auto& load : x.traffic)
    traffic.push_back(write(load));
  json result = {{"producer", x.service}};
  if (!x.tag.empty())
    result["tag"] = x.tag;
  result["load_balancer"] = write_balancer(x);
  result["load_balancer"].update(write_failover(x.load_balancer));
  const auto& detection = x.load_balancer.outlier_detection;
  if (detection)
    result["load_balancer"]["outlier_detection"] = write(*detection);
  result["traffic"] = traffic;
  result["client"] = write(x.client);
  return result;
}

json write_network(const scenario& x) {
  auto links = json::array();
  for (const auto& link : x.links)
    for (const auto which : {plane::data, plane::health}) {
      const auto& config = link.planes[static_cast<std::size_t>(which)];
      links.push_back({{"from", link.from},
                       {"to", link.to},
                       {"plane", to_string(which)},
                       {"latency", text(config.latency)},
                       {"jitter", text(config.jitter)},
                       {"loss", config.loss}});
    }
  // Every link is named, so the default has nothing left to say.
  const link_config none;
  return {{"default",
           {{"latency", text(none.latency)}, {"jitter", text(none.jitter)}, {"loss", none.loss}}},
          {"links", links}};
}

json write(const instance_fault& x) {
  json result = {{"of", x.of}, {"become", to_string(x.suffer.become)}};
  if (x.count)
    result["count"] = *x.count;
  else
    result["fraction"] = x.fraction;
  const auto& how = x.suffer;
  switch (how.become) {
    case ailment::crashed: result["restart_jitter"] = text(x.restart_jitter); break;
    case ailment::silent: result["affects"] = to_string(how.affects); break;
    case ailment::failing:
      result["affects"] = to_string(how.affects);
      result["error_fraction"] = how.error_fraction;
      result["status"] = name_of(how.status, outcomes);
      break;
    case ailment::slow:
    case ailment::slow_starting: result["factor"] = how.factor; break;
    case ailment::waiting: result["by"] = text(how.by); break;
    case ailment::leaking: result["vcpu_per_minute"] = how.vcpu_per_minute; break;
    case ailment::hung:
    case ailment::unstartable: break;
  }
  return result;
}

json write(const zone_fault& x) {
  json result = {
    {"region", x.region}, {"name", x.zone}, {"become", name_of(x.become, zone_ailments)}};
  if (x.become == ailment::crashed)
    result["restart_jitter"] = text(x.restart_jitter);
  return result;
}

json write(const region_fault& x) {
  json result = {{"name", x.region}, {"become", name_of(x.become, region_ailments)}};
  if (x.become == ailment::crashed)
    result["restart_jitter"] = text(x.restart_jitter);
  return result;
}

json write(const quota_fault& x) {
  json result = {{"of", x.of}};
  if (x.starts_per_minute)
    result["starts_per_minute"] = *x.starts_per_minute;
  if (x.instances)
    result["instances"] = *x.instances;
  return result;
}

json write(const fault& x) {
  json result = {{"at", text(x.at)}};
  if (x.lasts)
    result["for"] = text(*x.lasts);
  if (!x.name.empty())
    result["name"] = x.name;
  if (x.flap)
    result["flap"] = {{"period", text(x.flap->period)}, {"down", text(x.flap->down)}};
  if (const auto* instances = std::get_if<instance_fault>(&x.what))
    result["instances"] = write(*instances);
  else if (const auto* region = std::get_if<region_fault>(&x.what))
    result["region"] = write(*region);
  else if (const auto* zone = std::get_if<zone_fault>(&x.what))
    result["zone"] = write(*zone);
  else if (const auto* quota = std::get_if<quota_fault>(&x.what))
    result["quota"] = write(*quota);
  else if (const auto* probers = std::get_if<prober_fault>(&x.what))
    result["probers"] = write(*probers);
  else if (const auto* consumer = std::get_if<consumer_fault>(&x.what))
    result["consumer"] = write(*consumer);
  else if (const auto* clock = std::get_if<clock_fault>(&x.what))
    result["clock"] = write(*clock);
  else if (const auto* balancer = std::get_if<balancer_fault>(&x.what))
    result["load_balancer"] = write(*balancer);
  else
    result["link"] = write(std::get<link_fault>(x.what));
  return result;
}

} // namespace

json to_document(const scenario& x) {
  json result = {{"name", x.name},
                 {"description", x.description},
                 {"seed", x.seed},
                 {"duration", text(x.lasts)},
                 {"warm_up", text(x.warm_up)},
                 {"network", write_network(x)},
                 {"producers", write_producers(x)}};
  auto& consumers = result["consumers"] = json::object();
  for (const auto& consumer : x.consumers)
    consumers[consumer.name] = write(consumer);
  auto& faults = result["faults"] = json::array();
  for (const auto& y : x.faults)
    faults.push_back(write(y));
  auto& actions = result["actions"] = json::array();
  for (const auto& y : x.actions)
    actions.push_back(write(y));
  auto& expect = result["expect"] = json::array();
  for (const auto& y : x.expectations)
    expect.push_back(write(y));
  auto& stop_if = result["stop_if"] = json::array();
  for (const auto& y : x.stop_if)
    stop_if.push_back(write(y));
  result["recovery"] = {{"window", text(x.recovery.window)}, {"keep_up", x.recovery.keep_up}};
  return result;
}

std::string to_yaml(const scenario& x) {
  return emit_yaml(to_document(x));
}

} // namespace spillover
