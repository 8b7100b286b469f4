#pragma once

#include "actors/timer_file.hpp"
#include "net/moment.hpp"

#include <poll.h>
#include <zmq.hpp>

#include <csignal>
#include <cstddef>
#include <vector>

namespace spillover::net {

/// Which of many ZeroMQ sockets may have something to receive.
///
/// To ask a socket takes several system calls even when nothing came; to ask the system about the files of
/// all of them takes one. ZeroMQ's rule for such a file (ZMQ_FD in zmq_getsockopt) is that it becomes
/// readable when something came after the socket was last found empty, and any other call on the socket may
/// take that away. So a socket is *due* from when its file was readable until a receive found nothing; one
/// with which something else was done is asked itself before the next wait.
class socket_watch {
public:
  /// @throws std::system_error when the process has no file left
  socket_watch();

  /// Forgets all sockets.
  void clear();

  /// Adds a socket, which is due. @returns its number: they are numbered from 0
  std::size_t add(zmq::socket_t& socket);

  [[nodiscard]] bool due(std::size_t socket) const noexcept { return sockets_[socket].due; }

  /// There is something to receive, as the socket itself said.
  void found_full(std::size_t socket) noexcept { sockets_[socket].due = true; }

  /// Nothing was left to receive.
  void found_empty(std::size_t socket) noexcept {
    sockets_[socket].due = false;
    sockets_[socket].touched = false;
  }

  /// Something else than a receive was done with a socket.
  void touched(std::size_t socket) noexcept { sockets_[socket].touched = true; }

  /// Waits until a socket is due, a file becomes readable, a moment comes, or a signal. Only looks when a
  /// socket is due already.
  /// @param until `moment{}`: only looks
  /// @param signals the thread's mask while it waits; null: as it is
  /// @param also may be -1: no second file
  /// @returns whether `also` is readable, or a signal came
  bool wait(int wake, int also, moment until, const sigset_t* signals = nullptr);

private:
  struct watched {
    zmq::socket_t* socket = nullptr;
    bool due = true;
    bool touched = false;
  };

  bool any_due();

  timer_file timer_;
  /// The two files of `wait` and the timer, then those of the sockets.
  std::vector<pollfd> polled_;
  std::vector<watched> sockets_;
};

} // namespace spillover::net
