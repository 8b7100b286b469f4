#include "report/anatomy.hpp"
#include "report/verdict.hpp"
#include "tests/support/small_world.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Operators who change how health is judged in the middle of a run (B-1, B-36, GB-9).

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::whole_run;

constexpr auto web = "near/shop/web";

service_action act(duration at, decltype(service_action::what) what) {
  return {.at = run_start + at, .of = web, .what = what};
}

/// One of four instances is silent from 20 s to the end, which 60 % allow and 80 % do not.
scenario world_with(std::vector<service_action> actions) {
  auto x = test::small_world();
  x.faults = {test::instances_become(ailment::silent, run_start + 20s, 100s, 0.25)};
  x.actions = std::move(actions);
  return x;
}

template <class T>
std::vector<const event*> all(const event_log& log, std::string_view under) {
  std::vector<const event*> result;
  for (const auto& x : log.events())
    if (std::holds_alternative<T>(x.what) && x.entity.starts_with(under))
      result.push_back(&x);
  return result;
}

/// @returns verdicts of the health source after the warm-up of the world, as "H 61" and "U 80".
std::string verdicts(const event_log& log) {
  std::string result;
  for (const auto* x : all<source_changed>(log, web)) {
    const auto after = std::get<source_changed>(x->what).after;
    result.append(result.empty() ? "" : ", ").append(after == health::healthy ? "H " : "U ");
    result.append(std::to_string((x->at - run_start) / 1s));
  }
  return result;
}

void expect_sound(const whole_run& run) {
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
  EXPECT_EQ(run.ended().casualties(), std::vector<std::string>{});
}

TEST(PolicyChange, MovesARegionAndIsItsCause) {
  const whole_run run{world_with({act(60s, patch_policy_action{.healthy_percent_threshold = 80}),
                                  act(90s, patch_policy_action{.healthy_percent_threshold = 60})})};
  expect_sound(run);
  const auto& log = run.log();
  const auto taken = all<action_taken>(log, web);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0]->entity, web);
  EXPECT_EQ(std::get<action_taken>(taken[0]->what).refused, "");
  EXPECT_TRUE(
    std::get<action_taken>(taken[0]->what)
      .what.starts_with("patch health policy: healthy_percent_threshold 80 (version 2, "));
  const auto sources = all<source_changed>(log, web);
  ASSERT_EQ(sources.size(), 3u);
  for (const auto i : {0u, 1u}) {
    EXPECT_EQ(sources[i + 1]->cause, taken[i]->id);
    EXPECT_GT(sources[i + 1]->at, taken[i]->at);
    EXPECT_LE(sources[i + 1]->at, taken[i]->at + 1s) << "at the next tick";
  }
  EXPECT_EQ(std::get<source_changed>(sources[1]->what).needed, 4u);
  const auto composites = all<composite_changed>(log, "near");
  ASSERT_EQ(composites.size(), 3u);
  EXPECT_EQ(std::get<composite_changed>(composites[1]->what).after, health::unhealthy);
  EXPECT_EQ(all<routing_changed>(log, "clients").size(), 3u);
  // The fault that lasts meanwhile did not bring that about.
  EXPECT_EQ(dissect(log, recovery_rule{}).size(), 0u);
}

TEST(PolicyChange, GB_9_IsRefusedWhenSomebodyElseWasFaster) {
  const auto by = [](std::uint32_t percent, duration read) {
    return patch_policy_action{.healthy_percent_threshold = percent, .read_at = run_start + read};
  };
  const whole_run run{
    world_with({act(50s, by(70, 40s)), act(60s, by(80, 40s)), act(70s, by(80, 55s))})};
  expect_sound(run);
  const auto taken = all<action_taken>(run.log(), web);
  ASSERT_EQ(taken.size(), 3u);
  const auto refused = [&taken](std::size_t i) {
    return std::get<action_taken>(taken[i]->what).refused;
  };
  EXPECT_EQ(refused(0), "");
  EXPECT_EQ(refused(1), "412 conditionNotMet") << "it was read before the first patch";
  EXPECT_EQ(refused(2), "");
  // At 60 s it would have been unhealthy.
  const auto sources = all<source_changed>(run.log(), web);
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[1]->cause, taken[2]->id);
}

TEST(PolicyChange, TakesEffectWhenItIsDue) {
  const auto later = [](std::uint32_t percent, duration after) {
    return patch_policy_action{.healthy_percent_threshold = percent, .takes_effect_after = after};
  };
  const struct {
    const char* why;
    std::vector<service_action> actions;
    std::vector<std::pair<duration, duration>> changes; // within
  } cases[] = {
    {"at the next tick", {act(60s, later(80, 0s))}, {{60s, 61s}}},
    {"after its time", {act(60s, later(80, 15s))}, {{75s, 76s}}},
    {"not any more, when a newer one has taken effect",
     {act(60s, later(80, 15s)), act(65s, later(60, 0s))},
     {}},
    {"one after the other",
     {act(60s, later(80, 5s)), act(61s, later(60, 20s))},
     {{65s, 66s}, {81s, 82s}}},
    {"a change that changes nothing is none", {act(60s, later(61, 0s))}, {}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const whole_run run{world_with(x.actions)};
    expect_sound(run);
    const auto found = all<source_changed>(run.log(), web);
    ASSERT_EQ(found.size(), x.changes.size() + 1) << verdicts(run.log());
    for (std::size_t i = 0; i < x.changes.size(); ++i) {
      EXPECT_GT(found[i + 1]->at, run_start + x.changes[i].first);
      EXPECT_LE(found[i + 1]->at, run_start + x.changes[i].second);
    }
  }
}

TEST(PolicyChange, AHealthCheckGoesOnWithItsNewTimes) {
  const struct {
    const char* why;
    std::vector<service_action> actions;
    duration earliest;
    duration latest;
    const char* reason;
  } cases[] = {
    {"as it was", {}, 10s, 15s, "5 s x 2, timeout 5 s"},
    {"one failure is enough",
     {act(10s, update_check_action{.unhealthy_threshold = 1})},
     5s,
     10s,
     "5 s x 1, timeout 5 s"},
    {"more often, and less patient",
     {act(10s, update_check_action{.interval = 1s, .timeout = 1s})},
     2s,
     3s,
     "1 s x 2, timeout 1 s"},
    {"while it fails already: its row goes on",
     {act(22s, update_check_action{.unhealthy_threshold = 4})},
     20s,
     25s,
     "5 s x 4, timeout 5 s"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const whole_run run{world_with(x.actions)};
    expect_sound(run);
    const event* turned = nullptr;
    for (const auto* y : all<endpoint_changed>(run.log(), web))
      if (turned == nullptr && std::get<endpoint_changed>(y->what).after == health::unhealthy)
        turned = y;
    ASSERT_NE(turned, nullptr);
    EXPECT_GT(turned->at, run_start + 20s + x.earliest);
    EXPECT_LE(turned->at, run_start + 20s + x.latest);
    EXPECT_EQ(std::get<endpoint_changed>(turned->what).reason, x.reason);
    EXPECT_EQ(all<action_taken>(run.log(), web).size(), x.actions.size());
  }
}

} // namespace
} // namespace spillover
