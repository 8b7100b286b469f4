#pragma once

#include "model/time.hpp"
#include "report/event_pattern.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace spillover {

// What each kind means exactly is in docs/expectations.md. Two rules hold for all of them: a window
// [from, to) holds the seconds that overlap it and begin after the warm-up and before the run's end
// or stop; and what has nothing to judge is not met.

/// Which of several failovers an expectation is about: the n-th, from 1, or every one when absent.
using failover_choice = std::optional<std::uint32_t>;

/// Consumers leave a region within a time of the fault that made it unhealthy.
struct expect_failover {
  std::string from;
  duration within{};
  failover_choice which = 1;
  friend bool operator==(const expect_failover&, const expect_failover&) = default;
};

/// Consumers are back in a region within a time of that fault's end.
struct expect_failback {
  std::string to;
  duration within{};
  failover_choice which = 1;
  friend bool operator==(const expect_failback&, const expect_failback&) = default;
};

/// The surviving region keeps up within a time of the end of routing.
struct expect_capacity_recovered {
  std::string in;
  duration within{};
  failover_choice which = 1;
  friend bool operator==(const expect_capacity_recovered&,
                         const expect_capacity_recovered&) = default;
};

/// The five clocks of a failover.
enum class failover_clock : std::uint8_t { detect, aggregate, propagate, route, capacity };

constexpr std::string_view to_string(failover_clock x) noexcept {
  switch (x) {
    case failover_clock::detect: return "detect";
    case failover_clock::aggregate: return "aggregate";
    case failover_clock::propagate: return "propagate";
    case failover_clock::route: return "route";
    case failover_clock::capacity: return "capacity";
  }
  return "?";
}

/// One clock of a region's first failover ends within a time of its start.
struct expect_clock {
  failover_clock which = failover_clock::detect;
  /// The region that fails.
  std::string of;
  duration within{};
  friend bool operator==(const expect_clock&, const expect_clock&) = default;
};

/// Of the requests that ended in a window, a share within limits failed. With a region: of the tries
/// that ended there.
struct expect_errors {
  instant from{};
  instant to{};
  /// 0..1; at least one of the two is set.
  std::optional<double> at_most = std::nullopt;
  /// All when empty.
  std::string consumer = {};
  std::string region = {};
  std::optional<double> at_least = std::nullopt;
  friend bool operator==(const expect_errors&, const expect_errors&) = default;
};

/// Of the requests that ended `ok` in a window, this share took at most so long.
struct expect_latency {
  /// In (0, 1].
  double quantile = 0.99;
  instant from{};
  instant to{};
  duration at_most{};
  /// All when empty.
  std::string consumer = {};
  friend bool operator==(const expect_latency&, const expect_latency&) = default;
};

/// No second's longest pending queue is longer.
struct expect_queue {
  /// Path of a backend service.
  std::string of;
  std::optional<instant> from = std::nullopt;
  std::optional<instant> to = std::nullopt;
  std::uint32_t at_most = 0;
  /// Name of one of its revisions; all of them together when empty.
  std::string revision = {};
  friend bool operator==(const expect_queue&, const expect_queue&) = default;
};

/// So many requests a second arrive, as a mean over a window.
struct expect_rate {
  /// A region, or the path of a backend service.
  std::string of;
  instant from{};
  instant to{};
  /// Requests a second, compared in thousandths; at least one of the two is set.
  std::optional<double> at_least = std::nullopt;
  std::optional<double> at_most = std::nullopt;
  /// Name of a revision of the backend service; all of them together when empty.
  std::string revision = {};
  friend bool operator==(const expect_rate&, const expect_rate&) = default;
};

/// So many instances run (ready or deprioritised): at an instant, or at each second of [from, to].
struct expect_instances {
  /// Path of a backend service.
  std::string of;
  instant from{};
  /// Equal to `from` when an instant is meant.
  instant to{};
  /// At least one of the two is set.
  std::optional<std::uint32_t> at_least = std::nullopt;
  std::optional<std::uint32_t> at_most = std::nullopt;
  /// Name of one of its revisions; all of them together when empty.
  std::string revision = {};
  friend bool operator==(const expect_instances&, const expect_instances&) = default;
};

