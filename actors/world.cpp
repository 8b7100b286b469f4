#include "actors/world.hpp"

#include "actors/clients_shell.hpp"
#include "actors/director_shell.hpp"
#include "actors/health_shells.hpp"
#include "actors/link_shell.hpp"
#include "actors/load_balancer_shell.hpp"
#include "actors/pacer.hpp"
#include "actors/prober_group_shell.hpp"
#include "actors/published_service_shell.hpp"
#include "actors/revision_shell.hpp"
#include "actors/virtual_coordinator.hpp"
#include "report/stop_watch.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace spillover {

/// The world while it lives: the system, its actors by what they are, and how they find each other.
struct world::parts {
  parts(const scenario& x, site::observer seen)
    : spec(x),
      log(plan_sites(x)),
      system(config),
      coordinator(virtual_coordinator::of(system)),
      watch(x.stop_if, x.consumers.size(), x.warm_up),
      here(coordinator.events(), log, x.seed, watching(std::move(seen))),
      keeper(run_start + x.warm_up) {
    here.keep_requests(keeper);
  }

  struct service_entry {
    entity_id id = nobody;
    published_service_actor who;
    bool watched = false; // a consumer wants to know its endpoints
  };

  struct link_entry {
    link_shell::models models;
    link_actor who;
  };

  using site_pair = std::pair<std::string, std::string>;

  template <class Shell, class Handle, class... Ts>
  Handle resident(const std::string& path, Ts&&... xs);
  void build();
  void give_out_addresses();
  void give_out_tag(const std::string& service, const std::string& tag);
  [[nodiscard]] entity_id address_of_tag(const std::string& service, const std::string& tag) const;
  void build_consumers();
  void build_links();
  void build_services();
  void build_backend_services(const published_service_spec& x, const service_entry& service,
                              const composite_actor& composite);
  health_source_actor build_source(const published_service_spec& x,
                                   const backend_service_spec& backend,
                                   const composite_actor& composite);
  void build_director();
  site::observer watching(site::observer seen);
  void stop();

  const scenario spec;
  event_log log;
  virtual_time_config config;
  caf::actor_system system;
  virtual_coordinator& coordinator;
  std::optional<pacer> pace;
  stop_watch watch;
  std::optional<std::string> stop_reason;
  event_id stop_cause;
  site here;
  request_keeper keeper;
  request_tracer tracer;

  std::map<site_pair, link_entry> links;
  std::map<std::string, service_entry> services; // by path
  std::map<std::string, entity_id> revision_ids;
  std::map<std::string, std::vector<std::pair<std::string, entity_id>>> tags; // by backend service
  std::map<std::string, revision_actor> revisions;
  std::map<std::string, prober_group_actor> probers; // by backend service
  std::map<std::string, entity_id> balancer_ids;     // by consumer
  std::map<std::string, load_balancer_actor> balancers;
  std::vector<clients_actor> clients;
  std::vector<bookkeeper_actor> bookkeepers;
  std::vector<caf::strong_actor_ptr> residents;
  std::vector<std::string> casualties;
  bool closing = false;
  bool stopping = false;
};

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

void world::parts::build_consumers() {
  for (const auto& x : spec.consumers) {
    load_balancer_shell::setup lb;
    lb.id = balancer_ids[x.name];
    lb.path = x.name + "/lb";
    lb.config = x.load_balancer;
    for (const auto& region : x.regions) {
      const auto path = region + "/" + x.service;
      auto& model = links.at({x.name, region}).models[static_cast<std::size_t>(plane::data)];
      load_balancer_shell::backend neg{region, {services.at(path).id, model.get()}, {}};
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
    c.consumer = static_cast<std::uint32_t>(clients.size());
    c.traffic = x.traffic;
    c.config = x.client;
    clients.push_back(resident<clients_shell, clients_actor>(c.path, c));
    bookkeepers.emplace_back(clients.back());
  }
}

void world::parts::build_links() {
  for (const auto& x : spec.links) {
    auto& entry = links.at({x.from, x.to});
    health_listener_actor listener;
    if (const auto found = balancers.find(x.to); found != balancers.end())
      listener = found->second;
    entry.who = resident<link_shell, link_actor>(
      x.path(), link_shell::setup{x.path(), entry.models}, listener);
    bookkeepers.emplace_back(entry.who);
  }
}

void world::parts::build_services() {
  for (const auto& x : spec.published_services) {
    auto& entry = services.at(x.path());
    published_service_shell::setup s;
    s.id = entry.id;
    s.path = x.path();
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
                           {balancer_ids.at(c.name), model.get()},
                           link.who,
                           address_of_tag(x.path(), c.tag),
                           wants_endpoints(c.load_balancer) && !counts_by_readiness(x),
                           {}});
    }
    entry.watched = std::any_of(consumers.begin(), consumers.end(),
                                [](const auto& c) { return c.wants_endpoints; });
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
    revision_shell::setup r;
    r.id = revision_ids.at(path);
    r.path = path;
    r.service_id = service.id;
    r.config = service_of(backend, spec.seed, path);
    r.tags = tags[path];
    r.zones = backend.zones;
    r.balancer = x.load_balancer;
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
  const auto& sources = x.composite_health->sources;
  const auto found = std::find_if(sources.begin(), sources.end(), [&backend](const auto& y) {
    return y.backend_service == backend.name;
  });
  if (found == sources.end())
    return {};
  health_source_shell::setup s{x.path() + "/" + backend.name + "/source", found->policy,
                               x.composite_health->propagation,
                               static_cast<std::uint32_t>(found - sources.begin())};
  return resident<health_source_shell, health_source_actor>(s.path, s, composite);
}

