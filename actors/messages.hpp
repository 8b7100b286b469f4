#pragma once

#include "model/endpoint_view.hpp"
#include "model/event.hpp"
#include "model/fault.hpp"
#include "model/health.hpp"
#include "model/time.hpp"
#include "producers/affliction_book.hpp"
#include "producers/health/aggregation.hpp"
#include "producers/health/probe_result.hpp"
#include "producers/service_action.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>
#include <caf/fwd.hpp>
#include <caf/replies_to.hpp>
#include <caf/type_id.hpp>
#include <caf/typed_actor.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace spillover {

// Every control message of the program, and every interface between actors. Requests and answers of
// consumers travel as records on the lane (model/record.hpp), not here.

/// Asks an instance whether it is well.
struct probe {
  /// It is enough that the process accepts a connection (B-35).
  bool connects_only = false;
};

/// What an instance that says anything says to a probe.
struct probe_answer {
  probe_result met = probe_result::refused;
};

/// An instance can serve from now on.
struct instance_ready {
  std::uint32_t index = 0;
  std::uint32_t incarnation = 0;
};

/// A probe found that the container of an instance must go; the revision ends it.
struct container_failed {
  std::uint32_t index = 0;
  std::uint32_t incarnation = 0;
  /// The startup probe gave up; otherwise liveness failed.
  bool at_start = false;
};

/// An instance's readiness probe had a result that changes something.
struct instance_readiness {
  std::uint32_t index = 0;
  std::uint32_t incarnation = 0;
  /// Whether it gets new requests from now on, if that changed.
  std::optional<bool> takes_requests;
  /// What it counts as for service health from now on, if that changed (B-68).
  std::optional<health> counts;
};

/// Lays a fault on one instance, or takes it off.
struct affliction {
  std::uint32_t fault = 0;
  bool active = false;
  symptom suffer;
  event_id cause;
};

/// The director lays a fault on a backend service, or takes it off.
struct instance_order {
  std::uint32_t fault = 0;
  bool active = false;
  instance_fault what;
  fault_scope where;
  event_id cause;
};

/// The director lays a quota on a backend service, or takes it off.
struct quota_order {
  std::uint32_t fault = 0;
  bool active = false;
  quota_fault what;
  event_id cause;
};

/// The director has an operator's action carried out at a backend service.
struct action_order {
  /// Its place in the scenario's list.
  std::uint32_t index = 0;
  service_action what;
};

/// A patched health policy takes effect.
struct policy_due {
  aggregation_policy policy;
  /// Of the policy; what is older than what has taken effect comes too late.
  std::size_t version = 0;
  /// The patch.
  event_id cause;
};

/// The director lays a fault on a link, or takes it off.
struct link_order {
  std::uint32_t fault = 0;
  bool active = false;
  link_fault what;
  event_id cause;
};

/// The director lays a fault on the probers of a backend service, or takes it off.
struct prober_order {
  std::uint32_t fault = 0;
  bool active = false;
  prober_fault what;
  event_id cause;
};

/// An endpoint came, left, or health checks found another state of it, as the load balancer in front of it sees it.
struct endpoint_judged {
  std::uint32_t index = 0;
  health state = health::unknown;
  /// It is no endpoint any more.
  bool left = false;
};

/// Requests reached a backend service for the first time.
struct traffic_began {};

/// The director lays a fault on a consumer's load balancer, or takes it off.
struct balancer_order {
  std::uint32_t fault = 0;
  bool active = false;
  balancer_fault what;
  event_id cause;
};

/// An endpoint of a backend service changed, came or left.
struct endpoint_report {
  enum class step : std::uint8_t { added, changed, removed };
  step what = step::changed;
  health before = health::unknown;
  health after = health::unknown;
  event_id cause;
  /// Of its instance, e.g. "a".
  std::string zone = {};
};

/// What the instances of a backend service used in a second, for consumers that balance by utilization (B-51).
struct utilization_report {
  /// Place among the backend services of its published service.
  std::uint32_t backend = 0;
  /// CPU seconds in thousandths.
  std::uint64_t used_milli = 0;
  /// CPU seconds in thousandths that running instances had.
  std::uint64_t there_milli = 0;
};

/// A health source changed its verdict.
struct source_report {
  /// Place among the composite's sources.
  std::uint32_t source = 0;
  health state = health::unknown;
  event_id cause;
};

/// State of a published service, as propagated to its consumers. Level-triggered: it says what is,
/// not what changed, and newer (incarnation, generation) wins (B-24).
struct service_health {
  /// Region of the service.
  std::string region;
  health state = health::unknown;
  std::uint32_t incarnation = 1;
  std::uint64_t generation = 0;
  event_id cause;
  /// When the state came about, by the clock of the producer's site. Whoever takes the state orders
  /// by generation, never by this.
  instant stamp{};
};

/// Endpoints of a published service, for consumers that balance over them (B-82). Level-triggered like
/// `service_health`.
struct service_endpoints {
  /// Region of the service.
  std::string region;
  endpoint_view view;
  std::uint32_t incarnation = 1;
  std::uint64_t generation = 0;
  event_id cause;
  /// When the counts came about, by the clock of the producer's site.
  instant stamp{};
};

