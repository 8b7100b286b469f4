#pragma once

#include "producers/billing/config.hpp"
#include "producers/billing/meter.hpp"
#include "producers/fleet.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace spillover::billing {

/// Sums up charges of many instances. Each counts whole microseconds, rounded down, so that ten
/// thousand instances with 64 vCPUs may live for half a million years.
struct charges {
  std::chrono::microseconds time{};
  std::chrono::microseconds vcpu_time{};

  charges& operator+=(const charge& x) noexcept;
  friend bool operator==(const charges&, const charges&) = default;
};

/// What the instances of a revision cost, under either way of billing.
struct bill {
  charges active;
  charges idle_minimum;
  charges life;

  /// Those that ever were.
  std::uint32_t instances = 0;

  friend bool operator==(const bill&, const bill&) = default;
};

/// vCPU time that a second added to a bill, in thousandths of vCPU seconds.
struct second_cost {
  /// For active time, or for lives.
  std::uint64_t full = 0;

  /// For idle minimum instances, which have a rate of their own.
  std::uint64_t idle_minimum = 0;

  friend bool operator==(const second_cost&, const second_cost&) = default;
};

/// Tells what the instances of one revision cost together: a meter for each.
///
/// Of the running instances (ready or deprioritised) as many as the minimum are kept as minimum
/// instances, those with the lowest indices (inferred; A-69). A container that crashed and starts
/// again at once goes on with the life of its instance; one that stays down ends it (inferred),
/// and its next start begins another. Times never go backwards.
class tally {
public:
  tally(const config& how, const vcpus& cpu) : config_(how), fresh_(cpu, how.rule) {}

  /// An instance passes from one state to another; a new index, the next one, begins to start.
  void change(instant now, const fleet::change& x);

  /// An instance that began to start just now serves already, and did so before the run.
  void warm(instant now, std::uint32_t index);

  /// An instance that had no request has one.
  void request_begins(instant now, std::uint32_t index) noexcept {
    meters_[index].request_begins(now);
  }

  /// The last request of a running or draining instance left it.
  void request_ends(instant now, std::uint32_t index) noexcept { meters_[index].request_ends(now); }

  /// Counts the time of an instance's slots in use.
  /// @param in_flight requests that it has had since the last call
  void count_slots(instant now, std::uint32_t index, std::uint32_t in_flight) noexcept {
    meters_[index].count_slots(now, in_flight);
  }

  /// @returns what was counted since the last call: requests in flight x time.
  duration take_slot_time(std::uint32_t index) noexcept { return meters_[index].take_slot_time(); }

  /// Lets the processor fetch what the calls for an instance's requests touch: with thousands of
  /// instances that is in no cache.
  void fetch(std::uint32_t index) const noexcept { __builtin_prefetch(&meters_[index], 1); }

  /// Keeps another minimum from now on.
  void keep(instant now, std::uint32_t minimum);

  /// @returns what came in addition since the last call. What makes a short life up to the least that
  ///          is charged comes when it ends.
  second_cost take_second(instant now);

  /// @param now when the run ends; what still goes on counts up to then
  [[nodiscard]] bill total(instant now);

private:
  struct crash {
    std::uint32_t index = 0;
    instant at{};
  };

  void end_crashed(instant now);
  bool forget_crash(std::uint32_t index);
  void begin_to_run(instant now, std::uint32_t index);
  void end_to_run(instant now, std::uint32_t index);

  config config_;
  meter fresh_;
  std::vector<meter> meters_;          // by index
  std::vector<std::uint32_t> alive_;   // not stopped
  std::vector<std::uint32_t> running_; // ascending; the first `minimum_` are kept
  std::vector<crash> crashed_;         // that may start again at once
  std::uint32_t minimum_ = 0;
  bill departed_;     // of those that stopped
  second_cost taken_; // up to the last second
};

} // namespace spillover::billing
