#include "report/event_index.hpp"
#include "scenario/policy_outcome.hpp"
#include "tests/support/small_world.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;

// What the health sources of a run said.
std::vector<source_replay> said(const event_log& log, const endpoint_timeline& of) {
  const event_index index{log};
  std::vector<source_replay> result;
  for (const auto& region : of.services.front().regions)
    for (const auto& source : region.sources) {
      auto& into = result.emplace_back(source_replay{source.path, {}});
      for (const auto* x : index.all<source_changed>())
        if (x->entity == source.path + "/source") {
          const auto& y = payload_of<source_changed>(x);
          into.steps.push_back({x->at, {y.before, y.after, y.healthy, y.total, y.needed}});
        }
    }
  return result;
}

std::vector<source_replay> replayed(const endpoint_timeline& of, const policy_candidate& policy) {
  std::vector<source_replay> result;
  for (const auto& region : of.services.front().regions)
    for (const auto& source : region.sources)
      result.push_back(replay_source(source, policy, of.seed, run_start + of.lasts));
  return result;
}

TEST(PolicyReplay, RepeatsWhatARunDidWithItsOwnPolicy) {
  struct {
    const char* why = "";
    ailment become = {};
    double fraction = 1;
  } const cases[] = {
    {"half of them are silent", ailment::silent, 0.5},
    {"all of them fail", ailment::failing, 1},
    {"half of them crash, and start again", ailment::crashed, 0.5},
  };
  for (const auto& x : cases)
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(std::string{x.why} + ", seed " + std::to_string(seed));
      auto world = test::small_world();
      world.seed = seed;
      world.faults = {test::instances_become(x.become, run_start + 40s, 30s, x.fraction)};
      const test::whole_run run{world};
      const auto found = timeline_of(run.log());
      ASSERT_TRUE(found);
      EXPECT_EQ(found->services.front().service, "shop");
      const auto expected = said(run.log(), *found);
      ASSERT_EQ(expected.size(), 2u);
      // UNKNOWN -> HEALTHY, and in one region of both there and back.
      EXPECT_EQ(expected[0].steps.size() + expected[1].steps.size(), 4u);
      // By what probers agreed on, and by probing anew what instances were.
      EXPECT_EQ(replayed(*found, {.name = "as recorded"}), expected);
      EXPECT_EQ(replayed(*found, {.name = "probed", .health_check = health_check_config{}}),
                expected);
    }
}

// Instances that count by their own readiness come with its first result and go when they end (B-68).
TEST(PolicyReplay, RepeatsWhatServiceHealthDid) {
  struct {
    const char* why = "";
    ailment become = {};
    bool liveness = false;
    std::size_t changes = 0;
  } const cases[] = {
    {"three of four are silent", ailment::silent, false, 3},
    {"liveness ends them at the same time, and one of one is enough", ailment::silent, true, 1},
    {"they crash, and one of one is enough", ailment::crashed, false, 1},
    {"they fail, and are as well as new ones", ailment::failing, true, 1},
  };
  for (const auto& x : cases)
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(std::string{x.why} + ", seed " + std::to_string(seed));
      auto world = test::small_world(4);
      world.seed = seed;
      world.lasts = 4min;
      for (auto& service : world.published_services) {
        service.composite_health->signal = health_signal::readiness;
        auto& instance = service.backend_services[0].instance;
        instance.readiness_probe.emplace();
        if (x.liveness)
          instance.liveness_probe.emplace();
      }
      world.faults = {test::instances_become(x.become, run_start + 40s, 90s, 0.75)};
      const test::whole_run run{world};
      const auto found = timeline_of(run.log());
      ASSERT_TRUE(found);
      const auto expected = said(run.log(), *found);
      ASSERT_EQ(expected.size(), 2u);
      for (const auto& source : expected)
        EXPECT_TRUE(found->services[0].regions[0].sources[0].by_readiness) << source.path;
      EXPECT_EQ(expected[0].steps.size() + expected[1].steps.size(), x.changes + 1);
      EXPECT_EQ(replayed(*found, {.name = "as recorded"}), expected);
    }
}

TEST(PolicyReplay, AProcessThatStartsAnewIsWell) {
  using enum instance_state;
  const std::string one = "near/shop/web/0";
  event_log log{{"director", "near"}};
  const auto add = [&](duration at, const std::string& entity, payload what) {
    log.record(run_start + at, entity, {}, std::move(what));
  };
  add(0s, "director", run_started{"a", "", 1, 2min, 0s});
  add(0s, one, instance_changed{starting, ready, 1, "started"});
  add(10s, one, instance_afflicted{0, true, "hung"});
  add(30s, one, instance_changed{ready, crashed, 1, "made anew by auto-healing"});
  add(30s, one, instance_changed{crashed, starting, 2, "restarted"});
  add(35s, one, instance_changed{starting, ready, 2, "started"});
  add(120s, "director", run_ended{});
  const auto found = timeline_of(log);
  ASSERT_TRUE(found);
  const auto& of = found->services.at(0).regions.at(0).sources.at(0);
  using enum endpoint_condition;
  const std::vector<endpoint_history::step> expected{{run_start, answering},
                                                     {run_start + 10s, silent},
                                                     {run_start + 30s, failing},
                                                     {run_start + 35s, answering}};
  EXPECT_EQ(of.endpoints.at(0).conditions, expected);
}

TEST(PolicyReplay, WhatBefallsRequestsOnlyIsNotSeen) {
  auto world = test::small_world();
  auto x = test::instances_become(ailment::failing, run_start + 40s, 30s, 1);
  std::get<instance_fault>(x.what).suffer.affects = affected_part::requests;
  world.faults = {x};
  const auto found = timeline_of(test::whole_run{world}.log());
  ASSERT_TRUE(found);
  policy_test test;
  test.policies = {{{.name = "a", .health_check = health_check_config{}}}};
  const auto outcomes = try_policies(*found, test);
  for (const auto& region : outcomes.at(0).services.at(0).regions) {
    EXPECT_EQ(region.transitions, 0u);
    EXPECT_EQ(region.used_though_not_fine, 0s);
  }
}

} // namespace
} // namespace spillover
