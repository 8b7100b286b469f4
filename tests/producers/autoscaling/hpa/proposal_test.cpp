#include "tests/producers/autoscaling/hpa/hpa_world.hpp"

#include <limits>

namespace {

using namespace spillover;
using namespace spillover::hpa;
using namespace std::chrono_literals;

constexpr auto newer = generation::newer;
constexpr auto older = generation::older;

struct held_case {
  const char* why;
  const char* pods;
  std::int32_t replicas;
  std::int64_t target;
  generation follows;
  std::int32_t expected;
  hold held;
};

proposal proposed(const settings& x, const fleet& pods, std::int32_t replicas) {
  return propose(steady, x, x.metrics[0], pods.seen(replicas), pods.reading());
}

void expect_all(std::span<const held_case> cases) {
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    const auto said = proposed(cpu_settings(c.target, c.follows), fleet_of(c.pods), c.replicas);
    EXPECT_EQ(said.failed, failure::none);
    EXPECT_EQ(said.replicas, c.expected);
    EXPECT_EQ(said.held, c.held);
  }
}

// E-4
TEST(HpaProposal, AssumesTheCautiousOfPodsWithoutASample) {
  const held_case cases[] = {
    {"down: it uses all it requests", "10 10 ?", 3, 60, newer, 2, hold::none},
    {"down: with that the target is met", "50 50 ?", 3, 66, newer, 3, hold::tolerance},
    {"down: with that it would go up", "50 50 ?", 3, 55, newer, 3, hold::direction},
    {"down: many known pods outweigh it", "10 10 10 10 10 10 10 10 10 ?", 10, 60, newer, 4,
     hold::none},
    {"up: it uses nothing, and the target is met", "90 90 ?", 3, 60, newer, 3, hold::tolerance},
    {"up: it uses nothing, but more are needed", "120 120 ?", 3, 60, newer, 4, hold::none},
    {"up: with that it would go down", "70 ?", 2, 60, newer, 2, hold::direction},
    {"at the target nothing is assumed", "60 ?", 2, 60, newer, 2, hold::tolerance},
    {"a target above 100 %: it uses as much as that", "50 ?", 2, 150, newer, 2, hold::none},
    {"the older code: 100 % also then", "50 ?", 2, 150, older, 1, hold::none},
    {"1.1 with the missing one is in the band", "100 100 ?", 3, 60, newer, 3, hold::tolerance},
    {"the older code: 1.1 is outside", "100 100 ?", 3, 60, older, 4, hold::none},
  };
  expect_all(cases);
}

// E-4
TEST(HpaProposal, AssumesThatUnreadyPodsUseNothingOnTheWayUp) {
  const held_case cases[] = {
    {"up: the one that starts counts as idle", "120 120 u500", 3, 60, newer, 4, hold::none},
    {"up: with it the target is met", "120 u0", 2, 60, newer, 2, hold::tolerance},
    {"up: with two it would go down", "120 u0 u0", 3, 60, newer, 3, hold::direction},
    {"up: one that is pending is the same", "120 p", 2, 60, newer, 2, hold::tolerance},
    {"up: with one missing beside it", "300 u0 ?", 3, 60, newer, 5, hold::none},
    {"down: only the ready ones count", "30 30 u500", 3, 60, newer, 1, hold::none},
    {"down: pending ones are no reason to keep any", "30 30 p p", 4, 60, newer, 1, hold::none},
    {"within the tolerance they change nothing", "60 u0", 2, 60, newer, 2, hold::tolerance},
  };
  expect_all(cases);
}

// E-4
TEST(HpaProposal, NeverGoesAgainstItsDirection) {
  const held_case cases[] = {
    {"down: more pods are there than were asked for", "20 20 ?", 1, 60, newer, 1, hold::direction},
    {"up: fewer pods are there than were asked for", "200 u0", 9, 60, newer, 9, hold::direction},
    {"down: unready pods alone are no reason", "50 50 50 u0", 1, 60, newer, 3, hold::none},
    {"with neither unready nor missing pods it may: up", "120", 9, 60, newer, 2, hold::none},
    {"with neither unready nor missing pods it may: down", "50 50 50", 1, 60, newer, 3, hold::none},
  };
  expect_all(cases);
}

TEST(HpaProposal, LeavesOutPodsThatGo) {
  const held_case cases[] = {
    {"one that terminates", "30 30 t900", 3, 60, newer, 1, hold::none},
    {"one that failed", "90 f", 2, 60, newer, 2, hold::none},
  };
  expect_all(cases);
  EXPECT_EQ(proposed(cpu_settings(60), fleet_of("30 t90 f u1 ?"), 5),
            (proposal{.replicas = 5,
                      .held = hold::tolerance,
                      .current = 30,
                      .ratio = 0.5,
                      .adjusted_ratio = 65 / 60.0,
                      .ready = 1,
                      .unready = 1,
                      .missing = 1,
                      .ignored = 2}));
}

