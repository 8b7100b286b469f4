#include "model/deadline_queue.hpp"

#include "model/random.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <list>
#include <utility>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

TEST(DeadlineQueue, GivesWhatIsDueInTheOrderInWhichItWasSet) {
  deadline_queue queue;
  EXPECT_EQ(queue.next(), never);
  queue.push(run_start + 1s, 5);
  queue.push(run_start + 1s, 6);
  queue.push(run_start + 2s, 2);
  EXPECT_EQ(queue.next(), run_start + 1s);
  EXPECT_FALSE(queue.pop_due(run_start + 1s - 1ns));
  EXPECT_EQ(queue.pop_due(run_start + 1s), 5u);
  EXPECT_EQ(queue.pop_due(run_start + 1s), 6u);
  EXPECT_FALSE(queue.pop_due(run_start + 1s));
  EXPECT_EQ(queue.next(), run_start + 2s);
}

TEST(DeadlineQueue, ForgetsWhatWasSettledWhereverItStands) {
  deadline_queue queue;
  for (std::uint32_t key = 0; key < 5; ++key)
    queue.push(run_start + 1s, key);
  queue.settle(0);
  queue.settle(2);
  queue.settle(4);
  EXPECT_EQ(queue.pop_due(never), 1u);
  EXPECT_EQ(queue.pop_due(never), 3u);
  EXPECT_FALSE(queue.pop_due(never));
  EXPECT_EQ(queue.next(), never);
}

TEST(DeadlineQueue, ASettledKeyCanBeUsedAgain) {
  deadline_queue queue;
  queue.push(run_start + 1s, 0);
  queue.push(run_start + 1s, 1);
  queue.settle(0);
  queue.push(run_start + 3s, 0);
  EXPECT_EQ(queue.pop_due(never), 1u);
  EXPECT_EQ(queue.next(), run_start + 3s);
}

TEST(DeadlineQueue, DoesWhatAPlainListDoes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    random_stream random{seed, "deadlines"};
    deadline_queue queue;
    std::list<std::pair<instant, std::uint32_t>> reference;
    std::vector<std::uint32_t> free;
    for (std::uint32_t key = 0; key < 50; ++key)
      free.push_back(key);
    auto now = run_start;
    for (int step = 0; step < 5000; ++step) {
      now += duration{static_cast<duration::rep>(random.below(3))};
      const auto action = random.below(3);
      if (action == 0 && !free.empty()) {
        queue.push(now + 40ns, free.back());
        reference.emplace_back(now + 40ns, free.back());
        free.pop_back();
      } else if (action == 1 && !reference.empty()) {
        const auto victim =
          std::next(reference.begin(), static_cast<std::ptrdiff_t>(random.below(reference.size())));
        queue.settle(victim->second);
        free.push_back(victim->second);
        reference.erase(victim);
      } else if (const auto due = queue.pop_due(now)) {
        ASSERT_FALSE(reference.empty());
        ASSERT_EQ(*due, reference.front().second);
        ASSERT_LE(reference.front().first, now);
        free.push_back(*due);
        reference.pop_front();
      } else {
        ASSERT_TRUE(reference.empty() || reference.front().first > now);
      }
      ASSERT_EQ(queue.next(), reference.empty() ? never : reference.front().first);
    }
  }
}

} // namespace
