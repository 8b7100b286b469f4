#pragma once

#include "report/verdict.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <span>

namespace spillover::test {

inline judgement judge_one(const event_log& log, const expectation& x) {
  return judge(log, {x}, {}).judgements.at(0);
}

/// An expectation, and how it must come out.
struct judged_case {
  const char* why = "";
  expectation expected = {};
  bool met = false;
  const char* measured = "";
  std::optional<std::int64_t> value = std::nullopt;
  std::optional<duration> at = std::nullopt;
};

inline void expect_judged(const event_log& log, std::span<const judged_case> cases) {
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto judged = judge_one(log, x.expected);
    EXPECT_EQ(judged.met, x.met);
    EXPECT_EQ(judged.measured, x.measured);
    EXPECT_EQ(judged.value, x.value);
    EXPECT_EQ(judged.at, x.at ? std::optional{run_start + *x.at} : std::nullopt);
    EXPECT_EQ(judged.expected, x.expected);
  }
}

} // namespace spillover::test
