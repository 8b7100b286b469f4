#pragma once

#include "net/keys.hpp"

#include <zmq.hpp>

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace spillover::net {

/// Lets in whose CURVE key is authorised, and tells ZeroMQ the site that owns it (ZAP, ZeroMQ RFC 27):
/// each message then carries its sender's true name, whatever it says about itself.
///
/// Must exist before any other socket of the context: without it ZeroMQ would let everyone in.
class authenticator {
public:
  /// The ZAP domain of all our sockets.
  static constexpr const char* domain = "spillover";

  authenticator(zmq::context_t& context, std::span<const authorised_site> authorised);

  /// For polling; readable when `answer` has something to do.
  zmq::socket_t& socket() noexcept { return socket_; }

  /// Answers what ZeroMQ has asked.
  /// @returns the number of keys that were turned away
  std::size_t answer();

private:
  /// By public key, as Z85.
  std::map<std::string, std::string> sites_;
  zmq::socket_t socket_;
};

} // namespace spillover::net
