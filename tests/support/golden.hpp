#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace spillover::test {

/// @returns the content of a file of the project; fails the test when it cannot be read.
/// @param path from the project's root
inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in{std::filesystem::path{SPILLOVER_SOURCE_DIR} / path, std::ios::binary};
  if (!in)
    ADD_FAILURE() << "cannot read " << path;
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Expects that `actual` is, byte by byte, what a golden file holds.
///
/// With SPILLOVER_UPDATE_GOLDEN=1 in the environment the file is written instead; whoever reviews
/// the change reads the difference.
/// @param path from the project's root, e.g. "tests/report/golden/failover.txt"
inline void expect_golden(const std::filesystem::path& path, std::string_view actual) {
  const auto* const update = std::getenv("SPILLOVER_UPDATE_GOLDEN");
  if (update != nullptr && std::string_view{update} == "1") {
    const auto full = std::filesystem::path{SPILLOVER_SOURCE_DIR} / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream out{full, std::ios::binary};
    out << actual;
    if (!out.flush())
      ADD_FAILURE() << "cannot write " << full;
    return;
  }
  EXPECT_EQ(actual, read_file(path)) << path << " differs; SPILLOVER_UPDATE_GOLDEN=1 rewrites it";
}

} // namespace spillover::test
