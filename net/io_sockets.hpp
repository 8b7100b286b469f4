#pragma once

#include "net/authenticator.hpp"
#include "net/connection_monitor.hpp"
#include "net/socket_watch.hpp"
#include "net/transport.hpp"

#include <zmq.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace spillover::net {

/// One message as it came from a socket.
struct raw_frame {
  plane where = plane::data;
  /// The peer that a socket of ours is connected to; its key was checked by CURVE.
  std::optional<std::size_t> peer;
  /// The connection of a socket that others connect to; empty otherwise.
  zmq::message_t route;
  zmq::message_t body;
  /// The owner of the connection's key; empty without CURVE, and where `peer` is known.
  std::string_view owner;
  /// Not as many parts as there must be.
  bool misshapen = false;
};

/// What became of a message that was to be sent.
enum class fate : std::uint8_t {
  sent,
  /// Later, perhaps.
  full,
  unreachable,
};

/// Whether records can leave for a peer.
enum class data_link : std::uint8_t {
  /// Not yet, or nobody has said how: it may still come to stand.
  none,
  up,
  /// It stood, and broke.
  down,
};

/// The connection by which records leave for a peer came, or went.
struct link_change {
  std::size_t peer = 0;
  bool up = false;
};

/// All sockets of a transport; for one thread at a time.
///
/// Each plane has a ROUTER that others connect to, and a DEALER for each peer that we connect to. Peers get
/// a new routing id with each connection; which site stands behind it is known by its key, so no peer can
/// take over the connection of another (which is what ROUTER_HANDOVER would need trust for).
class io_sockets {
public:
  /// Binds. @throws zmq::error_t
  explicit io_sockets(const transport_config& config);

  [[nodiscard]] const endpoints& bound() const noexcept { return bound_; }

  /// Connects to a peer, unless it is connected to these addresses already.
  /// @returns whether anything changed
  /// @throws zmq::error_t when ZeroMQ takes no such address; then everything is as before
  bool connect(std::size_t peer, const endpoints& at);

  /// Remembers the connection by which a peer came.
  /// @returns whether it is another one than before
  bool remember(std::size_t peer, const raw_frame& from);

  /// @returns what became of the connections for records since the last call; valid until the next one.
  const std::vector<link_change>& watch();

  [[nodiscard]] data_link link(std::size_t peer) const noexcept { return links_[peer]; }

  /// @returns whether there is a connection to send by, be it broken just now.
  [[nodiscard]] bool reachable(std::size_t peer, plane where) const noexcept;

  /// @param where not telemetry
  fate send(std::size_t peer, plane where, std::string_view bytes);

  /// Sends to the collector.
  fate push(std::string_view bytes);

  /// @returns the number of sockets to receive from.
  [[nodiscard]] std::size_t sources() const noexcept { return sources_.size(); }

  /// Takes a message from a socket.
  /// @returns false when there is none
  bool receive(std::size_t from, raw_frame& into);

  /// Lets in, and turns away, who has connected.
  /// @returns the number of keys that were turned away
  std::size_t authenticate();

  /// Waits for messages, for files to become readable, and for room where a message found none, but only
  /// until a moment, or a signal. `moment{}`: only looks.
  /// @param also may be -1: no second file
  /// @returns whether `also` is readable, or a signal came
  bool wait(int wake, int also, moment until, const sigset_t* signals = nullptr);

  /// @returns peers for which the last wait found room where there was none before: the connection stands.
  [[nodiscard]] const std::vector<std::size_t>& unblocked() const noexcept { return unblocked_; }

private:
  struct source {
    zmq::socket_t* socket = nullptr;
    plane where = plane::data;
    std::optional<std::size_t> peer;
    bool routed = false;
    /// In `watch_`.
    std::size_t watched = 0;
  };

  struct arrival {
    /// -1 when there is none.
    int file = -1;
    /// The route of the one that ended last: what it had sent before may still come.
    std::string ended = {};
  };

  zmq::socket_t make(zmq::socket_type type, std::optional<std::size_t> server);
  std::string bind(zmq::socket_t& socket, const std::string& address);
  void list_sources();
  static bool take(source& x, raw_frame& into);
  bool find_room();
  void watch_router();
  bool take_arrival(std::size_t peer, const raw_frame& from);
  void end_arrival(std::size_t peer);
  void set_link(std::size_t peer, data_link x);
  [[nodiscard]] std::string public_key(std::size_t peer) const;

  const transport_config& config_;
  zmq::context_t context_;
  std::optional<authenticator> authenticator_;
  std::array<zmq::socket_t, two_way_planes> routers_;
  zmq::socket_t pull_;
  zmq::socket_t push_;
  /// By peer; empty where we did not connect.
  std::vector<std::array<zmq::socket_t, two_way_planes>> dealers_;
  std::vector<std::array<std::string, two_way_planes>> routes_;
  /// Where a peer was connected to; empty where we did not connect.
  std::vector<endpoints> connected_;
  /// Of the data plane: of the ROUTER, and of each peer's DEALER.
  connection_monitor router_monitor_;
  std::vector<connection_monitor> dealer_monitors_;
  std::uint64_t monitors_made_ = 0;
  /// Connections to the ROUTER of the data plane, by their files.
  std::set<int> accepted_;
  /// By peer, the connection by which it came on the data plane.
  std::vector<arrival> arrivals_;
  std::vector<data_link> links_;
  std::vector<link_change> changes_;
  std::vector<link_change> told_;
  /// In `watch_`: the socket that keys are asked about by, where there is one, the monitors, and for each
  /// plane our ROUTER and each peer's DEALER.
  std::size_t watched_keys_ = 0;
  std::vector<std::size_t> watched_monitors_;
  std::array<std::size_t, two_way_planes> watched_routers_{};
  std::vector<std::array<std::size_t, two_way_planes>> watched_dealers_;
  std::vector<std::array<bool, two_way_planes>> blocked_;
  std::vector<source> sources_;
  socket_watch watch_;
  std::vector<std::size_t> unblocked_;
  endpoints bound_;
};

} // namespace spillover::net
