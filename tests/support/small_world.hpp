#pragma once

#include "scenario/scenario.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace spillover::test {

/// Two regions, "near" and "far", with `instances` instances each, and one consumer that is closer to
/// the first: 40 requests a second, constant service times, default health checks, a composite on
/// each side. Tests change what they are about.
inline scenario small_world(std::uint32_t instances = 4) {
  using std::chrono::milliseconds;
  scenario x;
  x.name = "small";
  x.lasts = std::chrono::seconds{120};
  x.regions = {"near", "far"};
  backend_service_spec web;
  web.name = "web";
  web.instance.service_time = constant_distribution{milliseconds{50}};
  web.instance.cpu_per_request = milliseconds{10};
  web.autoscaling = fixed_config{instances};
  for (const auto& region : x.regions) {
    published_service_spec service;
    service.service = "shop";
    service.region = region;
    service.backend_services = {web};
    service.composite_health = composite_health_spec{{{"web", {}}}, {}};
    x.published_services.push_back(service);
  }
  consumer_spec clients;
  clients.name = "clients";
  clients.service = "shop";
  clients.regions = {"near", "far"};
  open_loop_config load;
  load.rate = {{run_start, 40, false}};
  clients.traffic = {load};
  x.consumers = {clients};
  const link_config close{milliseconds{5}, {}, 0};
  const link_config remote{milliseconds{40}, {}, 0};
  x.links = {{"clients", "near", {close, {}}},
             {"near", "clients", {close, {}}},
             {"clients", "far", {remote, {}}},
             {"far", "clients", {remote, {}}}};
  return x;
}

/// The same, whose consumers are told of no health: they find out for themselves.
inline scenario small_world_without_composites(std::uint32_t instances = 4) {
  auto x = small_world(instances);
  for (auto& service : x.published_services)
    service.composite_health.reset();
  return x;
}

/// @returns a fault on instances of "near/shop/web".
inline fault instances_become(ailment how, instant at, duration lasts, double fraction) {
  instance_fault what;
  what.of = "near/shop/web";
  what.suffer.become = how;
  what.fraction = fraction;
  return {.at = at, .lasts = lasts, .what = what};
}

} // namespace spillover::test
