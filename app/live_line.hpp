#pragma once

#include "model/event.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace spillover::app {

/// Shows how a run goes: on a terminal one line that is written over, otherwise a plain line every
/// ten seconds. Writes to stderr, so that results on stdout stay clean.
class live_line {
public:
  /// @param lasts emulated length of the run
  /// @param enabled false shows nothing at all
  live_line(duration lasts, bool enabled);

  /// Takes the line away.
  ~live_line();

  live_line(const live_line&) = delete;
  live_line& operator=(const live_line&) = delete;

  /// Takes an event into account.
  void see(const event& x);

  /// Shows the state at `now`, if it is time to show something.
  void update(instant now);

private:
  using wall = std::chrono::steady_clock;

  [[nodiscard]] std::string text(instant now) const;

  duration lasts_;
  bool enabled_;
  bool terminal_;
  bool shown_ = false;
  wall::time_point started_;
  wall::time_point next_;
  std::uint64_t requests_ = 0;
  std::map<std::string, std::uint32_t> instances_; // by backend service, those that serve
  std::map<std::string, health> services_;         // by composite
};

} // namespace spillover::app
