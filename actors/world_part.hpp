#pragma once

#include "actors/gate.hpp"
#include "model/event.hpp"

#include <cstdint>
#include <string>

namespace spillover {

/// The part of a world that one process of a deployment holds: what belongs to one site.
struct world_part {
  std::string site;
  gate* others = nullptr;

  /// Counts the processes of the site, from 1.
  std::uint32_t incarnation = 1;

  /// Events of the process are numbered from here, above all that earlier ones recorded.
  std::uint64_t first_event = 1;

  /// The run goes on already. Whatever the scenario has run at the site is not there until `go_live`.
  bool late = false;

  /// @returns whether it is the director's, which records the steps of the timeline.
  [[nodiscard]] bool directs() const noexcept { return site == "director"; }
};

/// Faults that operators may add to a deployment while it runs, in all.
inline constexpr std::uint32_t most_live_faults = 1'000;

/// @returns the event with which a fault begins, or ends, in a deployment: settled beforehand, so that each
///          process knows the cause of what it does without being told.
/// @param fault its place in the scenario's list; those added later follow
constexpr event_id timeline_event(std::uint32_t fault, bool begins) noexcept {
  // The director's first event is the start of the run.
  return {0, 2 + 2 * std::uint64_t{fault} + (begins ? 0 : 1)};
}

/// @returns the number from which the director counts all its other events but the first.
/// @param planned faults of the scenario
constexpr std::uint64_t first_free_event(std::size_t planned) noexcept {
  return timeline_event(static_cast<std::uint32_t>(planned) + most_live_faults, true).number;
}

} // namespace spillover
