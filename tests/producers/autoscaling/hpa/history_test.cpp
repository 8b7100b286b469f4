#include "producers/autoscaling/hpa/history.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace {

using namespace spillover;
using namespace spillover::hpa;
using namespace std::chrono_literals;

constexpr auto newer = generation::newer;
constexpr auto older = generation::older;
constexpr auto now = run_start + 1000s;

using said_before = std::vector<std::pair<duration, std::int32_t>>;

/// @param entries ages and numbers, the oldest first
replica_log log_of(const said_before& entries) {
  replica_log result{entries.size()};
  for (const auto& [age, value] : entries)
    result.record(now - age, value);
  return result;
}

step_log steps_of(const said_before& entries, duration longest = 1h) {
  step_log result{longest, entries.size()};
  for (const auto& [age, value] : entries)
    result.record(now - age, value);
  return result;
}

TEST(HpaReplicaLog, LooksBackToWithoutTheCutoff) {
  const auto log = log_of({{60s, 1}, {30s, 9}, {0s, 5}});
  const auto steps = steps_of({{60s, 1}, {30s, 9}, {0s, 5}});
  struct {
    const char* why;
    duration back;
    std::int32_t lowest;
    std::int32_t highest;
    std::int64_t sum;
  } const cases[] = {
    {"nothing is after now", 0s, 4, 4, 0},
    {"the newest", 1s, 4, 5, 5},
    {"the cutoff does not count", 30s, 4, 5, 5},
    {"a little more does", 31s, 4, 9, 14},
    {"all", 61s, 1, 9, 15},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    EXPECT_EQ(log.lowest_after(now - c.back, 4), c.lowest);
    EXPECT_EQ(log.highest_after(now - c.back, 4), c.highest);
    EXPECT_EQ(steps.sum_after(now - c.back), c.sum);
  }
}

TEST(HpaReplicaLog, ForgetsWhatIsOlder) {
  auto log = log_of({{60s, 1}, {30s, 9}, {0s, 5}});
  log.forget_before(now - 30s);
  EXPECT_EQ(log.lowest_after(instant::min(), 7), 5) << "what is as old stays";
  EXPECT_EQ(log.highest_after(instant::min(), 7), 9);
  log.forget_before(now + 1ns);
  EXPECT_TRUE(log.empty());
}

// E-8
TEST(HpaStepLog, GivesThePlaceOfAnOldStepToTheNext) {
  struct {
    const char* why;
    said_before steps;
    std::int64_t sum;
  } const cases[] = {
    {"none is old", {{40s, 1}, {30s, 2}, {20s, 4}}, 7},
    {"as old as the longest period is not old", {{40s, 1}, {10s, 2}}, 3},
    {"an old one goes when another comes", {{41s, 1}, {10s, 2}}, 2},
    {"one at a time, and the later first", {{50s, 1}, {45s, 2}, {10s, 4}}, 5},
    {"the next takes the other", {{50s, 1}, {45s, 2}, {10s, 4}, {5s, 8}}, 12},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    EXPECT_EQ(steps_of(c.steps, 30s).sum_after(now - 60s), c.sum);
  }
}

struct limit_case {
  const char* why;
  std::int32_t present;
  std::vector<scaling_policy> policies;
  select_policy select;
  std::int32_t up;
  std::int32_t down;
};

// E-8
TEST(HpaLimits, FollowTheSelectedPolicy) {
  using enum policy_type;
  using enum select_policy;
  const std::vector<scaling_policy> both{{pods, 4, 15s}, {percent, 50, 15s}};
  const limit_case cases[] = {
    {"pods", 10, {{pods, 3, 15s}}, max, 13, 7},
    {"percent", 10, {{percent, 30, 15s}}, max, 13, 7},
    {"a percentage allows at least a step up", 3, {{percent, 10, 15s}}, max, 4, 2},
    {"the larger change, pods", 6, both, max, 10, 2},
    {"the larger change, percent", 10, both, max, 15, 5},
    {"the smaller change, pods", 10, both, min, 14, 6},
    {"the smaller change, percent", 6, both, min, 9, 3},
    {"no change", 10, both, disabled, 10, 10},
    {"all may go", 10, {{percent, 100, 15s}}, max, 20, 0},
    {"more than all", 10, {{percent, 200, 15s}}, max, 30, -10},
    {"more than can be counted",
     10,
     {{pods, std::numeric_limits<std::int32_t>::max(), 15s}},
     max,
     std::numeric_limits<std::int32_t>::max(),
     10 - std::numeric_limits<std::int32_t>::max()},
  };
  const change_log changes{steps_of({}), steps_of({})};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    const scaling_rules rules{.select = c.select, .policies = c.policies};
    EXPECT_EQ(up_limit(now, c.present, changes, rules, newer), c.up);
    EXPECT_EQ(down_limit(now, c.present, changes, rules, newer), c.down);
  }
}

