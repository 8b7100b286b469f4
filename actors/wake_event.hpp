#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace spillover {

/// Wakes a thread that waits in `poll`. Any thread may set it, at any time.
///
/// Of the header alone, so that whoever waits for sockets only need not link with CAF.
class wake_event {
public:
  /// @throws std::system_error when the process has no file left
  wake_event() : file_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (file_ < 0)
      throw std::system_error{errno, std::generic_category(), "eventfd"};
  }
  ~wake_event() { ::close(file_); }
  wake_event(const wake_event&) = delete;
  wake_event& operator=(const wake_event&) = delete;

  /// What to poll; readable from `set` to `clear`.
  [[nodiscard]] int file() const noexcept { return file_; }

  void set() const noexcept {
    const std::uint64_t one = 1;
    // It fails only when it was set 2^64 times since it was cleared: then it is set.
    static_cast<void>(!::write(file_, &one, sizeof one));
  }

  void clear() const noexcept {
    std::uint64_t times = 0;
    static_cast<void>(!::read(file_, &times, sizeof times));
  }

private:
  int file_;
};

} // namespace spillover
