#pragma once

#include "actors/link_shell.hpp"
#include "actors/pacer.hpp"
#include "actors/virtual_coordinator.hpp"
#include "actors/world.hpp"
#include "report/stop_watch.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spillover {

/// The world while it lives: the system, its actors by what they are, and how they find each other.
struct world::parts {
  parts(const scenario& x, std::optional<world_part> p, site::observer seen)
    : spec(x),
      part(std::move(p)),
      log(plan_sites(x)),
      system(config),
      coordinator(virtual_coordinator::of(system)),
      watch(part ? decltype(x.stop_if){} : x.stop_if, x.consumers.size(), x.warm_up),
      here(coordinator.events(), log, x.seed, watching(std::move(seen))),
      keeper(run_start + x.warm_up) {
    here.keep_requests(keeper);
    if (part && part->others)
      here.join(*part->others);
  }

  /// @returns whether what belongs to a site lives here.
  [[nodiscard]] bool holds(const std::string& site) const { return !part || part->site == site; }

  /// @returns where an actor of this process sends records to one that may be in another.
  [[nodiscard]] port port_to(const std::string& site, entity_id to, link_model* link) const;
  [[nodiscard]] std::uint16_t number_of(const std::string& site) const;

  struct service_entry {
    entity_id id = nobody;
    published_service_actor who;
    bool watched = false;   // a consumer wants to know its endpoints
    bool metered = false;   // and its utilization
    bool connected = false; // and when connections to it end
  };

  struct link_entry {
    link_shell::models models;
    link_actor who;
  };

  /// Records of other sites that somebody here takes.
  struct way {
    op what;
    entity_id to;
    entity_id reply_to;
  };

  /// Stands for the absence of a site's process among the faults; no other one has this number.
  static constexpr std::uint32_t absence = 0xffffffff;

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
  void build_consumer(const consumer_spec& x, std::uint32_t number);
  void build_service(const published_service_spec& x);
  void build_director();
  site::observer watching(site::observer seen);
  void order_absence(bool absent);
  void list_acceptable();
  template <class Message>
  void tell_balancer(const Message& x);
  void close_books();
  [[nodiscard]] std::uint64_t on_the_way() const;
  void stop();

  const scenario spec;
  const std::optional<world_part> part;
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
  std::map<std::string, prober_group_actor> probers;  // by backend service
  std::map<std::string, health_source_actor> sources; // as well, of those that have one
  std::map<std::string, entity_id> balancer_ids;      // by consumer
  std::map<std::string, load_balancer_actor> balancers;
  director_actor director;
  std::vector<way> acceptable;
  std::vector<clients_actor> clients;
  std::vector<bookkeeper_actor> bookkeepers;
  std::vector<caf::strong_actor_ptr> residents;
  std::vector<std::string> casualties;
  bool closing = false;
  bool stopping = false;
};

} // namespace spillover
