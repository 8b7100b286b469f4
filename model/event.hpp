#pragma once

#include "model/connection.hpp"
#include "model/event_deployment.hpp"
#include "model/event_samples.hpp"
#include "model/health.hpp"
#include "model/instance.hpp"
#include "model/outlier.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace spillover {

/// Names an event: the site that recorded it and its place among that site's events, from 1.
struct event_id {
  std::uint16_t site = 0;
  std::uint64_t number = 0;

  /// @returns false for "no event", the default.
  explicit operator bool() const noexcept { return number != 0; }

  friend auto operator<=>(const event_id&, const event_id&) = default;
};

// The payloads; those that hold a second's or the whole run's numbers are in model/event_samples.hpp. Each
// lists its fields once, in `fields`, for writing, reading and showing; all
// numbers are integers, so that files have the same bytes everywhere. A thousandth is written
// `_milli`, a span or instant `_ns`.

/// The first event of every run.
struct run_started {
  static constexpr std::string_view kind = "run_started";
  std::string name;
  std::string description;
  std::uint64_t seed = 0;
  duration lasts{};
  duration warm_up{};

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("name", x.name);
    f("description", x.description);
    f("seed", x.seed);
    f("lasts_ns", x.lasts);
    f("warm_up_ns", x.warm_up);
  }
};

/// The last event of every run.
struct run_ended {
  static constexpr std::string_view kind = "run_ended";
  /// Tries and answers that links had taken and not yet delivered.
  std::uint64_t on_the_way = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("on_the_way", x.on_the_way);
  }
};

/// A condition of the scenario's `stop_if` was met: the run ends here.
struct run_stopped {
  static constexpr std::string_view kind = "run_stopped";
  std::string reason;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("reason", x.reason);
  }
};

/// A fault of the timeline sets in.
struct fault_started {
  static constexpr std::string_view kind = "fault_started";
  /// Place in the scenario's list, from 0.
  std::uint32_t index = 0;
  std::string what;
  std::string target;
  /// As the scenario calls it; may be empty.
  std::string name = {};

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("index", x.index);
    f("what", x.what);
    f("target", x.target);
    f("name", x.name);
  }
};

/// A fault of the timeline is over.
struct fault_ended {
  static constexpr std::string_view kind = "fault_ended";
  std::uint32_t index = 0;
  std::string what;
  std::string target;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("index", x.index);
    f("what", x.what);
    f("target", x.target);
  }
};

/// A fault took hold of (or left) instances of a backend service; the entity is the backend service.
struct fault_applied {
  static constexpr std::string_view kind = "fault_applied";
  std::uint32_t index = 0;
  bool active = false;
  /// Instances hit, and how many there were.
  std::uint32_t affected = 0;
  std::uint32_t present = 0;
  std::string effect;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("index", x.index);
    f("active", x.active);
    f("affected", x.affected);
    f("present", x.present);
    f("effect", x.effect);
  }
};

/// One instance falls ill, or recovers.
struct instance_afflicted {
  static constexpr std::string_view kind = "instance_afflicted";
  std::uint32_t index = 0;
  bool active = false;
  std::string effect;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("index", x.index);
    f("active", x.active);
    f("effect", x.effect);
  }
};

/// An instance passed from one state to another.
struct instance_changed {
  static constexpr std::string_view kind = "instance_changed";
  instance_state before = instance_state::starting;
  instance_state after = instance_state::starting;
  /// Counts the processes that carried this instance's name, from 1.
  std::uint32_t incarnation = 1;
  std::string reason;
  /// The zone of its region that it is in, e.g. "a".
  std::string zone = {};

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("before", x.before);
    f("after", x.after);
    f("incarnation", x.incarnation);
    f("reason", x.reason);
    f("zone", x.zone);
  }
};

/// An instance's readiness probe found that it can take new requests, or cannot.
struct readiness_changed {
  static constexpr std::string_view kind = "readiness_changed";
  /// It gets new requests from now on; otherwise it finishes those that it has.
  bool takes_requests = false;
  std::string reason;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("takes_requests", x.takes_requests);
    f("reason", x.reason);
  }
};

/// Enough probers agree on another state of an endpoint.
struct endpoint_changed {
  static constexpr std::string_view kind = "endpoint_changed";
  health before = health::unknown;
  health after = health::unknown;
  std::uint32_t agreeing = 0;
  std::uint32_t probers = 0;
  std::string reason;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("before", x.before);
    f("after", x.after);
    f("agreeing", x.agreeing);
    f("probers", x.probers);
    f("reason", x.reason);
  }
};

