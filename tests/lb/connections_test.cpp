#include "tests/lb/try_script.hpp"

#include <string>

namespace spillover::test {
namespace {

using namespace std::chrono_literals;
using enum outcome;

load_balancer_config http1(std::uint32_t connections, std::uint32_t pending) {
  load_balancer_config x;
  x.timeout = 10s;
  x.circuit_breakers = {.protocol = upstream_protocol::http1,
                        .max_connections = connections,
                        .max_pending_requests = pending};
  return x;
}

TEST(Connections, AreWaitedForInTurn) {
  try_script world{http1(2, 2)};
  for (std::uint64_t i = 1; i <= 5; ++i)
    world.request(i);
  EXPECT_EQ(world.told(), "0 1>A, 0 2>A, 0 5=unavailable") << "two have one, two wait";
  EXPECT_EQ(world.subject().tries(0), (try_count{.queued = 2, .overflow = 1}));
  EXPECT_EQ(world.subject().refused().taken, 1u);
  world.until(1s);
  world.respond(1, ok);
  world.respond(0, ok);
  EXPECT_EQ(world.told(), "1000 2=ok, 1000 3>A, 1000 1=ok, 1000 4>A");
  world.until(2s);
  world.request(6);
  world.respond(2, ok);
  EXPECT_EQ(world.told(), "2000 3=ok, 2000 6>A");
}

TEST(Connections, ComeFreeHoweverATryEnds) {
  auto limited = http1(1, 9);
  limited.per_try_timeout = 1s;
  limited.retries = 0;
  auto brief = http1(1, 9);
  brief.timeout = 1s;
  auto tried_again = http1(1, 9);
  struct {
    const char* why = "";
    load_balancer_config config = {};
    bool answered = false;
    const char* told = "";
  } const cases[] = {
    {"its own time is over", limited, false, "0 1>A, 1000 1=lb_timeout, 1000 2>A"},
    {"its request's time is over, and that of who waits too", brief, false,
     "0 1>A, 1000 1=lb_timeout, 1000 2=lb_timeout"},
    {"it failed and is tried elsewhere", tried_again, true, "0 1>A, 1000 1>B, 1000 2>A"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    try_script world{x.config};
    world.request(1);
    world.request(2);
    world.until(1s);
    if (x.answered)
      world.respond(0, bad_gateway);
    EXPECT_EQ(world.told(), x.told);
  }
}

TEST(Connections, WhoWaitsKeepsItsTime) {
  auto config = http1(1, 9);
  config.retries = 0;
  try_script world{config};
  world.request(1);
  world.until(1s);
  world.request(2);
  world.until(9s);
  world.respond(0, ok);
  world.request(3);
  world.until(11s);
  EXPECT_EQ(world.told(), "0 1>A, 9000 1=ok, 9000 2>A, 11000 2=lb_timeout, 11000 3>A");
  EXPECT_EQ(world.subject().attempts(0).taken, 3u);
}

TEST(Connections, WhoWaitsGoesElsewhereWhenTheRegionIsLeft) {
  try_script world{http1(1, 9)};
  world.request(1);
  world.request(2);
  world.request(3);
  world.apply(0, health::unhealthy);
  world.until(1s);
  world.respond(0, ok);
  EXPECT_EQ(world.told(), "0 1>A, 1000 1=ok, 1000 2>B");
  world.respond(1, ok);
  EXPECT_EQ(world.told(), "1000 2=ok, 1000 3>B");
}

TEST(Connections, RetriesWaitBehindOthers) {
  auto config = http1(1, 9);
  config.circuit_breakers->retry_budget = {.percent = 50, .min_retry_concurrency = 0};
  try_script world{config, 1};
  for (std::uint64_t i = 1; i <= 3; ++i)
    world.request(i);
  world.respond(0, unavailable);
  EXPECT_EQ(world.told(), "0 1>A, 0 2>A") << "one of two who wait may be a retry";
  world.respond(1, unavailable);
  EXPECT_EQ(world.told(), "0 2=unavailable, 0 3>A") << "and there is one";
  world.respond(2, ok);
  EXPECT_EQ(world.told(), "0 3=ok, 0 1>A");
}

TEST(Connections, OneMayCarryAllWithHttp2) {
  load_balancer_config config;
  config.circuit_breakers.emplace();
  config.per_try_timeout = 1s;
  try_script world{config};
  for (std::uint64_t i = 0; i < 1'024; ++i)
    world.request(i);
  EXPECT_EQ(world.sent(), 1'024u);
  EXPECT_EQ(world.subject().tries(0), try_count{});
}

load_balancer_config draining(duration timeout) {
  load_balancer_config x;
  x.timeout = 10s;
  x.connection_draining_timeout = timeout;
  return x;
}

TEST(Draining, CutsOffWhatTakesLonger) {
  auto not_again = draining(2s);
  not_again.retry_on = {unavailable};
  auto no_end = draining(2s);
  no_end.connection_draining_timeout.reset();
  struct {
    const char* why = "";
    load_balancer_config config = {};
    duration back = 1h; // when A may be used again
    const char* told = "";
  } const cases[] = {
    {"it counts as 502, which is tried again", draining(2s), 1h,
     "0 1>A, 3000 1>B, 10000 1=lb_timeout"},
    {"or ends the request", not_again, 1h, "0 1>A, 3000 1=bad_gateway"},
    {"at once", draining(0s), 1h, "0 1>A, 1000 1>B, 10000 1=lb_timeout"},
    {"not when the region is back in time", draining(2s), 2999ms, "0 1>A, 10000 1=lb_timeout"},
    {"B-32: without a timeout they finish there", no_end, 1h, "0 1>A, 10000 1=lb_timeout"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    try_script world{x.config};
    world.request(1);
    world.until(1s);
    world.apply(0, health::unhealthy);
    if (x.back < 10s) {
      world.until(x.back);
      world.apply(0, health::healthy);
    }
    world.until(1min);
    EXPECT_EQ(world.told(), x.told);
    EXPECT_EQ(world.subject().attempts(0).open(), 0u);
  }
}

TEST(Draining, IsNoMatterOfFailingOpenOrFailback) {
  try_script world{draining(1s)};
  world.apply(0, health::unhealthy);
  world.request(1);
  world.until(1s);
  world.apply(0, health::healthy);
  world.until(5s);
  EXPECT_EQ(world.told(), "0 1>B") << "B is not used any more, but may be";
  world.apply(0, health::unhealthy);
  world.apply(1, health::unhealthy);
  world.until(9s);
  EXPECT_EQ(world.told(), "") << "everybody is used";
  EXPECT_EQ(world.subject().tries(1).cut, 0u);
}

} // namespace
} // namespace spillover::test
