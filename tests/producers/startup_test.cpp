#include "producers/startup.hpp"

#include "tests/support/problem_fields.hpp"

#include <gtest/gtest.h>

#include <string>

namespace spillover {
namespace {

using namespace std::chrono_literals;

startup_probe_config custom(duration delay, duration period, std::uint32_t threshold) {
  auto result = custom_startup_probe();
  result.initial_delay = delay;
  result.period = period;
  result.failure_threshold = threshold;
  return result;
}

struct start_case {
  const char* why = "";
  startup_probe_config config = {};
  duration takes{};
  startup_result expected = {};
};

void expect_results(std::initializer_list<start_case> cases) {
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    ASSERT_EQ(validate(x.config), std::vector<std::string>{});
    EXPECT_EQ(probe_start(x.config, x.takes).ready, x.expected.ready);
    EXPECT_EQ(probe_start(x.config, x.takes).after.count(), x.expected.after.count());
  }
}

TEST(StartupProbe, GA_31_QuantisesTheEndOfAStart) {
  expect_results({
    {"the next probe sees it", custom_startup_probe(), 12s, {true, 20s}},
    {"TCP sees it at once", {}, 12s, {true, 12s}},
  });
}

TEST(StartupProbe, IsCustomEveryFewSeconds) {
  const auto slow = custom(5s, 10s, 3);
  expect_results({
    {"ready from the start", custom_startup_probe(), 0s, {true, 0s}},
    {"at a probe", custom_startup_probe(), 10s, {true, 10s}},
    {"just after one", custom_startup_probe(), 10s + 1ns, {true, 20s}},
    {"just after the first", custom_startup_probe(), 1ns, {true, 10s}},
    {"A-63: at the third, the last", custom_startup_probe(), 20s, {true, 20s}},
    {"too late for the third", custom_startup_probe(), 20s + 1ns, {false, 20s}},
    {"never", custom_startup_probe(), std::chrono::years{100}, {false, 20s}},
    {"not before the initial delay", slow, 2s, {true, 5s}},
    {"at the initial delay", slow, 5s, {true, 5s}},
    {"counted from the initial delay", slow, 6s, {true, 15s}},
    {"too late, from there", slow, 25s + 1ns, {false, 25s}},
    {"a single try", custom(7s, 240s, 1), 7s + 1ns, {false, 7s}},
  });
}

TEST(StartupProbe, IsOnTcpUntilItsTimeout) {
  const startup_probe_config gaps{
    .initial_delay = 5s, .period = 10s, .timeout = 3s, .failure_threshold = 2};
  expect_results({
    {"A-62: just in time", {}, 240s - 1ns, {true, 240s - 1ns}},
    {"at its timeout", {}, 240s, {false, 240s}},
    {"not before the initial delay", gaps, 1s, {true, 5s}},
    {"while the first probe tries", gaps, 7s, {true, 7s}},
    {"when its timeout is over", gaps, 8s, {true, 15s}},
    {"between two", gaps, 14s, {true, 15s}},
    {"while the second tries", gaps, 18s - 1ns, {true, 18s - 1ns}},
    {"when that is over", gaps, 18s, {false, 18s}},
    {"the next begins where the first ends",
     {.period = 240s, .timeout = 240s, .failure_threshold = 2},
     240s,
     {true, 240s}},
  });
}

/// Lets a start go on; `met` says what each look meets: `+`, `-`, `?` (silence), or `x` when the
/// instance will never be able to serve. @returns each look's time and what came of it.
std::string course(const startup_probe_config& x, duration takes, const std::string& met) {
  startup_course subject{x, takes};
  std::string result;
  for (const auto c : met) {
    result.append(result.empty() ? "" : ", ").append(to_string(subject.due())).append(" ");
    const auto answer = c == '-'   ? probe_result::refused
                        : c == '?' ? probe_result::silent
                                   : probe_result::answered;
    using enum startup_course::step;
    const auto step = c == 'x' ? subject.look_in_vain() : subject.look(answer);
    result.append(step == wait ? "wait" : step == ready ? "ready" : "failed");
    if (step != wait)
      break;
  }
  return result;
}

TEST(StartupCourse, A_65_GoesOnFromProbeToProbe) {
  const auto slow = custom(5s, 10s, 3);
  struct {
    const char* why = "";
    startup_probe_config config = {};
    duration takes{};
    std::string met = {};
    std::string expected = {};
  } const cases[] = {
    {"GA-31: well at the first probe that can see it", custom_startup_probe(), 12s, "+",
     "20s ready"},
    {"an illness costs a period", slow, 2s, "-+", "5s wait, 15s ready"},
    {"or all that are left", slow, 2s, "---", "5s wait, 15s wait, 25s failed"},
    {"silence fails the last one at its timeout", slow, 2s, "????",
     "5s wait, 15s wait, 25s wait, 26s failed"},
    {"late, and the last one fails", slow, 16s, "-", "25s failed"},
    {"too late", slow, 26s, "+", "25s failed"},
    {"an open port is enough for TCP", {}, 12s, "?", "12s ready"},
    {"that cannot open", {}, 12s, "xx", "12s wait, 4m failed"},
    {"never to serve, and the last probe knows", slow, 2s, "xx", "5s wait, 25s failed"},
    {"never to serve, found out at the last probe", slow, 16s, "x", "25s failed"},
    {"never to serve, and too late as well", slow, 26s, "x", "25s failed"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(course(x.config, x.takes, x.met), x.expected);
  }
}

TEST(StartupProbeConfig, IsCheckedFieldByField) {
  struct {
    const char* why;
    startup_probe_config config;
    std::vector<std::string> fields;
  } const cases[] = {
    {"defaults", {}, {}},
    {"defaults of a custom one", custom_startup_probe(), {}},
    {"ends", {.initial_delay = 240s, .period = 1s, .timeout = 1s, .failure_threshold = 600}, {}},
    {"A-62: 600 s in all", {.period = 240s, .failure_threshold = 3}, {"failure_threshold"}},
    {"and just below", {.period = 200s, .timeout = 200s, .failure_threshold = 3}, {}},
    {"no try", {.failure_threshold = 0}, {"failure_threshold"}},
    {"delay before the start", {.initial_delay = -1s}, {"initial_delay"}},
    {"delay too long", {.initial_delay = 241s}, {"initial_delay"}},
    {"half a second of delay", {.initial_delay = 500ms}, {"initial_delay"}},
    {"no period", {.period = 0s}, {"period", "timeout"}},
    {"period too long", {.period = 241s}, {"period"}},
    {"half a second more", {.period = 2500ms, .timeout = 1s}, {"period"}},
    {"timeout beyond the period", {.period = 239s}, {"timeout"}},
    {"no timeout", {.timeout = 0s}, {"timeout"}},
    {"half a second more of timeout", {.timeout = 1500ms}, {"timeout"}},
    {"timeout too long", {.timeout = 241s}, {"timeout"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(test::problem_fields(validate(x.config)), x.fields);
  }
}

TEST(StartupBoost, GA_30_RaisesTheCpuByATable) {
  struct {
    const char* why;
    double limit;
    double expected;
  } const cases[] = {
    {"the product's sizes", 1, 2},
    {"2", 2, 4},
    {"4", 4, 8},
    {"6", 6, 8},
    {"8", 8, 8},
    {"a fraction", 0.08, 2},
    {"half a vCPU", 0.5, 2},
    {"a size between two counts as the larger", 1.5, 4},
    {"3 as 4", 3, 8},
    {"larger than any: as it is", 9, 9},
    {"64", 64, 64},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(boosted_cpu(x.limit), x.expected);
  }
}

TEST(StartupBoost, EndsTenSecondsAfterTheStart) {
  const auto ready = run_start + 5s;
  EXPECT_TRUE(is_boosted(std::nullopt, run_start + 1h)) << "starts still";
  EXPECT_TRUE(is_boosted(ready, ready));
  EXPECT_TRUE(is_boosted(ready, ready + 10s - 1ns));
  EXPECT_FALSE(is_boosted(ready, ready + 10s));
}

// the means lie where they were measured.
TEST(ColdStartPresets, AreWhatWasPublished) {
  struct {
    const char* runtime;
    duration least_mean;
    duration most_mean;
    duration most;
  } const cases[] = {
    {"cpp", 50ms, 100ms, 300ms}, {"rust", 50ms, 100ms, 300ms},   {"go", 100ms, 150ms, 250ms},
    {"python", 1500ms, 2s, 3s},  {"nodejs", 2900ms, 3100ms, 7s}, {"model_server", 20s, 66s, 66s},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.runtime);
    const auto found = find_cold_start(x.runtime);
    ASSERT_TRUE(found);
    EXPECT_EQ(validate(*found), std::vector<std::string>{});
    EXPECT_GE(mean_of(*found), x.least_mean);
    EXPECT_LE(mean_of(*found), x.most_mean);
    EXPECT_EQ(std::get<lognormal_distribution>(*found).p99, x.most);
  }
  EXPECT_EQ(cold_start_presets().size(), std::size(cases)) << "one without a row";
  EXPECT_FALSE(find_cold_start("cobol"));
  EXPECT_FALSE(find_cold_start(""));
}

} // namespace
} // namespace spillover
