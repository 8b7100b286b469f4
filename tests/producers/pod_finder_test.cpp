#include "producers/pod_finder.hpp"

#include <gtest/gtest.h>

namespace spillover {
namespace {

using namespace std::chrono_literals;

pod_finder finder(duration latency, const distribution& response = constant_distribution{}) {
  return {{latency, response}, random_stream{1, "finder"}};
}

TEST(PodFinder, AProbeTakesFourTimesTheWay) {
  auto x = finder(10ms, constant_distribution{5ms});
  x.watch(run_start, 7);
  EXPECT_EQ(x.next(), run_start + 45ms);
  EXPECT_EQ(x.found(run_start + 45ms - 1ns), std::nullopt);
  EXPECT_EQ(x.found(run_start + 45ms), 7u);
  EXPECT_EQ(x.next(), never);
}

TEST(PodFinder, C15_AboveItsTimeoutItFindsNone) {
  auto at = finder(75ms);
  at.watch(run_start, 0);
  EXPECT_EQ(at.found(run_start + 300ms), 0u);
  auto above = finder(75ms + 1ns);
  above.watch(run_start, 0);
  // It asks again and again.
  EXPECT_EQ(above.next(), run_start + 400ms);
  EXPECT_EQ(above.found(run_start + 1h), std::nullopt);
  EXPECT_EQ(above.next(), run_start + 1h + 400ms);
}

TEST(PodFinder, FindsThemInTheOrderOfTheirAnswers) {
  auto x = finder(50ms);
  x.watch(run_start, 3);
  x.watch(run_start + 10ms, 1);
  x.watch(run_start + 20ms, 2);
  x.forget(1);
  EXPECT_EQ(x.found(run_start + 1s), 3u);
  EXPECT_EQ(x.found(run_start + 1s), 2u);
  EXPECT_EQ(x.found(run_start + 1s), std::nullopt);
  x.watch(run_start + 2s, 5);
  x.watch(run_start + 2s, 4);
  EXPECT_EQ(x.take_all(), (std::vector<std::uint32_t>{5, 4}));
  EXPECT_EQ(x.next(), never);
}

} // namespace
} // namespace spillover
