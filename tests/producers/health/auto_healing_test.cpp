#include "producers/health/auto_healing.hpp"

#include "tests/support/problem_fields.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;

/// One thing that happens to an instance: it starts (s), is found unhealthy (-) or healthy (+), ends by
/// itself (e), or its delay may be over (d).
struct step {
  duration at{};
  char what = 's';
};

/// @returns the seconds at which it is made anew.
std::vector<std::int64_t> orders(duration initial_delay, const std::vector<step>& steps) {
  auto_healing subject{initial_delay};
  std::vector<std::int64_t> result;
  for (const auto& x : steps) {
    const auto now = run_start + x.at;
    bool anew = false;
    switch (x.what) {
      case 's': EXPECT_EQ(subject.begins(3, now), now + initial_delay); break;
      case '-': anew = subject.judged(3, now, health::unhealthy); break;
      case 'e': subject.ended(3); break;
      case '+': anew = subject.judged(3, now, health::healthy); break;
      default: anew = subject.delay_ended(3, now);
    }
    if (anew)
      result.push_back(x.at / 1s);
  }
  return result;
}

TEST(AutoHealing, B_67_MakesUnhealthyInstancesAnewAfterTheirInitialDelay) {
  struct {
    const char* why;
    duration delay;
    std::vector<step> steps;
    std::vector<std::int64_t> expected;
  } const cases[] = {
    {"without a delay at once", 0s, {{0s, 's'}, {10s, '-'}}, {10}},
    {"a failure within the delay waits for its end",
     60s,
     {{0s, 's'}, {10s, '-'}, {60s, 'd'}},
     {60}},
    {"one that passed by then is left alone",
     60s,
     {{0s, 's'}, {10s, '-'}, {50s, '+'}, {60s, 'd'}},
     {}},
    {"a first success ends the delay", 60s, {{0s, 's'}, {10s, '+'}, {20s, '-'}, {60s, 'd'}}, {20}},
    {"the instant of the end is past it", 60s, {{0s, 's'}, {60s, '-'}}, {60}},
    {"a timer of an earlier start does not count",
     60s,
     {{0s, 's'}, {30s, 's'}, {40s, '-'}, {60s, 'd'}, {90s, 'd'}},
     {90}},
    {"once for each start",
     0s,
     {{0s, 's'}, {10s, '-'}, {12s, '+'}, {20s, '-'}, {30s, 's'}, {40s, '-'}},
     {10, 40}},
    {"again and again while it never gets well",
     20s,
     {{0s, 's'}, {10s, '-'}, {20s, 'd'}, {20s, 's'}, {30s, '-'}, {40s, 'd'}},
     {20, 40}},
    {"what is gone already is not ended", 0s, {{0s, 's'}, {5s, 'e'}, {10s, '-'}}, {}},
    {"nor at the end of its delay", 20s, {{0s, 's'}, {5s, 'e'}, {10s, '-'}, {20s, 'd'}}, {}},
    {"until it starts again", 0s, {{0s, 's'}, {5s, 'e'}, {10s, '-'}, {15s, 's'}, {25s, '-'}}, {25}},
    {"healthy ones stay", 0s, {{0s, 's'}, {10s, '+'}, {10s, 'd'}}, {}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(orders(x.delay, x.steps), x.expected);
  }
}

TEST(AutoHealing, IsCheckedFieldByField) {
  struct {
    const char* why;
    auto_healing_config config;
    std::vector<std::string> fields;
  } const cases[] = {
    {"defaults", {}, {}},
    {"an hour", {.initial_delay = 3600s, .health_check = {}}, {}},
    {"more", {.initial_delay = 3601s, .health_check = {}}, {"initial_delay"}},
    {"half a second", {.initial_delay = 500ms, .health_check = {}}, {"initial_delay"}},
    {"its check", {.health_check = {.probers = 0}}, {"health_check.probers"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(test::problem_fields(validate(x.config)), x.fields);
  }
}

} // namespace
} // namespace spillover
