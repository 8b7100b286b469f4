// Detection, aggregation, propagation and routing of the product's own actors against closed forms.
//
// Every single run must lie within the bounds, and the mean within four standard errors of the
// expected value: for an honest model that fails once in 15,000 settings, and the seeds are fixed.

#include "tests/integration/timing_world.hpp"
#include "tests/support/golden.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::run_timing;
using test::timing_reading;
using test::timing_setup;
using test::timings;

constexpr const char* document = "docs/timing.md";

// The table is made of this many; builds that are slow for other reasons try fewer (CMakeLists.txt).
constexpr std::uint64_t seeds_of_the_table = 1000;
constexpr std::uint64_t seeds = SPILLOVER_TIMING_SEEDS;

// Bounds hold to the nanosecond, but for what rounding of a phase down can do.
void expect_agrees(const timings& x, const time_range& expected) {
  ASSERT_EQ(x.count(), seeds);
  EXPECT_GE(x.least(), seconds_of(expected.least) - 1e-9);
  EXPECT_LE(x.most(), seconds_of(expected.most) + 1e-9);
  EXPECT_NEAR(x.mean(), seconds_of(expected.mean), 4 * x.error() + 1e-6);
}

std::string row(const std::string& what, const time_range& expected, const timings& x) {
  char numbers[160];
  std::snprintf(numbers, sizeof numbers, "| %.2f | %.3f | %.2f | %.2f | %.3f | %.2f |",
                seconds_of(expected.least), seconds_of(expected.mean), seconds_of(expected.most),
                x.least(), x.mean(), x.most());
  return "| " + what + " " + numbers + "\n";
}

constexpr const char* table_head =
  "| | least | mean | most | measured least | measured mean | measured most |\n"
  "|---|---|---|---|---|---|---|\n";

/// Compares a table with what stands in the document between its marks, or writes it there.
void expect_table(const std::string& name, const std::string& rows) {
  if (seeds != seeds_of_the_table)
    return;
  const auto text = test::read_file(document);
  const auto begin = "<!-- measured: " + name + " -->\n";
  const auto from = text.find(begin);
  ASSERT_NE(from, std::string::npos) << "no place for " << name << " in " << document;
  const auto start = from + begin.size();
  const auto end = text.find("<!-- end -->", start);
  ASSERT_NE(end, std::string::npos);
  test::expect_golden(document, text.substr(0, start) + table_head + rows + text.substr(end));
}

const struct detection_case {
  const char* what;
  timing_setup setup;
} detection_cases[] = {
  {"refused, 1 prober (GB-11)", {.check = {.probers = 1}, .how = ailment::failing}},
  {"silent, 1 prober (GB-12)", {.check = {.probers = 1}}},
  {"silent, 1 prober, every 1 s, timeout 1 s (GB-13)",
   {.check = {.interval = 1s, .timeout = 1s, .probers = 1}}},
  {"silent, 1 prober, every 10 s, timeout 5 s, 3 in a row (GB-14)",
   {.check = {.interval = 10s, .unhealthy_threshold = 3, .probers = 1}}},
  {"refused, 2 of 3 probers (GB-15)", {.how = ailment::failing}},
  {"refused, 1 of 10 probers (GB-16)",
   {.check = {.probers = 10, .quorum = 1}, .how = ailment::failing}},
  {"refused, 5th of 10 endpoints, 1 prober (GB-17)",
   {.check = {.probers = 1}, .how = ailment::failing, .failing = 10, .total = 10}},
  {"gone, 5th of 5, 2 of 3 probers", {.how = ailment::crashed, .failing = 5, .total = 10}},
  {"silent, 5th of 5, 2 of 3 probers", {.failing = 5, .total = 10}},
  {"silent, 5th of 7, 2 of 3 probers", {.failing = 7, .total = 10}},
  {"silent, 5th of 10, 2 of 3 probers", {.failing = 10, .total = 10}},
  {"silent, 5th of 5, 3 of 5 probers", {.check = {.probers = 5}, .failing = 5, .total = 10}},
  {"refused, 2nd of 2, all of 5 probers",
   {.check = {.probers = 5, .quorum = 5}, .how = ailment::failing, .failing = 2, .total = 4}},
  {"silent, 2nd of 4, 2 of 3 probers, every 2 s, timeout 1 s, at once",
   {.check = {.interval = 2s, .timeout = 1s, .unhealthy_threshold = 1}, .failing = 4, .total = 4}},
  {"back from silence, 1st of 5, 2 of 3 probers", {.failing = 5, .total = 10, .recovery = true}},
  {"back from errors, 3rd of 4, 1 prober, 3 in a row",
   {.check = {.interval = 2s, .timeout = 1s, .healthy_threshold = 3, .probers = 1},
    .how = ailment::failing,
    .failing = 4,
    .total = 4,
    .recovery = true}},
};

