#pragma once

#include "producers/autoscaling/netscaler/statistics.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace spillover::netscaler {

/// The steps of a scale-out, then those of a scale-in, each in their order (D-7, D-9).
enum class step_kind : std::uint8_t {
  /// A node is to be started.
  provision,
  /// The node is a member of the cluster, configured and registered with ADM.
  join,
  /// The distributor leads new connections to the node from now on; the cooldown begins.
  register_address,
  /// A node was chosen: the distributor is told to lead nothing new to it.
  deregister_address,
  /// No new connection reaches the node any more; those that it has are waited for.
  drain,
  /// The node leaves the cluster, and connections that are left end.
  deprovision,
  /// The node is gone, or will not come (then right after `provision`).
  remove,
};

/// @returns the name of the enumerator.
constexpr std::string_view to_string(step_kind x) noexcept {
  switch (x) {
    case step_kind::provision: return "provision";
    case step_kind::join: return "join";
    case step_kind::register_address: return "register_address";
    case step_kind::deregister_address: return "deregister_address";
    case step_kind::drain: return "drain";
    case step_kind::deprovision: return "deprovision";
    case step_kind::remove: return "remove";
  }
  return "?";
}

/// A node that is not known.
inline constexpr std::uint32_t no_node = std::numeric_limits<std::uint32_t>::max();

/// One step of an action.
struct step {
  step_kind kind = step_kind::provision;
  instant at{};

  /// Whom it is about; `no_node` until `decider::assign` told.
  std::uint32_t node = no_node;

  /// What led to it. Of a decision the statistic: "CPU", "MEMORY", "THROUGHPUT", or "ALL" for a
  /// scale-in by several. Of what follows "PROVISIONED", "UPDATED" (by the load balancer), "TTL",
  /// "EMPTY", "DRAIN_TIMEOUT", "DEPROVISIONED" or "FAILED".
  std::string_view reason;

  /// Every number that went in, in a fixed order.
  input_list inputs;

  friend bool operator==(const step&, const step&) = default;
};

/// What became of one collection of statistics.
struct verdict {
  instant at{};

  /// The reason of the decision that it led to; or why it led to none: "WITHIN" the limits, breached
  /// not for the "WATCH_TIME" yet, "MAX" or "MIN" nodes, "NO_STATISTICS"; or the phase in which
  /// nothing is evaluated, see `to_string(phase)`.
  std::string_view reason = "WITHIN";

  /// Every number that went in, in a fixed order.
  input_list inputs;

  friend bool operator==(const verdict&, const verdict&) = default;
};

/// What a group is doing.
enum class phase : std::uint8_t {
  /// Evaluates; in all others statistics are ignored (D-6, D-8).
  watching,
  provisioning,
  registering,
  cooldown,
  deregistering,
  draining,
  deprovisioning,
};

/// @returns e.g. "PROVISIONING".
constexpr std::string_view to_string(phase x) noexcept {
  switch (x) {
    case phase::watching: return "WATCHING";
    case phase::provisioning: return "PROVISIONING";
    case phase::registering: return "REGISTERING";
    case phase::cooldown: return "COOLDOWN";
    case phase::deregistering: return "DEREGISTERING";
    case phase::draining: return "DRAINING";
    case phase::deprovisioning: return "DEPROVISIONING";
  }
  return "?";
}

/// Which connections reach a node.
enum class traffic : std::uint8_t { none, established, all };

/// A group as it is when its statistics are collected.
struct cluster {
  /// Nodes that count between the bounds: the members of the cluster, also those that tell nothing.
  /// At least as many as in `reporting`.
  std::uint32_t nodes = 0;

  /// Members that told their statistics, in any order. A scale-in takes one of them.
  const collection& reporting;
};

/// Scales a cluster of NetScaler VPX nodes by thresholds, one node at a time (D-1..D-12).
///
/// Keeps its timers itself: call `advance` at `next_due()`. Every other call carries out first what
/// is due by its time, so that at one instant timers come before statistics. Calls come in the order
/// of their times. Spans that they return hold until the next call; none allocates.
class decider {
public:
  /// @param x valid
  explicit decider(const settings& x);

  /// Takes a collection of statistics into account: decides, unless an action or its cooldown
  /// lasts, or ignores it.
  std::span<const step> observe(instant now, const cluster& x);

  /// Carries out what is due by `now`.
  std::span<const step> advance(instant now);

  /// Tells which node is being provisioned. Of a node that takes no time all steps come at once, without
  /// it.
  void assign(std::uint32_t node) noexcept;

  /// The node that is being provisioned will not come: the action ends without a cooldown (inferred),
  /// and breaches are watched anew. Without effect in any other phase.
  std::span<const step> failed(instant now);

  /// The draining node has no connection left. Call it right after `drain` too, when it has none
  /// then. Without effect in any other phase, and where `drain_ends_when_empty` is off (D-11).
  std::span<const step> emptied(instant now);

  /// @returns when `advance` has work, or `never`.
  [[nodiscard]] instant next_due() const noexcept { return due_; }

  [[nodiscard]] phase current() const noexcept { return phase_; }

  /// @returns the node that the current action is about, `no_node` without one or while not told.
  [[nodiscard]] std::uint32_t acting_on() const noexcept { return node_; }

  /// @returns which connections reach a node that this group has or is adding (D-9, D-10).
  [[nodiscard]] traffic traffic_to(std::uint32_t node) const noexcept;

  /// @returns what became of the last collection.
  [[nodiscard]] const verdict& last() const noexcept { return last_; }

private:
  void begin_call(instant now) noexcept;
  void carry_out(instant now) noexcept;
  void carry_out_next() noexcept;
  void evaluate(const cluster& x) noexcept;
  void scale_out(instant now, std::string_view why) noexcept;
  void scale_in(instant now, std::string_view why, const node_statistics& victim) noexcept;
  void enter(phase next, instant now, duration lasts) noexcept;
  void watch_anew() noexcept;
  void deprovision(instant now, std::string_view why) noexcept;
  step& tell(step_kind kind, instant at, std::string_view reason) noexcept;
  [[nodiscard]] const node_statistics& choose(std::span<const node_statistics> from) const noexcept;
  [[nodiscard]] duration deregistration_time() const noexcept;
  [[nodiscard]] std::span<const step> told() const noexcept { return {steps_.data(), told_}; }

  settings settings_;
  breach_watch watch_;
  phase phase_ = phase::watching;
  instant now_{};   // of the last call
  instant since_{}; // when the phase began
  instant acting_since_{};
  instant due_ = never; // when it ends by itself
  std::uint32_t node_ = no_node;
  verdict last_;
  // The longest: what is left of a scale-in (3), and a whole one whose times are all 0 (4).
  std::array<step, 7> steps_{};
  std::size_t told_ = 0;
};

} // namespace spillover::netscaler
