#include "producers/health/health_check.hpp"

#include "tests/support/problem_fields.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace spillover {
namespace {

using namespace std::chrono_literals;

char letter(health x) {
  return to_string(x)[0] == 'U' && x == health::unknown ? '?' : to_string(x)[0];
}

/// What the tracker thinks after each result; '0+' is a success seen by prober 0.
std::string states(const health_check_config& config, health initial, std::string_view results) {
  endpoint_tracker tracker{config, initial};
  std::string result;
  for (std::size_t i = 0; i + 1 < results.size(); i += 2) {
    const auto before = tracker.state();
    const auto change =
      tracker.observe(static_cast<std::uint32_t>(results[i] - '0'), results[i + 1] == '+');
    EXPECT_EQ(change.has_value(), before != tracker.state());
    if (change) {
      EXPECT_EQ(change->before, before);
      EXPECT_EQ(change->after, tracker.state());
      EXPECT_GE(change->agreeing, quorum_of(config));
    }
    result += letter(tracker.state());
  }
  return result;
}

TEST(EndpointTracker, NeedsThresholdsInARowAndEnoughProbers) {
  const health_check_config one{.probers = 1};
  const health_check_config fast{.healthy_threshold = 1, .unhealthy_threshold = 3, .probers = 1};
  const health_check_config three{};
  const health_check_config any{.healthy_threshold = 1, .unhealthy_threshold = 1, .quorum = 1};
  const health_check_config all{.healthy_threshold = 1, .unhealthy_threshold = 1, .quorum = 3};
  struct {
    const char* why;
    const health_check_config& config;
    health initial;
    const char* results;
    const char* expected;
  } const cases[] = {
    {"unknown until a threshold is met", one, health::unknown, "0+0+", "?H"},
    {"either threshold", one, health::unknown, "0-0-", "?U"},
    {"B-36: the opposite result starts the count anew", one, health::unknown, "0+0-0+0+", "???H"},
    {"a lone failure changes nothing", one, health::unknown, "0+0+0-0+0-0-", "?HHHHU"},
    {"B-38: unhealthy from the start", one, health::unhealthy, "0-0-0+0+", "UUUH"},
    {"thresholds of its own", fast, health::unhealthy, "0+0-0-0+0-0-0-0+", "HHHHHHUH"},
    {"two of three", three, health::unhealthy, "0+1+2+0+1+2+", "UUUUHH"},
    {"one prober alone is not enough", three, health::unhealthy, "0+0+0+0+0+", "UUUUU"},
    {"interleaved streaks do not break each other", three, health::unhealthy, "0+1-0+1+2-1+",
     "UUUUUH"},
    {"any one", any, health::unhealthy, "1+0-1-", "HHU"},
    {"all", all, health::unhealthy, "0+1+2+0-", "UUHH"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(states(x.config, x.initial, x.results), x.expected);
  }
}

TEST(EndpointTracker, TellsHowManyProbersAgree) {
  endpoint_tracker tracker{{.healthy_threshold = 1, .probers = 5}, health::unhealthy};
  EXPECT_FALSE(tracker.observe(4, true));
  EXPECT_FALSE(tracker.observe(0, true));
  EXPECT_EQ(tracker.observe(2, true),
            (endpoint_tracker::transition{health::unhealthy, health::healthy, 3}));
  EXPECT_FALSE(tracker.observe(1, true)) << "a fourth changes nothing";
}

TEST(HealthCheckConfig, QuorumIsTheMajorityUnlessSet) {
  EXPECT_EQ(quorum_of({.probers = 1}), 1u);
  EXPECT_EQ(quorum_of({.probers = 2}), 2u);
  EXPECT_EQ(quorum_of({.probers = 3}), 2u);
  EXPECT_EQ(quorum_of({.probers = 10}), 6u);
  EXPECT_EQ(quorum_of({.probers = 10, .quorum = 1}), 1u);
}

TEST(HealthCheckConfig, IsCheckedFieldByField) {
  struct {
    const char* why;
    health_check_config config;
    std::vector<std::string> fields;
  } const cases[] = {
    {"defaults", {}, {}},
    {"a timeout above the interval", {.interval = 4s}, {"timeout"}},
    {"too often", {.interval = 999ms, .timeout = 500ms}, {"interval"}},
    {"too rare", {.interval = 301s}, {"interval"}},
    {"no timeout", {.timeout = 0s}, {"timeout", "response_time"}},
    {"thresholds",
     {.healthy_threshold = 0, .unhealthy_threshold = 11},
     {"healthy_threshold", "unhealthy_threshold"}},
    {"probers", {.probers = 33}, {"probers"}},
    {"nobody probes", {.probers = 0}, {"probers"}},
    {"a quorum beyond them", {.quorum = 4}, {"quorum"}},
    {"a healthy instance that times out", {.response_time = 5s}, {"response_time"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(test::problem_fields(validate(x.config)), x.fields);
  }
}

} // namespace
} // namespace spillover
