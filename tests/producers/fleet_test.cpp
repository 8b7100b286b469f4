#include "producers/fleet.hpp"

#include "model/random.hpp"

#include <gtest/gtest.h>

#include <map>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using enum instance_state;

/// A fleet that is driven second by second.
class Fleet : public testing::Test {
protected:
  void make(std::uint32_t ready, const scale_in_config& config = {}) {
    fleet_.emplace(config);
    now_ = run_start;
    utilisation_.assign(ready, 0);
    fleet_->recommend(ready, now_);
    for (std::uint32_t i = 0; i < ready; ++i)
      EXPECT_EQ(fleet_->became_ready(fleet_->start(now_), now_).after, ready_);
  }

  /// States by index, one letter each: s(tarting), r(eady), d(eprioritised), D(raining), c, x.
  [[nodiscard]] std::string states() const {
    std::string result;
    for (std::uint32_t i = 0; i < fleet_->size(); ++i)
      result += "srdDcx"[static_cast<std::size_t>(fleet_->state(i))];
    return result;
  }

  /// Lets seconds pass.
  /// @returns each change with the second, counted from here, at which it came
  std::vector<std::pair<int, fleet::change>> pass(int seconds) {
    std::vector<std::pair<int, fleet::change>> result;
    for (int i = 1; i <= seconds; ++i)
      for (const auto& x : fleet_->observe(now_ += 1s, utilisation_))
        result.emplace_back(i, x);
    return result;
  }

  static constexpr auto ready_ = instance_state::ready;
  std::optional<fleet> fleet_;
  instant now_ = run_start;
  std::vector<std::uint32_t> utilisation_;
};

TEST_F(Fleet, StartsWhatIsMissing) {
  fleet x{{}};
  EXPECT_TRUE(x.recommend(3, run_start).empty());
  EXPECT_EQ(x.missing(), 3u);
  EXPECT_EQ(x.start(run_start), 0u);
  EXPECT_EQ(x.start(run_start), 1u);
  EXPECT_EQ(x.missing(), 1u);
  EXPECT_EQ(x.count().starting, 2u);
  EXPECT_EQ(x.became_ready(1, run_start), (fleet::change{1, starting, ready, "started"}));
  EXPECT_EQ(x.count().members(), 2u);
}

TEST_F(Fleet, A_24_TheYoungestSurplusIsDeprioritisedAndTheOldestComeBackFirst) {
  make(5);
  const auto down = fleet_->recommend(2, now_);
  ASSERT_EQ(down.size(), 3u);
  EXPECT_EQ(down[0], (fleet::change{4, ready, deprioritised, "more than recommended"}));
  EXPECT_EQ(states(), "rrddd");
  EXPECT_EQ(fleet_->missing(), 0u);
  EXPECT_TRUE(fleet_->recommend(2, now_).empty()) << "the same again changes nothing";
  const auto up = fleet_->recommend(4, now_);
  ASSERT_EQ(up.size(), 2u);
  EXPECT_EQ(up[0], (fleet::change{2, deprioritised, ready, "needed again"}));
  EXPECT_EQ(states(), "rrrrd");
  fleet_->recommend(7, now_);
  EXPECT_EQ(states(), "rrrrr");
  EXPECT_EQ(fleet_->missing(), 2u);
}

TEST_F(Fleet, StartingOnesAmongTheSurplusStartAndAreDeprioritisedThen) {
  make(3);
  fleet_->recommend(6, now_);
  for (int i = 0; i < 3; ++i)
    fleet_->start(now_);
  EXPECT_TRUE(fleet_->recommend(4, now_).empty());
  EXPECT_EQ(fleet_->became_ready(4, now_).after, ready);
  EXPECT_EQ(fleet_->became_ready(3, now_).after, deprioritised);
  EXPECT_EQ(fleet_->became_ready(5, now_).after, deprioritised);
  EXPECT_EQ(states(), "rrrdrd");
}