/// The endpoints that a service knows are due to be told: because they changed, or once more.
struct publish_endpoints {
  bool again = false;
};

/// Endpoints are due to leave for one consumer.
struct propagate_endpoints {
  /// Place among the service's consumers.
  std::uint32_t consumer = 0;
  service_endpoints state;
};

/// Endpoints that were learned are due to take effect in routing.
struct apply_endpoints {
  /// Place of the PSC NEG.
  std::uint32_t region = 0;
  endpoint_view view;
  event_id cause;
};

/// A propagated state is due to leave for one consumer.
struct propagate {
  /// Place among the service's consumers.
  std::uint32_t consumer = 0;
  service_health state;
};

/// A received state is due to take effect in routing.
struct apply_health {
  std::uint32_t region = 0;
  health state = health::unknown;
  event_id cause;
};

/// A fault of the timeline is due to begin or end.
struct fault_due {
  std::uint32_t fault = 0;
  bool active = false;
};

/// An operator added a fault to a deployment that runs; it begins at its time, or at once.
struct fault_added {
  /// Follows those of the scenario, and those added before.
  std::uint32_t fault = 0;
  spillover::fault what;
  event_id cause;
};

/// A flapping fault is due to come or go within its time.
struct fault_pulse {
  std::uint32_t fault = 0;
  bool active = false;
};

/// An action of the timeline is due.
struct action_due {
  std::uint32_t index = 0;
};

/// The run is over: whoever keeps books records them.
struct close_books {};

/// A prober group's list of endpoints changes, or it wants one made anew. Defined below, because they
/// hold a handle.
struct endpoint_added;
struct endpoint_replaced;
struct endpoint_removed;
struct recreate_order;

} // namespace spillover

// A message is a plain struct that never leaves the process: what crosses sites is encoded elsewhere.
#define SPILLOVER_MESSAGE(type)                                                                    \
  CAF_ADD_TYPE_ID(spillover_messages, (type))                                                      \
  CAF_ALLOW_UNSAFE_MESSAGE_TYPE(type)

CAF_BEGIN_TYPE_ID_BLOCK(spillover_messages, caf::first_custom_type_id)
SPILLOVER_MESSAGE(spillover::probe)
SPILLOVER_MESSAGE(spillover::probe_answer)
SPILLOVER_MESSAGE(spillover::instance_ready)
SPILLOVER_MESSAGE(spillover::container_failed)
SPILLOVER_MESSAGE(spillover::instance_readiness)
SPILLOVER_MESSAGE(spillover::affliction)
SPILLOVER_MESSAGE(spillover::instance_order)
SPILLOVER_MESSAGE(spillover::quota_order)
SPILLOVER_MESSAGE(spillover::action_order)
SPILLOVER_MESSAGE(spillover::link_order)
SPILLOVER_MESSAGE(spillover::prober_order)
SPILLOVER_MESSAGE(spillover::balancer_order)
SPILLOVER_MESSAGE(spillover::endpoint_judged)
SPILLOVER_MESSAGE(spillover::traffic_began)
SPILLOVER_MESSAGE(spillover::endpoint_report)
SPILLOVER_MESSAGE(spillover::utilization_report)
SPILLOVER_MESSAGE(spillover::source_report)
SPILLOVER_MESSAGE(spillover::service_health)
SPILLOVER_MESSAGE(spillover::propagate)
SPILLOVER_MESSAGE(spillover::service_endpoints)
SPILLOVER_MESSAGE(spillover::publish_endpoints)
SPILLOVER_MESSAGE(spillover::propagate_endpoints)
SPILLOVER_MESSAGE(spillover::apply_endpoints)
SPILLOVER_MESSAGE(spillover::apply_health)
SPILLOVER_MESSAGE(spillover::fault_due)
SPILLOVER_MESSAGE(spillover::fault_pulse)
SPILLOVER_MESSAGE(spillover::fault_added)
SPILLOVER_MESSAGE(spillover::action_due)
SPILLOVER_MESSAGE(spillover::policy_due)
SPILLOVER_MESSAGE(spillover::close_books)
SPILLOVER_MESSAGE(spillover::endpoint_added)
SPILLOVER_MESSAGE(spillover::endpoint_replaced)
SPILLOVER_MESSAGE(spillover::endpoint_removed)
SPILLOVER_MESSAGE(spillover::recreate_order)
CAF_END_TYPE_ID_BLOCK(spillover_messages)

#undef SPILLOVER_MESSAGE

