#include "tests/producers/autoscaling/hpa/hpa_world.hpp"

namespace {

using namespace spillover;
using namespace spillover::hpa;
using namespace std::chrono_literals;

using numbers = std::vector<std::pair<std::string, std::int64_t>>;

numbers inputs_of(const settings& x, const decision& said) {
  numbers result;
  list_inputs(x, said, result);
  return result;
}

TEST(HpaExplanation, ListsEveryNumberOfADecision) {
  auto x = cpu_settings(60);
  x.max_replicas = 6;
  x.metrics.push_back({metric_source::external, "queue", target_type::average_value, 2000});
  const auto pods = fleet_of("90 90 u0 ? t5");
  const std::vector<pod_reading> readings{pods.reading(), {.value = 14'500}};
  decider subject{x};
  const auto said = decide(subject, steady, {5, 5, pods.pods, readings});
  EXPECT_EQ(said.desired, 6);
  EXPECT_EQ(subject.driver_of(said), "MAX");
  const numbers expected{
    {"n", 5},
    {"cpu_target_percent", 60},
    {"cpu_current_percent", 90},
    {"cpu_ratio_milli", 1500},
    {"cpu_adjusted_ratio_milli", 750}, // 180 % of 4 pods: the other way
    {"cpu_within_tolerance", 0},
    {"cpu_turned", 1},
    {"cpu_count", 5},
    {"cpu_ready", 2},
    {"cpu_unready", 1},
    {"cpu_missing", 1},
    {"cpu_ignored", 1},
    {"queue_target_milli", 2000},
    {"queue_current_milli", 2900},
    {"queue_total_milli", 14'500},
    {"queue_ratio_milli", 1450},
    {"queue_within_tolerance", 0},
    {"queue_count", 8},
    {"queue_won", 1},
    {"queue_ready", 4},
    {"proposed", 8},
    {"stabilized", 8},
    {"rate_limit", 10},
    {"too_many_replicas", 1},
    {"tolerance_up_milli", 100},
    {"tolerance_down_milli", 100},
    {"min", 1},
    {"max", 6},
  };
  EXPECT_EQ(inputs_of(x, said), expected);
}

TEST(HpaExplanation, ListsWhatFailedAndLeavesOutWhatThereIsNot) {
  const auto x = cpu_settings(60);
  const auto pods = fleet_of("? ? p");
  const std::vector readings{pods.reading()};
  decider subject{x};
  const auto said = decide(subject, steady, pods.seen(3, readings));
  EXPECT_EQ(subject.driver_of(said), "HOLD");
  const numbers expected{
    {"n", 3},
    {"cpu_target_percent", 60},
    {"cpu_failed", 1},
    {"cpu_no_samples", 1},
    {"cpu_ready", 0},
    {"cpu_unready", 1},
    {"cpu_missing", 2},
    {"cpu_ignored", 0},
    {"tolerance_up_milli", 100},
    {"tolerance_down_milli", 100},
    {"min", 1},
    {"max", 100},
  };
  EXPECT_EQ(inputs_of(x, said), expected);
}

TEST(HpaExplanation, NamesTheLimitThatActedAndItsWindow) {
  struct {
    const char* why;
    std::int32_t present;
    std::int32_t proposed;
    numbers expected;
  } const cases[] = {
    {"none", 4, 5, {}},
    {"the window down", 4, 3, {{"scale_down_stabilized", 1}, {"window_ns", 300'000'000'000}}},
    {"the rate", 4, 9, {{"scale_up_limit", 1}}},
    {"the maximum", 9, 20, {{"too_many_replicas", 1}}},
  };
  settings x{.min_replicas = 2, .max_replicas = 10};
  x.behavior.emplace();
  x.behavior->scale_up.policies = {{policy_type::pods, 2, 15s}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    scripted subject{x};
    subject.decide(run_start, c.present, c.present);
    const auto all =
      inputs_of(subject.config(), subject.decide(run_start + 15s, c.present, c.proposed));
    numbers found;
    for (const auto& input : all)
      if (input.first.starts_with("scale_") || input.first.starts_with("too_")
          || input.first == "window_ns")
        found.push_back(input);
    EXPECT_EQ(found, c.expected);
  }
}

TEST(HpaExplanation, TellsMetricsOfOneNameApart) {
  auto x = cpu_settings(60);
  x.metrics.push_back({.type = target_type::average_value, .target = 500});
  const auto pods = fleet_of("30 30");
  const std::vector readings{pods.reading(), pods.reading()};
  decider subject{x};
  const auto all = inputs_of(x, decide(subject, steady, pods.seen(2, readings)));
  for (const auto* name : {"cpu_target_percent", "cpu_2_target_milli"})
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [&](const auto& y) { return y.first == name; }),
              1)
      << name;
}

TEST(HpaExplanation, AppendsToWhatIsThere) {
  const auto x = cpu_settings(60);
  numbers inputs{{"before", 7}};
  list_inputs(x, {}, inputs);
  EXPECT_EQ(inputs.front().first, "before");
  EXPECT_GT(inputs.size(), 1u);
}

TEST(HpaExplanation, NamesWhoDecided) {
  struct {
    const char* why;
    std::int32_t present;
    std::int32_t proposed;
    std::int32_t desired;
    const char* driver;
  } const cases[] = {
    {"the metric, in capitals", 4, 5, 5, "QUEUE"},
    {"the metric also when nothing changes", 4, 4, 4, "QUEUE"},
    {"the rate", 4, 9, 6, "RATE"},
    {"the maximum", 9, 20, 10, "MAX"},
    {"stabilisation", 4, 3, 4, "STABILIZATION"},
    {"a number outside of the bounds", 12, 4, 10, "MAX"},
    {"the other bound", 1, 4, 2, "MIN"},
    {"whoever set it to zero", 0, 4, 0, "DISABLED"},
  };
  settings x{.min_replicas = 2, .max_replicas = 10};
  x.behavior.emplace();
  x.behavior->scale_up.policies = {{policy_type::pods, 2, 15s}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    scripted subject{x};
    const auto said = subject.decide(run_start, c.present, c.present);
    const auto next =
      said.from == basis::metrics ? subject.decide(run_start + 15s, c.present, c.proposed) : said;
    EXPECT_EQ(next.desired, c.desired);
    EXPECT_EQ(subject.driver_of(next), c.driver);
  }
}

TEST(HpaExplanation, HasAWordForEachReason) {
  EXPECT_EQ(to_string(limit::scale_up_stabilized), "ScaleUpStabilized");
  EXPECT_EQ(to_string(limit::scale_down_stabilized), "ScaleDownStabilized");
  EXPECT_EQ(to_string(limit::scale_up_limit), "ScaleUpLimit");
  EXPECT_EQ(to_string(limit::scale_down_limit), "ScaleDownLimit");
  EXPECT_EQ(to_string(limit::too_many_replicas), "TooManyReplicas");
  EXPECT_EQ(to_string(limit::too_few_replicas), "TooFewReplicas");
  EXPECT_EQ(to_string(limit::none), "none");
  EXPECT_EQ(to_string(basis::no_metrics), "no metrics");
  EXPECT_EQ(to_string(basis::scaling_disabled), "scaling disabled");
  EXPECT_EQ(to_string(failure::no_samples), "no samples");
  EXPECT_EQ(to_string(hold::direction), "direction");
}

} // namespace