TEST_F(Fleet, GA_23_LeavesWhenAMinuteWasBelowTenPercent) {
  struct {
    const char* why;
    std::uint32_t utilisation;
    int expected;
  } const cases[] = {
    {"GA-23: from 60 %, at 50 s it is 10 % exactly", 600, 51},
    {"GA-23: from 90 %, after 53.33 s", 900, 54},
    {"idle all the time: at once", 0, 1},
    {"at 9.9 % all the time: at once", 99, 1},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    make(2);
    utilisation_ = {x.utilisation, x.utilisation};
    pass(60);
    fleet_->recommend(1, now_);
    EXPECT_EQ(states(), "rd");
    if (x.utilisation >= 100)
      utilisation_[1] = 0;
    const auto changes = pass(60);
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].first, x.expected);
    EXPECT_EQ(changes[0].second, (fleet::change{1, deprioritised, draining, "low utilisation"}));
  }
}

TEST_F(Fleet, A_26_TenPercentExactlyStays) {
  make(2);
  utilisation_ = {100, 100};
  pass(60);
  fleet_->recommend(1, now_);
  EXPECT_TRUE(pass(600).empty());
}

TEST_F(Fleet, OnlyAWholeWindowCounts) {
  make(2);
  pass(20);
  fleet_->recommend(1, now_);
  const auto changes = pass(60);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].first, 40) << "it had 20 s of its minute before";
}

TEST_F(Fleet, GA_24_GroupTwoLeavesAfterItsIdleTimeout) {
  for (const auto timeout : {900s, 600s}) {
    make(3, {.idle_timeout = timeout});
    fleet_->busy(1, 1, now_);
    fleet_->busy(2, 1, now_);
    pass(100);
    fleet_->busy(1, 0, now_);
    const auto ended = now_;
    utilisation_ = {500, 500, 500}; // group 1 leaves by utilisation only
    pass(60);
    fleet_->recommend(1, now_);
    EXPECT_EQ(states(), "rdd");
    const auto changes = pass(2000);
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].second, (fleet::change{1, deprioritised, draining, "idle timeout"}));
    EXPECT_EQ(ended + 60s + changes[0].first * 1s, ended + timeout);
  }
}

TEST_F(Fleet, A_27_HearingAgainThatItIsIdleStartsNothingAnew) {
  make(3);
  fleet_->recommend(1, now_);
  utilisation_ = {500, 500, 500};
  EXPECT_TRUE(pass(500).empty());
  fleet_->busy(1, 0, now_);
  const auto changes = pass(400);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].second, (fleet::change{1, deprioritised, draining, "idle timeout"}));
}

TEST_F(Fleet, A_27_ARequestStartsTheIdleTimeAnew) {
  make(3);
  fleet_->recommend(1, now_);
  utilisation_ = {500, 500, 500};
  EXPECT_TRUE(pass(899).empty());
  fleet_->busy(1, 1, now_);
  EXPECT_TRUE(pass(1000).empty()) << "a request is in flight";
  fleet_->busy(1, 2, now_);
  fleet_->busy(1, 0, now_);
  const auto changes = pass(900);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].first, 900);
}

TEST_F(Fleet, A_25_HalfOfTheSurplusRoundedUpIsInGroupOneTheYoungestFirst) {
  make(6);
  fleet_->recommend(1, now_);
  const auto first = pass(60);
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(states(), "rddDDD");
  EXPECT_EQ(first[0].second.index, 5u);
  EXPECT_TRUE(pass(839).empty());
  EXPECT_EQ(pass(1).size(), 2u);
  EXPECT_EQ(states(), "rDDDDD");
}

TEST_F(Fleet, WhoeverBecomesSurplusLaterKeepsTheGroupsBalanced) {
  make(6);
  pass(10);
  for (const std::uint32_t count : {5u, 4u, 3u, 2u})
    fleet_->recommend(count, now_);
  EXPECT_EQ(states(), "rrdddd");
  pass(50);
  EXPECT_EQ(states(), "rrdDdD") << "5 and 3 were in group 1";
}

TEST_F(Fleet, DoesNotDrainForInstancesThatDoNotRun) {
  make(4);
  EXPECT_EQ(fleet_->crash(0, now_), (fleet::change{0, ready, crashed, "crashed"}));
  EXPECT_EQ(fleet_->crash(1, now_).after, crashed);
  fleet_->recommend(4, now_);
  EXPECT_EQ(fleet_->missing(), 0u) << "a crashed one is still a member";
  pass(120);
  EXPECT_EQ(states(), "ccrr");
  fleet_->recommend(3, now_);
  EXPECT_EQ(states(), "cxrr") << "the youngest crashed one is not needed";
  EXPECT_EQ(fleet_->restart(0, now_), (fleet::change{0, crashed, starting, "restarted"}));
  EXPECT_TRUE(pass(1000).empty());
  EXPECT_EQ(fleet_->became_ready(0, now_).after, ready);
}

