#include "producers/health/policy_replay.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

constexpr auto up = endpoint_condition::answering;
constexpr auto failing = endpoint_condition::failing;
constexpr auto silent = endpoint_condition::silent;
constexpr auto gone = std::nullopt;
constexpr auto end = run_start + 600s;

using steps = std::vector<endpoint_history::step>;

backend_history backend(const std::vector<steps>& all) {
  backend_history result{"east/shop/web", {}};
  for (const auto& x : all)
    result.endpoints.push_back({"east/shop/web/" + std::to_string(result.endpoints.size()), x});
  return result;
}

const health_check_config one_prober{.probers = 1};

TEST(PolicyReplay, DetectsWithinTheBoundsOfTheHealthCheck) {
  struct {
    const char* why;
    health_check_config how = {};
    endpoint_condition becomes = failing;
    duration best{};
    duration worst{};
  } const cases[] = {
    // B-39: (U-1) I + d to U I + d.
    {"GB-11: defaults, fast", one_prober, failing, 5s, 10s},
    {"GB-12: defaults, silent", one_prober, silent, 10s, 15s},
    {"GB-13: every second", {.interval = 1s, .timeout = 1s, .probers = 1}, failing, 1s, 2s},
    {"GB-14: three in a row, silent",
     {.interval = 10s, .timeout = 5s, .unhealthy_threshold = 3, .probers = 1},
     silent,
     25s,
     35s},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto least = duration::max();
    auto most = duration::min();
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const auto of = backend({{{run_start, up}, {run_start + 300s, x.becomes}}});
      const auto found = probe_history(of, x.how, seed, end);
      ASSERT_EQ(found.at(0).size(), 2u);
      EXPECT_EQ(found[0][1].state, health::unhealthy);
      const auto took = found[0][1].at - (run_start + 300s);
      least = std::min(least, took);
      most = std::max(most, took);
    }
    EXPECT_GE(least, x.best);
    EXPECT_LE(most, x.worst);
    // The phases are spread over the whole interval.
    EXPECT_LT(least, x.best + x.how.interval / 20);
    EXPECT_GT(most, x.worst - x.how.interval / 20);
  }
}

TEST(PolicyReplay, ALaterEndpointIsUnhealthyUntilProbersAgree) {
  const auto of = backend({{{run_start + 100s, up}}});
  const auto found = probe_history(of, {}, 1, end);
  ASSERT_EQ(found.at(0).size(), 1u);
  EXPECT_EQ(found[0][0].state, health::healthy);
  EXPECT_GT(found[0][0].at, run_start + 105s);
  EXPECT_LT(found[0][0].at, run_start + 111s);
}

TEST(PolicyReplay, AnEndpointThatIsGoneSaysNothingMore) {
  const auto of =
    backend({{{run_start, up}, {run_start + 100s, silent}, {run_start + 101s, gone}}});
  const auto found = probe_history(of, {}, 1, end);
  ASSERT_EQ(found.at(0).size(), 1u);
  EXPECT_EQ(found[0][0].state, health::healthy);
}

// Verdicts as recorded, for a source that judges every second.
endpoint_history recorded(steps conditions, std::vector<endpoint_history::verdict> verdicts) {
  return {"", std::move(conditions), std::move(verdicts)};
}

std::string text(const source_replay& x) {
  std::string result;
  for (const auto& step : x.steps)
    result.append(result.empty() ? "" : ", ")
      .append(std::to_string(second_of(step.at)))
      .append(" ")
      .append(to_string(step.change.after))
      .append(" ")
      .append(std::to_string(step.change.healthy))
      .append("/")
      .append(std::to_string(step.change.total));
  return result;
}

TEST(PolicyReplay, ASourceJudgesAtItsTicksOverWhatThereIs) {
  const auto healthy = health::healthy;
  const auto unhealthy = health::unhealthy;
  const auto stays = recorded({{run_start, up}}, {{run_start + 5s, healthy}});
  const auto falls =
    recorded({{run_start, up}}, {{run_start + 5s, healthy}, {run_start + 50s, unhealthy}});
  const auto leaves = recorded({{run_start, up}, {run_start + 70s, gone}},
                               {{run_start + 5s, healthy}, {run_start + 50s, unhealthy}});
  const auto comes = recorded({{run_start + 100s, failing}}, {});
  const auto late = recorded({{run_start, up}}, {{run_start + 80s, healthy}});
  struct {
    const char* why;
    std::vector<endpoint_history> endpoints = {};
    aggregation_policy policy = {};
    const char* expected = "";
  } const cases[] = {
    {"half of them is not 60 %", {stays, falls}, {}, "5 HEALTHY 2/2, 50 UNHEALTHY 1/2"},
    {"GB-4: 40 %, but one is not two",
     {stays, falls},
     {.healthy_percent_threshold = 40, .min_healthy_threshold = 2},
     "5 HEALTHY 2/2, 50 UNHEALTHY 1/2"},
    {"who leaves is no longer counted",
     {stays, leaves},
     {},
     "5 HEALTHY 2/2, 50 UNHEALTHY 1/2, 70 HEALTHY 1/1"},
    {"who comes counts as unhealthy until probes succeed (B-38)",
     {stays, comes},
     {},
     "5 HEALTHY 1/1, 100 UNHEALTHY 1/2"},
    {"who has no state yet keeps it unknown until the warm-up is over (B-19)",
     {stays, late},
     {},
     "60 UNHEALTHY 1/2, 80 HEALTHY 2/2"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    backend_history of{"east/shop/web", x.endpoints};
    const auto found = replay_source(of, {.name = "", .aggregation = x.policy}, 1, end);
    // Within a tick after its cause, by a phase that seed and path say.
    EXPECT_EQ(text(found), x.expected);
  }
}

TEST(PolicyReplay, SourcesAreJoinedByTheThreeValuedAnd) {
  const auto step = [](int at, health before, health after) {
    return source_replay::step{run_start + std::chrono::seconds{at}, {before, after, 0, 0, 0}};
  };
  constexpr auto k = health::unknown;
  constexpr auto h = health::healthy;
  constexpr auto u = health::unhealthy;
  const source_replay a{"a", {step(5, k, h), step(50, h, u), step(70, u, h)}};
  const source_replay b{"b", {step(10, k, h), step(60, h, u), step(70, u, h)}};
  const std::vector<source_replay> both{a, b};
  EXPECT_EQ(join_sources(both),
            (std::vector<health_step>{
              {run_start, k}, {run_start + 10s, h}, {run_start + 50s, u}, {run_start + 70s, h}}));
}

TEST(PolicyReplay, CountsWhoAnswersOverTime) {
  const auto of = backend({{{run_start, up}, {run_start + 10s, silent}, {run_start + 20s, up}},
                           {{run_start, up}, {run_start + 20s, gone}},
                           {{run_start + 10s, failing}}});
  EXPECT_EQ(answering_over_time(of),
            (std::vector<answering_step>{
              {run_start, 2, 2}, {run_start + 10s, 1, 3}, {run_start + 20s, 1, 2}}));
}

} // namespace
