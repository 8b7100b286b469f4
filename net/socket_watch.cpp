#include "net/socket_watch.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace spillover::net {

namespace {

constexpr std::size_t own_files = 3;

} // namespace

socket_watch::socket_watch() : polled_(own_files) {}

void socket_watch::clear() {
  polled_.resize(own_files);
  due_.clear();
}

std::size_t socket_watch::add(zmq::socket_t& socket) {
  polled_.push_back({socket.get(zmq::sockopt::fd), POLLIN, 0});
  due_.push_back(true);
  return due_.size() - 1;
}

bool socket_watch::wait(int wake, int also, moment until) {
  polled_[0] = {wake, POLLIN, 0};
  polled_[1] = {also, POLLIN, 0};
  polled_[2] = {timer_.file(), POLLIN, 0};
  const auto look = std::find(due_.begin(), due_.end(), true) != due_.end() || until == moment{};
  if (!look)
    timer_.set(until);
  if (::poll(polled_.data(), polled_.size(), look ? 0 : -1) < 0) {
    if (errno != EINTR)
      throw std::system_error{errno, std::generic_category(), "poll"};
    return true;
  }
  for (std::size_t i = 0; i < due_.size(); ++i)
    due_[i] = due_[i] || polled_[own_files + i].revents != 0;
  return polled_[1].revents != 0;
}

} // namespace spillover::net
