#pragma once

#include "actors/site.hpp"
#include "model/histogram.hpp"
#include "report/event_log.hpp"
#include "scenario/plan.hpp"
#include "scenario/scenario.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace spillover {

/// A whole scenario as actors of one process, in virtual time unless told otherwise.
///
/// Single-threaded: nothing happens but inside `run_until` and `finish`. Two worlds can live side by
/// side; equal scenarios give equal event logs.
class world {
public:
  /// Builds every actor; the first instant has not happened yet.
  /// @param seen sees each event as it is recorded
  explicit world(const scenario& x, site::observer seen = {});
  ~world();
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  /// Follows a request from hop to hop; call before anything happened.
  /// @param consumer one of the scenario
  /// @param number of the request at that consumer, from 1
  void trace(const std::string& consumer, std::uint64_t number);

  /// What became so far of the requests that are followed.
  [[nodiscard]] const request_tracer& traced() const noexcept;

  /// @returns the requests that are worth explaining, of those that ended so far.
  [[nodiscard]] kept_requests kept() const;

  /// Does everything up to and including `to`, or the instant at which a condition of `stop_if` is
  /// met.
  /// @param to at most the scenario's end
  void run_until(instant to);

  /// Lets time pass as the machine's does, times `speed`; before anything happened. What happens, and at
  /// which instant, stays the same.
  /// @param speed as `wall_clock` takes it
  void pace(double speed);

  /// @returns how much later than due timers were handled, in real time; none without `pace`.
  [[nodiscard]] latency_histogram lateness() const;

  /// @returns whether a condition of `stop_if` was met; nothing happens any more then.
  [[nodiscard]] bool stopped() const noexcept;

  /// Ends the run at this instant: records why, if a condition was met, closes the books and records
  /// the last event. Call once, at the scenario's end or before.
  void finish();

  [[nodiscard]] instant now() const noexcept;
  [[nodiscard]] const event_log& log() const noexcept;

  /// Actors that live, by path.
  [[nodiscard]] const std::map<std::string, actor_kind>& actors() const noexcept;

  /// Actors that CAF counts as running.
  [[nodiscard]] std::size_t running() const;

  /// Actors that ended though nothing ended them, each with its reason; such a run is worth nothing.
  [[nodiscard]] const std::vector<std::string>& casualties() const noexcept;

  /// Records that the lane delivered so far.
  [[nodiscard]] std::uint64_t records() const noexcept;

private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

} // namespace spillover