/// A published service's composite changes at most so often after the warm-up; a change from
/// UNKNOWN does not count.
struct expect_transitions {
  /// Region and service, e.g. "us-east1/checkout".
  std::string of;
  std::uint32_t at_most = 0;
  friend bool operator==(const expect_transitions&, const expect_transitions&) = default;
};

/// Every request is answered well: at most so many end otherwise after the warm-up, or are open at
/// the end of the run though they are not young.
struct expect_lost {
  std::uint64_t at_most = 0;
  /// All when empty.
  std::string consumer = {};
  /// Begun within this time of the run's end, a request may still be open.
  duration young = std::chrono::seconds{10};
  friend bool operator==(const expect_lost&, const expect_lost&) = default;
};

/// Instances cost at most so much in a window after the warm-up.
struct expect_cost {
  /// A region or the path of a backend service; all when empty.
  std::string of = {};
  /// One of the two is set.
  std::optional<std::uint64_t> instance_seconds_at_most = std::nullopt;
  /// As it is billed, idle minimum instances included.
  std::optional<std::uint64_t> vcpu_seconds_at_most = std::nullopt;
  std::optional<instant> from = std::nullopt;
  std::optional<instant> to = std::nullopt;
  friend bool operator==(const expect_cost&, const expect_cost&) = default;
};

/// Events follow each other in this order, the last within a time of the first.
struct expect_sequence {
  /// At least two.
  std::vector<event_pattern> of;
  duration within{};
  friend bool operator==(const expect_sequence&, const expect_sequence&) = default;
};

/// Of a consumer's push subscriptions at most so many messages wait at the end of a second.
struct expect_backlog {
  std::string consumer;
  /// Equal when an instant is meant.
  std::optional<instant> from = std::nullopt;
  std::optional<instant> to = std::nullopt;
  std::uint64_t at_most = 0;
  friend bool operator==(const expect_backlog&, const expect_backlog&) = default;
};

/// Something that must hold in a run, with a name of the user's.
struct expectation {
  using kinds =
    std::variant<expect_failover, expect_failback, expect_capacity_recovered, expect_clock,
                 expect_errors, expect_latency, expect_queue, expect_rate, expect_instances,
                 expect_transitions, expect_lost, expect_cost, expect_sequence, expect_backlog>;

  expectation() = default;

  /// Takes any kind, so that lists of expectations can be written as lists of kinds.
  template <class Kind>
  requires std::constructible_from<kinds, Kind&&> &&(
    !std::same_as<std::remove_cvref_t<Kind>, expectation>)
    expectation(Kind&& x, std::string called = {}) // NOLINT
    : name(std::move(called)), what(std::forward<Kind>(x)) {}

  /// May be empty.
  std::string name;
  kinds what;

  friend bool operator==(const expectation&, const expectation&) = default;
};

/// An expectation in words, and how it stands in files.
struct expectation_words {
  /// Its key in the scenario, e.g. "failover".
  std::string_view kind;
  /// Without the name, e.g. "failover from us-east1 within 20s".
  std::string what;
  /// What is allowed, in `unit`.
  std::optional<std::int64_t> at_least;
  std::optional<std::int64_t> at_most;
  /// Of the limits and of what is measured: "ns", "ppm" (failed in a million that ended), "count",
  /// "milli_rps" (requests in a thousand seconds), "instance_s" or "milli_vcpu_s" (thousandths of vCPU
  /// seconds).
  std::string_view unit;
};

expectation_words words_of(const expectation& x);

/// When a surviving region counts as having recovered its capacity.
struct recovery_rule {
  /// The pending queue stays empty and completions keep up for this long, whole seconds, at least
  /// 1s.
  duration window = std::chrono::seconds{10};

  /// Completions in the window, as a share of its arrivals, that count as keeping up, in (0, 1].
  double keep_up = 0.95;

  friend bool operator==(const recovery_rule&, const recovery_rule&) = default;
};

} // namespace spillover
