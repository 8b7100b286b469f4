#include "net/operator_desk.hpp"

#include "actors/wake_event.hpp"
#include "model/check.hpp"
#include "net/answer_memory.hpp"
#include "net/authenticator.hpp"
#include "net/log_limiter.hpp"
#include "net/milliseconds.hpp"
#include "net/operator_wire.hpp"
#include "net/transport.hpp"

#include <fmt/format.h>
#include <zmq.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace spillover::net {

namespace {

using steady = std::chrono::steady_clock;

constexpr int messages_per_turn = 64;
/// Frames that ZeroMQ queues for, and from, each connection.
constexpr int socket_frames = 16;

/// Kinds of lines in the log.
enum line : int { refused_key, flawed, busy };

std::string property(zmq::message_t& x, const char* name) {
  const char* value = zmq_msg_gets(x.handle(), name);
  return value == nullptr ? "" : value;
}

std::vector<authorised_site> operators_of(const operator_desk_config& x) {
  std::vector<authorised_site> result;
  for (const auto& a : x.keys->authorised)
    if (a.site == operator_name)
      result.push_back(a);
  return result;
}

/// What an operator asked, and by which connection the answer goes: the last one by which it was asked.
struct open_request {
  std::string id;
  std::string route;
};

} // namespace

std::vector<std::string> validate(const operator_desk_config& x) {
  std::vector<std::string> problems;
  if (!x.keys && !x.insecure)
    problems.emplace_back("keys: missing; only with insecure does a desk go without");
  if (!x.keys && !on_loopback(x.listen))
    problems.push_back("listen: " + x.listen
                       + ": without keys only the loopback interface is allowed");
  if (x.keys && operators_of(x).empty())
    problems.push_back("keys: none for " + std::string{operator_name});
  if (x.most_waiting == 0 || x.most_waiting >= answer_memory<int, operator_answer>::most_kept)
    problems.emplace_back("most_waiting: must lie within 1 and 1023");
  for (const auto value : {x.handshake, x.silence})
    if (value < std::chrono::milliseconds{1} || value > std::chrono::hours{1})
      problems.emplace_back("handshake, silence: must lie within 1ms and 1h");
  return problems;
}

struct operator_desk::state {
  state(operator_desk_config c, operator_desk_hooks h) : config(std::move(c)), hooks(std::move(h)) {
    // Before any other socket: see its own comment.
    if (config.keys)
      gate.emplace(context, operators_of(config));
    socket = zmq::socket_t{context, zmq::socket_type::router};
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::sndhwm, socket_frames);
    socket.set(zmq::sockopt::rcvhwm, socket_frames);
    socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(limits::frame_bytes) + 1024);
    socket.set(zmq::sockopt::handshake_ivl, milliseconds(config.handshake));
    socket.set(zmq::sockopt::heartbeat_ivl, milliseconds(config.silence / 3));
    socket.set(zmq::sockopt::heartbeat_timeout, milliseconds(config.silence));
    if (config.keys) {
      socket.set(zmq::sockopt::curve_publickey, config.keys->own.public_key);
      socket.set(zmq::sockopt::curve_secretkey, config.keys->own.secret_key);
      socket.set(zmq::sockopt::curve_server, true);
      socket.set(zmq::sockopt::zap_domain, authenticator::domain);
    }
    socket.bind(config.listen);
    bound = socket.get(zmq::sockopt::last_endpoint);
  }

  void run() noexcept;
  void authenticate();
  bool receive_one();
  void on_message(const zmq::message_t& route, zmq::message_t& body);
  void take(operator_request& x, const zmq::message_t& route, std::string who);
  void send_answers();
  void send(std::string_view route, const operator_answer& x);
  void wait();
  void say(line kind, std::string_view why, std::uint64_t times = 1);

  operator_desk_config config;
  operator_desk_hooks hooks;
  zmq::context_t context;
  std::optional<authenticator> gate;
  zmq::socket_t socket;
  std::string bound;
  wake_event wake;
  std::thread thread;

  // Of the thread alone.
  answer_memory<std::string, operator_answer> memory;
  /// By handle, and their handles by id.
  std::map<std::uint64_t, open_request> open;
  std::map<std::string, std::uint64_t> handles;
  std::uint64_t last_handle = 0;
  log_limiter limiter;
  std::vector<std::pair<std::uint64_t, operator_answer>> answering;

  // Guarded by the mutex.
  std::mutex mutex;
  std::vector<operator_call> calls;
  std::vector<std::pair<std::uint64_t, operator_answer>> answers;
  operator_desk_counters counted;
  bool told = false;
  bool stopping = false;
};

void operator_desk::state::say(line kind, std::string_view why, std::uint64_t times) {
  if (const auto kept = limiter.pass(kind, steady::now(), times))
    hooks.log(fmt::format("operators' desk: {} ({} more since the last such line)", why,
                          *kept + times - 1));
}

void operator_desk::state::run() noexcept {
  // Signals are for the program's own threads.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  try {
    while (true) {
      {
        const std::lock_guard lock{mutex};
        if (stopping)
          return;
        answering.swap(answers);
      }
      authenticate();
      send_answers();
      auto n = 0;
      while (n < messages_per_turn && receive_one())
        ++n;
      if (n == 0)
        wait();
    }
  } catch (const std::exception& x) {
    hooks.log(std::string{"the operators' desk failed: "} + x.what());
  }
}

