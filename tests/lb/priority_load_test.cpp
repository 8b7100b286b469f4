#include "lb/priority_load.hpp"

#include "model/random.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace spillover;

// Healthy loads, then degraded ones if there are any, then the priorities in panic.
std::string text(const std::vector<priority_share>& x) {
  std::string healthy;
  std::string degraded;
  std::string panic;
  auto any = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    healthy.append(i == 0 ? "" : "/").append(std::to_string(x[i].healthy_load));
    degraded.append(i == 0 ? " + " : "/").append(std::to_string(x[i].degraded_load));
    any = any || x[i].degraded_load > 0;
    if (x[i].panic)
      panic.append(panic.empty() ? " panic P" : ",P").append(std::to_string(i));
  }
  return healthy.append(any ? degraded : "").append(panic);
}

// Priorities of 100 hosts, by how many of them are healthy.
std::string split(const std::vector<std::uint32_t>& healthy, std::uint32_t threshold = 50) {
  std::vector<priority_hosts> hosts;
  for (const auto x : healthy)
    hosts.push_back({100, x, 0, 0});
  return text(split_load(hosts, 140, threshold));
}

TEST(PriorityLoad, GB_21_SplitsAsTheCodeOfEnvoyDoes) {
  struct {
    const char* why;
    std::vector<std::uint32_t> healthy;
    const char* expected;
    std::uint32_t threshold = 50;
  } const cases[] = {
    {"C58: 72 % are enough for all", {72, 72}, "100/0"},
    {"C58: 71 % are one too few", {71, 71}, "99/1"},
    {"the second takes the rest", {50, 100}, "70/30"},
    {"B-65: not what the page on panic says", {50, 60}, "70/30"},
    {"there is enough health elsewhere, so nobody panics", {25, 100}, "35/65"},
    {"C58: total panic, by hosts", {25, 25}, "50/50 panic P0,P1"},
    {"B-65: 98 in all, and the remainder goes to the first", {5, 65}, "8/92 panic P0"},
    {"three", {25, 25, 100}, "35/35/30"},
    {"B-65: total panic, and the remainder goes to the first",
     {25, 25, 20},
     "34/33/33 panic P0,P1,P2"},
    {"without panic", {25, 25, 20}, "37/35/28", 0},
    {"one at 50 % is not in panic: below is", {50, 0}, "100/0 panic P1"},
    {"C67: everybody is sick", {0, 0}, "50/50 panic P0,P1"},
    {"C67: everybody is sick, and nobody may panic: the first, which refuses", {0, 0}, "100/0", 0},
    {"a threshold above 100 is 100", {70, 0}, "50/50 panic P0,P1", 200},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(split(x.healthy, x.threshold), x.expected);
  }
}

