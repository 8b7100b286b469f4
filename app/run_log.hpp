#pragma once

#include "model/event.hpp"

#include <memory>
#include <string>

namespace spdlog {
class logger;
}

namespace spillover::app {

/// The program's own log: what happens in a run, on stderr, asynchronously, never mixed with results
/// on stdout. Every line has the site and the emulated time.
class run_log {
public:
  /// @param level "trace", "debug", "info", "warn", "error" or "off"
  /// @param json one JSON object a line
  run_log(const std::string& level, bool json);

  /// Waits until everything is written.
  ~run_log();

  run_log(const run_log&) = delete;
  run_log& operator=(const run_log&) = delete;

  /// Logs an event: transitions, decisions and faults as info, a second's numbers as trace.
  void log(const event& x);

  /// Logs a remark on the scenario, which has no emulated time.
  void warn(const std::string& text);

  /// Logs an error of the program itself, which has no emulated time.
  void error(const std::string& text);

private:
  void say(int level, const std::string& text);

  std::shared_ptr<spdlog::logger> logger_;
  bool json_;
};

} // namespace spillover::app
