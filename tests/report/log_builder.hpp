#pragma once

#include "model/books.hpp"
#include "report/event_log.hpp"

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace spillover::test {

/// Writes event logs as the actors of a world would: two regions with a service `checkout` of one
/// backend service `web`, two consumers.
class log_builder {
public:
  explicit log_builder(duration lasts = std::chrono::minutes{20},
                       duration warm_up = std::chrono::minutes{3});

  /// Records any event, at a span after the run's start.
  event_id add(duration at, std::string_view entity, event_id cause, payload what) {
    return log.record(run_start + at, entity, cause, std::move(what));
  }

  /// A fault sets in; what follows is for the caller.
  event_id fault_starts(duration at, std::string what, std::string target);
  event_id fault_ends(duration at, event_id fault);

  /// A fault of five of ten instances of us-east1 from 300 s on; nobody has noticed yet.
  event_id half_falls_silent();

  /// An instance of us-east1 falls ill (or recovers), and its endpoint follows.
  event_id endpoint_turns(duration at, event_id fault, std::uint32_t instance, health after);

  event_id source_turns(duration at, event_id cause, health after, std::uint32_t healthy);
  event_id composite_turns(duration at, event_id cause, health before, health after,
                           std::string_view service = "us-east1/checkout");
  event_id consumer_learns(duration at, event_id cause, std::string_view consumer, health after,
                           std::string region = "us-east1");
  event_id route_turns(duration at, event_id cause, std::string_view consumer, std::string before,
                       std::string after, duration last_sent, bool fail_open = false);
  event_id first_request_goes(duration at, event_id cause, std::string_view consumer,
                              std::string region);

  /// Every consumer begins with a healthy us-east1 and routes there.
  void everybody_starts_in(std::initializer_list<std::string_view> consumers);

  /// Until `composite_turns`: five endpoints unhealthy from 305.1 s to 313.9 s, the source and the
  /// composite at 314.3 s.
  /// @returns the composite's event
  event_id region_turns_unhealthy(event_id fault);

  /// All five endpoints, source and composite healthy again from `at` on.
  /// @returns the composite's event
  event_id region_turns_healthy(duration at, event_id fault_end);

  /// One second of us-west1's revision, which ends at `at`; each ready instance is billed one vCPU.
  void survivor_second(duration at, std::uint32_t arrivals, std::uint32_t completions,
                       std::uint32_t ready, std::uint32_t queue_peak = 0);

  /// Seconds (from, to], all alike.
  void survivor_seconds(duration from, duration to, std::uint32_t arrivals,
                        std::uint32_t completions, std::uint32_t ready);

  /// The bill of a revision of one vCPU an instance, as instance-based billing has it.
  void close_bill(std::string_view revision, std::uint64_t life_milli);

  void survivor_queue(duration at, std::uint32_t length);

  /// One second of a consumer, which ends at `at`; latency 74 ms.
  void client_second(duration at, std::uint32_t good, std::uint32_t timeouts,
                     std::string_view consumer = "clients-east");

  void close_books(std::string_view entity, std::string account, std::string counterpart,
                   const books& x, std::uint64_t in_flight);

  /// Records `run_ended`.
  void end(std::uint64_t on_the_way = 0);

  event_log log;

private:
  duration lasts_;
  std::uint64_t generation_ = 0;
};

/// The run of the design's example: half of us-east1 falls silent at 300 s, consumers are in
/// us-west1 after 17.8 s, whose capacity recovers 64.8 s later; the fault ends at 660 s, and the
/// consumers are back at 674 s. Books are closed and balance.
log_builder clean_failover(std::initializer_list<std::string_view> consumers = {"clients-east"});

/// Closes books that balance, of one consumer that sent 1,000 requests times `scale`, with tries in
/// both regions, and ends the run.
void close_balanced_books(log_builder& to, std::uint64_t scale = 1);

} // namespace spillover::test
