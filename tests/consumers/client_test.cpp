#include "tests/consumers/client_world.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::always;
using test::client_world;

open_loop_config even(double rps) {
  return {.rate = {{.rps = rps}}, .waves = {}, .arrivals = arrival_process::uniform};
}

// One request, at 1 s.
open_loop_config single() {
  return {.rate = {{.rps = 1}, {.at = run_start + 1500ms, .rps = 0}},
          .waves = {},
          .arrivals = arrival_process::uniform};
}

std::vector<duration> times(const client_world& world) {
  std::vector<duration> result;
  for (const auto& x : world.sent)
    result.push_back(x.at - run_start);
  return result;
}

TEST(Clients, AnOpenLoopComesWhateverTheAnswers) {
  for (const auto delay : {0ms, 700ms, 100'000'000ms}) {
    client_world world{{even(4)}, {}, always(outcome::ok, delay)};
    world.run(1s);
    EXPECT_EQ(times(world), (std::vector<duration>{250ms, 500ms, 750ms, 1s}));
  }
}

TEST(Clients, ATraceComesWhateverTheAnswers) {
  trace_config trace;
  trace.traffic = std::make_shared<const recorded_traffic>(
    recorded_traffic::of_arrivals({0, 250'000'000, 300'000'000, 2'000'000'000}));
  trace.at = run_start + 1s;
  for (const auto delay : {0ms, 700ms, 100'000'000ms}) {
    client_world world{{even(1), trace}, {}, always(outcome::ok, delay)};
    world.run(2500ms);
    EXPECT_EQ(times(world), (std::vector<duration>{1s, 1s, 1250ms, 1300ms, 2s}));
  }
}

TEST(Clients, LatencyCountsFromTheIntendedStart) {
  client_world world{{single()}, {}, always(outcome::ok, 30ms)};
  // The timer comes 200 ms late.
  world.subject.start(world);
  world.now = run_start + 1200ms;
  world.subject.on_timer(world.now, 0, 0, world);
  ASSERT_EQ(world.sent.size(), 1u);
  EXPECT_EQ(world.sent[0].intended, run_start + 1s);
  world.subject.on_response(world.now + 30ms, world.sent[0].key, world.sent[0].request, 0,
                            outcome::ok, world);
  const auto seen = world.subject.take_second();
  EXPECT_EQ(seen.latency.count(), 1u);
  EXPECT_EQ(seen.latency.quantile(1),
            latency_histogram::upper_bound(latency_histogram::bucket_of(230ms)));
}

TEST(Clients, TellHowEachRequestEnded) {
  client_config config;
  config.timeout = 1s;
  config.retries = 2;
  config.backoff_jitter = 0;
  // Answered, failed without a further try, failed with one, never answered.
  const auto script = [](client_world& world, const client_world::try_sent& x) {
    if (x.request == 1)
      world.respond(x, 30ms, outcome::ok);
    else if (x.request == 2)
      world.respond(x, 40ms, outcome::internal_error);
    else if (x.request == 3)
      world.respond(x, 50ms, x.attempt == 0 ? outcome::unavailable : outcome::ok);
  };
  client_world world{{open_loop_config{.rate = {{.rps = 4}, {.at = run_start + 1100ms, .rps = 0}},
                                       .waves = {},
                                       .arrivals = arrival_process::uniform}},
                     config,
                     script};
  world.run(10s);
  EXPECT_EQ(world.ends,
            (std::vector<std::string>{"1 ok 30ms in 1", "2 internal_error 40ms in 1",
                                      "3 ok 200ms in 2", "4 client_timeout 3300ms in 3"}));
  EXPECT_EQ(world.retries,
            (std::vector<std::string>{"3 unavailable 100ms", "4 client_timeout 100ms",
                                      "4 client_timeout 200ms"}));
}

TEST(Clients, ALateTimerShiftsNoLaterArrival) {
  client_world world{{even(10)}, {}, always(outcome::ok, 1ms)};
  world.subject.start(world);
  for (int i = 1; i <= 5; ++i)
    world.subject.on_timer(run_start + i * 150ms, 0, 0, world);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(world.sent[static_cast<std::size_t>(i)].intended, run_start + (i + 1) * 100ms);
}

TEST(Clients, AClosedLoopWaitsForTheAnswerAndThinks) {
  client_world world{
    {closed_loop_config{1, constant_distribution{100ms}}}, {}, always(outcome::ok, 30ms)};
  world.run(400ms);
  EXPECT_EQ(times(world), (std::vector<duration>{100ms, 230ms, 360ms}));
}

TEST(Clients, WithoutThinkingAClosedLoopBeginsAtOnce) {
  client_world world{{closed_loop_config{}}, {}, always(outcome::ok, 30ms)};
  world.run(60ms);
  EXPECT_EQ(times(world), (std::vector<duration>{0ms, 30ms, 60ms}));
}

TEST(Clients, AClosedLoopAsksBetweenItsBeginAndItsEnd) {
  closed_loop_config loop{1, constant_distribution{100ms}};
  loop.from = run_start + 1s;
  loop.to = run_start + 1360ms;
  client_world world{{loop}, {}, always(outcome::ok, 30ms)};
  world.run(10s);
  EXPECT_EQ(times(world), (std::vector<duration>{1100ms, 1230ms})) << "at its end it asks no more";
  EXPECT_EQ(world.subject.requests().open(), 0u) << "but waits for its last answer";
}

TEST(Clients, AClosedLoopBeginsOneClientAfterTheOther) {
  closed_loop_config loop{4};
  loop.from = run_start + 1s;
  loop.ramp_up = 400ms;
  client_world world{{loop}, {}, always(outcome::ok, 1min)};
  world.run(10s);
  EXPECT_EQ(times(world), (std::vector<duration>{1000ms, 1100ms, 1200ms, 1300ms}));
}

TEST(Clients, AClosedLoopNeverHasMoreInFlightThanClients) {
  random_stream random{1, "delays"};
  client_world world{{closed_loop_config{20, exponential_distribution{50ms}}},
                     {.timeout = 1s, .retries = 2, .backoff_base = 10ms},
                     [&random](client_world& x, const client_world::try_sent& y) {
                       const auto how = random.below(10) == 0 ? outcome::unavailable : outcome::ok;
                       if (random.below(50) != 0)
                         x.respond(y, from_seconds(0.2 * random.unit()), how);
                     }};
  std::uint64_t most = 0;
  world.each = [&] {
    most = std::max(most, world.subject.requests().open());
    ASSERT_LE(world.subject.requests().open(), 20u);
  };
  world.run(300s);
  EXPECT_EQ(most, 20u);
  EXPECT_GT(world.ended(outcome::ok), 20'000u);
  EXPECT_GT(world.ended(outcome::client_timeout) + world.ended(outcome::unavailable), 0u);
}

TEST(Clients, EachClientOfAClosedLoopThinksForItself) {
  const auto first_of = [](std::uint32_t clients) {
    client_world world{{closed_loop_config{clients, exponential_distribution{1s}}},
                       {},
                       [](client_world&, const client_world::try_sent&) {}};
    world.run(1h);
    return times(world);
  };
  const auto five = first_of(5);
  ASSERT_EQ(five.size(), 5u);
  EXPECT_EQ(std::set<duration>(five.begin(), five.end()).size(), 5u);
  // More clients do not change when the others begin.
  const auto six = first_of(6);
  const std::set<duration> all(six.begin(), six.end());
  for (const auto x : five)
    EXPECT_TRUE(all.contains(x));
}

TEST(Clients, LoadsAddUp) {
  client_world world{{even(100), closed_loop_config{3, constant_distribution{1s}}, even(10)},
                     {},
                     always(outcome::ok, 1ms)};
  world.run(10s);
  // Each client begins at 1 s, 2.001 s, 3.002 s and so on.
  EXPECT_EQ(world.subject.requests().taken, 1000u + 3 * 9 + 100);
}

TEST(Clients, GiveUpWhenATryTakesTooLong) {
  client_world world{{single()}, {.timeout = 500ms, .retry_on = {}}, always(outcome::ok, 600ms)};
  world.run(1500ms - 1ns);
  EXPECT_EQ(world.subject.requests().open(), 1u);
  world.run(1500ms);
  EXPECT_EQ(world.ended(outcome::client_timeout), 1u);
  EXPECT_EQ(world.subject.requests().late, 0u);
  world.run(10s);
  EXPECT_EQ(world.subject.requests().late, 1u);
  EXPECT_EQ(world.ended(outcome::ok), 0u);
}

TEST(Clients, TryAgainAfterDoublingWaits) {
  client_world world{{single()},
                     {.retries = 5,
                      .backoff_base = 100ms,
                      .backoff_max = 500ms,
                      .backoff_jitter = 0,
                      .retry_on = {outcome::unavailable}},
                     always(outcome::unavailable, 10ms)};
  world.run(1h);
  EXPECT_EQ(times(world), (std::vector<duration>{1000ms, 1110ms, 1320ms, 1730ms, 2240ms, 2750ms}));
  EXPECT_EQ(world.ended(outcome::unavailable), 1u);
  EXPECT_EQ(world.subject.requests().taken, 1u);
  for (std::size_t i = 0; i < world.sent.size(); ++i) {
    EXPECT_EQ(world.sent[i].attempt, i);
    EXPECT_EQ(world.sent[i].request, world.sent[0].request);
    EXPECT_EQ(world.sent[i].intended, run_start + 1s);
  }
  const auto seen = world.subject.take_second();
  EXPECT_EQ(seen.started, 1u);
  EXPECT_EQ(seen.retried, 5u);
}

TEST(Clients, JitterShortensWaitsByAUniformFactor) {
  client_world world{{even(1000)},
                     {.retries = 1,
                      .backoff_base = 100ms,
                      .backoff_jitter = 0.5,
                      .retry_on = {outcome::unavailable}},
                     always(outcome::unavailable, 0ms)};
  world.run(20s);
  double sum = 0;
  double n = 0;
  for (const auto& x : world.sent) {
    if (x.attempt == 0)
      continue;
    const auto wait = x.at - x.intended;
    ASSERT_GE(wait, 50ms);
    ASSERT_LE(wait, 100ms);
    sum += seconds_of(wait);
    ++n;
  }
  EXPECT_GT(n, 19'000);
  EXPECT_NEAR(sum / n, 0.075, 0.0005);
}

TEST(Clients, BackOffSettingsDoNotOverflow) {
  client_world world{{single()},
                     {.retries = 25,
                      .backoff_base = 1h,
                      .backoff_max = 24h * 365 * 5,
                      .backoff_jitter = 0,
                      .retry_on = {outcome::unavailable}},
                     always(outcome::unavailable, 0ms)};
  world.run(24h * 365 * 100);
  ASSERT_EQ(world.sent.size(), 26u);
  EXPECT_EQ(world.sent[25].at - world.sent[24].at, 24h * 365 * 5);
}

TEST(Clients, AnAnswerToAnEarlierTryIsLate) {
  client_world world{{single()},
                     {.timeout = 100ms, .retries = 1, .backoff_base = 50ms, .backoff_jitter = 0},
                     [](client_world& x, const client_world::try_sent& y) {
                       // To the first try while waiting, and again while the second is under way.
                       if (y.attempt == 0) {
                         x.respond(y, 120ms, outcome::ok);
                         x.respond(y, 170ms, outcome::ok);
                       } else {
                         x.respond(y, 60ms, outcome::internal_error);
                       }
                     }};
  world.run(10s);
  EXPECT_EQ(world.subject.requests().late, 2u);
  EXPECT_EQ(world.ended(outcome::internal_error), 1u);
  EXPECT_EQ(world.ended(outcome::ok), 0u);
}

TEST(Clients, AccountsAreOfTheTimeSinceTheLast) {
  client_world world{{even(10)}, {}, always(outcome::ok, 20ms)};
  world.run(1050ms);
  auto seen = world.subject.take_second();
  EXPECT_EQ(seen.started, 10u);
  EXPECT_EQ(seen.ended[0], 10u);
  EXPECT_EQ(seen.latency.count(), 10u);
  world.run(1350ms);
  seen = world.subject.take_second();
  EXPECT_EQ(seen.started, 3u);
  EXPECT_EQ(seen.latency.count(), 3u);
  EXPECT_EQ(world.subject.take_second().latency.count(), 0u);
}

TEST(Clients, SetFewTimersForDeadlinesWhenAnswersCome) {
  client_world world{{even(1000)}, {.timeout = 30s}, always(outcome::ok, 20ms)};
  int fired = 0;
  const auto timeout = std::uint8_t{2};
  auto set = 0;
  world.each = [&] {
    ASSERT_LE(world.wakes[timeout], 1);
    fired += set == 1 && world.wakes[timeout] == 0;
    set = world.wakes[timeout];
  };
  world.run(120s);
  EXPECT_LE(fired, 5);
  EXPECT_EQ(world.ended(outcome::client_timeout), 0u);
}

} // namespace
