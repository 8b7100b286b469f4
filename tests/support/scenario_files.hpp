#pragma once

#include "scenario/load.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace spillover::test {

/// @returns the scenarios that the project comes with, by name.
inline std::vector<std::filesystem::path> scenario_files() {
  std::vector<std::filesystem::path> result;
  for (const auto& x :
       std::filesystem::recursive_directory_iterator{SPILLOVER_SOURCE_DIR "/configs"})
    // Files of `policy-test` are no scenarios.
    if (x.path().extension() == ".yaml" && x.path().parent_path().filename() != "policy-test")
      result.push_back(x.path());
  std::sort(result.begin(), result.end());
  return result;
}

/// @returns the scenario in a file, or one without anything, having failed the test with every
///          problem of the file.
inline scenario load(const std::filesystem::path& file) {
  auto loaded = load_scenario(file);
  if (auto* x = std::get_if<scenario>(&loaded))
    return std::move(*x);
  for (const auto& x : std::get<std::vector<problem>>(loaded))
    ADD_FAILURE() << to_string(x);
  return {};
}

} // namespace spillover::test