TEST_F(Fleet, ACrashAmongTheReadyBringsADeprioritisedOneBack) {
  make(4);
  fleet_->recommend(3, now_);
  EXPECT_EQ(states(), "rrrd");
  fleet_->crash(1, now_);
  EXPECT_TRUE(pass(60).empty()) << "three run, and three are recommended";
  fleet_->recommend(3, now_);
  EXPECT_EQ(states(), "rxrr");
}

TEST_F(Fleet, ARestartBeginsAnotherWindow) {
  make(2);
  pass(100);
  fleet_->crash(1, now_);
  fleet_->restart(1, now_);
  fleet_->recommend(1, now_);
  EXPECT_EQ(fleet_->became_ready(1, now_).after, deprioritised);
  const auto changes = pass(60);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].first, 60);
}

TEST_F(Fleet, A_30_TheLastInstanceIsNotTakenFromItsRequest) {
  make(2);
  fleet_->busy(0, 1, now_);
  fleet_->busy(1, 1, now_);
  fleet_->recommend(0, now_);
  EXPECT_EQ(states(), "rd");
  fleet_->busy(0, 0, now_);
  fleet_->recommend(0, now_);
  EXPECT_EQ(states(), "dd");
  fleet_->busy(0, 1, now_);
  pass(2000);
  EXPECT_EQ(states(), "dD") << "the last one that runs got a request again";
  fleet_->busy(0, 0, now_);
  pass(900);
  EXPECT_EQ(states(), "DD");
}

TEST_F(Fleet, A_30_TheLastInstanceOfGroupOneStaysForItsRequestToo) {
  make(1);
  pass(59);
  fleet_->recommend(0, now_);
  EXPECT_EQ(states(), "d");
  fleet_->busy(0, 1, now_);
  EXPECT_TRUE(pass(100).empty()) << "whatever its utilisation is";
  fleet_->busy(0, 0, now_);
  EXPECT_EQ(pass(1).size(), 1u);
}

TEST_F(Fleet, A_55_DrainingOnesStopWhenEmptyOrAtTheDeadline) {
  make(3, {.drain_deadline = 20s});
  fleet_->busy(1, 2, now_);
  fleet_->busy(2, 1, now_);
  pass(60);
  fleet_->recommend(1, now_);
  pass(1);
  EXPECT_EQ(states(), "rdD");
  EXPECT_EQ(fleet_->count().members(), 2u);
  EXPECT_TRUE(fleet_->stop_drained(now_ + 20s - 1ns).empty());
  EXPECT_EQ(fleet_->stop_drained(now_ + 20s),
            (std::vector{fleet::change{2, draining, stopped, "drain deadline"}}));
  fleet_->busy(2, 0, now_ + 21s);
  EXPECT_EQ(fleet_->state(2), stopped);

  make(2);
  fleet_->busy(1, 1, now_);
  pass(60);
  fleet_->recommend(1, now_);
  pass(1);
  EXPECT_TRUE(fleet_->stop_drained(now_).empty());
  fleet_->busy(1, 0, now_);
  EXPECT_EQ(fleet_->stop_drained(now_),
            (std::vector{fleet::change{1, draining, stopped, "drained"}}));
  EXPECT_EQ(fleet_->start(now_), 2u) << "indices are never used again";
}

TEST_F(Fleet, ADrainingOneThatCrashesIsGone) {
  make(2);
  fleet_->busy(1, 1, now_);
  pass(60);
  fleet_->recommend(1, now_);
  pass(1);
  EXPECT_EQ(fleet_->crash(1, now_),
            (fleet::change{1, draining, stopped, "crashed while draining"}));
  EXPECT_TRUE(fleet_->stop_drained(now_).empty());
}

/// Follows what a fleet says, and complains about what cannot be.
class observer {
public:
  void started(std::uint32_t index) {
    EXPECT_EQ(states.count(index), 0u);
    states[index] = starting;
  }

  void changed(const fleet::change& x) {
    EXPECT_EQ(states[x.index], x.before);
    EXPECT_TRUE(legal(x.before, x.after)) << to_string(x.before) << " to " << to_string(x.after);
    EXPECT_FALSE(x.reason.empty());
    states[x.index] = x.after;
  }

