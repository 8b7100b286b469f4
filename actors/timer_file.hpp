#pragma once

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <system_error>

namespace spillover {

/// A file that becomes readable at a moment, for a thread that waits in `poll`.
///
/// Linux lets poll's own timeout end late by a thousandth of its length (and at least by the thread's timer
/// slack), which after an idle second is a millisecond; a timer of this kind ends when it is due.
///
/// Of the header alone, so that whoever waits for sockets only need not link with CAF.
class timer_file {
public:
  /// @throws std::system_error when the process has no file left
  timer_file() : file_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
    if (file_ < 0)
      throw std::system_error{errno, std::generic_category(), "timerfd"};
  }
  ~timer_file() { ::close(file_); }
  timer_file(const timer_file&) = delete;
  timer_file& operator=(const timer_file&) = delete;

  /// What to poll: readable from the moment on that was set last, until another one is set.
  [[nodiscard]] int file() const noexcept { return file_; }

  /// @param x of the machine's monotonic clock; one that has passed counts as now
  void set(std::chrono::steady_clock::time_point x) const noexcept {
    // Zero would switch it off.
    const auto since = std::max(x.time_since_epoch(), std::chrono::steady_clock::duration{1});
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
    const itimerspec at{{}, {seconds.count(), (since - seconds).count()}};
    ::timerfd_settime(file_, TFD_TIMER_ABSTIME, &at, nullptr);
  }

private:
  int file_;
};

} // namespace spillover
