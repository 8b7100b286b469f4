#pragma once

#include "actors/virtual_coordinator.hpp"
#include "actors/wall_clock.hpp"
#include "model/histogram.hpp"

#include <functional>

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

  /// @param take_in called on the pacer's thread after each `wake`, and now and then without: takes what
  ///        others left for this site. The lane then stands at this moment, or, as long as there is more to
  ///        do than can be done in time, at what was due last
  pacer(virtual_coordinator& world, const wall_clock& clock, std::function<void()> take_in = {});
  ~pacer();

  pacer(const pacer&) = delete;
  pacer& operator=(const pacer&) = delete;

  /// Does everything that is due up to and including `to`, each at its time, and returns then.
  void run_until(instant to);

  /// Interrupts the wait for the next timer. The one function that any thread may call.
  void wake() const noexcept;

  /// Lets `run_until` return as soon as what is due by now is done. For the pacer's thread alone.
  void stop() noexcept { stopped_ = true; }

  [[nodiscard]] const lateness& late() const noexcept { return late_; }

private:
  /// Handles timers that are due by now, for a while at most.
  void catch_up(instant to);
  void wait(instant due);

  virtual_coordinator& world_;
  wall_clock clock_;
  std::function<void()> take_in_;
  int wake_fd_;
  bool stopped_ = false;
  lateness late_;
};

} // namespace spillover
