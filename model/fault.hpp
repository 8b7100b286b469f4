#pragma once

#include "model/record.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace spillover {

/// What a fault makes of instances. One vocabulary for scenario, command line and API.
enum class ailment : std::uint8_t {
  /// The process ends; requests it held fail with 502 and probes are refused. Its successor starts
  /// when the fault ends.
  crashed,
  /// Accepts requests and probes, answers none, uses no CPU and holds its slots.
  silent,
  /// Accepts connections and serves nothing: as silent to requests and to probes that want an answer,
  /// while a probe that only connects succeeds (B-35).
  hung,
  /// Answers a share of requests and probes with an error at once.
  failing,
  /// Takes `factor` times as long, CPU and waiting alike, for each request that comes meanwhile.
  slow,
  /// Waits `by` longer in each request that comes meanwhile, as for a dependency that became slow;
  /// CPU per request stays.
  waiting,
  /// Burns CPU of its own, a little more every second, which requests then lack.
  leaking,
  /// A start that never succeeds: when its cold start is over the process ends, and starts again.
  unstartable,
  /// Takes `factor` times as long to start.
  slow_starting,
};

constexpr std::string_view to_string(ailment x) noexcept {
  switch (x) {
    case ailment::crashed: return "crashed";
    case ailment::silent: return "silent";
    case ailment::hung: return "hung";
    case ailment::failing: return "failing";
    case ailment::slow: return "slow";
    case ailment::waiting: return "waiting";
    case ailment::leaking: return "leaking";
    case ailment::unstartable: return "unstartable";
    case ailment::slow_starting: return "slow_starting";
  }
  return "?";
}

/// @returns whether an ailment is of starts, which it meets while it lasts, and not of processes
///          that run at the onset.
constexpr bool is_of_starts(ailment x) noexcept {
  return x == ailment::unstartable || x == ailment::slow_starting;
}

/// What of an instance an ailment touches, of those that can tell requests and probes apart.
enum class affected_part : std::uint8_t { both, requests, probes };

constexpr std::string_view to_string(affected_part x) noexcept {
  switch (x) {
    case affected_part::both: return "both";
    case affected_part::requests: return "requests";
    case affected_part::probes: return "probes";
  }
  return "?";
}

/// Kinds of traffic between sites that a fault can hit apart.
enum class plane : std::uint8_t { data, health };

inline constexpr std::size_t plane_count = 2;

constexpr std::string_view to_string(plane x) noexcept {
  return x == plane::data ? "data" : "health";
}

/// What one instance suffers from.
struct symptom {
  ailment become = ailment::silent;

  /// Of `silent` and `failing`.
  affected_part affects = affected_part::both;

  /// Of `failing`: the share of requests and probes that fail, in (0, 1].
  double error_fraction = 1;

  /// Of `failing`: what a request gets; `internal_error`, `bad_gateway` or `unavailable`.
  outcome status = outcome::unavailable;

  /// Of `slow` and `slow_starting`: at least 1, at most 1000.
  double factor = 1;

  /// Of `waiting`: above 0, at most 1h.
  duration by{};

  /// Of `leaking`: vCPUs more that it burns after each minute, above 0, at most 64. It leaves
  /// requests a hundredth of the instance's CPU.
  double vcpu_per_minute = 0;

  friend bool operator==(const symptom&, const symptom&) = default;
};

/// Hits instances of one backend service in one region.
struct instance_fault {
  /// Path of the backend service, e.g. "us-east1/checkout/web".
  std::string of;
  symptom suffer = {};

  /// Share of the instances present at the onset, rounded up, in (0, 1]; of an ailment of starts the
  /// probability that a start is hit. Unused when `count` is set.
  double fraction = 1;

  /// How many instances, at most all that are present; of an ailment of starts, how many starts.
  std::optional<std::uint32_t> count = std::nullopt;

  /// Of `crashed`: successors start at an instant of their own, uniform in [0, this] after the
  /// fault's end; 0 makes them start together.
  duration restart_jitter{};

  friend bool operator==(const instance_fault&, const instance_fault&) = default;
};

/// Takes a zone of a region away: every instance in it, present or started later, is silent or
/// crashed. Instances that start meanwhile are placed in the other zones.
struct zone_fault {
  std::string region;
  /// A letter, e.g. "a".
  std::string zone;
  /// `silent` or `crashed`.
  ailment become = ailment::silent;
  duration restart_jitter{};
  friend bool operator==(const zone_fault&, const zone_fault&) = default;
};

/// Takes a whole region away: every instance, present or started later, is silent or crashed, and
/// data links to and from the region are cut. The health plane goes on, as Google's probers and
/// propagation are not part of the region's customer workload.
struct region_fault {
  std::string region;
  /// `silent` or `crashed`.
  ailment become = ailment::silent;
  duration restart_jitter{};
  friend bool operator==(const region_fault&, const region_fault&) = default;
};

