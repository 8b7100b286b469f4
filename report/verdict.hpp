#pragma once

#include "model/event_samples.hpp"
#include "model/histogram.hpp"
#include "report/anatomy.hpp"
#include "report/billing.hpp"
#include "report/event_log.hpp"
#include "report/expectation.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// How one expectation came out.
struct judgement {
  /// In words, without its name, e.g. "failover from us-east1 within 20s".
  std::string what;
  bool met = false;
  /// What was measured, e.g. "17.8 s", "not within the run", "stopped before" or "the log ends before".
  std::string measured;
  /// When it was not met, the first instant at which that was certain; when it was, the instant that
  /// decided it. Nothing when there is no such instant; docs/expectations.md tells it per kind.
  std::optional<instant> at;
  /// What was expected; tells what it is about, and its name.
  expectation expected;
  /// What was measured, as a number in the unit of `words_of(expected)`.
  std::optional<std::int64_t> value;
  /// The event that decided it, if any.
  event_id by;
  /// Of an expectation about a clock: the place in `verdict::failovers` of what decided it.
  std::optional<std::size_t> failover;
};

/// The run ended before its time, because a condition of `stop_if` was met.
struct early_stop {
  instant at{};
  /// Which condition, in words.
  std::string reason;
};

/// Totals of all consumers.
struct request_totals {
  std::uint64_t started = 0; // the whole run
  std::uint64_t in_flight = 0;
  std::array<std::uint64_t, outcome_count> ended{}; // after the warm-up
  latency_histogram latency;                        // of `ok`, after the warm-up
};

/// How a push subscription of a consumer fared.
struct subscription_summary {
  std::string consumer;
  /// Its place among the consumer's loads, from 0.
  std::uint32_t load = 0;
  /// Of the whole run.
  subscription_closed books;
  /// Most messages that waited at the end of a second after the warm-up, and when at first.
  std::uint64_t peak = 0;
  std::optional<instant> peak_at;
  /// The end of the first second after that at which none waited.
  std::optional<instant> drained_at;
};

/// Everything that the run's outputs say, computed from the event log alone.
struct verdict {
  std::vector<failover_anatomy> failovers;
  std::vector<judgement> judgements;
  request_totals requests;
  std::vector<subscription_summary> subscriptions;
  /// What each region cost.
  std::vector<region_bill> bills;
  /// Why the run is no result, each a sentence: where the books differ, and which clocks of a deployment were
  /// spoiled by processes that were late. Empty when there is nothing.
  std::vector<std::string> imbalances;
  /// What a reader should know beside, e.g. that a composite turned unhealthy without a fault.
  std::vector<std::string> notes;
  std::optional<early_stop> stopped;
  /// What is said of clocks that did not end, see `event_index::unreached`.
  std::string_view unreached = "not within the run";

  [[nodiscard]] bool all_met() const noexcept;

  /// 0 all met, 1 an expectation failed, 3 the run is no result.
  [[nodiscard]] int exit_code() const noexcept;
};

/// Judges a finished run.
///
/// What there is nothing to judge by is not met: a clock that did not end, a window in which no
/// request ended. In a run that was stopped, windows end with it.
/// @param expectations of the scenario, in its order
verdict judge(const event_log& log, const std::vector<expectation>& expectations,
              const recovery_rule& rule);

/// @returns where the books of the run do not balance, each as a sentence with both numbers: every
///          account in itself, accounts against each other along the way of a request, and samples
///          against accounts. A log without its last event is no balance either.
std::vector<std::string> audit(const event_log& log);

/// @returns the verdict for people, as lines of text.
/// @param where the folder with the run's files, for the last line; may be empty
std::string to_text(const verdict& x, const std::string& where);

/// @returns the verdict for machines: the content of `summary.json`.
std::string to_json(const verdict& x, const event_log& log);

/// @returns the verdict for CI systems: the content of `junit.xml`, with a test case for each
///          expectation; times are seconds of emulated time.
std::string to_junit(const verdict& x, const event_log& log);

/// @returns the content of `requests.csv`: per second and region, what consumers sent there and
///          how it ended, beside what the region's revisions did; see `docs/events.md`.
std::string requests_csv(const event_log& log);

} // namespace spillover