TEST(HpaProposal, SaysWhyItHasNone) {
  struct {
    const char* why;
    const char* pods;
    std::int64_t request;
    target_type type;
    failure expected;
  } const cases[] = {
    {"no pods", "", 1000, target_type::utilization, failure::no_pods},
    {"none with a sample", "? ?", 1000, target_type::utilization, failure::no_samples},
    {"none that runs", "p f t10", 1000, target_type::utilization, failure::no_samples},
    {"none that is ready", "u10", 1000, target_type::utilization, failure::no_samples},
    {"a share of nothing", "10", 0, target_type::utilization, failure::no_requests},
    {"a value needs no request", "10", 0, target_type::average_value, failure::none},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    auto x = cpu_settings(60);
    x.metrics[0].type = c.type;
    EXPECT_EQ(proposed(x, fleet_of(c.pods, c.request), 2).failed, c.expected);
  }
  auto fleet = fleet_of("10 ?");
  fleet.samples[1].request = 0;
  EXPECT_EQ(proposed(cpu_settings(60), fleet, 2).failed, failure::no_requests) << "one is enough";
  const auto x = cpu_settings(60);
  EXPECT_EQ(propose(steady, x, x.metrics[0], fleet.seen(2), {.available = false}).failed,
            failure::unavailable);
}

