#include "regions/link_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using enum link_ailment;

link_model link(const link_config& config) {
  return {config, 1, "a/b/data"};
}

// One message a millisecond.
std::vector<passage> send(link_model& subject, int count, instant& now) {
  std::vector<passage> result;
  for (int i = 0; i < count; ++i)
    result.push_back(subject.decide(now += 1ms));
  return result;
}

struct tally {
  int lost = 0;
  int twice = 0;
  int held = 0; // first way of 1s or more
  duration least = duration::max();
  duration most{};
};

tally count(const std::vector<passage>& x) {
  tally result;
  for (const auto& y : x) {
    result.lost += y.first ? 0 : 1;
    result.twice += y.second ? 1 : 0;
    if (!y.first)
      continue;
    result.held += *y.first >= 1s ? 1 : 0;
    result.least = std::min(result.least, *y.first);
    result.most = std::max(result.most, *y.first);
  }
  return result;
}

const link_symptom ailments[] = {
  {.become = cut},
  {.become = delayed, .by = 40ms},
  {.become = jittery, .by = 30ms},
  {.become = lossy, .share = 0.3},
  {.become = duplicating, .share = 0.4},
  {.become = reordering, .by = 500ms, .share = 0.2},
  {.become = limited, .by = 20ms, .per_second = 300},
};

TEST(LinkFaults, EachDoesWhatItSays) {
  constexpr int n = 10'000;
  const struct {
    const char* why;
    link_symptom suffer;
    double lost;
    double twice;
    double held;
    duration least;
    duration most;
  } cases[] = {
    {"cut: nothing passes", {.become = cut}, n, 0, 0, duration::max(), 0s},
    {"delayed: later by as much", {.become = delayed, .by = 40ms}, 0, 0, 0, 50ms, 50ms},
    {"jittery: later by at most that", {.become = jittery, .by = 30ms}, 0, 0, 0, 10ms, 40ms},
    {"lossy: a share is lost", {.become = lossy, .share = 0.3}, 0.3 * n, 0, 0, 10ms, 10ms},
    {"lossy: all of it", {.become = lossy, .share = 1}, n, 0, 0, duration::max(), 0s},
    {"duplicating: a share arrives twice",
     {.become = duplicating, .share = 0.4},
     0,
     0.4 * n,
     0,
     10ms,
     10ms},
    {"duplicating: all of it", {.become = duplicating, .share = 1}, 0, n, 0, 10ms, 10ms},
    {"reordering: a share is held back",
     {.become = reordering, .by = 2s, .share = 0.2},
     0,
     0,
     0.2 * n,
     10ms,
     2010ms},
    {"limited: half of what comes does not fit",
     {.become = limited, .by = 20ms, .per_second = 500},
     0.5 * n,
     0,
     0,
     10ms,
     30ms},
    {"limited: what fits passes",
     {.become = limited, .by = 0s, .per_second = 1000},
     0,
     0,
     0,
     10ms,
     10ms},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto subject = link({.latency = 10ms});
    subject.add_fault(0, x.suffer);
    instant now{};
    const auto result = count(send(subject, n, now));
    // Four deviations of a share of one half; what is no share is exact.
    const auto near = [](double share) { return share == 0 || share == n ? 0.0 : 200.0; };
    EXPECT_NEAR(result.lost, x.lost, near(x.lost));
    EXPECT_NEAR(result.twice, x.twice, near(x.twice));
    EXPECT_NEAR(result.held, x.held, near(x.held));
    EXPECT_GE(result.least, x.least);
    EXPECT_LE(result.least, x.least == duration::max() ? x.least : x.least + 100us);
    EXPECT_LE(result.most, x.most);
    EXPECT_GE(result.most, x.most - 100us);
    EXPECT_EQ(subject.lost(), static_cast<std::uint64_t>(result.lost));
    EXPECT_EQ(subject.duplicated(), static_cast<std::uint64_t>(result.twice));
    EXPECT_EQ(subject.taken(), static_cast<std::uint64_t>(n + result.twice));
  }
}

