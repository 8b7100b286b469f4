#include "tests/producers/autoscaling/netscaler/group.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace spillover::netscaler;
using namespace spillover::netscaler::test;
using namespace std::chrono_literals;

/// The memory of the product's example.
group::load example(int t) {
  return memory(t < 2 ? 50 : t < 20 ? 90 : t < 23 ? 60 : 30);
}

group::load high_from_2(int t) {
  return memory(t < 2 ? 50 : 90);
}

/// @returns every step until and including minute `last`.
std::string steps(const settings& x, std::uint32_t nodes, int last,
                  const std::function<group::load(int)>& of_minute) {
  group subject{x, nodes};
  subject.run(last, of_minute);
  return subject.history;
}

// D-3: the defaults are the example's values.
TEST(NetscalerGroup, GD_1_FollowsTheTimelineOfTheExample) {
  group subject{{}, 1};
  subject.run(41, example);
  EXPECT_EQ(subject.history, "5m provision, 10m join, 10m register_address, "
                             "26m deregister_address, 26m drain, 36m deprovision, 40m remove");
  // Minute by minute; D-6, D-8: nothing is evaluated during an action and its cooldown.
  const std::vector<std::pair<int, const char*>> until{
    {1, "WITHIN"},    {4, "WATCH_TIME"},      {5, "MEMORY"},      {9, "PROVISIONING"},
    {19, "COOLDOWN"}, {22, "WITHIN"},         {25, "WATCH_TIME"}, {26, "MEMORY"},
    {35, "DRAINING"}, {39, "DEPROVISIONING"}, {41, "WATCH_TIME"}};
  std::vector<std::string> expected;
  for (const auto& [last, reason] : until)
    while (expected.size() <= static_cast<std::size_t>(last))
      expected.emplace_back(reason);
  EXPECT_EQ(subject.reasons, expected);
}

TEST(NetscalerGroup, GD_2_LetsABreachPassThatDoesNotLast) {
  const auto until_4 = [](int t) { return memory(t >= 2 && t <= 4 ? 90 : 60); };
  EXPECT_EQ(steps({}, 1, 60, until_4), "");
}

TEST(NetscalerGroup, GD_3_ScalesOutAfterTheWatchTime) {
  const auto until_5 = [](int t) { return memory(t >= 2 && t <= 5 ? 90 : 60); };
  EXPECT_EQ(steps({}, 1, 40, until_5), "5m provision, 10m join, 10m register_address");
}

TEST(NetscalerGroup, GD_4_WatchesAnewAfterAGap) {
  const auto with_gap = [](int t) { return memory(t < 2 || t == 4 || t > 7 ? 60 : 90); };
  EXPECT_EQ(steps({}, 1, 40, with_gap), "");
  const auto one_longer = [](int t) { return memory(t < 2 || t == 4 || t > 8 ? 60 : 90); };
  EXPECT_EQ(steps({}, 1, 8, one_longer), "8m provision");
}

TEST(NetscalerGroup, GD_5_TakesALimitItselfForNoBreach) {
  EXPECT_EQ(steps({}, 2, 60, [](int t) { return memory(t < 30 ? 85 : 40); }), "");
  EXPECT_EQ(steps({}, 2, 3, [](int) { return memory(85.001); }), "3m provision");
  EXPECT_EQ(steps({}, 2, 3, [](int) { return memory(39.999); }), "3m deregister_address, 3m drain");
}

TEST(NetscalerGroup, GD_6_StaysAtTheMaximum) {
  group subject{{.max_nodes = 3}, 3};
  subject.run(60, [](int) { return memory(90); });
  EXPECT_EQ(subject.history, "");
  EXPECT_EQ(subject.reasons[2], "WATCH_TIME");
  EXPECT_EQ(subject.reasons[3], "MAX");
  EXPECT_EQ(subject.reasons[60], "MAX");
}

