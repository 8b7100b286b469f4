#include "scenario/names.hpp"
#include "scenario/read.hpp"
#include "scenario/values.hpp"

namespace spillover {

namespace {

// Parts of paths that other actors have: "REGION/link/SITE", "REGION/SERVICE/composite".
constexpr std::string_view reserved_service = "link";
constexpr std::string_view reserved_backend = "composite";
constexpr std::string_view reserved_site = "director";

// What a backend service and each of its revisions have alike.

template <class Spec>
void read_pending(const section& from, Spec& into) {
  if (!platform_of(into.autoscaling, into.instance).packs()) {
    into.pending = {};
    for (const auto key : {"floor", "cold_start_factor"})
      if (from.has(key))
        from.fail(key, "has no meaning with policy " + std::string{policy_of(into.autoscaling)}
                         + ", which has no pending queue");
    return;
  }
  from.read("floor", into.pending.floor);
  from.read("cold_start_factor", into.pending.cold_start_factor);
}

void read_routing(const section& from, backend_service_spec& into) {
  if (!platform_of(into.autoscaling, into.instance).packs()) {
    into.routing = {};
    for (const auto key : {"early_reject", "spread_over_minimum", "session_affinity"})
      if (from.has(key))
        from.fail(key, "has no meaning with policy " + std::string{policy_of(into.autoscaling)}
                         + "; it belongs to Cloud Run");
    return;
  }
  from.read("early_reject", into.routing.early_reject);
  from.read("spread_over_minimum", into.routing.spread_over_minimum);
  if (from.has("session_affinity")) {
    const auto affinity = from.at("session_affinity");
    auto& x = into.routing.affinity ? *into.routing.affinity : into.routing.affinity.emplace();
    affinity.read("sessions", x.sessions);
    affinity.read("ttl", x.ttl);
  }
  if (from.clean())
    from.report(validate(into.routing));
}

template <class Spec>
void read_scale_in(const section& from, Spec& into) {
  auto& x = into.scale_in;
  const auto where = platform_of(into.autoscaling, into.instance);
  const auto no_meaning = "has no meaning with policy " + std::string{policy_of(into.autoscaling)};
  if (where.drain_deadline) {
    x = {};
    for (const auto key : {"low_utilisation", "window", "idle_timeout", "drain_deadline"})
      if (from.has(key))
        from.fail(key, no_meaning + ", whose drain_connection_timeout says how long a node drains");
    return;
  }
  if (where.unneeded == surplus::removed) {
    x = {.drain_deadline = x.drain_deadline};
    for (const auto key : {"low_utilisation", "window", "idle_timeout"})
      if (from.has(key))
        from.fail(key, no_meaning
                         + ", which removes what is not needed at once; allowed: drain_deadline");
  } else {
    from.read("low_utilisation", x.low_utilisation);
    from.read("window", x.window);
    from.read("idle_timeout", x.idle_timeout);
  }
  from.read("drain_deadline", x.drain_deadline);
  if (from.clean())
    from.report(validate(x));
}

void read_billing(const section& from, backend_service_spec& into) {
  auto& x = into.billing;
  const auto by_request = std::holds_alternative<cloud_run_config>(into.autoscaling);
  read_name(from, "rounding", billing_roundings, x.rule);
  read_name(from, "mode", billing_modes, x.how);
  if (by_request && !from.given("mode"))
    x.how = billing::mode::request_based;
  if (by_request)
    return;
  if (from.has("mode") && x.how == billing::mode::request_based)
    from.fail("mode", "policy " + std::string{policy_of(into.autoscaling)}
                        + " has no instances that are paid for by the request; allowed: "
                          "instance_based");
  x.how = billing::mode::instance_based;
}

template <class Spec>
void read_settings(const section& from, Spec& into) {
  from.read("request_timeout", into.request_timeout);
  const auto before = from.problems().size();
  const auto autoscaling = from.at("autoscaling");
  read_autoscaling(autoscaling, into.autoscaling);
  const auto sound = autoscaling.clean() && from.problems().size() == before;
  read_instance(from.at("instance"), into.autoscaling, into.instance);
  // The last guard, for what neither the schema nor the loader has caught.
  if (sound)
    autoscaling.report(validate(into.autoscaling, into.instance));
  read_pending(from.at("pending"), into);
  read_scale_in(from.at("scale_in"), into);
}

} // namespace

void read_health_check(const section& from, health_check_config& into) {
  from.read("interval", into.interval);
  from.read("timeout", into.timeout);
  from.read("healthy_threshold", into.healthy_threshold);
  from.read("unhealthy_threshold", into.unhealthy_threshold);
  from.read("probers", into.probers);
  from.read("quorum", into.quorum);
  from.read("response_time", into.response_time);

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

namespace {

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

std::vector<std::string> read_regions(const section& from, scenario_draft& draft) {
  std::vector<std::string> regions;
  for (const auto& x : from.list("regions")) {
    if (x.bad || !x.is_text())
      continue;
    if (x.text == reserved_site)
      from.problems().add(x.at, "regions: \"director\" is the name of a site of its own");
    if (!contains(draft.result.regions, x.text))
      draft.result.regions.push_back(x.text);
    regions.push_back(x.text);
  }
  return regions;
}

// Names in an override that its service does not have.
void check_override_names(const section& overrides, const section& from,
                          const scenario_draft& draft, const scenario_draft::service& service) {
  for (const auto& region : from.entries("overrides")) {
    if (draft.regions_known && !contains(service.regions, region.key))
      overrides.problems().add(region.key_at, "unknown region \"" + region.key + "\""
                                                + suggestion(region.key, service.regions, "known"));
    for (const auto& backend : overrides.entries(region.key))
      if (draft.backends_known && !contains(service.backend_services, backend.key))
        overrides.problems().add(backend.key_at,
                                 "unknown backend service \"" + backend.key + "\""
                                   + suggestion(backend.key, service.backend_services, "known"));
  }
}

// More revisions, each in each region, than any run could hold; a small file can name them.
void count_revisions(const section& from, std::size_t regions, scenario_draft& draft) {
  constexpr std::size_t most = 10'000;
  for (const auto& x : from.entries("backend_services")) {
    const auto* revisions = x.value.find("revisions");
    draft.revisions += revisions == nullptr ? 0 : revisions->members.size() * regions;
    if (draft.revisions <= most || !draft.revisions_known)
      continue;
    draft.revisions_known = false;
    from.problems().add(x.key_at, "a scenario can have at most " + std::to_string(most)
                                    + " revisions, each counted in each of its regions");
  }
}

void read_service(const yaml_member& member, scenario_draft& draft, problem_list& problems) {
  const section from{problems, &member.value, member.value.at};
  if (member.key == reserved_service)
    problems.add(member.key_at, "a service cannot be named \"link\", which names links");
  scenario_draft::service service{member.key, read_regions(from, draft), {}, false};
  count_revisions(from, service.regions.size(), draft);
  std::vector<backend_service_spec> base;
  for (const auto& x : from.entries("backend_services")) {
    service.backend_services.push_back(x.key);
    if (x.key == reserved_backend)
      problems.add(x.key_at, "a backend service cannot be named \"composite\", which names the "
                             "composite health check");
    backend_service_spec spec;
    spec.name = x.key;
    const section settings{problems, &x.value, x.value.at};
    read_backend_service(settings, spec);
    read_revisions(problems, x.value, nullptr, draft, spec);
    read_service_settings(settings, draft, spec);
    base.push_back(std::move(spec));
  }
  service.composite = from.has("composite_health");
  // Sources are read when all services are known.
  const auto overrides = from.at("overrides");
  check_override_names(overrides, from, draft, service);
  for (const auto& region : service.regions) {
    const auto settings = overrides.at(region);
    published_service_spec published{service.name, region, base, std::nullopt};
    for (auto& backend : published.backend_services) {
      const auto* above = settings.find(backend.name);
      if (above == nullptr)
        continue;
      const auto* below = from.at("backend_services").find(backend.name);
      const section other{problems, above, above->at, below};
      read_backend_service(other, backend);
      if (below != nullptr)
        read_revisions(problems, *below, above, draft, backend);
      read_service_settings(other, draft, backend);
    }
    draft.result.published_services.push_back(std::move(published));
  }
  draft.services.push_back(std::move(service));
}

void read_composite(const yaml_member& member, const scenario_draft::service& service,
                    scenario_draft& draft, problem_list& problems) {
  const section from{problems, &member.value, member.value.at};
  if (!service.composite)
    return;
  const auto composite = from.at("composite_health");
  composite_health_spec spec;
  read_sources(composite, draft, service, spec.sources);
  read_propagation(composite.at("propagation"), spec.propagation);
  for (auto& x : draft.result.published_services)
    if (x.service == service.name)
      x.composite_health = spec;
}

} // namespace

void read_backend_service(const section& from, backend_service_spec& into) {
  read_name(from, "backends", backend_kinds, into.backends);
  from.read("weight", into.weight);
  from.read("zones", into.zones);
  read_settings(from, into);
  read_billing(from.at("billing"), into);
  read_routing(from.at("routing"), into);
  read_health_check(from.at("health_check"), into.health_check);
}

void read_revision(const section& from, revision_spec& into) {
  read_settings(from, into);
}

void read_producers(const section& root, scenario_draft& draft) {
  if (!root.has("producers"))
    draft.regions_known = draft.backends_known = false;
  const auto services = root.entries("producers");
  for (const auto& x : services) {
    const auto* regions = x.value.find("regions");
    const auto* backends = x.value.find("backend_services");
    if (x.value.bad || regions == nullptr || !regions->clean())
      draft.regions_known = false;
    if (x.value.bad || backends == nullptr || backends->bad)
      draft.backends_known = false;
  }
  for (const auto& x : services)
    if (!x.value.bad)
      read_service(x, draft, root.problems());
  for (const auto& x : services)
    if (const auto* service = draft.find_service(x.key))
      read_composite(x, *service, draft, root.problems());
  for (const auto& x : draft.services)
    for (const auto& region : x.regions)
      for (const auto& backend : x.backend_services)
        draft.backends.push_back(region + "/" + x.name + "/" + backend);
}

} // namespace spillover
