#pragma once

#include "actors/pacer_hooks.hpp"
#include "actors/site.hpp"
#include "actors/wall_clock.hpp"
#include "actors/world_part.hpp"
#include "model/histogram.hpp"
#include "report/event_log.hpp"
#include "scenario/plan.hpp"
#include "scenario/scenario.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
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

  /// Builds the actors of one site, which reach the others through `part.others`.
  ///
  /// One that comes late records nothing until `go_live`, and runs up to then first: what the scenario does
  /// to the site happens meanwhile, in no time, but nobody asks it anything.
  world(const scenario& x, const world_part& part, site::observer seen);
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

  /// The same by a clock that others share, with others to talk to in between.
  void pace(const wall_clock& clock, pacer_hooks with);

  /// Interrupts `run_until` while it waits, so that the hooks are called. Any thread may call it;
  /// without `pace` it does nothing.
  void wake() const noexcept;

  /// Lets `run_until` return at once. For the world's own thread, in its hooks.
  void interrupt() noexcept;

  /// @returns how much later than due timers were handled, in real time; none without `pace`.
  [[nodiscard]] latency_histogram lateness() const;

  /// Ends the run where it is, between two calls of `run_until`; only `finish` may follow.
  /// @param reason for the log, e.g. "by a signal"
  void stop(std::string reason);

  /// @returns whether a condition of `stop_if` was met, or `stop` called; nothing happens any more then.
  [[nodiscard]] bool stopped() const noexcept;

  /// Lets the part of a site begin: what happens is recorded from now on, and clients ask. In a part that is
  /// late, instances start only now.
  void go_live();

  /// Adds a fault to the timeline, at the place after those known.
  /// @param number counts from the scenario's last one
  /// @param cause the event with which an operator did so
  void add_fault(std::uint32_t number, const fault& what, event_id cause);

  /// Ends a fault before its time.
  void lift_fault(std::uint32_t number);

  /// What came from other sites: a record that is due then, and what is known of published services there.
  void take(const record& x, instant due);
  void take(const service_health& x);
  void take(const service_endpoints& x);

  /// @returns whether a record of another site may enter: somebody here takes such from there.
  /// Any thread may call it.
  [[nodiscard]] bool may_take(const record& x) const noexcept;

  /// Records an event of the process itself, at this instant.
  /// @param entity begins with the own site
  event_id note(std::string_view entity, event_id cause, payload what);

  /// @returns how much later than due timers were handled since the last call, in real time.
  latency_histogram take_lateness();

  /// Closes the books of a site's part, at the end of the run.
  /// @returns requests and answers that came here, or left, and were still under way
  std::uint64_t close_part();

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
