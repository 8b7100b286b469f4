#pragma once

#include "model/record.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The payloads that tell numbers: those of a second, and those of the whole run. See model/event.hpp.

namespace spillover {

/// One second of one of several revisions; their sum is the backend service's `revision_sample`.
struct share_sample {
  static constexpr std::string_view kind = "share_sample";
  std::uint32_t arrivals = 0;
  std::uint32_t completions = 0;
  std::uint32_t failures = 0;
  std::uint32_t queue = 0;
  std::uint32_t queue_peak = 0;
  std::uint32_t recommended = 0;
  std::uint32_t starting = 0;
  std::uint32_t ready = 0;
  std::uint32_t deprioritised = 0;
  std::uint32_t draining = 0;
  std::uint32_t crashed = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("arrivals", x.arrivals);
    f("completions", x.completions);
    f("failures", x.failures);
    f("queue", x.queue);
    f("queue_peak", x.queue_peak);
    f("recommended", x.recommended);
    f("starting", x.starting);
    f("ready", x.ready);
    f("deprioritised", x.deprioritised);
    f("draining", x.draining);
    f("crashed", x.crashed);
  }
};

/// One second of all revisions of a backend service together.
struct revision_sample {
  static constexpr std::string_view kind = "revision_sample";
  std::uint32_t arrivals = 0;
  /// Requests that left it, answered or failed.
  std::uint32_t completions = 0;
  std::uint32_t failures = 0;
  std::uint32_t queue = 0;
  std::uint32_t queue_peak = 0;
  std::uint64_t concurrency_milli = 0;
  std::uint64_t cpu_milli = 0;
  std::uint32_t recommended = 0;
  std::uint32_t starting = 0;
  std::uint32_t ready = 0;
  std::uint32_t deprioritised = 0;
  std::uint32_t draining = 0;
  std::uint32_t crashed = 0;
  /// vCPU seconds that this second added to the bill, and those of idle minimum
  /// instances, which have a rate of their own; no part of the former.
  std::uint64_t billed_milli = 0;
  std::uint64_t billed_idle_milli = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("arrivals", x.arrivals);
    f("completions", x.completions);
    f("failures", x.failures);
    f("queue", x.queue);
    f("queue_peak", x.queue_peak);
    f("concurrency_milli", x.concurrency_milli);
    f("cpu_milli", x.cpu_milli);
    f("recommended", x.recommended);
    f("starting", x.starting);
    f("ready", x.ready);
    f("deprioritised", x.deprioritised);
    f("draining", x.draining);
    f("crashed", x.crashed);
    f("billed_milli", x.billed_milli);
    f("billed_idle_milli", x.billed_idle_milli);
  }
};

/// One second of a consumer's load balancer towards one region: tries, not requests.
struct attempt_sample {
  static constexpr std::string_view kind = "attempt_sample";
  std::string region;
  std::uint32_t sent = 0;
  std::array<std::uint32_t, outcome_count> ended{};

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("region", x.region);
    f("sent", x.sent);
    f("ended", x.ended);
  }
};

/// What a consumer's load balancer kept from one region in a second because of its circuit breakers
/// (B-81); only of seconds in which there was something.
struct overflow_sample {
  static constexpr std::string_view kind = "overflow_sample";
  std::string region;
  /// Tries that were refused, because too many were in flight.
  std::uint32_t requests = 0;
  /// Retries that were not made, because too many were in flight.
  std::uint32_t retries = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("region", x.region);
    f("requests", x.requests);
    f("retries", x.retries);
  }
};

