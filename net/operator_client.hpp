#pragma once

#include "net/keys.hpp"
#include "net/moment.hpp"

#include <memory>
#include <optional>
#include <string>

namespace spillover::net {

/// What an operator's program needs to know to ask the director.
struct operator_client_config {
  /// Of the director's desk, "tcp://HOST:PORT" or "ipc://PATH".
  std::string address;
  /// The operator's keys, as `read_keys` reads them for `operator_name`; without them the desk must be one
  /// without keys on this machine.
  std::optional<key_ring> keys = std::nullopt;
  /// The site behind the desk, whose key is expected there.
  std::string director = "director";
  /// Time without an answer after which a request is sent again, and is given up.
  span_of_time retry = std::chrono::milliseconds{500};
  span_of_time patience = std::chrono::seconds{10};
};

/// How a request ended.
struct operator_reply {
  /// Otherwise it was given up: it may have been carried out or not.
  bool answered = false;
  /// Why it was not carried out, or not answered; empty when all is well.
  std::string refused;
  std::string body;
};

/// Asks the director. For one thread.
class operator_client {
public:
  /// @throws std::invalid_argument when the address is none, or the keys do not name the director
  explicit operator_client(operator_client_config config);
  ~operator_client();
  operator_client(const operator_client&) = delete;
  operator_client& operator=(const operator_client&) = delete;

  /// Asks, and waits for the answer; sends the same request again until it comes. The director carries it
  /// out once, however often it comes.
  operator_reply ask(const std::string& kind, const std::string& body = "");

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace spillover::net
