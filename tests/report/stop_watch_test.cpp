#include "report/stop_watch.hpp"

#include "tests/report/log_builder.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

namespace spillover::test {
namespace {

using namespace std::chrono_literals;

const std::string web = "us-west1/checkout/web";

/// @returns when the first condition is met, and which; "" when none is.
std::string stop_of(const log_builder& run, const std::vector<stop_condition>& conditions,
                    std::size_t consumers = 1) {
  stop_watch watch{conditions, consumers, 3min};
  std::string result;
  for (const auto& x : run.log.events()) {
    if (auto reason = watch.see(x)) {
      EXPECT_EQ(result, "") << "met twice";
      result = to_string(x.at - run_start) + " " + *reason;
    }
  }
  return result;
}

struct stop_case {
  const char* why = "";
  std::vector<stop_condition> conditions = {};
  const char* expected = "";
};

void expect_stops(const log_builder& run, std::span<const stop_case> cases,
                  std::size_t consumers = 1) {
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(stop_of(run, x.conditions, consumers), x.expected);
  }
}

/// A second of the revision `web`.
struct web_second {
  std::chrono::seconds at{};
  std::uint32_t running = 0;
  std::uint32_t queue = 0;
};

log_builder run_of(std::span<const web_second> seconds) {
  log_builder result;
  for (const auto& second : seconds) {
    revision_sample x;
    x.ready = second.running - second.running / 2;
    x.deprioritised = second.running / 2;
    x.starting = 50;
    x.queue_peak = second.queue;
    result.add(second.at, web, {}, x);
  }
  return result;
}

/// A second of a consumer, as the director of a deployment gets it.
struct told_second {
  std::chrono::seconds at{};
  char consumer = 'e'; // east or west
  std::uint32_t ok = 0;
  std::uint32_t failed = 0;
};

log_builder run_of(std::span<const told_second> seconds) {
  log_builder result;
  for (const auto& x : seconds)
    result.client_second(x.at, x.ok, x.failed, x.consumer == 'e' ? "clients-east" : "clients-west");
  return result;
}

TEST(StopWatch, FollowsAQueue) {
  const web_second seconds[] = {
    {180s, 5, 9'000}, // still in the warm-up
    {181s, 5, 900},   {182s, 5, 1'001}, {183s, 5, 1'000},
    {184s, 5, 1'001}, {185s, 5, 1'002}, {186s, 5, 2'000},
  };
  const stop_case cases[] = {
    {"the first second above",
     {{stop_on_queue{web, 1'000}}},
     "182s queue of us-west1/checkout/web above 1,000"},
    {"exactly the limit is not above", {{stop_on_queue{web, 2'000}}}, ""},
    {"seconds in a row",
     {{stop_on_queue{web, 1'000, 3s}}},
     "186s queue of us-west1/checkout/web above 1,000 for 3s"},
    {"a row that the run does not have", {{stop_on_queue{web, 1'000, 4s}}}, ""},
    {"another revision", {{stop_on_queue{"us-east1/checkout/web", 0}}}, ""},
  };
  expect_stops(run_of(seconds), cases);
}

TEST(StopWatch, FollowsInstances) {
  const web_second seconds[] = {{180s, 1}, {181s, 5}, {182s, 2}, {183s, 8}};
  const stop_case cases[] = {
    {"below, after the warm-up",
     {{stop_on_instances{web, std::nullopt, 5}}},
     "182s instances of us-west1/checkout/web below 5"},
    {"exactly the limit is not below", {{stop_on_instances{web, std::nullopt, 2}}}, ""},
    {"above",
     {{stop_on_instances{web, 7, std::nullopt}}},
     "183s instances of us-west1/checkout/web above 7"},
    {"exactly the limit is not above", {{stop_on_instances{web, 8, std::nullopt}}}, ""},
    {"on either side, in a row",
     {{stop_on_instances{web, 7, 3, 2s}}},
     "183s instances of us-west1/checkout/web above 7 or below 3 for 2s"},
  };
  expect_stops(run_of(seconds), cases);
}

TEST(StopWatch, FollowsErrorsOverTheLastSeconds) {
  const told_second seconds[] = {
    {180s, 'e', 0, 100}, {180s, 'w', 0, 100}, // still in the warm-up
    {181s, 'e', 90, 10}, {181s, 'w', 100, 0}, {182s, 'e', 60, 40}, {182s, 'w', 100, 0},
    {183s, 'e', 60, 40}, {183s, 'w', 100, 0}, {184s, 'e', 0, 0},   {184s, 'w', 0, 0},
  };
  const stop_case cases[] = {
    {"when every consumer has told its second",
     {{stop_on_errors{0.19, 1s}}},
     "182s errors above 19% over 1s"},
    {"exactly the limit is not above", {{stop_on_errors{0.2, 1s}}}, ""},
    {"over two seconds", {{stop_on_errors{0.19, 2s}}}, "183s errors above 19% over 2s"},
    {"not before so many seconds", {{stop_on_errors{0.1, 3s}}}, "183s errors above 10% over 3s"},
    {"of one consumer",
     {{stop_on_errors{0.09, 1s, "clients-east"}}},
     "181s errors of clients-east above 9% over 1s"},
    {"of the other one", {{stop_on_errors{0, 1s, "clients-west"}}}, ""},
    {"nothing ended", {{stop_on_errors{0, 1s, "nobody"}}}, ""},
  };
  expect_stops(run_of(seconds), cases, 2);
}

TEST(StopWatch, CountsErrorsByTheInstantsOfTheSeconds) {
  const stop_on_errors over_two{0.19, 2s};
  const struct {
    const char* why;
    stop_on_errors what;
    std::vector<told_second> told;
    const char* expected;
  } cases[] = {
    {"a consumer is behind: its second belongs to the other's of the same instant",
     {0.49, 1s},
     {{181s, 'w', 10, 0}, {182s, 'w', 0, 10}, {181s, 'e', 10, 0}, {182s, 'e', 10, 0}},
     "182s errors above 49% over 1s"},
    {"two seconds of the same consumer are not one of both",
     {0.49, 1s},
     {{181s, 'w', 0, 10}, {182s, 'w', 0, 10}, {181s, 'e', 90, 0}, {182s, 'e', 90, 0}},
     ""},
    {"a killed consumer does not make the others' window wider",
     over_two,
     {{181s, 'w', 10, 0},
      {181s, 'e', 10, 0},
      {182s, 'w', 0, 10},
      {183s, 'w', 10, 0},
      {184s, 'w', 10, 0},
      {185s, 'w', 10, 0},
      {186s, 'w', 10, 0},
      {187s, 'w', 10, 0}},
     "187s errors above 19% over 2s"},
    {"nor does it hide what the others tell: a second counts five seconds later",
     over_two,
     {{181s, 'w', 10, 0},
      {182s, 'w', 9, 1},
      {183s, 'w', 8, 2},
      {184s, 'w', 8, 2},
      {185s, 'w', 8, 2},
      {186s, 'w', 8, 2},
      {187s, 'w', 8, 2},
      {188s, 'w', 8, 2},
      {189s, 'w', 8, 2}},
     "189s errors above 19% over 2s"},
    {"what comes after that counts with the window it belongs to",
     over_two,
     {{181s, 'w', 10, 0},
      {182s, 'w', 10, 0},
      {187s, 'w', 10, 0},
      {182s, 'e', 0, 90},
      {183s, 'w', 10, 0},
      {183s, 'e', 10, 0}},
     "183s errors above 19% over 2s"},
    {"and is forgotten with it",
     over_two,
     {{181s, 'w', 10, 0},
      {182s, 'w', 10, 0},
      {183s, 'w', 10, 0},
      {188s, 'w', 10, 0},
      {181s, 'e', 0, 90}},
     ""},
    {"seconds before and after a gap are not in a row",
     over_two,
     {{181s, 'w', 0, 10}, {181s, 'e', 0, 10}, {183s, 'w', 0, 10}, {183s, 'e', 0, 10}},
     ""},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(stop_of(run_of(x.told), {{x.what}}, 2), x.expected);
  }
}

TEST(StopWatch, FollowsEvents) {
  log_builder run;
  run.source_turns(100s, {}, health::unhealthy, 5); // still in the warm-up
  run.source_turns(300s, {}, health::healthy, 5);
  run.source_turns(310s, {}, health::unhealthy, 5);
  run.source_turns(320s, {}, health::unhealthy, 5);
  const stop_case cases[] = {
    {"the first of this kind, entity and field after the warm-up",
     {{stop_on_event{{"source_changed", "us-east1", {{"after", "UNHEALTHY"}}}}}},
     "310s source_changed of us-east1 with after=UNHEALTHY"},
    {"one that does not come", {{stop_on_event{{"first_request"}}}}, ""},
  };
  expect_stops(run, cases);
}

TEST(StopWatch, TheFirstConditionOfTheFirstInstantCounts) {
  const web_second seconds[] = {{181s, 5, 0}, {182s, 5, 10}};
  const stop_condition late{stop_on_queue{web, 9}, "too long"};
  const stop_condition same{stop_on_queue{web, 5}};
  const stop_condition early{stop_on_instances{web, 4, std::nullopt}};
  const stop_case cases[] = {
    {"both are met by one event",
     {late, same},
     "182s too long: queue of us-west1/checkout/web above 9"},
    {"the second one is met before",
     {late, early},
     "181s instances of us-west1/checkout/web above 4"},
  };
  expect_stops(run_of(seconds), cases);
  EXPECT_TRUE((stop_watch{{}, 1, 0s}.idle()));
  EXPECT_FALSE((stop_watch{{late}, 1, 0s}.idle()));
}

} // namespace
} // namespace spillover::test
