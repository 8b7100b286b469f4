#include "net/connection_monitor.hpp"

#include <cstring>
#include <string>

namespace spillover::net {

namespace {

constexpr int watched = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED;

/// The first part of a report: 16 bits that tell what happened, and 32 of a value.
constexpr std::size_t report_bytes = sizeof(std::uint16_t) + sizeof(std::uint32_t);

} // namespace

connection_monitor::connection_monitor(zmq::context_t& context, zmq::socket_t& of,
                                       std::uint64_t number)
  : socket_(context, zmq::socket_type::pair) {
  const auto address = "inproc://connections-" + std::to_string(number);
  socket_.set(zmq::sockopt::linger, 0);
  // Without a limit: ZeroMQ's own thread would wait for room, and closing the watched socket for it.
  socket_.set(zmq::sockopt::rcvhwm, 0);
  if (zmq_socket_monitor(of.handle(), address.c_str(), watched) != 0)
    throw zmq::error_t{};
  socket_.connect(address);
}

std::optional<connection_monitor::event> connection_monitor::next() {
  zmq::message_t report;
  zmq::message_t address;
  while (socket_ && socket_.recv(report, zmq::recv_flags::dontwait)) {
    if (report.more() && !socket_.recv(address, zmq::recv_flags::dontwait))
      return std::nullopt;
    // Of a kind that only a later ZeroMQ knows.
    if (report.size() != report_bytes)
      continue;
    std::uint16_t what = 0;
    std::int32_t value = 0;
    std::memcpy(&what, report.data(), sizeof what);
    std::memcpy(&value, report.data<char>() + sizeof what, sizeof value);
    if (what == ZMQ_EVENT_HANDSHAKE_SUCCEEDED)
      return event{step::proved};
    return event{what == ZMQ_EVENT_ACCEPTED ? step::accepted : step::ended, value};
  }
  return std::nullopt;
}

} // namespace spillover::net
