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

/// @returns what the service of a backend service is made of.
/// @param seed, path name its random streams
service_config service_of(const backend_service_spec& x, std::uint64_t seed,
                          const std::string& path);

/// @returns the path of a revision, e.g. "us-east1/checkout/web/v2"; that of its backend service when it
///          has no name.
std::string revision_path(const std::string& backend, const std::string& revision);

/// @returns the path of the backend service that the URL of a tag leads to: the first of the published
///          service with a revision that has the tag when the run begins, or gets it by an action; else
///          its first.
std::string backend_of_tag(const scenario& x, const std::string& published, std::string_view tag);

/// @returns how many instances a backend service starts with; zero for one that has
///          scaled to zero, or is only deployed then.
std::uint32_t initial_instances(const backend_service_spec& x);

/// @returns whether a service's instances count by their readiness probes (B-68).
bool counts_by_readiness(const published_service_spec& x) noexcept;

/// @returns whether a backend service may have no instance at all, and a request then starts one: its
///          platform answers at an address of its own (B-66).
bool starts_from_zero(const backend_service_spec& x);

} // namespace spillover
