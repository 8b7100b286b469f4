#pragma once

#include <cstdint>
#include <string_view>

namespace spillover {

/// Life of an instance, in the order in which it usually passes.
enum class instance_state : std::uint8_t {
  /// Started, but not yet able to serve; refuses requests and probes.
  starting,
  /// Serves, and is part of the recommended count.
  ready,
  /// Serves only when every ready instance is full.
  deprioritised,
  /// Finishes what it has and takes nothing new.
  draining,
  /// Ended by a crash; its successor has not started yet.
  crashed,
  /// Gone.
  stopped,
};

constexpr std::string_view to_string(instance_state x) noexcept {
  switch (x) {
    case instance_state::starting: return "starting";
    case instance_state::ready: return "ready";
    case instance_state::deprioritised: return "deprioritised";
    case instance_state::draining: return "draining";
    case instance_state::crashed: return "crashed";
    case instance_state::stopped: return "stopped";
  }
  return "?";
}

} // namespace spillover