/// The health check of a group's auto-healing found another state of an instance (the entity), or the
/// wait for it ended.
struct auto_healing_judged {
  static constexpr std::string_view kind = "auto_healing_judged";
  health before = health::unknown;
  health after = health::unknown;
  /// The group makes the instance anew.
  bool recreates = false;
  std::string reason;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("before", x.before);
    f("after", x.after);
    f("recreates", x.recreates);
    f("reason", x.reason);
  }
};

/// A health source's verdict over the endpoints of its backend service changed (B-16).
struct source_changed {
  static constexpr std::string_view kind = "source_changed";
  health before = health::unknown;
  health after = health::unknown;
  std::uint32_t healthy = 0;
  std::uint32_t total = 0;
  /// Healthy endpoints that the policy asks for (B-17).
  std::uint32_t needed = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("before", x.before);
    f("after", x.after);
    f("healthy", x.healthy);
    f("total", x.total);
    f("needed", x.needed);
  }
};

/// A composite health check changed (B-20).
struct composite_changed {
  static constexpr std::string_view kind = "composite_changed";
  health before = health::unknown;
  health after = health::unknown;
  std::uint64_t generation = 0;
  /// What its sources said, e.g. "web=UNHEALTHY api=HEALTHY".
  std::string sources = {};

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("before", x.before);
    f("after", x.after);
    f("generation", x.generation);
    f("sources", x.sources);
  }
};

/// A consumer learned the state of the published service behind one of its PSC NEGs (B-21).
struct neg_changed {
  static constexpr std::string_view kind = "neg_changed";
  std::string region;
  health before = health::unknown;
  health after = health::unknown;
  std::uint64_t generation = 0;
  /// Age of the state by the two sites' own clocks: the consumer's, less the producer's stamp.
  std::int64_t age_ns = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("region", x.region);
    f("before", x.before);
    f("after", x.after);
    f("generation", x.generation);
    f("age_ns", x.age_ns);
  }
};

/// A consumer that balances over endpoints learned those of a region (B-82).
struct endpoints_seen {
  static constexpr std::string_view kind = "endpoints_seen";
  std::string region;
  std::uint32_t healthy = 0;
  std::uint32_t total = 0;
  /// Without a state yet; neither healthy nor unhealthy.
  std::uint32_t unknown = 0;
  /// Healthy of all by zone, e.g. "a=2/3 b=3/3".
  std::string zones = {};
  std::uint64_t generation = 0;
  /// Age of the counts by the two sites' own clocks: the consumer's, less the producer's stamp.
  std::int64_t age_ns = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("region", x.region);
    f("healthy", x.healthy);
    f("total", x.total);
    f("unknown", x.unknown);
    f("zones", x.zones);
    f("generation", x.generation);
    f("age_ns", x.age_ns);
  }
};

/// A consumer's load balancer prefers another region for new requests.
struct routing_changed {
  static constexpr std::string_view kind = "routing_changed";
  /// "" while nothing was routed yet; several regions (fail open) are joined by '+'.
  std::string before;
  std::string after;
  /// Every NEG is unhealthy, and all of them are used (B-30).
  bool fail_open = false;
  /// When the last request went to a region that is no longer used; -1 when none did.
  std::int64_t last_sent_ns = -1;
  /// What it took each NEG for, e.g. "us-east1=UNHEALTHY us-west1=HEALTHY"; after an ejected one, how
  /// many proxies ejected it, e.g. "us-east1=HEALTHY(ejected:2/3)"; its share where several regions
  /// have different ones, e.g. "us-east1=5/10(70%) us-west1=10/10(30%)".
  std::string states = {};

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("before", x.before);
    f("after", x.after);
    f("fail_open", x.fail_open);
    f("last_sent_ns", x.last_sent_ns);
    f("states", x.states);
  }
};

/// The first request that a load balancer sends to a region after its routing changed.
struct first_request {
  static constexpr std::string_view kind = "first_request";
  std::string region;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("region", x.region);
  }
};

