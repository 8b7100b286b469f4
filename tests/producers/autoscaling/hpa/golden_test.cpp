#include "tests/producers/autoscaling/hpa/hpa_world.hpp"

namespace {

using namespace spillover;
using namespace spillover::hpa;
using namespace std::chrono_literals;

constexpr auto newer = generation::newer;
constexpr auto older = generation::older;

std::string same_pods(std::int32_t count, std::int64_t percent) {
  std::string words;
  for (std::int32_t i = 0; i < count; ++i)
    words.append(std::to_string(percent)).append(" ");
  return words;
}

/// What a metric at `level` asks for, by where it comes from: pods that all use the same percent; pods
/// that all show the same number; a number of an object; a number from outside for all pods together.
std::vector<std::int32_t> asked_of_each_source(std::int32_t replicas, std::int64_t level,
                                               std::int64_t target, generation follows) {
  const auto fleet = fleet_of(same_pods(replicas, level));
  const auto seen = fleet.seen(replicas);
  auto x = cpu_settings(target, follows);
  std::vector<std::int32_t> result;
  const auto ask = [&](const pod_reading& reading) {
    result.push_back(propose(steady, x, x.metrics[0], seen, reading).replicas);
  };
  ask(fleet.reading());
  x.metrics = {{metric_source::pods, "requests", target_type::average_value, target * 10}};
  ask(fleet.reading());
  x.metrics = {{metric_source::object, "requests", target_type::value, target}};
  ask({.value = level});
  x.metrics = {{metric_source::external, "queue", target_type::average_value, target}};
  ask({.value = level * replicas});
  return result;
}

void expect_asked(std::int32_t replicas, std::int64_t level, std::int64_t target,
                  std::int32_t expected, generation follows = newer) {
  EXPECT_EQ(asked_of_each_source(replicas, level, target, follows),
            (std::vector<std::int32_t>{expected, expected, expected, expected}));
}

TEST(HpaGolden, GE_1_TwiceTheTargetDoubles) {
  expect_asked(4, 200, 100, 8);
}

TEST(HpaGolden, GE_2_HalfTheTargetHalves) {
  expect_asked(4, 50, 100, 2);
}

TEST(HpaGolden, GE_3_TenPercentAboveIsWithinTheToleranceOfTheNewerCodeOnly) {
  expect_asked(10, 66, 60, 10, newer);
  expect_asked(10, 66, 60, 11, older);
}

TEST(HpaGolden, GE_4_MoreThanTenPercentAboveScalesUp) {
  expect_asked(10, 67, 60, 12, newer);
  expect_asked(10, 67, 60, 12, older);
}

TEST(HpaGolden, GE_5_TenPercentBelowIsWithinTheToleranceOfBoth) {
  expect_asked(10, 54, 60, 10, newer);
  expect_asked(10, 54, 60, 10, older);
}

TEST(HpaGolden, GE_6_MoreThanTenPercentBelowScalesDown) {
  expect_asked(10, 53, 60, 9, newer);
  expect_asked(10, 53, 60, 9, older);
}

TEST(HpaGolden, GE_7_WhatIsNotWholeIsRoundedUp) {
  expect_asked(3, 90, 60, 5);
}

TEST(HpaGolden, GE_8_ALittleAboveTheTargetChangesNothing) {
  expect_asked(1, 61, 60, 1);
}

TEST(HpaGolden, GE_9_DefaultsAllowFourPodsOrTwiceAsMany) {
  struct {
    const char* why;
    std::int32_t present;
    std::int32_t most;
  } const cases[] = {
    {"4 pods are more than 100 % of 1", 1, 5},
    {"4 pods are 100 % of 4", 4, 8},
    {"100 % of 5 are more than 4 pods", 5, 10},
    {"100 % of 10", 10, 20},
  };
  settings x;
  x.behavior.emplace();
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    scripted subject{x};
    const auto said = subject.decide(run_start, c.present, 90);
    EXPECT_EQ(said.desired, c.most);
    EXPECT_EQ(said.rate_limit, c.most);
    EXPECT_EQ(said.bounded_by, limit::scale_up_limit);
  }
}

TEST(HpaGolden, GE_10_WithoutABehaviorItGoesToFourOrTwiceAsMany) {
  struct {
    const char* why;
    std::int32_t present;
    std::int32_t most;
  } const cases[] = {
    {"4 is more than twice 1", 1, 4},
    {"twice 3 is more than 4", 3, 6},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    scripted subject{{}};
    const auto said = subject.decide(run_start, c.present, 90);
    EXPECT_EQ(said.desired, c.most);
    EXPECT_EQ(said.bounded_by, limit::scale_up_limit);
  }
}

