#pragma once

#include "sweeps/outcome.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

namespace spillover::app {

/// Shows how a sweep goes: on a terminal one line that is written over, otherwise a plain line now and
/// then. Writes to stderr, so that results on stdout stay clean.
class sweep_line {
public:
  /// @param before runs that were there already
  /// @param all those and the ones to do
  /// @param enabled false shows nothing at all
  sweep_line(std::uint64_t before, std::uint64_t all, bool enabled);

  /// Takes the line away.
  ~sweep_line();

  sweep_line(const sweep_line&) = delete;
  sweep_line& operator=(const sweep_line&) = delete;

  /// @param round of a search, from 1: it cannot tell how many come after it
  void set_round(std::size_t round) { round_ = round; }

  void see(const run_outcome& x);

  /// Shows how far it is, if it is time to show something.
  void update();

  /// Prints a line to stderr that stays.
  void say(const std::string& text);

  /// @returns real time since the begin, in seconds.
  [[nodiscard]] double seconds() const;

private:
  using wall = std::chrono::steady_clock;

  [[nodiscard]] std::string text() const;
  void wipe();

  std::uint64_t before_;
  std::uint64_t all_;
  bool enabled_;
  bool terminal_;
  bool shown_ = false;
  /// 0: all runs are known.
  std::size_t round_ = 0;
  std::uint64_t done_ = 0;
  std::array<std::uint64_t, 3> ended_{};
  wall::time_point started_;
  wall::time_point next_;
};

/// @returns seconds for people, e.g. "48 s", "9 min 26 s", "2 h 5 min".
std::string span_text(double seconds);

/// @returns how a sweep stands, e.g. "612 of 1,800 runs  34 %  2.1 runs/s  9 min 26 s left".
/// @param before runs that were there already
/// @param done runs since
/// @param seconds since the begin
std::string sweep_progress(std::uint64_t before, std::uint64_t done, std::uint64_t all,
                           double seconds);

} // namespace spillover::app
