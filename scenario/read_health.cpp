#include "scenario/read_health.hpp"

#include "scenario/names.hpp"
#include "scenario/plan.hpp"
#include "scenario/values.hpp"

namespace spillover {

namespace {

std::vector<std::uint32_t> read_statuses(const section& from, std::string_view key) {
  std::vector<std::uint32_t> result;
  for (const auto& x : from.list(key))
    result.push_back(static_cast<std::uint32_t>(number_of(x)));
  return result;
}

// What a probe speaks, and how often (B-35, B-36).
void read_probes(const section& from, health_check_config& into) {
  read_name(from, "protocol", probe_protocols, into.protocol);
  if (has_path(into.protocol)) {
    from.read("path", into.path);
    from.read("path_status", into.path_status);
    if (from.has("expected_statuses"))
      into.expected_statuses = read_statuses(from, "expected_statuses");
  } else {
    const health_check_config plain;
    into.path = plain.path;
    into.path_status = plain.path_status;
    into.expected_statuses = plain.expected_statuses;
    for (const auto key : {"path", "path_status", "expected_statuses"})
      if (from.has(key))
        from.fail(key, "has no meaning with protocol " + std::string{to_string(into.protocol)}
                         + "; allowed with http, https and http2");
  }
  from.read("first_result_decides", into.first_result_decides);
  from.read("error_decides", into.error_decides);
  from.read("no_traffic_interval", into.no_traffic_interval);
  from.read("unhealthy_interval", into.unhealthy_interval);
  from.read("unhealthy_edge_interval", into.unhealthy_edge_interval);
  from.read("healthy_edge_interval", into.healthy_edge_interval);
  from.read("initial_delay", into.initial_delay);
  from.read("network_lag", into.network_lag);
}

// A source names one backend service of its own service, hence of its own region: neither another
// region's, nor another composite (B-2, B-7).
void read_sources(const section& from, const scenario_draft& draft,
                  const scenario_draft::service& service, std::vector<health_source_spec>& into) {
  for (const auto& x : from.list("sources")) {
    const section source{from.problems(), &x, x.at};
    health_source_spec spec;
    source.read("backend_service", spec.backend_service);
    source.read("healthy_percent_threshold", spec.policy.healthy_percent_threshold);
    source.read("min_healthy_threshold", spec.policy.min_healthy_threshold);
    const auto& name = spec.backend_service;
    const auto is_other = [&into, &name] {
      return std::none_of(into.begin(), into.end(),
                          [&name](const auto& y) { return y.backend_service == name; });
    };
    if (source.has("backend_service") && draft.backends_known) {
      const auto last = name.substr(name.rfind('/') + 1);
      const auto list = suggestion(name, service.backend_services, "known");
      if (!contains(service.backend_services, name)
          && (draft.find_service(name) != nullptr || draft.find_service(last) != nullptr))
        source.fail("backend_service", "\"" + name
                                         + "\" is a published service; a composite "
                                           "health check cannot be a source of another"
                                         + list);
      else if (!contains(service.backend_services, name))
        source.fail("backend_service",
                    "\"" + name + "\" is no backend service of " + service.name + list);
      else if (!is_other())
        source.fail("backend_service", "\"" + name + "\" is a source already");
    }
    if (source.clean())
      source.report(validate(spec.policy));
    into.push_back(std::move(spec));
  }
}

// Behind a serverless NEG nothing is checked but by the service itself (B-68).
void refuse_checks(const section& backend) {
  const std::string_view no_meaning =
    "has no meaning with service_health: a serverless NEG has no health check; outlier_detection of "
    "consumers works";
  if (backend.has("health_check"))
    backend.fail("health_check", std::string{no_meaning});
  if (const auto* x = backend.find("auto_healing"); x != nullptr && !x->is_text())
    backend.fail("auto_healing", std::string{no_meaning});
}

void refuse_checks(const section& service, problem_list& problems) {
  const auto each = [&problems](std::span<const yaml_member> backends) {
    for (const auto& x : backends)
      refuse_checks(section{problems, &x.value, x.value.at});
  };
  each(service.entries("backend_services"));
  const auto overrides = service.at("overrides");
  for (const auto& region : service.entries("overrides"))
    each(overrides.entries(region.key));
  if (service.has("load_balancer"))
    service.fail("load_balancer", "has no meaning with service_health: a serverless NEG leads to a "
                                  "service without one");
}

// Cloud Run counts by readiness probes, so that every instance must have one (B-68).
void check_readiness(const section& from, const published_service_spec& published) {
  const auto lacks = [](const auto& x) { return !x.instance.readiness_probe; };
  for (const auto& backend : published.backend_services) {
    const auto missing = backend.revisions.empty()
                           ? lacks(backend)
                           : std::any_of(backend.revisions.begin(), backend.revisions.end(), lacks);
    if (missing)
      from.fail("service_health", "needs a readiness_probe of the instances of " + published.path()
                                    + "/" + backend.name);
  }
}

composite_health_spec read_service_health(const section& from,
                                          const scenario_draft::service& service) {
  composite_health_spec result;
  result.signal = health_signal::readiness;
  aggregation_policy policy;
  from.read("healthy_percent_threshold", policy.healthy_percent_threshold);
  from.read("min_healthy_threshold", policy.min_healthy_threshold);
  if (from.clean())
    from.report(validate(policy));
  for (const auto& name : service.backend_services)
    result.sources.push_back({name, policy});
  read_propagation(from.at("propagation"), result.propagation);
  return result;
}

} // namespace

void read_propagation(const section& from, propagation_config& into) {
  from.read("aggregation_tick", into.aggregation_tick);
  from.read("propagation", into.propagation);
  from.read("propagation_jitter", into.propagation_jitter);
  from.read("apply", into.apply);
  from.read("resend", into.resend);
  from.read("warm_up", into.warm_up);
  if (from.clean())
    from.report(validate(into));
}

void read_health_check(const section& from, health_check_config& into) {
  from.read("interval", into.interval);
  from.read("timeout", into.timeout);
  from.read("healthy_threshold", into.healthy_threshold);
  from.read("unhealthy_threshold", into.unhealthy_threshold);
  from.read("probers", into.probers);
  from.read("quorum", into.quorum);
  from.read("response_time", into.response_time);
  read_probes(from, into);

  const auto before = from.problems().size();
  if (from.fine({"interval", "timeout"}) && into.timeout > into.interval)
    from.fail("timeout",
              "must be at most interval (" + to_string(into.interval) + "); got "
                + to_string(into.timeout),
              "interval");
  if (from.fine({"timeout", "response_time"}) && into.response_time >= into.timeout)
    from.fail("response_time",
              "must be below timeout (" + to_string(into.timeout) + "); got "
                + to_string(into.response_time),
              "timeout");
  if (from.fine({"probers", "quorum"}) && into.quorum > into.probers)
    from.fail("quorum",
              "must be at most probers (" + std::to_string(into.probers) + "); got "
                + std::to_string(into.quorum),
              "probers");
  if (from.clean() && from.problems().size() == before)
    from.report(validate(into));
}

void read_auto_healing(const section& from, backend_service_spec& into) {
  const auto* x = from.find("auto_healing");
  if (x != nullptr && x->is_text())
    into.auto_healing.reset();
  if (x != nullptr && !x->is_text()) {
    auto& own = into.auto_healing ? *into.auto_healing : into.auto_healing.emplace();
    const auto healing = from.at("auto_healing");
    healing.read("initial_delay", own.initial_delay);
    const auto before = healing.problems().size();
    read_health_check(healing.at("health_check"), own.health_check);
    if (healing.clean() && healing.problems().size() == before)
      healing.report(validate(own));
  }
  if (into.auto_healing && into.backends != backend_kind::instance_group
      && from.fine({"backends", "auto_healing"}))
    from.fail("auto_healing",
              "has no meaning with backends network_endpoint_group; an instance_group makes its "
              "instances anew",
              "backends");
}

void read_balancer(const section& from, std::optional<producer_balancer_config>& into) {
  if (!from.has("load_balancer"))
    return;
  auto& x = into.emplace();
  const auto balancer = from.at("load_balancer");
  read_name(balancer, "kind", producer_balancers, x.kind);
  balancer.read("drop_traffic_if_unhealthy", x.drop_traffic_if_unhealthy);
  if (balancer.has("drop_traffic_if_unhealthy") && balancer.fine({"kind"})
      && x.kind != producer_balancer::internal_passthrough_network)
    balancer.fail("drop_traffic_if_unhealthy",
                  "has no meaning with kind " + std::string{name_of(x.kind, producer_balancers)}
                    + ", which answers 503; allowed with internal_passthrough_network");
}

void read_composite(const yaml_member& member, const scenario_draft::service& service,
                    scenario_draft& draft, problem_list& problems) {
  const section from{problems, &member.value, member.value.at};
  const auto by_readiness = from.has("service_health");
  if (!service.composite)
    return;
  if (from.has("composite_health") && by_readiness) {
    from.fail("service_health", "cannot stand beside composite_health: consumers follow one of the "
                                "two; allowed: either");
    return;
  }
  composite_health_spec spec;
  if (by_readiness) {
    refuse_checks(from, problems);
    spec = read_service_health(from.at("service_health"), service);
  } else {
    const auto composite = from.at("composite_health");
    read_sources(composite, draft, service, spec.sources);
    read_propagation(composite.at("propagation"), spec.propagation);
  }
  for (auto& x : draft.result.published_services) {
    if (x.service != service.name)
      continue;
    x.composite_health = spec;
    if (by_readiness)
      check_readiness(from, x);
  }
}

} // namespace spillover
