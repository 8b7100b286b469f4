#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace spillover::app {

/// Processes of this program that another one started, one for each site, and ends whatever happens: each
/// ends by itself when the process that started it ends.
class children {
public:
  children() = default;

  /// Ends all that still run, by a signal first and by force after two seconds.
  ~children();

  children(const children&) = delete;
  children& operator=(const children&) = delete;

  /// Starts this program with other arguments, in a process group of its own, so that Ctrl-C at a terminal
  /// reaches only the parent.
  /// @param name what it is called here
  /// @param arguments without the program's own name
  /// @throws std::system_error when that is not possible
  void start(const std::string& name, const std::vector<std::string>& arguments);

  /// @param ended gets the name of each that ended since the last call, and how, e.g. "by signal 9"
  void reap(const std::function<void(const std::string&, const std::string&)>& ended);

  /// Waits until all have ended, or the time is over.
  void wait(std::chrono::milliseconds most);

private:
  struct child {
    std::string name;
    pid_t process = 0;
  };

  std::vector<child> running_;
};

} // namespace spillover::app
