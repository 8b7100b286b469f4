#include "producers/billing/meter.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cstdlib>
#include <initializer_list>
#include <utility>
#include <vector>

namespace spillover::billing {
namespace {

using namespace std::chrono_literals;

/// What happens to an instance, in order.
enum class event { starting, ready, warm, begin, end, minimum, surplus, shutting_down, stopped };

struct step {
  duration at{};
  event what = event::starting;
};

void apply(meter& subject, const step& x) {
  const auto now = run_start + x.at;
  switch (x.what) {
    case event::starting: return subject.starting(now);
    case event::ready: return subject.ready(now);
    case event::warm: return subject.warm(now);
    case event::begin: return subject.request_begins(now);
    case event::end: return subject.request_ends(now);
    case event::minimum: return subject.keep_as_minimum(now, true);
    case event::surplus: return subject.keep_as_minimum(now, false);
    case event::shutting_down: return subject.shutting_down(now);
    case event::stopped: return subject.stopped(now);
  }
}

meter after(std::initializer_list<step> steps, const vcpus& cpu = {},
            rounding rule = rounding::interval) {
  meter result{cpu, rule};
  for (const auto& x : steps)
    apply(result, x);
  return result;
}

const instant last = run_start + 1h;

duration active(const meter& x) {
  return x.request_based(last).active.time;
}

duration idle(const meter& x) {
  return x.request_based(last).idle_minimum.time;
}

TEST(BillingMeter, GA_25_ChargesOverlappingRequestsOnce) {
  EXPECT_EQ(active(after({{0s, event::warm},
                          {0s, event::begin},
                          {200ms, event::begin},
                          {250ms, event::end},
                          {410ms, event::end}})),
            500ms);
}

TEST(BillingMeter, GA_26_ChargesTheStart) {
  EXPECT_EQ(active(after({{0s, event::starting},
                          {1230ms, event::ready},
                          {1230ms, event::begin},
                          {1300ms, event::end}})),
            1300ms);
  // with a pause both are rounded.
  EXPECT_EQ(active(after({{0s, event::starting},
                          {1230ms, event::ready},
                          {1231ms, event::begin},
                          {1301ms, event::end}})),
            1400ms);
}

TEST(BillingMeter, GA_27_RoundsEveryIntervalUp) {
  const std::initializer_list<step> steps{{0s, event::warm},
                                          {0s, event::begin},
                                          {10ms, event::end},
                                          {5s, event::begin},
                                          {5010ms, event::end}};
  EXPECT_EQ(active(after(steps)), 200ms);
  EXPECT_EQ(active(after(steps, {}, rounding::total)), 100ms) << "A-71: the other reading";
}

TEST(BillingMeter, GA_28_ChargesAWholeLife) {
  struct {
    const char* why;
    duration life;
    duration expected;
  } const cases[] = {
    {"the minimum", 12s, 60s},
    {"rounded up", 75030ms, 75100ms},
    {"exactly the minimum", 60s, 60s},
    {"a nanosecond more", 60s + 1ns, 60100ms},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    for (const auto rule : {rounding::interval, rounding::total}) {
      const auto subject =
        after({{7s, event::starting}, {8s, event::ready}, {7s + x.life, event::stopped}}, {}, rule);
      EXPECT_EQ(subject.instance_based(last).time, x.expected);
    }
  }
}

struct bill_case {
  const char* why = "";
  std::vector<step> steps = {};
  duration active{};
  duration idle{};
  duration life{};
};

void expect_bills(std::initializer_list<bill_case> cases) {
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    meter subject{{}, rounding::interval};
    for (const auto& y : x.steps)
      apply(subject, y);
    EXPECT_EQ(active(subject).count(), x.active.count());
    EXPECT_EQ(idle(subject).count(), x.idle.count());
    EXPECT_EQ(subject.instance_based(last).time.count(), x.life.count());
  }
}

TEST(BillingMeter, ChargesIdleTimeOfMinimumInstancesApart) {
  expect_bills({
    {"nothing happened", {}, 0s, 0s, 0s},
    {"idle is free", {{0s, event::warm}, {100s, event::stopped}}, 0s, 0s, 100s},
    {"but not of a minimum instance",
     {{0s, event::minimum}, {0s, event::warm}, {100s, event::stopped}},
     0s,
     100s,
     100s},
    {"a request is not idle",
     {{0s, event::minimum},
      {0s, event::warm},
      {10s, event::begin},
      {12s, event::end},
      {100s, event::stopped}},
     2s,
     98s,
     100s},
    {"nor is a start, nor a shutdown",
     {{0s, event::minimum},
      {0s, event::starting},
      {3s, event::ready},
      {90s, event::shutting_down},
      {94s, event::stopped}},
     7s,
     87s,
     94s},
    {"from when to when it is one",
     {{0s, event::warm},
      {20s, event::minimum},
      {20s, event::minimum},
      {50s, event::surplus},
      {100s, event::stopped}},
     0s,
     30s,
     100s},
    {"up to the end of the run",
     {{3590s, event::starting}, {3594s, event::ready}, {3594s, event::minimum}},
     4s,
     6s,
     60s},
  });
}

TEST(BillingMeter, GA_27_ChargesNoTimeTwice) {
  expect_bills({
    {"a pause begins where what was before is paid for",
     {{0s, event::minimum},
      {0s, event::warm},
      {10010ms, event::begin},
      {10020ms, event::end},
      {100s, event::stopped}},
     100ms,
     10010ms + 89890ms,
     100s},
    {"what begins before that is paid for as well",
     {{0s, event::minimum},
      {0s, event::warm},
      {1s, event::begin},
      {1010ms, event::end},
      {1090ms, event::begin},
      {1095ms, event::end},
      {100s, event::stopped}},
     100ms,
     1s + 98900ms,
     100s},
    {"another minimum changes nothing of what is paid for",
     {{0s, event::warm},
      {1s, event::begin},
      {1010ms, event::end},
      {1050ms, event::minimum},
      {1060ms, event::begin},
      {1070ms, event::end},
      {1080ms, event::surplus},
      {1090ms, event::begin},
      {1095ms, event::end},
      {1096ms, event::minimum},
      {100s, event::stopped}},
     100ms,
     98900ms,
     100s},
    {"what goes on beyond it is paid for from its beginning",
     {{0s, event::warm},
      {1s, event::begin},
      {1010ms, event::end},
      {1050ms, event::minimum},
      {1060ms, event::begin},
      {1230ms, event::end},
      {100s, event::stopped}},
     300ms,
     98700ms,
     100s},
  });
}

TEST(BillingMeter, ChargesEveryEndOfALife) {
  expect_bills({
    {"requests that a stop ends",
     {{0s, event::warm}, {1s, event::begin}, {1s, event::begin}, {70s, event::stopped}},
     69s,
     0s,
     70s},
    {"requests during the shutdown",
     {{0s, event::warm},
      {1s, event::begin},
      {5s, event::shutting_down},
      {8s, event::end},
      {70s, event::stopped}},
     69s,
     0s,
     70s},
    {"a start that fails", {{0s, event::starting}, {70s, event::stopped}}, 70s, 0s, 70s},
    {"a start that is broken off",
     {{0s, event::starting}, {1s, event::shutting_down}, {70s, event::stopped}},
     70s,
     0s,
     70s},
    {"a container that starts anew: one life",
     {{0s, event::warm},
      {5s, event::begin},
      {8s, event::starting},
      {10s, event::ready},
      {70s, event::stopped}},
     5s,
     0s,
     70s},
    {"its requests are gone",
     {{0s, event::warm},
      {5s, event::begin},
      {8s, event::starting},
      {10s, event::ready},
      {20s, event::begin},
      {21s, event::end},
      {70s, event::stopped}},
     6s,
     0s,
     70s},
    {"two lives, each for the minimum",
     {{0s, event::warm}, {5s, event::stopped}, {5s, event::warm}, {8s, event::stopped}},
     0s,
     0s,
     120s},
    {"but their idle time is rounded together",
     {{0s, event::minimum},
      {0s, event::warm},
      {10ms, event::stopped},
      {10ms, event::warm},
      {20ms, event::stopped}},
     0s,
     100ms,
     120s},
    {"and neither goes on with the other",
     {{0s, event::starting},
      {10ms, event::stopped},
      {10ms, event::starting},
      {20ms, event::stopped}},
     200ms,
     0s,
     120s},
  });
}

TEST(BillingMeter, CountsVcpusAsTheyAreBoosted) {
  const std::initializer_list<step> steps{{0s, event::starting},
                                          {4s, event::ready},
                                          {8s, event::begin},
                                          {18s, event::end},
                                          {100s, event::stopped}};
  struct {
    const char* why = "";
    vcpus cpu = {};
    charge active = {};
    charge life = {};
  } const cases[] = {
    {"no boost", {1, 1}, {14s, 14s}, {100s, 100s}},
    {"no boost of a larger one", {4, 4}, {14s, 56s}, {100s, 400s}},
    // boosted up to 14 s, of which 4 s and 6 s are active.
    {"boosted", {1, 2}, {14s, 24s}, {100s, 114s}},
    {"a fraction", {0.08, 2}, {14s, 20s + 320ms}, {100s, 28s + 6880ms}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto subject = after(steps, x.cpu);
    EXPECT_EQ(subject.request_based(last).active, x.active);
    EXPECT_EQ(subject.instance_based(last), x.life);
  }
}

TEST(BillingMeter, BoostsEachStartAndNoWarmInstance) {
  const vcpus cpu{1, 2};
  EXPECT_EQ(after({{0s, event::warm}, {70s, event::stopped}}, cpu).instance_based(last),
            (charge{70s, 70s}));
  EXPECT_EQ(after({{0s, event::starting}, {5s, event::stopped}}, cpu).instance_based(last),
            (charge{60s, 65s}))
    << "what the minimum adds is not boosted";
  EXPECT_EQ(after({{0s, event::starting}, {30ms, event::stopped}}, cpu).request_based(last).active,
            (charge{100ms, 130ms}))
    << "nor what rounding adds";
  // The second start comes while the first boost lasts: boosted in all from 0 s to 18 s.
  EXPECT_EQ(after({{0s, event::starting},
                   {2s, event::ready},
                   {6s, event::starting},
                   {8s, event::ready},
                   {70s, event::stopped}},
                  cpu)
              .instance_based(last),
            (charge{70s, 88s}));
  // And the next one much later: 12 s and 13 s.
  EXPECT_EQ(after({{0s, event::starting},
                   {2s, event::ready},
                   {50s, event::starting},
                   {53s, event::ready},
                   {70s, event::stopped}},
                  cpu)
              .instance_based(last),
            (charge{70s, 95s}));
  // A new life does not inherit what was left of the boost.
  EXPECT_EQ(after({{0s, event::starting},
                   {2s, event::ready},
                   {3s, event::stopped},
                   {4s, event::warm},
                   {64s, event::stopped}},
                  cpu)
              .instance_based(last),
            (charge{120s, 123s}));
}

TEST(BillingMeter, CountsYearsExactly) {
  constexpr auto years = 4 * 365 * 24h;
  const auto subject = after({{0s, event::warm}, {years + 1ns, event::stopped}}, {64, 64});
  EXPECT_EQ(subject.instance_based(run_start + years + 1ns),
            (charge{years + 100ms, 64 * (years + 100ms)}));
  const auto third = after({{0s, event::starting}, {60s + 333ns, event::stopped}}, {0.5, 1.5});
  EXPECT_EQ(third.instance_based(last).vcpu_time, 90s + 50ms + 333ns)
    << "halves of nanoseconds are added before they are dropped";
}

TEST(BillingMeter, ChargesWhatAnyRequestCovers) {
  const auto holds = rc::check([] {
    constexpr int ticks = 60; // of 30 ms
    std::array<int, ticks + 1> change{};
    for (auto n = *rc::gen::inRange(0, 8); n > 0; --n) {
      const auto from = *rc::gen::inRange(0, ticks);
      const auto to = *rc::gen::inRange(from, ticks + 1);
      if (from == to)
        continue;
      ++change[static_cast<std::size_t>(from)];
      --change[static_cast<std::size_t>(to)];
    }
    meter subject{{}, rounding::interval};
    subject.warm(run_start);
    duration expected{};
    // Of the last interval: its beginning, and up to where it is paid for.
    auto since = run_start;
    auto paid = run_start;
    auto requests = 0;
    for (int i = 0; i <= ticks; ++i) {
      const auto at = run_start + i * 30ms;
      const auto by = change[static_cast<std::size_t>(i)];
      for (auto k = 0; k < std::abs(by); ++k)
        by > 0 ? subject.request_begins(at) : subject.request_ends(at);
      requests += by;
      if (requests == 0)
        continue;
      if (at > paid) {
        expected += paid - since;
        since = at;
      }
      paid = since + (at + 30ms - since + 99'999'999ns) / 100ms * 100ms;
    }
    expected += paid - since;
    RC_ASSERT(subject.request_based(last).active.time.count() == expected.count());
  });
  EXPECT_TRUE(holds);
}

TEST(BillingMeter, NeverChargesMoreThanTheLife) {
  const auto holds = rc::check([] {
    meter subject{{}, rounding::interval};
    auto now = run_start;
    subject.warm(now);
    auto busy = false;
    auto kept = false;
    for (auto n = *rc::gen::inRange(1, 60); n > 0; --n) {
      now += *rc::gen::inRange(0, 70) * 1ms;
      if (*rc::gen::arbitrary<bool>())
        subject.keep_as_minimum(now, kept = !kept);
      else if (busy = !busy; busy)
        subject.request_begins(now);
      else
        subject.request_ends(now);
    }
    if (busy)
      subject.request_ends(now);
    now += 100ms;
    subject.stopped(now);
    const auto bill = subject.request_based(now);
    const auto life = now - run_start;
    RC_ASSERT(bill.active.time <= life);
    // Of idle time the sum is rounded up.
    RC_ASSERT(bill.active.time + bill.idle_minimum.time < life + 100ms);
  });
  EXPECT_TRUE(holds);
}

} // namespace
} // namespace spillover::billing
