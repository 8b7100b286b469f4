#pragma once

#include "actors/alarm.hpp"
#include "actors/shell.hpp"
#include "producers/instance.hpp"
#include "producers/revision.hpp"

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
  };

  /// @param probers who watch the instances
  revision_shell(caf::actor_config& config, site& where, setup with, prober_group_actor probers);

  void on_record(const record& x) override;
  void on_exit() override;

protected:
  behavior_type make_behavior() override;

private:
  enum timer : std::uint16_t { second_timer, deadline_timer, close_step, settled_step };

  /// The process behind one index.
  struct process {
    instance_actor who;
    std::uint32_t incarnation = 0;
    std::string path;
    bool endpoint = false; // health checks watch it
    event_id latest;       // the last event of this instance
  };

  /// A fault that lies on instances.
  struct laid {
    instance_order order;
    std::vector<std::uint32_t> victims;
    event_id applied;
  };

  void dispatch(std::uint32_t index, std::uint32_t key, std::uint64_t serial,
                const record& request) override;
  void answer(const record& request, outcome how) override;
  void start(std::uint32_t index) override;
  void stop(std::uint32_t index) override;
  void changed(const fleet::change& x) override;
  void decided(std::string_view policy, std::uint32_t before, const recommendation& x,
               const fleet_size& size) override;
  void queue_changed(std::uint32_t length) override;

  void on_timer(const record& x);
  // Apart from the code of every request, whose registers it would take.
  [[gnu::cold]] void trace(const record& x);
  void ask_usage();
  void post_step(timer what);
  void on_order(const instance_order& x);
  void lay(const instance_order& x);
  void take_off(const instance_order& x);
  void afflict(std::uint32_t index, const laid& x, bool active);
  void on_down(const caf::down_msg& x);
  [[nodiscard]] std::vector<std::uint32_t> choose_victims(const instance_order& x) const;
  [[nodiscard]] std::uint32_t running() const noexcept;
  [[nodiscard]] bool held_down(std::uint32_t index) const noexcept;

  setup setup_;
  prober_group_actor probers_;
  revision revision_;
  instance_blueprint blueprint_;
  alarm_clock deadline_alarm_;
  std::vector<process> processes_;    // by index
  std::vector<entity_id> entity_ids_; // by index; apart, because every request reads it
  std::vector<laid> faults_;
  event_id cause_;    // of what happens next
  bool warm_ = false; // instances that start now serve at once
};

} // namespace spillover
