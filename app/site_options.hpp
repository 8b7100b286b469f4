#pragma once

#include "app/directed_run.hpp"
#include "net/transport.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace spillover::app {

/// A machine and a port, e.g. "127.0.0.1:7400". Sites speak IPv4.
struct host_port {
  std::string host;
  std::uint16_t port = 0;
};

/// @returns the parts of "HOST:PORT", or nothing.
std::optional<host_port> parse_host_port(const std::string& text);

/// @returns where a director listens that was given this first port.
net::endpoints endpoints_at(const host_port& x);

/// Adds what `site director` and `up` take alike: where files go, and what is shown.
void add_directed_options(CLI::App& sub, directed_options& x);

} // namespace spillover::app
