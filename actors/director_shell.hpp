#pragma once

#include "actors/shell.hpp"
#include "actors/world_part.hpp"
#include "model/fault.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// Carries out the timelines of faults and of actions.
///
/// In a deployment each process has one, which does its part: it orders those that it has handles of. So
/// the timeline goes on when the director's process is lost, and at the instants of the scenario.
class director_shell final : public shell<director_actor> {
public:
  struct setup {
    std::string path;
    std::vector<fault> faults;
    std::vector<service_action> actions = {};
    /// By path of the backend service, e.g. "us-east1/checkout/web".
    std::map<std::string, revision_actor> revisions;
    struct link {
      std::string from;
      std::string to;
      link_actor who;
    };
    std::vector<link> links;
    /// By path of the backend service.
    std::map<std::string, prober_group_actor> probers = {};
    /// By path of the backend service.
    std::map<std::string, health_source_actor> sources = {};
    /// By consumer.
    std::map<std::string, load_balancer_actor> balancers = {};
    /// The part of the world that it is responsible for; all of it when there is none.
    std::optional<world_part> part = std::nullopt;
  };

  director_shell(caf::actor_config& config, site& where, setup with);

  void on_exit() override;

protected:
  behavior_type make_behavior() override;

private:
  void add(const fault_added& x);
  void carry_out(const fault_due& x);
  event_id announce(const fault_due& x, event_id cause, payload what);
  template <class Handle, class Order>
  void order(const std::map<std::string, Handle>& from, const std::string& whom, const Order& what);
  void carry_out(const action_due& x);
  void lay_or_take_off(const fault_due& x, event_id cause);
  template <class Fault>
  void order_everyone(const fault_due& x, const Fault& what, fault_scope where, event_id cause);
  void order(const fault_due& x, const instance_fault& what, event_id cause);
  void order(const fault_due& x, const region_fault& what, event_id cause);
  void order(const fault_due& x, const zone_fault& what, event_id cause);
  void order(const fault_due& x, const prober_fault& what, event_id cause);
  void order(const fault_due& x, const quota_fault& what, event_id cause);
  void order(const fault_due& x, const consumer_fault& what, event_id cause);
  void order(const fault_due& x, const clock_fault& what, event_id cause);
  void order(const fault_due& x, const balancer_fault& what, event_id cause);
  void order(const fault_due& x, const link_fault& what, event_id cause);

  setup setup_;
  std::vector<event_id> started_; // by fault
  std::vector<event_id> ordered_; // by fault: what an operator did who added it
  std::vector<bool> lies_;        // by fault
  std::vector<bool> over_;        // by fault
};

} // namespace spillover
