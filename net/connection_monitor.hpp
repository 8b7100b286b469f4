#pragma once

#include <zmq.hpp>

#include <cstdint>
#include <optional>

namespace spillover::net {

/// Says when the connections of a socket come and go, as ZeroMQ's socket monitor does: a process that is
/// killed is noticed as soon as the system closes its connections, long before its heartbeats are missed.
///
/// To be read again and again: what is not read yet waits without a bound.
class connection_monitor {
public:
  /// Watches nothing.
  connection_monitor() = default;

  /// @param of not connected or bound yet, so that nothing is missed
  /// @param number of no other monitor of the context
  /// @throws zmq::error_t
  connection_monitor(zmq::context_t& context, zmq::socket_t& of, std::uint64_t number);

  enum class step : std::uint8_t {
    /// Somebody connected; has not proved itself yet.
    accepted,
    /// A connection stands and has proved itself.
    proved,
    /// A connection ended, which need not have stood. Messages that came before may still wait.
    ended,
  };

  struct event {
    step what = step::ended;
    /// The connection's file, as `ZMQ_SRCFD` names it in its messages; not of `proved`.
    int file = -1;
  };

  /// @returns what happened next, if anything more did.
  std::optional<event> next();

  /// For polling; readable when `next` has something to say. Empty when nothing is watched.
  zmq::socket_t& socket() noexcept { return socket_; }

private:
  zmq::socket_t socket_;
};

} // namespace spillover::net
