#include "report/anatomy.hpp"

#include "tests/report/log_builder.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::log_builder;

/// A failover up to the point at which both regions know; what consumers do is for the test.
struct half_way {
  log_builder run;
  event_id fault;
  event_id down;

  explicit half_way(std::initializer_list<std::string_view> consumers = {"clients-east"}) {
    run.everybody_starts_in(consumers);
    fault = run.half_falls_silent();
    down = run.region_turns_unhealthy(fault);
  }

  event_id leave(std::string_view consumer, duration knows, duration applies, duration last_sent) {
    const auto neg = run.consumer_learns(knows, down, consumer, health::unhealthy);
    return run.route_turns(applies, neg, consumer, "us-east1", "us-west1", last_sent);
  }

  std::vector<failover_anatomy> dissected() {
    run.end();
    return dissect(run.log, {});
  }
};

TEST(Dissect, TakesACleanFailoverApart) {
  const auto run = test::clean_failover();
  const auto all = dissect(run.log, {});
  ASSERT_EQ(all.size(), 1u);
  const auto& x = all.front();
  EXPECT_EQ(x.service, "checkout");
  EXPECT_EQ(x.from, "us-east1");
  EXPECT_EQ(x.to, "us-west1");
  EXPECT_EQ(x.fault_at, run_start + 300s);
  EXPECT_EQ(x.fault_end, run_start + 660s);
  EXPECT_EQ(x.fault_detail, "instances us-east1/checkout/web: 5 of 10 silent");
  EXPECT_EQ(x.detect.span, 13'900ms);
  EXPECT_EQ(x.detect.detail, "5th endpoint unhealthy");
  EXPECT_EQ(x.detect.basis, "5 s x 2, timeout 5 s, 2 of 3 probers");
  EXPECT_EQ(x.aggregate.span, 400ms);
  EXPECT_EQ(x.aggregate.detail, "5 of 10 healthy, 6 needed");
  EXPECT_EQ(x.aggregate.basis, "source web UNHEALTHY -> composite UNHEALTHY");
  EXPECT_EQ(x.propagate.span, 2'500ms);
  EXPECT_EQ(x.propagate.detail, "consumer clients-east knows");
  EXPECT_EQ(x.route.span, 1s);
  EXPECT_EQ(x.route.detail, "last request to us-east1");
  EXPECT_EQ(x.failover, 17'800ms);
  EXPECT_EQ(x.capacity.span, 64'800ms);
  EXPECT_EQ(x.capacity.detail,
            "after routed: us-west1 4 -> 8 instances (driver CPU), queue peak 35");
  EXPECT_EQ(x.failback.span, 14s);
}

TEST(Dissect, CountsAFlappingFaultFromThePulseThatLedToIt) {
  log_builder run;
  run.everybody_starts_in({"clients-east"});
  const auto fault = run.half_falls_silent();
  const auto pulse =
    run.add(360s, "us-east1/checkout/web", fault, fault_applied{0, true, 5, 10, "silent"});
  event_id last;
  for (std::uint32_t i = 0; i < 5; ++i)
    last = run.endpoint_turns(365s + i * 2s, pulse, i, health::unhealthy);
  const auto source = run.source_turns(373'500ms, last, health::unhealthy, 5);
  run.composite_turns(373'500ms, source, health::healthy, health::unhealthy);
  run.end();
  const auto all = dissect(run.log, {});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.front().fault, fault);
  EXPECT_EQ(all.front().fault_at, run_start + 360s);
  EXPECT_EQ(all.front().detect.span, 13s);
}

TEST(Dissect, CountsFromTheOnsetWhatIsNoticedAfterTheFaultsEnd) {
  log_builder run;
  run.everybody_starts_in({"clients-east"});
  const auto fault = run.half_falls_silent();
  const auto ended = run.fault_ends(312s, fault);
  const auto healed =
    run.add(312s, "us-east1/checkout/web", ended, fault_applied{0, false, 5, 10, "silent"});
  const auto well =
    run.add(312s, "us-east1/checkout/web/4", healed, instance_afflicted{0, false, "silent"});
  const auto last =
    run.add(312'050ms, "us-east1/checkout/web/4", well,
            endpoint_changed{health::healthy, health::unhealthy, 2, 3, "5 s x 2, timeout 5 s"});
  const auto source = run.source_turns(312'500ms, last, health::unhealthy, 5);
  run.composite_turns(312'500ms, source, health::healthy, health::unhealthy);
  run.end();
  const auto all = dissect(run.log, {});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.front().fault_at, run_start + 300s);
  EXPECT_EQ(all.front().detect.span, 12'050ms);
}

TEST(Dissect, NamesTheEventThatStoppedEachClock) {
  const auto run = test::clean_failover();
  const auto x = dissect(run.log, {}).front();
  const auto kind = [&run](event_id id) { return kind_of(*run.log.find(id)); };
  EXPECT_EQ(kind(x.fault), "fault_started");
  EXPECT_EQ(kind(x.detect.by), "endpoint_changed");
  EXPECT_EQ(kind(x.aggregate.by), "composite_changed");
  EXPECT_EQ(kind(x.propagate.by), "neg_changed");
  EXPECT_EQ(kind(x.route.by), "routing_changed");
  EXPECT_EQ(kind(x.capacity.by), "queue_changed");
  EXPECT_EQ(kind(x.failback.by), "first_request");
}

TEST(Dissect, FindsNothingWhereNothingHappens) {
  log_builder run;
  run.everybody_starts_in({"clients-east"});
  run.end();
  EXPECT_TRUE(dissect(run.log, {}).empty());
  EXPECT_TRUE(dissect(event_log{{"director"}}, {}).empty());
}

TEST(Dissect, WaitsForTheLastOfTwoConsumers) {
  half_way x{"clients-east", "clients-west"};
  x.leave("clients-east", 316'300ms, 317'300ms, 317'200ms);
  x.leave("clients-west", 317'100ms, 318'100ms, 318'050ms);
  const auto all = x.dissected();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].propagate.span, 2'800ms);
  EXPECT_EQ(all[0].propagate.detail, "2 consumers know, clients-west last");
  EXPECT_EQ(all[0].route.span, 950ms);
  EXPECT_EQ(all[0].route.basis, "by clients-west");
  EXPECT_EQ(all[0].failover, 18'050ms);
}

TEST(Dissect, TheRouteClockIsZeroWhenTheLastRequestCameBeforeTheNews) {
  half_way x;
  x.leave("clients-east", 316'300ms, 317'300ms, 310s);
  const auto all = x.dissected();
  EXPECT_EQ(all.at(0).route.span, 0s);
  EXPECT_EQ(all.at(0).failover, 16'300ms);
}

TEST(Dissect, AConsumerThatNeverSentAnythingHasNothingToRoute) {
  half_way x;
  x.leave("clients-east", 316'300ms, 317'300ms, -1ns);
  EXPECT_EQ(x.dissected().at(0).route.span, 0s);
}

TEST(Dissect, AConsumerElsewhereOnlyHasToKnow) {
  half_way x{"clients-east"};
  const auto west =
    x.run.composite_turns(10s, {}, health::unknown, health::healthy, "us-west1/checkout");
  const auto neg = x.run.consumer_learns(12s, west, "clients-west", health::healthy, "us-west1");
  x.run.route_turns(13s, neg, "clients-west", "", "us-west1", -1ns);
  x.leave("clients-east", 316'300ms, 317'300ms, 317'200ms);
  x.run.consumer_learns(317s, x.down, "clients-west", health::unhealthy);
  const auto all = x.dissected();
  EXPECT_EQ(all.at(0).propagate.span, 2'700ms);
  EXPECT_EQ(all.at(0).route.span, 200ms);
  EXPECT_EQ(all.at(0).to, "us-west1");
}

TEST(Dissect, ClocksDoNotEndWhenAConsumerNeverKnows) {
  half_way x{"clients-east", "clients-west"};
  x.leave("clients-east", 316'300ms, 317'300ms, 317'200ms);
  const auto all = x.dissected();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].aggregate.span);
  EXPECT_FALSE(all[0].propagate.span);
  EXPECT_EQ(all[0].propagate.detail, "consumer clients-west never knew");
  EXPECT_FALSE(all[0].route.span);
  EXPECT_FALSE(all[0].capacity.span);
  EXPECT_FALSE(all[0].failover);
}

TEST(Dissect, AConsumerThatOnlySendsThereCountsAsConnected) {
  half_way x;
  x.run.add(250s, "clients-west/lb", {}, attempt_sample{"us-east1", 10, {}});
  x.leave("clients-east", 316'300ms, 317'300ms, 317'200ms);
  EXPECT_EQ(x.dissected().at(0).propagate.detail, "consumer clients-west never knew");
}

TEST(Dissect, AConsumerOfAnotherServiceIsNotWaitedFor) {
  for (const auto known : {false, true}) {
    SCOPED_TRACE(known);
    auto run = test::clean_failover();
    // `mirror` has no signal of health: only its revision tells that it is there.
    if (known)
      run.add(1s, "us-east1/mirror/web", {}, revision_sample{});
    run.add(1s, "clients-west/lb", {}, attempt_sample{"us-east1", 5});
    const auto found = dissect(run.log, {});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].propagate.span.has_value(), known) << found[0].propagate.detail;
  }
}

TEST(Dissect, TheBooksOfAServiceNameItsConsumers) {
  auto run = test::clean_failover();
  run.add(1s, "us-east1/mirror/web", {}, revision_sample{});
  run.add(1s, "clients-west/lb", {}, routing_changed{"", "us-east1"});
  run.close_books("us-east1/checkout", "service", "clients-west", {}, 0);
  const auto found = dissect(run.log, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].propagate.detail, "consumer clients-west never knew");
}

TEST(Dissect, FailingOpenIsNoDepartureUntilAnotherRegionIsBack) {
  for (const auto saved : {false, true}) {
    half_way x;
    const auto neg = x.run.consumer_learns(316'300ms, x.down, "clients-east", health::unhealthy);
    x.run.route_turns(317'300ms, neg, "clients-east", "us-east1", "us-east1+us-west1", -1ns, true);
    if (saved)
      x.run.route_turns(330s, {}, "clients-east", "us-east1+us-west1", "us-west1", 329'900ms);
    const auto all = x.dissected();
    EXPECT_EQ(all.at(0).route.span, saved ? std::optional<duration>{13'600ms} : std::nullopt);
    EXPECT_EQ(all.at(0).to, saved ? "us-west1" : "");
    if (!saved) {
      EXPECT_EQ(all.at(0).route.detail, "consumer clients-east went on using us-east1");
    }
  }
}

TEST(Dissect, LeavesTheWarmUpOut) {
  log_builder run{20min, 6min};
  run.everybody_starts_in({"clients-east"});
  run.region_turns_unhealthy(run.half_falls_silent());
  run.end();
  EXPECT_TRUE(dissect(run.log, {}).empty());
}

TEST(Dissect, CountsOnlyEndpointsThatAreStillUnhealthy) {
  log_builder run;
  run.everybody_starts_in({"clients-east"});
  const auto fault = run.half_falls_silent();
  run.endpoint_turns(305s, fault, 0, health::unhealthy);
  run.endpoint_turns(306s, fault, 1, health::unhealthy);
  run.endpoint_turns(307s, fault, 0, health::healthy);
  const auto last = run.endpoint_turns(308s, fault, 2, health::unhealthy);
  const auto source = run.source_turns(309s, last, health::unhealthy, 8);
  run.composite_turns(309s, source, health::healthy, health::unhealthy);
  run.end();
  EXPECT_EQ(dissect(run.log, {}).at(0).detect.detail, "2nd endpoint unhealthy");
}

TEST(Dissect, AScaleOutThatTipsTheSourceIsPutDownToTheFaultThatLasts) {
  for (const auto over : {false, true}) {
    log_builder run;
    run.everybody_starts_in({"clients-east"});
    const auto fault = run.half_falls_silent();
    if (over)
      run.fault_ends(320s, fault);
    const auto decision = run.add(329s, "us-east1/checkout/web", {},
                                  scaling_decided{"cloud_run", 10, 11, 10, 0, "CPU", {}});
    const auto start = run.add(330s, "us-east1/checkout/web/10", decision,
                               instance_changed{{}, instance_state::starting, 1, "scaled out"});
    const auto source = run.source_turns(331s, start, health::unhealthy, 6);
    run.composite_turns(331s, source, health::healthy, health::unhealthy);
    run.end();
    const auto all = dissect(run.log, {});
    ASSERT_EQ(all.size(), over ? 0u : 1u);
    if (over)
      continue;
    EXPECT_EQ(all[0].fault, fault);
    EXPECT_EQ(all[0].detect.span, 30s);
    EXPECT_EQ(all[0].detect.detail, "instance us-east1/checkout/web/10 starting");
    EXPECT_EQ(all[0].detect.basis, "scaled out; while the fault lasted");
  }
}

TEST(Dissect, AFaultWithoutEndHasNoFailback) {
  half_way x;
  x.leave("clients-east", 316'300ms, 317'300ms, 317'200ms);
  const auto all = x.dissected();
  EXPECT_FALSE(all.at(0).fault_end);
  EXPECT_FALSE(all.at(0).failback.span);
  EXPECT_EQ(all.at(0).failback.detail, "the fault did not end");
}

TEST(Dissect, FailbackWaitsForTheLastConsumerThatWasAway) {
  const auto run = test::clean_failover({"clients-east", "clients-west"});
  const auto x = dissect(run.log, {}).at(0);
  EXPECT_EQ(x.failback.span, 14'500ms);
  EXPECT_EQ(x.failback.basis, "by clients-west");
}

TEST(Dissect, FailbackDoesNotEndWhenTrafficStaysAway) {
  half_way x;
  x.leave("clients-east", 316'300ms, 317'300ms, 317'200ms);
  x.run.fault_ends(660s, x.fault);
  const auto all = x.dissected();
  EXPECT_FALSE(all.at(0).failback.span);
  EXPECT_EQ(all.at(0).failback.detail, "consumer clients-east was not back");
}

TEST(Dissect, FailbackIsZeroWhenTrafficCameBackBeforeTheFaultEnded) {
  half_way x;
  const auto gone = x.leave("clients-east", 316'300ms, 317'300ms, 317'200ms);
  x.run.first_request_goes(317'310ms, gone, "clients-east", "us-west1");
  const auto back = x.run.route_turns(400s, {}, "clients-east", "us-west1", "us-east1", 399s);
  x.run.first_request_goes(401s, back, "clients-east", "us-east1");
  x.run.fault_ends(660s, x.fault);
  const auto all = x.dissected();
  EXPECT_EQ(all.at(0).failback.span, 0s);
  EXPECT_EQ(all.at(0).failback.detail, "was back before the fault ended");
}

TEST(Dissect, FlappingGivesOneAnatomyForEachTimeAndTheReturnAfterTheFault) {
  half_way x;
  x.leave("clients-east", 316'300ms, 317'300ms, 317'200ms);
  // Back at 401 s while the fault lasts, away again at 504 s, back for good at 672 s.
  const auto up = x.run.region_turns_healthy(396s, x.fault);
  const auto knows = x.run.consumer_learns(398s, up, "clients-east", health::healthy);
  const auto back =
    x.run.route_turns(400s, knows, "clients-east", "us-west1", "us-east1", 399'900ms);
  x.run.first_request_goes(401s, back, "clients-east", "us-east1");
  const auto again = x.run.endpoint_turns(500s, x.fault, 4, health::unhealthy);
  const auto source = x.run.source_turns(501s, again, health::unhealthy, 5);
  x.down = x.run.composite_turns(501s, source, health::healthy, health::unhealthy);
  x.leave("clients-east", 503s, 504s, 503'900ms);
  x.run.fault_ends(660s, x.fault);
  const auto last = x.run.route_turns(671s, {}, "clients-east", "us-west1", "us-east1", 670s);
  x.run.first_request_goes(672s, last, "clients-east", "us-east1");
  const auto all = x.dissected();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].failover, 17'200ms);
  EXPECT_EQ(all[1].failover, 203'900ms);
  EXPECT_EQ(all[0].failback.span, 12s);
  EXPECT_EQ(all[1].failback.span, 12s);
}

TEST(Dissect, AFailoverAfterTheFaultsEndComesBackAfterwards) {
  half_way x;
  x.run.fault_ends(310s, x.fault);
  x.leave("clients-east", 316'300ms, 317'300ms, 317'200ms);
  const auto back = x.run.route_turns(330s, {}, "clients-east", "us-west1", "us-east1", 329s);
  x.run.first_request_goes(331s, back, "clients-east", "us-east1");
  const auto all = x.dissected();
  EXPECT_EQ(all.at(0).failover, 17'200ms);
  EXPECT_EQ(all.at(0).failback.span, 21s);
}

TEST(Dissect, SurvivesCausesInACircle) {
  log_builder run;
  const auto composite = run.composite_turns(400s, {1, 2}, health::healthy, health::unhealthy);
  run.source_turns(400s, composite, health::unhealthy, 5);
  run.end();
  EXPECT_TRUE(dissect(run.log, {}).empty());
}

TEST(MissedFailover, TellsHowFarItCame) {
  log_builder run;
  run.everybody_starts_in({"clients-east"});
  const auto fault = run.half_falls_silent();
  run.endpoint_turns(306s, fault, 0, health::unhealthy);
  const auto first_only = missed_failover(run.log, "us-east1");
  ASSERT_TRUE(first_only);
  EXPECT_EQ(first_only->detect.detail, "1 endpoint unhealthy at most");
  run.endpoint_turns(307s, fault, 1, health::unhealthy);
  run.end();
  const auto x = missed_failover(run.log, "us-east1");
  ASSERT_TRUE(x);
  EXPECT_EQ(x->from, "us-east1");
  EXPECT_EQ(x->fault, fault);
  EXPECT_EQ(x->detect.detail, "2 endpoints unhealthy at most");
  EXPECT_FALSE(x->detect.span);
  EXPECT_FALSE(x->failover);
  EXPECT_FALSE(missed_failover(run.log, "us-west1"));
}

TEST(MissedFailover, AFaultOfALinkHitsBothItsEnds) {
  log_builder run;
  const auto fault =
    run.fault_starts(300s, "link clients-east -> us-east1: data cut", "clients-east -> us-east1");
  run.add(300s, "clients-east/link/us-east1", fault, fault_applied{0, true, 0, 0, "data cut"});
  run.end();
  const auto x = missed_failover(run.log, "us-east1");
  ASSERT_TRUE(x);
  EXPECT_EQ(x->detect.detail, "no endpoint turned unhealthy");
  EXPECT_EQ(x->fault_detail, "link clients-east -> us-east1: data cut");
  EXPECT_FALSE(missed_failover(run.log, "us-west1"));
}

TEST(MissedFailover, AWrongClockHitsNobody) {
  log_builder run;
  const auto wrong = run.fault_starts(290s, "clock us-east1: 3s ahead", "us-east1");
  run.add(290s, "us-east1", wrong, fault_applied{0, true, 0, 0, "3s ahead"});
  EXPECT_FALSE(missed_failover(run.log, "us-east1"));
  const auto fault = run.half_falls_silent();
  run.end();
  const auto x = missed_failover(run.log, "us-east1");
  ASSERT_TRUE(x);
  EXPECT_EQ(x->fault, fault);
}

} // namespace
