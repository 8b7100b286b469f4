#include "producers/pending_queue.hpp"

#include "model/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace spillover {
namespace {

using namespace std::chrono_literals;

constexpr auto nobody_coming = pending_queue::no_instance;
constexpr auto limit = 10s;

TEST(PendingQueue, A_39_ServesInTheOrderOfArrival) {
  pending_queue x;
  EXPECT_FALSE(x.pop());
  x.push(4, run_start, nobody_coming);
  x.push(2, run_start + 1s, 7);
  EXPECT_EQ(x.size(), 2u);
  const auto first = x.pop();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->request, 4u);
  EXPECT_EQ(first->reserved, nobody_coming);
  const auto second = x.pop();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->request, 2u);
  EXPECT_EQ(second->since, run_start + 1s);
  EXPECT_EQ(second->reserved, 7u);
  EXPECT_TRUE(x.empty());
}

TEST(PendingQueue, A_36_MeetsTheLimitTwice) {
  pending_queue x;
  EXPECT_EQ(x.next_due(limit), never);
  x.push(1, run_start, nobody_coming);
  x.push(2, run_start + 3s, nobody_coming);
  EXPECT_EQ(x.next_due(limit), run_start + 10s);
  EXPECT_FALSE(x.first_overdue(run_start + 10s - 1ns, limit));
  ASSERT_TRUE(x.first_overdue(run_start + 10s, limit));
  EXPECT_EQ(x.first_overdue(run_start + 10s, limit)->request, 1u);
  x.extend_first(5);
  EXPECT_EQ(x.reserved_on(5), 1u);
  EXPECT_EQ(x.unreserved(), 1u);
  EXPECT_FALSE(x.first_overdue(run_start + 10s, limit));
  EXPECT_EQ(x.next_due(limit), run_start + 13s);
  x.extend_first(nobody_coming);
  EXPECT_EQ(x.next_due(limit), run_start + 20s);
  EXPECT_FALSE(x.pop_expired(run_start + 20s - 1ns, limit));
  const auto gone = x.pop_expired(run_start + 20s, limit);
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->request, 1u);
  EXPECT_TRUE(gone->extended);
  EXPECT_EQ(x.next_due(limit), run_start + 23s);
  EXPECT_EQ(x.reserved_on(5), 0u);
}

TEST(PendingQueue, FollowsALimitThatChanges) {
  pending_queue x;
  x.push(1, run_start, nobody_coming);
  EXPECT_EQ(x.next_due(70s), run_start + 70s);
  EXPECT_EQ(x.next_due(14s), run_start + 14s);
  EXPECT_EQ(x.next_due(duration::max()), never);
}

TEST(PendingQueue, RemovesWhereverARequestWaits) {
  pending_queue x;
  for (std::uint32_t i = 0; i < 5; ++i)
    x.push(i, run_start + i * 1s, i % 2 == 0 ? nobody_coming : 3);
  EXPECT_FALSE(x.remove(17));
  ASSERT_TRUE(x.remove(1));
  EXPECT_FALSE(x.remove(1)) << "only once";
  EXPECT_EQ(x.reserved_on(3), 1u);
  ASSERT_TRUE(x.remove(0));
  EXPECT_EQ(x.next_due(limit), run_start + 12s);
  EXPECT_EQ(x.pop()->request, 2u);
  ASSERT_TRUE(x.remove(4));
  EXPECT_EQ(x.pop()->request, 3u);
  EXPECT_TRUE(x.empty());
  x.push(1, run_start + 9s, nobody_coming);
  EXPECT_EQ(x.pop()->request, 1u) << "keys are used again";
}

TEST(PendingQueue, ReleasingAnInstanceFreesAllWhoCountOnIt) {
  pending_queue x;
  x.push(1, run_start, 3);
  x.push(2, run_start, 3);
  x.push(3, run_start, 4);
  EXPECT_EQ(x.unreserved(), 0u);
  x.release(3);
  x.release(99);
  EXPECT_EQ(x.unreserved(), 2u);
  EXPECT_EQ(x.reserved_on(3), 0u);
  x.push(4, run_start, 3);
  EXPECT_EQ(x.reserved_on(3), 1u) << "the same instance, started again";
  EXPECT_EQ(x.pop()->reserved, nobody_coming)
    << "whoever counted on its earlier start does not now";
  EXPECT_EQ(x.reserved_on(3), 1u);
}

