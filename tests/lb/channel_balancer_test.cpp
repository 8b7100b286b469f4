#include "tests/lb/try_script.hpp"

#include <string>

namespace spillover::test {
namespace {

using namespace std::chrono_literals;
using enum outcome;

load_balancer_config channels(std::uint32_t addresses = 1) {
  load_balancer_config x;
  x.kind = load_balancer_kind::grpc;
  x.timeout = 30s;
  x.retries = 0;
  x.grpc.connect_timeout = 6s;
  x.grpc.addresses = addresses;
  x.grpc.back_off.jitter = 0;
  return x;
}

// Every try that waited went, left or waits, and nothing else is under way.
void expect_balance(const load_balancer& x) {
  for (const std::uint32_t region : {0U, 1U}) {
    const auto fates = x.fates(region);
    EXPECT_EQ(x.tries(region).queued, fates.connected + fates.left + fates.waiting);
  }
  EXPECT_EQ(x.courses().counted.open(), x.courses().going_on);
}

TEST(ChannelBalancer, RequestsWaitForTheirConnection) {
  try_script world{channels()};
  EXPECT_EQ(world.calls(), "") << "nothing is made before it is wanted";
  world.request(1);
  world.request(2);
  world.until(1s);
  EXPECT_EQ(world.calls(), "A");
  EXPECT_EQ(world.told(), "");
  EXPECT_EQ(world.subject().described(0), "CONNECTING");
  world.connect(0, true);
  EXPECT_EQ(world.told(), "1000 1>A, 1000 2>A") << "in turn, as soon as it is there";
  world.request(3);
  EXPECT_EQ(world.told(), "1000 3>A");
  EXPECT_EQ(world.subject().described(0), "READY");
  EXPECT_EQ(world.subject().tries(0), (try_count{.queued = 2}));
  EXPECT_EQ(world.subject().connections(0).ended[static_cast<std::size_t>(ok)], 1u);
  for (std::size_t which = 0; which < 3; ++which)
    world.respond(which, ok);
  expect_balance(world.subject());
  EXPECT_EQ(world.subject().requests().open(), 0u);
}

TEST(ChannelBalancer, GoesElsewhereWhenThatIsNotMade) {
  struct {
    const char* why = "";
    load_balancer_config config = {};
    bool refused = false;
    const char* told = "";
  } const cases[] = {
    {"refused: at once", channels(), true, "0 1>B"},
    {"silent: after its time", channels(), false, "6000 1>B"},
    {"silent, and more addresses: after the failover timer", channels(5), false, "10000 1>B"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    try_script world{x.config};
    world.request(1);
    world.until(0s);
    if (x.refused)
      world.connect(0, false);
    // What is asked of B is accepted at once.
    for (duration at{}; at <= 12s; at += 500ms) {
      world.until(at);
      if (const auto call = world.calls().find('B'); call != std::string::npos)
        world.connect(call / 2, true);
    }
    EXPECT_EQ(world.told(), x.told);
    EXPECT_EQ(world.subject().fates(0).left, 1u);
    expect_balance(world.subject());
  }
}

TEST(ChannelBalancer, FailsWhenNothingCanBeReached) {
  for (const auto waits : {false, true}) {
    SCOPED_TRACE(waits);
    auto config = channels();
    config.grpc.wait_for_ready = waits;
    config.timeout = 2s;
    try_script world{config};
    world.request(1);
    world.until(0s);
    world.connect(0, false);
    world.until(0s);
    world.connect(1, false);
    EXPECT_EQ(world.told(), waits ? "" : "0 1=unavailable");
    EXPECT_EQ(world.subject().route().regions.empty(), !waits);
    world.request(2);
    EXPECT_EQ(world.told(), waits ? "" : "0 2=unavailable");
    world.until(2s);
    EXPECT_EQ(world.told(), waits ? "2000 1=lb_timeout, 2000 2=lb_timeout" : "");
    EXPECT_EQ(world.subject().refused().taken, waits ? 0u : 2u);
    expect_balance(world.subject());
  }
}

TEST(ChannelBalancer, WaitingCountsForTheRequestsTime) {
  auto config = channels(9);
  config.timeout = 8s;
  try_script world{config};
  world.request(1);
  world.until(20s);
  EXPECT_EQ(world.told(), "8000 1=lb_timeout");
  EXPECT_EQ(world.subject().fates(0).left, 1u);
  expect_balance(world.subject());
}

TEST(ChannelBalancer, WhatIsHealthyAgainOrReadyTakesOver) {
  try_script world{channels()};
  world.apply(0, health::unhealthy);
  world.request(1);
  world.until(0s);
  EXPECT_EQ(world.calls(), "B") << "an UNHEALTHY region is no priority";
  EXPECT_EQ(world.subject().described(0), "UNHEALTHY");
  world.connect(0, true);
  EXPECT_EQ(world.told(), "0 1>B");
  world.apply(0, health::healthy);
  world.until(0s);
  EXPECT_EQ(world.calls(), "B A");
  world.request(2);
  EXPECT_EQ(world.told(), "") << "it is given time to connect";
  world.connect(1, true);
  EXPECT_EQ(world.told(), "0 2>A");
  world.apply(0, health::unhealthy);
  world.until(1s);
  world.request(3);
  EXPECT_EQ(world.told(), "1000 3>B") << "whose connection is there still";
}

TEST(ChannelBalancer, LosesWhatIsOnAConnectionThatDoesNotAnswer) {
  auto config = channels();
  config.grpc.keepalive = {.interval = 5s, .timeout = 2s};
  try_script world{config};
  world.request(1);
  world.until(0s);
  world.connect(0, true);
  world.until(5s);
  EXPECT_EQ(world.calls(), "A a");
  EXPECT_EQ(world.told(), "0 1>A");
  world.until(7s);
  EXPECT_EQ(world.told(), "7000 1=bad_gateway");
  EXPECT_EQ(world.subject().described(0), "IDLE");
  EXPECT_EQ(world.subject().tries(0).cut, 1u);
  expect_balance(world.subject());
}

TEST(ChannelBalancer, WhatEndsAtItsOtherEndIsMadeAgain) {
  for (const auto in_order : {false, true}) {
    SCOPED_TRACE(in_order);
    try_script world{channels()};
    world.request(1);
    world.until(0s);
    world.connect(0, true);
    EXPECT_EQ(world.told(), "0 1>A");
    world.lose(0, in_order);
    EXPECT_EQ(world.told(), "") << "what is under way goes on";
    world.request(2);
    world.until(0s);
    EXPECT_EQ(world.calls(), "A A");
    world.connect(1, true);
    EXPECT_EQ(world.told(), "0 2>A");
  }
}

TEST(ChannelBalancer, EachProxyHasItsOwnConnection) {
  auto config = channels();
  config.proxies = 2;
  try_script world{config};
  for (std::uint64_t i = 1; i <= 8; ++i)
    world.request(i);
  world.until(0s);
  EXPECT_EQ(world.calls(), "A A");
  world.connect(0, true);
  const auto first = world.sent();
  EXPECT_GT(first, 0u);
  EXPECT_LT(first, 8u);
  world.connect(1, true);
  EXPECT_EQ(world.sent(), 8u);
}

TEST(ChannelBalancer, TakesNoAnswerFromNowhere) {
  try_script world{channels()};
  world.request(1);
  world.until(0s);
  load_balancer_config plain;
  for (const auto& config : {channels(), plain}) {
    load_balancer subject{config, 2, random_stream{1, "clients/lb"}};
    EXPECT_FALSE(subject.on_connection(run_start, 0xffffffff, 1, true, 1, world));
    EXPECT_FALSE(subject.on_connection(run_start, 0, 1, true, 1, world));
    subject.on_connection_lost(run_start, 0, 1, false, world);
  }
}

} // namespace
} // namespace spillover::test
