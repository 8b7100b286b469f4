#include "producers/health/detection_time.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;

void expect_range(const time_range& x, double least, double mean, double most) {
  EXPECT_DOUBLE_EQ(seconds_of(x.least), least);
  EXPECT_DOUBLE_EQ(seconds_of(x.most), most);
  EXPECT_NEAR(seconds_of(x.mean), mean, 1e-6);
}

/// How long one endpoint takes, in seconds.
struct detected {
  const char* why = "";
  health_check_config check = {};
  probe_result result = probe_result::refused;
  double least = 0;
  double mean = 0;
  double most = 0;
};

void expect_detected(std::span<const detected> cases) {
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    expect_range(endpoint_detection(x.check, x.result), x.least, x.mean, x.most);
  }
}

TEST(DetectionTime, OfOneEndpointIsAsTheRulesSay) {
  const auto refused = probe_result::refused;
  const auto silent = probe_result::silent;
  const auto answered = probe_result::answered;
  const detected cases[] = {
    {"GB-11: one prober, refused", {.probers = 1}, refused, 5, 7.5, 10},
    {"GB-12: one prober, silent", {.probers = 1}, silent, 10, 12.5, 15},
    {"GB-13: refused", {.interval = 1s, .timeout = 1s, .probers = 1}, refused, 1, 1.5, 2},
    {"GB-13: silent", {.interval = 1s, .timeout = 1s, .probers = 1}, silent, 2, 2.5, 3},
    {"GB-14",
     {.interval = 10s, .timeout = 5s, .unhealthy_threshold = 3, .probers = 1},
     silent,
     25,
     30,
     35},
    {"GB-15: 3 probers, majority", {}, refused, 5, 7.5, 10},
    {"GB-16: 10 probers, quorum 1", {.probers = 10, .quorum = 1}, refused, 5, 5 + 5.0 / 11, 10},
    {"B-40: the last of 3 probers", {.probers = 3, .quorum = 3}, refused, 5, 8.75, 10},
    {"B-39: back after 3 answers",
     {.healthy_threshold = 3, .probers = 1, .response_time = 100ms},
     answered,
     10.1,
     12.6,
     15.1},
    {"the first result decides", {.unhealthy_threshold = 1, .probers = 1}, refused, 0, 2.5, 5},
  };
  expect_detected(cases);
}

TEST(DetectionTime, OfOtherChecksIsAsTheirPausesSay) {
  const auto refused = probe_result::refused;
  const auto silent = probe_result::silent;
  const auto answered = probe_result::answered;
  const detected cases[] = {
    {"C50: 3 x 30 s, refused",
     {.interval = 30s, .unhealthy_threshold = 3, .probers = 1},
     refused,
     60,
     75,
     90},
    {"C50: back after 2",
     {.interval = 30s, .probers = 1, .response_time = 0s},
     answered,
     30,
     45,
     60},
    {"C50: 3 x 10 s, refused",
     {.interval = 10s, .unhealthy_threshold = 3, .probers = 1},
     refused,
     20,
     25,
     30},
    {"C50: back after 2 x 10 s",
     {.interval = 10s, .probers = 1, .response_time = 0s},
     answered,
     10,
     15,
     20},
    {"C63: an error decides",
     {.unhealthy_threshold = 3, .probers = 1, .error_decides = true},
     probe_result::failed,
     0,
     2.5,
     5},
    {"C63: a refusal does not",
     {.unhealthy_threshold = 3, .probers = 1, .error_decides = true},
     refused,
     10,
     12.5,
     15},
    {"Envoy's edge, from the end of each probe",
     {.timeout = 1s,
      .unhealthy_threshold = 3,
      .probers = 1,
      .response_time = 0s,
      .unhealthy_edge_interval = 500ms},
     silent,
     4,
     6.5,
     9},
    {"Envoy's unhealthy interval, and the other edge",
     {.healthy_threshold = 3,
      .probers = 1,
      .response_time = 0s,
      .unhealthy_interval = 1s,
      .healthy_edge_interval = 250ms},
     answered,
     0.5,
     1,
     1.5},
  };
  expect_detected(cases);
}

// Expected phases by exact integration of the polynomials, with fractions.
TEST(DetectionTime, OfAGroupIsAnOrderStatisticOfOrderStatistics) {
  const struct {
    const char* why;
    std::uint32_t probers;
    std::uint32_t quorum;
    std::uint32_t turning;
    std::uint32_t changing;
    double phase;
  } cases[] = {
    {"one prober: k / (f + 1), GB-17", 1, 1, 5, 10, 5.0 / 11},
    {"all of five", 3, 2, 5, 5, 0.7607392607392608},
    {"the middle of ten", 3, 2, 5, 10, 0.46844907996137036},
    {"the first of four", 3, 2, 1, 4, 0.26713286713286716},
    {"five probers", 5, 3, 2, 4, 0.4400754044716893},
    {"any prober", 3, 1, 3, 4, 0.2879120879120879},
    {"the last of everything: 10 / 11", 5, 5, 2, 2, 10.0 / 11},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const health_check_config check{.probers = x.probers, .quorum = x.quorum};
    expect_range(group_detection(check, probe_result::silent, x.turning, x.changing), 10,
                 10 + 5 * x.phase, 15);
  }
}