TEST(PriorityLoad, GB_21_SplitsByGivenHealth) {
  struct {
    const char* why;
    std::vector<std::uint32_t> health;
    std::vector<std::uint32_t> degraded;
    const char* expected;
  } const cases[] = {
    {"scaled to 100", {20, 30}, {0, 0}, "40/60"},
    {"healthy ones first, then degraded ones", {10, 20, 10}, {20, 10, 0}, "16/28/14 + 28/14/0"},
    {"only degraded: the remainder goes to the first of them", {0, 0}, {0, 30}, "0/0 + 0/100"},
    {"the remainder goes to the first that is healthy at all",
     {0, 33, 33},
     {0, 0, 33},
     "0/34/33 + 0/0/33"},
    {"nobody", {0, 0}, {0, 0}, "0/0"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(text(split_by_health(x.health, x.degraded)), x.expected);
  }
}

TEST(PriorityLoad, GB_22_RoundsHealthDown) {
  struct {
    const char* why;
    std::uint32_t available;
    std::uint32_t total;
    std::uint32_t factor;
    std::uint32_t expected;
  } const cases[] = {
    {"exactly 100", 5, 7, 140, 100},
    {"98", 7, 10, 140, 98},
    {"capped", 10, 10, 140, 100},
    {"46.7", 1, 3, 140, 46},
    {"C53: one of a hundred is enough", 1, 100, 100'000, 100},
    {"C53: none is not", 0, 100, 100'000, 0},
    {"no hosts", 0, 0, 140, 0},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(priority_health(x.available, x.total, x.factor), x.expected);
  }
}

TEST(PriorityLoad, GB_23_SplitsByHostsInTotalPanic) {
  const auto at = [](std::vector<priority_hosts> x) { return text(split_load(x, 140, 50)); };
  EXPECT_EQ(at({{10, 0, 0, 0}, {5, 0, 0, 0}}), "67/33 panic P0,P1");
  EXPECT_EQ(at({{0, 0, 0, 0}, {5, 0, 0, 0}}), "0/100 panic P0,P1") << "an empty one gets none";
  EXPECT_EQ(at({{0, 0, 0, 0}, {0, 0, 0, 0}}), "100/0 panic P0,P1") << "nobody at all";
  EXPECT_EQ(at({{10, 4, 0, 2}, {10, 0, 0, 0}}), "100/0 panic P1")
    << "excluded hosts are left out: 4 of 8 is no panic";
  EXPECT_EQ(at({{10, 2, 3, 0}, {10, 0, 0, 0}}), "40/0 + 60/0 panic P1")
    << "degraded hosts count against panic, and take what the healthy ones leave";
}

TEST(PriorityLoad, GB_24_WeighsLocalitiesByWhatIsAvailable) {
  struct {
    std::uint32_t available;
    double expected; // percent of the one with weight 1
  } const cases[] = {{100, 33.33}, {70, 32.89}, {69, 32.57}, {50, 25.93}, {25, 14.89}, {0, 0}};
  for (const auto& x : cases) {
    const auto one = static_cast<double>(effective_weight(1, x.available, 100, 140));
    const auto two = static_cast<double>(effective_weight(2, 100, 100, 140));
    EXPECT_NEAR(100 * one / (one + two), x.expected, 0.005) << x.available;
  }
  EXPECT_EQ(effective_weight(7, 0, 0, 140), 0u) << "a locality without hosts";
}

TEST(PriorityLoad, ChoosesAPriorityByAHash) {
  const std::vector<priority_share> shares{{30, 20, false}, {40, 10, false}};
  struct {
    std::uint64_t hash;
    std::uint32_t expected;
  } const cases[] = {{0, 0},  {29, 0}, {30, 1}, {69, 1},  {70, 0},
                     {89, 0}, {90, 1}, {99, 1}, {100, 0}, {6'430, 1}};
  for (const auto& x : cases)
    EXPECT_EQ(choose_priority(shares, x.hash), x.expected) << x.hash;
}

// A hundred percent go somewhere, and to hosts that may be used, whenever there are any.
TEST(PriorityLoad, AlwaysAddsUpToAHundred) {
  random_stream random{1, "priorities"};
  const auto below = [&random](std::uint32_t n) {
    return static_cast<std::uint32_t>(random.below(n));
  };
  for (int i = 0; i < 100'000; ++i) {
    std::vector<priority_hosts> hosts(1 + below(5));
    auto anybody = false;
    for (auto& x : hosts) {
      x.total = below(2) == 0 ? below(3) : below(200);
      x.healthy = below(x.total + 1);
      x.degraded = below(3) == 0 ? below(x.total - x.healthy + 1) : 0;
      x.excluded = below(3) == 0 ? below(x.total - x.healthy - x.degraded + 1) : 0;
      anybody = anybody || x.total > 0;
    }
    const auto threshold = below(102);
    const auto shares = split_load(hosts, 100 + below(200), threshold);
    std::uint32_t sum = 0;
    auto usable = false;
    for (std::size_t p = 0; p < hosts.size(); ++p) {
      sum += shares[p].healthy_load + shares[p].degraded_load;
      usable = usable || hosts[p].healthy + hosts[p].degraded > 0;
    }
    ASSERT_EQ(sum, 100u);
    for (std::size_t p = 0; p < hosts.size() && usable; ++p) {
      if (shares[p].panic)
        continue;
      EXPECT_TRUE(shares[p].healthy_load == 0 || hosts[p].healthy > 0) << text(shares);
      EXPECT_TRUE(shares[p].degraded_load == 0 || hosts[p].degraded > 0) << text(shares);
    }
  }
}

} // namespace