TEST(Timing, EndpointsAreDetectedAsOrderStatisticsSay) {
  std::string rows;
  for (const auto& c : detection_cases) {
    SCOPED_TRACE(c.what);
    const auto expected = c.setup.detection();
    const auto whole = failover_time(expected, c.setup.timing);
    timings detected;
    timings all;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const auto x = run_timing(c.setup, seed);
      ASSERT_TRUE(x) << "seed " << seed;
      detected.add(x->detected);
      all.add(x->all);
    }
    expect_agrees(detected, expected);
    expect_agrees(all, whole);
    rows += row(c.what, expected, detected);
  }
  expect_table("detection", rows);
}

// The same with settings of Envoy's (B-36), and what does not answer a TCP check.
const struct {
  const char* what;
  timing_setup setup;
} other_checks[] = {
  {"an error decides",
   {.check = {.unhealthy_threshold = 3, .probers = 1, .error_decides = true},
    .how = ailment::failing}},
  {"silence does not", {.check = {.unhealthy_threshold = 3, .probers = 1, .error_decides = true}}},
  {"silence on TCP", {.check = {.probers = 1, .protocol = probe_protocol::tcp}}},
  {"hung, of no avail on gRPC",
   {.check = {.probers = 1, .protocol = probe_protocol::grpc}, .how = ailment::hung}},
  {"a shorter edge after errors",
   {.check = {.unhealthy_threshold = 3, .probers = 1, .unhealthy_edge_interval = 500ms},
    .how = ailment::failing}},
  {"a shorter edge after silence, 2 of 3 probers",
   {.check = {.timeout = 1s, .unhealthy_threshold = 3, .unhealthy_edge_interval = 500ms},
    .failing = 2,
    .total = 2}},
  {"back by the unhealthy interval, then the edge",
   {.check = {.healthy_threshold = 3,
              .probers = 1,
              .unhealthy_interval = 1s,
              .healthy_edge_interval = 250ms},
    .how = ailment::failing,
    .recovery = true}},
};

TEST(Timing, OtherChecksAreDetectedAsTheirPausesSay) {
  for (const auto& c : other_checks) {
    SCOPED_TRACE(c.what);
    timings detected;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const auto x = run_timing(c.setup, seed);
      ASSERT_TRUE(x) << "seed " << seed;
      detected.add(x->detected);
    }
    expect_agrees(detected, c.setup.detection());
  }
}

// One endpoint that is probed every second, so that a run is short.
timing_setup quick() {
  return {.check = {.interval = 1s, .timeout = 1s, .unhealthy_threshold = 1, .probers = 1},
          .how = ailment::failing};
}

/// Adds a row of what `span` reads off each run.
template <class Span>
void measure(std::string& rows, const char* what, const timing_setup& setup,
             const time_range& expected, Span span) {
  SCOPED_TRACE(what);
  timings measured;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto x = run_timing(setup, seed);
    ASSERT_TRUE(x) << "seed " << seed;
    measured.add(span(*x));
  }
  expect_agrees(measured, expected);
  rows += row(what, expected, measured);
}

TEST(Timing, TheTailIsAsItsPartsSay) {
  const auto aggregated = [](const timing_reading& x) { return x.aggregated; };
  const auto propagated = [](const timing_reading& x) { return x.propagated; };
  const auto applied = [](const timing_reading& x) { return x.applied; };
  const auto routed = [](const timing_reading& x) { return x.routed; };
  std::string rows;

  auto setup = quick();
  measure(rows, "aggregation, tick 1 s", setup, aggregation_time(setup.timing), aggregated);
  measure(rows, "propagation, 2 s + [0, 1 s]", setup, propagation_time(setup.timing), propagated);
  measure(rows, "apply, 1 s", setup, {1s, 1s, 1s}, applied);

  setup.timing = {.aggregation_tick = 5s, .propagation = 500ms, .propagation_jitter = 4s};
  measure(rows, "aggregation, tick 5 s", setup, aggregation_time(setup.timing), aggregated);

  setup = quick();
  setup.consumers = 4;
  measure(rows, "propagation to the last of 4 consumers", setup,
          propagation_time(setup.timing, setup.consumers), propagated);

  setup = quick();
  setup.rate = 40;
  measure(rows, "last request of 40 a second", setup, route_time(setup.timing, setup.rate), routed);
  setup.rate = 1;
  measure(rows, "last request of 1 a second", setup, route_time(setup.timing, setup.rate), routed);
  expect_table("tail", rows);
}

TEST(Timing, ALostStateComesWithALaterRepetition) {
  auto setup = quick();
  setup.loss = 0.3;
  const auto sent = propagation_time(setup.timing);
  auto expected = sent + resend_time(setup.timing, setup.loss);
  // As many losses in a row as a run has repetitions.
  expected.most = sent.most + 12 * setup.timing.resend;
  std::string rows;
  measure(rows, "propagation over a health plane that loses 30 %, repeated every 10 s", setup,
          expected, [](const timing_reading& x) { return x.propagated; });
  expect_table("loss", rows);
}

TEST(Timing, RunsWithoutEnoughFailuresKeepTheirRoute) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_FALSE(run_timing({.how = ailment::failing, .failing = 4, .total = 10}, seed));
}

} // namespace
} // namespace spillover
