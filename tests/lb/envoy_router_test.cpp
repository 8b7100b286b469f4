#include "lb/envoy_router.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace spillover;

constexpr auto as_healthy = unknown_policy::as_healthy;

struct region_state {
  std::uint32_t healthy = 0;
  std::uint32_t total = 0;
  std::uint32_t unknown = 0;
};

endpoint_view view_of(const region_state& x) {
  endpoint_view result;
  result.at("a") = {x.total / 2, x.healthy / 2, x.unknown};
  result.at("b") = {x.total - x.total / 2, x.healthy - x.healthy / 2, 0};
  return result;
}

std::unique_ptr<envoy_router> router(const envoy_config& config,
                                     const std::vector<region_state>& states,
                                     unknown_policy unknown = as_healthy) {
  auto result =
    std::make_unique<envoy_router>(config, static_cast<std::uint32_t>(states.size()), unknown);
  for (std::uint32_t i = 0; i < states.size(); ++i)
    result->set_endpoints(run_start, i, view_of(states[i]));
  return result;
}

// Regions as letters with their percents, and a '!' when everybody is in panic.
std::string route(const envoy_router& x) {
  std::string result;
  const auto& [regions, shares, fail_open] = x.current();
  for (std::size_t i = 0; i < regions.size(); ++i) {
    result.append(i == 0 ? "" : " ").append(1, static_cast<char>('a' + regions[i]));
    result.append(shares.empty() ? "" : std::to_string(shares[i]));
  }
  return fail_open ? result + '!' : result;
}

