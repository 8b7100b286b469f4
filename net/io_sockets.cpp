#include "net/io_sockets.hpp"

#include <algorithm>
#include <cerrno>

namespace spillover::net {

namespace {

int milliseconds(span_of_time x) {
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(x).count());
}

constexpr std::size_t number(plane x) noexcept {
  return static_cast<std::size_t>(x);
}

/// ZeroMQ's framing and CURVE's box around a frame.
constexpr std::int64_t wrapping = 1024;

/// Time until a message is tried again on a ROUTER, which cannot be polled for room for one peer.
constexpr auto router_retry = std::chrono::milliseconds{1};

fate send_now(zmq::socket_t& socket, std::string_view bytes) {
  return socket.send(zmq::buffer(bytes), zmq::send_flags::dontwait) ? fate::sent : fate::full;
}

} // namespace

io_sockets::io_sockets(const transport_config& config)
  : config_(config),
    dealers_(config.sites.size()),
    routes_(config.sites.size()),
    blocked_(config.sites.size()) {
  // Before any other socket: see its own comment.
  if (config.keys)
    authenticator_.emplace(context_, config.keys->authorised);
  const std::array<const std::string*, two_way_planes> addresses{
    &config.listen.data, &config.listen.health, &config.listen.control};
  const std::array<std::string*, two_way_planes> results{&bound_.data, &bound_.health,
                                                         &bound_.control};
  for (std::size_t i = 0; i < two_way_planes; ++i) {
    routers_[i] = make(zmq::socket_type::router, std::nullopt);
    routers_[i].set(zmq::sockopt::router_mandatory, true);
    *results[i] = bind(routers_[i], *addresses[i]);
  }
  if (config.collector == config.site) {
    pull_ = make(zmq::socket_type::pull, std::nullopt);
    bound_.telemetry = bind(pull_, config.listen.telemetry);
  }
  list_sources();
}

std::string io_sockets::public_key(std::size_t peer) const {
  const auto& all = config_.keys->authorised;
  return std::find_if(all.begin(), all.end(),
                      [&](const authorised_site& x) { return x.site == config_.sites[peer]; })
    ->public_key;
}

zmq::socket_t io_sockets::make(zmq::socket_type type, std::optional<std::size_t> server) {
  zmq::socket_t x{context_, type};
  x.set(zmq::sockopt::linger, 0);
  x.set(zmq::sockopt::sndhwm, config_.socket_frames);
  x.set(zmq::sockopt::rcvhwm, config_.socket_frames);
  x.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(limits::frame_bytes) + wrapping);
  x.set(zmq::sockopt::handshake_ivl, milliseconds(config_.handshake));
  // Ends connections whose other side is gone without a word.
  x.set(zmq::sockopt::heartbeat_ivl, milliseconds(config_.heartbeat));
  x.set(zmq::sockopt::heartbeat_timeout, milliseconds(config_.lost_after));
  if (server) {
    // Nothing waits for a connection that does not stand.
    x.set(zmq::sockopt::immediate, true);
    x.set(zmq::sockopt::reconnect_ivl, milliseconds(config_.reconnect));
    x.set(zmq::sockopt::reconnect_ivl_max, milliseconds(config_.reconnect_most));
  }
  if (!config_.keys)
    return x;
  x.set(zmq::sockopt::curve_publickey, config_.keys->own.public_key);
  x.set(zmq::sockopt::curve_secretkey, config_.keys->own.secret_key);
  if (server) {
    x.set(zmq::sockopt::curve_serverkey, public_key(*server));
  } else {
    x.set(zmq::sockopt::curve_server, true);
    x.set(zmq::sockopt::zap_domain, authenticator::domain);
  }
  return x;
}

std::string io_sockets::bind(zmq::socket_t& socket, const std::string& address) {
  socket.bind(address);
  return socket.get(zmq::sockopt::last_endpoint);
}

void io_sockets::connect(std::size_t peer, const endpoints& at) {
  const std::array<const std::string*, two_way_planes> addresses{&at.data, &at.health, &at.control};
  for (std::size_t i = 0; i < two_way_planes; ++i) {
    dealers_[peer][i] = make(zmq::socket_type::dealer, peer);
    dealers_[peer][i].connect(*addresses[i]);
    blocked_[peer][i] = false;
  }
  if (config_.sites[peer] == config_.collector && !at.telemetry.empty()) {
    push_ = make(zmq::socket_type::push, peer);
    push_.connect(at.telemetry);
  }
  list_sources();
}

