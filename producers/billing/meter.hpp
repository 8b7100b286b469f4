#pragma once

#include "model/time.hpp"
#include "producers/billing/interval_sum.hpp"

#include <cstdint>
#include <utility>

namespace spillover::billing {

/// A life shorter than this is billed as one this long.
inline constexpr duration shortest_life = std::chrono::seconds{60};

/// vCPUs of one instance, both above 0 and at most 1000; used to the thousandth.
struct vcpus {
  double normal = 1;
  /// During the start and for `boost_after_start` from then on; `normal` without a boost.
  double boosted = 1;
};

/// One line of a bill, without a price.
struct charge {
  /// Instance time, whole units.
  duration time{};

  /// The same times its vCPUs: 1 s of it is one vCPU second. Rounded down to the nanosecond.
  duration vcpu_time{};

  friend bool operator==(const charge&, const charge&) = default;
};

/// What request-based billing charges.
struct request_based_bill {
  /// While the instance starts, shuts down, or has a request.
  charge active;

  /// While it is kept as a minimum instance and does none of that; has a rate of its own.
  charge idle_minimum;

  friend bool operator==(const request_based_bill&, const request_based_bill&) = default;
};

/// Tells what one instance costs under either way of billing (A-69..A-72).
///
/// Each event takes constant time and no memory. Times never go backwards. Charges hold for 4 years of
/// an instance with 64 vCPUs.
class alignas(64) meter {
public:
  /// @param rule what is rounded up to whole units
  meter(const vcpus& cpu, rounding rule) noexcept;

  /// The instance begins to start. While it lives already its container starts anew: the life goes
  /// on, and its requests are gone. After `stopped` a new life begins, with a bill of its own on top.
  void starting(instant now) noexcept;

  /// The start is over.
  void ready(instant now) noexcept;

  /// Begins to live as an instance that started before the run did: without start, without boost.
  void warm(instant now) noexcept;

  /// A request gets a slot of the instance, which is ready.
  void request_begins(instant now) noexcept;

  /// It leaves it.
  void request_ends(instant now) noexcept;

  /// Counts the time of slots in use. Costs nothing by itself: it is here because a request's begin and
  /// end touch this cache line anyway.
  /// @param in_flight requests that the instance has had since the last call
  void count_slots(instant now, std::uint32_t in_flight) noexcept {
    slot_time_ += (now - slots_counted_) * in_flight;
    slots_counted_ = now;
  }

  /// @returns what was counted since the last call: requests in flight x time.
  duration take_slot_time() noexcept { return std::exchange(slot_time_, {}); }

  /// Whether the instance is kept as one of the minimum; at first it is not.
  void keep_as_minimum(instant now, bool kept) noexcept;

  /// The instance is told to shut down (SIGTERM). Its requests may still end.
  void shutting_down(instant now) noexcept;

  /// The instance is gone, and its requests with it.
  void stopped(instant now) noexcept;

  /// @param now when the run ends; what still goes on counts up to then
  [[nodiscard]] request_based_bill request_based(instant now) const noexcept;

  /// What instance-based billing charges: each life from `starting` or `warm` to `stopped`, for at
  /// least `shortest_life`.
  /// @param now as above
  [[nodiscard]] charge instance_based(instant now) const noexcept;

  /// The same, but without what makes a life that goes on up to the least that is charged.
  [[nodiscard]] charge life_so_far(instant now) const noexcept;

private:
  enum class phase : std::uint8_t { gone, starting, serving, shutting_down };

  [[nodiscard]] duration rounded(duration x) const noexcept {
    return rule_ == rounding::interval ? round_up(x) : x;
  }
  /// @returns up to when the last active interval is paid for, when none is open.
  [[nodiscard]] instant paid_until() const noexcept {
    return active_since_ + rounded(idle_since_ - active_since_);
  }
  void activate(instant now) noexcept;
  void go_idle(instant now) noexcept;
  void settle(instant now) noexcept;
  void count_boost(instant now) noexcept;
  [[nodiscard]] duration active_at(instant now) const noexcept;
  [[nodiscard]] duration idle_at(instant now) const noexcept;
  [[nodiscard]] life_span point_of(instant now) const noexcept;
  [[nodiscard]] charge charge_of(const life_span& x) const noexcept;

  // What an instance's first and last request touch: one cache line, since many instances have no more
  // than one request at a time.

  // When the last active interval began, and when the idle one did that came after it, or while the
  // instance is active before it. An interval that begins before the last is paid for goes on with it.
  instant active_since_{};
  instant idle_since_{};
  // Sums of the intervals before, each rounded where the rule says so; idle ones only while the
  // instance is kept as minimum.
  duration active_{};
  duration idle_{};
  duration slot_time_{};
  instant slots_counted_{};
  std::uint32_t requests_ = 0;
  phase phase_ = phase::gone;
  bool is_active_ = false;
  bool is_minimum_ = false;
  bool counts_boost_ = false; // a boost lasts, and makes a difference
  rounding rule_;

  // The rest.
  duration boosted_active_{};
  duration boosted_idle_{};
  duration boost_counted_{}; // of all boosts, so far
  // The boosts that are over, and from when to when the last one lasts.
  duration boosted_before_{};
  instant boost_from_{};
  instant boost_to_{};
  std::int64_t milli_; // thousandths of vCPUs
  std::int64_t boosted_milli_;
  interval_sum life_;
};

} // namespace spillover::billing
