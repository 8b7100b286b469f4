#include "tests/consumers/client_world.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::client_world;

struct result {
  std::vector<std::pair<std::uint64_t, instant>> sent;
  books requests;
  friend bool operator==(const result&, const result&) = default;
};

client_config random_config(random_stream& random) {
  client_config config;
  if (random.below(4) != 0)
    config.timeout = from_seconds(0.001 + random.unit());
  config.retries = static_cast<std::uint32_t>(random.below(4));
  config.backoff_base = from_seconds(0.1 * random.unit());
  config.backoff_jitter = random.unit();
  return config;
}

// Runs clients against answers that come in any order, twice, late or never, and checks the books
// after each event.
result run(std::uint64_t seed) {
  random_stream random{seed, "chaos"};
  const auto config = random_config(random);
  const std::vector<load_config> loads{
    open_loop_config{.rate = {{.rps = 50}}, .waves = {}, .arrivals = arrival_process::poisson},
    closed_loop_config{5, exponential_distribution{100ms}}};
  std::map<std::uint64_t, std::uint16_t> last_attempt;
  client_world world{
    loads, config,
    [&](client_world& x, const client_world::try_sent& y) {
      // A request's tries are counted without a gap, and are as many as allowed.
      EXPECT_EQ(y.attempt, last_attempt.contains(y.request) ? last_attempt[y.request] + 1 : 0);
      EXPECT_LE(y.attempt, config.retries);
      last_attempt[y.request] = y.attempt;
      for (auto answers = random.below(8) == 0 ? random.below(3) : 1; answers > 0; --answers)
        x.respond(y, from_seconds(2 * random.unit() * random.unit()),
                  random.below(3) == 0 ? static_cast<outcome>(random.below(6)) : outcome::ok);
    },
    seed};
  world.each = [&] {
    const auto& books = world.subject.requests();
    EXPECT_EQ(books.taken, last_attempt.size());
    EXPECT_LE(books.ended_total(), books.taken);
    EXPECT_LE(world.wakes[2], 1);
  };
  world.run(20s);

  const auto seen = world.subject.take_second();
  EXPECT_EQ(seen.started, world.subject.requests().taken);
  EXPECT_EQ(seen.ended, world.subject.requests().ended);
  EXPECT_EQ(seen.started + seen.retried, world.sent.size());
  EXPECT_EQ(seen.latency.count(), world.ended(outcome::ok));
  result out{.sent = {}, .requests = world.subject.requests()};
  for (const auto& x : world.sent)
    out.sent.emplace_back(x.request, x.at);
  return out;
}

TEST(Clients, BooksBalanceWhateverHappens) {
  std::array<std::uint64_t, outcome_count> ended{};
  std::uint64_t late = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto x = run(seed);
    EXPECT_GT(x.requests.taken, 500u);
    for (std::size_t i = 0; i < outcome_count; ++i)
      ended[i] += x.requests.ended[i];
    late += x.requests.late;
    if (testing::Test::HasFailure())
      return;
  }
  // The property says little unless all of these happened.
  for (const auto how : {outcome::ok, outcome::unavailable, outcome::client_timeout})
    EXPECT_GT(ended[static_cast<std::size_t>(how)], 100u) << to_string(how);
  EXPECT_GT(late, 100u);
}

TEST(Clients, SameSeedSameHistory) {
  const auto first = run(1);
  EXPECT_EQ(first, run(1));
  EXPECT_NE(first, run(2));
}

TEST(Clients, LeaveNothingOpenOnceAllTimeLimitsHavePassed) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    random_stream random{seed, "losses"};
    const open_loop_config burst{.rate = {{.rps = 200}, {.at = run_start + 5s, .rps = 0}},
                                 .waves = {}};
    client_world world{{burst},
                       {.timeout = 300ms, .retries = 3},
                       [&](client_world& x, const client_world::try_sent& y) {
                         if (random.below(3) == 0)
                           x.respond(y, from_seconds(random.unit()), outcome::ok);
                       },
                       seed};
    world.run(60s);
    EXPECT_EQ(world.subject.requests().open(), 0u);
    EXPECT_GT(world.ended(outcome::client_timeout), 10u);
    EXPECT_GT(world.ended(outcome::ok), 100u);
    for (const auto& [what, set] : world.wakes)
      EXPECT_EQ(set, 0) << int{what};
  }
}

} // namespace
