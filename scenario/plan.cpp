#include "scenario/plan.hpp"

#include <algorithm>
#include <numeric>

namespace spillover {

namespace {

constexpr std::string_view director_site = "director";

void plan_backend_service(const published_service_spec& service, const backend_service_spec& x,
                          std::vector<planned_actor>& out) {
  const auto path = service.path() + "/" + x.name;
  out.push_back({actor_kind::revision, service.region, path});
  const auto config = service_of(x, 0, path);
  const auto counts = spillover::service{config}.initial_counts();
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (std::uint32_t n = 0; n < counts[i]; ++n)
      out.push_back(
        {actor_kind::instance, service.region,
         revision_path(path, config.revisions[i].name).append("/").append(std::to_string(n))});
  out.push_back({actor_kind::prober_group, service.region, path + "/probers"});
  if (x.auto_healing)
    out.push_back({actor_kind::prober_group, service.region, path + "/auto_healing"});
  if (!service.composite_health)
    return;
  const auto& sources = service.composite_health->sources;
  if (std::any_of(sources.begin(), sources.end(),
                  [&x](const auto& y) { return y.backend_service == x.name; }))
    out.push_back({actor_kind::health_source, service.region, path + "/source"});
}

} // namespace

std::string_view to_string(actor_kind x) noexcept {
  switch (x) {
    case actor_kind::director: return "director";
    case actor_kind::published_service: return "published_service";
    case actor_kind::revision: return "revision";
    case actor_kind::instance: return "instance";
    case actor_kind::prober_group: return "prober_group";
    case actor_kind::health_source: return "health_source";
    case actor_kind::composite_health_check: return "composite_health_check";
    case actor_kind::link: return "link";
    case actor_kind::load_balancer: return "load_balancer";
    case actor_kind::clients: return "clients";
  }
  return "?";
}

std::vector<planned_actor> plan_actors(const scenario& x) {
  std::vector<planned_actor> result;
  const std::string director{director_site};
  result.push_back({actor_kind::director, director, director});
  for (const auto& service : x.published_services) {
    result.push_back({actor_kind::published_service, service.region, service.path()});
    for (const auto& backend : service.backend_services)
      plan_backend_service(service, backend, result);
    if (service.composite_health)
      result.push_back(
        {actor_kind::composite_health_check, service.region, service.aggregate_path()});
  }
  for (const auto& link : x.links)
    result.push_back({actor_kind::link, link.from, link.path()});
  for (const auto& consumer : x.consumers) {
    result.push_back({actor_kind::load_balancer, consumer.name, consumer.name + "/lb"});
    result.push_back({actor_kind::clients, consumer.name, consumer.name + "/clients"});
  }
  return result;
}

std::vector<std::string> plan_sites(const scenario& x) {
  std::vector<std::string> result{std::string{director_site}};
  result.insert(result.end(), x.regions.begin(), x.regions.end());
  for (const auto& consumer : x.consumers)
    result.push_back(consumer.name);
  return result;
}

service_config service_of(const backend_service_spec& x, std::uint64_t seed,
                          const std::string& path) {
  service_config result{.revisions = {}, .traffic = x.traffic, .scaling = x.scaling};
  result.seed = seed;
  result.path = path;
  const auto add = [&](const std::string& name, const auto& own) {
    result.revisions.push_back({name,
                                {own.instance, own.autoscaling, own.pending, own.scale_in,
                                 own.request_timeout, seed, revision_path(path, name)}});
    result.revisions.back().config.routing = x.routing;
    result.revisions.back().config.billing = x.billing;
  };
  for (const auto& own : x.revisions)
    add(own.name, own);
  if (x.revisions.empty())
    add({}, x);
  return result;
}

std::string backend_of_tag(const scenario& x, const std::string& published, std::string_view tag) {
  const auto has_tag = [tag](const std::vector<traffic_target>& y) {
    return std::any_of(y.begin(), y.end(), [tag](const auto& z) { return z.tag == tag; });
  };
  const auto gets_tag = [&](const std::string& path) {
    return std::any_of(x.actions.begin(), x.actions.end(), [&](const service_action& y) {
      const auto* split = std::get_if<split_action>(&y.what);
      return split != nullptr && y.of == path && has_tag(split->traffic);
    });
  };
  std::string first;
  for (const auto& service : x.published_services) {
    if (service.path() != published)
      continue;
    for (const auto& backend : service.backend_services) {
      const auto path = published + "/" + backend.name;
      if (has_tag(backend.traffic) || gets_tag(path))
        return path;
      if (first.empty())
        first = path;
    }
  }
  return first;
}

std::string revision_path(const std::string& backend, const std::string& revision) {
  return revision.empty() ? backend : backend + "/" + revision;
}

std::uint32_t initial_instances(const backend_service_spec& x) {
  const auto counts = service{service_of(x, 0, {})}.initial_counts();
  return std::accumulate(counts.begin(), counts.end(), std::uint32_t{0});
}

bool counts_by_readiness(const published_service_spec& x) noexcept {
  return x.composite_health && x.composite_health->signal == health_signal::readiness;
}

bool starts_from_zero(const backend_service_spec& x) {
  const auto bounds = bounds_of(x.autoscaling);
  return bounds.min == 0 && bounds.max > 0
         && platform_of(x.autoscaling, x.instance).waits != waiting_room::nowhere;
}

} // namespace spillover
