#include "producers/autoscaling/netscaler/statistics.hpp"

#include "tests/producers/autoscaling/netscaler/collected.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace spillover;
using namespace spillover::netscaler;
using namespace std::chrono_literals;

using nodes = std::vector<node_statistics>;

std::int64_t number(const breach_watch& x, std::string_view name) {
  input_list inputs;
  x.list(inputs);
  return inputs.find(name).value_or(-100);
}

TEST(NetscalerStatistics, CountInRoundedThousandths) {
  struct {
    double x;
    std::int64_t expected;
  } const cases[] = {{0, 0},
                     {85, 85'000},
                     {39.9996, 40'000},
                     {39.9994, 39'999},
                     {0.1, 100},
                     {1e30, 1'000'000'000'000}};
  for (const auto& x : cases)
    EXPECT_EQ(in_thousandths(x.x), x.expected) << x.x;
}

// D-1: decisions are the cluster's.
TEST(NetscalerStatistics, AreThoseOfTheCluster) {
  const nodes three{{0, 10, 20, 300, 0}, {1, 20, 90, 100, 0}, {2, 30, 91, 200.5, 0}};
  settings x{.cpu = {true, 40, 85}, .throughput = {true, 1, 1000}};
  breach_watch mean{x};
  mean.observe(run_start, test::collected(three));
  EXPECT_EQ(number(mean, "cpu_milli"), 20'000);
  EXPECT_EQ(number(mean, "memory_milli"), 67'000);
  EXPECT_EQ(number(mean, "throughput_milli"), 200'167);
  x.statistic = cluster_statistic::highest_node;
  breach_watch highest{x};
  highest.observe(run_start, test::collected(three));
  EXPECT_EQ(number(highest, "cpu_milli"), 30'000);
  EXPECT_EQ(number(highest, "memory_milli"), 91'000);
  EXPECT_EQ(number(highest, "throughput_milli"), 300'000);
}

// D-5: the streaks of the two rules, by collection; the watch time is 2 minutes.
TEST(NetscalerStatistics, BreachLimitsForTheWatchTime) {
  struct {
    const char* why;
    watch_rule rule;
    duration watch_time;
    const char* memory;   // H above, L below, = within, ? no node tells
    const char* expected; // H, L or = after each
  } const cases[] = {
    {"longer than the watch time", watch_rule::longer, 2min, "HHHHH", "===HH"},
    {"as long as the watch time", watch_rule::at_least, 2min, "HHHHH", "==HHH"},
    {"below its minimum alike", watch_rule::longer, 2min, "LLLLL", "===LL"},
    {"one inside ends it", watch_rule::longer, 2min, "HHH=HHHH", "=======H"},
    {"so does the other side", watch_rule::longer, 2min, "HHHLLLLH", "======L="},
    {"and a collection that says nothing", watch_rule::longer, 2min, "HHH?HHHH", "=======H"},
    {"that also ends what was long enough", watch_rule::longer, 2min, "LLLL?L", "===L=="},
    {"what is over between two collections counts at the next", watch_rule::at_least, 119s, "HHH",
     "==H"},
    {"no watch time, but longer than that", watch_rule::longer, 0s, "HHL", "=H="},
    {"no watch time at all", watch_rule::at_least, 0s, "HL=", "HL="},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    breach_watch subject{{.watch_time = x.watch_time, .watch = x.rule}};
    std::string answers;
    auto at = run_start;
    for (const char* c = x.memory; *c != '\0'; ++c, at += 1min) {
      const node_statistics node{.memory = *c == 'H' ? 90.0 : *c == 'L' ? 30.0 : 60.0};
      subject.observe(at, test::collected({&node, *c == '?' ? std::size_t{0} : std::size_t{1}}));
      answers.push_back(!subject.too_high().empty() ? 'H' : !subject.too_low().empty() ? 'L' : '=');
      EXPECT_EQ(subject.breached(), *c == 'H' || *c == 'L');
    }
    EXPECT_EQ(answers, x.expected);
  }
}

// D-2
TEST(NetscalerStatistics, NameWhoBreached) {
  const settings all{.cpu = {true, 40, 85},
                     .memory = {true, 40, 85},
                     .throughput = {true, 40, 85},
                     .watch_time = 0s,
                     .watch = watch_rule::at_least};
  auto two = all;
  two.cpu.selected = false;
  auto one = two;
  one.memory.selected = false;
  struct {
    const char* why;
    const settings& with;
    node_statistics node;
    std::string_view high;
    std::string_view low;
  } const cases[] = {
    {"nobody", all, {0, 50, 50, 50}, "", ""},
    {"CPU", all, {0, 90, 50, 50}, "CPU", ""},
    {"memory", all, {0, 50, 90, 50}, "MEMORY", ""},
    {"throughput", all, {0, 50, 50, 90}, "THROUGHPUT", ""},
    {"the first of two", all, {0, 50, 90, 90}, "MEMORY", ""},
    {"all of them", all, {0, 30, 30, 30}, "", "ALL"},
    {"all but one", all, {0, 30, 30, 50}, "", ""},
    {"not selected, no say", two, {0, 90, 50, 50}, "", ""},
    {"no veto either", two, {0, 50, 30, 30}, "", "ALL"},
    {"the only one", one, {0, 90, 90, 30}, "", "THROUGHPUT"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    breach_watch subject{x.with};
    subject.observe(run_start, test::collected({&x.node, 1}));
    EXPECT_EQ(subject.too_high(), x.high);
    EXPECT_EQ(subject.too_low(), x.low);
  }
}

// D-4: a breach is that of one limit; one statistic does not go on where another one ends.
TEST(NetscalerStatistics, WatchEachMaximumByItself) {
  breach_watch subject{{.cpu = {true, 40, 85}, .watch_time = 1min}};
  const nodes cpu{{0, 90, 50}};
  const nodes memory{{0, 50, 90}};
  subject.observe(run_start, test::collected(cpu));
  subject.observe(run_start + 1min, test::collected(memory));
  subject.observe(run_start + 2min, test::collected(memory));
  EXPECT_EQ(subject.too_high(), "");
  EXPECT_EQ(number(subject, "cpu_above_ns"), -1);
  EXPECT_EQ(number(subject, "memory_above_ns"), 60'000'000'000);
  subject.observe(run_start + 3min, test::collected(memory));
  EXPECT_EQ(subject.too_high(), "MEMORY");
}

TEST(NetscalerStatistics, ForgetBreachesWhenTheyAreToldTo) {
  breach_watch subject{{.watch_time = 0s, .watch = watch_rule::at_least}};
  for (const auto percent : {90.0, 30.0}) {
    const nodes one{{0, 0, percent}};
    subject.observe(run_start, test::collected(one));
    EXPECT_TRUE(subject.breached());
    subject.restart();
    EXPECT_FALSE(subject.breached());
    EXPECT_EQ(subject.too_high(), "");
    EXPECT_EQ(subject.too_low(), "");
  }
}

} // namespace
