#pragma once

#include "tests/scenario/sample.hpp"

#include <span>

namespace spillover::test {

// One place of the sample changed for the worse, and all that is said about it.
struct bad_file {
  const char* why;
  const char* before;
  const char* after;
  const char* expected;
};

inline void expect_problems(std::span<const bad_file> cases) {
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto result = parse_scenario(edited(x.before, x.after), "s");
    EXPECT_EQ(joined(problems_of(result)), x.expected);
  }
}

} // namespace spillover::test
