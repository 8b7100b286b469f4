#include "producers/pod_router.hpp"

#include <gtest/gtest.h>

#include <map>

namespace spillover {
namespace {

constexpr auto ready = request_router::tier::ready;

pod_router router(spread how, std::uint32_t limit, std::initializer_list<std::uint32_t> pods) {
  pod_router x{random_stream{1, "pod_router"}};
  x.follow(how, limit);
  for (const auto index : pods)
    x.add(index, ready);
  return x;
}

std::vector<std::uint32_t> next(pod_router& x, int count) {
  std::vector<std::uint32_t> result;
  for (int i = 0; i < count; ++i)
    if (const auto index = x.dispatch())
      result.push_back(*index);
  return result;
}

using indices = std::vector<std::uint32_t>;

TEST(PodRouter, HasNobodyToChooseWithoutPods) {
  auto x = router(spread::two_random, 0, {});
  EXPECT_EQ(x.dispatch(), std::nullopt);
  EXPECT_EQ(x.in_flight(7), 0u);
}

TEST(PodRouter, GoesRoundInTheOrderOfBecomingReadyPastThoseThatAreFull) {
  auto x = router(spread::round_robin, 2, {4, 1, 6});
  EXPECT_EQ(next(x, 5), (indices{4, 1, 6, 4, 1}));
  x.finish(4);
  EXPECT_EQ(next(x, 9), (indices{6, 4})) << "then all are full";
  x.finish(1);
  x.finish(1);
  EXPECT_EQ(next(x, 9), (indices{1, 1}));
  EXPECT_EQ(x.in_flight(), 6u);
}

TEST(PodRouter, KeepsWhoseTurnItIsWhenPodsComeAndGo) {
  auto x = router(spread::round_robin, 0, {0, 1, 2, 3});
  EXPECT_EQ(next(x, 2), (indices{0, 1}));
  x.remove(0);
  EXPECT_EQ(next(x, 1), (indices{2})) << "one before it went";
  x.remove(3);
  x.add(9, ready);
  EXPECT_EQ(next(x, 3), (indices{9, 1, 2})) << "it went itself";
  x.finish(0);
  EXPECT_EQ(x.in_flight(0), 0u);
  EXPECT_EQ(x.in_flight(2), 2u);
}

TEST(PodRouter, TakesTheFirstThatIsAvailable) {
  auto x = router(spread::first_available, 2, {5, 3});
  EXPECT_EQ(next(x, 3), (indices{5, 5, 3}));
  x.finish(5);
  EXPECT_EQ(next(x, 9), (indices{5, 3}));
}

TEST(PodRouter, DrawsEveryPodAtRandom) {
  auto x = router(spread::random, 0, {0, 1, 2, 3});
  std::map<std::uint32_t, int> got;
  for (const auto index : next(x, 4000))
    ++got[index];
  ASSERT_EQ(got.size(), 4u);
  // 1000 expected each, with a standard deviation of 27.
  for (const auto& [index, count] : got)
    EXPECT_NEAR(count, 1000, 140) << index;
}

TEST(PodRouter, OfTwoAtRandomTakesTheLessBusy) {
  auto x = router(spread::two_random, 0, {0, 1});
  EXPECT_EQ(x.in_flight(), 0u);
  for (int i = 0; i < 1000; ++i) {
    next(x, 1);
    const auto apart = static_cast<int>(x.in_flight(0)) - static_cast<int>(x.in_flight(1));
    ASSERT_LE(std::abs(apart), 1) << "of two pods both are drawn, always";
  }
  // With a hundred pods the busiest stays close to the mean; at random alone it is 40 % above.
  indices all;
  pod_router many{random_stream{2, "pod_router"}};
  many.follow(spread::two_random, 0);
  for (std::uint32_t i = 0; i < 100; ++i)
    many.add(i, ready);
  next(many, 10'000);
  for (std::uint32_t i = 0; i < 100; ++i)
    EXPECT_NEAR(many.in_flight(i), 100, 8) << i;
}

TEST(PodRouter, AnotherLimitCountsAtOnce) {
  auto x = router(spread::round_robin, 1, {0, 1});
  EXPECT_EQ(next(x, 9), (indices{0, 1}));
  x.follow(spread::round_robin, 0);
  EXPECT_EQ(next(x, 3), (indices{0, 1, 0}));
  x.follow(spread::round_robin, 2);
  EXPECT_EQ(next(x, 9), (indices{})) << "0 has two of two, 1 as well";
  x.finish(1);
  EXPECT_EQ(next(x, 9), (indices{1}));
}

TEST(PodRouter, CountsWhatOneThatComesBackStillHas) {
  auto x = router(spread::round_robin, 2, {0, 1});
  EXPECT_EQ(next(x, 2), (indices{0, 1}));
  x.remove(0);
  EXPECT_EQ(next(x, 9), (indices{1}));
  x.add(0, ready);
  EXPECT_EQ(x.in_flight(0), 1u);
  EXPECT_EQ(next(x, 9), (indices{0})) << "one more makes two of two";
  x.remove(0);
  x.add(0, ready);
  EXPECT_EQ(next(x, 9), (indices{})) << "full it came back";
  x.finish(0);
  EXPECT_EQ(next(x, 9), (indices{0}));
}

TEST(PodRouter, FindsOpenPodsAmongHundreds) {
  pod_router x{random_stream{1, "pod_router"}};
  x.follow(spread::round_robin, 1);
  for (std::uint32_t i = 0; i < 200; ++i)
    x.add(i, ready);
  EXPECT_EQ(next(x, 500).size(), 200u);
  for (const auto index : {3u, 64u, 130u, 199u})
    x.finish(index);
  EXPECT_EQ(next(x, 9), (indices{3, 64, 130, 199}));
  x.remove(100);
  x.forget(100);
  EXPECT_EQ(x.in_flight(), 199u);
}

} // namespace
} // namespace spillover
