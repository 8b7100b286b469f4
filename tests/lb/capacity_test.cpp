#include "lb/capacity.hpp"

#include "model/random.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

using loads = std::vector<std::uint64_t>;

constexpr auto by_region = distribution_algorithm::waterfall_by_region;
constexpr auto by_zone = distribution_algorithm::waterfall_by_zone;
constexpr auto spray = distribution_algorithm::spray_to_region;

TEST(Waterfall, FillsInOrderAndOverfillsInProportion) {
  struct {
    const char* why;
    std::uint64_t load = 0;
    loads capacities = {};
    loads expected = {};
  } const cases[] = {
    {"GB-25: the closest first, to its capacity", 900, {600, 400, 200}, {600, 300, 0}},
    {"GB-26: a capacity is no limit", 1500, {600, 400, 200}, {750, 500, 250}},
    {"all of it exactly", 1200, {600, 400, 200}, {600, 400, 200}},
    {"nothing to do", 0, {600, 400}, {0, 0}},
    {"what is drained gets nothing, even beyond all capacity", 900, {0, 400}, {0, 900}},
    {"nowhere to go", 900, {0, 0}, {0, 0}},
    {"what rounding leaves goes to the first", 101, {30, 30, 30}, {34, 34, 33}},
    {"C52: a capacity of 1e8 is never reached", 5'000, {100'000'000, 100}, {5'000, 0}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(waterfall(x.load, x.capacities), x.expected);
  }
}

TEST(CapacityOf, CountsEndpointsAndNotHealthyOnes) {
  struct {
    const char* why;
    capacity_backend of = {};
    std::uint64_t whole = 0;
    std::uint64_t each = 0;
  } const cases[] = {
    {"B-51: 100 for each of 10", {.target_milli = 100, .endpoints = 10, .healthy = 10}, 1000, 100},
    {"B-51: half of them get twice as much",
     {.target_milli = 100, .endpoints = 10, .healthy = 5},
     1000,
     200},
    {"a target of the group does not grow with it",
     {.target_milli = 600, .per_endpoint = false, .endpoints = 10, .healthy = 6},
     600,
     100},
    {"B-53: half of the capacity",
     {.target_milli = 100, .endpoints = 10, .healthy = 10, .scaler_milli = 500},
     500,
     50},
    {"B-53: drained",
     {.target_milli = 100, .endpoints = 10, .healthy = 10, .scaler_milli = 0},
     0,
     0},
    {"nobody is healthy", {.target_milli = 100, .endpoints = 10, .healthy = 0}, 0, 0},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(capacity_of(x.of), x.whole);
    EXPECT_EQ(capacity_per_healthy(x.of), x.each);
  }
}

capacity_backend backend(std::uint32_t region, std::uint32_t zone, std::uint64_t capacity,
                         bool preferred = false) {
  return {.region = region,
          .zone = zone,
          .target_milli = capacity,
          .per_endpoint = false,
          .endpoints = 4,
          .healthy = 4,
          .preferred = preferred};
}