// E-5: at second 1000, with a window of 15 s
TEST(HpaProposal, LeavesOutTheCpuOfPodsThatStart) {
  struct {
    const char* why;
    std::optional<duration> started;
    bool ready;
    duration changed;
    duration sampled;
    bool counts;
  } const cases[] = {
    {"no node took it on", std::nullopt, true, 0s, 1000s, false},
    {"ready for long", 800s, true, 850s, 990s, true},
    {"ready for a whole window", 800s, true, 975s, 990s, true},
    {"ready for less", 800s, true, 976s, 990s, false},
    {"not ready, young", 701s, false, 900s, 990s, false},
    {"not ready, old enough, and was ready", 700s, false, 900s, 990s, true},
    {"not ready, and never was", 700s, false, 729s, 990s, false},
    {"not ready since the delay ended", 700s, false, 730s, 990s, true},
    {"ready at last: its window does not matter", 700s, true, 999s, 990s, true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    auto fleet = fleet_of("60");
    auto& pod = fleet.pods[0];
    pod.started.reset();
    if (c.started)
      pod.started = run_start + *c.started;
    pod.ready = c.ready;
    pod.ready_changed = run_start + c.changed;
    fleet.samples[0].at = run_start + c.sampled;
    auto x = cpu_settings(60);
    const auto ready = [&] {
      return propose(run_start + 1000s, x, x.metrics[0], fleet.seen(1), fleet.reading()).ready;
    };
    EXPECT_EQ(ready(), c.counts ? 1 : 0);
    x.metrics[0].type = target_type::average_value;
    EXPECT_EQ(ready(), c.counts ? 1 : 0) << "the same for CPU as a value";
    x.metrics[0].name = "memory";
    EXPECT_EQ(ready(), 1) << "memory has no such rule";
  }
}

// E-2
TEST(HpaProposal, CountsTheBoundsOfTheBandIn) {
  struct {
    const char* why;
    double ratio;
    double tolerance;
    bool by_newer;
    bool by_older;
  } const cases[] = {
    {"none at all: met", 1, 0, true, true},
    {"none at all: missed", 1.001, 0, false, false},
    {"a double holds it: the upper bound", 1.25, 0.25, true, true},
    {"a double holds it: the lower bound", 0.75, 0.25, true, true},
    {"above", 1.2501, 0.25, false, false},
    {"below", 0.7499, 0.25, false, false},
    {"a double does not: the upper bound", 1.1, 0.1, true, false},
    {"a double does not: the lower bound", 0.9, 0.1, true, true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    EXPECT_EQ(within(c.ratio, {c.tolerance, c.tolerance}, newer), c.by_newer);
    EXPECT_EQ(within(c.ratio, {c.tolerance, c.tolerance}, older), c.by_older);
  }
}

// E-2
TEST(HpaProposal, HasATolerancePerDirection) {
  struct {
    const char* why;
    std::int64_t percent;
    std::int32_t expected;
  } const cases[] = {
    {"up by 5 % is in the band", 105, 100},
    {"up by 6 % is not", 106, 106},
    {"down by 50 % is in the band", 50, 100},
    {"down by 51 % is not", 49, 49},
  };
  auto x = cpu_settings(100);
  x.behavior.emplace();
  x.behavior->scale_up.tolerance = 0.05;
  x.behavior->scale_down.tolerance = 0.5;
  std::string words;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    words.clear();
    for (int i = 0; i < 100; ++i)
      words.append(std::to_string(c.percent)).append(" ");
    EXPECT_EQ(proposed(x, fleet_of(words), 100).replicas, c.expected);
  }
}

TEST(HpaProposal, TakesTheControllersToleranceWhereThereIsNoOther) {
  settings x;
  x.tolerance = 0.2;
  EXPECT_EQ(tolerances_of(x).up, 0.2);
  EXPECT_EQ(tolerances_of(x).down, 0.2);
  x.behavior.emplace();
  x.behavior->scale_down.tolerance = 0.3;
  EXPECT_EQ(tolerances_of(x).up, 0.2);
  EXPECT_EQ(tolerances_of(x).down, 0.3);
}

struct outside_case {
  const char* why;
  target_type type;
  std::int32_t spec;
  std::int32_t status;
  const char* pods;
  std::int64_t value;
  std::int32_t expected;
  std::int64_t current;
};

// E-1, E-12: target 1
TEST(HpaProposal, ReadsOneNumberOfAnObjectOrTheOutside) {
  using enum target_type;
  const outside_case cases[] = {
    {"a value is for the pods that are ready", value, 4, 4, "1 1 1 u1", 2000, 6, 2000},
    {"a value in the band keeps what was asked for", value, 4, 3, "1 1 1", 1100, 4, 1100},
    {"a value below the band", value, 4, 4, "1 1 1 1", 500, 2, 500},
    {"a value with no pod ready", value, 2, 2, "u1 p", 5000, 0, 5000},
    {"from zero a value asks for what it is", value, 0, 0, "", 2500, 3, 2500},
    {"from zero there is no tolerance", value, 0, 0, "", 1, 1, 1},
    {"zero stays zero", value, 0, 0, "", 0, 0, 0},
    {"an average asks for what it is", average_value, 4, 4, "", 8000, 8, 2000},
    {"an average is rounded up", average_value, 4, 4, "", 8001, 9, 2001},
    {"an average in the band keeps what is there", average_value, 5, 4, "", 4300, 4, 1075},
    {"an average does not ask who is ready", average_value, 2, 2, "u1 p", 6000, 6, 3000},
    {"from zero an average asks for what it is", average_value, 0, 0, "", 2500, 3, 2500},
    {"an average of nothing", average_value, 0, 0, "", 0, 0, 0},
    {"nothing is asked for, but pods are there", average_value, 3, 3, "", 0, 0, 0},
    {"more than can be counted", average_value, 3, 3, "", std::numeric_limits<std::int64_t>::max(),
     std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int64_t>::max() / 3},
  };
  for (const auto source : {metric_source::object, metric_source::external}) {
    for (const auto& c : cases) {
      SCOPED_TRACE(c.why);
      settings x;
      x.metrics = {{source, "queue", c.type, 1000}};
      const auto fleet = fleet_of(c.pods);
      const pod_snapshot seen{c.spec, c.status, fleet.pods, {}};
      const auto said = propose(steady, x, x.metrics[0], seen, {.value = c.value});
      EXPECT_EQ(said.failed, failure::none);
      EXPECT_EQ(said.replicas, c.expected);
      const auto slack = c.current < 1'000'000 ? 0 : 1024; // what a double of that size leaves
      EXPECT_NEAR(static_cast<double>(said.current), static_cast<double>(c.current), slack);
    }
  }
}

TEST(HpaProposal, NeedsPodsForAValueOutsideOfTheBand) {
  settings x;
  x.metrics = {{metric_source::object, "requests", target_type::value, 1000}};
  const auto ask = [&x](std::int64_t value) {
    return propose(steady, x, x.metrics[0], {2, 0, {}, {}}, {.value = value});
  };
  EXPECT_EQ(ask(2000).failed, failure::no_pods);
  EXPECT_EQ(ask(1000).failed, failure::none);
  EXPECT_EQ(ask(1000).replicas, 2);
}

TEST(HpaProposal, CutsFractionsOffBeforeItCompares) {
  struct {
    const char* why;
    target_type type;
    std::int64_t target;
    std::vector<std::int64_t> values;
    std::int64_t current;
  } const cases[] = {
    {"59.95 % are 59 %", target_type::utilization, 60, {1199, 0}, 59},
    {"a mean of 1.5 thousandths is 1", target_type::average_value, 60, {1, 2}, 1},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    auto x = cpu_settings(c.target);
    x.metrics[0].type = c.type;
    auto fleet = fleet_of("0 0");
    for (std::size_t i = 0; i < c.values.size(); ++i)
      fleet.samples[i].value = c.values[i];
    EXPECT_EQ(proposed(x, fleet, 2).current, c.current);
  }
}

TEST(HpaProposal, AddsUpWhatSixtyFourBitsCannotHold) {
  const auto most = std::numeric_limits<std::int64_t>::max();
  auto fleet = fleet_of("0 0 0 ?");
  for (auto& x : fleet.samples)
    x.value = x.request = most;
  const auto said = proposed(cpu_settings(60), fleet, 4);
  EXPECT_EQ(said.current, 100);
  EXPECT_EQ(said.replicas, 5) << "3 x 100 % of 4 pods are 75 %, and 4 x 75 / 60 is 5";
}

} // namespace