/// What happened in a second to tries of a consumer's load balancer in one region between their sending and
/// their answer (B-83, B-84, B-86); only of seconds in which there was something.
struct try_sample {
  static constexpr std::string_view kind = "try_sample";
  std::string region;
  /// Tries whose own time was over.
  std::uint32_t timed_out = 0;
  /// Tries begun while another one of their request went on.
  std::uint32_t hedged = 0;
  /// Tries given up because another one brought the answer.
  std::uint32_t cancelled = 0;
  /// Tries cut off at the end of draining.
  std::uint32_t cut = 0;
  /// Tries that had to wait for a connection.
  std::uint32_t queued = 0;
  /// Tries refused, because too many waited already.
  std::uint32_t overflow = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("region", x.region);
    f("timed_out", x.timed_out);
    f("hedged", x.hedged);
    f("cancelled", x.cancelled);
    f("cut", x.cut);
    f("queued", x.queued);
    f("overflow", x.overflow);
  }
};

/// One second of a consumer's clients: requests, by how they ended, and the latency (from the
/// intended start) of those answered `ok`.
struct client_sample {
  static constexpr std::string_view kind = "client_sample";
  std::uint32_t started = 0;
  std::uint32_t retried = 0;
  std::array<std::uint32_t, outcome_count> ended{};
  /// Pairs of bucket (see `latency_histogram`) and count.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> latency;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("started", x.started);
    f("retried", x.retried);
    f("ended", x.ended);
    f("latency", x.latency);
  }
};

/// One second of a push subscription of a consumer's clients, and how it stands at its end.
struct subscription_sample {
  static constexpr std::string_view kind = "subscription_sample";
  /// Its place among the consumer's loads, from 0.
  std::uint32_t load = 0;
  std::uint32_t published = 0;
  std::uint32_t pushes = 0;
  /// Pushes after a message's first.
  std::uint32_t redelivered = 0;
  std::uint32_t acked = 0;
  /// Pushes that were answered well after their deadline.
  std::uint32_t duplicates = 0;
  std::uint32_t dead_lettered = 0;
  std::uint32_t expired = 0;
  /// Messages that wait to be pushed.
  std::uint64_t backlog = 0;
  /// Pushes under way, and how many may be.
  std::uint32_t outstanding = 0;
  std::uint32_t window = 0;
  /// Age of the oldest message that is not acknowledged, in milliseconds, rounded down.
  std::uint64_t oldest_age_ms = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("load", x.load);
    f("published", x.published);
    f("pushes", x.pushes);
    f("redelivered", x.redelivered);
    f("acked", x.acked);
    f("duplicates", x.duplicates);
    f("dead_lettered", x.dead_lettered);
    f("expired", x.expired);
    f("backlog", x.backlog);
    f("outstanding", x.outstanding);
    f("window", x.window);
    f("oldest_age_ms", x.oldest_age_ms);
  }
};

/// The books of a push subscription at the end of a run: published = acked + dead_lettered + expired +
/// backlog + outstanding.
struct subscription_closed {
  static constexpr std::string_view kind = "subscription_closed";
  /// Its place among the consumer's loads, from 0.
  std::uint32_t load = 0;
  std::uint64_t published = 0;
  std::uint64_t acked = 0;
  std::uint64_t dead_lettered = 0;
  std::uint64_t expired = 0;
  std::uint64_t backlog = 0;
  std::uint64_t outstanding = 0;
  std::uint64_t pushes = 0;
  std::uint64_t redelivered = 0;
  std::uint64_t duplicates = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("load", x.load);
    f("published", x.published);
    f("acked", x.acked);
    f("dead_lettered", x.dead_lettered);
    f("expired", x.expired);
    f("backlog", x.backlog);
    f("outstanding", x.outstanding);
    f("pushes", x.pushes);
    f("redelivered", x.redelivered);
    f("duplicates", x.duplicates);
  }
};

/// How well a site's process (the entity is the site) kept up with the machine's clock since the last one.
/// Only in deployments, and about once a real second.
struct pace_sample {
  static constexpr std::string_view kind = "pace_sample";
  /// Emulated time that it covers, up to the event's own.
  std::uint64_t span_ns = 0;
  /// Timers that were handled, and how much later than due, in emulated time.
  std::uint64_t timers = 0;
  std::uint64_t late_p99_ns = 0;
  std::uint64_t late_most_ns = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("span_ns", x.span_ns);
    f("timers", x.timers);
    f("late_p99_ns", x.late_p99_ns);
    f("late_most_ns", x.late_most_ns);
  }
};

