#include "actors/world.hpp"
#include "report/verdict.hpp"
#include "tests/support/small_world.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;

/// Half of "near" falls silent at 30 s, comes back at 70 s; the run lasts 120 s.
scenario brownout() {
  auto x = test::small_world();
  x.warm_up = 10s;
  x.faults = {test::instances_become(ailment::silent, run_start + 30s, 40s, 0.75)};
  return x;
}

std::vector<std::string> lines(const event_log& log, instant to) {
  std::vector<std::string> result;
  for (const auto& x : log.events())
    if (x.at <= to && !std::holds_alternative<run_stopped>(x.what)
        && !std::holds_alternative<books_closed>(x.what)
        && !std::holds_alternative<bill_closed>(x.what)
        && !std::holds_alternative<run_ended>(x.what))
      result.push_back(to_json(x, log.sites()));
  return result;
}

/// A run of the scenario, to its end or its stop.
struct ended_world {
  explicit ended_world(const scenario& x) : w(x) {
    w.run_until(run_start + x.lasts);
    w.finish();
  }
  world w;
};

TEST(StopIf, EndsTheRunAtTheInstantOfTheFirstConditionMet) {
  const struct {
    const char* why;
    stop_condition what;
    const char* reason;
  } cases[] = {
    {"an event, in the middle of a second",
     {stop_on_event{{"neg_changed", "clients/lb", {{"after", "UNHEALTHY"}}}}, "away"},
     "away: neg_changed of clients/lb with after=UNHEALTHY"},
    {"a second of instances",
     {stop_on_instances{"near/shop/web", 3, std::nullopt, 5s}},
     "instances of near/shop/web above 3 for 5s"},
    {"a fault", {stop_on_event{{"fault_ended"}}}, "fault_ended"},
  };
  const auto whole = ended_world{brownout()};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    auto x = brownout();
    x.stop_if = {c.what};
    const auto run = ended_world{x};
    const auto& log = run.w.log();
    ASSERT_TRUE(run.w.stopped());
    const auto now = run.w.now();
    EXPECT_LT(now, run_start + x.lasts);
    const auto result = judge(log, {}, {});
    ASSERT_TRUE(result.stopped);
    EXPECT_EQ(result.stopped->at, now);
    EXPECT_EQ(result.stopped->reason, c.reason);
    // Not one event is different, up to and with that instant.
    EXPECT_EQ(lines(log, now), lines(whole.w.log(), now));
    EXPECT_EQ(lines(log, now), lines(log, never));
    EXPECT_EQ(result.imbalances, std::vector<std::string>{});
    EXPECT_EQ(run.w.casualties(), std::vector<std::string>{});
    // The cause is the event that met the condition.
    for (const auto& e : log.events())
      if (std::holds_alternative<run_stopped>(e.what)) {
        ASSERT_NE(log.find(e.cause), nullptr);
        EXPECT_EQ(log.find(e.cause)->at, now);
      }
  }
  EXPECT_FALSE(whole.w.stopped());
  EXPECT_FALSE(judge(whole.w.log(), {}, {}).stopped);
}

TEST(StopIf, ConditionsThatAreNotMetChangeNothing) {
  auto x = brownout();
  const auto whole = ended_world{x};
  x.stop_if = {{stop_on_queue{"near/shop/web", 1'000'000}}, {stop_on_errors{1, 1s}}};
  const auto run = ended_world{x};
  EXPECT_FALSE(run.w.stopped());
  EXPECT_EQ(lines(run.w.log(), never), lines(whole.w.log(), never));
}

TEST(World, ItsBooksBalanceWheneverItEnds) {
  const auto x = brownout();
  for (const auto at : {0ns, duration{1ns}, duration{29'999'999'999ns}, duration{30s},
                        duration{33'333'333'333ns}, duration{71'234ms}}) {
    SCOPED_TRACE(to_string(at));
    world w{x};
    w.run_until(run_start + at);
    w.finish();
    EXPECT_EQ(audit(w.log()), std::vector<std::string>{});
    EXPECT_EQ(w.log().events().back().at, run_start + at);
  }
}

} // namespace
} // namespace spillover
