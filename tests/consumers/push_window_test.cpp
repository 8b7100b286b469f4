#include "consumers/push_window.hpp"

#include "model/random.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using problems = std::vector<std::string>;

/// Feeds a window with pushes, a letter each: 'a' acknowledged, 'f' failed; no time passes.
std::uint32_t size_after(const push_window_config& config, std::string_view pushes) {
  push_window window{config};
  for (const auto x : pushes) {
    if (x == 'a')
      window.acknowledge(run_start, 10ms);
    else
      window.fail(run_start, run_start);
  }
  return window.size();
}

TEST(PushWindow, GrowsWithSuccessesAndShrinksWithFailures) {
  const struct {
    const char* why = "";
    push_window_config config = {};
    const char* pushes = "";
    std::uint32_t expected = 0;
  } cases[] = {
    {"it begins with one digit", {}, "", 5},
    {"a round of successes doubles it", {}, "aaaaa", 10},
    {"a round of failures leaves the minimum", {}, "fffff", 1},
    {"and further ones too", {}, "ffffffffffff", 1},
    {"one success more than failures", {}, "afafa", 6},
    {"another growth", {.growth = 3}, "aa", 11},
    {"another shrink", {.shrink = 3}, "f", 2},
    {"a shrink past the minimum", {.minimum = 4, .shrink = 1000}, "f", 4},
    {"exponential growth ends where the linear part begins",
     {.linear_from = 8, .growth = 5},
     "a",
     8},
    {"there a round adds 1", {.initial = 8, .linear_from = 8}, "aaaaaaaa", 9},
    {"and no less than a round", {.initial = 8, .linear_from = 8}, "aaaaaaa", 8},
    {"the maximum holds in the exponential part", {.maximum = 6}, "aaaa", 6},
    {"and in the linear part", {.initial = 2, .linear_from = 1, .maximum = 2}, "aaaaaaaaaa", 2},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(size_after(x.config, x.pushes), x.expected);
  }
}

TEST(PushWindow, ALargeOneStaysOnlyWhilePushesAreFastAndAcknowledged) {
  const struct {
    const char* why;
    int acknowledged;
    int failed;
    duration latency;
    std::uint32_t expected;
  } cases[] = {
    {"fast and acknowledged", 100, 0, 1s, 4000},
    {"99 of 100", 99, 1, 1s, 3999},
    {"98 of 100", 98, 2, 1s, 3000},
    {"slow on average", 100, 0, 1001ms, 3000},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    push_window window{{.initial = 4000}};
    for (int i = 0; i < x.acknowledged; ++i)
      window.acknowledge(run_start + 500ms, x.latency);
    for (int i = 0; i < x.failed; ++i)
      window.fail(run_start + 500ms, run_start + 500ms - x.latency);
    EXPECT_EQ(window.size(), 4000u - static_cast<std::uint32_t>(x.failed)) << "not yet judged";
    // The next second's first one does not count to the second before.
    window.acknowledge(run_start + 1s, 1h);
    EXPECT_EQ(window.size(), x.expected);
  }
}

TEST(PushWindow, PausesTwiceAsLongUntilOneIsAcknowledged) {
  push_window window{{.pause = 100ms, .longest_pause = 350ms}};
  auto now = run_start;
  const auto fail = [&] {
    window.fail(now, now);
    return window.paused_until() - now;
  };
  EXPECT_EQ(fail(), 100ms);
  window.fail(now + 50ms, now);
  EXPECT_EQ(window.paused_until() - now, 100ms) << "what was under way before says nothing new";
  now += 100ms;
  EXPECT_EQ(fail(), 200ms);
  now += 200ms;
  EXPECT_EQ(fail(), 350ms) << "no longer than the longest";
  now += 350ms;
  EXPECT_EQ(fail(), 350ms);
  window.acknowledge(now, 1ms);
  EXPECT_EQ(window.paused_until() - now, 350ms) << "a pause that began goes on";
  now += 350ms;
  EXPECT_EQ(fail(), 100ms) << "but the next one is a first one";
}

TEST(PushWindow, NeverPausesWithoutALongestPause) {
  push_window window{{.longest_pause = {}}};
  window.fail(run_start + 1s, run_start + 1s);
  EXPECT_LE(window.paused_until(), run_start + 1s);
}

TEST(PushWindow, StaysInsideItsBoundsWhateverHappens) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_stream random{seed, "window"};
    const auto draw = [&random](std::uint32_t least, std::uint32_t most) {
      return least + static_cast<std::uint32_t>(random.below(most - least + 1));
    };
    push_window_config config;
    config.minimum = draw(1, 20);
    config.initial = draw(config.minimum, 100);
    config.maximum = draw(config.initial, 200);
    config.linear_from = draw(config.minimum, 300);
    config.growth = draw(1, 30);
    config.shrink = draw(1, 30);
    ASSERT_EQ(validate(config), problems{});
    push_window window{config};
    auto now = run_start;
    const auto good = random.unit();
    for (int i = 0; i < 2'000; ++i) {
      now += from_seconds(0.02 * random.unit());
      if (random.unit() < good)
        window.acknowledge(now, from_seconds(2 * random.unit()));
      else
        window.fail(now, now - from_seconds(0.1 * random.unit()));
      ASSERT_GE(window.size(), config.minimum);
      ASSERT_LE(window.size(), config.maximum);
      ASSERT_LE(window.paused_until(), now + config.longest_pause);
    }
  }
}

TEST(PushWindow, SaysWhatIsWrong) {
  EXPECT_EQ(validate(push_window_config{}), problems{});
  EXPECT_EQ(validate(push_window_config{.initial = 9, .minimum = 0, .maximum = 8}),
            (problems{"window.minimum: must be at least 1",
                      "window.initial: must be from minimum to maximum"}));
  EXPECT_EQ(validate(push_window_config{.minimum = 6, .linear_from = 5, .maximum = 1'000'001}),
            (problems{"window.maximum: must be from minimum to 1000000",
                      "window.initial: must be from minimum to maximum",
                      "window.linear_from: must be at least minimum"}));
  EXPECT_EQ(validate(push_window_config{.growth = 0, .shrink = 1001, .slow = 0s}),
            (problems{"window.growth: must be from 1 to 1000",
                      "window.shrink: must be from 1 to 1000", "window.slow: must be above 0s"}));
  EXPECT_EQ(
    validate(push_window_config{
      .acknowledged = 1.01, .judged_over = 0s, .pause = -1ns, .longest_pause = -2ns}),
    (problems{"window.acknowledged: must be from 0 to 1", "window.judged_over: must be above 0s",
              "push_backoff.min: must be at least 0s",
              "push_backoff.max: must be at least min, or 0s"}));
}

} // namespace
