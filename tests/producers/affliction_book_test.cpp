#include "producers/affliction_book.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using indices = std::vector<std::uint32_t>;
using candidates = std::vector<affliction_book::candidate>;
using hits = std::vector<affliction_book::hit>;

constexpr std::string_view path = "near/shop/web";

affliction_book book(std::uint64_t seed = 1) {
  return {seed, std::string{path}};
}

/// Instances 0.. that run, in three zones by turns.
candidates running(std::uint32_t count) {
  candidates result;
  for (std::uint32_t i = 0; i < count; ++i)
    result.push_back({i, i % 3, true});
  return result;
}

instance_fault become(ailment how, double fraction = 1) {
  return {.of = std::string{path}, .suffer = {.become = how}, .fraction = fraction};
}

TEST(AfflictionBook, HitsAShareRoundedUpOrACountOfThoseThatRun) {
  struct {
    const char* why = "";
    std::uint32_t present = 0;
    double fraction = 0;
    std::optional<std::uint32_t> count = std::nullopt;
    std::size_t expected = 0;
  } const cases[] = {
    {"all", 5, 1, {}, 5},
    {"half of an odd number is rounded up", 5, 0.5, {}, 3},
    {"an exact product is not", 10, 0.3, {}, 3},
    {"nor is one whose last bit is above", 100, 0.29, {}, 29},
    {"one at least", 5, 0.0000000001, {}, 1},
    {"none of none", 0, 1, {}, 0},
    {"a count", 5, 1, 2, 2},
    {"at most all", 5, 1, 7, 5},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto what = become(ailment::silent, x.fraction);
    what.count = x.count;
    auto subject = book();
    const auto victims = subject.lay(0, what, {}, running(x.present));
    EXPECT_EQ(victims.size(), x.expected);
    EXPECT_TRUE(std::is_sorted(victims.begin(), victims.end()));
    EXPECT_EQ(std::set(victims.begin(), victims.end()).size(), x.expected);
    EXPECT_EQ(subject.take_off(0), victims);
    EXPECT_EQ(subject.take_off(0), indices{});
  }
}

TEST(AfflictionBook, ChoosesFromAStreamOfTheFaultsOwn) {
  const auto what = become(ailment::silent, 0.5);
  auto alone = book();
  const auto expected = alone.lay(3, what, {}, running(20));
  auto other = book();
  other.lay(2, what, {}, running(20));
  other.lay(9, become(ailment::unstartable, 0.5), {}, running(20));
  other.start(20, 0);
  EXPECT_EQ(other.lay(3, what, {}, running(20)), expected);
  auto again = book(2);
  EXPECT_NE(again.lay(3, what, {}, running(20)), expected);
}

TEST(AfflictionBook, AFlappingFaultHitsThoseOfItsOnsetThatAreStillThere) {
  const auto what = become(ailment::silent, 0.5);
  auto subject = book();
  const auto first = subject.lay(0, what, {}, running(10));
  ASSERT_EQ(first.size(), 5u);
  subject.take_off(0);
  EXPECT_EQ(subject.lay(0, what, {}, running(12)), first);
  subject.take_off(0);
  subject.stopped(first[0]);
  auto rest = running(12);
  rest[first[0]].runs = false;
  rest[first[1]].runs = false; // crashed for another reason: it cannot be silent now
  rest.erase(rest.begin() + first[0]);
  EXPECT_EQ(subject.lay(0, what, {}, rest), indices(first.begin() + 2, first.end()));
  subject.take_off(0);
  EXPECT_EQ(subject.lay(0, what, {}, running(12)), indices(first.begin() + 1, first.end()))
    << "a new process of it can";
}

TEST(AfflictionBook, AFaultOfEveryoneHitsThoseThatStartLaterInItsZone) {
  auto subject = book();
  auto present = running(6);
  present[4].runs = false;
  const fault_scope all{.everyone = true};
  const fault_scope b{.everyone = true, .zone = 1};
  EXPECT_EQ(subject.lay(1, become(ailment::silent), all, present), (indices{0, 1, 2, 3, 5}));
  EXPECT_EQ(subject.lay(2, become(ailment::crashed), b, present), (indices{1, 4}))
    << "one that is down is kept down";
  EXPECT_EQ(subject.start(6, 0), (hits{{1}}));
  EXPECT_EQ(subject.start(7, 1), (hits{{1}, {2}}));
  EXPECT_EQ(subject.lost_zones(), zone_set{2});
  EXPECT_EQ(subject.take_off(2), (indices{1, 4, 7}));
  EXPECT_EQ(subject.lost_zones(), zone_set{0});
  EXPECT_EQ(subject.start(8, 1), (hits{{1}}));
  EXPECT_EQ(subject.take_off(1), (indices{0, 1, 2, 3, 5, 6, 7, 8}));
  EXPECT_EQ(subject.start(9, 1), hits{});
}