void operator_desk::state::wait() {
  std::array<zmq::pollitem_t, 3> items{
    {{nullptr, wake.file(), ZMQ_POLLIN, 0},
     {socket.handle(), 0, ZMQ_POLLIN, 0},
     {gate ? gate->socket().handle() : nullptr, gate ? 0 : wake.file(), ZMQ_POLLIN, 0}}};
  zmq::poll(items, std::chrono::seconds{1});
  wake.clear();
}

void operator_desk::state::authenticate() {
  const auto refused = gate ? gate->answer() : 0;
  if (refused == 0)
    return;
  {
    const std::lock_guard lock{mutex};
    counted.refused_keys += refused;
  }
  say(refused_key, "a connection was turned away: its key is not the operator's", refused);
}

bool operator_desk::state::receive_one() {
  zmq::message_t route;
  zmq::message_t body;
  // A connection's parts come together or not at all, so the second one is there.
  if (!socket.recv(route, zmq::recv_flags::dontwait))
    return false;
  auto whole = route.more() && socket.recv(body, zmq::recv_flags::dontwait).has_value();
  if (whole && body.more()) {
    whole = false;
    zmq::message_t surplus;
    while (socket.recv(surplus, zmq::recv_flags::dontwait) && surplus.more()) {}
  }
  if (!whole)
    body.rebuild();
  on_message(route, body);
  return true;
}

void operator_desk::state::on_message(const zmq::message_t& route, zmq::message_t& body) {
  operator_request x;
  if (const auto what = decode(body.to_string_view(), x); what != flaw::none) {
    {
      const std::lock_guard lock{mutex};
      ++counted.flawed;
    }
    say(flawed, fmt::format("a request is {}", to_string(what)));
    return;
  }
  const auto owner = property(body, "User-Id");
  const auto address = property(body, "Peer-Address");
  take(x, route, owner.empty() ? address : owner + "@" + address);
}

void operator_desk::state::take(operator_request& x, const zmq::message_t& route, std::string who) {
  const auto known = memory.knows(x.id);
  if (const auto* answer = memory.find(x.id))
    send(route.to_string_view(), *answer);
  else if (known)
    open[handles[x.id]].route = route.to_string();
  const auto full = memory.waiting() >= config.most_waiting;
  if (!known && full)
    say(busy, "requests are not taken: too many wait for an answer");
  auto tell = false;
  {
    const std::lock_guard lock{mutex};
    (known ? counted.repeated : full ? counted.busy : counted.taken) += 1;
    if (known || full)
      return;
    tell = !std::exchange(told, true);
    calls.push_back({++last_handle, std::move(who), std::move(x.kind), std::move(x.body)});
  }
  memory.take(x.id);
  handles[x.id] = last_handle;
  open[last_handle] = {std::move(x.id), route.to_string()};
  if (tell)
    hooks.wake();
}

void operator_desk::state::send(std::string_view route, const operator_answer& x) {
  const auto bytes = encode(x);
  // What finds no room, or nobody, is asked for again.
  if (socket.send(zmq::buffer(route), zmq::send_flags::sndmore | zmq::send_flags::dontwait))
    socket.send(zmq::buffer(bytes), zmq::send_flags::dontwait);
}

void operator_desk::state::send_answers() {
  for (auto& [handle, x] : answering) {
    const auto at = open.find(handle);
    // Answered before.
    if (at == open.end())
      continue;
    x.id = at->second.id;
    send(at->second.route, x);
    handles.erase(x.id);
    memory.answer(at->second.id, std::move(x));
    memory.shrink();
    open.erase(at);
  }
  answering.clear();
}

operator_desk::operator_desk(operator_desk_config config, operator_desk_hooks hooks) {
  SPILLOVER_CHECK(validate(config).empty());
  SPILLOVER_CHECK(hooks.wake && hooks.log);
  state_ = std::make_unique<state>(std::move(config), std::move(hooks));
  state_->thread = std::thread{[s = state_.get()] { s->run(); }};
}

operator_desk::~operator_desk() {
  {
    const std::lock_guard lock{state_->mutex};
    state_->stopping = true;
  }
  state_->wake.set();
  state_->thread.join();
}

const std::string& operator_desk::bound() const noexcept {
  return state_->bound;
}

void operator_desk::receive(std::vector<operator_call>& into) {
  into.clear();
  const std::lock_guard lock{state_->mutex};
  std::swap(into, state_->calls);
  state_->told = false;
}

void operator_desk::answer(std::uint64_t handle, std::string refused, std::string body) {
  refused.resize(cut_text(refused, limits::reason_bytes).size());
  if (body.size() > limits::body_bytes) {
    body.clear();
    refused = "the answer is too long";
  }
  {
    const std::lock_guard lock{state_->mutex};
    state_->answers.emplace_back(handle, operator_answer{"", std::move(refused), std::move(body)});
  }
  state_->wake.set();
}

operator_desk_counters operator_desk::count() const {
  const std::lock_guard lock{state_->mutex};
  return state_->counted;
}

} // namespace spillover::net
