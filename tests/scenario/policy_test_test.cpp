#include "scenario/policy_test.hpp"

#include "scenario/policy_outcome.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

template <class T>
std::string problems_of(const std::variant<T, std::vector<problem>>& x) {
  std::string result;
  if (const auto* all = std::get_if<std::vector<problem>>(&x))
    for (const auto& y : *all)
      result.append(result.empty() ? "" : "\n").append(to_string(y));
  return result;
}

policy_test policies(std::string_view text) {
  const auto x = parse_policy_test(text, "p");
  EXPECT_EQ(problems_of(x), "");
  return std::holds_alternative<policy_test>(x) ? std::get<policy_test>(x) : policy_test{};
}

endpoint_timeline timeline(std::string_view text, bool comma_separated = false) {
  const auto x = parse_endpoint_timeline(text, "t.yaml", comma_separated);
  EXPECT_EQ(problems_of(x), "");
  return std::holds_alternative<endpoint_timeline>(x) ? std::get<endpoint_timeline>(x)
                                                      : endpoint_timeline{};
}

TEST(ParsePolicyTest, FillsInTheDefaultsOfScenarios) {
  const auto x = policies("policies: {plain: {}}");
  EXPECT_EQ(x, (policy_test{{{{.name = "plain"}, {}, {}}}, 0.5, 60s}));
}