void world::parts::build_director() {
  director_shell::setup d;
  d.path = "director";
  d.faults = spec.faults;
  d.actions = spec.actions;
  d.revisions = revisions;
  d.probers = probers;
  d.balancers = balancers;
  for (const auto& x : spec.links)
    d.links.push_back({x.from, x.to, links.at({x.from, x.to}).who});
  resident<director_shell, director_actor>(d.path, d);
}

site::observer world::parts::watching(site::observer seen) {
  if (watch.idle())
    return seen;
  return [this, seen = std::move(seen)](const event& x) {
    if (seen)
      seen(x);
    // What is recorded while the books are closed stops nothing any more.
    if (closing)
      return;
    auto reason = watch.see(x);
    if (!reason)
      return;
    stop_reason = std::move(reason);
    stop_cause = x.id;
    // What else is due at this instant happens still, so that up to here the run is the one without
    // the condition.
    coordinator.halt();
  };
}

void world::parts::stop() {
  stopping = true;
  // The wires between actors form cycles, so every one is told to end; each drops its handles then.
  for (const auto& x : residents)
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  coordinator.settle();
  coordinator.drop_timers();
  coordinator.settle();
  clients.clear();
  bookkeepers.clear();
  balancers.clear();
  revisions.clear();
  probers.clear();
  services.clear();
  links.clear();
  residents.clear();
}

world::world(const scenario& x, site::observer seen)
  : parts_(std::make_unique<parts>(x, std::move(seen))) {
  parts_->here.record_event("director", {},
                            run_started{x.name, x.description, x.seed, x.lasts, x.warm_up});
  parts_->build();
  parts_->coordinator.settle();
  for (const auto& c : parts_->clients)
    caf::anon_send(c, caf::tick_atom::value);
}

world::~world() {
  parts_->stop();
}

void world::trace(const std::string& consumer, std::uint64_t number) {
  const auto found = parts_->balancer_ids.find(consumer);
  SPILLOVER_CHECK(found != parts_->balancer_ids.end());
  SPILLOVER_CHECK(now() == run_start && records() == 0);
  parts_->tracer.follow({found->second, number}, consumer);
  parts_->here.trace_requests(parts_->tracer);
}

const request_tracer& world::traced() const noexcept {
  return parts_->tracer;
}

kept_requests world::kept() const {
  kept_requests result;
  for (const auto& x : parts_->spec.consumers)
    result.consumers.push_back(x.name);
  result.requests = parts_->keeper.kept();
  return result;
}

void world::run_until(instant to) {
  SPILLOVER_CHECK(to <= run_start + parts_->spec.lasts);
  if (parts_->pace)
    parts_->pace->run_until(to);
  else
    parts_->coordinator.run_until(to);
}

void world::pace(double speed) {
  SPILLOVER_CHECK(now() == run_start && records() == 0);
  parts_->pace.emplace(parts_->coordinator, wall_clock{wall_clock::real::now(), speed});
}

latency_histogram world::lateness() const {
  return parts_->pace ? parts_->pace->late() : latency_histogram{};
}

void world::finish() {
  if (parts_->stop_reason)
    parts_->here.record_event("director", parts_->stop_cause, run_stopped{*parts_->stop_reason});
  parts_->closing = true;
  for (const auto& x : parts_->bookkeepers)
    caf::anon_send(x, close_books{});
  parts_->coordinator.settle();
  const auto on_the_way = parts_->coordinator.events().pending(
    [](const record& x) { return x.what == op::request || x.what == op::response; });
  parts_->here.record_event("director", {}, run_ended{on_the_way});
}

bool world::stopped() const noexcept {
  return parts_->stop_reason.has_value();
}

instant world::now() const noexcept {
  return parts_->here.now();
}

const event_log& world::log() const noexcept {
  return parts_->log;
}

const std::map<std::string, actor_kind>& world::actors() const noexcept {
  return parts_->here.census();
}

std::uint64_t world::records() const noexcept {
  return parts_->coordinator.events().delivered();
}

std::size_t world::running() const {
  return parts_->system.registry().running();
}

const std::vector<std::string>& world::casualties() const noexcept {
  return parts_->casualties;
}

} // namespace spillover
