#include "actors/clients_shell.hpp"
#include "actors/director_shell.hpp"
#include "actors/health_shells.hpp"
#include "actors/load_balancer_shell.hpp"
#include "actors/prober_group_shell.hpp"
#include "actors/published_service_shell.hpp"
#include "actors/remote_listener_shell.hpp"
#include "actors/revision_shell.hpp"
#include "actors/world_parts.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>

namespace spillover {

template <class Shell, class Handle, class... Ts>
Handle world::parts::resident(const std::string& path, Ts&&... xs) {
  Handle result = system.spawn<Shell>(here, std::forward<Ts>(xs)...);
  const auto strong = caf::actor_cast<caf::strong_actor_ptr>(result);
  residents.push_back(strong);
  strong->get()->attach_functor([this, path](const caf::error& reason) {
    if (!stopping)
      casualties.push_back(path + ": " + system.render(reason));
  });
  return result;
}

void world::parts::give_out_addresses() {
  auto& events = coordinator.events();
  for (const auto& x : spec.published_services) {
    services[x.path()].id = events.allocate();
    for (const auto& backend : x.backend_services)
      revision_ids[x.path() + "/" + backend.name] = events.allocate();
  }
  for (const auto& x : spec.consumers)
    if (!x.tag.empty())
      for (const auto& region : x.regions)
        give_out_tag(region + "/" + x.service, x.tag);
  for (const auto& x : spec.consumers)
    balancer_ids[x.name] = events.allocate();
  for (const auto& x : spec.links) {
    auto& models = links[{x.from, x.to}].models;
    for (std::size_t which = 0; which < plane_count; ++which) {
      const auto name = x.path() + "/" + std::string{to_string(static_cast<plane>(which))};
      models[which] = std::make_shared<link_model>(x.planes[which], spec.seed, name);
    }
  }
}

// The URL of a tag leads to the first backend service that has a revision of that tag at any time.
void world::parts::give_out_tag(const std::string& service, const std::string& tag) {
  const auto backend = backend_of_tag(spec, service, tag);
  auto& known = tags[backend];
  if (std::none_of(known.begin(), known.end(), [&](const auto& x) { return x.first == tag; }))
    known.emplace_back(tag, coordinator.events().allocate());
}

entity_id world::parts::address_of_tag(const std::string& service, const std::string& tag) const {
  if (tag.empty())
    return nobody;
  for (const auto& [name, address] : tags.at(backend_of_tag(spec, service, tag)))
    if (name == tag)
      return address;
  return nobody;
}

void world::parts::build() {
  give_out_addresses();
  build_consumers();
  build_links();
  build_services();
  build_director();
}

std::uint16_t world::parts::number_of(const std::string& site) const {
  const auto found = std::find(log.sites().begin(), log.sites().end(), site);
  SPILLOVER_CHECK(found != log.sites().end());
  return static_cast<std::uint16_t>(found - log.sites().begin());
}

port world::parts::port_to(const std::string& site, entity_id to, link_model* link) const {
  if (holds(site))
    return {to, link};
  return {to, link, part->others, number_of(site)};
}

void world::parts::build_consumers() {
  for (std::uint32_t i = 0; i < spec.consumers.size(); ++i)
    if (holds(spec.consumers[i].name))
      build_consumer(spec.consumers[i], i);
}

void world::parts::build_consumer(const consumer_spec& x, std::uint32_t number) {
  load_balancer_shell::setup lb;
  lb.id = balancer_ids[x.name];
  lb.path = x.name + "/lb";
  lb.config = x.load_balancer;
  for (const auto& region : x.regions) {
    const auto path = region + "/" + x.service;
    auto& model = links.at({x.name, region}).models[static_cast<std::size_t>(plane::data)];
    load_balancer_shell::backend neg{
      region, port_to(region, services.at(path).id, model.get()), {}};
    for (const auto& service : spec.published_services)
      if (service.path() == path && service.composite_health) {
        neg.apply = service.composite_health->propagation.apply;
        neg.apply_endpoints = *neg.apply;
      }
    lb.regions.push_back(neg);
  }
  balancers[x.name] = resident<load_balancer_shell, load_balancer_actor>(lb.path, lb);
  bookkeepers.emplace_back(balancers[x.name]);

  clients_shell::setup c;
  c.id = coordinator.events().allocate();
  c.path = x.name + "/clients";
  c.target = lb.id;
  c.consumer = number;
  c.traffic = x.traffic;
  c.config = x.client;
  c.incarnation = part ? part->incarnation : 1;
  clients.push_back(resident<clients_shell, clients_actor>(c.path, c));
  bookkeepers.emplace_back(clients.back());
}

void world::parts::build_links() {
  for (const auto& x : spec.links) {
    if (!holds(x.from))
      continue;
    auto& entry = links.at({x.from, x.to});
    health_listener_actor listener;
    if (const auto found = balancers.find(x.to); found != balancers.end())
      listener = found->second;
    else if (balancer_ids.contains(x.to))
      listener = resident<remote_listener_shell, health_listener_actor>(
        x.path() + "/remote", x.path() + "/remote", number_of(x.to));
    entry.who = resident<link_shell, link_actor>(
      x.path(), link_shell::setup{x.path(), entry.models}, listener);
    bookkeepers.emplace_back(entry.who);
  }
}

void world::parts::build_services() {
  for (const auto& x : spec.published_services)
    if (holds(x.region))
      build_service(x);
}

void world::parts::build_service(const published_service_spec& x) {
  auto& entry = services.at(x.path());
  published_service_shell::setup s;
  s.id = entry.id;
  s.path = x.path();
  s.incarnation = part ? part->incarnation : 1;
  for (const auto& backend : x.backend_services)
    s.backends.push_back({revision_ids.at(x.path() + "/" + backend.name), backend.weight});
  if (x.composite_health) {
    s.timing = x.composite_health->propagation;
    s.endpoint_timing = *s.timing;
  }
  s.answers_from_zero = std::all_of(x.backend_services.begin(), x.backend_services.end(),
                                    [](const auto& y) { return starts_from_zero(y); });
  std::vector<published_service_shell::consumer> consumers;
  for (const auto& c : spec.consumers) {
    if (c.service != x.service
        || std::find(c.regions.begin(), c.regions.end(), x.region) == c.regions.end())
      continue;
    const auto& link = links.at({x.region, c.name});
    auto& model = link.models[static_cast<std::size_t>(plane::data)];
    consumers.push_back({c.name,
                         port_to(c.name, balancer_ids.at(c.name), model.get()),
                         link.who,
                         address_of_tag(x.path(), c.tag),
                         wants_endpoints(c.load_balancer) && !counts_by_readiness(x),
                         makes_connections(c.load_balancer),
                         {},
                         {},
                         {}});
  }
  entry.watched = std::any_of(consumers.begin(), consumers.end(),
                              [](const auto& c) { return c.wants_endpoints; });
  entry.metered = std::any_of(spec.consumers.begin(), spec.consumers.end(), [&x](const auto& c) {
    return c.service == x.service && wants_utilization(c.load_balancer);
  });
  entry.connected = std::any_of(consumers.begin(), consumers.end(),
                                [](const auto& c) { return c.makes_connections; });
  entry.who = resident<published_service_shell, published_service_actor>(x.path(), s, consumers);
  bookkeepers.emplace_back(entry.who);

  composite_actor composite;
  if (x.composite_health) {
    const auto path = x.aggregate_path();
    composite_shell::setup c{path, x.region, {}};
    for (const auto& source : x.composite_health->sources)
      c.sources.push_back(source.backend_service);
    composite = resident<composite_shell, composite_actor>(path, c, entry.who);
  }
  build_backend_services(x, entry, composite);
}

void world::parts::build_backend_services(const published_service_spec& x,
                                          const service_entry& service,
                                          const composite_actor& composite) {
  for (const auto& backend : x.backend_services) {
    const auto path = x.path() + "/" + backend.name;
    const auto source = build_source(x, backend, composite);
    const auto by_readiness = counts_by_readiness(x);
    prober_group_shell::setup p{coordinator.events().allocate(), path + "/probers",
                                backend.health_check};
    const auto& group = probers[path] = resident<prober_group_shell, prober_group_actor>(
      p.path, p, by_readiness ? health_source_actor{} : source,
      service.watched ? service.who : published_service_actor{});

    revision_shell::watchers watchers{.probers = group};
    if (by_readiness)
      watchers.readiness = source;
    if (backend.auto_healing) {
      prober_group_shell::setup h{coordinator.events().allocate(), path + "/auto_healing",
                                  backend.auto_healing->health_check,
                                  backend.auto_healing->initial_delay};
      watchers.healers = resident<prober_group_shell, prober_group_actor>(
        h.path, h, health_source_actor{}, published_service_actor{});
    }
    if (service.metered)
      watchers.utilization = service.who;
    revision_shell::setup r;
    r.place = static_cast<std::uint32_t>(&backend - x.backend_services.data());
    r.cores = total_cpu(backend.instance);
    r.id = revision_ids.at(path);
    r.path = path;
    r.service_id = service.id;
    r.config = service_of(backend, spec.seed, path);
    r.tags = tags[path];
    r.zones = backend.zones;
    r.balancer = x.load_balancer;
    r.tells_lost = service.connected;
    r.tells_traffic =
      backend.health_check.no_traffic_interval
      || (backend.auto_healing && backend.auto_healing->health_check.no_traffic_interval);
    revisions[path] = resident<revision_shell, revision_actor>(path, r, watchers);
    bookkeepers.emplace_back(revisions[path]);
  }
}

health_source_actor world::parts::build_source(const published_service_spec& x,
                                               const backend_service_spec& backend,
                                               const composite_actor& composite) {
  if (!x.composite_health)
    return {};
  const auto& named = x.composite_health->sources;
  const auto found = std::find_if(named.begin(), named.end(), [&backend](const auto& y) {
    return y.backend_service == backend.name;
  });
  if (found == named.end())
    return {};
  health_source_shell::setup s{x.path() + "/" + backend.name + "/source", found->policy,
                               x.composite_health->propagation,
                               static_cast<std::uint32_t>(found - named.begin())};
  const auto path = x.path() + "/" + backend.name;
  return sources[path] = resident<health_source_shell, health_source_actor>(s.path, s, composite);
}

void world::parts::build_director() {
  director_shell::setup d;
  d.path = "director";
  d.faults = spec.faults;
  d.actions = spec.actions;
  d.revisions = revisions;
  d.probers = probers;
  d.sources = sources;
  d.balancers = balancers;
  d.part = part;
  for (const auto& x : spec.links)
    if (holds(x.from))
      d.links.push_back({x.from, x.to, links.at({x.from, x.to}).who});
  director = resident<director_shell, director_actor>(d.path, d);
}

} // namespace spillover
