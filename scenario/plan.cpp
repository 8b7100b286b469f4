#include "scenario/plan.hpp"

#include <algorithm>

namespace spillover {

namespace {

constexpr std::string_view director_site = "director";

void plan_backend_service(const published_service_spec& service, const backend_service_spec& x,
                          std::vector<planned_actor>& out) {
  const auto path = service.path() + "/" + x.name;
  out.push_back({actor_kind::revision, service.region, path});
  for (std::uint32_t i = 0; i < initial_instances(x); ++i)
    out.push_back({actor_kind::instance, service.region, path + "/" + std::to_string(i)});
  out.push_back({actor_kind::prober_group, service.region, path + "/probers"});
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
        {actor_kind::composite_health_check, service.region, service.path() + "/composite"});
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

std::uint32_t initial_instances(const backend_service_spec& x) {
  return instances_at_start(x.autoscaling);
}

} // namespace spillover
