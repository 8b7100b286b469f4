#include "report/why.hpp"
#include "tests/report/log_builder.hpp"
#include "tests/support/golden.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::log_builder;

/// @returns the steps of a chain as "kind" for the first, "<- kind" and "<~ kind".
std::string kinds(const why_chain& x) {
  std::string result;
  for (const auto& step : x.steps)
    result.append(step.how == why_link::asked   ? ""
                  : step.how == why_link::cause ? " <- "
                                                : " <~ ")
      .append(kind_of(*step.what));
  return result;
}

why_chain chain_of(const log_builder& run, event_id id) {
  const event_index index{run.log};
  return explain(index, *run.log.find(id));
}

TEST(WhyChain, FollowsCausesToTheFault) {
  const auto run = test::clean_failover();
  const auto x = chain_of(run, run.log.latest("clients-east/lb"));
  EXPECT_EQ(kinds(x),
            "first_request <- routing_changed <- neg_changed <- composite_changed <- "
            "source_changed <- endpoint_changed <- instance_afflicted <- fault_applied <- "
            "fault_ended <- fault_started");
  EXPECT_EQ(x.end, "");
}

TEST(WhyChain, PutsADecisionDownToTheRouteThatMovedTheLoad) {
  const struct {
    const char* why;
    std::uint32_t after;
    duration route_at;
    std::string from;
    std::string to;
    const char* expected;
    const char* end;
  } cases[] = {
    {"more load came", 8, 60s, "us-east1", "us-west1", "scaling_decided <~ routing_changed",
     "the log names no cause"},
    {"load went away", 2, 60s, "us-west1", "us-east1", "scaling_decided <~ routing_changed",
     "the log names no cause"},
    {"load that goes away makes nothing grow", 8, 60s, "us-west1", "us-east1", "scaling_decided",
     "no change of route within 10 min and no fault: the load itself changed"},
    {"load that comes makes nothing shrink", 2, 60s, "us-east1", "us-west1", "scaling_decided",
     "no change of route within 10 min and no fault: the load itself changed"},
    {"a route that used it before and after moves nothing", 8, 60s, "us-west1", "us-east1+us-west1",
     "scaling_decided", "no change of route within 10 min and no fault: the load itself changed"},
    {"no mean is as long as that", 8, 601s, "us-east1", "us-west1", "scaling_decided",
     "no change of route within 10 min and no fault: the load itself changed"},
    {"the longest mean", 8, 600s, "us-east1", "us-west1", "scaling_decided <~ routing_changed",
     "the log names no cause"},
    {"the first route moves no load from anywhere", 8, 60s, "", "us-west1", "scaling_decided",
     "no change of route within 10 min and no fault: the load itself changed"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    log_builder run;
    run.route_turns(1000s - x.route_at, {}, "clients-east", x.from, x.to, 0s);
    const auto id = run.add(1000s, "us-west1/checkout/web", {},
                            scaling_decided{"cloud_run", 4, x.after, 4, 0, "CPU", {}});
    const auto chain = chain_of(run, id);
    EXPECT_EQ(kinds(chain), x.expected);
    EXPECT_EQ(chain.end, x.end);
  }
}

TEST(WhyChain, SaysThatALinkIsByTime) {
  const auto run = test::clean_failover();
  const auto x = chain_of(run, run.log.latest("us-west1/checkout/web"));
  EXPECT_EQ(kinds(x), "queue_changed") << "an empty queue needs no reason";
  const event_index index{run.log};
  const auto chain = explain(index, *index.all<scaling_decided>().front());
  ASSERT_GE(chain.steps.size(), 2u);
  EXPECT_EQ(chain.steps[1].how, why_link::time);
  EXPECT_EQ(chain.steps[1].reason, "the last change of route towards us-west1, 12.2 s before");
  EXPECT_EQ(chain.steps[2].how, why_link::cause);
  EXPECT_EQ(chain.steps.back().what->id, (event_id{0, 2})) << "it goes on to the fault";
}

TEST(WhyChain, PutsADecisionDownToAFaultOnItsService) {
  log_builder run;
  const auto fault = run.half_falls_silent();
  const auto during = run.add(400s, "us-east1/checkout/web", {},
                              scaling_decided{"cloud_run", 10, 12, 10, 0, "CONCURRENCY", {}});
  run.fault_ends(500s, fault);
  const auto after = run.add(600s, "us-east1/checkout/web", {},
                             scaling_decided{"cloud_run", 12, 14, 12, 0, "CONCURRENCY", {}});
  const auto elsewhere = run.add(600s, "us-west1/checkout/web", {}, queue_changed{1});
  EXPECT_EQ(kinds(chain_of(run, during)), "scaling_decided <~ fault_started");
  EXPECT_EQ(kinds(chain_of(run, after)), "scaling_decided");
  EXPECT_EQ(kinds(chain_of(run, elsewhere)), "queue_changed");
}

TEST(WhyChain, PutsADeniedStartDownToTheDecisionThatWantedIt) {
  log_builder run;
  const auto id = run.add(400s, "us-east1/checkout/web", {},
                          scaling_decided{"cloud_run", 10, 12, 10, 0, "CPU", {}});
  const auto denied = run.add(400s, "us-east1/checkout/web", {}, start_denied{2, 1, "quota"});
  const auto chain = chain_of(run, denied);
  EXPECT_EQ(kinds(chain), "start_denied <~ scaling_decided");
  EXPECT_EQ(chain.steps[1].what->id, id);
}

TEST(WhyChain, ACircleInAForeignLogEnds) {
  log_builder run;
  const event_id next{1, 2};
  const auto first = run.add(1s, "us-east1/checkout/web", next, queue_changed{1});
  run.add(1s, "us-east1/checkout/web", first, queue_changed{0});
  EXPECT_LE(chain_of(run, first).steps.size(), run.log.events().size() + 1);
}

TEST(WhyText, FailedNumbersOfInstancesAreDownToTheLastDecisionThatChangedThem) {
  test::log_builder run;
  const std::string web = "us-west1/checkout/web";
  run.survivor_seconds(300s, 304s, 0, 0, 4);
  const scaling_decided grown{"cloud_run", 4, 6, 4, 0, "CPU", {}};
  run.add(302s, web, {}, grown);
  run.add(303s, web, {}, scaling_decided{"cloud_run", 6, 6, 4, 2, "CPU", {}});
  run.add(305s, web, {}, scaling_decided{"cloud_run", 6, 9, 4, 2, "CPU", {}});
  run.survivor_queue(303s, 5);
  run.survivor_second(306s, 0, 0, 4, 5);
  const event_index index{run.log};
  const struct {
    const char* why = "";
    expectation of = {};
    const char* note = "";
    const char* decision = "";
  } cases[] = {
    {"too few at an instant", expect_instances{web, run_start + 304s, run_start + 304s, 6, {}},
     "the last decision until then, 2.0 s before", "us-west1/checkout/web wants 6 instances"},
    {"too many in a window", expect_instances{web, run_start + 306s, run_start + 307s, {}, 3},
     "the last decision until then, 1.0 s before", "us-west1/checkout/web wants 9 instances"},
    {"too long a queue", expect_queue{.of = web, .at_most = 4},
     "the last decision until then, 1.0 s before", "us-west1/checkout/web wants 9 instances"},
    {"before any decision", expect_instances{web, run_start + 301s, run_start + 301s, 6, {}},
     "no autoscaler changed the number of instances until then", ""},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto parts = explain_verdict(index, judge(run.log, {x.of}, {}));
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0].notes, std::vector<std::string>{x.note});
    const auto text = to_text(index, parts);
    EXPECT_NE(text.find(x.decision), std::string::npos) << text;
    EXPECT_EQ(text.find("revision sample"), std::string::npos) << text;
  }
}

