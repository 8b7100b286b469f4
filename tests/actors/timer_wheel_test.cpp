#include "actors/timer_wheel.hpp"

#include "model/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <vector>

namespace spillover {
namespace {

using key = timer_wheel::key;

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t hour = 3600 * second;
constexpr std::int64_t day = 24 * hour;

std::string text_of(key x) {
  return std::to_string(timer_wheel::due_of(x)) + "/" + std::to_string(timer_wheel::rest_of(x));
}

/// A wheel beside a heap that does the same.
class twin {
public:
  void push(std::int64_t due, std::uint64_t rest) {
    const auto x = timer_wheel::make_key(due, rest);
    wheel_.push(x);
    heap_.push(x);
  }

  /// Takes out the first key, which moves time.
  void pop() {
    ASSERT_FALSE(wheel_.empty());
    peek();
    now = timer_wheel::due_of(heap_.top());
    wheel_.pop();
    heap_.pop();
  }

  void peek() {
    const auto x = wheel_.top();
    ASSERT_TRUE(x == heap_.top()) << text_of(x) << ", expected " << text_of(heap_.top());
  }

  void check() const {
    ASSERT_EQ(wheel_.size(), heap_.size());
    ASSERT_EQ(wheel_.empty(), heap_.empty());
  }

  /// Takes out all of both and compares.
  std::vector<key> take_all() {
    auto taken = wheel_.take_all();
    std::sort(taken.begin(), taken.end());
    for (const auto x : taken) {
      if (heap_.empty() || heap_.top() != x) {
        ADD_FAILURE() << text_of(x) << " is too much";
        return taken;
      }
      heap_.pop();
    }
    EXPECT_TRUE(heap_.empty());
    EXPECT_TRUE(wheel_.empty());
    return taken;
  }

  [[nodiscard]] std::size_t size() const { return heap_.size(); }

