#include "producers/session_affinity.hpp"

#include "tests/producers/revision_world.hpp"

#include <gtest/gtest.h>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::lines;

record request_of(entity_id consumer, std::uint64_t number) {
  record x;
  x.what = op::request;
  x.reply_to = consumer;
  x.request = number;
  return x;
}

TEST(SessionTable, A_50_KeepsACookieForEachSessionOfEachConsumer) {
  session_table x{{.sessions = 10, .ttl = 30s}};
  EXPECT_EQ(x.find(run_start, request_of(1, 3)), std::nullopt);
  x.remember(run_start, request_of(1, 3), 7);
  EXPECT_EQ(x.find(run_start + 1s, request_of(1, 13)), 7u);
  EXPECT_EQ(x.find(run_start + 1s, request_of(1, 14)), std::nullopt);
  EXPECT_EQ(x.find(run_start + 1s, request_of(2, 3)), std::nullopt);
  // A cookie counts its age from when it was set, not from its last use.
  x.remember(run_start + 20s, request_of(1, 23), 7);
  EXPECT_EQ(x.find(run_start + 30s - 1ns, request_of(1, 3)), 7u);
  EXPECT_EQ(x.find(run_start + 30s, request_of(1, 3)), std::nullopt);
  x.remember(run_start + 31s, request_of(1, 3), 7);
  x.remember(run_start + 32s, request_of(1, 3), 8);
  EXPECT_EQ(x.find(run_start + 33s, request_of(1, 3)), 8u);
}

class RoutingOptions : public test::revision_test {
protected:
  /// Two instances that take two requests each; sessions are even and odd numbers.
  static revision_config with_sessions() {
    auto x = scaling(2, 2, 2);
    x.routing.affinity = session_affinity_config{.sessions = 2};
    return x;
  }
};

TEST_F(RoutingOptions, A_50_ASessionStaysAtItsInstance) {
  make(with_sessions(), 2);
  EXPECT_EQ(request(2), lines{"dispatch 0 #2"});
  EXPECT_EQ(request(3), lines{"dispatch 1 #3"});
  respond(3);
  // Instance 1 has nothing to do, and yet.
  EXPECT_EQ(request(4), lines{"dispatch 0 #4"});
  // At its limit the session moves, and stays there.
  EXPECT_EQ(request(6), lines{"dispatch 1 #6"});
  respond(2);
  respond(4);
  EXPECT_EQ(request(8), lines{"dispatch 1 #8"});
}

TEST_F(RoutingOptions, A_50_AnInstanceThatEndedOrIsBusyLosesItsSessions) {
  make(with_sessions(), 2);
  request(2);
  respond(2);
  down(0);
  EXPECT_EQ(request(4), lines{"dispatch 1 #4"});
  respond(4);
  // At nine tenths of its CPU in the last second.
  restart(0);
  ready(0);
  subject_->on_usage(1, 950ms);
  pass(1s);
  EXPECT_EQ(request(6), lines{"dispatch 0 #6"});
}

TEST_F(RoutingOptions, A_38_RefusesAtOnceWhenAllAreBusy) {
  auto config = scaling(1, 1, 1);
  config.routing.early_reject = true;
  make(config, 1);
  request(1);
  // The CPU is idle: it waits, as it would without the option.
  EXPECT_EQ(request(2), lines{"queue 1"});
  subject_->on_usage(0, 899ms);
  pass(1s);
  EXPECT_EQ(request(3), lines{});
  subject_->on_usage(0, 900ms);
  pass(1s);
  EXPECT_EQ(request(4), lines{"answer #4 too_many_requests"});
}

TEST_F(RoutingOptions, A_38_WhileItsInstancesStartItWaits) {
  auto config = scaling(0, 1, 1);
  config.routing.early_reject = true;
  make(config, 0);
  request(1);
  pass(1s);
  EXPECT_EQ(request(2), lines{});
}

TEST_F(RoutingOptions, A_38_BelowTheMaximumItWaits) {
  auto config = scaling(1, 2, 1);
  config.routing.early_reject = true;
  make(config, 1);
  request(1);
  subject_->on_usage(0, 1s);
  pass(1s);
  const auto effects = request(2);
  EXPECT_EQ(std::count(effects.begin(), effects.end(), "answer #2 too_many_requests"), 0);
}

TEST_F(RoutingOptions, A_49_SpreadsOverInstancesThatAreNotNeeded) {
  for (const auto spread : {false, true}) {
    SCOPED_TRACE(spread);
    auto config = scaling(1, 9, 9);
    config.routing.spread_over_minimum = spread;
    make(config, 2);
    // The evaluation wants the minimum of one: the second is deprioritised, but goes on serving.
    pass(5s);
    EXPECT_EQ(subject_->count().deprioritised, 1u);
    EXPECT_EQ(request(1), lines{"dispatch 0 #1"});
    EXPECT_EQ(request(2), lines{spread ? "dispatch 1 #2" : "dispatch 0 #2"});
  }
}

TEST(RoutingConfig, IsChecked) {
  using problems = std::vector<std::string>;
  EXPECT_EQ(validate(routing_config{}), problems{});
  routing_config x;
  x.affinity = session_affinity_config{.sessions = 0};
  EXPECT_EQ(validate(x), problems{"session_affinity.sessions: must be within 1..1000000"});
  x.affinity = session_affinity_config{.ttl = 0s};
  EXPECT_EQ(validate(x), problems{"session_affinity.ttl: must be above 0s"});
}

} // namespace
} // namespace spillover
