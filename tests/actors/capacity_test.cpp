#include "report/event_log.hpp"
#include "report/verdict.hpp"
#include "tests/support/small_world.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::instances_become;
using test::small_world;
using test::whole_run;

/// The small world, distributed by capacity: so much for each of four endpoints in each region.
scenario capacity_world(std::uint64_t target_milli, balancing_mode mode = balancing_mode::rate) {
  auto x = small_world();
  capacity_config config;
  config.mode = mode;
  config.groups = group_extent::regional;
  config.regions.assign(2, {.target_milli = target_milli});
  x.consumers.front().load_balancer.distribution = config;
  return x;
}

/// @returns the share of all tries that went to a region, in percent.
double share_of(const whole_run& run, std::string_view region, duration from, duration to) {
  double there = 0;
  double all = 0;
  for (const auto& x : run.log().events())
    if (const auto* sample = std::get_if<attempt_sample>(&x.what);
        sample != nullptr && x.at > run_start + from && x.at <= run_start + to) {
      there += sample->region == region ? sample->sent : 0;
      all += sample->sent;
    }
  return 100 * there / all;
}

template <class Event>
std::vector<Event> all_of(const whole_run& run) {
  std::vector<Event> result;
  for (const auto& x : run.log().events())
    if (const auto* y = std::get_if<Event>(&x.what))
      result.push_back(*y);
  return result;
}

TEST(CapacityWorld, SpillsOverWhatTheClosestRegionIsNotToTake) {
  const whole_run run{capacity_world(7'000)};
  EXPECT_NEAR(share_of(run, "near", 30s, 120s), 70, 6) << "28 of 40 a second";
  const auto routes = all_of<routing_changed>(run);
  EXPECT_EQ(routes.front().after, "near") << "nothing is measured yet";
  EXPECT_EQ(routes.back().after, "near+far");
  EXPECT_NE(routes.back().states.find("near=4/4,load:28/28("), std::string::npos)
    << routes.back().states;
  EXPECT_LT(routes.size(), 20u) << "small moves of the load are not told";
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
}

TEST(CapacityWorld, FollowsTheHealthOfEndpointsAndNoComposite) {
  auto x = capacity_world(20'000);
  x.faults = {instances_become(ailment::silent, run_start + 30s, 90s, 0.5)};
  const whole_run run{x};
  EXPECT_EQ(share_of(run, "near", 5s, 30s), 100);
  EXPECT_NEAR(share_of(run, "near", 60s, 120s), 71, 6) << "2 of 4 are healthy: 50 of 70 %";
  EXPECT_EQ(all_of<neg_changed>(run).size(), 0u) << "no PSC NEG tells the composite's state";
  EXPECT_FALSE(all_of<composite_changed>(run).empty());
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
}

TEST(CapacityWorld, BalancesByTheUtilizationThatRegionsTell) {
  // 40 requests a second of 10 ms each are 10 % of four CPUs, and 5 % is what half of them make.
  const whole_run run{capacity_world(50, balancing_mode::utilization)};
  EXPECT_NEAR(share_of(run, "near", 60s, 120s), 50, 12);
  const auto seen = all_of<endpoints_seen>(run);
  EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [](const endpoints_seen& x) {
    return x.zones.find(" cpu=") != std::string::npos;
  }));
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
}

TEST(CapacityWorld, TellsNoUtilizationWhereNobodyBalancesByIt) {
  const whole_run run{capacity_world(7'000)};
  for (const auto& x : all_of<endpoints_seen>(run))
    EXPECT_EQ(x.zones.find("cpu="), std::string::npos) << x.zones;
}

} // namespace
} // namespace spillover