// Every two ailments, in every overlap: while both lie, what each does alone is still there, and when
// both are off the link is as it was, to the nanosecond.
TEST(LinkFaults, LeaveNoTraceInWhateverOrderTheyComeAndGo) {
  const link_config config{.latency = 10ms, .jitter = 5ms, .loss = 0.1};
  for (const auto& a : ailments)
    for (const auto& b : ailments)
      for (const bool first_off_first : {true, false}) {
        auto calm = link(config);
        auto troubled = link(config);
        instant calm_now{};
        instant now{};
        send(calm, 4000, calm_now);
        send(troubled, 1000, now);
        troubled.add_fault(3, a);
        send(troubled, 1000, now);
        troubled.add_fault(8, b);
        send(troubled, 1000, now);
        troubled.remove_fault(first_off_first ? 3 : 8);
        send(troubled, 1000, now);
        troubled.remove_fault(first_off_first ? 8 : 3);
        ASSERT_EQ(send(troubled, 1000, now), send(calm, 1000, calm_now))
          << to_string(a.become) << " and " << to_string(b.become);
      }
}

TEST(LinkFaults, NoneShiftsWhatAnotherDraws) {
  for (const auto& other : ailments) {
    if (other.become == cut || other.become == limited)
      continue;
    SCOPED_TRACE(to_string(other.become));
    const link_config config{.latency = 10ms, .jitter = 5ms};
    auto alone = link(config);
    auto both = link(config);
    alone.add_fault(1, {.become = reordering, .by = 10s, .share = 0.5});
    both.add_fault(0, other);
    both.add_fault(1, {.become = reordering, .by = 10s, .share = 0.5});
    instant now{};
    instant both_now{};
    const auto expected = send(alone, 2000, now);
    const auto actual = send(both, 2000, both_now);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (actual[i].first) {
        ASSERT_EQ(*actual[i].first >= 10s, *expected[i].first >= 10s) << i;
      }
    }
  }
}

TEST(LinkFaults, AFaultThatComesAgainGoesOnWithItsDraws) {
  const link_symptom half{.become = lossy, .share = 0.5};
  auto straight = link({});
  auto flapping = link({});
  straight.add_fault(0, half);
  flapping.add_fault(0, half);
  instant straight_now{};
  instant now{};
  auto expected = send(straight, 200, straight_now);
  auto actual = send(flapping, 100, now);
  flapping.remove_fault(0);
  send(flapping, 50, now);
  flapping.add_fault(0, half);
  const auto rest = send(flapping, 100, now);
  actual.insert(actual.end(), rest.begin(), rest.end());
  EXPECT_EQ(actual, expected);
}

TEST(LinkFaults, ADuplicateHasAWayOfItsOwn) {
  auto subject = link({.latency = 10ms, .jitter = 10ms});
  subject.add_fault(0, {.become = duplicating, .share = 1});
  subject.add_fault(1, {.become = delayed, .by = 100ms});
  subject.add_fault(2, {.become = reordering, .by = 1s, .share = 0.5});
  instant now{};
  int earlier = 0;
  int apart = 0;
  for (const auto& x : send(subject, 1000, now)) {
    ASSERT_TRUE(x.first && x.second);
    EXPECT_GE(*x.second, 110ms);
    EXPECT_LE(*x.second, 1120ms);
    earlier += *x.second < *x.first ? 1 : 0;
    apart += (*x.first >= 1s) != (*x.second >= 1s) ? 1 : 0;
  }
  EXPECT_NEAR(earlier, 500, 64);
  EXPECT_NEAR(apart, 500, 64);
}

TEST(LinkFaults, WhatIsLostHasNoDuplicateAndTakesNoPlaceAtALimit) {
  auto subject = link({});
  subject.add_fault(0, {.become = duplicating, .share = 1});
  subject.add_fault(1, {.become = limited, .by = 0s, .per_second = 1});
  subject.add_fault(2, {.become = cut});
  EXPECT_EQ(subject.decide(run_start), passage{});
  subject.remove_fault(2);
  EXPECT_EQ(subject.decide(run_start), (passage{0s, 0s})) << "nobody stood at the limit before";
  EXPECT_EQ(subject.decide(run_start), passage{}) << "the limit has no room";
  EXPECT_EQ(subject.taken(), 4u);
  EXPECT_EQ(subject.duplicated(), 1u);
  EXPECT_EQ(subject.lost(), 2u);
}

TEST(LinkFaults, LimitsStandOneBehindTheOther) {
  auto subject = link({.latency = 1ms});
  subject.add_fault(0, {.become = limited, .by = 1s, .per_second = 10});
  subject.add_fault(1, {.become = limited, .by = 1s, .per_second = 5});
  std::vector<duration> ways;
  for (int i = 0; i < 3; ++i)
    ways.push_back(subject.decide(run_start).first.value());
  // The first lets pass at 0, 100 and 200 ms; the second at 0, 200 and 400 ms.
  EXPECT_EQ(ways, (std::vector<duration>{1ms, 201ms, 401ms}));
}

} // namespace
