#include "tests/report/judged.hpp"
#include "tests/report/log_builder.hpp"

namespace spillover::test {
namespace {

using namespace std::chrono_literals;

const event_pattern down{"source_changed", "us-east1/checkout", {{"after", "UNHEALTHY"}}};
const event_pattern routed{"routing_changed", "", {{"after", "us-west1"}}};
const event_pattern first{"first_request"};

log_builder some_events() {
  log_builder run;
  run.source_turns(100s, {}, health::unhealthy, 5); // still in the warm-up
  run.source_turns(300s, {}, health::unhealthy, 5);
  run.route_turns(301s, {}, "clients-east", "us-west1", "us-east1", -1ns);
  run.source_turns(302s, {}, health::unhealthy, 4);
  run.route_turns(303s, {}, "clients-east", "us-east1", "us-west1", -1ns);
  run.first_request_goes(303s, {}, "clients-east", "us-west1");
  return run;
}

TEST(JudgeSequence, TakesTheFirstMatchOfEachPatternAfterTheOneBefore) {
  auto run = some_events();
  run.end();
  const judged_case cases[] = {
    {"from the first event to the last", expect_sequence{{down, routed}, 10s}, true, "3.0 s",
     3'000'000'000, 303s},
    {"exactly the limit", expect_sequence{{down, routed}, 3s}, true, "3.0 s", 3'000'000'000, 303s},
    {"a nanosecond less", expect_sequence{{down, routed}, 3s - 1ns}, false, "3.0 s", 3'000'000'000,
     303s - 1ns},
    {"the same pattern twice means two events", expect_sequence{{down, down}, 2s}, true, "2.0 s",
     2'000'000'000, 302s},
    {"in the same instant", expect_sequence{{routed, first}, 0s}, true, "0.0 s", 0, 303s},
    {"the other way round", expect_sequence{{first, routed}, 10s}, false,
     "no routing_changed with after=us-west1 after 303.000 s", std::nullopt, 313s},
    {"not even the first", expect_sequence{{{"start_denied"}, down}, 10s}, false, "no start_denied",
     std::nullopt, std::nullopt},
    {"its time ends after the run", expect_sequence{{down, {"start_denied"}}, 1h}, false,
     "no start_denied after 300.000 s", std::nullopt, std::nullopt},
  };
  expect_judged(run.log, cases);
}

TEST(JudgeSequence, EndsWithARunThatWasStopped) {
  auto run = some_events();
  run.add(305s, "director", {}, run_stopped{"queue"});
  run.add(305s, "director", {}, run_ended{});
  const judged_case cases[] = {
    {"its time was not over", expect_sequence{{down, {"start_denied"}}, 5s}, false,
     "stopped before", std::nullopt, std::nullopt},
    {"its time was over", expect_sequence{{down, {"start_denied"}}, 4s}, false,
     "no start_denied after 300.000 s", std::nullopt, 304s},
    {"it did not begin", expect_sequence{{{"start_denied"}, down}, 1s}, false, "stopped before",
     std::nullopt, std::nullopt},
  };
  expect_judged(run.log, cases);
}

TEST(JudgeTransitions, TheFirstOneTooManyDecides) {
  log_builder run;
  run.composite_turns(300s, {}, health::healthy, health::unhealthy);
  run.composite_turns(310s, {}, health::unhealthy, health::healthy);
  run.composite_turns(320s, {}, health::healthy, health::unhealthy);
  run.end();
  const judged_case cases[] = {
    {"exactly the limit", expect_transitions{"us-east1/checkout", 3}, true, "3 transitions", 3,
     320s},
    {"one is too many", expect_transitions{"us-east1/checkout", 0}, false, "3 transitions", 3,
     300s},
    {"none", expect_transitions{"us-west1/checkout", 0}, true, "0 transitions", 0, std::nullopt},
  };
  expect_judged(run.log, cases);
}

} // namespace
} // namespace spillover::test
