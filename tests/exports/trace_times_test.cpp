#include "exports/trace_times.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>

namespace spillover {
namespace {

using namespace std::chrono_literals;

TEST(TraceTimes, AreTheNanosecondsOfTheRunForWhoeverRounds) {
  const struct {
    const char* why = "";
    duration longest{};
    duration at{};
  } cases[] = {
    {"the beginning", 20min, 0ns},
    {"whole microseconds", 20min, 300s},
    {"one nanosecond", 20min, 1ns},
    {"the last one before a microsecond", 20min, 999ns},
    {"as a run ends", 20min, 20min - 1ns},
    {"a long run", 24h, 24h - 7ns},
    {"the longest that is exact", 24h * 50, 24h * 50 - 3ns},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const trace_times times{x.longest};
    const auto written = times.at(run_start + x.at);
    EXPECT_EQ(std::llround(written * 1'000), x.at.count());
    const auto whole = x.at.count() / 1'000;
    EXPECT_GE(written, static_cast<double>(whole));
  }
}

TEST(TraceTimes, AreAddedAndTakenOffWithoutRounding) {
  for (const duration longest : {duration{20min}, duration{24h}, duration{24h * 50}}) {
    const trace_times times{longest};
    // Steps that meet all places behind the point, up to the end.
    const duration step{longest / 500 + 7'919ns};
    const auto first = times.at(run_start + 1'111'111ns);
    for (auto from = run_start + 1'111'111ns; from.time_since_epoch() + step < longest;
         from += step) {
      const auto to = from + step / 3;
      SCOPED_TRACE(from.time_since_epoch().count());
      const auto dur = times.between(from, to);
      EXPECT_EQ(times.at(from) + dur, times.at(to));
      // As speedscope does it.
      EXPECT_EQ((times.at(from) - first) + dur, times.at(to) - first);
      EXPECT_EQ(std::llround(dur * 1'000), (to - from).count());
    }
  }
}

TEST(TraceTimes, AreNeverEarlierForWhoeverCutsOff) {
  const trace_times times{20min};
  for (std::int64_t i = 0; i < 2'000; ++i)
    EXPECT_EQ(static_cast<std::int64_t>(times.at(run_start + 700s + duration{i}) * 1'000),
              700'000'000'000 + i);
}

} // namespace
} // namespace spillover