TEST(WhyChain, AStepOfAnActionFollowsFromTheStepBefore) {
  test::log_builder run;
  const std::string group = "us-west1/vpx/group";
  const auto step = [](std::uint32_t after, const char* driver,
                       std::vector<std::pair<std::string, std::int64_t>> inputs) {
    return scaling_decided{"netscaler_adm", 2, after, 2, 0, driver, std::move(inputs)};
  };
  run.add(60s, group, {}, step(2, "MEMORY", {{"watch_time_ns", 1}, {"node", 1}}));
  run.add(60s, "us-west1/vpx/other", {}, step(3, "MEMORY", {{"watch_time_ns", 1}}));
  run.add(70s, group, {}, step(1, "DRAIN", {{"node", 1}}));
  const auto last = run.add(90s, group, {}, step(2, "DEPROVISION", {{"node", 1}}));
  const auto chain = chain_of(run, last);
  std::vector<std::string> drivers;
  for (const auto& x : chain.steps)
    drivers.push_back(payload_of<scaling_decided>(x.what).driver);
  EXPECT_EQ(drivers, (std::vector<std::string>{"DEPROVISION", "DRAIN", "MEMORY"}));
  EXPECT_EQ(chain.steps[1].reason, "the step before it, 20.0 s before");
}

TEST(WhyText, TellsAScaleOutFromTheFaultOn) {
  const auto run = test::clean_failover();
  const event_index index{run.log};
  std::string problem;
  const auto query = parse_why_query("us-west1 scaled at 5m20s", problem);
  ASSERT_TRUE(query) << problem;
  test::expect_golden("tests/report/golden/why_scaled.txt",
                      to_text(index, find_events(index, *query)));
}

TEST(WhyText, ExplainsEachFailoverWhenAllIsMet) {
  const auto run = test::clean_failover();
  const event_index index{run.log};
  const auto x = judge(run.log, {expect_failover{"us-east1", 20s}}, {});
  ASSERT_TRUE(x.all_met());
  test::expect_golden("tests/report/golden/why_failover.txt",
                      to_text(index, explain_verdict(index, x)));
}