/// What a fault makes of a link.
enum class link_ailment : std::uint8_t {
  /// Nothing passes.
  cut,
  /// `by` is added to the latency.
  delayed,
  /// A time uniform in [0, `by`] is added to the latency.
  jittery,
  /// A `share` of what is sent never arrives.
  lossy,
  /// A `share` of what is sent arrives twice.
  duplicating,
  /// A `share` of what is sent is held back for `by`, so that what was sent later overtakes it.
  reordering,
  /// Passes `per_second` messages a second, evenly; the others wait, and are lost when their wait
  /// would be over `by`.
  limited,
};

constexpr std::string_view to_string(link_ailment x) noexcept {
  switch (x) {
    case link_ailment::cut: return "cut";
    case link_ailment::delayed: return "delayed";
    case link_ailment::jittery: return "jittery";
    case link_ailment::lossy: return "lossy";
    case link_ailment::duplicating: return "duplicating";
    case link_ailment::reordering: return "reordering";
    case link_ailment::limited: return "limited";
  }
  return "?";
}

/// What one direction and plane of a link suffers from.
struct link_symptom {
  link_ailment become = link_ailment::cut;

  /// Of `delayed`, `jittery` and `reordering`: above 0; of `limited` the longest wait, at least 0.
  duration by{};

  /// Of `lossy`, `duplicating` and `reordering`: in (0, 1].
  double share = 1;

  /// Of `limited`: 1..1,000,000.
  std::uint32_t per_second = 1;

  friend bool operator==(const link_symptom&, const link_symptom&) = default;
};

/// Changes the link from one site to another.
struct link_fault {
  std::string from;
  std::string to;

  /// Both directions.
  bool both = false;
  bool data = true;
  bool health = false;

  link_symptom suffer = {};

  friend bool operator==(const link_fault&, const link_fault&) = default;
};

/// What a fault makes of probers.
enum class prober_ailment : std::uint8_t {
  /// Stops probing; what it last found stays its opinion.
  lost,
  /// Probes, but hears no answer: it finds every endpoint unhealthy.
  cut_off,
};

constexpr std::string_view to_string(prober_ailment x) noexcept {
  return x == prober_ailment::lost ? "lost" : "cut_off";
}

/// Hits probers of one backend service in one region.
struct prober_fault {
  /// Path of the backend service.
  std::string of;
  prober_ailment become = prober_ailment::lost;
  /// How many probers, those of the lowest numbers; all when absent.
  std::optional<std::uint32_t> count = std::nullopt;
  friend bool operator==(const prober_fault&, const prober_fault&) = default;
};

/// Limits how a backend service may grow; at least one limit is set.
struct quota_fault {
  /// Path of the backend service.
  std::string of;
  /// Starts in any 60 s, 0..1,000,000.
  std::optional<std::uint32_t> starts_per_minute = std::nullopt;
  /// Members at most (starting, running and crashed ones); those above it stay, 0..1,000,000.
  std::optional<std::uint32_t> instances = std::nullopt;
  friend bool operator==(const quota_fault&, const quota_fault&) = default;
};

/// Cuts a consumer off: nothing passes its links, on both planes.
struct consumer_fault {
  std::string consumer;
  friend bool operator==(const consumer_fault&, const consumer_fault&) = default;
};

/// Makes a consumer's load balancer itself fail: it answers a share of its requests with an error, and
/// asks no region.
struct balancer_fault {
  std::string consumer;
  /// Share of requests, in (0, 1].
  double error_fraction = 1;
  /// What they end as; an error that the load balancer's clients can see.
  outcome status = outcome::bad_gateway;
  friend bool operator==(const balancer_fault&, const balancer_fault&) = default;
};

/// Sets the clock of a site wrong. Timers go on as before, since they count spans; what the site
/// stamps with its own time is off.
struct clock_fault {
  std::string site;
  /// Above 0 when the clock is fast.
  duration ahead{};
  friend bool operator==(const clock_fault&, const clock_fault&) = default;
};

/// A fault that comes and goes: `down` of every `period` it lies, starting with its onset.
struct flapping {
  duration period{};
  /// Above 0, below `period`.
  duration down{};
  friend bool operator==(const flapping&, const flapping&) = default;
};

/// One entry of the fault timeline.
struct fault {
  instant at{};

  /// From `at`; the fault lasts to the end of the run when absent.
  std::optional<duration> lasts = std::nullopt;

  std::variant<instance_fault, zone_fault, region_fault, link_fault, prober_fault, quota_fault,
               consumer_fault, clock_fault, balancer_fault>
    what;

  std::optional<flapping> flap = std::nullopt;

  /// What people call it; may be empty.
  std::string name = {};

  friend bool operator==(const fault&, const fault&) = default;
};

/// @returns the fault in words, e.g. "instances us-east1/checkout/web: 50 % silent".
std::string to_string(const fault& x);

/// @returns whom the fault hits: a backend service, zone, region, link, consumer or site.
std::string target_of(const fault& x);

} // namespace spillover
