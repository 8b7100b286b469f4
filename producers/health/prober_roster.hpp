#pragma once

#include "model/event.hpp"
#include "model/fault.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace spillover {

/// Says of each prober of a group whether it probes and whether it hears answers, by the faults that
/// lie on the group.
///
/// Faults stack in any overlap: a prober that is lost under one and cut off under another is lost.
/// Each is taken off by its own number, and the roster is made anew of those that are left.
class prober_roster {
public:
  /// @param probers how many there are, numbered from 0
  explicit prober_roster(std::uint32_t probers);

  /// Lays a fault on the probers of the lowest numbers.
  /// @param fault its number in the scenario; not laid on already
  /// @param count how many, at most all; all when absent
  /// @param cause the event that what follows from the fault names as its cause
  /// @returns how many it hits
  std::uint32_t lay(std::uint32_t fault, prober_ailment become, std::optional<std::uint32_t> count,
                    event_id cause);

  /// Takes a fault off again; does nothing when it is not there.
  /// @returns how many it had hit
  std::uint32_t lift(std::uint32_t fault);

  /// @returns whether a prober sends probes and counts what it finds.
  [[nodiscard]] bool probes(std::uint32_t prober) const noexcept { return !states_[prober].lost; }

  /// @returns the event that keeps answers from a prober, the first when there are several; nothing
  ///          when it hears them.
  [[nodiscard]] std::optional<event_id> cut_off_by(std::uint32_t prober) const noexcept {
    return states_[prober].cut_off_by;
  }

  /// @returns how many send probes.
  [[nodiscard]] std::uint32_t probing() const noexcept;

  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(states_.size());
  }

private:
  struct laid {
    std::uint32_t fault = 0;
    prober_ailment become = {};
    std::uint32_t count = 0;
    event_id cause = {};
  };
  struct state {
    bool lost = false;
    std::optional<event_id> cut_off_by = std::nullopt;
  };
  void recompute();

  std::vector<laid> faults_; // as they came
  std::vector<state> states_;
};

} // namespace spillover
