#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// Pauses between rounds of attempts to connect (B-88). A pause runs from the beginning of a round, so that a
/// round that takes longer is followed by the next one at once.
struct connection_back_off_config {
  /// After the first round, 1ms..3600s.
  duration base_interval = std::chrono::seconds{1};

  /// Of each pause over the one before, in percent, 100..1000.
  std::uint32_t multiplier = 160;

  /// A pause is drawn evenly from so much below to so much above, in percent, 0..100.
  std::uint32_t jitter = 20;

  /// Of a pause before its jitter, from `base_interval` to 86400s.
  duration max_interval = std::chrono::seconds{120};

  friend bool operator==(const connection_back_off_config&,
                         const connection_back_off_config&) = default;
};

/// Pings over a connection (B-89).
struct keepalive_config {
  /// From a connection, or the answer to a ping, to the next one, 100ms..86400s.
  duration interval = std::chrono::seconds{30};

  /// For its answer, 1ms..3600s; without one the connection is given up.
  duration timeout = std::chrono::seconds{20};

  friend bool operator==(const keepalive_config&, const keepalive_config&) = default;
};

/// What a priority's failover timer makes of CONNECTING that is reported while it is CONNECTING (B-88).
enum class timer_restart : std::uint8_t {
  /// Nothing: it runs once.
  off,
  /// It starts anew when it was over, and its priority is waited for again.
  when_over,
  /// It starts anew whether it was over or not.
  always,
};

/// How clients balance for themselves over connections that they have to make, as those of gRPC do (B-87..B-89).
struct grpc_config {
  /// For one attempt to connect, 1ms..3600s; longer when the pause after it is.
  duration connect_timeout = std::chrono::seconds{20};

  /// Addresses of a region, 1..100: a round of attempts goes over all of them before it has failed.
  std::uint32_t addresses = 1;

  connection_back_off_config back_off = {};

  /// How long a priority that is CONNECTING is waited for before the next one is tried too, 1ms..3600s.
  duration failover_timeout = std::chrono::seconds{10};

  timer_restart failover_timer_restarts = timer_restart::off;

  /// Nothing: no pings; a connection whose link is cut stays.
  std::optional<keepalive_config> keepalive = {};

  /// Requests wait while every priority is in TRANSIENT_FAILURE, in place of failing with 503.
  bool wait_for_ready = false;

  /// Without a request for so long a channel closes all of its connections, 1s..86400s.
  duration idle_timeout = std::chrono::minutes{30};

  friend bool operator==(const grpc_config&, const grpc_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const grpc_config& x);

} // namespace spillover
