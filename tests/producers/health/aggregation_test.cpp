#include "producers/health/aggregation.hpp"

#include <gtest/gtest.h>

namespace spillover {
namespace {

using namespace std::chrono_literals;

constexpr auto H = health::healthy;
constexpr auto U = health::unhealthy;
constexpr auto K = health::unknown;

TEST(Aggregation, AnswersTheGoldenChecks) {
  struct {
    const char* why;
    aggregation_policy policy;
    std::uint32_t healthy;
    std::uint32_t total;
    health expected;
  } const cases[] = {
    {"GB-1: 50 % < 60 %", {}, 1, 2, U},
    {"GB-2", {}, 3, 5, H},
    {"GB-2", {}, 2, 3, H},
    {"GB-2", {}, 6, 10, H},
    {"GB-2", {}, 5, 10, U},
    {"scaled out: one still starting makes it 54.5 %", {}, 6, 11, U},
    {"GB-3", {75, 3}, 3, 4, H},
    {"GB-3", {75, 3}, 3, 3, H},
    {"GB-3: the count", {75, 3}, 2, 2, U},
    {"GB-3: 71.4 %", {75, 3}, 5, 7, U},
    {"GB-3", {75, 3}, 6, 8, H},
    {"GB-4: the count, not the share", {40, 2}, 1, 2, U},
    {"GB-5: any one is enough", {0, 1}, 1, 100, H},
    {"GB-5: nobody", {}, 0, 0, U},
    {"B-18: nobody, whatever the policy", {0, 1}, 0, 0, U},
    {"no overflow", {60, 1}, 4'000'000'000, 4'000'000'000, H},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(aggregate(x.policy, x.healthy, x.total), x.expected);
  }
}

TEST(Aggregation, C38_BoundariesOfTwoPolicies) {
  struct {
    const char* why;
    aggregation_policy policy;
    std::uint32_t healthy;
    std::uint32_t total;
    health expected;
  } const cases[] = {
    {"60 % of five", {}, 3, 5, H},
    {"40 %", {}, 2, 5, U},
    {"75 % of four, and three of them", {75, 3}, 3, 4, H},
    {"50 %", {75, 3}, 2, 4, U},
    {"66.7 %", {75, 3}, 2, 3, U},
    {"three are enough, 60 % is not", {75, 3}, 3, 5, U},
    {"80 % and four", {75, 3}, 4, 5, H},
    {"all of them, but there is one", {75, 3}, 1, 1, U},
    {"no share at all: one is enough", {0, 1}, 1, 5, H},
    {"and one must be", {0, 1}, 0, 5, U},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(aggregate(x.policy, x.healthy, x.total), x.expected);
  }
}

// What it means for consumers: FailoverRouter, with unknown_policy as_healthy (B-31).
TEST(Aggregation, C39_UnknownIsNeitherUnhealthyNorForgotten) {
  struct {
    const char* why;
    std::vector<health> sources;
    health expected;
  } const cases[] = {
    {"both are healthy", {H, H}, H},
    {"one of them is not known", {H, K}, K},
    {"what is unhealthy wins", {U, K}, U},
    {"alone", {K}, K},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(conjunction(x.sources), x.expected);
  }
}

TEST(Aggregation, NeededIsTheLeastHealthyCountThatIsEnough) {
  EXPECT_EQ(needed({}, 10), 6u) << "GB-10";
  EXPECT_EQ(needed({}, 3), 2u);
  EXPECT_EQ(needed({75, 3}, 7), 6u);
  for (std::uint32_t percent = 0; percent <= 100; ++percent)
    for (std::uint32_t total = 1; total <= 60; ++total)
      for (const std::uint32_t least : {1u, 3u}) {
        const aggregation_policy policy{percent, least};
        const auto enough = needed(policy, total);
        if (enough <= total) {
          ASSERT_EQ(aggregate(policy, enough, total), H) << percent << ' ' << total;
        }
        ASSERT_EQ(aggregate(policy, enough - 1, total), U) << percent << ' ' << total;
      }
}

TEST(Aggregation, GB_6_ConjunctionIsTheThreeValuedAnd) {
  struct {
    std::vector<health> sources;
    health expected;
  } const cases[] = {
    {{H, H}, H}, {{H, K}, K}, {{K, K}, K},    {{H, U}, U}, {{K, U}, U},
    {{U, U}, U}, {{H}, H},    {{H, K, U}, U}, {{K, H}, K}, {{}, K},
  };
  for (const auto& x : cases)
    EXPECT_EQ(conjunction(x.sources), x.expected);
}

TEST(HealthSource, GB_10_FlipsAtTheFifthUnhealthyOfTen) {
  health_source source{{}, run_start + 60s};
  for (int i = 0; i < 10; ++i)
    source.add(H);
  auto now = run_start;
  EXPECT_EQ(source.judge(now), (health_source::transition{K, H, 10, 10, 6}));
  for (int i = 0; i < 4; ++i) {
    source.change(H, U);
    EXPECT_EQ(source.judge(now += 1s), std::nullopt);
  }
  source.change(H, U);
  EXPECT_EQ(source.judge(now += 1s), (health_source::transition{H, U, 5, 10, 6}));
  EXPECT_EQ(source.judge(now += 1s), std::nullopt) << "only changes are told";
  source.change(U, H);
  EXPECT_EQ(source.judge(now += 1s), (health_source::transition{U, H, 6, 10, 6}));
}

TEST(HealthSource, FailsBecauseItScaledOut) {
  health_source source{{}, run_start};
  for (int i = 0; i < 10; ++i)
    source.add(i < 6 ? H : U);
  EXPECT_EQ(source.judge(run_start), (health_source::transition{K, H, 6, 10, 6}));
  source.add(U);
  EXPECT_EQ(source.judge(run_start + 1s), (health_source::transition{H, U, 6, 11, 7}));
  source.remove(U);
  EXPECT_EQ(source.judge(run_start + 2s), (health_source::transition{U, H, 6, 10, 6}));
}

TEST(HealthSource, B_19_IsUnknownUntilEveryEndpointHasAState) {
  health_source source{{}, run_start + 60s};
  source.add(H);
  source.add(K);
  EXPECT_EQ(source.judge(run_start + 10s), std::nullopt);
  EXPECT_EQ(source.state(), K);
  source.change(K, U);
  EXPECT_EQ(source.judge(run_start + 11s), (health_source::transition{K, U, 1, 2, 2}));
}

TEST(HealthSource, B_19_IsKnownWhenTheWarmUpEnds) {
  health_source source{{}, run_start + 60s};
  source.add(H);
  source.add(K);
  EXPECT_EQ(source.judge(run_start + 60s - 1ns), std::nullopt);
  EXPECT_EQ(source.judge(run_start + 60s), (health_source::transition{K, U, 1, 2, 2}));
}

TEST(HealthSource, B_19_IsNeverUnknownAgain) {
  health_source source{{}, run_start + 60s};
  source.add(H);
  EXPECT_TRUE(source.judge(run_start));
  source.add(K);
  EXPECT_EQ(source.judge(run_start + 1s), (health_source::transition{H, U, 1, 2, 2}));
}

TEST(AggregationPolicy, IsCheckedFieldByField) {
  EXPECT_TRUE(validate(aggregation_policy{}).empty());
  EXPECT_TRUE(validate(aggregation_policy{100, 1}).empty());
  EXPECT_EQ(validate(aggregation_policy{101, 0}).size(), 2u);
}

TEST(PropagationConfig, IsCheckedFieldByField) {
  EXPECT_TRUE(validate(propagation_config{}).empty());
  EXPECT_TRUE(validate(propagation_config{1ms, 0s, 0s, 0s, 1s, 0s}).empty());
  EXPECT_EQ(validate(propagation_config{0s, -1ns, -1ns, -1ns, 999ms, -1ns}).size(), 6u);
  EXPECT_EQ(validate(propagation_config{.aggregation_tick = 61s}).size(), 1u);
}

} // namespace
} // namespace spillover