void io_sockets::list_sources() {
  sources_.clear();
  for (std::size_t i = 0; i < two_way_planes; ++i)
    sources_.push_back({&routers_[i], static_cast<plane>(i), std::nullopt, true});
  if (pull_)
    sources_.push_back({&pull_, plane::telemetry, std::nullopt, false});
  for (std::size_t p = 0; p < dealers_.size(); ++p)
    for (std::size_t i = 0; i < two_way_planes; ++i)
      if (dealers_[p][i])
        sources_.push_back({&dealers_[p][i], static_cast<plane>(i), p, false});
}

bool io_sockets::remember(std::size_t peer, const raw_frame& from) {
  if (from.route.empty())
    return false;
  auto& known = routes_[peer][number(from.where)];
  const auto now = from.route.to_string_view();
  if (known == now)
    return false;
  known = now;
  return true;
}

bool io_sockets::reachable(std::size_t peer, plane where) const noexcept {
  const auto i = number(where);
  return static_cast<bool>(dealers_[peer][i]) || !routes_[peer][i].empty();
}

fate io_sockets::send(std::size_t peer, plane where, std::string_view bytes) {
  const auto i = number(where);
  auto& blocked = blocked_[peer][i];
  blocked = false;
  if (auto& dealer = dealers_[peer][i]) {
    const auto result = send_now(dealer, bytes);
    blocked = result == fate::full;
    return result;
  }
  auto& route = routes_[peer][i];
  if (route.empty())
    return fate::unreachable;
  // Asked as a plain function: that the peer is gone is nothing exceptional here.
  auto* const socket = routers_[i].handle();
  if (zmq_send(socket, route.data(), route.size(), ZMQ_DONTWAIT | ZMQ_SNDMORE) < 0) {
    if (zmq_errno() == EAGAIN) {
      blocked = true;
      return fate::full;
    }
    route.clear();
    return fate::unreachable;
  }
  return zmq_send(socket, bytes.data(), bytes.size(), ZMQ_DONTWAIT) < 0 ? fate::unreachable
                                                                        : fate::sent;
}

fate io_sockets::push(std::string_view bytes) {
  return push_ ? send_now(push_, bytes) : fate::unreachable;
}

bool io_sockets::receive(std::size_t from, raw_frame& into) {
  auto& x = sources_[from];
  into.where = x.where;
  into.peer = x.peer;
  into.route.rebuild();
  if (x.routed && !x.socket->recv(into.route, zmq::recv_flags::dontwait))
    return false;
  // A connection's parts come together or not at all, so the second one is there.
  if (!x.routed && !x.socket->recv(into.body, zmq::recv_flags::dontwait))
    return false;
  into.misshapen = x.routed && !into.route.more();
  if (into.misshapen)
    into.body.rebuild();
  if (x.routed && !into.misshapen && !x.socket->recv(into.body, zmq::recv_flags::dontwait))
    return false;
  for (zmq::message_t surplus; into.body.more() && !into.misshapen;) {
    do {
      if (!x.socket->recv(surplus, zmq::recv_flags::dontwait))
        break;
    } while (surplus.more());
    into.misshapen = true;
  }
  into.owner = {};
  if (const char* owner = zmq_msg_gets(into.body.handle(), "User-Id"); owner != nullptr)
    into.owner = owner;
  return true;
}

std::size_t io_sockets::authenticate() {
  return authenticator_ ? authenticator_->answer() : 0;
}

void io_sockets::wait(int wake, span_of_time most) {
  items_.clear();
  items_.push_back({nullptr, wake, ZMQ_POLLIN, 0});
  if (authenticator_)
    items_.push_back({authenticator_->socket().handle(), 0, ZMQ_POLLIN, 0});
  for (const auto& x : sources_) {
    const auto out = x.peer && blocked_[*x.peer][number(x.where)];
    items_.push_back(
      {x.socket->handle(), 0, static_cast<short>(out ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN), 0});
  }
  for (std::size_t p = 0; p < blocked_.size(); ++p)
    for (std::size_t i = 0; i < two_way_planes; ++i)
      if (blocked_[p][i] && !dealers_[p][i])
        most = std::min<span_of_time>(most, router_retry);
  zmq::poll(items_, std::chrono::ceil<std::chrono::milliseconds>(most));
  unblocked_.clear();
  const auto first = items_.size() - sources_.size();
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if ((items_[first + i].revents & ZMQ_POLLOUT) != 0) {
      blocked_[*sources_[i].peer][number(sources_[i].where)] = false;
      unblocked_.push_back(*sources_[i].peer);
    }
  // A ROUTER is simply tried again.
  for (std::size_t p = 0; p < blocked_.size(); ++p)
    for (std::size_t i = 0; i < two_way_planes; ++i)
      blocked_[p][i] = blocked_[p][i] && dealers_[p][i];
}

} // namespace spillover::net
