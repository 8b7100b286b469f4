#include "net/io_sockets.hpp"

#include "net/milliseconds.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace spillover::net {

namespace {

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
    connected_(config.sites.size()),
    dealer_monitors_(config.sites.size()),
    arrivals_(config.sites.size()),
    links_(config.sites.size(), data_link::none),
    watched_dealers_(config.sites.size()),
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
    if (i == number(plane::data))
      router_monitor_ = connection_monitor{context_, routers_[i], ++monitors_made_};
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
  // Well after the peer counts as lost: a connection that breaks before means that its process ended.
  x.set(zmq::sockopt::heartbeat_timeout, milliseconds(3 * config_.lost_after));
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

bool io_sockets::connect(std::size_t peer, const endpoints& at) {
  if (connected_[peer] == at)
    return false;
  const std::array<const std::string*, two_way_planes> addresses{&at.data, &at.health, &at.control};
  std::array<zmq::socket_t, two_way_planes> made;
  connection_monitor monitor;
  for (std::size_t i = 0; i < two_way_planes; ++i) {
    made[i] = make(zmq::socket_type::dealer, peer);
    if (i == number(plane::data))
      monitor = connection_monitor{context_, made[i], ++monitors_made_};
    made[i].connect(*addresses[i]);
  }
  if (config_.sites[peer] == config_.collector && !at.telemetry.empty()) {
    auto push = make(zmq::socket_type::push, peer);
    push.connect(at.telemetry);
    push_ = std::move(push);
  }
  dealers_[peer] = std::move(made);
  dealer_monitors_[peer] = std::move(monitor);
  connected_[peer] = at;
  blocked_[peer] = {};
  // Records wait until the new connection stands, even when one by which the peer had come is gone.
  set_link(peer, data_link::none);
  list_sources();
  return true;
}

void io_sockets::set_link(std::size_t peer, data_link x) {
  const auto was = std::exchange(links_[peer], x);
  if ((was == data_link::up) != (x == data_link::up))
    changes_.push_back({peer, x == data_link::up});
}

void io_sockets::end_arrival(std::size_t peer) {
  auto& route = routes_[peer][number(plane::data)];
  arrivals_[peer] = {-1, std::exchange(route, {})};
  if (!dealers_[peer][number(plane::data)])
    set_link(peer, data_link::down);
}

void io_sockets::watch_router() {
  using step = connection_monitor::step;
  while (const auto x = router_monitor_.next()) {
    if (x->what == step::accepted)
      accepted_.insert(x->file);
    if (x->what != step::ended)
      continue;
    accepted_.erase(x->file);
    for (std::size_t p = 0; p < arrivals_.size(); ++p)
      if (arrivals_[p].file == x->file)
        end_arrival(p);
  }
}

bool io_sockets::take_arrival(std::size_t peer, const raw_frame& from) {
  // First, because the file's number may have been that of a connection that ended before.
  watch_router();
  auto& x = arrivals_[peer];
  const auto file = zmq_msg_get(from.body.handle(), ZMQ_SRCFD);
  // Of a connection that is gone: what it had sent before is read only now.
  if (!accepted_.contains(file) || from.route.to_string_view() == x.ended)
    return false;
  x.file = file;
  if (!dealers_[peer][number(plane::data)])
    set_link(peer, data_link::up);
  return true;
}

const std::vector<link_change>& io_sockets::watch() {
  told_.swap(changes_);
  changes_.clear();
  const auto& all = watched_monitors_;
  if (std::none_of(all.begin(), all.end(), [this](auto x) { return watch_.due(x); }))
    return told_;
  watch_router();
  for (std::size_t p = 0; p < dealer_monitors_.size(); ++p)
    while (const auto x = dealer_monitors_[p].next())
      if (x->what == connection_monitor::step::proved)
        set_link(p, data_link::up);
      else if (links_[p] == data_link::up)
        set_link(p, data_link::down);
  for (const auto x : all)
    watch_.found_empty(x);
  told_.insert(told_.end(), changes_.begin(), changes_.end());
  changes_.clear();
  return told_;
}

void io_sockets::list_sources() {
  watch_.clear();
  if (authenticator_)
    watched_keys_ = watch_.add(authenticator_->socket());
  watched_monitors_ = {watch_.add(router_monitor_.socket())};
  for (auto& x : dealer_monitors_)
    if (x.socket())
      watched_monitors_.push_back(watch_.add(x.socket()));
  sources_.clear();
  const auto add = [this](zmq::socket_t& x, plane where, std::optional<std::size_t> peer,
                          bool routed) {
    sources_.push_back({&x, where, peer, routed, watch_.add(x)});
    return sources_.back().watched;
  };
  for (std::size_t i = 0; i < two_way_planes; ++i)
    watched_routers_[i] = add(routers_[i], static_cast<plane>(i), std::nullopt, true);
  if (pull_)
    add(pull_, plane::telemetry, std::nullopt, false);
  for (std::size_t p = 0; p < dealers_.size(); ++p)
    for (std::size_t i = 0; i < two_way_planes; ++i)
      if (dealers_[p][i])
        watched_dealers_[p][i] = add(dealers_[p][i], static_cast<plane>(i), p, false);
}

bool io_sockets::remember(std::size_t peer, const raw_frame& from) {
  if (from.route.empty())
    return false;
  auto& known = routes_[peer][number(from.where)];
  const auto now = from.route.to_string_view();
  if (known == now)
    return false;
  if (from.where == plane::data && !take_arrival(peer, from))
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
    watch_.touched(watched_dealers_[peer][i]);
    const auto result = send_now(dealer, bytes);
    blocked = result == fate::full;
    return result;
  }
  auto& route = routes_[peer][i];
  if (route.empty())
    return fate::unreachable;
  watch_.touched(watched_routers_[i]);
  // Asked as a plain function: that the peer is gone is nothing exceptional here.
  auto* const socket = routers_[i].handle();
  if (zmq_send(socket, route.data(), route.size(), ZMQ_DONTWAIT | ZMQ_SNDMORE) < 0) {
    if (zmq_errno() == EAGAIN) {
      blocked = true;
      return fate::full;
    }
    if (where == plane::data)
      end_arrival(peer);
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
  if (!watch_.due(x.watched))
    return false;
  if (take(x, into))
    return true;
  watch_.found_empty(x.watched);
  return false;
}

bool io_sockets::take(source& x, raw_frame& into) {
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
  if (!authenticator_ || !watch_.due(watched_keys_))
    return 0;
  watch_.found_empty(watched_keys_);
  return authenticator_->answer();
}

bool io_sockets::wait(int wake, int also, moment until, const sigset_t* signals) {
  for (std::size_t p = 0; p < blocked_.size(); ++p)
    for (std::size_t i = 0; i < two_way_planes; ++i)
      if (blocked_[p][i] && !dealers_[p][i])
        until = std::min(until, std::chrono::steady_clock::now() + router_retry);
  unblocked_.clear();
  const auto readable = watch_.wait(wake, also, find_room() ? moment{} : until, signals);
  find_room();
  // A ROUTER is simply tried again.
  for (std::size_t p = 0; p < blocked_.size(); ++p)
    for (std::size_t i = 0; i < two_way_planes; ++i)
      blocked_[p][i] = blocked_[p][i] && dealers_[p][i];
  return readable;
}

bool io_sockets::find_room() {
  auto found = false;
  for (const auto& x : sources_) {
    if (!x.peer || !blocked_[*x.peer][number(x.where)])
      continue;
    // Asking takes notice of what came, so its file may not be readable any more.
    const auto events = x.socket->get(zmq::sockopt::events);
    if ((events & ZMQ_POLLIN) != 0)
      watch_.found_full(x.watched);
    if ((events & ZMQ_POLLOUT) == 0)
      continue;
    blocked_[*x.peer][number(x.where)] = false;
    unblocked_.push_back(*x.peer);
    found = true;
  }
  return found;
}

} // namespace spillover::net
