#include "producers/autoscaling/hpa/settings.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <span>

namespace {

using namespace spillover;
using namespace spillover::hpa;
using namespace std::chrono_literals;

using problems = std::vector<std::string>;

// E-1, E-2, E-5, E-7, E-10
TEST(HpaSettings, HaveKubernetesDefaults) {
  const settings x;
  EXPECT_EQ(validate(x), problems{});
  EXPECT_EQ(x.min_replicas, 1);
  EXPECT_EQ(x.sync_period, 15s);
  EXPECT_EQ(x.tolerance, 0.1);
  EXPECT_EQ(x.downscale_stabilization, 300s);
  EXPECT_EQ(x.cpu_initialization_period, 300s);
  EXPECT_EQ(x.initial_readiness_delay, 30s);
  EXPECT_EQ(x.metrics, (std::vector{metric_spec{metric_source::resource, "cpu",
                                                target_type::utilization, 80}}));
  EXPECT_FALSE(x.behavior);
  const scaling_behavior says_nothing;
  using enum policy_type;
  EXPECT_EQ(says_nothing.scale_up,
            (scaling_rules{.policies = {{pods, 4, 15s}, {percent, 100, 15s}}}));
  EXPECT_EQ(says_nothing.scale_down, (scaling_rules{.policies = {{percent, 100, 15s}}}));
}

struct refusal {
  const char* why;
  std::function<void(settings&)> change;
  const char* problem;
};

void expect_refused(std::span<const refusal> cases) {
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    settings x;
    x.behavior.emplace();
    c.change(x);
    EXPECT_EQ(validate(x), problems{c.problem});
  }
}

