#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spillover {

/// What becomes of a client's connection to a region (B-87); named as gRPC names it.
enum class connectivity : std::uint8_t { idle, connecting, ready, transient_failure };

/// @returns the name used in files, e.g. "READY"; "?" for what is none.
constexpr std::string_view to_string(connectivity x) noexcept {
  switch (x) {
    case connectivity::idle: return "IDLE";
    case connectivity::connecting: return "CONNECTING";
    case connectivity::ready: return "READY";
    case connectivity::transient_failure: return "TRANSIENT_FAILURE";
  }
  return "?";
}

/// Why the state of a connection changed, or was reported once more.
enum class connection_reason : std::uint8_t {
  /// The priority is tried for the first time, or again after it was closed.
  started,
  /// A request wants a connection that is idle.
  wanted,
  /// An attempt was accepted.
  accepted,
  /// An attempt was refused.
  refused,
  /// An attempt had no answer in its time.
  timed_out,
  /// The process at the other end broke down.
  reset,
  /// The process at the other end was stopped.
  closed,
  /// The other end did not answer a keepalive ping, or knows nothing of the connection.
  keepalive,
  /// The priority's failover timer is over: the state stays, and the next priority is tried as well.
  failover_timeout,
  /// Nobody used the priority for so long that it is closed.
  unused,
  /// Nobody used the channel for so long that all of it is closed.
  idle_timeout,
};

/// @returns the name used in files, e.g. "timed_out"; "?" for what is none.
constexpr std::string_view to_string(connection_reason x) noexcept {
  switch (x) {
    case connection_reason::started: return "started";
    case connection_reason::wanted: return "wanted";
    case connection_reason::accepted: return "accepted";
    case connection_reason::refused: return "refused";
    case connection_reason::timed_out: return "timed_out";
    case connection_reason::reset: return "reset";
    case connection_reason::closed: return "closed";
    case connection_reason::keepalive: return "keepalive";
    case connection_reason::failover_timeout: return "failover_timeout";
    case connection_reason::unused: return "unused";
    case connection_reason::idle_timeout: return "idle_timeout";
  }
  return "?";
}

/// A payload of `event`: the connection of one channel to one region changed, was reported once more, or had
/// its time to be made (B-87).
struct connection_changed {
  static constexpr std::string_view kind = "connection_changed";
  /// The channel, from 1.
  std::uint32_t proxy = 0;
  std::string region;
  connectivity before = connectivity::idle;
  connectivity after = connectivity::idle;
  connection_reason reason = connection_reason::started;
  /// The address that is tried, or was tried last, from 1; 0 when none was.
  std::uint32_t address = 0;
  /// The region that the channel uses afterwards; empty when none is there.
  std::string in_use = {};

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("proxy", x.proxy);
    f("region", x.region);
    f("before", x.before);
    f("after", x.after);
    f("reason", x.reason);
    f("address", x.address);
    f("in_use", x.in_use);
  }
};

} // namespace spillover
