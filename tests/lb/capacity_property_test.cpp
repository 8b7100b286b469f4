#include "tests/lb/capacity_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace {

using namespace spillover;
using test::capacity_run;
using test::region_zones;

/// Random configurations, endpoints and loads.
class any_capacity {
public:
  explicit any_capacity(std::uint64_t seed) : random_(seed, "capacity") {}

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_.below(n)); }
  bool coin() { return below(2) == 0; }

  capacity_config config() {
    capacity_config x;
    x.mode = coin() ? balancing_mode::rate : balancing_mode::connection;
    x.algorithm = static_cast<distribution_algorithm>(below(3));
    x.groups = coin() ? group_extent::zonal : group_extent::regional;
    for (auto n = 1 + below(5); n > 0; --n)
      x.regions.push_back({.target_milli = 1 + random_.below(50'000),
                           .per_endpoint = coin(),
                           .scaler_milli = below(5) == 0 ? 0 : 100 + below(901),
                           .preferred = below(4) == 0});
    x.auto_capacity_drain = coin();
    x.failover_health_threshold = 1 + below(99);
    if (below(4) == 0)
      x.isolation = coin() ? isolation_mode::nearest : isolation_mode::strict;
    return x;
  }

  region_zones zones() {
    region_zones x;
    for (auto n = below(4); n > 0; --n) {
      const auto total = below(8);
      const auto ill = below(3) == 0;
      x.zones.push_back({total, ill ? below(total + 1) : total, 0});
    }
    return x;
  }

private:
  random_stream random_;
};

std::uint64_t sum_of(const std::vector<std::uint64_t>& x) {
  return std::accumulate(x.begin(), x.end(), std::uint64_t{0});
}

// What holds however load was distributed.
void check(const capacity_run& run, const capacity_router& x, const capacity_config& config) {
  const auto& backends = x.backends();
  const auto& loads = x.loads();
  ASSERT_EQ(backends.size(), loads.size());
  std::uint64_t room = 0;
  std::uint64_t over = 0;
  std::uint64_t capacities = 0;
  for (std::size_t i = 0; i < backends.size(); ++i) {
    const auto capacity = capacity_of(backends[i]);
    capacities += capacity;
    room += capacity - std::min(capacity, loads[i]);
    over += loads[i] - std::min(capacity, loads[i]);
  }
  const auto& route = x.current();
  if (config.isolation == isolation_mode::strict && capacities == 0) {
    ASSERT_TRUE(route.regions.empty());
    return;
  }
  ASSERT_EQ(sum_of(loads), std::max<std::uint64_t>(x.load_milli(), 1000)) << "nothing is lost";
  ASSERT_FALSE(route.regions.empty());
  const auto percents = std::accumulate(route.shares.begin(), route.shares.end(), 0u);
  ASSERT_EQ(route.shares.empty() ? 100 : percents, 100u) << run.route();
  ASSERT_EQ(route.fail_open, capacities == 0);
  if (capacities == 0)
    return;
  ASSERT_TRUE(room == 0 || over == 0) << "beyond capacity, while another one had room";
  for (std::size_t i = 0; i < backends.size(); ++i)
    if (capacity_of(backends[i]) == 0) {
      ASSERT_EQ(loads[i], 0u) << "drained, isolated, or nobody is healthy";
    }
}

TEST(CapacityRouterProperty, LosesNothingAndOverfillsOnlyWhenAllAreFull) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    any_capacity from{seed};
    const auto config = from.config();
    const auto proxies = 1 + from.below(3);
    capacity_run run{config, unknown_policy::as_healthy, proxies};
    for (int step = 0; step < 12; ++step) {
      const auto region = from.below(static_cast<std::uint32_t>(config.regions.size()));
      if (from.below(3) == 0)
        run.router().set_ejected(run.now(), region, from.coin());
      else
        run.tell(region, from.zones());
      run.pass(1 + from.below(20), from.below(300), from.coin());
      ASSERT_NO_FATAL_FAILURE(check(run, run.router(), config));
    }
  }
}

// A manual drain holds even when all others are ill.
TEST(CapacityRouterProperty, DrainedRegionsGetNothingUnlessAllAre) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    any_capacity from{seed};
    auto config = from.config();
    config.isolation.reset();
    capacity_run run{config};
    for (std::uint32_t i = 0; i < config.regions.size(); ++i)
      run.tell(i, from.zones());
    run.pass(10, from.below(300));
    std::uint64_t others = 0; // endpoints of regions that are not drained
    for (const auto& x : run.router().backends())
      others += config.regions[x.region].scaler_milli > 0 ? x.endpoints : 0;
    if (others == 0)
      continue;
    for (const auto region : run.router().current().regions)
      ASSERT_GT(config.regions[region].scaler_milli, 0u) << run.route();
  }
}

