#include "tests/consumers/push_world.hpp"

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::evenly;
using test::push_world;
using problems = std::vector<std::string>;

/// One message, at 1 s; no pauses, so that nothing but the retry policy says when it comes again.
push_subscription_config single() {
  push_subscription_config x{.publish = evenly(1, 1500ms)};
  x.window.longest_pause = {};
  return x;
}

push_world::script always(outcome how, duration delay) {
  return [=](push_world& world, const push_world::push_sent& x) { world.respond(x, delay, how); };
}

TEST(PushSubscription, AnAnswerAcknowledgesAMessage) {
  push_world world{single(), always(outcome::ok, 30ms)};
  world.run(1029ms);
  EXPECT_EQ(world.subject.outstanding(), 1u);
  EXPECT_EQ(world.subject.oldest_age(world.now), 29ms);
  world.run(1h);
  EXPECT_EQ(world.ends, problems{"1 ok 30ms"});
  EXPECT_EQ(world.subject.counts(), (push_counts{.published = 1, .pushes = 1, .acked = 1}));
  EXPECT_EQ(world.subject.oldest_age(world.now), 0s);
}

TEST(PushSubscription, AnythingElseBringsItAgain) {
  const struct {
    const char* why = "";
    std::optional<push_retry> retry = {};
    duration delay = {};
    std::vector<duration> expected = {};
  } cases[] = {
    {"at once without a retry policy", std::nullopt, 10ms, {1000ms, 1010ms, 1020ms, 1030ms}},
    {"after doubling waits with one", push_retry{10s, 600s}, 0s, {1s, 11s, 31s, 71s, 151s}},
    {"which have a limit", push_retry{10s, 15s}, 1s, {1s, 12s, 28s, 44s}},
    {"and may be none", push_retry{0s, 0s}, 1s, {1s, 2s, 3s}},
    {"a deadline is a failure", push_retry{10s, 600s}, 1h, {1s, 21s, 51s}},
    {"time passes even where nothing takes any", std::nullopt, 0s, {1000ms, 1001ms, 1002ms}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto config = single();
    config.retry = x.retry;
    push_world world{config, always(outcome::unavailable, x.delay)};
    world.run(x.expected.back());
    EXPECT_EQ(world.times(), x.expected);
    EXPECT_EQ(world.subject.counts().redelivered, x.expected.size() - 1);
    world.expect_balance();
  }
}

TEST(PushSubscription, OnlyOkAcknowledges) {
  for (std::size_t i = 0; i < outcome_count; ++i) {
    const auto how = static_cast<outcome>(i);
    SCOPED_TRACE(to_string(how));
    push_world world{single(), always(how, 10ms)};
    world.run(1010ms);
    EXPECT_EQ(world.subject.counts().acked, how == outcome::ok ? 1u : 0u);
  }
}

TEST(PushSubscription, ALateSuccessIsADuplicate) {
  // The first push is answered well after its deadline, the second one in time.
  push_world world{single(), [](push_world& x, const push_world::push_sent& y) {
                     x.respond(y, y.request == 1 ? 15s : 20ms, outcome::ok);
                   }};
  world.run(1h);
  EXPECT_EQ(world.ends, (problems{"1 client_timeout 10s", "2 ok 20ms"}));
  EXPECT_EQ(world.late, 1u);
  EXPECT_EQ(
    world.subject.counts(),
    (push_counts{.published = 1, .pushes = 2, .redelivered = 1, .acked = 1, .duplicates = 1}));
}

TEST(PushSubscription, ALateFailureIsNone) {
  push_world world{single(), [](push_world& x, const push_world::push_sent& y) {
                     x.respond(y, y.request == 1 ? 15s : 20ms,
                               y.request == 1 ? outcome::unavailable : outcome::ok);
                   }};
  world.run(1h);
  EXPECT_EQ(world.late, 1u);
  EXPECT_EQ(world.subject.counts().duplicates, 0u);
}

TEST(PushSubscription, GivesUpAfterTheLastAttempt) {
  auto config = single();
  config.max_delivery_attempts = 5;
  push_world world{config, always(outcome::unavailable, 10ms)};
  world.run(1h);
  EXPECT_EQ(world.sent.size(), 5u);
  EXPECT_EQ(world.subject.counts(),
            (push_counts{.published = 1, .pushes = 5, .redelivered = 4, .dead_lettered = 1}));
}

TEST(PushSubscription, DropsMessagesAtTheEndOfTheirRetention) {
  // Retried after 600 s each: pushed at 1 s, 602 s and no more, as it is gone at 601 s or 1200 s.
  auto config = single();
  config.retention = 10min;
  config.retry = push_retry{600s, 600s};
  push_world world{config, always(outcome::unavailable, 10ms)};
  world.run(601s - 1ns);
  EXPECT_EQ(world.subject.backlog(), 1u);
  EXPECT_EQ(world.subject.oldest_age(world.now), 600s - 1ns);
  world.run(601s);
  EXPECT_EQ(world.subject.backlog(), 0u);
  EXPECT_EQ(world.subject.oldest_age(world.now), 0s);
  world.run(2h);
  EXPECT_EQ(world.subject.counts(), (push_counts{.published = 1, .pushes = 1, .expired = 1}));
}

TEST(PushSubscription, APushUnderWayAtTheEndOfRetentionMayStillBeAcknowledged) {
  for (const auto how : {outcome::ok, outcome::unavailable}) {
    SCOPED_TRACE(to_string(how));
    auto config = single();
    config.retention = 10min;
    config.retry = push_retry{595s, 595s};
    push_world world{config, [how](push_world& x, const push_world::push_sent& y) {
                       // The second push, at 596 s, is answered at 602 s.
                       x.respond(y, y.request == 1 ? 0s : 6s,
                                 y.request == 1 ? outcome::unavailable : how);
                     }};
    world.run(2h);
    EXPECT_EQ(world.sent.size(), 2u);
    EXPECT_EQ(world.subject.counts().acked, how == outcome::ok ? 1u : 0u);
    EXPECT_EQ(world.subject.counts().expired, how == outcome::ok ? 0u : 1u);
  }
}

TEST(PushSubscription, PushesNoMoreAtATimeThanItsWindow) {
  push_subscription_config config{.publish = evenly(1000, 20ms)};
  config.window.growth = 1;
  push_world world{config, always(outcome::ok, 1s)};
  world.run(500ms);
  EXPECT_EQ(world.subject.outstanding(), 5u);
  EXPECT_EQ(world.subject.backlog(), 15u);
  // Each success makes room for itself and for one more.
  world.run(1005ms);
  EXPECT_EQ(world.subject.window(), 10u);
  EXPECT_EQ(world.subject.outstanding(), 10u);
  EXPECT_EQ(world.subject.backlog(), 5u);
  world.run(1h);
  EXPECT_EQ(world.subject.counts().acked, 20u);
}

TEST(PushSubscription, PausesAfterFailures) {
  // One message at a time, which fails: pauses of 100 ms, 200 ms and so on, beside the retry policy.
  auto config = single();
  config.window = {};
  push_world world{config, always(outcome::unavailable, 10ms)};
  world.run(2s);
  EXPECT_EQ(world.times(), (std::vector<duration>{1000ms, 1110ms, 1320ms, 1730ms}));
  config.retry = push_retry{1s, 1s};
  push_world slower{config, always(outcome::unavailable, 10ms)};
  slower.run(4s);
  EXPECT_EQ(slower.times(), (std::vector<duration>{1000ms, 2010ms, 3020ms}))
    << "the longer of both";
}

TEST(PushSubscription, AMessageThatComesAgainWaitsBehindTheOthers) {
  push_subscription_config config{.publish = evenly(10, 350ms)};
  config.window = {.initial = 1, .maximum = 1, .longest_pause = {}};
  std::vector<std::uint64_t> order;
  push_world world{config, [](push_world& x, const push_world::push_sent& y) {
                     x.respond(y, 1s, y.request == 1 ? outcome::unavailable : outcome::ok);
                   }};
  // Sent at 0.1, 1.1, 2.1 and 3.1 s; were the first one pushed again at 1.1 s, it would be acknowledged
  // first and the oldest message be younger.
  world.run(2150ms);
  EXPECT_EQ(world.subject.oldest_age(world.now), 2050ms);
  world.run(1h);
  EXPECT_EQ(world.subject.counts().acked, 3u);
  EXPECT_EQ(world.sent.size(), 4u);
}

TEST(PushSubscription, TellsEachSecondOnce) {
  push_world world{{.publish = evenly(10, 1h)}, always(outcome::ok, 20ms)};
  world.run(1050ms);
  EXPECT_EQ(world.subject.take_second(), (push_counts{.published = 10, .pushes = 10, .acked = 10}));
  world.run(1310ms);
  EXPECT_EQ(world.subject.take_second(), (push_counts{.published = 3, .pushes = 3, .acked = 2}));
  EXPECT_EQ(world.subject.take_second(), push_counts{});
}

TEST(PushSubscription, SaysWhatIsWrong) {
  const push_subscription_config valid{.publish = evenly(1, 1s)};
  EXPECT_EQ(validate(valid), problems{});
  auto x = valid;
  x.ack_deadline = 9s;
  x.retry = push_retry{601s, 600s};
  x.retention = 10min - 1ns;
  x.max_delivery_attempts = 4;
  x.window.minimum = 0;
  EXPECT_EQ(validate(x), (problems{"ack_deadline: must be from 10s to 600s",
                                   "retry.min_backoff: must be from 0s to 600s",
                                   "retry.max_backoff: must be from min_backoff to 600s",
                                   "retention: must be from 10m to 744h",
                                   "max_delivery_attempts: must be from 5 to 100",
                                   "window.minimum: must be at least 1"}));
  EXPECT_EQ(validate(push_subscription_config{}), problems{"rate: needs at least one entry"});
}

} // namespace
