#include "app/children.hpp"

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

// The environment of the process, which its children have too.
extern char** environ; // NOLINT(readability-redundant-declaration)

namespace spillover::app {

namespace {

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return "by signal " + std::to_string(WTERMSIG(status));
  return "with exit code " + std::to_string(WEXITSTATUS(status));
}

} // namespace

children::~children() {
  for (const auto& x : running_) {
    ::kill(x.process, SIGTERM);
    // One that was stopped cannot end before it goes on.
    ::kill(x.process, SIGCONT);
  }
  wait(std::chrono::seconds{2});
  for (const auto& x : running_) {
    ::kill(x.process, SIGKILL);
    ::waitpid(x.process, nullptr, 0);
  }
}

void children::start(const std::string& name, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"spillover"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& x : words)
    pointers.push_back(x.data());
  pointers.push_back(nullptr);
  posix_spawnattr_t how{};
  ::posix_spawnattr_init(&how);
  ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&how, 0);
  pid_t process = 0;
  const auto error =
    ::posix_spawn(&process, "/proc/self/exe", nullptr, &how, pointers.data(), environ);
  ::posix_spawnattr_destroy(&how);
  if (error != 0)
    throw std::system_error{error, std::generic_category(), "cannot start the process of " + name};
  running_.push_back({name, process});
}

void children::reap(const std::function<void(const std::string&, const std::string&)>& ended) {
  for (std::size_t i = 0; i < running_.size();) {
    int status = 0;
    const auto result = ::waitpid(running_[i].process, &status, WNOHANG);
    if (result == 0 || (result < 0 && errno == EINTR)) {
      ++i;
      continue;
    }
    const auto name = running_[i].name;
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    ended(name, how_it_ended(status));
  }
}

void children::wait(std::chrono::milliseconds most) {
  const auto until = std::chrono::steady_clock::now() + most;
  while (!running_.empty() && std::chrono::steady_clock::now() < until) {
    reap([](const std::string&, const std::string&) {});
    ::poll(nullptr, 0, 10);
  }
}

} // namespace spillover::app
