#pragma once

#include "actors/lane.hpp"

#include <caf/actor_clock.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/execution_unit.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <deque>
#include <unordered_map>
#include <vector>

namespace spillover {

/// Runs a whole CAF system in virtual time, on the thread that calls `run_until`: event queue, CAF
/// clock and CAF scheduler at once.
///
/// Within an instant the order is: a due timer; all posted records, first in first out; one CAF job,
/// and the records it posted; the next job; and when nothing is left, the next timer. Records and
/// CAF timers share one queue, so the order is total and a run depends on nothing but its input.
class virtual_coordinator final : public caf::scheduler::abstract_coordinator,
                                  public caf::execution_unit,
                                  public caf::actor_clock,
                                  private entity {
public:
  using abstract_coordinator::system;

  explicit virtual_coordinator(caf::actor_system& system);
  ~virtual_coordinator() override;

  /// Makes `config` load this class in place of CAF's own scheduler.
  static void load_into(caf::actor_system_config& config);

  /// @param system made from a configuration that went through `load_into`
  static virtual_coordinator& of(caf::actor_system& system);

  /// What `actor_system_config::load` asks for.
  static caf::actor_system::module* make(caf::actor_system& system, caf::detail::type_list<>);

  [[nodiscard]] lane& events() noexcept { return lane_; }

  /// Does everything that is due up to and including `to`, then stands at `to`.
  void run_until(instant to);

  /// Lets `run_until` go no further than this instant, of which it does all.
  void halt() noexcept { halted_ = true; }
  [[nodiscard]] bool halted() const noexcept { return halted_; }

  /// Does everything that is due at this instant.
  void settle();

  /// Drops all timers, CAF's included.
  void drop_timers();

  // caf::scheduler::abstract_coordinator
  void enqueue(caf::resumable* job) override;
  [[nodiscard]] bool detaches_utility_actors() const override;
  void start() override;
  void stop() override;
  caf::actor_clock& clock() noexcept override { return *this; }

  // caf::execution_unit
  void exec_later(caf::resumable* job) override;

  // caf::actor_clock
  [[nodiscard]] time_point now() const noexcept override;
  void set_ordinary_timeout(time_point due, caf::abstract_actor* self, caf::atom_value type,
                            std::uint64_t id) override;
  void set_multi_timeout(time_point due, caf::abstract_actor* self, caf::atom_value type,
                         std::uint64_t id) override;
  void set_request_timeout(time_point due, caf::abstract_actor* self, caf::message_id id) override;
  void cancel_ordinary_timeout(caf::abstract_actor* self, caf::atom_value type) override;
  void cancel_request_timeout(caf::abstract_actor* self, caf::message_id id) override;
  void cancel_timeouts(caf::abstract_actor* self) override;
  void schedule_message(time_point due, caf::strong_actor_ptr receiver,
                        caf::mailbox_element_ptr content) override;
  void schedule_message(time_point due, caf::group target, caf::strong_actor_ptr sender,
                        caf::message content) override;
  void cancel_all() override;

private:
  enum class alarm_kind : std::uint8_t { none, message, request, timeout };

  /// A CAF timer; its place in the lane's queue is a record to this coordinator.
  struct alarm {
    alarm_kind kind = alarm_kind::none;
    timer_id timer;
    caf::strong_actor_ptr who;
    caf::mailbox_element_ptr content; // of a message
    caf::message_id request;          // of a request
    caf::atom_value type{};           // of a timeout
    std::uint64_t timeout = 0;
    bool cancellable = false;
  };

  void on_record(const record& x) override;
  bool run_job();
  void set(time_point due, alarm x);
  void drop(std::uint32_t index);
  void drop_if(caf::abstract_actor* self, const auto& condition);

  lane lane_;
  entity_id self_id_;
  bool halted_ = false;
  std::deque<caf::resumable*> jobs_;
  std::vector<alarm> alarms_;
  std::vector<std::uint32_t> free_alarms_;
  // Alarms of each actor that CAF may cancel; looked up by actor, never walked for effects.
  std::unordered_map<caf::actor_id, std::vector<std::uint32_t>> cancellable_;
};

/// A configuration whose actor systems run in virtual time.
struct virtual_time_config : caf::actor_system_config {
  virtual_time_config() { virtual_coordinator::load_into(*this); }
};

} // namespace spillover