/// The same with a plain list.
struct plain_queue {
  std::vector<pending_queue::entry> entries;

  std::vector<pending_queue::entry>::iterator fresh() {
    return std::find_if(entries.begin(), entries.end(), [](const auto& x) { return !x.extended; });
  }

  std::optional<pending_queue::entry> take(std::vector<pending_queue::entry>::iterator at) {
    const auto result = *at;
    entries.erase(at);
    return result;
  }
};

void expect_equal(const std::optional<pending_queue::entry>& x,
                  const std::optional<pending_queue::entry>& y) {
  ASSERT_EQ(x.has_value(), y.has_value());
  if (!x)
    return;
  EXPECT_EQ(x->request, y->request);
  EXPECT_EQ(x->since, y->since);
  EXPECT_EQ(x->reserved, y->reserved);
  EXPECT_EQ(x->extended, y->extended);
}

/// Compares all that a queue tells without changing.
void expect_same(const pending_queue& queue, const plain_queue& model, duration span) {
  auto due = never;
  for (const auto& x : model.entries)
    due = std::min(due, x.since + (x.extended ? 2 : 1) * span);
  ASSERT_EQ(queue.next_due(span), due);
  ASSERT_EQ(queue.size(), model.entries.size());
  std::size_t unreserved = model.entries.size();
  for (std::uint32_t index = 0; index < 6; ++index) {
    const auto count = std::count_if(model.entries.begin(), model.entries.end(),
                                     [index](const auto& x) { return x.reserved == index; });
    ASSERT_EQ(queue.reserved_on(index), static_cast<std::uint32_t>(count));
    unreserved -= static_cast<std::size_t>(count);
  }
  ASSERT_EQ(queue.unreserved(), unreserved);
}

TEST(PendingQueue, AgreesWithAPlainList) {
  random_stream random{1, "pending_queue"};
  for (const std::uint64_t busy : {20u, 45u}) { // of 100 steps, those that add
    pending_queue queue;
    plain_queue model;
    auto now = run_start;
    const auto some_instance = [&] {
      return random.below(3) == 0 ? nobody_coming : static_cast<std::uint32_t>(random.below(6));
    };
    for (int i = 0; i < 40'000; ++i) {
      SCOPED_TRACE(i);
      now += duration{static_cast<duration::rep>(random.below(400'000'000))};
      const auto span = std::chrono::seconds{5 + random.below(10)};
      const auto what = random.below(100);
      if (what < busy) {
        const auto request = static_cast<std::uint32_t>(random.below(500));
        const auto same = [request](const auto& x) { return x.request == request; };
        if (std::none_of(model.entries.begin(), model.entries.end(), same)) {
          const auto reserved = some_instance();
          queue.push(request, now, reserved);
          model.entries.push_back({request, now, reserved, false});
        }
      } else if (what < 50) {
        const auto expected = model.entries.empty() ? std::optional<pending_queue::entry>{}
                                                    : model.take(model.entries.begin());
        expect_equal(queue.pop(), expected);
      } else if (what < 65) {
        const auto request = static_cast<std::uint32_t>(random.below(500));
        const auto found = std::find_if(model.entries.begin(), model.entries.end(),
                                        [request](const auto& x) { return x.request == request; });
        const auto expected =
          found == model.entries.end() ? std::optional<pending_queue::entry>{} : model.take(found);
        expect_equal(queue.remove(request), expected);
      } else if (what < 80) {
        const auto fresh = model.fresh();
        const auto overdue = fresh != model.entries.end() && fresh->since + span <= now;
        expect_equal(queue.first_overdue(now, span),
                     overdue ? std::optional{*fresh} : std::nullopt);
        if (overdue) {
          const auto reserved = some_instance();
          queue.extend_first(reserved);
          fresh->extended = true;
          fresh->reserved = reserved;
        }
      } else if (what < 95) {
        const auto first = model.entries.begin();
        const auto expired =
          !model.entries.empty() && first->extended && first->since + 2 * span <= now;
        expect_equal(queue.pop_expired(now, span),
                     expired ? model.take(first) : std::optional<pending_queue::entry>{});
      } else {
        const auto index = static_cast<std::uint32_t>(random.below(6));
        queue.release(index);
        for (auto& x : model.entries)
          if (x.reserved == index)
            x.reserved = nobody_coming;
      }
      expect_same(queue, model, span);
      if (HasFailure())
        return;
    }
  }
}

} // namespace
} // namespace spillover