/// What an autoscaler made of its metrics.
struct scaling_decided {
  static constexpr std::string_view kind = "scaling_decided";
  std::string policy;
  std::uint32_t before = 0;
  std::uint32_t after = 0;
  std::uint32_t running = 0;
  std::uint32_t starting = 0;
  /// Which driver won, e.g. CPU, CONCURRENCY, ON_DEMAND, MIN, MAX.
  std::string driver;
  /// Every number that went in or came out, by name, in a fixed order.
  std::vector<std::pair<std::string, std::int64_t>> inputs;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("policy", x.policy);
    f("before", x.before);
    f("after", x.after);
    f("running", x.running);
    f("starting", x.starting);
    f("driver", x.driver);
    f("inputs", x.inputs);
  }
};

/// A quota kept a revision from starting instances that it wants; told when the number changes.
struct start_denied {
  static constexpr std::string_view kind = "start_denied";
  std::uint32_t wanted = 0;
  std::uint32_t granted = 0;
  std::string reason;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("wanted", x.wanted);
    f("granted", x.granted);
    f("reason", x.reason);
  }
};

/// The pending queue of a revision filled (from empty) or emptied.
struct queue_changed {
  static constexpr std::string_view kind = "queue_changed";
  std::uint32_t length = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("length", x.length);
  }
};

/// Knative's activator came into the path of a revision's requests, or left it (C-27).
struct path_changed {
  static constexpr std::string_view kind = "path_changed";
  /// Requests go through the activator from now on.
  bool activator = false;
  /// Below 0 the activator belongs into the path (C-21), and when no pod is wanted.
  std::int64_t excess_burst_capacity = 0;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("activator", x.activator);
    f("excess_burst_capacity", x.excess_burst_capacity);
  }
};

/// An operator's action of the scenario was carried out; the entity is the backend service.
struct action_taken {
  static constexpr std::string_view kind = "action_taken";
  /// Place in the scenario's list, from 0.
  std::uint32_t index = 0;
  std::string what;
  /// As the scenario calls it; may be empty.
  std::string name = {};
  /// Why it was not possible; empty when it was.
  std::string refused = {};

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("index", x.index);
    f("what", x.what);
    f("name", x.name);
    f("refused", x.refused);
  }
};

/// A deployed revision (the entity) came a step further.
struct rollout_stepped {
  static constexpr std::string_view kind = "rollout_stepped";
  /// "deploying", "ready", "failed" or "superseded".
  std::string step;
  /// That run, and how many it needs before it gets traffic.
  std::uint32_t instances = 0;
  std::uint32_t needed = 0;
  std::string reason = {};

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("step", x.step);
    f("instances", x.instances);
    f("needed", x.needed);
    f("reason", x.reason);
  }
};

/// Requests to a backend service are split over its revisions in another way from now on.
struct traffic_changed {
  static constexpr std::string_view kind = "traffic_changed";
  /// Percents by revision, those above 0.
  std::vector<std::pair<std::string, std::int64_t>> shares;
  /// e.g. "canary=v2"; several are joined by a blank.
  std::string tags = {};
  std::string reason = {};

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("shares", x.shares);
    f("tags", x.tags);
    f("reason", x.reason);
  }
};

using payload =
  std::variant<run_started, run_ended, run_stopped, fault_started, fault_ended, fault_applied,
               instance_afflicted, instance_changed, readiness_changed, endpoint_changed,
               auto_healing_judged, source_changed, composite_changed, neg_changed, endpoints_seen,
               outlier_changed, connection_changed, routing_changed, first_request, scaling_decided,
               start_denied, queue_changed, path_changed, action_taken, rollout_stepped,
               traffic_changed, share_sample, revision_sample, attempt_sample, overflow_sample,
               client_sample, subscription_sample, try_sample, books_closed, subscription_closed,
               bill_closed, site_joined, site_lost, site_returned, operator_acted, pace_sample,
               clock_sample>;

/// Something that happened: a change of state, a decision, a fault, or a second's numbers.
struct event {
  event_id id;

  /// The event that led to this one, if any.
  event_id cause;

  instant at{};

  /// Path of whom it happened to, beginning with the site, e.g. "us-east1/checkout/web/7".
  std::string entity;

  payload what;
};

/// @returns whether a payload tells a second's numbers.
bool is_sample(const payload& x) noexcept;

/// @returns whether it tells such numbers, or those at the run's end: no state of anything.
bool is_sample_or_books(const payload& x) noexcept;

/// @returns the name of the payload, e.g. "source_changed".
std::string_view kind_of(const event& x) noexcept;

} // namespace spillover
