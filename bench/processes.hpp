#pragma once

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace spillover::bench {

/// Keeps the calling thread, and those that it starts from now on, on one processor; on machines that have
/// fewer, on any.
inline void pin(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  static_cast<void>(::sched_setaffinity(0, sizeof set, &set));
}

/// A process of its own that does some work until this object goes. To be made while there is one thread.
class child {
public:
  /// @param work gets a file to write to, whose other end is `file`
  explicit child(const std::function<void(int)>& work) {
    std::array<int, 2> ends{-1, -1};
    if (::pipe(ends.data()) != 0)
      return;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      // Not left behind by a benchmark that is killed.
      ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0UL, 0UL, 0UL);
      work(ends[1]);
      ::_exit(0);
    }
    ::close(ends[1]);
    file_ = ends[0];
  }
  ~child() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(file_);
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  /// @returns the next line that it writes, without its end.
  [[nodiscard]] std::string line() const {
    std::string result;
    for (char c = 0; ::read(file_, &c, 1) == 1 && c != '\n';)
      result += c;
    return result;
  }

private:
  pid_t pid_ = -1;
  int file_ = -1;
};

/// Keeps processors from falling asleep, with work that yields to everything else.
class watch {
public:
  explicit watch(int processors) {
    for (int i = 0; i < processors; ++i)
      children_.push_back(std::make_unique<child>([i](int) {
        pin(i);
        const sched_param none{};
        if (::sched_setscheduler(0, SCHED_IDLE, &none) != 0)
          return;
        for (volatile unsigned n = 0;;)
          n = n + 1;
      }));
  }

private:
  std::vector<std::unique_ptr<child>> children_;
};

} // namespace spillover::bench