TEST(ParsePolicyTest, ASourceMustBeABackendServiceOfTheTimeline) {
  const auto over = timeline("duration: 1m\n"
                             "endpoints:\n"
                             "  - {at: 0s, of: east/shop/web, endpoints: 1, are: answering}\n"
                             "  - {at: 0s, of: east/shop/api, endpoints: 1, are: answering}\n"
                             "  - {at: 0s, of: west/shop/web, endpoints: 1, are: answering}\n");
  struct {
    const char* why = "";
    const char* sources = "";
    const char* expected = "";
  } const cases[] = {
    {"both are there", "{web: {}, api: {}}", ""},
    {"a slip", "{wbe: {}}",
     "p:1:26: wbe: is no backend service of t; did you mean \"web\"? allowed: api, web"},
    {"a path is no name, and another one neither", "{east/shop/web: {}, queue: {}}",
     "p:1:26: east/shop/web: is no backend service of t; allowed: api, web\n"
     "p:1:46: queue: is no backend service of t; allowed: api, web"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto text = std::string{"policies: {a: {sources: "} + x.sources + "}}";
    const auto parsed = parse_policy_test(text, "p");
    if (!std::holds_alternative<policy_test>(parsed)) {
      // The schema has its own words for what no name can be.
      EXPECT_NE(problems_of(parsed).find("east/shop/web"), std::string::npos);
      continue;
    }
    std::string said;
    for (const auto& y : unknown_sources(std::get<policy_test>(parsed), over, "p"))
      said.append(said.empty() ? "" : "\n").append(to_string(y));
    EXPECT_EQ(said, x.expected);
  }
}

TEST(ParsePolicyTest, ReadsEveryKey) {
  const auto x = policies(R"(
fine: 60%
flap_within: 30s
policies:
  all:
    healthy_percent_threshold: 75
    min_healthy_threshold: 3
    sources: {api: {min_healthy_threshold: 2}}
    health_check: {interval: 1s, timeout: 1s}
    propagation: {propagation: 1s}
    failback: {over: 5m, steps: 5}
    failover: {after: 10s}
    expect: {transitions_at_most: 1, flaps_at_most: 0, unhealthy_at_most: 1m, unnoticed_at_most: 20s,
             avoided_though_fine_at_most: 5%, used_though_not_fine_at_most: 10%}
)");
  tested_policy expected;
  expected.source_places = {{"api", {8, 15}}};
  expected.producer = {.name = "all",
                       .aggregation = {75, 3},
                       .sources = {{"api", {75, 2}}},
                       .health_check = health_check_config{.interval = 1s, .timeout = 1s},
                       .timing = {.propagation = 1s}};
  expected.consumer = {.back = failback_mode::over,
                       .back_span = 5min,
                       .steps = 5,
                       .leave = failover_mode::after,
                       .leave_span = 10s};
  expected.limits = {1, 0, 60s, 20s, 0.05, 0.1};
  EXPECT_EQ(x, (policy_test{{expected}, 0.6, 30s}));
}

TEST(ParsePolicyTest, SaysWhatACandidateCannotBe) {
  struct {
    const char* why = "";
    const char* text = "";
    const char* expected = "";
  } const cases[] = {
    {"no candidate", "fine: 50%", "p:1:1: the key policies is missing"},
    {"none by name", "policies: {}", "p:1:11: policies: must have at least 1 entry"},
    {"an unknown key", "policies: {a: {healthy_percent: 60}}",
     "p:1:16: unknown key \"healthy_percent\"; allowed: expect, "
     "failback, failover, health_check, healthy_percent_threshold, min_healthy_threshold, "
     "propagation, sources"},
    {"a threshold above 100 %", "policies: {a: {healthy_percent_threshold: 101}}",
     "p:1:43: healthy_percent_threshold: must be between 0 and 100; got 101"},
    {"a timeout above the interval", "policies: {a: {health_check: {interval: 2s}}}",
     "p:1:41: timeout: must be at most interval (2s); got 5s"},
    {"pauses of Envoy's", "policies: {a: {health_check: {unhealthy_interval: 2s}}}",
     "p:1:51: unhealthy_interval: cannot be replayed: a dry run probes at fixed intervals"},
    {"errors apart from refusals", "policies: {a: {health_check: {error_decides: true}}}",
     "p:1:46: error_decides: cannot be replayed: a dry run does not know errors from refusals"},
    {"both a hold and a ramp", "policies: {a: {failback: {after: 1s, over: 1s}}}",
     "p:1:26: failback: needs either after or over"},
    {"steps of a hold", "policies: {a: {failback: {after: 1s, steps: 2}}}",
     "p:1:45: steps: has a meaning with over only"},
    {"an unknown way back", "policies: {a: {failback: slowly}}",
     "p:1:26: failback: must be immediate, manual, {after: 60s} or {over: 5m}; got \"slowly\""},
    {"a limit of nothing", "policies: {a: {expect: {}}}",
     "p:1:24: expect: needs at least one of: avoided_though_fine_at_most, flaps_at_most, "
     "transitions_at_most, unhealthy_at_most, unnoticed_at_most, used_though_not_fine_at_most"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(problems_of(parse_policy_test(x.text, "p")), x.expected);
  }
}

TEST(ParseEndpointTimeline, ReadsRowsOfBothFormsAlike) {
  const auto yaml = timeline(R"(name: t
duration: 10m
endpoints:
  - {at: 0s, of: east/shop/web, endpoints: 1-2, are: answering}
  - {at: 1m, of: east/shop/web, endpoints: 2, are: silent}
  - {at: 2m, of: east/shop/web, endpoints: 1-2, are: gone}
)");
  const auto comma = timeline("at,of,endpoints,are\n"
                              "0s,east/shop/web,1-2,answering\n"
                              "1m,east/shop/web,2,silent\n"
                              "2m,east/shop/web,1-2,gone\n"
                              "10m,,,\n",
                              true);
  EXPECT_EQ(yaml, comma);
  const auto up = endpoint_condition::answering;
  endpoint_timeline expected{.name = "t", .lasts = 10min};
  expected.services = {{"shop",
                        {{"east",
                          {{"east/shop/web",
                            {{"east/shop/web/1", {{run_start, up}, {run_start + 2min, {}}}},
                             {"east/shop/web/2",
                              {{run_start, up},
                               {run_start + 1min, endpoint_condition::silent},
                               {run_start + 2min, {}}}}}}}}}}};
  EXPECT_EQ(yaml, expected);
}

TEST(ParseEndpointTimeline, SaysWhatATimelineCannotBe) {
  const std::string head = "duration: 10m\nendpoints:\n  - {at: 0s, of: east/shop/web, endpoints: "
                           "1-3, are: answering}\n";
  struct {
    const char* why = "";
    std::string text = {};
    const char* expected = "";
    bool comma_separated = false;
  } const cases[] = {
    {"no end", "endpoints: []",
     "t:1:1: the key duration is missing\nt:1:12: endpoints: must have at least 1 entry; got 0"},
    {"an unknown state", head + "  - {at: 1m, of: east/shop/web, endpoints: 1, are: slow}",
     "t:4:52: are: unknown value \"slow\"; allowed: answering, failing, silent, gone"},
    {"no path", head + "  - {at: 1m, of: web, endpoints: 1, are: silent}",
     "t:4:18: of: must be a path region/service/backend_service; got \"web\""},
    {"a range backwards", head + "  - {at: 1m, of: east/shop/web, endpoints: 3-1, are: silent}",
     "t:4:44: endpoints: must be a range such as 1-10, up to 10000; got 3-1"},
    {"after the end", head + "  - {at: 10m, of: east/shop/web, endpoints: 1, are: silent}",
     "t:4:10: at: must be before the end (10m); got 10m"},
    {"back from the dead",
     head
       + "  - {at: 1m, of: east/shop/web, endpoints: 1, are: gone}\n"
         "  - {at: 2m, of: east/shop/web, endpoints: 1, are: answering}",
     "t:5:10: at: east/shop/web/1 is gone since 1m, for good; a successor is another endpoint"},
    {"gone before it came", head + "  - {at: 1m, of: east/shop/web, endpoints: 4, are: gone}",
     "t:4:52: are: east/shop/web/4 cannot be gone before it was there"},
    {"twice in an instant", head + "  - {at: 0s, of: east/shop/web, endpoints: 1, are: silent}",
     "t:4:10: at: must be after what east/shop/web/1 was before (0s); got 0s"},
    {"rows without an end", "at,of,endpoints,are\n0s,east/shop/web,1,answering\n",
     "t:1:1: has no row with nothing but at, which says when the timeline ends", true},
    {"an empty file", "", "t:1:1: is empty; the first row names the keys of a row", true},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(problems_of(parse_endpoint_timeline(x.text, "t", x.comma_separated)), x.expected);
  }
}

TEST(IsEndpointTimeline, TellsItFromAScenario) {
  EXPECT_TRUE(is_endpoint_timeline("endpoints: []"));
  EXPECT_FALSE(is_endpoint_timeline("producers: {}"));
  EXPECT_FALSE(is_endpoint_timeline("- [}"));
}

// Six of ten endpoints of the east fail for 20 s at 2m, five are silent from 5m to 7m.
const endpoint_timeline& brownout() {
  static const auto result = timeline(R"(
duration: 12m
endpoints:
  - {at: 0s, of: east/shop/web, endpoints: 1-10, are: answering}
  - {at: 0s, of: west/shop/web, endpoints: 1-4, are: answering}
  - {at: 2m, of: east/shop/web, endpoints: 1-6, are: failing}
  - {at: 140s, of: east/shop/web, endpoints: 1-6, are: answering}
  - {at: 5m, of: east/shop/web, endpoints: 1-5, are: silent}
  - {at: 7m, of: east/shop/web, endpoints: 1-5, are: answering}
)");
  return result;
}

region_outcome east(std::string_view candidate, std::string_view fine = "60%") {
  const auto test =
    policies("fine: " + std::string{fine} + "\npolicies:\n  a: " + std::string{candidate} + "\n");
  return try_policies(brownout(), test).at(0).services.at(0).regions.at(0);
}

TEST(TryPolicies, CountsWhatEachWouldHaveDone) {
  const auto plain = east("{}");
  EXPECT_EQ(plain.region, "east");
  EXPECT_EQ(plain.transitions, 4u);
  EXPECT_EQ(plain.flaps, 1u);
  // 20 s and two minutes, each as much longer as probes need to succeed and to fail (B-39).
  EXPECT_GT(plain.unhealthy, 120s);
  EXPECT_LT(plain.unhealthy, 155s);
  // Silence is noticed after 10 to 15 s, and what follows takes 3 to 5 s more (B-42).
  EXPECT_GT(plain.unnoticed, 13s);
  EXPECT_LT(plain.unnoticed, 20s);
  EXPECT_EQ(plain.unnoticed_from, run_start + 5min);
  ASSERT_EQ(plain.steps.size(), 5u);
  EXPECT_EQ(plain.steps[3].why, "web 5 of 10 healthy, 6 needed");

  const auto lax = east("{healthy_percent_threshold: 30}");
  EXPECT_EQ(lax.transitions, 0u);
  // It never notices: 20 s and 120 s in which fewer than 60 % answer.
  EXPECT_EQ(lax.unnoticed, 120s);
  EXPECT_EQ(lax.used_though_not_fine, 140s);
  EXPECT_EQ(lax.avoided_though_fine, 0s);
}

TEST(TryPolicies, ConsumersFollowAsTheirPolicySays) {
  const auto plain = east("{}");
  const auto held = east("{failback: {after: 60s}}");
  // The producers' side is the same.
  EXPECT_EQ(held.steps, plain.steps);
  EXPECT_EQ(held.avoided_though_fine, plain.avoided_though_fine + 120s);
  const auto damped = east("{failover: {after: 60s}}");
  // The short failure is not followed at all.
  EXPECT_LT(damped.avoided_though_fine, plain.avoided_though_fine);
  EXPECT_EQ(damped.unnoticed, plain.unnoticed + 60s);
  // Two ramps of a minute, of which six steps leave 1000, 834, 667, 500, 334, 167 thousandths.
  const auto ramped = east("{failback: {over: 60s, steps: 6}}");
  EXPECT_GT(ramped.avoided_though_fine, plain.avoided_though_fine + 60s);
  EXPECT_LT(ramped.avoided_though_fine, plain.avoided_though_fine + 80s);
}

TEST(TryPolicies, SaysWhichLimitsDoNotHold) {
  const auto x = east("{expect: {transitions_at_most: 3, flaps_at_most: 1, unnoticed_at_most: 10s, "
                      "used_though_not_fine_at_most: 100%}}");
  ASSERT_EQ(x.broken.size(), 2u);
  EXPECT_EQ(x.broken[0], "transitions 4 is above 3");
  EXPECT_TRUE(x.broken[1].starts_with("unnoticed 1")) << x.broken[1];
  EXPECT_TRUE(x.broken[1].ends_with(" s is above 10 s")) << x.broken[1];
  // 140 s of 720 s.
  EXPECT_EQ(
    east("{healthy_percent_threshold: 30, expect: {used_though_not_fine_at_most: 19%}}").broken,
    std::vector<std::string>{"used though not fine 19.44 % is above 19%"});
}

TEST(TryPolicies, WhenAllAreUnhealthyAllAreUsed) {
  const auto dark = timeline(R"(
duration: 5m
endpoints:
  - {at: 0s, of: east/shop/web, endpoints: 1, are: answering}
  - {at: 0s, of: west/shop/web, endpoints: 1, are: answering}
  - {at: 2m, of: east/shop/web, endpoints: 1, are: failing}
  - {at: 2m, of: west/shop/web, endpoints: 1, are: failing}
)");
  const auto found = try_policies(dark, policies("policies: {a: {}}"));
  for (const auto& x : found.at(0).services.at(0).regions) {
    EXPECT_EQ(x.transitions, 1u);
    // But for the moments in which one of them was left and the other was not yet.
    EXPECT_GT(x.used_though_not_fine, 170s);
  }
}

} // namespace
