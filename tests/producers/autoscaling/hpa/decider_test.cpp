#include "tests/producers/autoscaling/hpa/hpa_world.hpp"

namespace {

using namespace spillover;
using namespace spillover::hpa;
using namespace std::chrono_literals;

constexpr auto newer = generation::newer;
constexpr auto older = generation::older;

// E-12
TEST(HpaDecider, IsTurnedOffByZeroReplicas) {
  scripted subject{{}};
  const auto said = subject.decide(run_start, 0, 5);
  EXPECT_EQ(said.desired, 0);
  EXPECT_EQ(said.from, basis::scaling_disabled);
  EXPECT_TRUE(said.proposals.empty());
}

// E-12
TEST(HpaDecider, LeavesZeroWhenZeroIsItsMinimum) {
  scripted subject{free_settings()};
  EXPECT_EQ(subject.decide(run_start, 0, 0).desired, 0);
  EXPECT_EQ(subject.decide(run_start + 15s, 0, 3).desired, 3);
  EXPECT_EQ(subject.decide(run_start + 30s, 3, 0).desired, 0);
}

TEST(HpaDecider, LeavesZeroWithoutABehaviorAtOnce) {
  settings x;
  x.min_replicas = 0;
  scripted subject{x};
  EXPECT_EQ(subject.decide(run_start, 0, 9).desired, 4);
}

// E-11
TEST(HpaDecider, BringsWhatIsOutsideOfItsBoundsInsideWithoutAsking) {
  struct {
    const char* why;
    std::int32_t present;
    std::int32_t expected;
    basis from;
    limit bounded_by;
  } const cases[] = {
    {"too many", 9, 6, basis::above_maximum, limit::too_many_replicas},
    {"too few", 1, 3, basis::below_minimum, limit::too_few_replicas},
  };
  for (const auto behavior : {false, true}) {
    for (const auto& c : cases) {
      SCOPED_TRACE(c.why);
      settings x{.min_replicas = 3, .max_replicas = 6};
      if (behavior)
        x.behavior.emplace();
      scripted subject{x};
      const auto said = subject.decide(run_start, c.present, 4);
      EXPECT_EQ(said.desired, c.expected);
      EXPECT_EQ(said.from, c.from);
      EXPECT_EQ(said.bounded_by, c.bounded_by);
      EXPECT_TRUE(said.proposals.empty());
    }
  }
}

// E-11
TEST(HpaDecider, StopsAtItsBounds) {
  struct {
    const char* why;
    std::int32_t proposed;
    std::int32_t expected;
    limit bounded_by;
  } const cases[] = {
    {"above", 8, 6, limit::too_many_replicas},
    {"at the maximum", 6, 6, limit::none},
    {"inside", 5, 5, limit::none},
    {"at the minimum", 3, 3, limit::none},
    {"below", 2, 3, limit::too_few_replicas},
  };
  for (const auto behavior : {false, true}) {
    for (const auto& c : cases) {
      SCOPED_TRACE(c.why);
      settings x{.min_replicas = 3, .max_replicas = 6, .downscale_stabilization = 0s};
      if (behavior)
        x.behavior = free_behavior();
      scripted subject{x};
      // The first call alone would look back at the replicas of its own instant.
      subject.decide(run_start, 4, 4);
      const auto said = subject.decide(run_start + 15s, 4, c.proposed);
      EXPECT_EQ(said.desired, c.expected);
      EXPECT_EQ(said.bounded_by, c.bounded_by);
      EXPECT_EQ(said.stabilized_by, limit::none);
    }
  }
}

// E-11: the rate holds where it is stricter than the bound
TEST(HpaDecider, NamesTheStricterOfRateAndBound) {
  struct {
    const char* why;
    std::int32_t present;
    std::int32_t proposed;
    std::int32_t expected;
    limit bounded_by;
  } const cases[] = {
    {"up by 2", 5, 9, 7, limit::scale_up_limit},
    {"up to the maximum", 9, 20, 10, limit::too_many_replicas},
    {"the rate meets the maximum", 8, 20, 10, limit::too_many_replicas},
    {"down by 2", 8, 3, 6, limit::scale_down_limit},
    {"down to the minimum", 4, 1, 3, limit::too_few_replicas},
    {"the rate meets the minimum", 5, 1, 3, limit::too_few_replicas},
  };
  auto x = free_settings();
  x.min_replicas = 3;
  x.max_replicas = 10;
  x.behavior->scale_up.policies = x.behavior->scale_down.policies = {{policy_type::pods, 2, 15s}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    scripted subject{x};
    const auto said = subject.decide(run_start, c.present, c.proposed);
    EXPECT_EQ(said.desired, c.expected);
    EXPECT_EQ(said.bounded_by, c.bounded_by);
  }
}

// E-7, E-9, E-10: the number of replicas at the start counts as a proposal
TEST(HpaDecider, KeepsWhatItFindsForAWindow) {
  struct {
    const char* why;
    bool behavior;
    duration kept;
  } const cases[] = {
    {"without a behavior the window's end counts", false, 300s},
    {"with one it does not", true, 285s},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    settings x;
    if (c.behavior)
      x.behavior.emplace();
    scripted subject{x};
    duration at{};
    for (; subject.decide(run_start + at, 8, 2).desired == 8 && at < 1h; at += 15s) {}
    EXPECT_EQ(at, c.kept + 15s);
  }
}

TEST(HpaDecider, WaitsForAWindowBeforeItGoesUp) {
  auto x = free_settings();
  x.behavior->scale_up.stabilization_window = 60s;
  scripted subject{x};
  duration at{};
  for (; subject.decide(run_start + at, 2, 8).desired == 2 && at < 1h; at += 15s) {}
  EXPECT_EQ(at, 60s);
}

// E-9: a dip inside the window is forgotten when it is over
TEST(HpaDecider, DoesNotFollowADip) {
  scripted subject{{}};
  const auto first = subject.decide(run_start, 8, 8);
  EXPECT_EQ(first.stabilized_by, limit::none);
  const auto dip = subject.decide(run_start + 15s, 8, 2);
  EXPECT_EQ(dip.desired, 8);
  EXPECT_EQ(dip.stabilized_by, limit::scale_down_stabilized);
  EXPECT_EQ(subject.decide(run_start + 30s, 8, 8).desired, 8);
}

// E-8: what it did to come inside its bounds is a change like any other
TEST(HpaDecider, CountsItsOwnStepsIntoThePeriod) {
  auto x = free_settings();
  x.min_replicas = 3;
  x.behavior->scale_up.policies = {{policy_type::pods, 4, 60s}};
  scripted subject{x};
  EXPECT_EQ(subject.decide(run_start, 1, 20).desired, 3);
  EXPECT_EQ(subject.decide(run_start + 15s, 3, 20).desired, 5) << "4 in a minute, of which 2 came";
  EXPECT_EQ(subject.decide(run_start + 30s, 5, 20).desired, 5);
  EXPECT_EQ(subject.decide(run_start + 60s, 5, 20).desired, 7) << "the first 2 are a minute ago";
}

// E-8
TEST(HpaDecider, MayTakeBackWhatItAdded) {
  for (const auto follows : {newer, older}) {
    auto x = free_settings(follows);
    x.behavior->scale_down.policies = {{policy_type::percent, 50, 60s}};
    scripted subject{x};
    EXPECT_EQ(subject.decide(run_start, 4, 10).desired, 10);
    EXPECT_EQ(subject.decide(run_start + 15s, 10, 0).desired, follows == newer ? 2 : 5);
  }
}

TEST(HpaDecider, DoesNothingInADirectionThatIsDisabled) {
  auto x = free_settings();
  x.behavior->scale_down.select = select_policy::disabled;
  scripted subject{x};
  EXPECT_EQ(subject.decide(run_start, 8, 2).desired, 8);
  EXPECT_EQ(subject.decide(run_start + 15s, 8, 9).desired, 9);
  x.behavior->scale_up.select = select_policy::disabled;
  scripted frozen{x};
  EXPECT_EQ(frozen.decide(run_start, 8, 9).desired, 8);
}

struct metrics_case {
  const char* why;
  std::int64_t first;
  std::int64_t second;
  std::int32_t expected;
  basis from;
};

// E-6: 4 replicas, one proposal a metric; -1 does not answer
TEST(HpaDecider, TakesTheLargestProposalUnlessOneIsMissingOnTheWayDown) {
  const metrics_case cases[] = {
    {"both down: the larger", 2, 3, 3, basis::metrics},
    {"one up, one down", 2, 6, 6, basis::metrics},
    {"one up, one missing", 6, -1, 6, basis::metrics},
    {"one missing, one up", -1, 6, 6, basis::metrics},
    {"one as it is, one missing", 4, -1, 4, basis::metrics},
    {"one down, one missing", 2, -1, 4, basis::no_metrics},
    {"one missing, one down", -1, 2, 4, basis::no_metrics},
    {"both missing", -1, -1, 4, basis::no_metrics},
  };
  auto x = free_settings();
  x.tolerance = 0;
  x.metrics = {{metric_source::external, "queue", target_type::average_value, 1000},
               {metric_source::external, "lag", target_type::average_value, 1000}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    decider subject{x};
    const std::vector<pod_reading> readings{{.available = c.first >= 0, .value = c.first * 1000},
                                            {.available = c.second >= 0, .value = c.second * 1000}};
    const auto said = decide(subject, run_start, {4, 4, {}, readings});
    EXPECT_EQ(said.desired, c.expected);
    EXPECT_EQ(said.from, c.from);
    EXPECT_EQ(said.proposals.size(), 2u);
  }
}

TEST(HpaDecider, RemembersNoProposalThatItCouldNotMake) {
  auto x = free_settings();
  x.tolerance = 0;
  x.metrics = {{metric_source::external, "queue", target_type::average_value, 1000}};
  x.behavior->scale_up.stabilization_window = 30s;
  decider subject{x};
  const auto decide = [&](duration at, const pod_reading& reading) {
    const std::vector readings{reading};
    return hpa::decide(subject, run_start + at, {4, 4, {}, readings}).desired;
  };
  EXPECT_EQ(decide(0s, {.value = 4000}), 4);
  EXPECT_EQ(decide(15s, {.available = false}), 4);
  EXPECT_EQ(decide(30s, {.value = 9000}), 9) << "the first is as old as the window";
}

// A replay: CPU at 120 % of its target from minute 2, gone at minute 12
TEST(HpaDecider, FollowsALoadAsKubernetesDoes) {
  auto x = cpu_settings(50);
  x.max_replicas = 40;
  decider subject{x};
  std::int32_t replicas = 3;
  std::vector<std::pair<duration, std::int32_t>> steps;
  for (duration at{}; at <= 20min; at += 15s) {
    const auto load = at >= 2min && at < 12min ? 900 : 120; // percent of one pod's request
    std::string words;
    for (std::int32_t i = 0; i < replicas; ++i)
      words.append(std::to_string(load / replicas)).append(" ");
    const auto pods = fleet_of(words);
    const std::vector readings{pods.reading()};
    const auto desired = decide(subject, steady + at, pods.seen(replicas, readings)).desired;
    if (desired != replicas)
      steps.emplace_back(at, desired);
    replicas = desired;
  }
  const std::vector<std::pair<duration, std::int32_t>> expected{
    {2min, 6}, {2min + 15s, 12}, {2min + 30s, 18}, {17min, 3}};
  EXPECT_EQ(steps, expected);
}

} // namespace
