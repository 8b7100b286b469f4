#include "actors/lane.hpp"

#include "model/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;

/// Notes what it gets and when.
class recorder final : public entity {
public:
  explicit recorder(lane& events) : id(events.allocate()), events_(events) {
    events.bind(id, *this);
  }

  void on_record(const record& x) override {
    seen.emplace_back(events_.now(), x.arg);
    if (reaction)
      reaction(x);
  }

  [[nodiscard]] record numbered(std::uint32_t arg) const {
    record x;
    x.to = id;
    x.arg = arg;
    return x;
  }

  entity_id id;
  std::vector<std::pair<instant, std::uint32_t>> seen;
  std::function<void(const record&)> reaction;

private:
  lane& events_;
};

void run(lane& events) {
  do {
    while (events.deliver_posted()) {}
    if (events.next_due() == never)
      return;
    events.deliver_timer();
  } while (true);
}

class LaneTest : public testing::Test {
protected:
  lane events_;
  recorder who_{events_};

  [[nodiscard]] std::vector<std::uint32_t> order() const {
    std::vector<std::uint32_t> result;
    for (const auto& [when, arg] : who_.seen)
      result.push_back(arg);
    return result;
  }
};

TEST_F(LaneTest, EqualDueTimesFireInTheOrderTheyWereSet) {
  for (std::uint32_t i = 0; i < 100; ++i)
    events_.after(1s, who_.numbered(i));
  run(events_);
  std::vector<std::uint32_t> expected(100);
  for (std::uint32_t i = 0; i < 100; ++i)
    expected[i] = i;
  EXPECT_EQ(order(), expected);
}

TEST_F(LaneTest, PostedRecordsComeAtOnceAndBeforeLaterTimers) {
  events_.after(0s, who_.numbered(1));
  events_.post(who_.numbered(2));
  events_.post(who_.numbered(3));
  run(events_);
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{2, 3, 1}));
}

TEST_F(LaneTest, ATimeThatPassedCountsAsNow) {
  events_.advance(run_start + 5s);
  events_.at(run_start + 1s, who_.numbered(1));
  run(events_);
  ASSERT_EQ(who_.seen.size(), 1u);
  EXPECT_EQ(who_.seen[0].first, run_start + 5s);
}

TEST_F(LaneTest, ACancelledTimerNeverFiresAndItsIdStaysHarmless) {
  const auto first = events_.after(1s, who_.numbered(1));
  events_.after(2s, who_.numbered(2));
  EXPECT_TRUE(events_.cancel(first));
  EXPECT_FALSE(events_.cancel(first));
  run(events_);
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{2}));
  // The slot is used again; the old id must not reach the new timer.
  events_.after(1s, who_.numbered(3));
  EXPECT_FALSE(events_.cancel(first));
  run(events_);
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{2, 3}));
}

TEST_F(LaneTest, RecordsForSomebodyWhoIsNoMoreAreCounted) {
  events_.after(1s, who_.numbered(1));
  events_.bury(who_.id);
  run(events_);
  EXPECT_TRUE(who_.seen.empty());
  EXPECT_EQ(events_.buried(), 1u);
}

TEST_F(LaneTest, PendingCountsWhatSatisfiesTheConditionAndWasNotCancelled) {
  events_.after(1s, who_.numbered(1));
  const auto dropped = events_.after(1s, who_.numbered(2));
  events_.after(1s, who_.numbered(3));
  events_.cancel(dropped);
  EXPECT_EQ(events_.pending([](const record&) { return true; }), 2u);
  EXPECT_EQ(events_.pending([](const record& x) { return x.arg == 3; }), 1u);
}

TEST_F(LaneTest, AnyMixOfTimersAndCancellationsFiresInOrderOfTimeThenOfSetting) {
  struct expectation {
    instant due;
    std::uint32_t number;
    bool cancelled;
  };
  random_stream random{7, "lane"};
  std::vector<expectation> expected;
  std::vector<timer_id> timers;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const auto due = run_start + std::chrono::milliseconds{random.below(1000)};
    timers.push_back(events_.at(due, who_.numbered(i)));
    expected.push_back({due, i, false});
    // Most are cancelled, so that the heap is rebuilt on the way.
    if (random.unit() < 0.8) {
      const auto victim = random.below(timers.size());
      const auto cancelled = events_.cancel(timers[victim]);
      EXPECT_EQ(cancelled, !expected[victim].cancelled);
      expected[victim].cancelled = true;
    }
  }
  run(events_);
  std::erase_if(expected, [](const expectation& x) { return x.cancelled; });
  std::stable_sort(expected.begin(), expected.end(),
                   [](const expectation& a, const expectation& b) { return a.due < b.due; });
  ASSERT_EQ(who_.seen.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(who_.seen[i], std::pair(expected[i].due, expected[i].number));
}

TEST_F(LaneTest, TheFifoGrowsWhileItIsInUse) {
  std::uint32_t posted = 0;
  who_.reaction = [&](const record&) {
    for (int i = 0; i < 3 && posted < 10'000; ++i)
      events_.post(who_.numbered(++posted));
  };
  events_.post(who_.numbered(0));
  run(events_);
  ASSERT_EQ(who_.seen.size(), 10'001u);
  const auto seen = order();
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

} // namespace
} // namespace spillover
