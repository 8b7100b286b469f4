#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace spillover::test {

/// A new folder of the test's own, removed with all it holds.
class temporary_folder {
public:
  temporary_folder() {
    auto name = (std::filesystem::temp_directory_path() / "spillover-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw std::system_error{errno, std::generic_category(), "mkdtemp " + name};
    path_ = name;
  }

  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
  std::filesystem::path path_;
};

/// @returns what a file holds.
/// @throws std::runtime_error when it cannot be read
inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in)
    throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>{in}, {}};
}

inline void write_file(const std::filesystem::path& file, std::string_view content) {
  std::ofstream out{file, std::ios::binary};
  out << content;
  if (!out.flush())
    throw std::runtime_error("cannot write " + file.string());
}

/// How a program ended, and what it wrote.
struct program_result {
  /// Exit code, or minus the signal that ended it.
  int code = 0;
  std::string out;
  std::string err;
};

/// A file that a program begins with, and how it is opened.
struct opened_file {
  int descriptor = 0;
  std::string file;
  int how = 0;
};

/// Starts a program, and does not wait for it. No shell comes between, so arguments need no quotes.
/// @param folder its working directory
/// @throws std::system_error when it cannot be started
inline pid_t start_program(const std::string& program, std::vector<std::string> arguments,
                           const std::filesystem::path& folder,
                           const std::vector<opened_file>& opened) {
  arguments.insert(arguments.begin(), program);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (auto& x : arguments)
    argv.push_back(x.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const auto& x : opened)
    posix_spawn_file_actions_addopen(&actions, x.descriptor, x.file.c_str(), x.how, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const auto failed = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    throw std::system_error{failed, std::generic_category(), program};
  return child;
}

/// Waits for a program's end.
/// @returns its exit code, or minus the signal that ended it
inline int end_of_program(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      throw std::system_error{errno, std::generic_category(), "waitpid"};
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Runs a program to its end. No shell comes between, so arguments need no quotes.
/// @param folder its working directory
/// @throws std::system_error when it cannot be started
inline program_result run_program(const std::string& program, std::vector<std::string> arguments,
                                  const std::filesystem::path& folder) {
  // Files and not pipes: nobody has to read while the program writes.
  const temporary_folder outputs;
  const auto out = (outputs.path() / "out").string();
  const auto err = (outputs.path() / "err").string();
  const auto child = start_program(program, std::move(arguments), folder,
                                   {{STDIN_FILENO, "/dev/null", O_RDONLY},
                                    {STDOUT_FILENO, out, O_WRONLY | O_CREAT},
                                    {STDERR_FILENO, err, O_WRONLY | O_CREAT}});
  const auto code = end_of_program(child);
  return {code, content_of(out), content_of(err)};
}

} // namespace spillover::test