TEST(NetscalerGroup, GD_7_StaysAtTheMinimum) {
  group subject{{.min_nodes = 3}, 3};
  subject.run(60, [](int) { return memory(30); });
  EXPECT_EQ(subject.history, "");
  EXPECT_EQ(subject.reasons[2], "WATCH_TIME");
  EXPECT_EQ(subject.reasons[3], "MIN");
  EXPECT_EQ(subject.reasons[60], "MIN");
}

// D-8: the breach counts from the first collection after the cooldown, which ends at T20.
TEST(NetscalerGroup, GD_8_WatchesAnewAfterTheCooldown) {
  EXPECT_EQ(steps({}, 1, 27, high_from_2),
            "5m provision, 10m join, 10m register_address, 23m provision");
}

// D-9
TEST(NetscalerGroup, GD_9_HasNoCooldownAfterAScaleIn) {
  EXPECT_EQ(steps({}, 3, 20, [](int) { return memory(30); }),
            "3m deregister_address, 3m drain, 13m deprovision, 17m remove, "
            "20m deregister_address, 20m drain");
}

TEST(NetscalerGroup, GD_10_WatchesForAsLongAsItIsTold) {
  EXPECT_EQ(steps({.watch_time = 5min}, 1, 12, high_from_2), "8m provision");
}

TEST(NetscalerGroup, GD_11_CoolsDownForAsLongAsItIsTold) {
  EXPECT_EQ(steps({.cooldown = 3min}, 1, 20, high_from_2),
            "5m provision, 10m join, 10m register_address, 16m provision");
}

// D-10
TEST(NetscalerGroup, GD_12_WaitsForTheTimeToLiveOfDnsBeforeItDrains) {
  EXPECT_EQ(steps({.distribution = traffic_distribution::dns}, 1, 41, example),
            "5m provision, 10m join, 10m register_address, "
            "26m deregister_address, 1570s drain, 2170s deprovision, 2410s remove");
  static_assert(26min + 10s == 1570s && 36min + 10s == 2170s && 40min + 10s == 2410s);
}

TEST(NetscalerGroup, GD_13_NeedsAnyStatisticToScaleOutAndAllToScaleIn) {
  const settings both{.cpu = {true, 40, 85}};
  struct {
    const char* why;
    double cpu;
    double memory;
    const char* expected;
  } const cases[] = {
    {"CPU alone is enough to scale out", 90, 50, "3m provision"},
    {"and so is memory", 50, 90, "3m provision"},
    {"even when the other one is low", 90, 30, "3m provision"},
    {"CPU alone does not scale in", 30, 60, ""},
    {"nor does memory", 60, 30, ""},
    {"both do", 30, 30, "3m deregister_address, 3m drain"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(steps(both, 2, 3, [&x](int) { return group::load{x.cpu, x.memory, 0}; }), x.expected);
  }
}

// By node and minute: the decider says it, whoever routes must ask.
TEST(NetscalerGroup, GD_14_SendsADrainingNodeNothingNew) {
  struct {
    const char* why;
    traffic_distribution distribution;
    int minute;
    traffic expected;
  } const cases[] = {
    {"before the scale-in", traffic_distribution::network_load_balancer, 25, traffic::all},
    {"from the decision on", traffic_distribution::network_load_balancer, 26, traffic::established},
    {"while it drains", traffic_distribution::network_load_balancer, 35, traffic::established},
    {"after the drain", traffic_distribution::network_load_balancer, 36, traffic::none},
    {"clients still know its address", traffic_distribution::dns, 26, traffic::all},
    {"the time to live is over", traffic_distribution::dns, 27, traffic::established},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    group subject{{.distribution = x.distribution}, 1};
    subject.run(x.minute, example);
    // Node 1 came with the scale-out, and as the youngest goes first.
    EXPECT_EQ(subject.subject.traffic_to(1), x.expected);
    EXPECT_EQ(subject.subject.traffic_to(0), traffic::all);
  }
}

} // namespace
