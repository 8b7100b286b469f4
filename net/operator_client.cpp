#include "net/operator_client.hpp"

#include "model/check.hpp"
#include "net/operator_wire.hpp"
#include "net/transport.hpp"

#include <sys/random.h>
#include <zmq.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace spillover::net {

namespace {

using steady = std::chrono::steady_clock;

/// Time until a message is tried again while there is no connection.
constexpr auto no_connection_pause = std::chrono::milliseconds{10};

std::string new_id() {
  std::string result(operator_id_bytes, '\0');
  // So few bytes come whole, or not at all.
  if (::getrandom(result.data(), result.size(), 0) != static_cast<ssize_t>(result.size()))
    throw std::system_error{errno, std::generic_category(), "getrandom"};
  return result;
}

} // namespace

struct operator_client::state {
  explicit state(operator_client_config c)
    : config(std::move(c)), socket(context, zmq::socket_type::dealer) {
    if (const auto problem = check_address(config.address))
      throw std::invalid_argument{"'" + config.address + "': " + *problem};
    if (!config.keys && !on_loopback(config.address))
      throw std::invalid_argument{"'" + config.address
                                  + "': without keys only the loopback interface is allowed"};
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::immediate, true);
    socket.set(zmq::sockopt::reconnect_ivl, 10);
    socket.set(zmq::sockopt::reconnect_ivl_max, 500);
    socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(2 * limits::frame_bytes));
    if (config.keys)
      use_keys();
    socket.connect(config.address);
  }

  void use_keys() {
    const auto& all = config.keys->authorised;
    const auto at = std::find_if(
      all.begin(), all.end(), [&](const authorised_site& x) { return x.site == config.director; });
    if (at == all.end())
      throw std::invalid_argument{"the list of keys does not name " + config.director};
    socket.set(zmq::sockopt::curve_serverkey, at->public_key);
    socket.set(zmq::sockopt::curve_publickey, config.keys->own.public_key);
    socket.set(zmq::sockopt::curve_secretkey, config.keys->own.secret_key);
  }

  /// Waits for a message, at most until `end`.
  std::optional<operator_answer> next(moment end) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - steady::now());
    std::array<zmq::pollitem_t, 1> items{{{socket.handle(), 0, ZMQ_POLLIN, 0}}};
    zmq::poll(items, std::max(left, std::chrono::milliseconds{0}));
    zmq::message_t message;
    if (!socket.recv(message, zmq::recv_flags::dontwait))
      return std::nullopt;
    operator_answer result;
    const auto whole = !message.more();
    while (message.more() && socket.recv(message, zmq::recv_flags::dontwait)) {}
    if (!whole || decode(message.to_string_view(), result) != flaw::none)
      return std::nullopt;
    return result;
  }

  operator_client_config config;
  zmq::context_t context;
  zmq::socket_t socket;
};

operator_client::operator_client(operator_client_config config)
  : state_(std::make_unique<state>(std::move(config))) {}

operator_client::~operator_client() = default;

operator_reply operator_client::ask(const std::string& kind, const std::string& body) {
  const auto id = new_id();
  const auto request = encode(operator_request{id, kind, body});
  if (request.empty())
    return {false, "the request is too long, or of no kind", ""};
  const auto& config = state_->config;
  const auto until = steady::now() + config.patience;
  auto again = steady::now();
  auto sent = false;
  for (auto now = again; now < until; now = steady::now()) {
    if (now >= again) {
      const auto left =
        state_->socket.send(zmq::buffer(request), zmq::send_flags::dontwait).has_value();
      sent = sent || left;
      again = now + (left ? config.retry : no_connection_pause);
    }
    // Answers to what was asked before, and given up, may still come.
    if (auto x = state_->next(std::min(again, until)); x && x->id == id)
      return {true, std::move(x->refused), std::move(x->body)};
  }
  return {false,
          sent ? config.director + " did not answer in time"
               : "there is no connection to " + config.director + " at " + config.address
                   + ": it does not run there, or does not know this key",
          ""};
}

} // namespace spillover::net
