#include "net/socket_watch.hpp"

#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

namespace spillover::net {

namespace {

constexpr std::size_t own_files = 3;

} // namespace

socket_watch::socket_watch() : polled_(own_files) {}

void socket_watch::clear() {
  polled_.resize(own_files);
  sockets_.clear();
}

std::size_t socket_watch::add(zmq::socket_t& socket) {
  polled_.push_back({socket.get(zmq::sockopt::fd), POLLIN, 0});
  sockets_.push_back({&socket});
  return sockets_.size() - 1;
}

bool socket_watch::any_due() {
  auto result = false;
  for (auto& x : sockets_) {
    // Afterwards the file tells again what comes.
    if (std::exchange(x.touched, false))
      x.due = x.due || (x.socket->get(zmq::sockopt::events) & ZMQ_POLLIN) != 0;
    result = result || x.due;
  }
  return result;
}

bool socket_watch::wait(int wake, int also, moment until, const sigset_t* signals) {
  polled_[0] = {wake, POLLIN, 0};
  polled_[1] = {also, POLLIN, 0};
  polled_[2] = {timer_.file(), POLLIN, 0};
  const auto look = any_due() || until == moment{};
  if (!look)
    timer_.set(until);
  constexpr timespec at_once{};
  if (::ppoll(polled_.data(), polled_.size(), look ? &at_once : nullptr, signals) < 0) {
    if (errno != EINTR)
      throw std::system_error{errno, std::generic_category(), "ppoll"};
    return true;
  }
  for (std::size_t i = 0; i < sockets_.size(); ++i)
    sockets_[i].due = sockets_[i].due || polled_[own_files + i].revents != 0;
  return polled_[1].revents != 0;
}

} // namespace spillover::net