TEST(Distribute, FollowsTheAlgorithmAndPreferences) {
  // Two zones of the closest region, one of the next.
  const std::vector<capacity_backend> plain{backend(0, 0, 300), backend(0, 1, 100),
                                            backend(1, 0, 400)};
  auto far_preferred = plain;
  far_preferred[2].preferred = true;
  auto near_drained = plain;
  near_drained[0].scaler_milli = 0;
  struct {
    const char* why;
    std::vector<capacity_backend> backends = {};
    distribution_algorithm how = by_region;
    std::uint64_t load = 0;
    loads expected = {};
  } const cases[] = {
    {"B-50: zones of a region in proportion", plain, by_region, 200, {150, 50, 0}},
    {"B-50: then the next region", plain, by_region, 500, {300, 100, 100}},
    {"by zone: the closest zone first", plain, by_zone, 200, {200, 0, 0}},
    {"by zone: then the next one of the region", plain, by_zone, 350, {300, 50, 0}},
    {"spray: loads are those by region", plain, spray, 200, {150, 50, 0}},
    {"B-52: all are full", plain, by_region, 1600, {600, 200, 800}},
    {"B-54: preferred, however far", far_preferred, by_region, 500, {75, 25, 400}},
    {"B-53: a drained one gets nothing", near_drained, by_zone, 200, {0, 100, 100}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(distribute(x.load, x.backends, x.how), x.expected);
  }
}

TEST(Distribute, LosesNothingAndFillsNoOneBeforeTheCloser) {
  random_stream random{1, "capacity"};
  for (int i = 0; i < 2'000; ++i) {
    std::vector<capacity_backend> backends;
    for (auto n = 1 + random.below(8); n > 0; --n)
      backends.push_back(backend(static_cast<std::uint32_t>(random.below(3)),
                                 static_cast<std::uint32_t>(random.below(3)),
                                 1 + random.below(1'000), random.below(4) == 0));
    const auto load = random.below(6'000);
    const auto how = static_cast<distribution_algorithm>(random.below(3));
    const auto found = distribute(load, backends, how);
    ASSERT_EQ(std::accumulate(found.begin(), found.end(), std::uint64_t{0}), load);
    for (std::size_t a = 0; a < found.size(); ++a)
      for (std::size_t b = 0; b < found.size(); ++b)
        if (backends[a].preferred == backends[b].preferred
            && backends[a].region < backends[b].region && found[b] > 0) {
          // By one because of what rounding leaves.
          ASSERT_GE(found[a] + 1, capacity_of(backends[a]));
        }
  }
}

TEST(KeptByPrimary, FallsInProportionBelowTheThreshold) {
  struct {
    const char* why;
    std::uint32_t healthy = 0;
    std::uint32_t total = 10;
    std::uint32_t threshold = 70;
    std::uint32_t expected = 0;
  } const cases[] = {
    {"B-56: all of it at the threshold", 7, 10, 70, 1000},
    {"above it", 10, 10, 70, 1000},
    {"60 % of 70 %", 6, 10, 70, 857},
    {"nobody", 0, 10, 70, 0},
    {"no endpoint at all", 0, 0, 70, 0},
    {"the classic balancer's threshold", 5, 10, 50, 1000},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(kept_by_primary(x.healthy, x.total, x.threshold), x.expected);
  }
}

TEST(IsolatedRegion, IsTheNearestOrNone) {
  // B-57.
  EXPECT_EQ(isolated_region({true, true}, isolation_mode::nearest), 0u);
  EXPECT_EQ(isolated_region({false, true}, isolation_mode::nearest), 1u);
  EXPECT_EQ(isolated_region({false, true}, isolation_mode::strict), 2u);
  EXPECT_EQ(isolated_region({true, false}, isolation_mode::strict), 0u);
  EXPECT_EQ(isolated_region({false, false}, isolation_mode::nearest), 2u);
}

std::vector<capacity_backend> with_healthy(const std::vector<std::uint32_t>& of_20) {
  std::vector<capacity_backend> result;
  for (const auto x : of_20)
    result.push_back({.target_milli = 1, .endpoints = 20, .healthy = x});
  return result;
}

std::string drained(const auto_capacity_drain& x, std::size_t count) {
  std::string result;
  for (std::uint32_t i = 0; i < count; ++i)
    result += x.drained(i) ? 'd' : '-';
  return result;
}

TEST(AutoCapacityDrain, DrainsTheSickWhileTheyAreTheMinority) {
  struct {
    const char* why;
    std::vector<std::uint32_t> healthy = {}; // of 20
    const char* expected = "";
  } const cases[] = {
    {"GB-27: one of three", {0, 20, 20}, "d--"},
    {"GB-28: two of four are too many", {0, 2, 20, 20}, "----"},
    {"GB-28: exactly 25 % is no candidate", {5, 20, 20}, "---"},
    {"just below", {4, 20, 20}, "d--"},
    {"two of five", {0, 4, 20, 20, 20}, "dd---"},
    {"the only one", {0}, "-"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto count = x.healthy.size();
    auto_capacity_drain subject{static_cast<std::uint32_t>(count)};
    subject.observe(run_start, with_healthy(x.healthy));
    EXPECT_EQ(drained(subject, count), x.expected);
  }
}

TEST(AutoCapacityDrain, AGroupWithoutCapacityIsOneOfAllAndNoCandidate) {
  auto backends = with_healthy({0, 0, 20, 20});
  backends[1].scaler_milli = 0;
  auto_capacity_drain subject{4};
  subject.observe(run_start, backends);
  EXPECT_EQ(drained(subject, 4), "d---");
}

TEST(AutoCapacityDrain, UsesAGroupAgainOnceItWasWellForAMinute) {
  auto_capacity_drain subject{3};
  EXPECT_TRUE(subject.observe(run_start, with_healthy({0, 20, 20})));
  EXPECT_EQ(subject.next(), never);
  // 30 % is no candidate any more, and not well either.
  EXPECT_FALSE(subject.observe(run_start + 10s, with_healthy({6, 20, 20})));
  EXPECT_FALSE(subject.observe(run_start + 20s, with_healthy({7, 20, 20})));
  EXPECT_EQ(subject.next(), run_start + 80s);
  // A relapse begins the minute anew.
  EXPECT_FALSE(subject.observe(run_start + 50s, with_healthy({6, 20, 20})));
  EXPECT_FALSE(subject.observe(run_start + 60s, with_healthy({20, 20, 20})));
  EXPECT_FALSE(subject.observe(run_start + 119s, with_healthy({20, 20, 20})));
  EXPECT_EQ(drained(subject, 3), "d--");
  EXPECT_TRUE(subject.observe(run_start + 120s, with_healthy({20, 20, 20})));
  EXPECT_EQ(drained(subject, 3), "---");
}

TEST(CapacityBackend, RefusesWhatIsOutOfRange) {
  struct {
    const char* why;
    capacity_backend of = {};
    bool alone = false;
    std::vector<std::string> expected = {};
  } const cases[] = {
    {"all is well", {.target_milli = 1}, true, {}},
    {"a scaler of less than a tenth",
     {.target_milli = 1, .scaler_milli = 99},
     false,
     {"capacity_scaler: must be 0, or from 0.1 to 1"}},
    {"drained", {.target_milli = 1, .scaler_milli = 0}, false, {}},
    {"the only one, drained",
     {.target_milli = 1, .scaler_milli = 0},
     true,
     {"capacity_scaler: must not be 0 for the only backend"}},
    {"no target", {}, false, {"target: must be above 0"}},
    {"more healthy than there are",
     {.target_milli = 1, .endpoints = 1, .healthy = 2},
     false,
     {"healthy: must be at most the number of endpoints"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(validate(x.of, x.alone), x.expected);
  }
}

} // namespace
