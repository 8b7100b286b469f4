#pragma once

#include "model/event.hpp"

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

namespace spillover::app {

/// Writes `events.jsonl` while the run goes, so that a run that is killed leaves what happened before.
///
/// Passes on whole lines only: when some have come together, when an emulated minute or a second of
/// the machine has passed since the last time, and at the end.
class event_stream {
public:
  /// @param sites names, by site number
  event_stream(std::ofstream file, const std::vector<std::string>& sites);

  /// Takes the next event of the run. Does not throw, as it is called from within actors.
  void append(const event& x);

  /// @throws std::runtime_error when something could not be written
  void check() const;

  /// Writes what is left and closes the file.
  /// @throws std::runtime_error when it cannot be written
  void close();

private:
  using wall = std::chrono::steady_clock;

  void pass_on(instant at);

  std::ofstream file_;
  std::vector<std::string> sites_;
  std::string lines_;
  instant passed_on_{};
  wall::time_point passed_on_wall_;
};

} // namespace spillover::app
