#pragma once

#include "model/hash.hpp"
#include "tests/scenario/sample.hpp"

#include <cstdlib>
#include <filesystem>
#include <span>

namespace spillover::test {

// One place of the sample changed for the worse, and all that is said about it.
struct bad_file {
  const char* why;
  const char* before;
  const char* after;
  const char* expected;
};

// Keeps a text in the folder that SPILLOVER_FUZZ_SEEDS names, if it does, for the fuzzer to begin with.
inline void keep_for_fuzzing(std::string_view text) {
  if (const auto* const folder = std::getenv("SPILLOVER_FUZZ_SEEDS"))
    std::ofstream{std::filesystem::path{folder} / std::to_string(fnv1a_64(text)), std::ios::binary}
      << text;
}

inline void expect_problems(std::span<const bad_file> cases) {
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto text = edited(x.before, x.after);
    keep_for_fuzzing(text);
    const auto result = parse_scenario(text, "s");
    EXPECT_EQ(joined(problems_of(result)), x.expected);
  }
}

} // namespace spillover::test
