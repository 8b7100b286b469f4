#include "tests/lb/try_script.hpp"

#include <string>
#include <vector>

namespace spillover::test {
namespace {

using namespace std::chrono_literals;
using enum outcome;

load_balancer_config limited(bool hedge, std::uint32_t retries = 1) {
  load_balancer_config x;
  x.timeout = 10s;
  x.retries = retries;
  x.per_try_timeout = 1s;
  x.hedge_on_per_try_timeout = hedge;
  return x;
}

/// An answer to the n-th try at a time.
struct reply {
  duration at{};
  std::size_t to = 0;
  outcome how = ok;
};

struct script {
  const char* why = "";
  load_balancer_config config = {};
  std::vector<reply> replies = {};
  const char* told = "";
};

void expect_told(const script& x) {
  SCOPED_TRACE(x.why);
  try_script world{x.config};
  world.request(1);
  for (const auto& y : x.replies) {
    world.until(y.at);
    world.respond(y.to, y.how);
  }
  world.until(1h);
  EXPECT_EQ(world.told(), x.told);
  for (std::uint32_t region = 0; region < 2; ++region)
    EXPECT_EQ(world.subject().attempts(region).open(), 0u) << "every try has an end";
  EXPECT_EQ(world.subject().requests().ended_total(), 1u);
  EXPECT_EQ(world.subject().next_deadline(), never);
}

TEST(PerTryTimeout, GivesATryUpAndMakesAnother) {
  auto only_503 = limited(false);
  only_503.retry_on = {unavailable};
  auto short_of_time = limited(false);
  short_of_time.timeout = 500ms;
  const script cases[] = {
    {"it counts as 504, which is tried again",
     limited(false),
     {{1500ms, 1, ok}},
     "0 1>A, 1000 1>B, 1500 1=ok"},
    {"an answer at its last instant comes too late",
     limited(false),
     {{1000ms, 0, ok}},
     "0 1>A, 1000 1>B, 2000 1=lb_timeout"},
    {"an answer before is in time", limited(false), {{999ms, 0, ok}}, "0 1>A, 999 1=ok"},
    {"each try has its own",
     limited(false, 3),
     {},
     "0 1>A, 1000 1>B, 2000 1>A, 3000 1>A, 4000 1=lb_timeout"},
    {"a try after an error has all of it",
     limited(false),
     {{600ms, 0, unavailable}},
     "0 1>A, 600 1>B, 1600 1=lb_timeout"},
    {"504 is not tried again: the request ends", only_503, {}, "0 1>A, 1000 1=lb_timeout"},
    {"no retry is left", limited(false, 0), {}, "0 1>A, 1000 1=lb_timeout"},
    {"the whole request's time is over first", short_of_time, {}, "0 1>A, 500 1=lb_timeout"},
  };
  for (const auto& x : cases)
    expect_told(x);
}

TEST(Hedging, LetsTheFirstAnswerWin) {
  auto only_503 = limited(true);
  only_503.retry_on = {unavailable};
  const script cases[] = {
    {"the first try, which went on",
     limited(true),
     {{1200ms, 0, ok}},
     "0 1>A, 1000 1>B, 1200 1=ok"},
    {"the second try", limited(true), {{1200ms, 1, ok}}, "0 1>A, 1000 1>B, 1200 1=ok"},
    {"the loser's answer comes too late",
     limited(true),
     {{1200ms, 1, ok}, {1300ms, 0, unavailable}},
     "0 1>A, 1000 1>B, 1200 1=ok"},
    {"nobody is waited for in vain: until the request's time is over",
     limited(true),
     {},
     "0 1>A, 1000 1>B, 10000 1=lb_timeout"},
    {"an error that would be tried again waits for the other",
     limited(true),
     {{1200ms, 1, unavailable}, {1500ms, 0, ok}},
     "0 1>A, 1000 1>B, 1500 1=ok"},
    {"the older one's as well",
     limited(true),
     {{1200ms, 0, unavailable}, {1500ms, 1, ok}},
     "0 1>A, 1000 1>B, 1500 1=ok"},
    {"the last error stands",
     limited(true),
     {{1200ms, 0, unavailable}, {1500ms, 1, bad_gateway}},
     "0 1>A, 1000 1>B, 1500 1=bad_gateway"},
    {"an error that is not tried again ends it",
     limited(true),
     {{1200ms, 1, internal_error}},
     "0 1>A, 1000 1>B, 1200 1=internal_error"},
    {"hedging asks for no 504 in retry_on",
     only_503,
     {{1200ms, 0, ok}},
     "0 1>A, 1000 1>B, 1200 1=ok"},
    {"a try that was replaced brings no third while two may be",
     limited(true, 1),
     {{1500ms, 0, unavailable}},
     "0 1>A, 1000 1>B, 10000 1=lb_timeout"},
    {"three at once", limited(true, 2), {{2500ms, 0, ok}}, "0 1>A, 1000 1>B, 2000 1>A, 2500 1=ok"},
    {"the newest may be tried again",
     limited(true, 2),
     {{1200ms, 1, unavailable}, {1300ms, 2, ok}},
     "0 1>A, 1000 1>B, 1200 1>A, 1300 1=ok"},
  };
  for (const auto& x : cases)
    expect_told(x);
}

TEST(Hedging, CountsWhatBecameOfTries) {
  try_script world{limited(true)};
  world.request(1);
  world.until(1200ms);
  world.respond(0, ok);
  EXPECT_EQ(world.subject().tries(0), (try_count{.timed_out = 1}));
  EXPECT_EQ(world.subject().tries(1), (try_count{.hedged = 1, .cancelled = 1}));
  EXPECT_EQ(world.ended(0, ok), 1u);
  EXPECT_EQ(world.ended(1, lb_timeout), 1u);
  world.respond(1, ok);
  EXPECT_EQ(world.subject().attempts(1).late, 1u);
}

// As Envoy's timeouts of local origin do; with hedging once for a try, however it ends.
TEST(PerTryTimeout, CountsForOutlierDetection) {
  for (const auto hedge : {false, true}) {
    auto config = limited(hedge);
    config.outlier_detection.emplace();
    config.outlier_detection->consecutive_5xx = 3;
    try_script world{config};
    for (std::uint64_t i = 1; i <= 2; ++i)
      world.request(i);
    world.until(9s);
    EXPECT_EQ(world.subject().ejected_by(0), 0u);
    world.until(20s);
    EXPECT_EQ(world.subject().ejected_by(0), 0u) << "two, and not four";
    world.request(3);
    world.until(21s);
    EXPECT_EQ(world.subject().ejected_by(0), 1u);
  }
}

TEST(RetryBackOff, DrawsEvenlyFromASpanThatDoubles) {
  const duration most[] = {25ms, 50ms, 100ms, 200ms, 250ms, 250ms};
  std::vector<duration> sums(std::size(most));
  std::vector<duration> highest(std::size(most));
  constexpr std::uint64_t rounds = 2'000;
  load_balancer_config config;
  config.retries = std::size(most);
  config.retry_back_off.emplace();
  for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
    try_script world{config, 1, seed};
    world.request(1);
    for (std::size_t n = 0; n < std::size(most); ++n) {
      const auto failed = world.now();
      world.respond(n, unavailable);
      ASSERT_EQ(world.sent(), n + 1) << "not at once";
      const auto pause = world.subject().next_deadline() - failed;
      world.until(world.subject().next_deadline() - run_start);
      ASSERT_EQ(world.sent(), n + 2);
      ASSERT_LT(pause, most[n]);
      sums[n] += pause;
      highest[n] = std::max(highest[n], pause);
    }
  }
  for (std::size_t n = 0; n < std::size(most); ++n) {
    SCOPED_TRACE(n + 1);
    const auto mean = static_cast<double>(sums[n].count()) / rounds;
    EXPECT_NEAR(mean / static_cast<double>(most[n].count()), 0.5, 0.03);
    EXPECT_GT(highest[n], most[n] * 99 / 100);
  }
}

TEST(RetryBackOff, EndsWithTheRequest) {
  auto config = limited(false);
  config.per_try_timeout.reset();
  config.timeout = 10ms;
  config.retry_back_off = {.base_interval = 3'600s, .max_interval = 3'600s};
  try_script world{config};
  world.request(1);
  world.respond(0, unavailable);
  world.until(1h);
  EXPECT_EQ(world.told(), "0 1>A, 10 1=lb_timeout") << "with nobody in flight";
  EXPECT_EQ(world.subject().next_deadline(), never) << "the pause is over as well";
}

TEST(RetryBackOff, PausesBeforeAHedge) {
  auto config = limited(true);
  config.retry_back_off = {.base_interval = 400ms, .max_interval = 400ms};
  try_script world{config};
  world.request(1);
  world.until(1s);
  world.respond(0, ok);
  world.until(20s);
  EXPECT_EQ(world.told(), "0 1>A, 1000 1=ok") << "the answer came in the pause";
}

} // namespace
} // namespace spillover::test
