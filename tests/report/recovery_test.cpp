#include "report/recovery.hpp"

#include "model/random.hpp"
#include "tests/report/log_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::log_builder;

/// Two minutes, no warm-up; routing ends at 20 s.
class RecoveryTest : public testing::Test {
protected:
  std::optional<duration> recovered(recovery_rule rule = {}, duration since = 20s) {
    run_.end();
    return read(since, rule).span;
  }

  clock_reading read(duration since, const recovery_rule& rule) {
    const event_index index{run_.log};
    return read_capacity(index, "checkout", {"us-west1"}, run_start + since, rule);
  }

  log_builder run_{120s, 0s};
};

TEST_F(RecoveryTest, IsImmediateWhenNothingEverWaits) {
  run_.survivor_seconds(0s, 120s, 100, 100, 4);
  EXPECT_EQ(recovered(), 0s);
  EXPECT_EQ(read(20s, {}).detail, "after routed: us-west1 4 instances, no queue");
}

TEST_F(RecoveryTest, BeginsWhenTheQueueEmpties) {
  run_.survivor_seconds(0s, 120s, 100, 100, 4);
  run_.survivor_queue(21s, 1);
  run_.survivor_queue(47'300ms, 0);
  EXPECT_EQ(recovered(), 27'300ms);
}

TEST_F(RecoveryTest, RemembersAQueueThatFilledBefore) {
  run_.survivor_seconds(0s, 120s, 100, 100, 4);
  run_.survivor_queue(15s, 1);
  run_.survivor_queue(47'300ms, 0);
  EXPECT_EQ(recovered(), 27'300ms);
}

TEST_F(RecoveryTest, NeverComesWhileTheQueueStays) {
  run_.survivor_seconds(0s, 120s, 100, 100, 4);
  run_.survivor_queue(21s, 1);
  EXPECT_EQ(recovered(), std::nullopt);
}

TEST_F(RecoveryTest, StartsAnewWhenItBreaksWithinTheWindow) {
  run_.survivor_seconds(0s, 120s, 100, 100, 4);
  run_.survivor_queue(21s, 1);
  run_.survivor_queue(30s, 0);
  run_.survivor_queue(39'999ms, 1);
  run_.survivor_queue(50'500ms, 0);
  EXPECT_EQ(recovered(), 30'500ms);
}

TEST_F(RecoveryTest, AQueueThatFillsAtTheEndOfTheWindowDoesNotBreakIt) {
  run_.survivor_seconds(0s, 120s, 100, 100, 4);
  run_.survivor_queue(21s, 1);
  run_.survivor_queue(30s, 0);
  run_.survivor_queue(40s, 1);
  EXPECT_EQ(recovered(), 10s);
}

TEST_F(RecoveryTest, AQueueThatFillsAndEmptiesAtOnceStaysEmpty) {
  run_.survivor_seconds(0s, 120s, 100, 100, 4);
  run_.survivor_queue(25s, 1);
  run_.survivor_queue(25s, 0);
  EXPECT_EQ(recovered(), 0s);
}

TEST_F(RecoveryTest, NeverComesWhileNobodyReachesTheSurvivor) {
  run_.survivor_seconds(0s, 20s, 100, 100, 4);
  run_.survivor_seconds(20s, 120s, 0, 0, 4);
  EXPECT_EQ(recovered(), std::nullopt);
}

TEST_F(RecoveryTest, NeedsCompletionsToKeepUp) {
  run_.survivor_seconds(0s, 20s, 100, 100, 4);
  run_.survivor_seconds(20s, 50s, 100, 90, 4);
  run_.survivor_seconds(50s, 120s, 100, 100, 4);
  // At 45 s the window holds five seconds of 90 and five of 100: 95 %.
  EXPECT_EQ(recovered(), 25s);
}

TEST_F(RecoveryTest, CountsOnlySecondsWhollyInside) {
  run_.survivor_seconds(0s, 20s, 100, 100, 4);
  run_.survivor_seconds(20s, 21s, 100, 0, 4);
  run_.survivor_seconds(21s, 120s, 100, 100, 4);
  // From 20.5 s on the bad second [20, 21) is only partly inside.
  EXPECT_EQ(recovered({}, 20'500ms), 0s);
}

TEST_F(RecoveryTest, TheWindowHasToFitIntoTheRun) {
  run_.survivor_seconds(0s, 120s, 100, 100, 4);
  run_.survivor_queue(21s, 1);
  run_.survivor_queue(110'001ms, 0);
  EXPECT_EQ(recovered(), std::nullopt);
}

TEST_F(RecoveryTest, TheWindowMayEndWithTheRun) {
  run_.survivor_seconds(0s, 120s, 100, 100, 4);
  run_.survivor_queue(21s, 1);
  run_.survivor_queue(110s, 0);
  EXPECT_EQ(recovered(), 90s);
}

TEST_F(RecoveryTest, RequestsThatFailAtOnceWithoutAnInstanceAreNoCapacity) {
  run_.survivor_seconds(0s, 60s, 100, 100, 0);
  run_.survivor_seconds(60s, 120s, 100, 100, 1);
  EXPECT_EQ(recovered(), 40s);
}

TEST_F(RecoveryTest, FollowsTheRulesWindowAndShare) {
  run_.survivor_seconds(0s, 120s, 100, 80, 4);
  run_.survivor_queue(21s, 1);
  run_.survivor_queue(30s, 0);
  run_.survivor_queue(33s, 1);
  run_.end();
  EXPECT_EQ(read(20s, {.window = 3s, .keep_up = 0.8}).span, 10s);
  EXPECT_EQ(read(20s, {.window = 4s, .keep_up = 0.8}).span, std::nullopt);
  EXPECT_EQ(read(20s, {.window = 3s, .keep_up = 0.81}).span, std::nullopt);
}

TEST_F(RecoveryTest, TakesEveryRevisionOfTheServiceAndNothingElse) {
  run_.survivor_seconds(0s, 120s, 100, 100, 4);
  run_.add(25s, "us-west1/checkout/api", {}, queue_changed{1});
  run_.add(35s, "us-west1/checkout/api", {}, queue_changed{0});
  run_.add(25s, "us-west1/checkout2/web", {}, queue_changed{1});
  run_.add(25s, "us-east1/checkout/web", {}, queue_changed{1});
  EXPECT_EQ(recovered(), 15s);
}

TEST_F(RecoveryTest, TellsWhatScaledAndWhy) {
  run_.survivor_seconds(0s, 40s, 100, 100, 4);
  run_.survivor_second(41s, 100, 100, 5, 1'234);
  run_.survivor_seconds(41s, 120s, 100, 100, 8);
  run_.survivor_queue(21s, 1);
  run_.survivor_queue(60s, 0);
  const auto decide = [this](duration at, std::uint32_t before, std::uint32_t after,
                             std::string driver) {
    run_.add(at, "us-west1/checkout/web", {},
             scaling_decided{"cloud_run", before, after, before, 0, std::move(driver), {}});
  };
  decide(19s, 3, 4, "MIN");
  decide(25s, 4, 5, "CPU");
  decide(30s, 5, 5, "CONCURRENCY");
  decide(40s, 5, 6, "ON_DEMAND");
  decide(45s, 6, 8, "CPU");
  run_.end();
  EXPECT_EQ(read(20s, {}).detail,
            "after routed: us-west1 4 -> 8 instances (driver CPU, ON_DEMAND), queue peak 1,234");
}

TEST_F(RecoveryTest, CountsDeprioritisedInstancesAsTheyServe) {
  run_.survivor_seconds(0s, 30s, 100, 100, 4);
  revision_sample sample;
  sample.arrivals = 100;
  sample.completions = 100;
  sample.ready = 4;
  sample.deprioritised = 1;
  for (auto at = 31s; at <= 120s; ++at)
    run_.add(at, "us-west1/checkout/web", {}, sample);
  run_.survivor_queue(21s, 1);
  run_.survivor_queue(60s, 0);
  run_.end();
  EXPECT_EQ(read(20s, {}).detail, "after routed: us-west1 4 -> 5 instances, no queue");
}

/// The definition, tried at each tenth of a second.
std::optional<duration> by_definition(const event_log& log, duration since, duration end,
                                      const recovery_rule& rule) {
  for (auto from = since; from + rule.window <= end; from += 100ms) {
    // Only the instants that the clock looks at.
    bool candidate = from == since || from % 1s == 0s;
    bool good = true;
    bool waiting = false;
    duration filled{};
    std::uint64_t arrivals = 0, completions = 0, seconds = 0;
    const auto to = from + rule.window;
    for (const auto& x : log.events()) {
      const auto at = x.at - run_start;
      if (const auto* queue = std::get_if<queue_changed>(&x.what)) {
        if (waiting && queue->length == 0 && at > filled && filled < to && at > from)
          good = false;
        if (queue->length == 0 && at == from)
          candidate = true;
        waiting = queue->length > 0;
        filled = at;
      } else if (const auto* sample = std::get_if<revision_sample>(&x.what)) {
        if (at - 1s >= from && at <= to) {
          ++seconds;
          arrivals += sample->arrivals;
          completions += sample->completions;
        }
      }
    }
    good = good && !(waiting && filled < to);
    if (candidate && good && seconds > 0 && completions * 100 >= arrivals * 95)
      return from - since;
  }
  return std::nullopt;
}

TEST(Recovery, AgreesWithItsDefinitionOnRandomRuns) {
  random_stream random{11, "recovery"};
  int ended = 0;
  for (int round = 0; round < 300; ++round) {
    log_builder run{40s, 0s};
    const auto often = 1 + random.below(20);
    auto at = 0ms;
    for (bool full = true; at < 40s; full = !full) {
      run.survivor_queue(at, full ? 1 : 0);
      at += 100ms * (1 + random.below(full ? 10 : often * 10));
    }
    for (auto second = 1s; second <= 40s; ++second)
      run.survivor_second(second, 100, static_cast<std::uint32_t>(85 + random.below(25)), 4);
    run.end();
    const recovery_rule rule{.window = std::chrono::seconds{1 + random.below(8)}, .keep_up = 0.95};
    const auto since = 100ms * random.below(100);
    const event_index index{run.log};
    const auto actual =
      read_capacity(index, "checkout", {"us-west1"}, run_start + since, rule).span;
    EXPECT_EQ(actual, by_definition(run.log, since, 40s, rule)) << round;
    ended += actual.has_value();
  }
  EXPECT_GT(ended, 50);
  EXPECT_LT(ended, 290);
}

} // namespace
