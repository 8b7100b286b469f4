#include "producers/health/liveness.hpp"

#include "tests/support/problem_fields.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace spillover {
namespace {

using namespace std::chrono_literals;

/// What each step makes of a probe, one letter a step. Steps: '+' success, '-' failure, 's' the startup
/// probe passes, 'b' the container starts anew. States: '.' off, 'o' on, 'R' restarts.
std::string states(const liveness_probe_config& config, std::string_view steps) {
  liveness_probe subject{config};
  std::string result;
  for (const auto step : steps) {
    auto restarts = false;
    if (step == 's')
      subject.startup_passed(run_start);
    else if (step == 'b')
      subject.startup_began();
    else
      restarts = subject.observe(step == '+');
    const auto is_on = subject.next_probe() != never;
    EXPECT_FALSE(restarts && is_on);
    result += restarts ? 'R' : is_on ? 'o' : '.';
  }
  return result;
}

TEST(LivenessProbe, RestartsAfterFailuresInARow) {
  struct {
    const char* why;
    std::uint32_t threshold;
    const char* steps;
    const char* expected;
  } const cases[] = {
    {"A-63: the third in a row", 3, "s---", "oooR"},
    {"a success breaks the row", 3, "s--+--+---", "oooooooooR"},
    {"the first", 1, "s+-", "ooR"},
    {"A-64: off before the first start is over", 1, "--s-", "..oR"},
    {"off after the restart, until that is over", 1, "s-----s+-", "oR....ooR"},
    {"a restart forgets earlier failures", 2, "s-bs--", "oo.ooR"},
    {"its own restart, too", 2, "s--s--", "ooRooR"},
    {"off when the container ends", 1, "s+b-+", "oo..."},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(states(liveness_probe_config{.failure_threshold = x.threshold}, x.steps), x.expected);
  }
}

TEST(LivenessProbe, ProbesFromTheEndOfTheStartOn) {
  liveness_probe subject{{.initial_delay = 7s, .period = 20s, .failure_threshold = 2}};
  EXPECT_EQ(subject.next_probe(), never);
  subject.startup_passed(run_start + 100ms);
  std::vector<duration> probes;
  for (const auto success : {true, false, true}) {
    probes.push_back(subject.next_probe() - run_start);
    EXPECT_FALSE(subject.observe(success));
  }
  EXPECT_EQ(probes, (std::vector<duration>{7100ms, 27100ms, 47100ms}));
  EXPECT_FALSE(subject.observe(false));
  EXPECT_TRUE(subject.observe(false));
  EXPECT_EQ(subject.next_probe(), never);
  subject.startup_passed(run_start + 200s);
  EXPECT_EQ(subject.next_probe(), run_start + 207s) << "the delay holds after a restart, too";
}

TEST(LivenessProbe, EndsTheRequestsOfItsInstanceWith503) {
  EXPECT_EQ(to_string(liveness_failure_outcome), "unavailable");
}

/// As above; states: 'T' takes new requests, 'n' does not, '.' off.
std::string states(const readiness_probe_config& config, std::string_view steps) {
  readiness_probe subject{config};
  std::string result;
  for (const auto step : steps) {
    const auto before = subject.takes_requests();
    if (step == 's') {
      subject.startup_passed(run_start);
    } else if (step == 'b') {
      subject.startup_began();
    } else {
      const auto change = subject.observe(step == '+');
      EXPECT_EQ(change.has_value(), subject.takes_requests() != before);
      EXPECT_EQ(change.value_or(before), subject.takes_requests());
    }
    if (subject.next_probe() == never) {
      EXPECT_FALSE(subject.takes_requests());
      result += '.';
    } else {
      result += subject.takes_requests() ? 'T' : 'n';
    }
  }
  return result;
}

TEST(ReadinessProbe, KeepsNewRequestsAwayAndBringsThemBack) {
  const readiness_probe_config quick{.failure_threshold = 1, .success_threshold = 1};
  const readiness_probe_config slow{.failure_threshold = 2, .success_threshold = 3};
  struct {
    const char* why;
    const readiness_probe_config& config;
    const char* steps;
    const char* expected;
  } const cases[] = {
    {"A-64: takes requests before the first result", {}, "s", "T"},
    {"A-63: the third failure", {}, "s---", "TTTn"},
    {"a success breaks the row", {}, "s--+--+---", "TTTTTTTTTn"},
    {"the second success", {}, "s---++", "TTTnnT"},
    {"a failure breaks that row", {}, "s---+-++", "TTTnnnnT"},
    {"failures count anew afterwards", {}, "s---++---", "TTTnnTTTn"},
    {"it is never stopped", {}, "s---------", "TTTnnnnnnn"},
    {"every result", quick, "s-+-", "TnTn"},
    {"thresholds of its own", slow, "s--++-+++", "TTnnnnnnT"},
    {"off before the start is over", quick, "+-s", "..T"},
    {"off while it starts again, and open afterwards", quick, "s-b+-s", "Tn...T"},
    {"a restart forgets earlier failures", slow, "s-bs--", "TT.TTn"},
    {"and earlier successes", slow, "s--++bs--+++", "TTnnn.TTnnnT"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(states(x.config, x.steps), x.expected);
  }
}

TEST(ReadinessProbe, ProbesAtOnceAndThenEveryPeriod) {
  readiness_probe subject{{.period = 15s}};
  EXPECT_FALSE(subject.takes_requests());
  subject.startup_passed(run_start + 3s);
  EXPECT_EQ(subject.next_probe(), run_start + 3s);
  subject.observe(true);
  EXPECT_EQ(subject.next_probe(), run_start + 18s);
  subject.observe(false);
  EXPECT_EQ(subject.next_probe(), run_start + 33s);
}

TEST(LivenessProbeConfig, IsCheckedFieldByField) {
  struct {
    const char* why;
    liveness_probe_config config;
    std::vector<std::string> fields;
  } const cases[] = {
    {"defaults", {}, {}},
    {"the longest", {.initial_delay = 3600s, .period = 3600s, .timeout = 3600s}, {}},
    {"the shortest", {.period = 1s}, {}},
    {"delay before the start", {.initial_delay = -1s}, {"initial_delay"}},
    {"delay too long", {.initial_delay = 3601s}, {"initial_delay"}},
    {"half a second of delay", {.initial_delay = 500ms}, {"initial_delay"}},
    {"no period", {.period = 0s}, {"period", "timeout"}},
    {"period too long", {.period = 3601s}, {"period"}},
    {"half a second more", {.period = 2500ms}, {"period"}},
    {"no timeout", {.timeout = 0s}, {"timeout"}},
    {"timeout too long", {.period = 3600s, .timeout = 3601s}, {"timeout"}},
    {"timeout beyond the period", {.timeout = 11s}, {"timeout"}},
    {"no failure needed", {.failure_threshold = 0}, {"failure_threshold"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(test::problem_fields(validate(x.config)), x.fields);
  }
}

TEST(ReadinessProbeConfig, IsCheckedFieldByField) {
  struct {
    const char* why;
    readiness_probe_config config;
    std::vector<std::string> fields;
  } const cases[] = {
    {"defaults", {}, {}},
    {"the longest", {.period = 3600s, .timeout = 3600s}, {}},
    {"no period", {.period = 0s}, {"period", "timeout"}},
    {"period too long", {.period = 3601s}, {"period"}},
    {"timeout beyond the period", {.timeout = 11s}, {"timeout"}},
    {"half a second more of timeout", {.timeout = 1500ms}, {"timeout"}},
    {"nothing needed",
     {.failure_threshold = 0, .success_threshold = 0},
     {"failure_threshold", "success_threshold"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(test::problem_fields(validate(x.config)), x.fields);
  }
}

} // namespace
} // namespace spillover
