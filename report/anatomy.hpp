#pragma once

#include "model/event.hpp"
#include "report/event_log.hpp"
#include "report/expectation.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// One of the five clocks: how long it ran, what stopped it, and a sentence for people.
struct clock_reading {
  std::optional<duration> span; // nothing: it did not end within the run
  event_id by;                  // the event that stopped it
  std::string detail;           // what happened, or why the clock did not end
  std::string basis;            // what that rests on, e.g. settings; may be empty
};

/// vCPU time that is billed, in thousandths of vCPU seconds.
struct vcpu_cost {
  /// For active time, or for lives of instances.
  std::int64_t full = 0;
  /// For idle minimum instances, which have a rate of their own.
  std::int64_t idle_minimum = 0;

  [[nodiscard]] std::int64_t total() const noexcept { return full + idle_minimum; }
  friend bool operator==(const vcpu_cost&, const vcpu_cost&) = default;
};

/// What a failover costs: what was billed from the fault's onset to the end of failback, or of the run,
/// beside what so long a time costs at the mean rate between the warm-up and the fault.
struct failover_cost {
  instant from{};
  instant to{};
  /// `to` is the end of failback.
  bool back = false;
  /// Those that overlap [from, to), and those that end before it.
  std::uint64_t seconds = 0;
  std::uint64_t seconds_before = 0;
  vcpu_cost spent;
  vcpu_cost usual;
  /// Why there is nothing to compare; empty when there is.
  std::string missing = {};

  [[nodiscard]] vcpu_cost extra() const noexcept {
    return {spent.full - usual.full, spent.idle_minimum - usual.idle_minimum};
  }
};

/// One failover of one region, taken apart (design: the five clocks).
struct failover_anatomy {
  std::string service;
  std::string from;
  std::string to; // the region that took over; "" when nobody did
  std::uint32_t fault_index = 0;
  event_id fault;
  instant fault_at{}; // its onset; of one that flaps the pulse that led here
  std::optional<instant> fault_end;
  std::string fault_detail;

  clock_reading detect;
  clock_reading aggregate;
  clock_reading propagate;
  clock_reading route;
  clock_reading capacity;

  /// Sum of detect, aggregate, propagate and route; nothing while one of them is missing.
  std::optional<duration> failover;

  /// From the fault's end to the first request back in `from`, of the last consumer that was away
  /// then; 0 when all of them were back already.
  clock_reading failback;

  failover_cost cost = {};
};

/// Finds every failover in a run, in the order of time: each time a composite turned unhealthy after
/// the warm-up whose causes lead back to a fault of the timeline.
///
/// The causes of a source that turned because its service scaled out lead to a decision instead; it
/// is then put down to the last fault that hit the same service and still lasts, if any.
std::vector<failover_anatomy> dissect(const event_log& log, const recovery_rule& rule);

/// @returns the anatomy, with clocks that did not end, of the first fault after the warm-up that hit
///          something of `region`; nothing when there is none. For a region that consumers should
///          have left, and that `dissect` does not name.
std::optional<failover_anatomy> missed_failover(const event_log& log, std::string_view region);

} // namespace spillover
