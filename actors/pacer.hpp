#pragma once

#include "actors/pacer_hooks.hpp"
#include "actors/timer_file.hpp"
#include "actors/virtual_coordinator.hpp"
#include "actors/wake_event.hpp"
#include "actors/wall_clock.hpp"
#include "model/histogram.hpp"

#include <utility>

namespace spillover {

/// Lets a world live by the machine's clock, on the thread that calls `run_until`.
///
/// Everything still happens in the order and at the emulated instants of virtual time; a timer is only
/// handled later than it was due, when the machine was busy. What comes from other threads is taken in
/// between two instants.
class pacer {
public:
  /// How much later than due timers were handled, in real time.
  using lateness = latency_histogram;

  /// @throws std::system_error when the process has no file left
  pacer(virtual_coordinator& world, const wall_clock& clock, pacer_hooks with = {});
  pacer(const pacer&) = delete;
  pacer& operator=(const pacer&) = delete;

  /// Does everything that is due up to and including `to`, each at its time, and returns then.
  void run_until(instant to);

  /// Interrupts the wait for the next timer. The one function that any thread may call.
  void wake() const noexcept { wake_.set(); }

  /// Lets `run_until` return as soon as what is due by now is done. For the pacer's thread alone.
  void stop() noexcept { stopped_ = true; }

  [[nodiscard]] const lateness& late() const noexcept { return late_; }

  /// @returns the lateness since the last call, and forgets it.
  lateness take_late() { return std::exchange(late_, {}); }

private:
  /// Handles timers that are due by now, for a while at most.
  void catch_up(instant to);
  void wait(instant due);
  bool wait_for(duration left, bool calm);
  bool rest();
  void learn(duration late);
  void leave();

  virtual_coordinator& world_;
  wall_clock clock_;
  pacer_hooks hooks_;
  wake_event wake_;
  timer_file timer_;
  bool stopped_ = false;
  int short_waits_ = 0; // in a row
  duration lead_{};     // running mean of how late the last timers were, as far as waiting helps
  bool left_waiting_ = false; // to `pacer_hooks::wait`, until `leave`
  lateness late_;
};

} // namespace spillover
