#pragma once

#include "producers/autoscaling/kpa/settings.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace spillover::kpa {

/// Whether a revision serves: a condition of Kubernetes, `unknown` while it is being activated.
enum class activity : std::uint8_t { active, inactive, activating };

/// Who takes the requests: the pods themselves, or the activator in front of them.
enum class path_mode : std::uint8_t { serve, proxy };

/// What the reconciler finds when it looks.
struct revision_state {
  /// As published; -1 is unknown.
  std::int32_t desired = -1;
  std::int32_t excess_burst_capacity = 0;
  std::uint32_t ready = 0;

  activity active = activity::activating;
  /// Since `active` last changed its status, reason or message.
  duration active_for{};

  /// The initial scale was reached once.
  bool initialised = false;

  /// Replicas of the deployment; nothing counts as 1.
  std::optional<std::int32_t> replicas = std::nullopt;

  /// Nothing while there is no serverless service yet.
  std::optional<path_mode> mode = std::nullopt;
  /// How long the activator has been in the path; nothing when it is not.
  std::optional<duration> proxy_for = std::nullopt;

  /// The activator answers for the revision.
  bool probe_ok = false;

  friend bool operator==(const revision_state&, const revision_state&) = default;
};

/// What becomes of a desired number (C-23..C-25).
struct scale_outcome {
  /// What counts further on; -1 keeps what is.
  std::int32_t want = -1;
  /// Replicas to set, when they are to change.
  std::optional<std::int32_t> patch;
  /// Look again after this.
  std::optional<duration> look_again;
  /// Asked whether the activator answers; asked to go on asking in the background.
  bool probed = false;
  bool probe_in_background = false;

  friend bool operator==(const scale_outcome&, const scale_outcome&) = default;
};

scale_outcome scale(const settings& x, const revision_state& seen);

/// What the condition becomes (C-26).
struct activity_outcome {
  activity active = activity::activating;
  /// "NoTraffic", "TimedOut", "Queued", or "".
  std::string_view reason;
  bool initialised = false;

  friend bool operator==(const activity_outcome&, const activity_outcome&) = default;
};

/// @param reachable_by_name the service through which pods are reached has a name
activity_outcome judge_activity(const settings& x, const revision_state& seen, std::int32_t want,
                                bool reachable_by_name);

/// @returns who takes the requests from now on (C-27).
path_mode choose_mode(std::int32_t want, std::int32_t excess_burst_capacity) noexcept;

/// @returns how many activators belong into the path (C-27), at least 2.
std::int32_t activators_for(const settings& x, std::uint32_t ready) noexcept;

} // namespace spillover::kpa