namespace spillover {

using instance_actor = caf::typed_actor<
  // Answers, unless the instance is silent: then nothing ever comes.
  caf::replies_to<probe>::with<probe_answer>,
  // Lays a fault on the instance, or takes it off.
  caf::reacts_to<affliction>,
  // The instance's start may be over; only the actor itself sends this.
  caf::reacts_to<caf::tick_atom>>;

using revision_actor = caf::typed_actor<
  // A starting instance can serve.
  caf::reacts_to<instance_ready>,
  // Probes of an instance decided something.
  caf::reacts_to<container_failed>, caf::reacts_to<instance_readiness>,
  // The health of an endpoint changed, for the load balancer in front; auto-healing wants an instance
  // made anew.
  caf::reacts_to<endpoint_judged>, caf::reacts_to<recreate_order>,
  // Lays a fault on instances, or takes it off.
  caf::reacts_to<instance_order>,
  // Lays a quota on it, or takes it off.
  caf::reacts_to<quota_order>,
  // Deploys, splits, rolls back or scales.
  caf::reacts_to<action_order>, caf::reacts_to<close_books>>;

using prober_group_actor =
  caf::typed_actor<caf::reacts_to<endpoint_added>,
                   // The endpoint's process was started again; what was known of it stays.
                   caf::reacts_to<endpoint_replaced>, caf::reacts_to<endpoint_removed>,
                   // It matters to how often an endpoint is probed (B-35).
                   caf::reacts_to<traffic_began>,
                   // Lays a fault on the probers, or takes it off.
                   caf::reacts_to<prober_order>,
                   // Updates the health check.
                   caf::reacts_to<action_order>>;

using health_source_actor =
  caf::typed_actor<caf::reacts_to<endpoint_report>,
                   // Patches its policy, and lets that take effect; the
                   // latter only the actor itself sends.
                   caf::reacts_to<action_order>, caf::reacts_to<policy_due>,
                   // Judges; only the actor itself sends this.
                   caf::reacts_to<caf::tick_atom>>;

using composite_actor = caf::typed_actor<caf::reacts_to<source_report>>;

/// Whoever wants to know the state of published services.
using health_listener_actor =
  caf::typed_actor<caf::reacts_to<service_health>, caf::reacts_to<service_endpoints>>;

using published_service_actor = caf::typed_actor<
  // The composite in front of this service (its health destination) changed.
  caf::reacts_to<service_health>,
  // Sends a state to one consumer; only the actor itself sends this.
  caf::reacts_to<propagate>,
  // Sends the current state to all consumers again; only the actor itself sends this.
  caf::reacts_to<caf::tick_atom>,
  // An endpoint of one of its backend services changed, came or left.
  caf::reacts_to<endpoint_report>,
  // What one of its backend services used.
  caf::reacts_to<utilization_report>,
  // Tell what became of the endpoints; only the actor itself sends these.
  caf::reacts_to<publish_endpoints>, caf::reacts_to<propagate_endpoints>,
  caf::reacts_to<close_books>>;

using link_actor = caf::typed_actor<
  // Carries a state to the listener at the other end, or loses it.
  caf::reacts_to<service_health>, caf::reacts_to<service_endpoints>,
  // Lays a fault on the link, or takes it off.
  caf::reacts_to<link_order>, caf::reacts_to<close_books>>;

using load_balancer_actor = caf::typed_actor<
  // The state of the published service behind one of the PSC NEGs.
  caf::reacts_to<service_health>,
  // Lets a state take effect; only the actor itself sends this.
  caf::reacts_to<apply_health>,
  // The endpoints of that service, and when they take effect.
  caf::reacts_to<service_endpoints>, caf::reacts_to<apply_endpoints>,
  // Lays a fault on it, or takes it off.
  caf::reacts_to<balancer_order>, caf::reacts_to<close_books>>;

/// Clients of a consumer; they speak records only, but for their start.
using clients_actor = caf::typed_actor<
  // Begins all loops.
  caf::reacts_to<caf::tick_atom>, caf::reacts_to<close_books>>;

/// Whoever keeps books.
using bookkeeper_actor = caf::typed_actor<caf::reacts_to<close_books>>;

using director_actor = caf::typed_actor<
  // Carries out one step of the fault timeline; the actor itself sends this, and operators who lift a
  // fault.
  caf::reacts_to<fault_due>,
  // Lets a flapping fault come or go; only the actor itself sends this.
  caf::reacts_to<fault_pulse>,
  // Has an action carried out; only the actor itself sends this.
  caf::reacts_to<action_due>, caf::reacts_to<fault_added>>;

/// An instance that health checks watch from now on.
struct endpoint_added {
  std::uint32_t index = 0;
  std::string path;
  instance_actor who;
  health initial = health::unknown;
  event_id cause;
  /// The zone of its region that it is in, e.g. "a".
  std::string zone = {};
  /// Whom to tell of its health, or that auto-healing wants it made anew; nobody when nobody asks.
  revision_actor group = {};
};

struct endpoint_replaced {
  std::uint32_t index = 0;
  /// Nobody when a process ended by itself, and the next one does not start yet.
  instance_actor who;
};

struct endpoint_removed {
  std::uint32_t index = 0;
  event_id cause;
};

/// The process of an instance must end, and start anew.
struct recreate_order {
  std::uint32_t index = 0;
  /// The process that was found unhealthy.
  instance_actor who;
  event_id cause;
};

} // namespace spillover
