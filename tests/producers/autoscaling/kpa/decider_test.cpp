#include "producers/autoscaling/kpa/decider.hpp"

#include "producers/autoscaling/kpa/reconciler.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace {

using namespace spillover;
using namespace spillover::kpa;
using namespace std::chrono_literals;

/// Target 10 of 10, both rates 10, as the golden checks have it.
settings plain(double target = 10, double rate = 10) {
  settings x;
  x.target = target;
  x.total = target;
  x.max_up_rate = rate;
  x.max_down_rate = rate;
  x.burst_capacity = 0;
  return x;
}

struct step {
  duration at;
  std::uint32_t ready;
  double stable;
  double panic;
  std::int32_t desired;
};

void expect_steps(const settings& x, std::initializer_list<step> steps,
                  std::uint32_t ready_at_start = 0) {
  decider subject{run_start, x, ready_at_start};
  for (const auto& s : steps) {
    const auto said = subject.evaluate(run_start + s.at, {averages{s.stable, s.panic}, s.ready});
    EXPECT_TRUE(said.valid);
    EXPECT_EQ(said.desired, s.desired) << "at " << to_string(s.at);
  }
}

TEST(KpaDecider, GC_2_AsksForAsManyPodsAsTheLoadFillsToTheTarget) {
  settings x;
  x.target = 7;
  x.total = 10;
  expect_steps(x, {{0s, 1, 100, 0, 15}});
  expect_steps(x, {{0s, 1, 50, 0, 8}});
}

TEST(KpaDecider, GC_3_TellsHowMuchBurstFits) {
  auto x = plain();
  x.total = 10 / 0.7;
  x.burst_capacity = 100;
  decider subject{run_start, x, 0};
  const auto said = subject.evaluate(run_start, {averages{50, 50}, 1});
  EXPECT_EQ(said.desired, 5);
  EXPECT_EQ(said.excess_burst_capacity, -136);
}

TEST(KpaDecider, GC_4_GC_5_GC_6_GC_9_KeepsToItsRates) {
  expect_steps(plain(), {{0s, 8, 100, 100, 10}});
  expect_steps(plain(), {{0s, 8, 50, 50, 5}});
  expect_steps(plain(), {{0s, 1, 1000, 1001, 10}});
  expect_steps(plain(), {{0s, 10, 1000, 1001, 100}});
  expect_steps(plain(), {{0s, 100, 1, 1, 10}});
  expect_steps(plain(), {{0s, 10, 1, 1, 1}});
  expect_steps(plain(1, 1.1), {{0s, 2, 3, 3.1, 3}});
  expect_steps(plain(10, 1.1), {{0s, 100, 1, 1, 90}});
  auto unreachable = plain(10, 1.1);
  unreachable.reachable = false;
  expect_steps(unreachable, {{0s, 100, 1, 1, 1}});
}

// A panic holds the largest decision, for one window after the last tick over the threshold;
// at exactly one window it still does.
TEST(KpaDecider, GC_7_GC_8_DecreasesNothingInPanic) {
  expect_steps(
    plain(),
    {{0s, 1, 100, 100, 10}, {0s, 10, 100, 1000, 100}, {30s, 10, 1, 1, 100}, {61s, 10, 1, 1, 1}});
  expect_steps(plain(1), {{0s, 10, 11, 25, 25}, {30s, 40, 30, 41, 41}, {62s, 55, 50, 56, 50}});
  expect_steps(plain(1), {{0s, 10, 11, 25, 25}, {60s, 55, 20, 20, 25}});
}

// The wish itself asks for the activation scale, and load of 0 does not.
TEST(KpaDecider, GC_10_ActivatesWithAsManyPodsAsAsked) {
  auto x = plain();
  x.activation_scale = 2;
  expect_steps(x, {{0s, 1, 0, 0, 0}, {2s, 1, 1, 0, 2}});
}

TEST(KpaDecider, C_17_ActivatesBeyondItsRates) {
  auto x = plain();
  x.activation_scale = 50;
  expect_steps(x, {{0s, 1, 200, 0, 50}});
}

TEST(KpaDecider, GC_11_RemembersTheRateLimitedNumberInPanic) {
  expect_steps(plain(1), {{0s, 5, 50, 30, 50}}, 5);
  expect_steps(plain(1), {{0s, 5, 20, 30, 30}}, 5);
}

// Held for the delay, in slots of two seconds.
TEST(KpaDecider, GC_18_HoldsADecreaseForTheDelay) {
  auto x = plain(1);
  x.scale_down_delay = 5min;
  expect_steps(x,
               {{2s, 4, 4, 0, 4}, {4s, 4, 0, 0, 4}, {5min, 4, 0, 0, 4}, {5min + 2s, 4, 0, 0, 0}});
  x.reachable = false;
  expect_steps(x, {{2s, 4, 4, 0, 4}, {4s, 4, 0, 0, 0}});
}

