#include "tests/report/judged.hpp"
#include "tests/report/log_builder.hpp"

namespace spillover::test {
namespace {

using namespace std::chrono_literals;
using enum failover_clock;

TEST(JudgeClock, TakesOneClockAlone) {
  const auto run = clean_failover();
  const judged_case cases[] = {
    {"detect from the fault's start", expect_clock{detect, "us-east1", 15s}, true, "13.9 s",
     13'900'000'000, 313'900ms},
    {"exactly the limit", expect_clock{detect, "us-east1", 13'900ms}, true, "13.9 s",
     13'900'000'000, 313'900ms},
    {"a nanosecond less, violated when the time is over",
     expect_clock{detect, "us-east1", 13'900ms - 1ns}, false, "13.9 s", 13'900'000'000,
     313'900ms - 1ns},
    {"aggregate from the end of detect", expect_clock{aggregate, "us-east1", 300ms}, false, "0.4 s",
     400'000'000, 314'200ms},
    {"no time at all", expect_clock{aggregate, "us-east1", 0s}, false, "0.4 s", 400'000'000,
     313'900ms},
    {"propagate", expect_clock{propagate, "us-east1", 3s}, true, "2.5 s", 2'500'000'000, 316'800ms},
    {"route", expect_clock{route, "us-east1", 1s}, true, "1.0 s", 1'000'000'000, 317'800ms},
    {"capacity from the end of route", expect_clock{capacity, "us-east1", 1min}, false, "64.8 s",
     64'800'000'000, 377'800ms},
    {"a region that did not fail", expect_clock{detect, "us-west1", 1h}, false,
     "not within the run", std::nullopt, std::nullopt},
  };
  expect_judged(run.log, cases);
}

/// Half of us-east1 falls silent and nobody leaves; without an end.
log_builder stuck() {
  log_builder run;
  run.everybody_starts_in({"clients-east"});
  run.region_turns_unhealthy(run.half_falls_silent());
  return run;
}

TEST(JudgeClock, OneThatDidNotEndIsViolatedWhenItsTimeIsOver) {
  auto run = stuck();
  run.end();
  const judged_case cases[] = {
    {"its limit lies within the run", expect_clock{propagate, "us-east1", 10s}, false,
     "not within the run", std::nullopt, 324'300ms},
    {"its limit does not", expect_clock{propagate, "us-east1", 1h}, false, "not within the run",
     std::nullopt, std::nullopt},
    {"it did not even begin", expect_clock{route, "us-east1", 1s}, false, "not within the run",
     std::nullopt, std::nullopt},
    {"the failover as a whole", expect_failover{"us-east1", 20s}, false, "not within the run",
     std::nullopt, 320s},
  };
  expect_judged(run.log, cases);
}

TEST(JudgeClock, TheSlowestOfARegionsServicesCounts) {
  log_builder run;
  run.everybody_starts_in({"clients-east"});
  const auto up = run.composite_turns(10s, {}, health::unknown, health::healthy, "us-east1/pay");
  const auto known = run.consumer_learns(12s, up, "clients-west", health::healthy);
  run.route_turns(13s, known, "clients-west", "", "us-east1", -1ns);
  const auto fault = run.fault_starts(300s, "region us-east1: lost", "us-east1");
  const auto down = run.region_turns_unhealthy(fault);
  const auto knows = run.consumer_learns(316s, down, "clients-east", health::unhealthy);
  run.route_turns(317s, knows, "clients-east", "us-east1", "us-west1", 317s);
  const auto ill =
    run.add(300s, "us-east1/pay/web/0", fault, instance_afflicted{0, true, "silent"});
  const auto endpoint =
    run.add(318s, "us-east1/pay/web/0", ill,
            endpoint_changed{health::healthy, health::unhealthy, 2, 3, "5 s x 2, timeout 5 s"});
  const auto source = run.add(318s, "us-east1/pay/web/source", endpoint,
                              source_changed{health::healthy, health::unhealthy, 0, 1, 1});
  const auto pay_down =
    run.composite_turns(318s, source, health::healthy, health::unhealthy, "us-east1/pay");
  const auto learnt = run.consumer_learns(320s, pay_down, "clients-west", health::unhealthy);
  run.route_turns(321s, learnt, "clients-west", "us-east1", "us-west1", 321s);
  run.end();
  const judged_case cases[] = {
    {"the slower one is late", expect_failover{"us-east1", 18s}, false, "21.0 s", 21'000'000'000,
     318s},
    {"both are in time", expect_failover{"us-east1", 21s}, true, "21.0 s", 21'000'000'000, 321s},
  };
  expect_judged(run.log, cases);
}

TEST(JudgeClock, OneThatHadNoTimeToEndSaysSo) {
  auto run = stuck();
  run.add(330s, "director", {}, run_stopped{"queue"});
  run.add(330s, "director", {}, run_ended{});
  const judged_case cases[] = {
    {"its time was over before the stop", expect_failover{"us-east1", 29s}, false,
     "not within the run", std::nullopt, 329s},
    {"it was not", expect_failover{"us-east1", 30s}, false, "stopped before", std::nullopt,
     std::nullopt},
    {"nothing began", expect_failback{"us-east1", 1s}, false, "stopped before", std::nullopt,
     std::nullopt},
    {"no such failover yet", expect_failover{"us-west1", 1s}, false, "stopped before", std::nullopt,
     std::nullopt},
  };
  expect_judged(run.log, cases);
}

/// Adds to a run a failover of us-east1 from a fault on, of so long, and a return.
void fail_over_and_back(log_builder& to, duration at, duration takes) {
  const auto fault =
    to.fault_starts(at, "instances us-east1/checkout/web: 50 % silent", "us-east1/checkout/web");
  const auto applied =
    to.add(at, "us-east1/checkout/web", fault, fault_applied{0, true, 5, 10, "silent"});
  const auto endpoint = to.add(at + 1s, "us-east1/checkout/web/1", applied,
                               endpoint_changed{health::healthy, health::unhealthy, 2, 3, ""});
  const auto source = to.source_turns(at + 2s, endpoint, health::unhealthy, 5);
  const auto down = to.composite_turns(at + 2s, source, health::healthy, health::unhealthy);
  const auto knows = to.consumer_learns(at + 3s, down, "clients-east", health::unhealthy);
  const auto left =
    to.route_turns(at + takes, knows, "clients-east", "us-east1", "us-west1", at + takes);
  to.first_request_goes(at + takes, left, "clients-east", "us-west1");
  const auto over = to.fault_ends(at + 50s, fault);
  const auto healed = to.source_turns(at + 51s, over, health::healthy, 10);
  const auto up = to.composite_turns(at + 51s, healed, health::unhealthy, health::healthy);
  const auto knows_again = to.consumer_learns(at + 52s, up, "clients-east", health::healthy);
  const auto back = to.route_turns(at + 50s + takes, knows_again, "clients-east", "us-west1",
                                   "us-east1", at + 50s + takes);
  to.first_request_goes(at + 50s + takes, back, "clients-east", "us-east1");
}

TEST(JudgeClock, TheNthFailoverIsThatOfTheNthFault) {
  log_builder run;
  run.everybody_starts_in({"clients-east"});
  fail_over_and_back(run, 300s, 5s);
  fail_over_and_back(run, 500s, 15s);
  run.survivor_seconds(290s, 600s, 100, 100, 4);
  run.end();
  const judged_case cases[] = {
    {"the first one by default", expect_failover{"us-east1", 10s}, true, "5.0 s", 5'000'000'000,
     305s},
    {"the second one", expect_failover{"us-east1", 10s, 2}, false, "15.0 s", 15'000'000'000, 510s},
    {"every one: the slowest decides", expect_failover{"us-east1", 15s, std::nullopt}, true,
     "15.0 s", 15'000'000'000, 515s},
    {"a third one", expect_failover{"us-east1", 10s, 3}, false, "only 2 failovers in the run",
     std::nullopt, std::nullopt},
    {"the second return", expect_failback{"us-east1", 15s, 2}, true, "15.0 s", 15'000'000'000,
     565s},
    {"every return", expect_failback{"us-east1", 10s, std::nullopt}, false, "15.0 s",
     15'000'000'000, 560s},
    {"capacity of the second one", expect_capacity_recovered{"us-west1", 1s, 2}, true, "0.0 s", 0,
     515s},
  };
  expect_judged(run.log, cases);
}

TEST(JudgeClock, NobodyCanLeaveARegionThatNobodyUses) {
  log_builder run;
  const auto composite = run.composite_turns(10s, {}, health::unknown, health::healthy);
  const auto neg = run.consumer_learns(12s, composite, "clients-east", health::healthy);
  run.route_turns(13s, neg, "clients-east", "", "us-west1", -1ns);
  const auto down = run.region_turns_unhealthy(run.half_falls_silent());
  run.consumer_learns(316s, down, "clients-east", health::unhealthy);
  run.end();
  const judged_case cases[] = {
    {"the failover", expect_failover{"us-east1", 1h}, false, "no consumer was using us-east1",
     std::nullopt, std::nullopt},
    {"any failover", expect_failover{"us-east1", 1h, std::nullopt}, false,
     "no consumer was using us-east1", std::nullopt, std::nullopt},
    {"one of several", expect_failover{"us-east1", 1h, 2}, false, "no consumer was using us-east1",
     std::nullopt, std::nullopt},
    {"the way back", expect_failback{"us-east1", 1h}, false, "no consumer was using us-east1",
     std::nullopt, std::nullopt},
    {"its last request", expect_clock{route, "us-east1", 1h}, false,
     "no consumer was using us-east1", std::nullopt, std::nullopt},
    {"but it was noticed", expect_clock{detect, "us-east1", 1h}, true, "13.9 s", 13'900'000'000,
     313'900ms},
  };
  expect_judged(run.log, cases);
}

TEST(JudgeClock, AFailoverThatNobodyHadToCarryOutIsNotCounted) {
  log_builder run;
  run.everybody_starts_in({"clients-east"});
  fail_over_and_back(run, 300s, 5s);
  // Away again for a reason of its own when the next fault comes.
  run.route_turns(400s, {}, "clients-east", "us-east1", "us-west1", 400s);
  const auto fault = run.fault_starts(500s, "again", "us-east1/checkout/web");
  const auto source = run.source_turns(502s, fault, health::unhealthy, 5);
  const auto down = run.composite_turns(502s, source, health::healthy, health::unhealthy);
  run.consumer_learns(503s, down, "clients-east", health::unhealthy);
  run.end();
  const judged_case cases[] = {
    {"every one", expect_failover{"us-east1", 5s, std::nullopt}, true, "5.0 s", 5'000'000'000,
     305s},
    {"the second", expect_failover{"us-east1", 5s, 2}, false, "only 1 failover in the run",
     std::nullopt, std::nullopt},
  };
  expect_judged(run.log, cases);
}

} // namespace
} // namespace spillover::test
