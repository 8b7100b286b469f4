#include "consumers/client.hpp"
#include "tests/consumers/client_world.hpp"
#include "tests/consumers/push_world.hpp"

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::push_world;

push_subscription_config random_config(random_stream& random) {
  push_subscription_config x{.publish = {.rate = {{.rps = 20}, {.at = run_start + 60s, .rps = 0}}}};
  if (random.below(2) == 0)
    x.retry = push_retry{from_seconds(2 * random.unit()), from_seconds(2 + 8 * random.unit())};
  x.window.initial = 1 + static_cast<std::uint32_t>(random.below(20));
  x.window.maximum = x.window.initial + static_cast<std::uint32_t>(random.below(100));
  x.window.linear_from = 1 + static_cast<std::uint32_t>(random.below(60));
  x.window.shrink = 1 + static_cast<std::uint32_t>(random.below(3));
  x.window.longest_pause = random.below(3) == 0 ? duration{} : duration{1s};
  return x;
}

/// Answers late, badly or never, until a time after which all is well.
push_world::script chaos(random_stream& random, duration until) {
  return [&random, until](push_world& world, const push_world::push_sent& x) {
    const auto bad = world.now < run_start + until && random.below(3) == 0;
    const auto how = bad ? static_cast<outcome>(random.below(outcome_count)) : outcome::ok;
    if (bad && random.below(4) == 0)
      return;
    world.respond(x, from_seconds((bad ? 15 : 0.2) * random.unit()), how);
  };
}

struct totals {
  push_counts counts;
  std::vector<duration> times;
  friend bool operator==(const totals&, const totals&) = default;
};

totals run(std::uint64_t seed, const std::function<void(push_subscription_config&)>& edit = {}) {
  random_stream random{seed, "chaos"};
  auto config = random_config(random);
  if (edit)
    edit(config);
  EXPECT_EQ(validate(config), std::vector<std::string>{});
  push_world world{config, chaos(random, 120s), seed};
  world.each = [&] {
    world.expect_balance();
    EXPECT_GE(world.subject.window(), config.window.minimum);
    EXPECT_LE(world.subject.window(), config.window.maximum);
    EXPECT_LE(world.subject.outstanding(), config.window.maximum);
  };
  world.run(1h);
  EXPECT_EQ(world.subject.backlog(), 0u);
  EXPECT_EQ(world.subject.outstanding(), 0u);
  const auto& x = world.subject.counts();
  EXPECT_EQ(x.pushes, world.sent.size());
  EXPECT_EQ(world.ends.size(), world.sent.size());
  EXPECT_LE(x.pushes - x.redelivered, x.published);
  EXPECT_GE(x.pushes - x.redelivered + x.expired, x.published)
    << "each is pushed for the first time once, unless it waited too long";
  return {x, world.times()};
}

TEST(PushSubscription, LosesNoMessageWhileRetentionLasts) {
  push_counts sum;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto x = run(seed).counts;
    EXPECT_GT(x.published, 1000u);
    EXPECT_EQ(x.acked, x.published);
    sum.redelivered += x.redelivered;
    sum.duplicates += x.duplicates;
    if (testing::Test::HasFailure())
      return;
  }
  // The property says little unless all of these happened.
  EXPECT_GT(sum.redelivered, 1'000u);
  EXPECT_GT(sum.duplicates, 100u);
}

TEST(PushSubscription, KnowsWhereEachMessageWentWhenSomeAreGivenUp) {
  push_counts sum;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto x = run(seed, [seed](push_subscription_config& y) {
                     if (seed % 2 == 0) {
                       // So many at a time that most come while answers are bad.
                       y.max_delivery_attempts = 5;
                       y.window = {.initial = 50, .minimum = 50, .longest_pause = {}};
                     } else {
                       // Slower than messages come, so that those at the end wait too long.
                       y.window = {.initial = 1, .maximum = 1, .longest_pause = {}};
                       y.publish.rate.front().rps = 100;
                       y.retention = 10min;
                     }
                   }).counts;
    EXPECT_EQ(x.acked + x.dead_lettered + x.expired, x.published);
    sum.dead_lettered += x.dead_lettered;
    sum.expired += x.expired;
    if (testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(sum.dead_lettered, 20u);
  EXPECT_GT(sum.expired, 20u);
}

TEST(PushSubscription, SameSeedSameHistory) {
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(Clients, CountEachPushAsARequest) {
  random_stream random{7, "chaos"};
  const push_subscription_config jobs{
    .publish = {.rate = {{.rps = 20}, {.at = run_start + 60s, .rps = 0}}}};
  const closed_loop_config others{3, constant_distribution{1s}, run_start, {}, run_start + 60s};
  test::client_world world{{others, jobs},
                           {.timeout = 30s, .retries = 3},
                           [&](test::client_world& x, const test::client_world::try_sent& y) {
                             EXPECT_EQ(y.attempt, 0u) << "nobody tries again but the subscription";
                             EXPECT_EQ(y.intended, x.now);
                             x.respond(y, from_seconds(12 * random.unit() * random.unit()),
                                       random.below(5) == 0 ? outcome::internal_error
                                                            : outcome::ok);
                           }};
  world.run(1h);
  ASSERT_EQ(world.subject.subscriptions().size(), 1u);
  EXPECT_EQ(world.subject.subscriptions().front().load, 1u);
  const auto& pushed = world.subject.subscriptions().front().is.counts();
  const auto& books = world.subject.requests();
  EXPECT_EQ(pushed.acked, pushed.published);
  EXPECT_GT(pushed.duplicates, 0u);
  EXPECT_GT(pushed.redelivered, 100u);
  EXPECT_EQ(books.open(), 0u);
  EXPECT_GE(books.late, pushed.duplicates);
  EXPECT_EQ(books.taken, world.sent.size());
  EXPECT_EQ(world.ends.size(), world.sent.size());
  const auto seen = world.subject.take_second();
  EXPECT_EQ(seen.started, books.taken);
  EXPECT_EQ(seen.ended, books.ended);
  EXPECT_EQ(seen.retried, 0u);
  EXPECT_EQ(seen.latency.count(), world.ended(outcome::ok));
}

} // namespace
