#include "tests/report/judged.hpp"
#include "tests/report/log_builder.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::judge_one;
using test::log_builder;

TEST(Judge, JudgesTheClocksOfACleanFailover) {
  const auto run = test::clean_failover();
  const struct {
    const char* why;
    expectation expected;
    bool met;
    const char* what;
    const char* measured;
    std::optional<duration> at;
  } cases[] = {
    {"within the limit", expect_failover{"us-east1", 20s}, true,
     "failover from us-east1 within 20s", "17.8 s", 317'800ms},
    {"exactly the limit", expect_failover{"us-east1", 17'800ms}, true,
     "failover from us-east1 within 17800ms", "17.8 s", 317'800ms},
    {"a nanosecond more", expect_failover{"us-east1", 17'800ms - 1ns}, false,
     "failover from us-east1 within 17799999999ns", "17.8 s", 317'800ms - 1ns},
    {"a region that nobody left", expect_failover{"us-west1", 20s}, false,
     "failover from us-west1 within 20s", "not within the run", std::nullopt},
    {"capacity counts from the end of routing", expect_capacity_recovered{"us-west1", 90s}, true,
     "capacity recovered in us-west1 within 90s", "64.8 s", 382'600ms},
    {"capacity too late", expect_capacity_recovered{"us-west1", 1min}, false,
     "capacity recovered in us-west1 within 1m", "64.8 s", 377'800ms},
    {"capacity of a region that took nothing over", expect_capacity_recovered{"us-east1", 1h},
     false, "capacity recovered in us-east1 within 1h", "not within the run", std::nullopt},
    {"failback counts from the fault's end", expect_failback{"us-east1", 30s}, true,
     "failback to us-east1 within 30s", "14.0 s", 674s},
    {"failback too late", expect_failback{"us-east1", 10s}, false,
     "failback to us-east1 within 10s", "14.0 s", 670s},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto judged = judge_one(run.log, x.expected);
    EXPECT_EQ(judged.met, x.met);
    EXPECT_EQ(judged.what, x.what);
    EXPECT_EQ(judged.measured, x.measured);
    EXPECT_EQ(judged.at, x.at ? std::optional{run_start + *x.at} : std::nullopt);
    EXPECT_EQ(judged.expected, x.expected);
  }
}

TEST(Judge, AClockThatDidNotEndFails) {
  log_builder run;
  run.everybody_starts_in({"clients-east"});
  const auto fault = run.half_falls_silent();
  run.region_turns_unhealthy(fault);
  run.end();
  for (const auto& x : {expectation{expect_failover{"us-east1", 1h}},
                        expectation{expect_capacity_recovered{"us-west1", 1h}},
                        expectation{expect_failback{"us-east1", 1h}}}) {
    const auto judged = judge_one(run.log, x);
    EXPECT_FALSE(judged.met) << judged.what;
    EXPECT_EQ(judged.measured, "not within the run");
    EXPECT_FALSE(judged.value);
  }
}

TEST(Judge, AFaultThatShouldHaveMovedTrafficGivesAnAnatomy) {
  log_builder run;
  run.everybody_starts_in({"clients-east"});
  run.half_falls_silent();
  run.end();
  EXPECT_TRUE(judge(run.log, {}, {}).failovers.empty());
  EXPECT_TRUE(judge(run.log, {expect_failover{"us-west1", 20s}}, {}).failovers.empty());
  const auto judged =
    judge(run.log, {expect_failover{"us-east1", 20s}, expect_failback{"us-east1", 20s}}, {});
  ASSERT_EQ(judged.failovers.size(), 1u);
  EXPECT_EQ(judged.failovers[0].from, "us-east1");
  EXPECT_FALSE(judged.failovers[0].failover);
}

TEST(Judge, TheFirstFailoverThatConsumersCarriedOutCounts) {
  // The first change is taken back before the news arrives, the second one is not.
  log_builder run;
  run.everybody_starts_in({"clients-east"});
  const auto fault = run.half_falls_silent();
  run.region_turns_unhealthy(fault);
  run.region_turns_healthy(316s, fault);
  const auto again = run.endpoint_turns(320s, fault, 4, health::unhealthy);
  const auto source = run.source_turns(321s, again, health::unhealthy, 5);
  const auto down = run.composite_turns(321s, source, health::healthy, health::unhealthy);
  const auto neg = run.consumer_learns(323s, down, "clients-east", health::unhealthy);
  run.route_turns(324s, neg, "clients-east", "us-east1", "us-west1", 323'900ms);
  run.end();
  const auto judged = judge(run.log, {expect_failover{"us-east1", 30s}}, {});
  EXPECT_EQ(judged.failovers.size(), 2u);
  EXPECT_EQ(judged.judgements[0].measured, "23.9 s");
  EXPECT_TRUE(judged.judgements[0].met);
}

TEST(Judge, CountsTransitionsAfterTheWarmUpButNotFromUnknown) {
  log_builder run;
  const auto turn = [&run](duration at, health before, health after,
                           std::string_view service = "us-east1/checkout") {
    run.composite_turns(at, {}, before, after, service);
  };
  turn(100s, health::healthy, health::unhealthy);
  turn(110s, health::unhealthy, health::healthy);
  turn(200s, health::unknown, health::healthy);
  turn(300s, health::healthy, health::unhealthy);
  turn(310s, health::healthy, health::unhealthy, "us-east1/checkout2");
  turn(320s, health::unhealthy, health::healthy);
  run.end();
  const auto two = judge_one(run.log, expect_transitions{"us-east1/checkout", 2});
  EXPECT_TRUE(two.met);
  EXPECT_EQ(two.what, "transitions of us-east1/checkout at most 2");
  EXPECT_EQ(two.measured, "2 transitions");
  const auto one = judge_one(run.log, expect_transitions{"us-east1/checkout", 1});
  EXPECT_FALSE(one.met);
  EXPECT_EQ(one.at, run_start + 320s);
  EXPECT_EQ(judge_one(run.log, expect_transitions{"us-east1/checkout2", 1}).measured,
            "1 transition");
  EXPECT_TRUE(judge_one(run.log, expect_transitions{"us-west1/checkout", 0}).met);
}

TEST(Judge, TotalsLeaveTheWarmUpOutButCountEveryStart) {
  log_builder run;
  run.client_second(100s, 10, 10);
  run.client_second(200s, 90, 1);
  test::close_balanced_books(run);
  const auto totals = judge(run.log, {}, {}).requests;
  EXPECT_EQ(totals.started, 1'000u);
  EXPECT_EQ(totals.in_flight, 10u);
  EXPECT_EQ(totals.ended[static_cast<std::size_t>(outcome::ok)], 90u);
  EXPECT_EQ(totals.ended[static_cast<std::size_t>(outcome::lb_timeout)], 1u);
  EXPECT_EQ(totals.latency.count(), 90u);
}

TEST(Judge, NotesACompositeThatTurnedWithoutAFault) {
  log_builder run;
  const auto source = run.source_turns(400s, {}, health::unhealthy, 5);
  run.composite_turns(400s, source, health::healthy, health::unhealthy);
  run.composite_turns(500s, {}, health::healthy, health::unhealthy);
  run.end();
  const auto judged = judge(run.log, {}, {});
  EXPECT_EQ(judged.notes,
            std::vector<std::string>{"us-east1/checkout turned UNHEALTHY without a fault, 2 times, "
                                     "first at 400.000 s: 5 of 10 healthy, 6 needed"});
}

TEST(Verdict, ExitCodeTellsWhatIsWrong) {
  const auto run = test::clean_failover();
  EXPECT_EQ(judge(run.log, {}, {}).exit_code(), 0);
  EXPECT_EQ(judge(run.log, {expect_failover{"us-east1", 20s}}, {}).exit_code(), 0);
  const auto failed =
    judge(run.log, {expect_failover{"us-east1", 1s}, expect_failover{"us-east1", 20s}}, {});
  EXPECT_EQ(failed.exit_code(), 1);
  EXPECT_FALSE(failed.all_met());
  auto broken = failed;
  broken.imbalances.push_back("something differs");
  EXPECT_EQ(broken.exit_code(), 3);
}

} // namespace
