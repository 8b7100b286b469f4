#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace spillover {

/// Addresses an entity on the lane; dense, and the same in every process for whatever the plan
/// names. 0 is nobody.
using entity_id = std::uint32_t;

inline constexpr entity_id nobody = 0;

/// What a record asks of its receiver.
enum class op : std::uint8_t {
  /// A request travels towards an instance.
  request,
  /// The answer travels back to whoever sent the request.
  response,
  /// A timer of the receiver itself; `attempt` tells which.
  timer,
  /// Asks an instance for what it used since it was last asked; the answer is `usage`.
  sample,
  /// What an instance used: `request` holds CPU time in nanoseconds, `arg` the instance's index.
  usage,
  /// A client asks for a connection, or whether one is still there; `attempt` tells which (`connection_step`),
  /// and `sent` whom it is with (B-87).
  connect,
  /// The answer to that, or the end of a connection. `sent` tells who is at the other end; refused with
  /// `unavailable`.
  connected,
};

/// What `attempt` says of `op::connect` and `op::connected`.
enum class connection_step : std::uint16_t {
  /// For a connection.
  attempt,
  /// For an answer over one.
  ping,
  /// The process at the other end is no more: `ok` when it was stopped, `bad_gateway` when it broke down.
  lost,
};

/// How a request ended, seen by whoever reports it. Everything but `ok` is a failure.
enum class outcome : std::uint8_t {
  ok,
  /// 429: the pending queue's limit was reached with the instance count at its maximum.
  too_many_requests,
  /// 500: the pending queue's limit was reached below the maximum, or an instance said so.
  internal_error,
  /// 502: the instance went away with the request.
  bad_gateway,
  /// 503: an instance said so, or there is nobody to ask.
  unavailable,
  /// 504: the service's own request timeout ended.
  gateway_timeout,
  /// The consumer's load balancer gave up waiting.
  lb_timeout,
  /// The client gave up waiting.
  client_timeout,
  /// A silent instance dropped what it held when its fault ended.
  lost,
};

inline constexpr std::size_t outcome_count = 9;

/// @returns the name used in files, e.g. "too_many_requests".
constexpr std::string_view to_string(outcome x) noexcept {
  constexpr std::array<std::string_view, outcome_count> names{
    "ok",          "too_many_requests", "internal_error",
    "bad_gateway", "unavailable",       "gateway_timeout",
    "lb_timeout",  "client_timeout",    "lost"};
  return names[static_cast<std::size_t>(x)];
}

/// One hot event: plain data that the lane carries to an entity.
///
/// A record travels by value and names everything by number, so that it can cross a wire as it is.
struct record {
  /// Who gets it.
  entity_id to = nobody;

  op what = op::timer;

  /// Of a response: how the request ended.
  outcome status = outcome::ok;

  /// Counts the tries of one request, from 0; tells a late answer from a current one.
  std::uint16_t attempt = 0;

  /// The request's number at its consumer, or between a revision and its instances its number there.
  std::uint64_t request = 0;

  /// The intended start of the request, in emulated nanoseconds since the run's start.
  std::int64_t sent = 0;

  /// Whom a response goes to.
  entity_id reply_to = nobody;

  /// The sender's own key for the request: a request brings it, its response returns it. Of a timer
  /// what its receiver likes.
  std::uint32_t arg = 0;
};

static_assert(sizeof(record) == 32 && std::is_trivially_copyable_v<record>);

} // namespace spillover