TEST(WhyText, ExplainsOnlyWhatFailedWhenSomethingDid) {
  const auto run = test::clean_failover();
  const event_index index{run.log};
  const struct {
    const char* why = "";
    expectation failed = {};
    const char* title = "";
    const char* line = "";
  } cases[] = {
    {"too slow a failover", expect_failover{"us-east1", 5s},
     "FAIL failover from us-east1 within 5s", "aggregated +0.4 s: 5 of 10 healthy, 6 needed"},
    {"a region that nothing hit", expect_failover{"us-west1", 5s},
     "FAIL failover from us-west1 within 5s", "no fault after the warm-up hit us-west1"},
    {"too late a return", expect_failback{"us-east1", 5s}, "FAIL failback to us-east1 within 5s",
     "clients-east/lb sends its first request to us-east1"},
    {"too slow to grow", expect_capacity_recovered{"us-west1", 5s},
     "FAIL capacity recovered in us-west1 within 5s", "us-west1/checkout/web wants 8 instances"},
    {"too many errors", expect_errors{run_start + 300s, run_start + 320s, 0},
     "FAIL errors from 5m to 320s at most 0%", "fault sets in: instances us-east1/checkout/web"},
    {"too few instances: the last decision until then",
     expect_instances{"us-west1/checkout/web", run_start + 316s, run_start + 316s, 9, std::nullopt},
     "FAIL instances of us-west1/checkout/web at 316s at least 9: 4 instances",
     "no autoscaler changed the number of instances until then"},
    {"too many transitions", expect_transitions{"us-east1/checkout", 1},
     "FAIL transitions of us-east1/checkout at most 1",
     "composite of us-east1/checkout turns HEALTHY"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto verdict = judge(run.log, {x.failed, expect_transitions{"us-east1/checkout", 9}}, {});
    const auto parts = explain_verdict(index, verdict);
    ASSERT_EQ(parts.size(), 1u);
    const auto text = to_text(index, parts);
    EXPECT_TRUE(text.starts_with(x.title)) << text;
    EXPECT_NE(text.find(x.line), std::string::npos) << text;
  }
}

TEST(WhyText, OfALogThatBreaksOffOnlyWhatIsCertainHasFailed) {
  test::log_builder run;
  run.everybody_starts_in({"clients-east"});
  run.region_turns_unhealthy(run.half_falls_silent());
  run.add(330s, "us-west1/checkout/web", {}, queue_changed{1});
  const event_index index{run.log};
  const struct {
    const char* why = "";
    expectation of = {};
    const char* title = "";
  } cases[] = {
    {"its time is over", expect_failover{"us-east1", 20s},
     "FAIL failover from us-east1 within 20s: not within the run"},
    {"its time is not", expect_failover{"us-east1", 1min},
     "NOT DECIDED failover from us-east1 within 1m: the log ends before"},
    {"no request has ended yet", expect_errors{run_start + 10min, run_start + 11min, 0},
     "NOT DECIDED errors from 10m to 11m at most 0%: the log ends before"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto text = to_text(index, explain_verdict(index, judge(run.log, {x.of}, {})));
    EXPECT_TRUE(text.starts_with(x.title)) << text;
  }
}

TEST(WhyText, AStepThatCameBeforeIsNotFollowedAgain) {
  const auto run = test::clean_failover();
  const event_index index{run.log};
  const auto verdict = judge(run.log, {}, {});
  const auto text = to_text(index, explain_verdict(index, verdict));
  const std::string again = "<~ clients-east/lb prefers us-west1";
  const auto second = text.find(again);
  ASSERT_NE(second, std::string::npos) << text;
  const auto end = text.find("     as above\n", second);
  ASSERT_NE(end, std::string::npos) << text;
  // The line itself, the reason, and nothing between.
  EXPECT_EQ(std::count(text.begin() + static_cast<std::ptrdiff_t>(second),
                       text.begin() + static_cast<std::ptrdiff_t>(end), '\n'),
            2);
}

TEST(WhyJson, HoldsTheSameSteps) {
  const auto run = test::clean_failover();
  const event_index index{run.log};
  std::string problem;
  const auto found = find_events(index, *parse_why_query("us-west1 scaled", problem));
  const auto x = nlohmann::json::parse(to_json(index, found), nullptr, false);
  ASSERT_TRUE(x.is_object());
  const auto& steps = x["chain"]["steps"];
  const auto chain = explain(index, *found.best);
  ASSERT_EQ(steps.size(), chain.steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i]["id"], to_string(chain.steps[i].what->id, run.log.sites()));
    EXPECT_EQ(steps[i]["event"]["kind"], kind_of(*chain.steps[i].what));
  }
  EXPECT_EQ(steps[0]["link"], "asked");
  EXPECT_EQ(steps[1]["link"], "time");
  EXPECT_EQ(steps[2]["link"], "cause");
  const auto verdict = judge(run.log, {expect_failover{"us-east1", 5s}}, {});
  const auto parts = nlohmann::json::parse(to_json(index, explain_verdict(index, verdict)));
  EXPECT_EQ(parts["parts"].size(), 1u);
  EXPECT_EQ(parts["parts"][0]["chains"][0]["steps"].back()["event"]["kind"], "fault_started");
}

} // namespace