TEST(AfflictionBook, WhatLiesOnAProcessEndsWithIt) {
  for (const auto how :
       {ailment::silent, ailment::failing, ailment::slow, ailment::waiting, ailment::leaking}) {
    SCOPED_TRACE(to_string(how));
    auto subject = book();
    subject.lay(5, become(how), {}, running(2));
    subject.lay(6, become(how), {.everyone = true}, running(2));
    EXPECT_EQ(subject.ended(1), (indices{5, 6}));
    EXPECT_FALSE(subject.held_down(1));
    EXPECT_EQ(subject.start(1, 1), (hits{{6}})) << "whoever hits everyone hits it again";
    EXPECT_EQ(subject.take_off(5), (indices{0}));
    EXPECT_EQ(subject.take_off(6), (indices{0, 1}));
  }
}

TEST(AfflictionBook, ACrashHoldsDownUntilTheLastOneIsOver) {
  auto subject = book();
  subject.lay(1, become(ailment::crashed), {}, running(2));
  EXPECT_TRUE(subject.held_down(0));
  EXPECT_FALSE(subject.held_down(2));
  EXPECT_EQ(subject.ended(0), indices{});
  subject.lay(2, become(ailment::crashed), {.everyone = true}, {{{0, 0, false}, {1, 1, false}}});
  subject.take_off(1);
  EXPECT_TRUE(subject.held_down(0));
  subject.stopped(1);
  EXPECT_FALSE(subject.held_down(1));
  EXPECT_EQ(subject.take_off(2), indices{0});
  EXPECT_FALSE(subject.held_down(0));
}

TEST(AfflictionBook, AFaultOfStartsHitsThoseThatBeginMeanwhile) {
  auto subject = book();
  EXPECT_EQ(subject.lay(1, become(ailment::unstartable), {}, running(3)), indices{});
  EXPECT_EQ(subject.terms(0), start_terms{});
  EXPECT_EQ(subject.start(3, 0), (hits{{1, true}}));
  EXPECT_EQ(subject.terms(3), (start_terms{1, 1s}));
  EXPECT_EQ(subject.ended(3), indices{}) << "the start goes on";
  EXPECT_EQ(subject.start(3, 0), (hits{{1, false}}));
  EXPECT_EQ(subject.take_off(1), indices{3});
  EXPECT_EQ(subject.start(3, 0), hits{});
  EXPECT_EQ(subject.terms(3), start_terms{});
}

TEST(AfflictionBook, SlowStartsMultiplyAndAreOverWhenTheInstanceServes) {
  auto subject = book();
  auto slow = become(ailment::slow_starting);
  slow.suffer.factor = 2;
  subject.lay(1, slow, {}, {});
  slow.suffer.factor = 1.5;
  subject.lay(2, slow, {}, {});
  EXPECT_EQ(subject.start(0, 0), (hits{{1}, {2}}));
  EXPECT_EQ(subject.terms(0), (start_terms{3, 0s}));
  EXPECT_EQ(cold_start_under(subject.terms(0), 2s), 6s);
  EXPECT_EQ(subject.started(0), (indices{1, 2}));
  EXPECT_EQ(subject.terms(0), start_terms{});
  EXPECT_EQ(subject.take_off(1), indices{});
}

