#include "net/authenticator.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace spillover::net {

namespace {

constexpr std::size_t key_bytes = 32;

/// A request: version, its id, domain, address, the socket's identity, mechanism, and for CURVE the key.
constexpr std::size_t id_part = 1;
constexpr std::size_t domain_part = 2;
constexpr std::size_t mechanism_part = 5;
constexpr std::size_t key_part = 6;

std::vector<zmq::message_t> receive(zmq::socket_t& socket) {
  std::vector<zmq::message_t> result;
  for (bool more = true; more;) {
    zmq::message_t part;
    if (!socket.recv(part, zmq::recv_flags::dontwait))
      break;
    more = part.more();
    result.push_back(std::move(part));
  }
  return result;
}

std::string key_of(const std::vector<zmq::message_t>& request) {
  if (request.size() != key_part + 1 || request[mechanism_part].to_string_view() != "CURVE"
      || request[domain_part].to_string_view() != authenticator::domain
      || request[key_part].size() != key_bytes)
    return "";
  std::array<char, 41> text{};
  zmq_z85_encode(text.data(), request[key_part].data<std::uint8_t>(), key_bytes);
  return text.data();
}

} // namespace

authenticator::authenticator(zmq::context_t& context, std::span<const authorised_site> authorised)
  : socket_(context, zmq::socket_type::rep) {
  for (const auto& x : authorised)
    sites_.emplace(x.public_key, x.site);
  socket_.set(zmq::sockopt::linger, 0);
  socket_.bind("inproc://zeromq.zap.01");
}

std::size_t authenticator::answer() {
  std::size_t refused = 0;
  for (;;) {
    const auto request = receive(socket_);
    if (request.empty())
      return refused;
    const auto found = sites_.find(key_of(request));
    const auto known = found != sites_.end();
    refused += known ? 0U : 1U;
    const std::array<std::string_view, 6> reply{
      "1.0",
      request.size() > id_part ? request[id_part].to_string_view() : std::string_view{},
      known ? "200" : "400",
      known ? "OK" : "not authorised",
      known ? found->second : std::string_view{},
      ""};
    for (std::size_t i = 0; i < reply.size(); ++i)
      socket_.send(zmq::buffer(reply[i]),
                   i + 1 < reply.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
}

} // namespace spillover::net
