#include "report/stop_watch.hpp"

#include "tests/report/log_builder.hpp"

#include <gtest/gtest.h>

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

void revision_second(log_builder& to, duration at, std::uint32_t running, std::uint32_t queue,
                     const std::string& path = web) {
  revision_sample x;
  x.ready = running - running / 2;
  x.deprioritised = running / 2;
  x.starting = 50;
  x.queue_peak = queue;
  to.add(at, path, {}, x);
}

TEST(StopWatch, FollowsAQueue) {
  log_builder run;
  revision_second(run, 180s, 5, 9'000); // still in the warm-up
  for (const auto& [at, queue] : {std::pair{181s, 900U},
                                  {182s, 1'001U},
                                  {183s, 1'000U},
                                  {184s, 1'001U},
                                  {185s, 1'002U},
                                  {186s, 2'000U}})
    revision_second(run, at, 5, queue);
  const struct {
    const char* why;
    stop_on_queue what;
    const char* expected;
  } cases[] = {
    {"the first second above", {web, 1'000}, "182s queue of us-west1/checkout/web above 1,000"},
    {"exactly the limit is not above", {web, 2'000}, ""},
    {"seconds in a row",
     {web, 1'000, 3s},
     "186s queue of us-west1/checkout/web above 1,000 for 3s"},
    {"a row that the run does not have", {web, 1'000, 4s}, ""},
    {"another revision", {"us-east1/checkout/web", 0}, ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    EXPECT_EQ(stop_of(run, {{c.what}}), c.expected);
  }
}

TEST(StopWatch, FollowsInstances) {
  log_builder run;
  for (const auto& [at, running] : {std::pair{180s, 1U}, {181s, 5U}, {182s, 2U}, {183s, 8U}})
    revision_second(run, at, running, 0);
  const struct {
    const char* why;
    stop_on_instances what;
    const char* expected;
  } cases[] = {
    {"below, after the warm-up",
     {web, std::nullopt, 5},
     "182s instances of us-west1/checkout/web below 5"},
    {"exactly the limit is not below", {web, std::nullopt, 2}, ""},
    {"above", {web, 7, std::nullopt}, "183s instances of us-west1/checkout/web above 7"},
    {"exactly the limit is not above", {web, 8, std::nullopt}, ""},
    {"on either side, in a row",
     {web, 7, 3, 2s},
     "183s instances of us-west1/checkout/web above 7 or below 3 for 2s"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    EXPECT_EQ(stop_of(run, {{c.what}}), c.expected);
  }
}

TEST(StopWatch, FollowsErrorsOverTheLastSeconds) {
  log_builder run;
  run.client_second(180s, 0, 100); // still in the warm-up
  run.client_second(180s, 0, 100, "clients-west");
  run.client_second(181s, 90, 10);
  run.client_second(181s, 100, 0, "clients-west");
  run.client_second(182s, 60, 40);
  run.client_second(182s, 100, 0, "clients-west");
  run.client_second(183s, 60, 40);
  run.client_second(183s, 100, 0, "clients-west");
  run.client_second(184s, 0, 0);
  run.client_second(184s, 0, 0, "clients-west");
  const struct {
    const char* why;
    stop_on_errors what;
    const char* expected;
  } cases[] = {
    {"when every consumer has told its second", {0.19, 1s}, "182s errors above 19% over 1s"},
    {"exactly the limit is not above", {0.2, 1s}, ""},
    {"over two seconds", {0.19, 2s}, "183s errors above 19% over 2s"},
    {"not before so many seconds", {0.1, 3s}, "183s errors above 10% over 3s"},
    {"of one consumer", {0.09, 1s, "clients-east"}, "181s errors of clients-east above 9% over 1s"},
    {"of the other one", {0, 1s, "clients-west"}, ""},
    {"nothing ended", {0, 1s, "nobody"}, ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    EXPECT_EQ(stop_of(run, {{c.what}}, 2), c.expected);
  }
}

/// A second of a consumer, as the director of a deployment gets it.
struct told_second {
  std::chrono::seconds at{};
  char consumer = 'e'; // east or west
  std::uint32_t ok = 0;
  std::uint32_t failed = 0;
};

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
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    log_builder run;
    for (const auto& x : c.told)
      run.client_second(x.at, x.ok, x.failed, x.consumer == 'e' ? "clients-east" : "clients-west");
    EXPECT_EQ(stop_of(run, {{c.what}}, 2), c.expected);
  }
}

TEST(StopWatch, FollowsEvents) {
  log_builder run;
  run.source_turns(100s, {}, health::unhealthy, 5); // still in the warm-up
  run.source_turns(300s, {}, health::healthy, 5);
  run.source_turns(310s, {}, health::unhealthy, 5);
  run.source_turns(320s, {}, health::unhealthy, 5);
  EXPECT_EQ(
    stop_of(run, {{stop_on_event{{"source_changed", "us-east1", {{"after", "UNHEALTHY"}}}}}}),
    "310s source_changed of us-east1 with after=UNHEALTHY");
  EXPECT_EQ(stop_of(run, {{stop_on_event{{"first_request"}}}}), "");
}

TEST(StopWatch, TheFirstConditionOfTheFirstInstantCounts) {
  log_builder run;
  revision_second(run, 181s, 5, 0);
  revision_second(run, 182s, 5, 10);
  const stop_condition late{stop_on_queue{web, 9}, "too long"};
  const stop_condition same{stop_on_queue{web, 5}};
  const stop_condition early{stop_on_instances{web, 4, std::nullopt}};
  EXPECT_EQ(stop_of(run, {late, same}), "182s too long: queue of us-west1/checkout/web above 9");
  EXPECT_EQ(stop_of(run, {late, early}), "181s instances of us-west1/checkout/web above 4");
  EXPECT_TRUE((stop_watch{{}, 1, 0s}.idle()));
  EXPECT_FALSE((stop_watch{{late}, 1, 0s}.idle()));
}

} // namespace
} // namespace spillover::test
