#include "tests/lb/capacity_world.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::capacity_run;
using test::region_zones;

// Two regions of ten endpoints each, whose target is ten requests a second.
capacity_config two_regions() {
  capacity_config x;
  x.groups = group_extent::regional;
  x.regions.assign(2, {.target_milli = 10'000});
  return x;
}

const region_zones all_well{{{10, 10, 0}}};

region_zones healthy(std::uint32_t of_10) {
  return {{{10, of_10, 0}}};
}

capacity_run run_of(const capacity_config& config, const std::vector<region_zones>& zones) {
  capacity_run result{config};
  for (std::uint32_t i = 0; i < zones.size(); ++i)
    result.tell(i, zones[i]);
  return result;
}

TEST(CapacityRouter, FillsTheClosestRegionAndSpillsTheRest) {
  struct {
    const char* why;
    std::uint32_t rate = 0;
    std::vector<region_zones> zones = {};
    const char* expected = "";
  } const cases[] = {
    {"nothing measured yet, or nothing sent", 0, {all_well, all_well}, "a"},
    {"B-50: within its capacity", 100, {all_well, all_well}, "a"},
    {"B-50: 100 of 200, the rest to the next", 200, {all_well, all_well}, "a50 b50"},
    {"B-52: both are full, and filled on in proportion",
     400,
     {all_well, {{{30, 30, 0}}}},
     "a25 b75"},
    {"B-51: unhealthy endpoints count for the capacity", 200, {healthy(8), all_well}, "a50 b50"},
    {"B-56: 5 of 10 are below 70 %: 71.4 % of 100 stay", 100, {healthy(5), all_well}, "a71 b29"},
    {"B-51: without a healthy endpoint there is none", 100, {healthy(0), all_well}, "b"},
    {"the next one is full: what was shed comes back", 210, {healthy(5), all_well}, "a49 b51"},
    {"more endpoints are more capacity", 200, {{{{20, 20, 0}}}, all_well}, "a"},
    {"endpoints without a state count as well ones", 100, {{{{10, 0, 10}}}, all_well}, "a"},
    {"B-30: nobody is well, so all are used, by endpoints",
     100,
     {healthy(0), {{{30, 0, 0}}}},
     "a25 b75!"},
    {"nobody at all", 100, {{{{0, 0, 0}}}, {{{0, 0, 0}}}}, "a!"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto run = run_of(two_regions(), x.zones);
    run.pass(10, x.rate);
    EXPECT_EQ(run.route(), x.expected);
  }
}

TEST(CapacityRouter, SendsAsItsSharesSay) {
  auto run = run_of(two_regions(), {all_well, all_well});
  run.pass(10, 1'000);
  const auto sent = run.pass(1, 1'000);
  // 500 each in the mean, 16 the standard deviation: five of them.
  EXPECT_NEAR(sent[0], 500, 80);
  EXPECT_EQ(sent[0] + sent[1], 1'000u);
}

TEST(CapacityRouter, FollowsItsSettings) {
  struct {
    const char* why;
    void (*change)(capacity_config&) = nullptr;
    std::vector<region_zones> zones = {};
    const char* expected = "";
  } const cases[] = {
    {"B-51: a target of the whole group",
     [](auto& x) {
       x.regions[0] = {50'000, false};
     },
     {all_well, all_well},
     "a33 b67"},
    {"B-53: half of the target",
     [](auto& x) { x.regions[0].scaler_milli = 500; },
     {all_well, all_well},
     "a33 b67"},
    {"B-53: drained", [](auto& x) { x.regions[0].scaler_milli = 0; }, {all_well, all_well}, "b"},
    {"drained, though the other one is ill",
     [](auto& x) { x.regions[0].scaler_milli = 0; },
     {all_well, healthy(0)},
     "b!"},
    {"B-54: the preferred one first",
     [](auto& x) { x.regions[1].preferred = true; },
     {all_well, {{{15, 15, 0}}}},
     "a25 b75"},
    {"B-56: another threshold",
     [](auto& x) { x.failover_health_threshold = 50; },
     {healthy(5), {{{20, 20, 0}}}},
     "a50 b50"},
    {"a zone without a healthy endpoint has no capacity",
     [](auto& x) { x.groups = group_extent::zonal; },
     {{{{5, 5, 0}, {5, 0, 0}}}, all_well},
     "a33 b67"},
    {"which one group for all of the region hides",
     [](auto&) {},
     {{{{5, 5, 0}, {5, 3, 0}}}, all_well},
     "a50 b50"},
    {"B-55: few healthy ones",
     [](auto& x) {
       x.groups = group_extent::zonal;
       x.auto_capacity_drain = true;
     },
     {{{{10, 2, 0}, {10, 10, 0}}}, all_well},
     "a50 b50"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto config = two_regions();
    x.change(config);
    auto run = run_of(config, x.zones);
    run.pass(10, 200);
    EXPECT_EQ(run.route(), x.expected);
  }
}

TEST(CapacityRouter, KeepsToTheNearestWhenIsolated) {
  constexpr auto nearest = isolation_mode::nearest;
  constexpr auto strict = isolation_mode::strict;
  struct {
    const char* why;
    isolation_mode mode = nearest;
    std::vector<region_zones> zones = {};
    const char* expected = "";
  } const cases[] = {
    {"B-57: whatever comes", nearest, {all_well, all_well}, "a"},
    {"B-57: the next one when the nearest is gone", nearest, {healthy(0), all_well}, "b"},
    {"B-57: everybody when all are gone", nearest, {healthy(0), healthy(0)}, "a50 b50!"},
    {"B-57: strict uses the nearest", strict, {all_well, all_well}, "a"},
    {"B-57: and nobody else", strict, {healthy(0), all_well}, ""},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto config = two_regions();
    config.isolation = x.mode;
    auto run = run_of(config, x.zones);
    EXPECT_EQ(run.route(), x.expected);
    const auto sent = run.pass(10, 200);
    EXPECT_EQ(run.route(), x.expected);
    EXPECT_EQ(sent[0] + sent[1], *x.expected == '\0' ? 0u : 200u);
  }
}

TEST(CapacityRouter, MeasuresOverItsWindow) {
  auto run = run_of(two_regions(), {all_well, all_well});
  EXPECT_EQ(run.router().load_milli(), 0u);
  run.pass(1, 80);
  EXPECT_EQ(run.router().load_milli(), 80'000u) << "the mean of what there is";
  run.pass(9, 80);
  run.pass(5, 160);
  EXPECT_EQ(run.router().load_milli(), 120'000u);
  run.pass(5, 160);
  EXPECT_EQ(run.router().load_milli(), 160'000u) << "80 is forgotten";
  run.pass(10, 0);
  EXPECT_EQ(run.router().load_milli(), 0u);
  EXPECT_EQ(run.route(), "a");
}

TEST(CapacityRouter, CountsWhatIsInFlight) {
  auto config = two_regions();
  config.mode = balancing_mode::connection;
  config.measured_over = 1s;
  auto run = run_of(config, {all_well, all_well});
  run.pass(1, 100, false);
  EXPECT_EQ(run.router().load_milli(), 100'000u);
  EXPECT_EQ(run.route(), "a");
  run.pass(1, 60, false);
  EXPECT_EQ(run.router().load_milli(), 160'000u);
  EXPECT_EQ(run.route(), "a63 b37");
  for (int i = 0; i < 110; ++i)
    run.router().ended(0);
  run.pass(1, 0);
  EXPECT_EQ(run.router().load_milli(), 50'000u);
  EXPECT_EQ(run.route(), "a");
}

TEST(CapacityRouter, MakesARateOfAUtilization) {
  auto config = two_regions();
  config.mode = balancing_mode::utilization;
  config.regions.assign(2, {.target_milli = capacity_config::usual_utilization});
  auto run = run_of(config, {{{{10, 10, 0}}, 400}, {{{10, 10, 0}}, 0}});
  run.pass(10, 100);
  EXPECT_EQ(run.route(), "a") << "80 % would be 200 a second";
  EXPECT_EQ(run.router().described(0), "10/10,load:100/200");
  EXPECT_EQ(run.router().described(1), "10/10,load:0/?")
    << "nobody knows what a request costs there";
  run.tell(0, {{{10, 10, 0}}, 1000});
  run.pass(9, 100);
  EXPECT_EQ(run.router().described(0), "10/10,load:80/80")
    << "80 % of 100 a second make 80 % of the CPU";
  EXPECT_EQ(run.route(), "a80 b20") << "and are not made of what it sends since";
  run.pass(10, 100);
  EXPECT_NE(run.router().described(0), "10/10,load:80/80") << "a window later it is still as busy";
  run.tell(0, {{{10, 10, 0}}, 500});
  run.pass(10, 100);
  EXPECT_EQ(run.route(), "a");
}

TEST(CapacityRouter, TakesOtherProxiesToBeAsBusy) {
  capacity_run run{two_regions(), unknown_policy::as_healthy, 4};
  run.tell(0, all_well);
  run.tell(1, all_well);
  run.pass(10, 50);
  EXPECT_EQ(run.router().load_milli(), 200'000u);
  EXPECT_EQ(run.route(), "a50 b50");
}

TEST(CapacityRouter, TellsARouteWhenItMovedByFivePoints) {
  auto run = run_of(two_regions(), {all_well, {{{20, 20, 0}}}});
  run.pass(10, 200);
  EXPECT_EQ(run.route(), "a50 b50");
  run.pass(10, 215);
  EXPECT_EQ(run.route(), "a50 b50") << "46.5 %";
  EXPECT_EQ(run.router().described(0), "10/10,load:100/100") << "which it does all the same";
  run.pass(10, 225);
  EXPECT_EQ(run.route(), "a45 b55") << "on the way to 44.4 %";
  run.pass(10, 101);
  EXPECT_EQ(run.route(), "a99 b1");
}

TEST(CapacityRouter, HasRoomWhereNobodyToldTheEndpoints) {
  capacity_run run{two_regions()};
  run.router().set(run_start, 0, health::healthy);
  run.pass(10, 5'000);
  EXPECT_EQ(run.route(), "a");
  EXPECT_EQ(run.router().described(0), "HEALTHY");
  run.tell(0, all_well);
  EXPECT_EQ(run.route(), "a2 b98");
  run.router().set(run.now(), 1, health::unhealthy);
  EXPECT_EQ(run.route(), "a");
}

TEST(CapacityRouter, LeavesWhatOutlierDetectionEjected) {
  auto run = run_of(two_regions(), {all_well, all_well});
  run.router().set_ejected(run.now(), 0, true);
  EXPECT_EQ(run.route(), "b");
  run.router().set_ejected(run.now(), 1, true);
  EXPECT_EQ(run.route(), "a50 b50!");
  run.router().set_ejected(run.now(), 0, false);
  EXPECT_EQ(run.route(), "a");
}

TEST(CapacityRouter, TriesAgainWhereItDidNot) {
  auto config = two_regions();
  config.regions.resize(3, config.regions.front());
  auto run = run_of(config, {all_well, all_well, all_well});
  run.pass(10, 200);
  random_stream random{1, "retries"};
  region_set tried;
  tried.insert(0);
  EXPECT_EQ(run.router().pick(run.now(), random, tried, 1), 1u);
  tried.insert(1);
  EXPECT_EQ(run.router().pick(run.now(), random, tried, 1), 2u) << "it gets no load, but has room";
  tried.insert(2);
  EXPECT_NE(run.router().pick(run.now(), random, tried, 1), 2u) << "as if none were tried";
}

TEST(CapacityRouter, SaysWhatKeepsARegionFromMore) {
  auto config = two_regions();
  config.groups = group_extent::zonal;
  config.auto_capacity_drain = true;
  auto run = run_of(config, {{{{10, 2, 0}, {10, 6, 0}}}, {{{10, 10, 0}, {10, 10, 0}}}});
  run.pass(10, 150);
  EXPECT_EQ(run.router().described(0), "8/20,load:86/100,drained:1/2,sheds");
  EXPECT_EQ(run.router().described(1), "20/20,load:64/200");
  config.isolation = isolation_mode::nearest;
  auto isolated = run_of(config, {all_well, all_well});
  isolated.pass(10, 150);
  EXPECT_EQ(isolated.router().described(0), "10/10,load:150/100");
  EXPECT_EQ(isolated.router().described(1), "10/10,load:0/0,isolated");
}

TEST(CapacityRouter, UsesADrainedZoneAgainAfterAMinute) {
  auto config = two_regions();
  config.groups = group_extent::zonal;
  config.auto_capacity_drain = true;
  const region_zones far{{{10, 10, 0}, {10, 10, 0}}};
  auto run = run_of(config, {{{{10, 0, 0}, {10, 10, 0}}}, far});
  run.pass(10, 200);
  EXPECT_EQ(run.route(), "a50 b50");
  run.tell(0, {{{10, 10, 0}, {10, 10, 0}}});
  run.pass(59, 200);
  EXPECT_EQ(run.route(), "a50 b50") << "B-55";
  run.pass(1, 200);
  EXPECT_EQ(run.route(), "a");
}

} // namespace