TEST(DetectionTime, AllOfFiveSilentTakeAlmostFourteenSeconds) {
  const auto x = source_detection({}, probe_result::silent, {}, 5, 10);
  ASSERT_TRUE(x);
  EXPECT_NEAR(seconds_of(x->mean), 13.80, 0.005);
}

TEST(DetectionTime, OfThousandsOfEndpointsNearsTheirQuantile) {
  // Of 5000 of 10,000 endpoints with 3 probers, the median of the middle one's phase is 1/2 by
  // symmetry, and so nearly is its mean.
  const auto x = group_detection({}, probe_result::refused, 5000, 10'000);
  EXPECT_NEAR(seconds_of(x.mean), 7.5, 1e-3);
  // Symmetry holds exactly for the two middle ones together.
  const auto next = group_detection({}, probe_result::refused, 5001, 10'000);
  EXPECT_NEAR(seconds_of(x.mean) + seconds_of(next.mean), 15, 2e-6);
}

TEST(DetectionTime, GrowsWithWhatIsWaitedFor) {
  const health_check_config check;
  for (std::uint32_t changing = 1; changing <= 12; ++changing)
    for (std::uint32_t turning = 1; turning < changing; ++turning)
      EXPECT_LT(group_detection(check, probe_result::refused, turning, changing).mean,
                group_detection(check, probe_result::refused, turning + 1, changing).mean);
}

TEST(DetectionTime, OfASourceCountsWhatItsPolicyNeeds) {
  const struct {
    const char* why;
    aggregation_policy policy;
    std::uint32_t failing;
    std::uint32_t total;
    std::uint32_t turning; // 0: never
  } cases[] = {
    {"GB-10: of 10 the 5th", {}, 10, 10, 5},
    {"four are too few", {}, 4, 10, 0},
    {"five of five", {}, 5, 10, 5},
    {"the count decides", {.healthy_percent_threshold = 0, .min_healthy_threshold = 3}, 4, 4, 2},
    {"a single endpoint", {}, 1, 1, 1},
    {"at 0 % and 1 the last one",
     {.healthy_percent_threshold = 0, .min_healthy_threshold = 1},
     8,
     8,
     8},
    {"unhealthy already", {.healthy_percent_threshold = 0, .min_healthy_threshold = 9}, 4, 4, 0},
    {"none fails", {}, 0, 4, 0},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto result = source_detection({}, probe_result::silent, x.policy, x.failing, x.total);
    ASSERT_EQ(result.has_value(), x.turning != 0);
    if (!result)
      continue;
    EXPECT_EQ(*result, group_detection({}, probe_result::silent, x.turning, x.failing));
  }
}

TEST(DetectionTime, TheTailIsAggregationPropagationAndApply) {
  const propagation_config defaults;
  expect_range(aggregation_time(defaults), 0, 0.5, 1);
  expect_range(propagation_time(defaults), 2, 2.5, 3);
  expect_range(propagation_time(defaults, 4), 2, 2.8, 3);
  expect_range(propagation_time({.propagation = 1s, .propagation_jitter = 0s}, 9), 1, 1, 1);
}

TEST(DetectionTime, GB_17_BoundsOfTheWholeWay) {
  const propagation_config defaults;
  const auto refused = endpoint_detection({}, probe_result::refused);
  const auto silent = endpoint_detection({}, probe_result::silent);
  expect_range(failover_time(refused, defaults), 8, 7.5 + 4, 15);
  expect_range(failover_time(silent, defaults), 13, 12.5 + 4, 20);
  expect_range(failover_time(silent, defaults, 3), 13, 12.5 + 4.25, 20);
}

TEST(DetectionTime, ALostStateWaitsForItsRepetition) {
  const propagation_config every_ten;
  expect_range(resend_time(every_ten, 0), 0, 0, 0);
  // Half of the states are lost; of those half wait 5 s, and each further loss costs 10 s:
  // 1/2 (5 + 10 (1/2 + 1/4 + ...)).
  expect_range(resend_time(every_ten, 0.5), 0, 7.5, 10);
}

TEST(DetectionTime, TheLastRequestComesBeforeTheNewRoute) {
  const propagation_config defaults;
  // 40 a second: on average 25 ms before, and almost surely not before the news.
  expect_range(route_time(defaults, 40), 0, 0.975, 1);
  // One a second: 1 - (1 - 1/e).
  expect_range(route_time(defaults, 1), 0, std::exp(-1.0), 1);
  expect_range(route_time({.apply = 0s}, 40), 0, 0, 0);
}

} // namespace
} // namespace spillover
