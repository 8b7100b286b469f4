#pragma once

#include "lb/failback_policy.hpp"
#include "scenario/scenario.hpp"
#include "scenario/section.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// A scenario while it is read, and what is known to exist in it.
struct scenario_draft {
  scenario result;

  /// Services in the order of the file, each with its regions.
  struct service {
    std::string name;
    std::vector<std::string> regions;
    std::vector<std::string> backend_services;
    bool composite = false;
  };
  std::vector<service> services;

  /// False when a part of the file that names such things is not allowed, so that a name which
  /// seems to be missing may be in there.
  bool regions_known = true;
  bool backends_known = true;
  bool consumers_known = true;
  bool revisions_known = true;

  /// "region/service/backend_service"; there once `read_producers` is through.
  std::vector<std::string> backends;

  /// Of the scenario; nothing for one that can name no file.
  std::optional<std::filesystem::path> folder;

  /// Traces that were read, with their sources.
  std::vector<trace_config> traces;

  /// Revisions so far, counted in each region.
  std::size_t revisions = 0;

  [[nodiscard]] const service* find_service(std::string_view name) const noexcept {
    const auto found = std::find_if(services.begin(), services.end(),
                                    [name](const service& x) { return x.name == name; });
    return found == services.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::vector<std::string> service_names() const;
  [[nodiscard]] std::vector<std::string> consumer_names() const;
  /// Regions, then consumers.
  [[nodiscard]] std::vector<std::string> site_names() const;
  [[nodiscard]] bool has_consumer(std::string_view name) const noexcept;
  [[nodiscard]] bool has_site(std::string_view name) const noexcept;
  /// "region/service" of each published service.
  [[nodiscard]] std::vector<std::string> published_paths() const;
  [[nodiscard]] const std::vector<std::string>& backend_paths() const noexcept { return backends; }
  /// Once `read_producers` is through.
  /// @returns the backend service of a path, or nullptr.
  [[nodiscard]] const backend_service_spec* find_backend(std::string_view path) const;
  /// "region/service/backend_service/revision" of each revision that has a name.
  [[nodiscard]] std::vector<std::string> revision_paths() const;
};

/// @returns true when `names` holds `name`.
bool contains(const std::vector<std::string>& names, std::string_view name) noexcept;

// One function for each section, in the order in which they must be called: each may refer to what
// those before it read. `root` is the whole file.

/// Reads name, seed, duration and the like.
void read_run(const section& root, scenario_draft& draft);
void read_producers(const section& root, scenario_draft& draft);
void read_consumers(const section& root, scenario_draft& draft);
/// Makes the links, and puts each consumer's regions in order of latency.
void read_network(const section& root, scenario_draft& draft);
void read_faults(const section& root, scenario_draft& draft);
void read_actions(const section& root, scenario_draft& draft);
void read_expectations(const section& root, scenario_draft& draft);
void read_stop_conditions(const section& root, scenario_draft& draft);

/// Reads a backend service onto what `into` holds already.
/// @param from an override, or the section of the service itself
void read_backend_service(const section& from, backend_service_spec& into);

/// Reads what a consumer's load balancer leaves regions for.
outlier_detection_config read_outlier_detection(const section& from);

/// Reads a load that a file holds, and the file.
/// @returns one without traffic when there were problems
trace_config read_trace(const section& from, scenario_draft& draft);

/// Reads what kind of load balancer it is, and refuses the keys that have no meaning with it.
void read_kind(const section& from, load_balancer_config& into);

/// @param regions of the load balancer
/// @returns the place of a region among them, once it is known; reports at `at` when it is not there
std::optional<std::size_t> place_of(const section& from, const std::string& region, mark at,
                                    const std::vector<std::string>& regions);

/// @param regions of the load balancer, in the order that its places are to be in
envoy_config read_envoy(const section& from, const std::vector<std::string>& regions);

dns_config read_dns(const section& from);

grpc_config read_grpc(const section& from);

circuit_breaker_config read_circuit_breakers(const section& from);

/// Reads what happens to a single try.
void read_tries(const section& from, load_balancer_config& into);

/// Reads how a load balancer distributes load by capacities, if it does, and refuses what has no meaning then.
/// @param from the section of the load balancer
/// @param into has its kind and its regions
void read_capacity(const section& from, const scenario_draft& draft, consumer_spec& into);

/// Reads `failback` and `failover`.
failback_config read_failback(const section& from);

/// Reads how a load balancer leaves regions and comes back to them, and what its operators do.
/// @param into has its kind and its regions
void read_failover(const section& from, const scenario_draft& draft, consumer_spec& into);

/// Reads what a revision has of its own onto what `into` holds already.
void read_revision(const section& from, revision_spec& into);

/// Reads the revisions of a backend service, whose own settings `into` holds; each begins with those.
/// @param base the backend service
/// @param above its override in a region, if it has one
/// @param draft learns when revisions cannot be known
void read_revisions(problem_list& problems, const yaml_node& base, const yaml_node* above,
                    scenario_draft& draft, backend_service_spec& into);

/// Reads which revisions get the requests of a backend service when the run begins, and what is set for
/// all of them.
/// @param from an override, or the section of the service itself
/// @param into has its revisions
void read_service_settings(const section& from, const scenario_draft& draft,
                           backend_service_spec& into);

/// Reads a list of shares and tags.
/// @param of the backend service; nullptr when it is not known, and neither are its revisions
std::vector<traffic_target> read_traffic(const section& from, std::string_view key,
                                         const backend_service_spec* of);

/// Reads bounds for a whole service, or its fixed number of instances.
service_scaling read_scaling(const section& from);

/// @returns whether a backend service has a revision of that name.
bool is_named(const backend_service_spec& of, std::string_view revision) noexcept;

/// @returns the first policy of a backend service that has no bounds for all revisions together; "" when
///          all have them.
std::string_view policy_without_scaling(const backend_service_spec& of);

/// @returns whether there is such a revision; says so at `key` when there is none.
bool check_revision(const section& from, std::string_view key, const std::string& name,
                    const backend_service_spec& of);

/// Reads a policy and its settings; a key that belongs to another policy is refused.
void read_autoscaling(const section& from, autoscaling_config& into);

/// Reads what an instance is made of; its concurrency, when the file says none, is what the policy's
/// platform makes of it.
void read_instance(const section& from, const autoscaling_config& policy, instance_config& into);

// What expectations and stop conditions observe. Each reads the value of a key and checks that there
// is such a thing.

std::string read_region(const section& from, std::string_view key, const scenario_draft& draft);
std::string read_consumer(const section& from, std::string_view key, const scenario_draft& draft);
/// Path of a backend service.
std::string read_backend_path(const section& from, std::string_view key,
                              const scenario_draft& draft);
/// Name of a revision of a backend service.
/// @param of path of the backend service
std::string read_revision_name(const section& from, std::string_view key, const std::string& of,
                               const scenario_draft& draft);
/// A region, or the path of a backend service.
std::string read_region_or_backend(const section& from, std::string_view key,
                                   const scenario_draft& draft);
event_pattern read_event_pattern(const section& from, const scenario_draft& draft);

/// Reads the `name` of an entry of a list, in which no two have the same.
/// @param names of the entries before; gets this one
std::string read_unique_name(const section& from, std::vector<std::string>& names);

/// The two ends of a link as a file names them.
struct link_ends {
  std::string from;
  std::string to;
  bool both = false;
};

/// Reads `between`, or `from` and `to`, and checks that there is such a link.
/// @returns nothing when there is no such link
std::optional<link_ends> read_ends(const section& from, const scenario_draft& draft);

/// The planes that an entry names.
struct plane_choice {
  bool data = true;
  bool health = false;
};

plane_choice read_planes(const section& from);

// What an entry of the fault timeline says, by its kind; `from` is what stands under its key.

link_fault read_link_fault(const section& from, const scenario_draft& draft);
prober_fault read_prober_fault(const section& from, const scenario_draft& draft);
balancer_fault read_balancer_fault(const section& from, const scenario_draft& draft);
consumer_fault read_consumer_fault(const section& from, const scenario_draft& draft);
clock_fault read_clock_fault(const section& from, const scenario_draft& draft);

} // namespace spillover
