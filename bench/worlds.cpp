#include "bench/worlds.hpp"

#include "actors/clients_shell.hpp"
#include "actors/prober_group_shell.hpp"
#include "actors/revision_shell.hpp"
#include "actors/virtual_coordinator.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <string>

namespace spillover::bench {

namespace {

using namespace std::chrono_literals;

constexpr duration mean_service = 10ms;

constexpr double mmc_load = 0.8;

instance_config instance_for(job what) {
  instance_config x;
  if (what == job::mmc) {
    x.concurrency = 1;
    x.service_time = exponential_distribution{mean_service};
    return x;
  }
  x.cpu = 1;
  x.concurrency = 80;
  x.service_time = lognormal_distribution{40ms, 200ms};
  x.cpu_per_request = 15ms;
  return x;
}

} // namespace

scenario full_path(job what, std::uint32_t instances, std::uint64_t requests) {
  const auto rate = instances * (what == job::mmc ? mmc_load / seconds_of(mean_service) : 36.0);
  scenario x;
  x.name = "full-path";
  x.lasts = from_seconds(static_cast<double>(requests) / rate);
  x.regions = {"near"};
  backend_service_spec web;
  web.name = "web";
  web.instance = instance_for(what);
  cloud_run_config scaling;
  scaling.min_instances = instances;
  scaling.max_instances = instances;
  web.autoscaling = scaling;
  published_service_spec service;
  service.service = "shop";
  service.region = "near";
  service.backend_services = {web};
  service.composite_health = composite_health_spec{{{"web", {}}}, {}};
  x.published_services = {service};
  consumer_spec consumer;
  consumer.name = "clients";
  consumer.service = "shop";
  consumer.regions = {"near"};
  open_loop_config load;
  load.rate = {{run_start, rate, false}};
  consumer.traffic = {load};
  x.consumers = {consumer};
  const link_config link{8ms, 2ms, 0};
  x.links = {{"clients", "near", {link, {}}}, {"near", "clients", {link, {}}}};
  return x;
}

std::uint64_t actor_mmc(std::uint32_t servers, double load, std::uint64_t requests,
                        std::uint64_t seed) {
  virtual_time_config config;
  caf::actor_system system{config};
  auto& coordinator = virtual_coordinator::of(system);
  event_log log{{"director", "bench"}};
  site here{coordinator.events(), log, seed};
  const auto revision_id = coordinator.events().allocate();
  const auto clients_id = coordinator.events().allocate();

  health_check_config slow;
  slow.interval = 300s;
  prober_group_actor probers = system.spawn<prober_group_shell>(
    here, prober_group_shell::setup{coordinator.events().allocate(), "bench/probers", slow},
    health_source_actor{});
  revision_shell::setup r;
  r.id = revision_id;
  r.path = "bench/revision";
  r.service_id = clients_id; // answers go straight back
  revision_config own;
  own.instance.concurrency = 1;
  own.instance.service_time = exponential_distribution{mean_service};
  own.autoscaling = fixed_config{servers};
  r.config.revisions = {{"", own}};
  revision_actor revision =
    system.spawn<revision_shell>(here, r, revision_shell::watchers{.probers = probers});

  const auto rate = load * servers / seconds_of(mean_service);
  clients_shell::setup c;
  c.id = clients_id;
  c.path = "bench/clients";
  c.target = revision_id;
  open_loop_config open;
  open.rate = {{run_start, rate, false}};
  c.traffic = {open};
  clients_actor clients = system.spawn<clients_shell>(here, c);
  coordinator.settle();
  caf::anon_send(clients, caf::tick_atom::value);
  coordinator.run_until(run_start + from_seconds(static_cast<double>(requests) / rate));

  caf::anon_send(clients, close_books{});
  coordinator.settle();
  const auto result = std::get<books_closed>(log.events().back().what).taken;
  for (const auto& x : {caf::actor_cast<caf::strong_actor_ptr>(clients),
                        caf::actor_cast<caf::strong_actor_ptr>(revision),
                        caf::actor_cast<caf::strong_actor_ptr>(probers)})
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  coordinator.settle();
  coordinator.drop_timers();
  return result;
}

} // namespace spillover::bench
