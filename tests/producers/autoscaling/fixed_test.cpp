#include "producers/autoscaling/config.hpp"

#include <gtest/gtest.h>

namespace spillover {
namespace {

using namespace std::chrono_literals;

TEST(Fixed, NeverChangesItsMind) {
  const auto scaler = make_fixed({.instances = 7});
  scaler->observe({run_start + 1s, 1000, 1000});
  const auto x = scaler->decide(run_start + 1s, {.recommended = 3, .running = 3, .busy = true});
  EXPECT_EQ(x.count, 7u);
  EXPECT_EQ(x.driver, "FIXED");
  EXPECT_EQ(scaler->policy(), "fixed");
  EXPECT_EQ(scaler->bounds().min, 7u);
  EXPECT_EQ(scaler->bounds().max, 7u);
  EXPECT_EQ(scaler->period(), duration::max());
  EXPECT_FALSE(scaler->on_demand());
}

TEST(Fixed, TakesOneToTenThousandInstances) {
  EXPECT_TRUE(validate(fixed_config{.instances = 1}).empty());
  EXPECT_TRUE(validate(fixed_config{.instances = 10'000}).empty());
  EXPECT_EQ(validate(fixed_config{.instances = 0}).size(), 1u);
  EXPECT_EQ(validate(fixed_config{.instances = 10'001}).size(), 1u);
}

TEST(AutoscalingConfig, MakesWhatItHolds) {
  const instance_config instance{.cpu = 2, .concurrency = 10};
  const auto fixed = make_autoscaler(fixed_config{.instances = 4}, instance, 1, "web");
  EXPECT_EQ(fixed->policy(), "fixed");
  EXPECT_EQ(bounds_of(fixed_config{.instances = 4}).min, 4u);

  const cloud_run_config config{.min_instances = 1, .max_instances = 9};
  EXPECT_EQ(bounds_of(config).min, 1u);
  EXPECT_EQ(bounds_of(config).max, 9u);
  const auto scaler = make_autoscaler(config, instance, 1, "web");
  EXPECT_EQ(scaler->policy(), "cloud_run");
  scaler->observe({run_start + 1s, 0, 30});
  EXPECT_EQ(scaler->decide(run_start + 1s, {.recommended = 1}).count, 5u) << "30 / (10 x 0.6)";
  scaler->observe({run_start + 2s, 14.4, 30});
  EXPECT_EQ(scaler->decide(run_start + 2s, {.recommended = 1}).count, 6u)
    << "7.2 on average / (2 x 0.6)";
}

} // namespace
} // namespace spillover
