#pragma once

#include "actors/lane.hpp"

namespace spillover {

/// One timer record of an entity that is set again and again, for the first of many deadlines.
class alarm_clock {
public:
  /// @param kind what `record::attempt` of the timer's record says, so that its receiver knows it
  alarm_clock(entity_id owner, std::uint16_t kind) noexcept : owner_(owner), kind_(kind) {}

  /// Makes the timer fire at `due`, unless it fires earlier anyway: its receiver then finds nothing
  /// to do and sets it again. Cheaper than moving it each time.
  void set(lane& events, instant due) {
    if (due >= armed_)
      return;
    if (armed_ != never)
      events.cancel(timer_);
    record x;
    x.to = owner_;
    x.attempt = kind_;
    armed_ = due;
    timer_ = events.at(due, x);
  }

  /// The timer fired.
  void fired() noexcept { armed_ = never; }

private:
  // Small, because it lies among what every request of an instance touches.
  entity_id owner_;
  std::uint16_t kind_;
  timer_id timer_;
  instant armed_ = never;
};

} // namespace spillover
