#include "producers/fleet.hpp"

#include <gtest/gtest.h>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using enum instance_state;

/// Removes what is not needed at once, as Kubernetes does.
class FleetRemoval : public testing::Test {
protected:
  void make(std::uint32_t running, std::uint32_t beginning = 0) {
    fleet_.recommend(running + beginning, now_);
    for (std::uint32_t i = 0; i < running + beginning; ++i)
      fleet_.start(now_);
    for (std::uint32_t i = 0; i < running; ++i)
      EXPECT_EQ(fleet_.became_ready(i, now_).after, ready);
  }

  /// States by index, one letter each: s(tarting), r(eady), d(eprioritised), D(raining), c, x.
  [[nodiscard]] std::string states() const {
    std::string result;
    for (std::uint32_t i = 0; i < fleet_.size(); ++i)
      result += "srdDcx"[static_cast<std::size_t>(fleet_.state(i))];
    return result;
  }

  fleet fleet_{{.drain_deadline = 1min}, surplus::removed};
  instant now_ = run_start;
};

TEST_F(FleetRemoval, TheYoungestGoFirstAndDrain) {
  make(4);
  EXPECT_EQ(fleet_.recommend(2, now_),
            (std::vector<fleet::change>{{3, ready, draining, "no longer needed"},
                                        {2, ready, draining, "no longer needed"}}));
  EXPECT_EQ(states(), "rrDD");
  EXPECT_EQ(fleet_.count().members(), 2u);
  EXPECT_TRUE(fleet_.recommend(2, now_).empty()) << "what drains is gone already";
}

TEST_F(FleetRemoval, StartingOnesGoBeforeCrashedOnesBeforeReadyOnes) {
  struct {
    std::uint32_t count;
    const char* states;
  } const cases[] = {{5, "rcrsx"}, {4, "rcrsx"}, {3, "rcrxx"}, {2, "rxrxx"}, {1, "rxDxx"}};
  make(3, 2);
  fleet_.crash(1, now_);
  EXPECT_EQ(states(), "rcrss");
  fleet_.recommend(4, now_);
  for (const auto& x : cases) {
    fleet_.recommend(x.count, now_);
    EXPECT_EQ(states(), x.states) << x.count;
  }
}

TEST_F(FleetRemoval, NothingIsEverDeprioritised) {
  make(2, 1);
  fleet_.recommend(2, now_);
  EXPECT_EQ(states(), "rrx");
  fleet_.recommend(4, now_);
  EXPECT_EQ(fleet_.missing(), 2u);
  const auto late = fleet_.start(now_);
  EXPECT_EQ(fleet_.became_ready(late, now_), (fleet::change{late, starting, ready, "started"}));
  for (int i = 0; i < 2000; ++i)
    EXPECT_TRUE(fleet_.observe(now_ += 1s, {}).empty()) << "idle ones stay while they are wanted";
}

TEST_F(FleetRemoval, ABusyOneLeavesWhenItIsDoneOrAtTheDeadline) {
  make(2);
  fleet_.busy(0, 3, now_);
  fleet_.busy(1, 1, now_);
  fleet_.recommend(0, now_);
  EXPECT_EQ(states(), "DD") << "even the last, even with a request";
  EXPECT_TRUE(fleet_.stop_drained(now_ + 59s).empty());
  fleet_.busy(1, 0, now_ + 59s);
  EXPECT_EQ(fleet_.stop_drained(now_ + 59s),
            (std::vector<fleet::change>{{1, draining, stopped, "drained"}}));
  EXPECT_EQ(fleet_.stop_drained(now_ + 1min),
            (std::vector<fleet::change>{{0, draining, stopped, "drain deadline"}}));
}

} // namespace
} // namespace spillover
