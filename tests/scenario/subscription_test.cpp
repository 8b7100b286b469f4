#include "tests/scenario/bad_files.hpp"

#include <span>

namespace spillover::test {

namespace {

using namespace std::chrono_literals;

/// The sample with a push subscription in place of its open loop, in line 30; its settings begin in
/// column 29.
std::string subscribing(const std::string& settings) {
  return edited("open_loop: {rate: [{at: 0s, rps: 100}, {at: 5m, rps: 200}]}",
                "push_subscription: {" + settings + "}");
}

std::string expecting(const std::string& x) {
  return subscribing("rate: 5") + "  - backlog: {" + x + "}\n";
}

struct bad_text {
  const char* why = "";
  std::string text = {};
  const char* expected = "";
};

void expect_each(std::span<const bad_text> cases) {
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    keep_for_fuzzing(x.text);
    EXPECT_EQ(joined(problems_of(parse_scenario(x.text, "s"))), x.expected);
  }
}

TEST(ReadSubscription, DefaultsAreTheProducts) {
  const auto traffic = valid(subscribing("rate: 5")).consumers[0].traffic;
  push_subscription_config expected;
  expected.publish.rate = {{run_start, 5, false}};
  EXPECT_EQ(traffic.front(), load_config{expected});
  EXPECT_EQ(expected.ack_deadline, 10s);
  EXPECT_EQ(expected.retention, 168h);
  EXPECT_EQ(std::get<push_subscription_config>(
              valid(subscribing("rate: 5, retry: {}")).consumers[0].traffic.front())
              .retry,
            (push_retry{10s, 600s}));
}

TEST(ReadSubscription, EveryKeyHasItsPlace) {
  const auto traffic =
    valid(subscribing(
            "rate: [{at: 0s, rps: 5}, {at: 1m, rps: 6, ramp: true}], arrivals: uniform, "
            "waves: [{amplitude: 2, period: 1m, phase: 5s}], ack_deadline: 20s, "
            "retry: {min_backoff: 1s, max_backoff: 2s}, retention: 1h, max_delivery_attempts: 7, "
            "window: {initial: 3, minimum: 2, linear_from: 20, maximum: 30, growth: 4, shrink: 5, "
            "slow: 2s, acknowledged: 90%, judged_over: 3s}, push_backoff: {min: 1s, max: 9s}"))
      .consumers[0]
      .traffic;
  const push_subscription_config expected{
    .publish = {.rate = {{run_start, 5, false}, {run_start + 1min, 6, true}},
                .waves = {{2, 1min, 5s}},
                .arrivals = arrival_process::uniform},
    .ack_deadline = 20s,
    .retry = push_retry{1s, 2s},
    .retention = 1h,
    .max_delivery_attempts = 7,
    .window = {3, 2, 20, 30, 4, 5, 2s, 0.9, 3s, 1s, 9s}};
  EXPECT_EQ(traffic.front(), load_config{expected});
}

TEST(ReadSubscription, SaysWhatIsWrong) {
  const bad_text cases[] = {
    {"no rate", subscribing("ack_deadline: 10s"),
     "s:30:28: push_subscription: the key rate is missing"},
    {"a deadline that Pub/Sub has not", subscribing("rate: 5, ack_deadline: 9s"),
     "s:30:52: ack_deadline: must be at least 10s; got 9s"},
    {"too short a retention", subscribing("rate: 5, retention: 9m"),
     "s:30:49: retention: must be at least 10m; got 9m"},
    {"too few attempts", subscribing("rate: 5, max_delivery_attempts: 4"),
     "s:30:61: max_delivery_attempts: must be between 5 and 100; got 4"},
    {"max below min", subscribing("rate: 5, retry: {min_backoff: 20s, max_backoff: 10s}"),
     "s:30:77: max_backoff: must be at least min_backoff (20s); got 10s"},
    {"max below the default of min", subscribing("rate: 5, retry: {max_backoff: 5s}"),
     "s:30:59: max_backoff: must be at least min_backoff (10s); got 5s"},
    {"a longest pause below the first", subscribing("rate: 5, push_backoff: {max: 50ms}"),
     "s:30:58: max: must be at least min (100ms), or 0s; got 50ms"},
    {"a window upside down", subscribing("rate: 5, window: {minimum: 9, maximum: 8}"),
     "s:30:68: maximum: must be at least minimum (9); got 8"},
    {"it begins outside", subscribing("rate: 5, window: {initial: 9, maximum: 8}"),
     "s:30:56: initial: must be from minimum (1) to maximum (8); got 9"},
    {"its linear part is below it",
     subscribing("rate: 5, window: {initial: 9, minimum: 9, linear_from: 8}"),
     "s:30:84: linear_from: must be at least minimum (9); got 8"},
    {"a step out of order", subscribing("rate: [{at: 1s, rps: 5}]"),
     "s:30:41: at: the first step must be at 0s; got 1s"},
    {"what only the domain knows", subscribing("rate: 0.0000001"),
     "s:30:35: rate[0].rps: must be 0, or from 0.000001 to 10000000"},
    {"an unknown key", subscribing("rate: 5, topic: x"),
     "s:30:38: unknown key \"topic\"; allowed: ack_deadline, arrivals, max_delivery_attempts, "
     "push_backoff, rate, retention, retry, waves, window"},
  };
  expect_each(cases);
}

TEST(ReadExpectations, BacklogAsItIsWritten) {
  const struct {
    const char* text = "";
    expect_backlog expected = {};
  } cases[] = {
    {"consumer: shop, at_most: 10", {"shop", std::nullopt, std::nullopt, 10}},
    {"consumer: shop, at: 3m, at_most: 0", {"shop", run_start + 3min, run_start + 3min, 0}},
    {"consumer: shop, from: 2m, to: 3m, at_most: 1",
     {"shop", run_start + 2min, run_start + 3min, 1}},
    {"consumer: shop, from: 2m, at_most: 1", {"shop", run_start + 2min, std::nullopt, 1}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.text);
    EXPECT_EQ(valid(expecting(x.text)).expectations.back(), expectation{x.expected});
  }
}

TEST(ReadExpectations, SayWhatIsWrongWithABacklog) {
  const bad_text cases[] = {
    {"nobody's", expecting("at_most: 1"), "s:41:14: backlog: the key consumer is missing"},
    {"an unknown consumer", expecting("consumer: shp, at_most: 1"),
     "s:41:25: consumer: unknown consumer \"shp\"; did you mean \"shop\"? known: shop"},
    {"without a subscription", std::string{sample} + "  - backlog: {consumer: shop, at_most: 1}\n",
     "s:41:25: consumer: shop has no push_subscription, hence no backlog"},
    {"an instant in the warm-up", expecting("consumer: shop, at: 1m, at_most: 1"),
     "s:41:35: at: must be after the warm-up (1m); got 1m"},
    {"an instant and half a window", expecting("consumer: shop, at: 2m, to: 3m, at_most: 1"),
     "s:41:43: to: stands beside at; use one or the other"},
    {"a window that ends before it begins",
     expecting("consumer: shop, from: 3m, to: 2m, at_most: 1"),
     "s:41:45: to: must be after from (3m); got 2m"},
  };
  expect_each(cases);
}

} // namespace

} // namespace spillover::test