// E-8
TEST(HpaLimits, CountFromThePeriodsStart) {
  using enum policy_type;
  struct {
    const char* why;
    said_before added;
    said_before removed;
    generation follows;
    std::int32_t up;
    std::int32_t down;
  } const cases[] = {
    {"nothing changed", {}, {}, newer, 14, 6},
    {"2 were added", {{30s, 2}}, {}, newer, 12, 4},
    {"twice in the period", {{30s, 2}, {15s, 1}}, {}, newer, 11, 3},
    {"a period ago is before it", {{60s, 2}}, {}, newer, 14, 6},
    {"just inside", {{60s - 1ns, 2}}, {}, newer, 12, 4},
    {"all that may be added was", {{30s, 4}}, {}, newer, 10, 2},
    {"more was added than may be: none goes for it", {{30s, 6}}, {}, newer, 10, 0},
    {"3 were removed", {}, {{30s, 3}}, newer, 17, 9},
    {"more was removed than may be: none comes for it", {}, {{30s, 9}}, newer, 23, 10},
    {"both", {{30s, 2}}, {{20s, 3}}, newer, 15, 7},
    {"the older code looks at one direction", {{30s, 2}}, {{20s, 3}}, older, 12, 9},
  };
  const scaling_rules rules{.policies = {{pods, 4, 60s}}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    const change_log changes{steps_of(c.added), steps_of(c.removed)};
    EXPECT_EQ(up_limit(now, 10, changes, rules, c.follows), c.up);
    EXPECT_EQ(down_limit(now, 10, changes, rules, c.follows), c.down);
  }
}

TEST(HpaLimits, GiveEachPolicyItsOwnPeriod) {
  using enum policy_type;
  const scaling_rules rules{.select = select_policy::min,
                            .policies = {{pods, 4, 15s}, {pods, 6, 60s}}};
  const change_log changes{steps_of({{30s, 4}}), steps_of({})};
  EXPECT_EQ(up_limit(now, 10, changes, rules, newer), 12) << "6 in a minute, of which 4 were added";
}

// E-10
TEST(HpaLimits, WithoutABehaviorAreFourOrTwiceAsMany) {
  EXPECT_EQ(plain_up_limit(0), 4);
  EXPECT_EQ(plain_up_limit(1), 4);
  EXPECT_EQ(plain_up_limit(2), 4);
  EXPECT_EQ(plain_up_limit(3), 6);
  const auto most = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(plain_up_limit(most), most);
}

// E-9
TEST(HpaStabilization, KeepsToWhatWasProposedInTheWindows) {
  struct {
    const char* why = "";
    std::int32_t present = 0;
    std::int32_t proposed = 0;
    stabilization windows = {};
    std::int32_t by_newer = 0;
    std::int32_t by_older = 0;
  } const cases[] = {
    {"no windows", 6, 8, {}, 8, 8},
    {"up: the smallest of the window", 4, 8, {60s, 60s}, 5, 5},
    {"up: one that is as old as the window is outside", 4, 8, {30s, 60s}, 8, 8},
    {"up: one that is a little younger is inside", 4, 8, {30s + 1ns, 60s}, 5, 5},
    {"up: never down for it, but for the older code", 6, 8, {60s, 60s}, 6, 5},
    {"down: the largest of the window", 20, 3, {0s, 60s}, 9, 9},
    {"down: one that is as old as the window is outside", 20, 3, {0s, 15s}, 3, 3},
    {"down: never up for it, but for the older code", 8, 3, {0s, 60s}, 8, 9},
    {"down: an up window does not matter", 20, 3, {60s, 60s}, 9, 9},
    {"as many as proposed: an up window may not lower it", 8, 8, {60s, 0s}, 8, 5},
  };
  const auto proposals = log_of({{45s, 7}, {30s, 5}, {15s, 9}});
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    const auto ask = [&](generation follows) {
      return stabilized(now, c.present, c.proposed, proposals, c.windows, follows);
    };
    EXPECT_EQ(ask(newer), c.by_newer);
    EXPECT_EQ(ask(older), c.by_older);
  }
}

// E-10
TEST(HpaStabilization, WithoutABehaviorIsTheLargestOfTheWindow) {
  const auto proposals = log_of({{45s, 7}, {30s, 5}, {15s, 6}});
  EXPECT_EQ(plainly_stabilized(now, 3, proposals, 45s), 7) << "its end belongs to it";
  EXPECT_EQ(plainly_stabilized(now, 3, proposals, 45s - 1ns), 6);
  EXPECT_EQ(plainly_stabilized(now, 3, proposals, 0s), 3);
  EXPECT_EQ(plainly_stabilized(now, 8, proposals, 45s), 8);
}

} // namespace