TEST(AfflictionBook, ColdStartsAreStretchedAndLastLongEnough) {
  EXPECT_EQ(cold_start_under({}, 1'234'567'891ns), 1'234'567'891ns);
  EXPECT_EQ(cold_start_under({1, 1s}, 999ms), 1s);
  EXPECT_EQ(cold_start_under({1, 1s}, 0s), 1s);
  EXPECT_EQ(cold_start_under({3, 1s}, 400ms), 1200ms);
  EXPECT_EQ(cold_start_under({1e9, 0s}, 1h), 8784h);
}

TEST(AfflictionBook, ACountOfStartsIsOfTheFirstOnesAndAFractionAProbability) {
  auto first = become(ailment::unstartable);
  first.count = 2;
  auto subject = book();
  subject.lay(1, first, {}, {});
  EXPECT_EQ(subject.start(0, 0), (hits{{1}}));
  EXPECT_EQ(subject.start(0, 0), (hits{{1, false}})) << "the same start";
  subject.take_off(1);
  subject.lay(1, first, {}, {}); // flaps
  EXPECT_EQ(subject.start(1, 0), (hits{{1}}));
  EXPECT_EQ(subject.start(2, 0), hits{});

  subject.lay(2, become(ailment::slow_starting, 0.25), {}, {});
  int hit = 0;
  for (std::uint32_t i = 100; i < 10'100; ++i)
    hit += subject.start(i, 0).empty() ? 0 : 1;
  // Four standard deviations of 43
  EXPECT_NEAR(hit, 2500, 173);
}

TEST(AfflictionBook, RestartsAreSpreadByAStreamOfTheFaultsOwn) {
  auto subject = book();
  auto what = become(ailment::crashed);
  subject.lay(1, what, {}, running(3));
  EXPECT_EQ(subject.restart_delay(1), 0s);
  what.restart_jitter = 10s;
  subject.lay(2, what, {}, running(3));
  duration sum{};
  for (int i = 0; i < 10'000; ++i) {
    const auto delay = subject.restart_delay(2);
    EXPECT_GE(delay, 0s);
    EXPECT_LE(delay, 10s);
    sum += delay;
  }
  // Four standard deviations of 2.9 s / 100
  EXPECT_NEAR(seconds_of(sum) / 10'000, 5, 0.12);
  auto other = book();
  other.lay(1, what, {}, running(3));
  auto twin = book();
  twin.lay(1, what, {}, running(3));
  twin.lay(2, what, {}, running(3));
  twin.restart_delay(2);
  EXPECT_EQ(other.restart_delay(1), twin.restart_delay(1));
}

TEST(VictimsAmong, IsTheCountOrTheShareRoundedUpAndAtMostAll) {
  struct {
    const char* why = "";
    instance_fault what = {};
    std::uint32_t running = 0;
    std::uint32_t expected = 0;
  } const cases[] = {
    {"an exact share", {.of = {}, .fraction = 0.5}, 10, 5},
    {"a product that a double makes too large", {.of = {}, .fraction = 0.07}, 100, 7},
    {"rounded up", {.of = {}, .fraction = 0.5}, 3, 2},
    {"at least one, however small the share", {.of = {}, .fraction = 1e-12}, 10, 1},
    {"nobody is there", {.of = {}, .fraction = 1e-12}, 0, 0},
    {"a count", {.of = {}, .count = 3}, 10, 3},
    {"at most all", {.of = {}, .count = 30}, 10, 10},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(victims_among(x.what, x.running), x.expected);
  }
}

TEST(BearingOf, SaysWhatAProbeMeets) {
  struct {
    const char* why = "";
    symptom what = {};
    probe_bearing expected = {};
  } const cases[] = {
    {"a process that is gone refuses", {.become = ailment::crashed}, probe_bearing::whole},
    {"silence", {.become = ailment::silent}, probe_bearing::whole},
    {"silence to requests only",
     {.become = ailment::silent, .affects = affected_part::requests},
     probe_bearing::none},
    {"silence to probes only",
     {.become = ailment::silent, .affects = affected_part::probes},
     probe_bearing::whole},
    {"nothing but errors", {.become = ailment::failing}, probe_bearing::whole},
    {"some errors", {.become = ailment::failing, .error_fraction = 0.5}, probe_bearing::part},
    {"errors for requests only",
     {.become = ailment::failing, .affects = affected_part::requests},
     probe_bearing::none},
    {"never serves", {.become = ailment::unstartable}, probe_bearing::whole},
    {"serves late", {.become = ailment::slow_starting}, probe_bearing::part},
    {"a probe needs no CPU", {.become = ailment::slow}, probe_bearing::none},
    {"nor another's answer", {.become = ailment::waiting}, probe_bearing::none},
    {"nor what a leak burns", {.become = ailment::leaking}, probe_bearing::none},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(bearing_of(x.what), x.expected);
  }
}

} // namespace
} // namespace spillover