settings down_by_a_tenth_a_minute(generation follows) {
  auto x = free_settings(follows);
  x.behavior->scale_down.policies = {{policy_type::percent, 10, 60s}};
  return x;
}

TEST(HpaGolden, GE_11_ATenthOfWhatThePeriodBeganWithMayGo) {
  for (const auto follows : {newer, older}) {
    scripted subject{down_by_a_tenth_a_minute(follows)};
    EXPECT_EQ(subject.decide(run_start, 80, 1).desired, 72);
    EXPECT_EQ(subject.decide(run_start + 60s, 72, 1).desired, 64) << "a new period";
  }
}

TEST(HpaGolden, GE_12_WhatWentInThisPeriodCounts) {
  for (const auto follows : {newer, older}) {
    scripted subject{down_by_a_tenth_a_minute(follows)};
    EXPECT_EQ(subject.decide(run_start, 80, 1).desired, 72);
    const auto said = subject.decide(run_start + 59s, 72, 1);
    EXPECT_EQ(said.desired, 72);
    EXPECT_EQ(said.rate_limit, 72);
    EXPECT_EQ(said.bounded_by, limit::scale_down_limit);
  }
}

/// Proposals 7, 5, 9 while there are `present` replicas, then `proposed`, all within the windows; the
/// number of replicas at the start lies before them.
decision after_seven_five_nine(const stabilization& windows, std::int32_t present,
                               std::int32_t proposed, generation follows = newer) {
  auto x = free_settings(follows);
  x.behavior->scale_up.stabilization_window = windows.up;
  x.behavior->scale_down.stabilization_window = windows.down;
  scripted subject{x};
  subject.decide(run_start, present, present);
  auto now = run_start + 10min;
  for (const auto recent : {7, 5, 9}) {
    subject.decide(now, present, recent);
    now += 15s;
  }
  return subject.decide(now, present, proposed);
}

TEST(HpaGolden, GE_13_GoingDownTheLargestRecentProposalCounts) {
  for (const auto follows : {newer, older}) {
    for (const auto present : {10, 20}) {
      const auto said = after_seven_five_nine({0s, 300s}, present, 3, follows);
      EXPECT_EQ(said.desired, 9) << "from " << present;
      EXPECT_EQ(said.stabilized_by, limit::scale_down_stabilized);
    }
  }
}

TEST(HpaGolden, GE_14_GoingUpTheSmallestRecentProposalCounts) {
  struct {
    const char* why;
    std::int32_t present;
    std::int32_t by_newer;
    std::int32_t by_older;
  } const cases[] = {
    {"below all of them", 4, 5, 5},
    {"at the smallest", 5, 5, 5},
    {"the newer code never turns around; the older one does", 6, 6, 5},
    {"the same with as many as are proposed", 8, 8, 5},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    EXPECT_EQ(after_seven_five_nine({300s, 300s}, c.present, 8, newer).desired, c.by_newer);
    const auto by_older = after_seven_five_nine({300s, 300s}, c.present, 8, older);
    EXPECT_EQ(by_older.desired, c.by_older);
    EXPECT_EQ(by_older.stabilized_by, limit::scale_up_stabilized);
  }
}

TEST(HpaGolden, GE_15_AUtilisationHasNoFraction) {
  auto fleet = fleet_of("0", 300);
  fleet.samples[0].value = 100;
  const auto x = cpu_settings(60);
  EXPECT_EQ(propose(steady, x, x.metrics[0], fleet.seen(1), fleet.reading()).current, 33);
}

TEST(HpaGolden, GE_16_APodWithoutASampleHoldsUpAScaleDown) {
  const auto fleet = fleet_of("20 20 ?");
  for (const auto follows : {newer, older}) {
    const auto x = cpu_settings(60, follows);
    const auto said = propose(steady, x, x.metrics[0], fleet.seen(3), fleet.reading());
    EXPECT_EQ(said.replicas, 3);
    EXPECT_EQ(said.current, 20) << "what is shown is what was measured";
    EXPECT_EQ(said.missing, 1);
    EXPECT_EQ(said.adjusted_ratio, 46 / 60.0) << "(20 + 20 + 100) / 3, without a fraction";
  }
}

TEST(HpaGolden, GE_17_TheLargestOfSeveralProposalsWins) {
  auto x = cpu_settings(60);
  x.metrics.push_back({.name = "memory", .target = 60});
  const auto cpu = fleet_of("30 30 30 30");
  const auto memory = fleet_of("90 90 90 90");
  const std::vector readings{cpu.reading(), memory.reading()};
  decider subject{x};
  const auto said = decide(subject, steady, cpu.seen(4, readings));
  EXPECT_EQ(said.desired, 6);
  EXPECT_EQ(said.winner, 1u);
}

} // namespace
