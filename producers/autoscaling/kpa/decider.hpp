#pragma once

#include "producers/autoscaling/kpa/collector.hpp"
#include "producers/autoscaling/kpa/settings.hpp"

#include <cstdint>
#include <optional>

namespace spillover::kpa {

/// What one evaluation sees.
struct observation {
  /// Nothing when there are no samples (C-14), or they cannot be read.
  std::optional<averages> load;

  /// Pods that serve; nothing when they cannot be counted.
  std::optional<std::uint32_t> ready;
};

/// What one evaluation says.
struct decision {
  /// False when it could not decide; what was decided before stays in force.
  bool valid = false;

  /// Pods wanted, before minimum, maximum and the rules of scaling to zero.
  std::int32_t desired = 0;

  /// Requests that fit beside the present ones and the burst capacity; below 0 the activator belongs
  /// into the path (C-21).
  std::int32_t excess_burst_capacity = 0;

  /// Pods that each window alone asks for, and the limits that the rates draw.
  std::int32_t stable_wish = 0;
  std::int32_t panic_wish = 0;
  std::int32_t most = 0;
  std::int32_t least = 0;
  bool panicking = false;

  friend bool operator==(const decision&, const decision&) = default;
};

/// Knative's pod autoscaler: how many pods the samples ask for (C-17..C-21).
class decider {
public:
  /// @param ready pods that serve already; with more than one it starts in panic, because samples
  ///        from before are lost (C-18). Nothing when they cannot be counted.
  decider(instant now, const settings& x, std::optional<std::uint32_t> ready);

  /// Puts other settings in force. A scale-down delay stays what it was at the start.
  void update(const settings& x);

  decision evaluate(instant now, const observation& seen);

  /// @returns the instant of the last evaluation over the threshold while in panic.
  [[nodiscard]] std::optional<instant> panic_since() const noexcept { return panic_; }

  /// @returns the largest decision of this panic; outside of one 0, or the pods of the start.
  [[nodiscard]] std::int32_t panic_floor() const noexcept { return panic_floor_; }

private:
  void judge_panic(instant now, double ratio);
  [[nodiscard]] std::int32_t limited(double wish, double least, double most) const noexcept;

  settings settings_;
  std::optional<instant> panic_;
  std::int32_t panic_floor_ = 0;
  std::optional<delay_window> delay_;
};

/// What a decider has published, and whom that concerns (C-16, C-22).
class publication {
public:
  explicit publication(const settings& x) noexcept;

  /// Takes a decision into account; one that is not valid changes nothing.
  /// @returns whether the reconciler must look: the number changed, or the sign of the excess
  bool publish(const decision& x) noexcept;

  /// @returns whether a report asks for an evaluation at once: it shows load, and no pod is wanted.
  [[nodiscard]] bool pokes(const request_report& x) const noexcept {
    return desired_ == 0 && x.concurrency != 0;
  }

  /// -1 before the first decision.
  [[nodiscard]] std::int32_t desired() const noexcept { return desired_; }
  [[nodiscard]] std::int32_t excess_burst_capacity() const noexcept { return excess_; }

private:
  std::int32_t desired_ = -1;
  std::int32_t excess_;
};

} // namespace spillover::kpa
