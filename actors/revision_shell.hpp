#pragma once

#include "actors/alarm.hpp"
#include "actors/shell.hpp"
#include "producers/affliction_book.hpp"
#include "producers/instance.hpp"
#include "producers/restart_backoff.hpp"
#include "producers/revision.hpp"

#include <map>
#include <string>
#include <vector>

namespace spillover {

/// A revision and the supervisor of its instances: starts them, ends them, and starts a successor for
/// one that crashed.
class revision_shell final : public shell<revision_actor>, private revision_effects {
public:
  struct setup {
    entity_id id = nobody;
    std::string path;
    entity_id service_id = nobody;
    revision_config config;
    std::uint32_t initial_instances = 0;
    std::uint32_t zones = 1;
  };

  /// @param probers who watch the instances
  revision_shell(caf::actor_config& config, site& where, setup with, prober_group_actor probers);

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

  /// The process behind one index.
  struct process {
    instance_actor who;
    std::uint32_t incarnation = 0;
    std::string path;
    std::uint32_t zone = 0;
    bool endpoint = false;      // health checks watch it
    event_id latest;            // the last event of this instance
    std::uint64_t restarts = 0; // restarts that were set for later or done; only the last counts
    restart_backoff backoff = {};
  };

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

  void on_timer(const record& x);
  // Apart from the code of every request, whose registers it would take.
  [[gnu::cold]] void trace(const record& x);
  void ask_usage();
  void post_step(timer what);
  void on_order(const instance_order& x);
  void on_order(const quota_order& x);
  void announce(const instance_order& x, std::size_t affected);
  void fall_ill(std::uint32_t index, std::uint32_t fault, bool fresh);
  void recover(std::uint32_t index, std::uint32_t fault);
  void restart_after(std::uint32_t index, duration delay);
  void restart(std::uint32_t index);
  void on_ready(const instance_ready& x);
  void on_down(const caf::down_msg& x);
  void on_failed(const container_failed& x);
  void on_readiness(const instance_readiness& x);
  [[nodiscard]] std::vector<affliction_book::candidate> candidates() const;
  [[nodiscard]] std::uint32_t running() const noexcept;

  setup setup_;
  prober_group_actor probers_;
  revision revision_;
  instance_blueprint blueprint_;
  alarm_clock deadline_alarm_;
  std::vector<process> processes_;    // by index
  std::vector<entity_id> entity_ids_; // by index; apart, because every request reads it
  zone_placement zones_;
  affliction_book afflictions_;
  std::map<std::uint32_t, event_id> applied_; // by fault: that it was laid or taken off last
  event_id cause_;                            // of what happens next
  bool warm_ = false;                         // instances that start now serve at once
};

} // namespace spillover