TEST(HpaSettings, RefuseBoundsThatCannotHold) {
  const refusal cases[] = {
    {"no room", [](settings& x) { x.min_replicas = 0, x.max_replicas = 0; },
     "max_replicas: must be within 1..10000"},
    {"too much room", [](settings& x) { x.max_replicas = 10'001; },
     "max_replicas: must be within 1..10000"},
    {"crossed", [](settings& x) { x.min_replicas = 101; },
     "min_replicas: must be at least 0 and at most max_replicas"},
    {"below zero", [](settings& x) { x.min_replicas = -1; },
     "min_replicas: must be at least 0 and at most max_replicas"},
    {"E-12", [](settings& x) { x.min_replicas = 0; },
     "min_replicas: must be at least 1 without a metric of an object or the outside"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    settings x;
    c.change(x);
    const auto found = validate(x);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front(), c.problem);
  }
}

TEST(HpaSettings, RefuseMetricsThatKubernetesDoesNotHave) {
  using enum metric_source;
  using enum target_type;
  const refusal cases[] = {
    {"none", [](settings& x) { x.metrics.clear(); }, "metrics: must not be empty"},
    {"no name", [](settings& x) { x.metrics[0].name.clear(); },
     "metrics[0].name: must not be empty"},
    {"a resource as it is", [](settings& x) { x.metrics[0].type = value; },
     "metrics[0].type: must be utilization or average_value for a resource"},
    {"pods as they are",
     [](settings& x) {
       x.metrics.push_back({pods, "rps", value, 5});
     },
     "metrics[1].type: must be average_value for pods"},
    {"pods without requests",
     [](settings& x) {
       x.metrics[0] = {pods, "rps", utilization, 5};
     },
     "metrics[0].type: must be average_value for pods"},
    {"a share of an object",
     [](settings& x) {
       x.metrics[0] = {object, "rps", utilization, 5};
     },
     "metrics[0].type: must be value or average_value for an object or the outside"},
    {"a share of the outside",
     [](settings& x) {
       x.metrics[0] = {external, "queue", utilization, 5};
     },
     "metrics[0].type: must be value or average_value for an object or the outside"},
    {"nothing to aim at", [](settings& x) { x.metrics[0].target = 0; },
     "metrics[0].target: must be within 1..1000000"},
    {"more than any pod uses", [](settings& x) { x.metrics[0].target = 1'000'001; },
     "metrics[0].target: must be within 1..1000000"},
    {"a value of nothing",
     [](settings& x) {
       x.metrics[0] = {pods, "rps", average_value, 0};
     },
     "metrics[0].target: must be within 1..1000000000000000"},
    {"a value beyond all",
     [](settings& x) {
       x.metrics[0] = {object, "rps", value, 1'000'000'000'000'001};
     },
     "metrics[0].target: must be within 1..1000000000000000"},
  };
  expect_refused(cases);
}

TEST(HpaSettings, RefuseRulesThatKubernetesDoesNotHave) {
  const refusal cases[] = {
    {"no policy", [](settings& x) { x.behavior->scale_up.policies.clear(); },
     "behavior.scale_up.policies: must not be empty"},
    {"no policy, even if disabled",
     [](settings& x) { x.behavior->scale_down = {.select = select_policy::disabled}; },
     "behavior.scale_down.policies: must not be empty"},
    {"no change", [](settings& x) { x.behavior->scale_up.policies[1].value = 0; },
     "behavior.scale_up.policies[1].value: must be at least 1"},
    {"no period", [](settings& x) { x.behavior->scale_down.policies[0].period = 0s; },
     "behavior.scale_down.policies[0].period: must be whole seconds within 1s..30min"},
    {"too long a period", [](settings& x) { x.behavior->scale_down.policies[0].period = 1801s; },
     "behavior.scale_down.policies[0].period: must be whole seconds within 1s..30min"},
    {"a broken period", [](settings& x) { x.behavior->scale_up.policies[0].period = 1500ms; },
     "behavior.scale_up.policies[0].period: must be whole seconds within 1s..30min"},
    {"a window that ends before it begins",
     [](settings& x) { x.behavior->scale_up.stabilization_window = -1s; },
     "behavior.scale_up.stabilization_window: must be whole seconds within 0s..1h"},
    {"too long a window", [](settings& x) { x.behavior->scale_down.stabilization_window = 3601s; },
     "behavior.scale_down.stabilization_window: must be whole seconds within 0s..1h"},
    {"below zero", [](settings& x) { x.behavior->scale_up.tolerance = -0.01; },
     "behavior.scale_up.tolerance: must be within 0..100"},
    {"two directions in the older code",
     [](settings& x) {
       x.follows = generation::older;
       x.behavior->scale_down.tolerance = 0.2;
     },
     "behavior.scale_down.tolerance: has no meaning with the older generation; only the newer one "
     "has it by direction"},
  };
  expect_refused(cases);
}

TEST(HpaSettings, RefuseAControllerThatCannotRun) {
  const refusal cases[] = {
    {"too often", [](settings& x) { x.sync_period = 0s; },
     "sync_period: must be whole seconds within 1s..10min"},
    {"between seconds", [](settings& x) { x.sync_period = 1500ms; },
     "sync_period: must be whole seconds within 1s..10min"},
    {"too rarely", [](settings& x) { x.sync_period = 601s; },
     "sync_period: must be whole seconds within 1s..10min"},
    {"below zero", [](settings& x) { x.tolerance = -0.1; }, "tolerance: must be within 0..100"},
    {"not a number", [](settings& x) { x.tolerance = std::numeric_limits<double>::quiet_NaN(); },
     "tolerance: must be within 0..100"},
    {"too long", [](settings& x) { x.downscale_stabilization = 3601s; },
     "downscale_stabilization: must be whole seconds within 0s..1h"},
    {"backwards", [](settings& x) { x.cpu_initialization_period = -1ns; },
     "cpu_initialization_period: must be within 0s..24h"},
    {"longer than a day", [](settings& x) { x.initial_readiness_delay = 24h + 1ns; },
     "initial_readiness_delay: must be within 0s..24h"},
    {"no window", [](settings& x) { x.metrics_resolution = 0s; },
     "metrics_resolution: must be whole seconds within 1s..5min"},
  };
  expect_refused(cases);
}

TEST(HpaSettings, SayAllProblemsAtOnce) {
  settings x;
  x.max_replicas = 0;
  x.metrics[0].target = 0;
  x.sync_period = 0s;
  EXPECT_EQ(validate(x), (problems{"max_replicas: must be within 1..10000",
                                   "min_replicas: must be at least 0 and at most max_replicas",
                                   "metrics[0].target: must be within 1..1000000",
                                   "sync_period: must be whole seconds within 1s..10min"}));
}

TEST(HpaSettings, TakeTheEndsOfEachRange) {
  using enum metric_source;
  using enum target_type;
  settings x{.min_replicas = 0,
             .max_replicas = 10'000,
             .metrics = {{resource, "memory", utilization, 1'000'000},
                         {resource, "cpu", average_value, 1},
                         {pods, "rps", average_value, 1'000'000'000'000'000},
                         {object, "rps", value, 1},
                         {external, "queue", average_value, 1}},
             .sync_period = 10min,
             .tolerance = 100,
             .downscale_stabilization = 0s,
             .cpu_initialization_period = 24h,
             .initial_readiness_delay = 0s,
             .metrics_resolution = 5min};
  x.behavior = scaling_behavior{.scale_up = {.stabilization_window = 1h,
                                             .policies = {{policy_type::pods, 1, 30min}},
                                             .tolerance = 0},
                                .scale_down = {.stabilization_window = 0s,
                                               .policies = {{policy_type::percent, 1, 1s}},
                                               .tolerance = 100}};
  EXPECT_EQ(validate(x), problems{});
}

} // namespace
