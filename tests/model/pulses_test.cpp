#include "model/pulses.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;

/// Steps after the onset up to 100 s, those at which the fault goes and comes in turn.
std::vector<duration> steps(std::optional<flapping> flap, std::optional<duration> lasts) {
  const fault x{.at = run_start + 10s, .lasts = lasts, .what = quota_fault{}, .flap = flap};
  std::vector<duration> result;
  bool lies = true;
  for (auto at = next_pulse(x, x.at, lies); at && *at <= run_start + 100s;
       at = next_pulse(x, *at, lies)) {
    result.push_back(at->time_since_epoch());
    lies = !lies;
  }
  return result;
}

TEST(NextPulse, LiesForPartOfEveryPeriodUntilItsEnd) {
  struct {
    const char* why;
    std::optional<flapping> flap;
    std::optional<duration> lasts;
    std::vector<duration> expected;
  } const cases[] = {
    {"a steady fault has no pulses", std::nullopt, 60s, {}},
    {"5 s of every 20 s", flapping{20s, 5s}, 50s, {15s, 30s, 35s, 50s, 55s}},
    {"an end in a pause leaves it off", flapping{20s, 5s}, 38s, {15s, 30s, 35s}},
    {"an end while it lies is no pulse", flapping{20s, 5s}, 43s, {15s, 30s, 35s, 50s}},
    {"it does not come at its end", flapping{20s, 5s}, 40s, {15s, 30s, 35s}},
    {"nor go at its end", flapping{20s, 5s}, 5s, {}},
    {"over before its first pulse ends", flapping{20s, 5s}, 1s, {}},
    {"to the end of the run", flapping{40s, 10s}, std::nullopt, {20s, 50s, 60s, 90s, 100s}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(steps(x.flap, x.lasts), x.expected);
  }
}

} // namespace
} // namespace spillover