  std::int64_t now = 0;

private:
  timer_wheel wheel_;
  std::priority_queue<key, std::vector<key>, std::greater<>> heap_;
};

/// @returns a due time of any kind: now, soon, later, near the ends of buckets of any level.
std::int64_t any_due(random_stream& random, std::int64_t now) {
  const auto up_to = [&random](std::int64_t most) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most)));
  };
  switch (random.below(8)) {
    case 0: return now;
    case 1: return now + up_to(4);
    case 2: return now + up_to(1 << 16);
    case 3: return now + up_to(second);
    case 4: return now + up_to(hour) / (1 + up_to(10'000));
    case 5: return now + (random.below(1000) == 0 ? up_to(100 * day) : up_to(6 * hour));
    case 6: return (now + up_to(second)) / 1'000'000 * 1'000'000 + 1'000'000;
    default: break;
  }
  // A bucket's end, mostly of a fine level, and what is just before and after it.
  const auto shift = 14 + 8 * (random.below(100) == 0 ? random.below(5) : random.below(3));
  const auto end = ((now >> shift) + 1 + up_to(3)) << shift;
  return std::max(now, end - 1 + up_to(3));
}

// Pushes and pops by turns, so that the wheel fills and empties again and again.
void churn(std::uint64_t seed, std::size_t most, std::uint64_t operations) {
  random_stream random{seed, "churn"};
  twin both;
  auto filling = true;
  std::uint64_t order = 0;
  for (std::uint64_t i = 0; i < operations; ++i) {
    if (both.size() == 0)
      filling = true;
    else if (both.size() >= most)
      filling = false;
    if (random.below(4) != 0 ? filling : !filling) {
      const auto due = any_due(random, both.now);
      // A burst at a time, in whatever order.
      for (auto burst = random.below(64) == 0 ? random.below(20) : 1; burst > 0; --burst)
        both.push(due, random.below(2) == 0 ? ++order : random.bits());
    } else if (both.size() != 0) {
      both.pop();
    }
    if (random.below(16) == 0 && both.size() != 0)
      both.peek();
    if (random.below(100'000) == 0)
      for (const auto x : both.take_all())
        if (random.below(2) == 0)
          both.push(timer_wheel::due_of(x), timer_wheel::rest_of(x));
    both.check();
    if (testing::Test::HasFailure())
      FAIL() << "in operation " << i;
  }
  while (both.size() != 0 && !testing::Test::HasFailure())
    both.pop();
  both.check();
}

TEST(TimerWheel, DoesWhatAHeapDoes) {
  struct {
    const char* why;
    std::size_t most;
    std::uint64_t operations;
  } const cases[] = {
    {"never more than one", 1, 100'000},
    {"a few", 8, 400'000},
    {"hundreds", 500, 600'000},
    {"tens of thousands", 50'000, 1'000'000},
  };
  std::uint64_t seed = 0;
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    churn(++seed, x.most, x.operations);
    churn(seed + 100, x.most, x.operations / 4);
  }
}

TEST(TimerWheel, EqualTimesComeInTheOrderOfTheLowerHalf) {
  random_stream random{1, "burst"};
  for (const auto due : {std::int64_t{0}, std::int64_t{1} << 14, 5 * second, 40 * day}) {
    SCOPED_TRACE(due);
    twin both;
    for (int i = 0; i < 1000; ++i)
      both.push(due, random.bits());
    for (int i = 0; i < 500; ++i)
      both.pop();
    // More at the time that is being emptied, also before what came already.
    for (int i = 0; i < 1000; ++i)
      both.push(both.now, random.bits());
    while (both.size() != 0)
      both.pop();
    EXPECT_EQ(both.now, due);
  }
}

TEST(TimerWheel, KeepsTheOrderAroundTheEndsOfBuckets) {
  for (const auto start : {std::int64_t{0}, std::int64_t{1}, (std::int64_t{1} << 14) - 1,
                           (std::int64_t{1} << 22) - 1, 12345 * second, 300 * day + 7}) {
    for (const auto looks : {false, true}) {
      SCOPED_TRACE(std::to_string(start) + (looks ? ", looked at" : ""));
      twin both;
      both.push(start, 0);
      both.pop();
      std::uint64_t order = 0;
      for (const auto shift : {54, 46, 38, 30, 22, 14}) {
        for (std::int64_t ahead = 1; ahead <= 3; ++ahead) {
          const auto end = ((start >> shift) + ahead) << shift;
          for (const auto off : {1, 0, -1})
            both.push(std::max(start, end + off), ++order);
          // Brings the next key near, so that the wheel is ahead of time.
          if (looks)
            both.peek();
        }
      }
      while (both.size() != 0)
        both.pop();
      both.check();
    }
  }
}

TEST(TimerWheel, JumpsOverDaysAndYears) {
  twin both;
  std::uint64_t order = 0;
  for (const auto span : {day, 7 * day, 30 * day, 365 * day, 3650 * day}) {
    for (int i = 1; i <= 3; ++i)
      both.push(both.now + i * span, ++order);
    both.push(both.now, ++order);
    both.pop();
    both.pop();
    // Soon, now that it has jumped.
    both.push(both.now, ++order);
    both.push(both.now + 1, ++order);
    both.push(both.now + hour, ++order);
    both.pop();
  }
  while (both.size() != 0)
    both.pop();
  EXPECT_GT(both.now, 3 * 3650 * day);
}

TEST(TimerWheel, TakesAllOutAndGoesOn) {
  random_stream random{1, "take_all"};
  twin both;
  EXPECT_TRUE(both.take_all().empty());
  for (int round = 0; round < 50; ++round) {
    for (std::uint64_t i = 0; i < 200; ++i)
      both.push(any_due(random, both.now), i);
    for (int i = 0; i < 50; ++i)
      both.pop();
    EXPECT_EQ(both.take_all().size(), 150u);
  }
  // The wheel had looked far ahead; what comes now may be due long before.
  both.push(both.now + day, 1);
  both.peek();
  both.take_all();
  both.push(both.now, 2);
  both.push(both.now + second, 3);
  both.push(both.now + 2 * day, 4);
  for (int i = 0; i < 3; ++i)
    both.pop();
  both.check();
}

} // namespace
} // namespace spillover
