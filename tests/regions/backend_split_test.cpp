#include "regions/backend_split.hpp"

#include "model/random.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace {

using namespace spillover;

std::string first(std::size_t n, const std::vector<std::uint32_t>& weights) {
  backend_split split{weights};
  std::string result;
  while (result.size() < n)
    result += static_cast<char>('a' + split.next());
  return result;
}

TEST(BackendSplit, SpreadsRequestsSmoothly) {
  struct {
    const char* why;
    std::vector<std::uint32_t> weights;
    const char* expected;
  } const cases[] = {
    {"one takes all", {7}, "aaaa"},
    {"equal weights alternate", {1, 1}, "abab"},
    {"the example of nginx, where naive rounds would give aaaaabc", {5, 1, 1}, "aabacaaaabacaa"},
    {"large weights are shares too", {3'000'000'000, 1'000'000'000}, "aabaaaba"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const std::string expected = x.expected;
    EXPECT_EQ(first(expected.size(), x.weights), expected);
  }
}

TEST(BackendSplit, GivesExactSharesInEachRound) {
  random_stream random{1, "weights"};
  for (int round = 0; round < 100; ++round) {
    std::vector<std::uint32_t> weights(1 + random.below(6));
    for (auto& weight : weights)
      weight = static_cast<std::uint32_t>(1 + random.below(20));
    const auto total = std::accumulate(weights.begin(), weights.end(), 0u);
    backend_split split{weights};
    for (int repeat = 0; repeat < 3; ++repeat) {
      std::vector<std::uint32_t> taken(weights.size());
      for (std::uint32_t i = 0; i < total; ++i)
        ++taken[split.next()];
      ASSERT_EQ(taken, weights);
    }
  }
}

} // namespace
