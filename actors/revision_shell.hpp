#pragma once

#include "actors/alarm.hpp"
#include "actors/shell.hpp"
#include "producers/affliction_book.hpp"
#include "producers/health/endpoint_gate.hpp"
#include "producers/instance.hpp"
#include "producers/restart_backoff.hpp"
#include "producers/service_action.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spillover {

/// The revisions of a backend service and the supervisor of their instances: starts them, ends them,
/// and starts a successor for one that crashed.
class revision_shell final : public shell<revision_actor>, private service_effects {
public:
  struct setup {
    entity_id id = nobody;
    std::string path;
    entity_id service_id = nobody;
    service_config config;
    std::uint32_t zones = 1;
    /// Where requests to the URL of a tag come in, by tag.
    std::vector<std::pair<std::string, entity_id>> tags = {};
    /// Its probers want to know when it has its first request.
    bool tells_traffic = false;
    /// The load balancer in front of it, when that looks at health (B-69).
    std::optional<producer_balancer_config> balancer = std::nullopt;
    /// Place among the backend services of its published service.
    std::uint32_t place = 0;
    /// CPUs of an instance, for whoever balances by utilization.
    double cores = 1;
    /// A consumer's clients make connections to it, and want to know when one's end is gone (B-87).
    bool tells_lost = false;
  };

  /// Who watches the instances.
  struct watchers {
    prober_group_actor probers;
    /// The probers of auto-healing, if there is any.
    prober_group_actor healers = {};
    /// Who counts instances by their readiness probes, if anyone does (B-68).
    health_source_actor readiness = {};
    /// The published service, if a consumer of it balances by utilization.
    published_service_actor utilization = {};
  };

  revision_shell(caf::actor_config& config, site& where, setup with, watchers by);

  void on_record(const record& x) override;
  void on_exit() override;

protected:
  behavior_type make_behavior() override;

private:
  enum timer : std::uint16_t {
    second_timer,
    deadline_timer,
    close_step,
    settled_step,
    restart_timer
  };

  /// One revision, as it acts on the world.
  class member final : public revision_effects {
  public:
    member(revision_shell& of, std::uint32_t number, std::string path,
           const revision_config& config);

    void dispatch(std::uint32_t index, std::uint32_t key, std::uint64_t serial,
                  const record& request) override;
    void answer(const record& request, outcome how) override;
    void start(std::uint32_t index) override;
    void stop(std::uint32_t index) override;
    void changed(const fleet::change& x) override;
    void decided(std::string_view policy, std::uint32_t before, const recommendation& x,
                 const fleet_size& size) override;
    void denied(std::uint32_t wanted, const start_quota::answer& x) override;
    void queue_changed(std::uint32_t length) override;
    void path_changed(bool activator, std::int64_t excess_burst_capacity) override;

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

    /// @returns the place of an instance among the processes.
    [[nodiscard]] std::uint32_t place_of(std::uint32_t index) const noexcept {
      return places_[index];
    }
    [[nodiscard]] entity_id entity_of(std::uint32_t index) const noexcept { return ids_[index]; }

  private:
    revision_shell& shell_;
    std::uint32_t number_;
    std::string path_;
    instance_blueprint blueprint_;
    std::vector<entity_id> ids_; // by index; apart, because every request reads it
    std::vector<std::uint32_t> places_;
  };

  /// The process of one instance.
  struct process {
    instance_actor who;
    std::uint32_t incarnation = 0;
    std::string path;
    std::uint32_t zone = 0;
    std::uint32_t revision = 0;
    std::uint32_t index = 0;    // in its revision
    bool endpoint = false;      // health checks watch it
    event_id latest;            // the last event of this instance
    std::uint64_t restarts = 0; // restarts that were set for later or done; only the last counts
    restart_backoff backoff = {};
    std::optional<health> counted = std::nullopt; // by its readiness probe
  };

  revision_effects& of(std::uint32_t revision) override { return members_[revision]; }
  void rollout_stepped(std::uint32_t revision, rollout_step step, std::uint32_t instances,
                       std::uint32_t needed, std::string_view why) override;
  void traffic_changed(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& shares,
                       const std::vector<std::pair<std::string, std::uint32_t>>& tags,
                       std::string_view why) override;
  void sampled(std::uint32_t revision, const revision_sample& x) override;

  void close();
  void on_request(const record& x);
  [[gnu::cold]] void on_other_request(const record& x);
  void on_timer(const record& x);
  // Apart from the code of every request, whose registers it would take.
  [[gnu::cold]] void trace(const record& x, const std::string& where);
  [[gnu::cold]] void on_connect(const record& x);
  [[gnu::cold]] void on_connected(const record& x);
  void tell_lost(std::size_t place, bool in_order);
  /// @returns what names a process to whoever is connected with it; never 0.
  [[nodiscard]] std::int64_t peer_of(std::size_t place) const noexcept;
  void ask_usage();
  void tell_utilization(const revision_sample& x);
  void post_step(timer what);
  void on_order(const instance_order& x);
  void on_order(const quota_order& x);
  void on_order(const action_order& x);
  void act(const service_action& x);
  void announce(const instance_order& x, std::size_t affected);
  void fall_ill(std::uint32_t index, std::uint32_t fault, bool fresh);
  void recover(std::uint32_t index, std::uint32_t fault);
  void restart_after(std::uint32_t index, duration delay);
  void restart(std::uint32_t index);
  void on_ready(const instance_ready& x);
  void on_down(const caf::down_msg& x);
  void on_failed(const container_failed& x);
  void on_readiness(const instance_readiness& x);
  void turn_readiness(process& p, bool takes_requests, const readiness_probe_config& probe);
  void count_readiness(process& p, health state, const readiness_probe_config& probe);
  void forget_readiness(process& p);
  void on_order(const recreate_order& x);
  void on_judged(const endpoint_judged& x);
  void follow_gate(const std::vector<endpoint_gate::change>& changes);
  void tell_started(const endpoint_added& x, bool first);
  void tell_left(std::uint32_t index, event_id cause);
  void tell_ended(std::uint32_t index);
  [[nodiscard]] std::vector<affliction_book::candidate> candidates() const;
  [[nodiscard]] std::uint32_t running() const noexcept;

  /// Sets the alarm for what the service has to do next; the last step of everything that happens.
  // Lets a rollout take a step that it can take now.
  void follow() {
    service_.follow(now(), *this);
    order_ = {};
  }
  void arm() { deadline_alarm_.set(events(), service_.next_deadline()); }

  setup setup_;
  watchers watchers_;
  /// Records for it are requests that go on without a question; nobody while they are refused.
  entity_id taken_;
  std::optional<endpoint_gate> gate_;
  service service_;
  std::vector<member> members_; // by revision; never moved, since instances know their blueprints
  alarm_clock deadline_alarm_;
  std::vector<process> processes_; // of all revisions, in the order of their first starts
  zone_placement zones_;
  affliction_book afflictions_;
  std::map<std::uint32_t, event_id> applied_; // by fault: that it was laid or taken off last
  event_id cause_;                            // of what happens next
  event_id order_;                            // the action or step of a rollout that is being taken
  event_id rollout_;                          // the last step of a rollout
  std::vector<std::uint32_t> serving_;        // revisions that have a share of the traffic
  bool warm_ = false;                         // instances that start now serve at once
  std::size_t connect_turn_ = 0;              // who is to take the next connection
};

} // namespace spillover