/// What the director found of the clock of a site's machine, in real time.
struct clock_sample {
  static constexpr std::string_view kind = "clock_sample";
  std::string site;
  /// How much it is ahead of the director's, known to half the round trip.
  std::int64_t offset_ns = 0;
  std::uint64_t round_trip_ns = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("site", x.site);
    f("offset_ns", x.offset_ns);
    f("round_trip_ns", x.round_trip_ns);
  }
};

/// The books of one entity at the end of a run: taken = sum of ended + in_flight.
///
/// The accounts, each with its entity and counterpart:
/// - "consumer" (<consumer>/clients, ""): requests of its clients.
/// - "balancer" (<consumer>/lb, ""): requests that the clients' tries brought to the load balancer.
/// - "attempts" (<consumer>/lb, region): tries sent there; late = answers from there that came after
///   their try was settled, so that all of `ended` but `lb_timeout`, and late, came over the link.
/// - "service" (<region>/<service>, consumer): tries that arrived from there; those that ended `lost`
///   got no answer.
/// - "revision" (<region>/<service>/<backend>, ""): tries that its service passed on.
/// - "link" (<from>/link/<to>, plane): what was sent into it, and what it duplicated; ended[lost] is
///   what it lost, in_flight the rest, whose arrival the other end counts.
/// - "wire" (<site>/wire/<other>, other): of a deployment's process: what links passed towards another
///   process; ended[unavailable] was refused, as nobody was there, ended[lost] found no room, in_flight
///   went on its way; late = what came from there.
struct books_closed {
  static constexpr std::string_view kind = "books_closed";
  /// See above.
  std::string account;
  /// The other side of the account; may be empty.
  std::string counterpart;
  std::uint64_t taken = 0;
  std::array<std::uint64_t, outcome_count> ended{};
  std::uint64_t in_flight = 0;
  /// Records that came after their request was settled, or to somebody who no longer exists; not
  /// part of the sum.
  std::uint64_t late = 0;
  /// Of a link: how much of `taken` are duplicates that it made itself.
  std::uint64_t duplicated = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("account", x.account);
    f("counterpart", x.counterpart);
    f("taken", x.taken);
    f("ended", x.ended);
    f("in_flight", x.in_flight);
    f("late", x.late);
    f("duplicated", x.duplicated);
  }
};

/// What the instances of a revision (the entity) cost in the whole run, under either way of billing
/// (A-69..A-72): seconds of instances, and times their vCPUs, in thousandths.
struct bill_closed {
  static constexpr std::string_view kind = "bill_closed";
  /// "request_based" or "instance_based": what is charged.
  std::string mode;
  /// "interval" or "total".
  std::string rounding;
  /// Those that ever were.
  std::uint32_t instances = 0;
  std::uint64_t active_milli = 0;
  std::uint64_t active_vcpu_milli = 0;
  std::uint64_t idle_minimum_milli = 0;
  std::uint64_t idle_minimum_vcpu_milli = 0;
  std::uint64_t life_milli = 0;
  std::uint64_t life_vcpu_milli = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("mode", x.mode);
    f("rounding", x.rounding);
    f("instances", x.instances);
    f("active_milli", x.active_milli);
    f("active_vcpu_milli", x.active_vcpu_milli);
    f("idle_minimum_milli", x.idle_minimum_milli);
    f("idle_minimum_vcpu_milli", x.idle_minimum_vcpu_milli);
    f("life_milli", x.life_milli);
    f("life_vcpu_milli", x.life_vcpu_milli);
  }
};

} // namespace spillover