// How many of 10,000 picks went to each region, in percent.
std::vector<double> picks(envoy_router& x, const region_set& tried = {}) {
  random_stream random{1, "picks"};
  std::map<std::uint32_t, int> taken;
  for (std::uint64_t i = 0; i < 10'000; ++i)
    ++taken[x.pick(run_start, random, tried, i)];
  std::vector<double> result(3);
  for (const auto& [region, count] : taken)
    if (region < result.size())
      result[region] = count / 100.0;
  return result;
}

region_set set_of(std::initializer_list<std::uint32_t> places) {
  region_set result;
  for (const auto place : places)
    result.insert(place);
  return result;
}

TEST(EnvoyRouter, SplitsRequestsOverPriorities) {
  struct {
    const char* why;
    envoy_config config;
    std::vector<region_state> states;
    const char* expected;
  } const cases[] = {
    {"all is well: the closest", {}, {{10, 10}, {10, 10}}, "a"},
    {"C55: one of ten fails over nine tenths and a bit", {}, {{1, 10}, {10, 10}}, "a14 b86"},
    {"28 % may be lost", {}, {{72, 100}, {10, 10}}, "a"},
    {"B-65: 50 and 100", {}, {{50, 100}, {10, 10}}, "a70 b30"},
    {"C67: everybody is sick", {}, {{0, 2}, {0, 2}}, "a50 b50!"},
    {"C67: everybody is sick, and nobody may panic",
     {.healthy_panic_threshold = 0},
     {{0, 2}, {0, 2}},
     ""},
    {"GB-23: total panic goes by hosts", {}, {{0, 10}, {0, 5}}, "a67 b33!"},
    {"C53: one healthy endpoint keeps all",
     {.overprovisioning_factor = 100'000},
     {{1, 100}, {10, 10}},
     "a"},
    {"C57: 1 of 5, then two localities",
     {.priorities = {0, 1, 1}, .locality_weights = {1, 1, 1}},
     {{1, 5}, {1, 1}, {1, 1}},
     "a28 b36 c36"},
    {"C57: none, then 1 of 2, and the rest", {}, {{0, 5}, {1, 2}, {5, 5}}, "b70 c30"},
    {"who is left takes all, however little that is", {}, {{0, 5}, {1, 2}}, "b"},
    {"C57: 1 of 5, none, and well", {.priorities = {0, 1, 2}}, {{1, 5}, {0, 1}, {5, 5}}, "a28 c72"},
    {"regions of one priority share by healthy endpoints",
     {.priorities = {0, 0}},
     {{9, 10}, {3, 4}},
     "a75 b25"},
    {"C70: weights share, they are no failover",
     {.priorities = {0, 0}, .locality_weights = {1, 3}},
     {{10, 10}, {10, 10}},
     "a25 b75"},
    {"an empty region", {}, {{0, 0}, {2, 2}}, "b"},
    {"nobody anywhere: nowhere to go", {}, {{0, 0}, {0, 0}}, "!"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(route(*router(x.config, x.states)), x.expected);
  }
}

TEST(EnvoyRouter, PicksAsTheRouteSays) {
  for (const auto policy : {host_policy::round_robin, host_policy::random, host_policy::ring_hash,
                            host_policy::least_request}) {
    SCOPED_TRACE(static_cast<int>(policy));
    // Keys of clients have their share as well as they are many.
    const auto near = policy == host_policy::ring_hash ? 6.0 : 1.5;
    auto priorities = router({.policy = policy, .hash_keys = 10'000}, {{50, 100}, {10, 10}});
    EXPECT_NEAR(picks(*priorities)[0], 70, 1.5);
    auto one =
      router({.priorities = {0, 0}, .policy = policy, .hash_keys = 10'000}, {{30, 40}, {10, 10}});
    EXPECT_NEAR(picks(*one)[0], 75, near);
  }
}

// News comes every second or so; beginning anew each time would favour the first region.
TEST(EnvoyRouter, GoesOnInTurnWhenItHearsOfEndpoints) {
  struct {
    const char* why;
    // What is told before even picks, and before odd ones; of two regions.
    std::array<region_state, 2> even;
    std::array<region_state, 2> odd;
    const char* expected;
  } const cases[] = {
    {"the same again", {{{10, 10}, {10, 10}}}, {{{10, 10}, {10, 10}}}, "abababab"},
    {"others, but as many here as there",
     {{{10, 10}, {10, 10}}},
     {{{20, 20}, {20, 20}}},
     "abababab"},
    {"a thousandth: nobody waits for a thousand turns",
     {{{1'000, 1'000}, {1'000, 1'000}}},
     {{{1, 1}, {1, 1}}},
     "abababab"},
    {"three times as many here", {{{9, 10}, {3, 10}}}, {{{9, 10}, {3, 10}}}, "aabaaaba"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto subject = router({.priorities = {0, 0}}, {x.even[0], x.even[1]});
    random_stream random{1, "picks"};
    std::string seen;
    for (int i = 0; i < 8; ++i) {
      for (std::uint32_t region = 0; region < 2; ++region)
        subject->set_endpoints(run_start, region, view_of((i % 2 == 0 ? x.even : x.odd)[region]));
      seen += static_cast<char>('a' + subject->pick(run_start, random, {}, 0));
    }
    EXPECT_EQ(seen, x.expected);
  }
}

TEST(EnvoyRouter, GoesNowhereWhenNobodyMayBeUsed) {
  for (const auto policy : {host_policy::round_robin, host_policy::random, host_policy::ring_hash,
                            host_policy::least_request}) {
    auto subject = router({.healthy_panic_threshold = 0, .policy = policy}, {{0, 3}, {0, 3}});
    random_stream random{1, "picks"};
    EXPECT_EQ(subject->pick(run_start, random, {}, 0), region_router::nowhere);
    subject->set_endpoints(run_start, 1, view_of({1, 3}));
    EXPECT_EQ(subject->pick(run_start, random, {}, 0), 1u);
  }
}

TEST(EnvoyRouter, RetriesWhereNobodyWasTriedYetAmongThoseWithLoad) {
  auto subject = router({}, {{50, 100}, {10, 10}, {10, 10}});
  EXPECT_EQ(picks(*subject, set_of({0})), (std::vector<double>{0, 100, 0}));
  EXPECT_EQ(picks(*subject, set_of({1})), (std::vector<double>{100, 0, 0}));
  EXPECT_NEAR(picks(*subject, set_of({0, 1}))[0], 70, 1.5) << "the third has no load";
  auto healthy = router({}, {{10, 10}, {10, 10}});
  EXPECT_EQ(picks(*healthy, set_of({0}))[0], 100) << "a priority without load is no way out";
}

TEST(EnvoyRouter, TakesEndpointsWithoutAStateAsThePolicySays) {
  const std::vector<region_state> states{{5, 10, 5}, {10, 10}};
  EXPECT_EQ(route(*router({}, states)), "a");
  EXPECT_EQ(route(*router({}, states, unknown_policy::as_unhealthy)), "a70 b30");
}

TEST(EnvoyRouter, TakesARegionForOneEndpointUntilItIsToldOfThem) {
  envoy_router subject{{}, 2, as_healthy};
  EXPECT_EQ(route(subject), "a");
  EXPECT_EQ(subject.described(0), "UNKNOWN");
  subject.set(run_start, 0, health::unhealthy);
  EXPECT_EQ(route(subject), "b") << "B-66: 0 and 100";
  subject.set(run_start, 1, health::unhealthy);
  EXPECT_EQ(route(subject), "a50 b50!") << "B-66: as failing open";
  subject.set_endpoints(run_start, 0, view_of({8, 10}));
  EXPECT_EQ(route(subject), "a") << "endpoints count, whatever the composite says";
  EXPECT_EQ(subject.described(0), "8/10");
}

TEST(EnvoyRouter, UsesNoEndpointOfAnEjectedRegionOutsidePanic) {
  auto subject = router({}, {{10, 10}, {10, 10}});
  subject->set_ejected(run_start, 0, true);
  EXPECT_EQ(route(*subject), "b");
  subject->set_ejected(run_start, 1, true);
  EXPECT_EQ(route(*subject), "a50 b50!") << "C71: in panic ejected ones are used again";
  subject->set_ejected(run_start, 0, false);
  EXPECT_EQ(route(*subject), "a");
}

TEST(EnvoyRouter, SendsToTheLessBusyOfTwo) {
  auto subject =
    router({.priorities = {0, 0}, .policy = host_policy::least_request}, {{10, 10}, {10, 10}});
  random_stream random{1, "picks"};
  std::array<std::uint32_t, 2> taken{};
  // Nothing that A gets ends; B is quick.
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    const auto region = subject->pick(run_start, random, {}, i);
    ++taken[region];
    if (region == 1)
      subject->ended(region);
  }
  // A is taken only when it was drawn twice.
  EXPECT_NEAR(taken[0], 250, 50);
}

TEST(EnvoyRouter, KeepsKeysWhereTheyAreWhenAnotherRegionLeaves) {
  const auto config =
    envoy_config{.priorities = {0, 0, 0}, .policy = host_policy::ring_hash, .hash_keys = 1'000};
  auto subject = router(config, {{10, 10}, {10, 10}, {10, 10}});
  random_stream random{1, "picks"};
  const auto places = [&] {
    std::vector<std::uint32_t> result;
    for (std::uint64_t key = 0; key < 1'000; ++key)
      result.push_back(subject->pick(run_start, random, {}, key));
    return result;
  };
  const auto before = places();
  EXPECT_EQ(places(), before) << "a key stays where it is";
  EXPECT_EQ(subject->pick(run_start, random, {}, 7'042), before[42]) << "keys in turn";
  subject->set_ejected(run_start, 2, true);
  const auto after = places();
  int moved = 0;
  for (std::size_t key = 0; key < before.size(); ++key) {
    EXPECT_NE(after[key], 2u);
    moved += before[key] != 2 && after[key] != before[key] ? 1 : 0;
  }
  // Of two regions each has half of the ring now, more points than before.
  EXPECT_LT(moved, 250);
}

TEST(EnvoyRouter, DrawsAsManyNumbersWhateverItKnows) {
  for (const auto policy : {host_policy::round_robin, host_policy::random, host_policy::ring_hash,
                            host_policy::least_request}) {
    const auto drawn = [policy](const std::vector<region_state>& states, const region_set& tried) {
      auto subject = router({.healthy_panic_threshold = 0, .policy = policy}, states);
      random_stream used{1, "stream"};
      subject->pick(run_start, used, tried, 5);
      random_stream reference{1, "stream"};
      const auto next = used.bits();
      for (int n = 0; n < 10; ++n)
        if (reference.bits() == next)
          return n;
      return -1;
    };
    const auto expected = policy == host_policy::ring_hash     ? 0
                          : policy == host_policy::round_robin ? 1
                          : policy == host_policy::random      ? 2
                                                               : 3;
    EXPECT_EQ(drawn({{5, 10}, {10, 10}}, {}), expected);
    EXPECT_EQ(drawn({{10, 10}, {10, 10}}, set_of({0, 1})), expected);
    EXPECT_EQ(drawn({{0, 10}, {0, 10}}, {}), expected);
  }
}

} // namespace
