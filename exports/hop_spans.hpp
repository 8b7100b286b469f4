#pragma once

#include "report/event_index.hpp"
#include "report/request_tracer.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillover {

/// What a request spends a span of its time on.
enum class hop_kind : std::uint8_t {
  /// The whole request, from its intended start to its end; the root of all others.
  request,
  /// Its client has not sent it yet, although it is due.
  client_wait,
  /// A try of the client, as its load balancer has it.
  client_try,
  /// The client waits before its next try.
  client_backoff,
  /// The load balancer has it, and no try of its own is under way.
  balancer_wait,
  /// A try of the load balancer in one region.
  balancer_try,
  /// The try waits for a connection (B-83).
  connection_wait,
  /// The try is on its way to the region.
  link_there,
  /// It waits in the region for an instance that has room.
  queue,
  /// It waits there for the start of the instance that then serves it.
  cold_start_wait,
  /// An instance serves it.
  service,
  /// Its CPU part there, and the rest of the time.
  cpu,
  service_wait,
  /// The answer is on its way back.
  link_back,
  /// The region dropped it; nothing comes back.
  no_answer,
};

/// @returns the name used in files, e.g. "link_there".
std::string_view to_string(hop_kind x) noexcept;

/// @returns whether spans of this kind are the steps that a request's latency is made of; all others hold
///          such steps, or are parts of one.
bool is_step(hop_kind x) noexcept;

/// A span of a request's time.
struct hop_span {
  hop_kind kind = hop_kind::request;
  instant from{};
  instant to{};
  /// Place of the span that holds it among those of its request; its own for the root.
  std::size_t parent = 0;
  /// Whom it is spent at, e.g. "us-east1/checkout/web/7"; the first part is the site.
  std::string entity;
  /// Of tries of the load balancer and what is in them; empty elsewhere.
  std::string region;
  /// Counts tries of the client, or of the load balancer, from 0.
  std::uint16_t attempt = 0;
  /// How it ended; `ok` where nothing went wrong.
  outcome how = outcome::ok;
  /// Nobody waited for its end any more, and it is cut off where that began.
  bool abandoned = false;
  /// How much of it counts to the request's latency: all of it, unless several tries were under way at
  /// once. Those of all steps add up to the latency; 0 for what is no step.
  duration counted{};
};

/// A request as spans: parents stand before what they hold, and hold it in time.
struct request_spans {
  std::string consumer;
  std::uint64_t number = 0;
  std::vector<hop_span> spans;

  [[nodiscard]] const hop_span& root() const { return spans.front(); }
};

/// Tells when instances became able to serve, by their events.
class instance_starts {
public:
  explicit instance_starts(const event_index& index);

  /// @returns when a start of the instance began and ended, of the last one that ended up to `at`;
  ///          `never` twice when there is none.
  [[nodiscard]] std::pair<instant, instant> last_before(std::string_view instance,
                                                        instant at) const;

private:
  std::map<std::string_view, std::vector<std::pair<instant, instant>>> starts_;
};

/// Makes spans of what happened to a request.
/// @param x ended
/// @param starts of the run that it is from
request_spans spans_of(const traced_request& x, const instance_starts& starts);

/// @returns a request of which only start and end are known, as one span.
/// @param consumer its name
request_spans span_of(const std::string& consumer, std::uint64_t number, instant from, instant to,
                      outcome how);

} // namespace spillover
