#include "report/event_pattern.hpp"
#include "report/stop_watch.hpp"
#include "report/why.hpp"
#include "report/why_query.hpp"
#include "report/why_request.hpp"
#include "tests/report/judged.hpp"
#include "tests/report/log_builder.hpp"

// What is said about one of several revisions.

namespace spillover::test {
namespace {

using namespace std::chrono_literals;

const std::string web = "us-west1/checkout/web";
const std::string v2 = web + "/v2";

share_sample share(std::uint32_t arrivals, std::uint32_t ready, std::uint32_t queue_peak = 0) {
  share_sample x;
  x.arrivals = arrivals;
  x.ready = ready;
  x.deprioritised = 1;
  x.queue_peak = queue_peak;
  return x;
}

revision_sample sum(std::uint32_t arrivals, std::uint32_t ready, std::uint32_t queue_peak = 0) {
  revision_sample x;
  x.arrivals = arrivals;
  x.ready = ready;
  x.queue_peak = queue_peak;
  return x;
}

/// Two revisions, of which v2 is there from 182 s on.
log_builder two_revisions() {
  log_builder run;
  run.add(181s, web + "/v1", {}, share(100, 9, 5));
  run.add(181s, web, {}, sum(100, 10, 5));
  for (const auto& [at, arrivals, ready, peak] :
       {std::tuple{182s, 0U, 0U, 0U}, {183s, 10U, 2U, 70U}, {184s, 20U, 3U, 0U}}) {
    run.add(at, web + "/v1", {}, share(100, 9, 5));
    run.add(at, v2, {}, share(arrivals, ready, peak));
    run.add(at, web + "/v22", {}, share(999, 99, 999));
    run.add(at, web, {}, sum(100 + arrivals, 10 + ready, 5 + peak));
  }
  return run;
}

TEST(JudgeOneRevision, LooksAtItsOwnSecondsOnly) {
  auto run = two_revisions();
  run.end();
  const auto at = [](duration x) { return run_start + x; };
  const judged_case cases[] = {
    {"its instances, ready or deprioritised", expect_instances{web, at(184s), at(184s), 4, 4, "v2"},
     true, "4 instances", 4, 184s},
    {"in a window, the seconds before its deployment left out",
     expect_instances{web, at(181s), at(184s), 1, 3, "v2"}, false, "1 to 4 instances", 4, 184s},
    {"all of them together", expect_instances{web, at(184s), at(184s), 13, 13}, true,
     "13 instances", 13, 184s},
    {"before it is there", expect_instances{web, at(181s), at(181s), 0, 0, "v2"}, false,
     "no second lies there", std::nullopt, std::nullopt},
    {"its requests", expect_rate{web, at(182s), at(184s), 15, 15, "v2"}, true, "15/s", 15'000,
     184s},
    {"too many of them, as soon as that is certain",
     expect_rate{web, at(182s), at(184s), std::nullopt, 4.9, "v2"}, false, "15/s", 15'000, 183s},
    {"its queue", expect_queue{web, std::nullopt, std::nullopt, 69, "v2"}, false, "peak 70", 70,
     183s},
    {"another's queue", expect_queue{web, std::nullopt, std::nullopt, 5, "v1"}, true, "peak 5", 5,
     181s},
    {"one that there is not", expect_queue{web, std::nullopt, std::nullopt, 5, "v3"}, false,
     "no second lies there", std::nullopt, std::nullopt},
  };
  expect_judged(run.log, cases);
}

TEST(StopWatch, FollowsOneRevision) {
  const auto run = two_revisions();
  const struct {
    const char* why = "";
    stop_condition what = {};
    const char* expected = "";
  } cases[] = {
    {"its queue",
     {stop_on_queue{web, 69, 1s, "v2"}},
     "183s queue of us-west1/checkout/web/v2 above 69"},
    {"not that of all", {stop_on_queue{web, 70, 1s, "v2"}}, ""},
    {"its instances, from its deployment on",
     {stop_on_instances{web, std::nullopt, 2, 1s, "v2"}},
     "182s instances of us-west1/checkout/web/v2 below 2"},
    {"seconds in a row",
     {stop_on_instances{web, 2, std::nullopt, 2s, "v2"}},
     "184s instances of us-west1/checkout/web/v2 above 2 for 2s"},
    {"all of them together",
     {stop_on_instances{web, 12, std::nullopt}},
     "184s instances of us-west1/checkout/web above 12"},
    {"one that there is not", {stop_on_instances{web, std::nullopt, 99, 1s, "v"}}, ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    stop_watch watch{{c.what}, 1, 3min};
    std::string result;
    for (const auto& x : run.log.events())
      if (const auto reason = watch.see(x))
        result = to_string(x.at - run_start) + " " + *reason;
    EXPECT_EQ(result, c.expected);
  }
}

TEST(EventPattern, MatchesWhatHappensToRevisions) {
  log_builder run;
  run.add(200s, web, {}, action_taken{3, "deploy v2", "ship"});
  run.add(200s, v2, {}, rollout_stepped{"ready", 4, 4});
  run.add(200s, web, {}, traffic_changed{{{"v1", 90}, {"v2", 10}}, "canary=v2", "roll out"});
  const struct {
    event_pattern what = {};
    std::size_t matched = 0;
  } cases[] = {
    {{"action_taken", web, {{"name", "ship"}, {"index", "3"}, {"refused", ""}}}, 1},
    {{"action_taken", v2, {}}, 0},
    {{"rollout_stepped", v2, {{"step", "ready"}, {"instances", "4"}}}, 1},
    {{"rollout_stepped", web, {{"step", "ready"}}}, 1},
    {{"rollout_stepped", web, {{"step", "failed"}}}, 0},
    {{"traffic_changed", web, {{"tags", "canary=v2"}, {"reason", "roll out"}}}, 1},
    {{"traffic_changed", "", {{"shares", "{\"v1\":90,\"v2\":10}"}}}, 1},
    {{"traffic_changed", "", {{"shares", "{\"v1\":91,\"v2\":9}"}}}, 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(to_string(c.what));
    const auto& all = run.log.events();
    EXPECT_EQ(static_cast<std::size_t>(std::count_if(
                all.begin(), all.end(), [&c](const event& x) { return matches(c.what, x); })),
              c.matched);
  }
}

TEST(WhyQuery, AsksForWhatOperatorsDidAndWhatCameOfIt) {
  log_builder run;
  const auto order = run.add(200s, web, {}, action_taken{0, "deploy v2", "ship"});
  const auto begun = run.add(200s, v2, order, rollout_stepped{"deploying", 0, 4});
  const auto ready = run.add(202s, v2, begun, rollout_stepped{"ready", 4, 4});
  run.add(202s, web, ready, traffic_changed{{{"v2", 100}}, "", "roll out"});
  run.add(300s, web + "/v3", {}, rollout_stepped{"deploying", 0, 4});
  run.add(310s, web + "/v3", {}, rollout_stepped{"failed", 0, 4, "too few"});
  const event_index index{run.log};
  const struct {
    const char* why = "";
    const char* text = "";
    const char* expected = "";
  } cases[] = {
    {"ready says more than the beginning", "us-west1/checkout/web/v2 deployed at 200s",
     "ready 202s"},
    {"which is all there is of one that failed", "us-west1/checkout/web/v3 deployed",
     "deploying 5m"},
    {"of the backend service", "us-west1/checkout/web deployed", "ready 202s"},
    {"a failed deployment", "us-west1 failed", "failed 310s"},
    {"a split", "us-west1/checkout/web split", "traffic_changed 202s"},
    {"an action", "us-west1/checkout/web acted", "action_taken 200s"},
    {"no action of a revision", "us-west1/checkout/web/v2 acted", "nothing"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    std::string problem;
    const auto query = parse_why_query(c.text, problem);
    ASSERT_TRUE(query) << problem;
    const auto* best = find_events(index, *query).best;
    std::string said = "nothing";
    if (best != nullptr) {
      const auto* step = std::get_if<rollout_stepped>(&best->what);
      said = (step != nullptr ? step->step : std::string{kind_of(*best)}) + " "
             + to_string(best->at - run_start);
    }
    EXPECT_EQ(said, c.expected);
  }
}

TEST(ExplainChain, ARevisionGrowsAndShrinksWithItsShare) {
  log_builder run;
  run.add(0s, web, {}, traffic_changed{{{"v1", 100}}, "", "begin"});
  const auto order = run.add(300s, web, {}, action_taken{0, "split", ""});
  run.add(300s, web, order, traffic_changed{{{"v1", 50}, {"v2", 50}}, "", "split"});
  scaling_decided grown{"cloud_run", 1, 2, 1, 0, "CPU", {}};
  scaling_decided shrunk{"cloud_run", 2, 1, 1, 0, "CPU", {}};
  const struct {
    const char* why = "";
    event_id what = {};
    bool by_split = false;
  } cases[] = {
    {"more of it grew", run.add(310s, v2, {}, grown), true},
    {"less of the other", run.add(310s, web + "/v1", {}, shrunk), true},
    {"the other would not grow for it", run.add(311s, web + "/v1", {}, grown), false},
    {"nor would this one shrink", run.add(311s, v2, {}, shrunk), false},
    {"nor does one without a share", run.add(311s, web + "/v3", {}, grown), false},
    {"longer ago than any mean looks back", run.add(901s, v2, {}, grown), false},
  };
  run.end();
  const event_index index{run.log};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    const auto chain = explain(index, *run.log.find(c.what));
    ASSERT_EQ(chain.steps.size(), c.by_split ? 3u : 1u);
    EXPECT_EQ(chain.end.empty(), c.by_split);
    EXPECT_EQ(chain.steps.back().what->id, c.by_split ? order : c.what);
  }
}

traced_request of_revision(std::vector<request_hop> hops) {
  return {"clients-east", 7, std::move(hops)};
}

TEST(ExplainRequest, OfANamedRevisionLooksAtItsQueueAndAtTheSecondOfAll) {
  log_builder run;
  auto second = sum(100, 10, 75);
  second.cpu_milli = 4'500;
  run.add(201s, v2, {}, share(10, 2, 70));
  const auto told = run.add(201s, web, {}, second);
  run.end();
  const event_index index{run.log};
  const auto at = [](duration x) { return run_start + x; };
  using enum request_step;
  const auto lines =
    explain(index, of_revision({{at(200s), intended, 0, ""},
                                {at(200s), balancer_sent, 0, "us-west1"},
                                {at(200s), service_took, 0, "us-west1/checkout"},
                                {at(200s), revision_took, 0, v2},
                                {at(200'300ms), dispatched, 0, v2 + "/0"},
                                {at(200'600ms), cpu_done, 0, v2 + "/0", outcome::ok, at(201s)}}));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[3].because, "70 waited at most in the second when it came");
  EXPECT_EQ(lines[4].because, "in that second 10 instances used 4.5 s of CPU");
  EXPECT_EQ(lines[4].because_of, told);
}

} // namespace
} // namespace spillover::test
