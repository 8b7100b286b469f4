#include "producers/billing/interval_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace spillover::billing {
namespace {

using namespace std::chrono_literals;
using intervals = std::vector<std::pair<duration, duration>>;

/// @returns what is billed for intervals in a life of which the first second was boosted.
life_span billed(rounding rule, duration least, const intervals& x) {
  const auto point = [](duration t) { return life_span{t, std::min<duration>(t, 1s)}; };
  interval_sum subject{rule, least};
  for (const auto& [from, to] : x) {
    subject.begin(point(from));
    EXPECT_TRUE(subject.is_open());
    const auto open = subject.billed(point(to));
    subject.end(point(to));
    EXPECT_FALSE(subject.is_open());
    EXPECT_EQ(subject.billed(point(1h)), open) << "as if it had ended";
  }
  return subject.billed(point(1h));
}

TEST(IntervalSum, RoundsEachIntervalOrTheirSum) {
  struct {
    const char* why;
    duration least;
    intervals what;
    life_span by_interval;
    life_span by_total;
  } const cases[] = {
    {"nothing", 0s, {}, {}, {}},
    {"nothing, though there is a minimum", 60s, {}, {}, {}},
    {"whole units", 0s, {{2s, 2300ms}}, {300ms}, {300ms}},
    {"a nanosecond more", 0s, {{2s, 2300ms + 1ns}}, {400ms}, {400ms}},
    {"a nanosecond", 0s, {{2s, 2s + 1ns}}, {100ms}, {100ms}},
    {"no time at all", 0s, {{2s, 2s}}, {0ms}, {0ms}},
    {"A-71: each, or all", 0s, {{2s, 2010ms}, {5s, 5010ms}}, {200ms}, {100ms}},
    {"those that touch are one", 0s, {{2s, 2010ms}, {2010ms, 2050ms}}, {100ms}, {100ms}},
    {"a nanosecond between", 0s, {{2s, 2010ms}, {2010ms + 1ns, 2050ms}}, {200ms}, {100ms}},
    {"the boosted part is not rounded", 0s, {{0s, 430ms}}, {500ms, 430ms}, {500ms, 430ms}},
    {"boosted in part", 0s, {{900ms, 1250ms}}, {400ms, 100ms}, {400ms, 100ms}},
    {"boosted parts add up",
     0s,
     {{0s, 10ms}, {950ms, 1010ms}, {2s, 2010ms}},
     {300ms, 60ms},
     {100ms, 60ms}},
    {"a minimum", 60s, {{2s, 3s}}, {60s}, {60s}},
    {"and beyond it", 60s, {{2s, 62010ms}}, {60100ms}, {60100ms}},
    {"a minimum for each", 60s, {{2s, 3s}, {4s, 65010ms}}, {121100ms}, {121100ms}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(billed(rounding::interval, x.least, x.what), x.by_interval);
    EXPECT_EQ(billed(rounding::total, x.least, x.what), x.by_total);
  }
}

TEST(IntervalSum, SeparatesWhatTouchesWhenTold) {
  interval_sum subject{rounding::interval};
  subject.separate(); // there is nothing yet
  for (auto i = 0; i < 3; ++i) {
    subject.begin({i * 10ms});
    subject.end({(i + 1) * 10ms});
    subject.separate();
    EXPECT_EQ(subject.billed({1h}), (life_span{(i + 1) * 100ms}));
  }
}

} // namespace
} // namespace spillover::billing
