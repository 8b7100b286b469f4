#pragma once

#include "tests/support/run_program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillover::test {

/// One minute and a half, a quick run: the closer region is gone for half a minute.
inline constexpr std::string_view short_scenario = R"(name: short
description: The closer region is gone for half a minute.
seed: 3
duration: 90s
network:
  default: {latency: 5ms}
  links: [{between: [shop, west], latency: 40ms}]
producers:
  checkout:
    regions: [east, west]
    backend_services:
      web:
        instance: {service_time: 20ms}
        autoscaling: {policy: fixed, instances: 2}
    composite_health: {sources: [{backend_service: web, healthy_percent_threshold: 50}]}
consumers:
  shop:
    load_balancer: {regions: [east, west]}
    traffic: [{open_loop: {rate: [{at: 0s, rps: 20}]}}]
faults:
  - {at: 30s, for: 30s, region: {name: east}}
expect:
  - failover: {from: east, within: 20s}
)";

/// @returns the short scenario with one place changed.
inline std::string short_scenario_with(std::string_view before, std::string_view after) {
  std::string result{short_scenario};
  const auto at = result.find(before);
  if (at == std::string::npos) {
    ADD_FAILURE() << "the short scenario has no " << before;
    return result;
  }
  return result.replace(at, before.size(), after);
}

/// A folder with `short.yaml` in it, where the program runs.
class ProgramTest : public testing::Test {
protected:
  ProgramTest() {
    write("short.yaml", short_scenario);
    // Deployments of whoever runs the tests are none of theirs.
    ::setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
  }

  [[nodiscard]] program_result spillover(const std::vector<std::string>& arguments) const {
    return run_program(SPILLOVER_PROGRAM, arguments, folder_.path());
  }

  /// @param name of a file in the folder; its own folder is made
  void write(const std::string& name, std::string_view content) const {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    write_file(folder_.path() / name, content);
  }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return folder_.path() / name;
  }

  [[nodiscard]] std::string read(const std::string& name) const { return content_of(path(name)); }

  /// @returns every file below a folder with what it holds.
  [[nodiscard]] std::map<std::string, std::string> files(const std::string& name = ".") const {
    std::map<std::string, std::string> result;
    for (const auto& x : std::filesystem::recursive_directory_iterator{path(name)})
      if (x.is_regular_file())
        result[x.path().lexically_relative(path(name)).string()] = content_of(x.path());
    return result;
  }

  /// Starts the program and does not wait for it; what it says goes to the file `stderr`.
  [[nodiscard]] pid_t start(std::vector<std::string> arguments) const {
    return start_program(SPILLOVER_PROGRAM, std::move(arguments), folder_.path(),
                         {{STDERR_FILENO, path("stderr"), O_WRONLY | O_CREAT | O_TRUNC}});
  }

  /// Looks again and again, for at most a minute.
  static bool within_a_minute(const std::function<bool()>& what) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    while (!what()) {
      if (std::chrono::steady_clock::now() > end)
        return false;
      ::poll(nullptr, 0, 2); // it is another process
    }
    return true;
  }

private:
  temporary_folder folder_;
};

/// @returns the lines of a text, without their ends.
inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    result.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

} // namespace spillover::test
