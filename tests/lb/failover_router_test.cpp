#include "lb/failover_router.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

namespace {

using namespace spillover;

constexpr auto as_healthy = unknown_policy::as_healthy;
constexpr auto as_unhealthy = unknown_policy::as_unhealthy;
constexpr auto last_known = unknown_policy::last_known;

health state_of(char x) {
  return x == 'H' ? health::healthy : x == 'U' ? health::unhealthy : health::unknown;
}

// Each word gives all states at once, one letter for a region: H, U, or K for UNKNOWN.
std::unique_ptr<failover_router> router(unknown_policy unknown, std::string_view words) {
  const auto regions = words.substr(0, words.find(' ')).size();
  auto result = std::make_unique<failover_router>(static_cast<std::uint32_t>(regions), unknown);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] != ' ')
      result->set(run_start, static_cast<std::uint32_t>(i % (regions + 1)), state_of(words[i]));
  return result;
}

// The regions in use, as letters, with a '!' when failing open.
std::string route(const failover_router& x) {
  std::string result;
  for (const auto region : x.current().regions)
    result += static_cast<char>('A' + region);
  return x.current().fail_open ? result + '!' : result;
}

// A bit for each region.
region_set set_of(std::uint64_t bits) {
  region_set result;
  for (std::uint32_t i = 0; i < 64; ++i)
    if ((bits >> i & 1) != 0)
      result.insert(i);
  return result;
}

// Percent of picks for each region.
std::vector<int> shares(failover_router& x, std::uint64_t tried = 0) {
  const auto left_out = set_of(tried);
  constexpr int n = 10'000;
  random_stream random{1, "picks"};
  std::vector<int> taken(3);
  for (int i = 0; i < n; ++i)
    ++taken[x.pick(run_start, random, left_out, 0)];
  for (auto& count : taken)
    count = (count + n / 200) / (n / 100);
  return taken;
}

TEST(FailoverRouter, RoutesToTheClosestEligibleRegion) {
  struct {
    const char* why;
    unknown_policy unknown;
    const char* states;
    const char* expected;
  } const cases[] = {
    {"B-28: the closest", as_healthy, "HHH", "A"},
    {"GB-18, A UNHEALTHY", as_healthy, "HH UH", "B"},
    {"GB-18, A returns: failback", as_healthy, "HH UH HH", "A"},
    {"B-34: the order is the distance", as_healthy, "UHH", "B"},
    {"two down", as_healthy, "UUH", "C"},
    {"GB-19: fail open", as_healthy, "UU", "AB!"},
    {"fail open of one region", as_healthy, "U", "A!"},
    {"one that recovers ends failing open", as_healthy, "UUU UUH", "C"},
    {"GB-20, AS_HEALTHY", as_healthy, "KH", "A"},
    {"GB-20, AS_UNHEALTHY", as_unhealthy, "KH", "B"},
    {"nothing known yet, AS_HEALTHY", as_healthy, "KK", "A"},
    {"nothing known yet, AS_UNHEALTHY", as_unhealthy, "KK", "AB!"},
    {"nothing known yet, LAST_KNOWN", last_known, "KK", "A"},
    {"LAST_KNOWN of healthy", last_known, "HH KH", "A"},
    {"LAST_KNOWN of unhealthy", last_known, "UH KH", "B"},
    {"LAST_KNOWN is the newest", last_known, "UH HH KH", "A"},
    {"UNKNOWN twice in a row changes nothing", last_known, "UH KH KH", "B"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(route(*router(x.unknown, x.states)), x.expected);
  }
}

TEST(FailoverRouter, GB_18_SendsEveryRequestToTheOtherRegionAndBack) {
  auto subject = router(as_healthy, "UH");
  EXPECT_EQ(shares(*subject), (std::vector{0, 100, 0}));
  subject->set(run_start, 0, health::healthy);
  EXPECT_EQ(shares(*subject), (std::vector{100, 0, 0}));
}

TEST(FailoverRouter, GB_19_SpreadsEvenlyWhenAllAreUnhealthy) {
  auto two = router(as_healthy, "UU");
  EXPECT_EQ(shares(*two), (std::vector{50, 50, 0}));
  auto three = router(as_healthy, "UUU");
  for (const auto share : shares(*three))
    EXPECT_NEAR(share, 33, 2);
}

TEST(FailoverRouter, ARetryGoesToARegionNotTriedYet) {
  struct {
    const char* why;
    const char* states;
    std::uint64_t tried;
    std::vector<int> expected;
  } const cases[] = {
    {"the next closest", "HHH", 0b001, {0, 100, 0}},
    {"over an unhealthy one", "HUH", 0b001, {0, 0, 100}},
    {"two were tried", "HHH", 0b011, {0, 0, 100}},
    {"all were tried: the closest", "HHH", 0b111, {100, 0, 0}},
    {"all eligible ones were tried: rather those than an unhealthy one", "HUU", 0b001, {100, 0, 0}},
    {"a region that became unhealthy after its try", "UHH", 0b001, {0, 100, 0}},
    {"failing open, those not tried", "UUU", 0b001, {0, 50, 50}},
    {"failing open, one is left", "UUU", 0b101, {0, 100, 0}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto subject = router(as_healthy, x.states);
    EXPECT_EQ(shares(*subject, x.tried), x.expected);
  }
}

TEST(FailoverRouter, DrawsOneNumberInEveryCase) {
  for (const auto* states : {"HHH", "UUU", "UHU", "KKK", "UUH"}) {
    for (std::uint64_t tried = 0; tried < 8; ++tried) {
      auto subject = router(as_healthy, states);
      random_stream used{1, "stream"};
      random_stream reference{1, "stream"};
      subject->pick(run_start, used, set_of(tried), 0);
      reference.bits();
      EXPECT_EQ(used.bits(), reference.bits()) << states << ' ' << tried;
    }
  }
}

TEST(FailoverRouter, TakesManyRegions) {
  failover_router subject{region_set::capacity, as_healthy};
  constexpr auto last = region_set::capacity - 1;
  for (std::uint32_t region = 0; region < last; ++region) {
    EXPECT_EQ(subject.current().regions, std::vector{region});
    subject.set(run_start, region, health::unhealthy);
  }
  random_stream random{1, "picks"};
  EXPECT_EQ(subject.pick(run_start, random, {}, 0), last);
  EXPECT_EQ(subject.pick(run_start, random, region_set::first_of(region_set::capacity), 0), last);
  subject.set(run_start, last, health::unhealthy);
  EXPECT_TRUE(subject.current().fail_open);
  EXPECT_EQ(subject.pick(run_start, random, region_set::first_of(last), 0), last);
}

} // namespace
