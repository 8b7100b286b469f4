#include "sweeps/workers.hpp"

#include "sweeps/outcome_line.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace spillover {

namespace {

constexpr int patience_ms = 100;

[[noreturn]] void fail(const char* what) {
  throw std::system_error{errno, std::generic_category(), what};
}

/// @param before processes that there are already
[[noreturn]] void fail_to_start(std::size_t before) {
  const auto error = errno;
  throw std::system_error{error, std::generic_category(),
                          "cannot start one more process beside " + std::to_string(before)
                            + "; give a lower --jobs, or raise `ulimit -n` (files) or `ulimit -u` "
                              "(processes)"};
}

/// @returns false when the other side is gone.
bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const auto sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

run_outcome lost_run(run_key key, std::string why) {
  run_outcome result;
  result.key = key;
  result.trouble = std::move(why);
  return result;
}

run_outcome run_or_explain(run_key key, const std::function<run_outcome(run_key)>& run) {
  try {
    return run(key);
  } catch (const std::exception& x) {
    return lost_run(key, x.what());
  }
}

/// What a process of a sweep does: reads a key, runs it, tells what became of it; until the other side
/// closes the way.
[[noreturn]] void work(int socket, pid_t parent, const std::function<run_outcome(run_key)>& run) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The signals of a terminal, or of a batch system, are for the process that keeps the books.
  for (const auto x : {SIGINT, SIGTERM, SIGHUP})
    ::signal(x, SIG_IGN);
  if (::getppid() != parent)
    ::_exit(0);
  run_key key;
  for (;;) {
    const auto got = ::recv(socket, &key, sizeof(key), MSG_WAITALL);
    if (got < 0 && errno == EINTR)
      continue;
    if (got != static_cast<ssize_t>(sizeof(key)))
      ::_exit(0);
    if (!send_all(socket, to_line(run_or_explain(key, run)) + "\n"))
      ::_exit(0);
  }
}

/// @returns e.g. "by signal 9 (Killed)".
std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    const auto number = WTERMSIG(status);
    return "by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
  }
  return "with exit code " + std::to_string(WEXITSTATUS(status));
}

struct worker {
  pid_t process = 0;
  int socket = -1;
  std::optional<run_key> busy_with;
  /// What came and is not a whole line yet.
  std::string begun;
};

class pool {
public:
  pool(std::span<const run_key> keys, const std::function<run_outcome(run_key)>& run,
       const sweep_hooks& hooks)
    : rest_(keys), run_(run), hooks_(hooks) {}

  // Whatever happens, no process stays.
  ~pool() {
    for (auto& x : workers_)
      end(x);
  }

  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  bool run(std::uint32_t jobs);

private:
  worker start();
  void end(worker& x) const;
  void feed(worker& x);
  // Takes what the process wrote; false when it is gone.
  bool hear(worker& x);
  void bury(worker& x);
  void wait();

  std::span<const run_key> rest_;
  const std::function<run_outcome(run_key)>& run_;
  const sweep_hooks& hooks_;
  std::vector<worker> workers_;
};

worker pool::start() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    fail_to_start(workers_.size());
  const auto parent = ::getpid();
  const auto child = ::fork();
  if (child < 0) {
    const auto error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    errno = error;
    fail_to_start(workers_.size());
  }
  if (child == 0) {
    ::close(ends[0]);
    // Else the others would not notice that their ways were closed.
    for (const auto& x : workers_)
      if (x.socket >= 0)
        ::close(x.socket);
    work(ends[1], parent, run_);
  }
  ::close(ends[1]);
  worker result;
  result.process = child;
  result.socket = ends[0];
  return result;
}

void pool::end(worker& x) const {
  if (x.socket < 0)
    return;
  ::close(x.socket);
  x.socket = -1;
  ::kill(x.process, SIGKILL);
  while (::waitpid(x.process, nullptr, 0) < 0 && errno == EINTR) {}
}

void pool::feed(worker& x) {
  if (rest_.empty())
    return end(x);
  x.busy_with = rest_.front();
  rest_ = rest_.subspan(1);
  std::array<char, sizeof(run_key)> bytes{};
  std::memcpy(bytes.data(), &*x.busy_with, bytes.size());
  // A process that is gone is noticed when nothing comes from it.
  send_all(x.socket, {bytes.data(), bytes.size()});
}

bool pool::hear(worker& x) {
  std::array<char, 65'536> bytes{};
  const auto got = ::recv(x.socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EINTR || errno == EAGAIN))
    return true;
  if (got <= 0)
    return false;
  x.begun.append(bytes.data(), static_cast<std::size_t>(got));
  if (x.begun.back() != '\n')
    return true;
  x.begun.pop_back();
  const auto outcome = parse_outcome(std::exchange(x.begun, {}));
  const auto key = *std::exchange(x.busy_with, std::nullopt);
  hooks_.ended(outcome && outcome->key == key ? *outcome
                                              : lost_run(key, "its process told nothing of use"));
  feed(x);
  return true;
}

void pool::bury(worker& x) {
  int status = 0;
  while (::waitpid(x.process, &status, 0) < 0 && errno == EINTR) {}
  ::close(std::exchange(x.socket, -1));
  const auto key = std::exchange(x.busy_with, std::nullopt);
  if (key)
    hooks_.ended(lost_run(*key, "its process ended " + how_it_ended(status)));
  if (rest_.empty())
    return;
  x = start();
  feed(x);
}

void pool::wait() {
  std::vector<pollfd> all;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < workers_.size(); ++i)
    if (workers_[i].socket >= 0) {
      all.push_back({workers_[i].socket, POLLIN, 0});
      places.push_back(i);
    }
  if (::poll(all.data(), all.size(), patience_ms) < 0 && errno != EINTR)
    fail("poll");
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].revents != 0 && !hear(workers_[places[i]]))
      bury(workers_[places[i]]);
}

bool pool::run(std::uint32_t jobs) {
  while (workers_.size() < jobs && !rest_.empty()) {
    workers_.push_back(start());
    feed(workers_.back());
  }
  const auto alive = [this] {
    for (const auto& x : workers_)
      if (x.socket >= 0)
        return true;
    return false;
  };
  while (alive()) {
    if (hooks_.stop && hooks_.stop())
      return false;
    wait();
    if (hooks_.meanwhile)
      hooks_.meanwhile();
  }
  return true;
}

} // namespace

bool run_in_processes(std::span<const run_key> keys, std::uint32_t jobs,
                      const std::function<run_outcome(run_key)>& run, const sweep_hooks& hooks) {
  return pool{keys, run, hooks}.run(jobs);
}

std::uint32_t usable_processors() noexcept {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof(mine), &mine) != 0)
    return 1;
  const auto count = CPU_COUNT(&mine);
  return count < 1 ? 1 : static_cast<std::uint32_t>(count);
}

} // namespace spillover