  void changed(const std::vector<fleet::change>& changes) {
    for (const auto& x : changes)
      changed(x);
  }

  [[nodiscard]] std::uint32_t count(instance_state x) const {
    std::uint32_t result = 0;
    for (const auto& [index, state] : states)
      result += state == x ? 1u : 0u;
    return result;
  }

  std::map<std::uint32_t, instance_state> states;

private:
  static bool legal(instance_state before, instance_state after) {
    switch (before) {
      case starting: return after == ready || after == deprioritised || after == crashed;
      case ready: return after == deprioritised || after == crashed;
      case deprioritised: return after == ready || after == draining || after == crashed;
      case draining: return after == stopped;
      case crashed: return after == starting || after == stopped;
      case stopped: return false;
    }
    return false;
  }
};

TEST_F(Fleet, KeepsItsPromisesUnderRandomOperations) {
  random_stream random{1, "fleet"};
  fleet x{{.window = 5s, .idle_timeout = 20s, .drain_deadline = 8s}};
  observer seen;
  std::map<std::uint32_t, std::uint32_t> in_flight;
  auto now = run_start;
  for (int i = 0; i < 30'000; ++i) {
    SCOPED_TRACE(i);
    const auto index = x.size() == 0 ? 0u : static_cast<std::uint32_t>(random.below(x.size()));
    const auto state = x.size() == 0 ? stopped : x.state(index);
    const auto what = random.below(100);
    if (what < 4) {
      const auto count = static_cast<std::uint32_t>(random.below(12));
      seen.changed(x.recommend(count, now));
      EXPECT_EQ(x.recommended(), count);
      const auto running = x.count().ready + x.count().deprioritised;
      EXPECT_GE(x.count().ready, std::min(running, count));
      while (x.missing() > 0)
        seen.started(x.start(now));
      EXPECT_GE(x.count().members(), count);
    } else if (what < 60) {
      // Mostly the younger ones, because the old ones are gone.
      const auto young = x.size() < 20 ? index : x.size() - 1 - index % 20;
      const auto y = x.size() == 0 ? stopped : x.state(young);
      if (y == starting) {
        seen.changed(x.became_ready(young, now));
      } else if (y == ready || y == deprioritised || y == draining) {
        auto& n = in_flight[young];
        n = random.below(2) == 0 || y == draining ? n - (n > 0 ? 1 : 0) : n + 1;
        x.busy(young, n, now);
      }
    } else if (what < 62 && state != crashed && state != stopped) {
      seen.changed(x.crash(index, now));
      in_flight[index] = 0;
    } else if (what < 66 && state == crashed) {
      seen.changed(x.restart(index, now));
    } else if (what < 95) {
      std::vector<std::uint32_t> utilisation(x.size());
      for (auto& u : utilisation)
        u = static_cast<std::uint32_t>(random.below(250));
      const auto before = x.count().ready + x.count().deprioritised;
      seen.changed(x.observe(now += 1s, utilisation));
      const auto after = x.count().ready + x.count().deprioritised;
      EXPECT_GE(after, std::min(before, x.recommended()));
    } else {
      for (const auto& change : x.stop_drained(now)) {
        seen.changed(change);
        if (change.reason == "drained") {
          EXPECT_EQ(in_flight[change.index], 0u);
        }
      }
    }
    ASSERT_EQ(x.count().starting, seen.count(starting));
    ASSERT_EQ(x.count().ready, seen.count(ready));
    ASSERT_EQ(x.count().deprioritised, seen.count(deprioritised));
    ASSERT_EQ(x.count().draining, seen.count(draining));
    ASSERT_EQ(x.count().crashed, seen.count(crashed));
    if (HasFailure())
      return;
  }
  EXPECT_GT(seen.count(stopped), 500u);
}

TEST(ScaleInConfig, IsCheckedFieldByField) {
  EXPECT_TRUE(validate(scale_in_config{}).empty());
  EXPECT_EQ(validate(scale_in_config{0, 0s, 0s, 0s}).size(), 4u);
  EXPECT_EQ(validate(scale_in_config{.low_utilisation = 1.1, .window = 1500ms}).size(), 2u);
  EXPECT_EQ(validate(scale_in_config{.window = 3601s}).size(), 1u);
}

} // namespace
} // namespace spillover