// A poke may ask twice within a slot.
TEST(KpaDecider, C_19_HoldsADecreaseForASlotAtLeast) {
  auto x = plain(1);
  x.scale_down_delay = 1s;
  expect_steps(x, {{2s, 4, 4, 0, 4}, {3s, 4, 0, 0, 4}, {4s, 4, 0, 0, 0}});
}

TEST(KpaDecider, GC_24_StartsInPanicWithMoreThanOnePod) {
  EXPECT_EQ((decider{run_start, plain(), 1}.panic_since()), std::nullopt);
  const decider two{run_start + 5s, plain(), 2};
  EXPECT_EQ(two.panic_since(), run_start + 5s);
  EXPECT_EQ(two.panic_floor(), 2);
  const decider unreadable{run_start, plain(), std::nullopt};
  EXPECT_EQ(unreadable.panic_since(), std::nullopt);
  EXPECT_EQ(unreadable.panic_floor(), 0);
}

TEST(KpaDecider, DecidesNothingWithoutSamplesOrPods) {
  decider subject{run_start, plain(), 3};
  EXPECT_FALSE(subject.evaluate(run_start + 2min, {std::nullopt, 3}).valid);
  EXPECT_FALSE(subject.evaluate(run_start + 2min, {averages{}, std::nullopt}).valid);
  // Nor does a panic end without them.
  EXPECT_EQ(subject.panic_since(), run_start);
}

TEST(KpaDecider, GC_12_LeavesTheActivatorInThePathWhileTheBurstDoesNotFit) {
  struct {
    std::uint32_t ready;
    double load;
    std::int32_t excess;
    path_mode mode;
  } const cases[] = {
    {1, 0, -111, path_mode::proxy},
    {4, 100, 89, path_mode::serve},
    {3, 89, 0, path_mode::serve},
    {3, 90, -1, path_mode::proxy},
  };
  for (const auto& x : cases) {
    decider subject{run_start, settings{}, 0};
    const auto said = subject.evaluate(run_start, {averages{x.load, x.load}, x.ready});
    EXPECT_EQ(said.excess_burst_capacity, x.excess);
    EXPECT_EQ(choose_mode(1, said.excess_burst_capacity), x.mode);
    EXPECT_EQ(choose_mode(0, said.excess_burst_capacity), path_mode::proxy);
  }
}

TEST(KpaReconciler, GC_13_PutsAsManyActivatorsIntoThePathAsCapacityAsks) {
  settings x;
  x.burst_capacity = 200;
  EXPECT_EQ(activators_for(x, 0), 2);
  EXPECT_EQ(activators_for(x, 1), 3);
  EXPECT_EQ(activators_for(x, 15), 17);
  x.burst_capacity = 0;
  EXPECT_EQ(activators_for(x, 100), 2);
  x.burst_capacity = -1;
  EXPECT_EQ(activators_for(x, 5), 5);
}

TEST(KpaPublication, WakesTheReconcilerForANumberOrASign) {
  settings x;
  publication subject{x};
  EXPECT_EQ(subject.desired(), -1);
  EXPECT_EQ(subject.excess_burst_capacity(), -111);
  const auto said = [](std::int32_t desired, std::int32_t excess) {
    decision d;
    d.valid = true;
    d.desired = desired;
    d.excess_burst_capacity = excess;
    return d;
  };
  EXPECT_TRUE(subject.publish(said(1, -111)));
  EXPECT_FALSE(subject.publish(said(1, -5)));
  EXPECT_TRUE(subject.publish(said(1, 0)));
  EXPECT_FALSE(subject.publish(said(1, 7)));
  EXPECT_FALSE(subject.publish({}));
  EXPECT_EQ(subject.desired(), 1);
  EXPECT_FALSE(subject.pokes({1, 0, 1, 0}));
  subject.publish(said(0, 7));
  EXPECT_TRUE(subject.pokes({1, 0, 1, 0}));
  EXPECT_FALSE(subject.pokes({0, 0, 1, 0}));
}

TEST(KpaReconciler, GoesToZeroInTwoSteps) {
  settings x;
  revision_state seen{.desired = 0, .ready = 1, .active = activity::active};
  seen.initialised = true;
  seen.replicas = 1;
  seen.probe_ok = true;
  seen.active_for = 59s;
  auto said = scale(x, seen);
  EXPECT_EQ(said.want, 1);
  EXPECT_EQ(said.look_again, 1s);
  seen.active_for = 60s;
  said = scale(x, seen);
  EXPECT_EQ(said.want, 0);
  EXPECT_EQ(said.patch, std::nullopt);
  EXPECT_EQ(judge_activity(x, seen, 0, true).active, activity::inactive);
  seen.active = activity::inactive;
  seen.active_for = 2s;
  seen.mode = path_mode::proxy;
  seen.proxy_for = 28s;
  EXPECT_EQ(scale(x, seen).look_again, 2s);
  seen.proxy_for = 30s;
  EXPECT_EQ(scale(x, seen).patch, 0);
}

} // namespace
