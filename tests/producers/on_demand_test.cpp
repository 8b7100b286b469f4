#include "producers/on_demand.hpp"

#include <gtest/gtest.h>

namespace spillover {
namespace {

using namespace std::chrono_literals;

TEST(OnDemand, ComparesComingExistingAndNewInThisOrder) {
  using enum on_demand_choice;
  const auto maximum = 10u;
  struct {
    const char* why;
    on_demand_waits waits;
    on_demand_choice expected;
  } const cases[] = {
    {"GA-20: a slot is free", {true, 1s, 1s, 4s, 2, maximum}, serve},
    {"GA-20: nothing runs", {false, {}, {}, 4s, 0, maximum}, start_new},
    {"GA-20: coming 1.5 s, existing 2 s, cold 4 s",
     {false, 1500ms, 2s, 4s, 2, maximum},
     queue_coming},
    {"GA-21: coming 3 s, existing 0.2 s, cold 4 s",
     {false, 3s, 200ms, 4s, 2, maximum},
     queue_existing},
    {"GA-21: existing 9 s, cold 4 s", {false, {}, 9s, 4s, 2, maximum}, start_new},
    {"GA-21: the same at the maximum", {false, {}, 9s, 4s, 10, maximum}, queue_existing},
    {"all equal: the one that comes anyway", {false, 4s, 4s, 4s, 2, maximum}, queue_coming},
    {"existing and new equal: the existing one", {false, {}, 4s, 4s, 2, maximum}, queue_existing},
    {"coming later than a new one would", {false, 5s, 9s, 4s, 2, maximum}, start_new},
    {"the same at the maximum", {false, 5s, 9s, 4s, 10, maximum}, queue_coming},
    {"nothing to wait for at the maximum", {false, {}, {}, 4s, 10, maximum}, queue_existing},
    {"above the maximum", {false, {}, {}, 4s, 11, maximum}, queue_existing},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(to_string(choose(x.waits)), to_string(x.expected));
  }
}

TEST(PendingLimit, GA_19_IsTheLargerOfTheFloorAndThreeAndAHalfColdStarts) {
  struct {
    const char* why;
    duration cold_start;
    duration expected;
  } const cases[] = {
    {"2 s: the floor", 2s, 10s},
    {"4 s", 4s, 14s},
    {"20 s", 20s, 70s},
    {"break-even at 20/7 s, just below", 2'857'142'857ns, 10s},
    {"just above", 2'857'142'858ns, 10'000'000'003ns},
    {"no cold start", 0s, 10s},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(pending_limit({}, x.cold_start), x.expected);
  }
  EXPECT_EQ(pending_limit({.floor = 30s, .cold_start_factor = 2}, 20s), 40s);
  // As long as a span can be, not beyond what it can hold.
  EXPECT_EQ(pending_limit({.cold_start_factor = 1000}, std::chrono::years{100}),
            std::chrono::years{100});
}

TEST(PendingConfig, IsCheckedFieldByField) {
  EXPECT_TRUE(validate(pending_config{}).empty());
  EXPECT_EQ(validate(pending_config{.floor = 0s, .cold_start_factor = 0}).size(), 2u);
  EXPECT_EQ(validate(pending_config{.cold_start_factor = 1001}).size(), 1u);
}

TEST(ColdStartEstimator, BelievesTheConfigurationUntilItHasSeenAStart) {
  cold_start_estimator x{2s};
  EXPECT_EQ(x.predict(), 2s);
  x.observe(5s);
  EXPECT_EQ(x.predict(), 5s);
  x.observe(6s);
  EXPECT_EQ(x.predict(), 5500ms);
}

} // namespace
} // namespace spillover