TEST(DistributeProperty, ShedsBelowTheThresholdOnlyWhereOthersHaveRoom) {
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    any_capacity from{seed};
    std::vector<capacity_backend> backends;
    for (auto n = 1 + from.below(6); n > 0; --n) {
      const auto total = 1 + from.below(10);
      backends.push_back({.region = from.below(3),
                          .zone = from.below(3),
                          .target_milli = 1 + from.below(1'000),
                          .endpoints = total,
                          .healthy = from.below(total + 1),
                          .preferred = from.below(4) == 0});
    }
    const std::uint64_t load = from.below(20'000);
    const auto how = static_cast<distribution_algorithm>(from.below(3));
    const auto plain = distribute(load, backends, how);
    const auto shed = distribute(load, backends, how, 70);
    ASSERT_EQ(sum_of(shed), sum_of(plain));
    std::uint64_t well_room = 0;
    for (std::size_t i = 0; i < backends.size(); ++i)
      if (kept_by_primary(backends[i].healthy, backends[i].endpoints, 70) == 1000)
        well_room += capacity_of(backends[i]) - std::min(capacity_of(backends[i]), shed[i]);
    for (std::size_t i = 0; i < backends.size(); ++i) {
      const auto kept = kept_by_primary(backends[i].healthy, backends[i].endpoints, 70);
      // While a well one has room, an ill one keeps its part and gets nothing from others.
      if (kept < 1000 && well_room > 0) {
        ASSERT_EQ(shed[i], plain[i] * kept / 1000);
      }
    }
  }
}

/// @returns the load of each region.
std::vector<std::uint64_t> by_region(const std::vector<capacity_backend>& backends,
                                     distribution_algorithm how, std::uint64_t load,
                                     std::uint32_t threshold) {
  const auto loads = distribute(load, backends, how, threshold);
  std::vector<std::uint64_t> result(backends.back().region + 1);
  for (std::size_t i = 0; i < loads.size(); ++i)
    result[backends[i].region] += loads[i];
  return result;
}

// Both fill one region before the next one, and differ in where that begins. So regions see a difference only
// where a zone sheds a part of what it got (B-56).
TEST(CapacityRouterProperty, B_49_RegionsGetTheSameByZoneAndByRegionUnlessAZoneSheds) {
  using enum distribution_algorithm;
  std::uint64_t spilt = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    any_capacity from{seed};
    std::vector<capacity_backend> backends;
    for (std::uint32_t region = 0; region < 3; ++region)
      for (std::uint32_t zone = 0; zone < 3; ++zone) {
        const auto endpoints = 1 + from.below(8);
        backends.push_back({region, zone, 1'000 + from.below(50'000), true, endpoints, endpoints,
                            100 + from.below(901)});
      }
    const auto load = 1'000'000 + std::uint64_t{from.below(1'500'000)};
    const auto wanted = by_region(backends, waterfall_by_region, load, 70);
    const auto found = by_region(backends, waterfall_by_zone, load, 70);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      // Each of three parts may be rounded.
      ASSERT_LE(std::max(wanted[i], found[i]) - std::min(wanted[i], found[i]), 3u);
    spilt += wanted[1] > 0 ? 1 : 0;
  }
  EXPECT_GT(spilt, 100u);
}

TEST(CapacityRouterProperty, B_56_AZoneThatShedsShowsWhichOneIsFilledFirst) {
  using enum distribution_algorithm;
  // Two zones of 300 each, one of which keeps 50 / 70 of its load, and a second region.
  const struct {
    const char* why;
    distribution_algorithm how;
    std::uint32_t ill;
    std::vector<std::uint64_t> expected;
  } cases[] = {
    {"250 each; 72 are shed, 50 of them find room", waterfall_by_region, 0, {478'500, 21'500}},
    {"whichever zone is ill", waterfall_by_region, 1, {478'500, 21'500}},
    {"300 and 200; 57 are shed by the second zone, and the first one is full",
     waterfall_by_zone,
     1,
     {442'800, 57'200}},
    {"300 and 200; 86 are shed by the first zone, and the second one has room",
     waterfall_by_zone,
     0,
     {500'000, 0}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    std::vector<capacity_backend> backends;
    for (std::uint32_t zone = 0; zone < 2; ++zone)
      backends.push_back({0, zone, 30'000, true, 10, zone == x.ill ? 5u : 10u});
    backends.push_back({1, 0, 100'000, true, 10, 10});
    EXPECT_EQ(by_region(backends, x.how, 500'000, 70), x.expected);
  }
}

} // namespace
