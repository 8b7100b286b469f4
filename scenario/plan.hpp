#pragma once

#include "scenario/scenario.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// What an actor of the world stands for.
enum class actor_kind : std::uint8_t {
  director,
  published_service,
  revision,
  instance,
  prober_group,
  health_source,
  composite_health_check,
  link,
  load_balancer,
  clients,
};

std::string_view to_string(actor_kind x) noexcept;

/// One actor that the world starts with.
struct planned_actor {
  actor_kind kind = actor_kind::director;
  std::string site;
  /// Unique, e.g. "us-east1/checkout/web/7".
  std::string path;
  friend bool operator==(const planned_actor&, const planned_actor&) = default;
};

/// @returns every actor that the world starts with, instances of the start included, in a fixed
///          order.
std::vector<planned_actor> plan_actors(const scenario& x);

/// @returns the sites of the world: the director, the regions, the consumers.
std::vector<std::string> plan_sites(const scenario& x);

/// @returns how many instances a backend service starts with; zero for one that has
///          scaled to zero, or is only deployed then.
std::uint32_t initial_instances(const backend_service_spec& x);

} // namespace spillover
