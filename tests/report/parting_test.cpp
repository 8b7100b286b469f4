#include "report/parting.hpp"

#include "tests/report/log_builder.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::log_builder;

constexpr auto backend = "us-west1/checkout/web";

/// A run until the survivor would decide: its region failed at 314.3 s, the consumer left at 317.8 s.
log_builder started() {
  log_builder to;
  to.everybody_starts_in({"clients-east"});
  const auto down = to.region_turns_unhealthy(to.half_falls_silent());
  const auto knows = to.consumer_learns(316'800ms, down, "clients-east", health::unhealthy);
  to.route_turns(317'800ms, knows, "clients-east", "us-east1", "us-west1", 317'800ms);
  return to;
}

scaling_decided decided(std::uint32_t before, std::uint32_t after, std::int64_t cpu = 60) {
  return {"cloud_run", before, after, before, 0, "CPU", {{"cpu_milli", cpu}}};
}

TEST(FirstDifference, IsNoneOfTheSameRunAndAnyEventOtherwise) {
  const struct {
    const char* why = "";
    std::function<void(log_builder&)> in_b = nullptr;
    std::optional<duration> at = std::nullopt;
  } cases[] = {
    {"the same run", [](log_builder&) {}, std::nullopt},
    {"a second's numbers count", [](log_builder& x) { x.survivor_second(319s, 7, 7, 4); }, 319s},
    {"one more event", [](log_builder& x) { x.survivor_queue(320s, 3); }, 320s},
  };
  const auto a = started();
  const event_index index_a{a.log};
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto b = started();
    x.in_b(b);
    const event_index index_b{b.log};
    for (const auto swapped : {false, true}) {
      const auto found =
        swapped ? first_difference(index_b, index_a) : first_difference(index_a, index_b);
      ASSERT_EQ(found.has_value(), x.at.has_value());
      if (!found)
        continue;
      EXPECT_EQ(found->at, run_start + *x.at);
      EXPECT_EQ((swapped ? found->a : found->b).what->at, run_start + *x.at);
      EXPECT_FALSE((swapped ? found->b : found->a).what);
    }
  }
}

TEST(FirstDifference, LeavesNameAndSeedOut) {
  event_log a{{"director"}};
  event_log b{{"director"}};
  a.record(run_start, "director", {}, run_started{"x", "before", 1, 1s, 0s});
  b.record(run_start, "director", {}, run_started{"y", "after", 2, 1s, 0s});
  EXPECT_FALSE(first_difference(event_index{a}, event_index{b}));
}

TEST(FirstDecisionApart, IgnoresWhatIsNoDecision) {
  const struct {
    const char* why = "";
    std::function<void(log_builder&)> in_a = nullptr;
    std::function<void(log_builder&)> in_b = nullptr;
  } cases[] = {
    {"numbers of a second", [](log_builder& x) { x.survivor_second(319s, 7, 7, 4); },
     [](log_builder& x) { x.survivor_second(319s, 9, 9, 4); }},
    {"the numbers behind the same decision",
     [](log_builder& x) { x.add(330s, backend, {}, decided(4, 8, 61)); },
     [](log_builder& x) { x.add(330s, backend, {}, decided(4, 8, 62)); }},
    {"a decision that changes nothing", [](log_builder&) {},
     [](log_builder& x) { x.add(330s, backend, {}, decided(4, 4)); }},
    {"an endpoint that is new", [](log_builder&) {},
     [](log_builder& x) {
       x.add(330s, "us-west1/checkout/web/9", {},
             endpoint_changed{health::unknown, health::healthy, 3, 3, ""});
     }},
    {"which of two comes first in an instant",
     [](log_builder& x) {
       x.add(330s, backend, {}, decided(4, 8));
       x.add(330s, "us-east1/checkout/web", {}, decided(10, 9));
     },
     [](log_builder& x) {
       x.add(330s, "us-east1/checkout/web", {}, decided(10, 9));
       x.add(330s, backend, {}, decided(4, 8));
     }},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto a = started();
    auto b = started();
    x.in_a(a);
    x.in_b(b);
    EXPECT_TRUE(first_difference(event_index{a.log}, event_index{b.log}));
    EXPECT_FALSE(first_decision_apart(event_index{a.log}, event_index{b.log}));
  }
}

