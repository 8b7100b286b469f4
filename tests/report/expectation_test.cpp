#include "report/expectation.hpp"

#include <gtest/gtest.h>

#include <span>

namespace spillover::test {
namespace {

using namespace std::chrono_literals;

constexpr instant at(duration x) {
  return run_start + x;
}

struct words_case {
  expectation x;
  const char* kind;
  const char* what;
  std::optional<std::int64_t> at_least;
  std::optional<std::int64_t> at_most;
  const char* unit;
};

void expect_words(std::span<const words_case> cases) {
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const auto words = words_of(c.x);
    EXPECT_EQ(words.kind, c.kind);
    EXPECT_EQ(words.what, c.what);
    EXPECT_EQ(words.at_least, c.at_least);
    EXPECT_EQ(words.at_most, c.at_most);
    EXPECT_EQ(words.unit, c.unit);
  }
}

TEST(Expectation, OfAClockSaysInWordsWhatItAsksFor) {
  const words_case cases[] = {
    {expect_failover{"a", 20s}, "failover", "failover from a within 20s", {}, 20'000'000'000, "ns"},
    {expect_failover{"a", 0s, 22}, "failover", "22nd failover from a within 0s", {}, 0, "ns"},
    {expect_failback{"a", 1s, std::nullopt},
     "failback",
     "every failback to a within 1s",
     {},
     1'000'000'000,
     "ns"},
    {expect_capacity_recovered{"b", 1s},
     "capacity_recovered",
     "capacity recovered in b within 1s",
     {},
     1'000'000'000,
     "ns"},
    {expect_capacity_recovered{"b", 1s, 2},
     "capacity_recovered",
     "capacity recovered in b after 2nd failover within 1s",
     {},
     1'000'000'000,
     "ns"},
    {expect_clock{failover_clock::route, "a", 1s},
     "clock",
     "clock route of a within 1s",
     {},
     1'000'000'000,
     "ns"},
  };
  expect_words(cases);
}

TEST(Expectation, OfErrorsToo) {
  const words_case cases[] = {
    {expect_errors{at(5min), at(7min), 0.005},
     "errors",
     "errors from 5m to 7m at most 0.5%",
     {},
     5'000,
     "ppm"},
    {expect_errors{at(0s), at(7min), 0, "c", "a"},
     "errors",
     "errors of c in a from 0s to 7m at most 0%",
     {},
     0,
     "ppm"},
    {expect_errors{at(5min), at(7min), 0.62, "", "", 0.58}, "errors",
     "errors from 5m to 7m at least 58% and at most 62%", 580'000, 620'000, "ppm"},
  };
  expect_words(cases);
}

TEST(Expectation, OfAnythingElseToo) {
  const words_case cases[] = {
    {expect_latency{0.999, at(5min), at(7min), 250ms, "c"},
     "latency",
     "latency p99.9 of c from 5m to 7m at most 250ms",
     {},
     250'000'000,
     "ns"},
    {expect_queue{.of = "a/b/c", .at_most = 1'000},
     "queue",
     "queue of a/b/c at most 1,000",
     {},
     1'000,
     "count"},
    {expect_queue{.of = "a/b/c", .from = at(5s), .to = at(7s), .at_most = 1},
     "queue",
     "queue of a/b/c from 5s to 7s at most 1",
     {},
     1,
     "count"},
    {expect_rate{"a", at(5s), at(7s), 10.5, 20}, "rate",
     "rate of a from 5s to 7s at least 10.5/s and at most 20/s", 10'500, 20'000, "milli_rps"},
    {expect_instances{"a/b/c", at(5s), at(5s), 4, std::nullopt},
     "instances",
     "instances of a/b/c at 5s at least 4",
     4,
     {},
     "count"},
    {expect_instances{"a/b/c", at(5s), at(7s), std::nullopt, 4},
     "instances",
     "instances of a/b/c from 5s to 7s at most 4",
     {},
     4,
     "count"},
    {expect_transitions{"a/b", 2}, "transitions", "transitions of a/b at most 2", {}, 2, "count"},
    {expect_lost{.consumer = "c"}, "lost", "lost requests of c at most 0", {}, 0, "count"},
    {expect_cost{"", 1}, "cost", "cost at most 1 instance-second", {}, 1, "instance_s"},
    {expect_cost{"a", 12'000},
     "cost",
     "cost of a at most 12,000 instance-seconds",
     {},
     12'000,
     "instance_s"},
    {expect_sequence{{{"source_changed", "a"}, {"first_request"}}, 10s},
     "sequence",
     "sequence source_changed of a, then first_request within 10s",
     {},
     10'000'000'000,
     "ns"},
    {expect_queue{"a/b/c", {}, {}, 5, "v2"},
     "queue",
     "queue of a/b/c/v2 at most 5",
     {},
     5,
     "count"},
  };
  expect_words(cases);
}

TEST(Expectation, OfABacklogToo) {
  const words_case cases[] = {
    {expect_backlog{"c", std::nullopt, std::nullopt, 1'000},
     "backlog",
     "backlog of c at most 1,000",
     {},
     1'000,
     "count"},
    {expect_backlog{"c", at(5s), at(7s), 1},
     "backlog",
     "backlog of c from 5s to 7s at most 1",
     {},
     1,
     "count"},
    {expect_backlog{"c", at(5s), at(5s), 0},
     "backlog",
     "backlog of c at 5s at most 0",
     {},
     0,
     "count"},
  };
  expect_words(cases);
}

TEST(Expectation, OfABillToo) {
  const auto words = words_of(expect_cost{
    .of = "a", .vcpu_seconds_at_most = 2, .from = run_start + 5s, .to = run_start + 7s});
  EXPECT_EQ(words.kind, "cost");
  EXPECT_EQ(words.what, "cost of a from 5s to 7s at most 2 vCPU-seconds");
  EXPECT_EQ(words.at_most, 2'000);
  EXPECT_EQ(words.unit, "milli_vcpu_s");
}

} // namespace
} // namespace spillover::test