TEST(FirstDecisionApart, TellsBothSidesWithWhatLedToThem) {
  auto a = started();
  auto b = started();
  a.add(330s, backend, {}, decided(4, 8));
  a.add(340s, backend, {}, decided(8, 9));
  b.add(330s, backend, {}, decided(4, 6));
  const event_index of_a{a.log};
  const event_index of_b{b.log};
  const auto found = first_decision_apart(of_a, of_b);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at, run_start + 330s);
  EXPECT_EQ(found->a.what->sentence, "us-west1/checkout/web wants 8 instances, 4 before");
  EXPECT_EQ(found->b.what->sentence, "us-west1/checkout/web wants 6 instances, 4 before");
  EXPECT_FALSE(found->a.later);
  // A decision of an autoscaler answers to the change of route, which no event says.
  ASSERT_FALSE(found->a.causes.empty());
  EXPECT_EQ(found->a.causes.front().kind, "routing_changed");
  EXPECT_NE(found->a.causes.front().by_time, "");
  EXPECT_EQ(found->a.causes.back().kind, "fault_started");
  EXPECT_EQ(found->a.causes.back().by_time, "");
}

TEST(FirstDecisionApart, TellsWhenTheOtherOneDidSo) {
  auto a = started();
  auto b = started();
  a.add(330s, backend, {}, decided(4, 8));
  b.add(332s, backend, {}, decided(4, 7));
  const event_index of_a{a.log};
  const event_index of_b{b.log};
  const auto found = first_decision_apart(of_a, of_b);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at, run_start + 330s);
  EXPECT_TRUE(found->b.later);
  EXPECT_EQ(found->b.what->at, run_start + 332s);
  // What led to it half a run later is another story.
  auto late = started();
  late.add(900s, backend, {}, decided(4, 7));
  const auto other = first_decision_apart(of_a, event_index{late.log});
  EXPECT_EQ(other->b.what->at, run_start + 900s);
  EXPECT_FALSE(found->b.causes.empty());
  EXPECT_TRUE(other->b.causes.empty());
  // Whatever happens elsewhere is no counterpart.
  auto c = started();
  c.add(332s, "us-east1/checkout/web", {}, decided(10, 9));
  EXPECT_FALSE(first_decision_apart(of_a, event_index{c.log})->b.what);
}

TEST(FirstDecisionApart, CanBeAskedForHealthAndRoutesOnly) {
  auto a = started();
  auto b = started();
  b.add(330s, backend, {}, decided(4, 6));
  b.source_turns(400s, {}, health::healthy, 10);
  const event_index of_a{a.log};
  const event_index of_b{b.log};
  EXPECT_EQ(first_decision_apart(of_a, of_b)->at, run_start + 330s);
  const auto found = first_decision_apart(of_a, of_b, decision_kind::health);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at, run_start + 400s);
  EXPECT_EQ(found->b.what->kind, "source_changed");
  EXPECT_FALSE(first_decision_apart(of_a, of_b, decision_kind::any, run_start + 401s));
}

TEST(FirstDecisionApart, NamesWhatSaysMostOfAnInstant) {
  auto a = started();
  auto b = started();
  const auto source = b.source_turns(400s, {}, health::healthy, 10);
  b.composite_turns(400s, source, health::unhealthy, health::healthy);
  b.route_turns(400s, {}, "clients-east", "us-west1", "us-east1", 400s);
  b.add(400s, backend, {}, decided(4, 3));
  b.add(400s, "director", {}, fault_ended{0, "instances", "us-east1/checkout/web"});
  const event_index of_a{a.log};
  const event_index of_b{b.log};
  EXPECT_EQ(first_decision_apart(of_a, of_b)->b.what->kind, "fault_ended");
}

} // namespace
