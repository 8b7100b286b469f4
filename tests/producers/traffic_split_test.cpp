#include "producers/traffic_split.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace spillover {
namespace {

using shares = std::vector<std::uint32_t>;
using targets = std::vector<traffic_target>;

TEST(TrafficSplit, GA_29_DividesByTheLargestRemainder) {
  struct {
    const char* why;
    std::uint32_t count;
    shares percents;
    shares expected;
  } const cases[] = {
    {"without a rest", 10, {90, 10}, {9, 1}},
    {"equal rests: the first", 5, {50, 50}, {3, 2}},
    {"the larger rest, though it is the second", 3, {40, 60}, {1, 2}},
    {"and not the larger share", 7, {80, 20}, {6, 1}},
    {"the largest of three", 1, {30, 30, 40}, {0, 0, 1}},
    {"two rests", 2, {33, 33, 34}, {1, 0, 1}},
    {"no share, nothing", 99, {0, 49, 51, 0}, {0, 49, 50, 0}},
    {"nothing to divide", 0, {50, 50}, {0, 0}},
    {"one for all", 7, {100}, {7}},
    {"all there can be", 4'294'967'295, {50, 50}, {2'147'483'648, 2'147'483'647}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(divide_by_traffic(x.count, x.percents), x.expected);
  }
}

TEST(TrafficSplit, NobodyIsOneAwayFromTheExactShare) {
  const auto holds = rc::check([] {
    const auto count = *rc::gen::inRange<std::uint32_t>(0, 10'000);
    const auto cut = *rc::gen::inRange<std::uint32_t>(0, 101);
    const auto second = *rc::gen::inRange<std::uint32_t>(0, 101 - cut);
    const shares percents{cut, second, 100 - cut - second};
    const auto result = divide_by_traffic(count, percents);
    RC_ASSERT(std::accumulate(result.begin(), result.end(), std::uint32_t{0}) == count);
    for (std::size_t i = 0; i < percents.size(); ++i) {
      const auto exact = static_cast<std::int64_t>(count) * percents[i];
      const auto away = static_cast<std::int64_t>(result[i]) * 100 - exact;
      RC_ASSERT(away > -100);
      RC_ASSERT(away < 100);
    }
  });
  EXPECT_TRUE(holds);
}

TEST(TrafficSplit, IsCheckedEntryByEntry) {
  struct {
    const char* why;
    targets split;
    std::vector<std::string> problems;
  } const cases[] = {
    {"all to the latest", {}, {}},
    {"said so", {{"", 100}}, {}},
    {"the latest beside another one", {{"a", 50}, {"", 50}}, {}},
    {"one without a share", {{"a", 100}, {"b", 0}}, {}},
    {"a tag beside the split", {{"a", 100}, {"b", 0, "next"}, {"a", 0, "live"}}, {}},
    {"too little", {{"a", 50}, {"b", 49}}, {"percents"}},
    {"too much", {{"a", 50}, {"b", 51}}, {"percents"}},
    {"only a tag", {{"a", 0, "next"}}, {"percents"}},
    {"a share beyond the whole", {{"a", 101}}, {"[0].percent", "percents"}},
    {"a tag with a share", {{"a", 100}, {"b", 10, "next"}}, {"[1].percent"}},
    {"a revision twice", {{"a", 50}, {"b", 20}, {"a", 30}}, {"[2].revision"}},
    {"the latest twice", {{"", 50}, {"", 50}}, {"[1].revision"}},
    {"a tag twice", {{"a", 100}, {"a", 0, "x"}, {"b", 0, "x"}}, {"[2].tag"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    std::vector<std::string> problems;
    for (const auto& problem : validate(x.split))
      problems.push_back(problem.substr(0, problem.find_first_of(": ")));
    EXPECT_EQ(problems, x.problems);
  }
}

TEST(TrafficSplit, ATagReachesOneRevisionAndKeepsItWarm) {
  const targets split{{"a", 60}, {"b", 0, "next"}, {"c", 0}, {"a", 0, "live"}, {"e", 40}};
  EXPECT_EQ(find_tag(split, "next"), std::size_t{1});
  EXPECT_EQ(find_tag(split, "live"), std::size_t{3});
  EXPECT_EQ(find_tag(split, "nex"), std::nullopt);
  EXPECT_TRUE(keeps_minimum_warm(split, "a"));
  EXPECT_TRUE(keeps_minimum_warm(split, "b")) << "A-57: tagged";
  EXPECT_TRUE(keeps_minimum_warm(split, "e")) << "has a share and no tag";
  EXPECT_FALSE(keeps_minimum_warm(split, "c")) << "neither share nor tag";
  EXPECT_FALSE(keeps_minimum_warm(split, "d"));
  EXPECT_FALSE(keeps_minimum_warm(split, "")) << "the latest has no share";
  EXPECT_TRUE(keeps_minimum_warm({}, ""));
  EXPECT_FALSE(keeps_minimum_warm({}, "a"));
  EXPECT_EQ(percents_of(split), (shares{60, 0, 0, 0, 40}));
}

std::string chosen(const shares& percents, traffic_choice choice, int requests,
                   std::uint64_t seed = 1) {
  traffic_splitter subject{percents, choice};
  random_stream random{seed, "split"};
  std::string result;
  for (auto i = 0; i < requests; ++i)
    result += static_cast<char>('a' + subject.choose(random));
  return result;
}

TEST(TrafficSplitter, TakesTurnsThatAreSpreadEvenly) {
  struct {
    const char* why;
    shares percents;
    const char* expected;
  } const cases[] = {
    {"one only", {0, 100}, "bbbb"},
    {"equal ones: the first begins", {50, 50}, "abababab"},
    {"one of four", {75, 25}, "aabaaaba"},
    {"three", {50, 30, 20}, "abcaabacbaabca"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const std::string expected = x.expected;
    EXPECT_EQ(chosen(x.percents, traffic_choice::turns, static_cast<int>(expected.size())),
              expected);
  }
  const auto hundreds = chosen({1, 90, 9}, traffic_choice::turns, 300);
  const auto first = hundreds.substr(0, 100);
  EXPECT_EQ(std::count(first.begin(), first.end(), 'a'), 1);
  EXPECT_EQ(std::count(first.begin(), first.end(), 'c'), 9);
  EXPECT_EQ(hundreds.substr(100), first + first);
}

TEST(TrafficSplitter, IsNeverOneTurnAwayFromTheExactShares) {
  for (std::uint32_t a = 0; a <= 100; ++a)
    for (std::uint32_t b = 0; a + b <= 100; b += 3) {
      const shares percents{a, b, 100 - a - b};
      traffic_splitter subject{percents, traffic_choice::turns};
      random_stream random{1, "split"};
      std::array<std::int64_t, 3> ahead{}; // in hundredths of a turn
      for (auto i = 0; i < 100; ++i) {
        ahead[subject.choose(random)] += 100;
        for (std::size_t k = 0; k < 3; ++k) {
          ahead[k] -= percents[k];
          ASSERT_LT(std::abs(ahead[k]), 100);
        }
      }
      ASSERT_EQ(ahead, (std::array<std::int64_t, 3>{})) << "exact after 100";
    }
}

TEST(TrafficSplitter, DrawsOneNumberARequest) {
  for (const auto choice : {traffic_choice::random, traffic_choice::turns})
    for (const auto& percents : {shares{100}, shares{10, 90}}) {
      traffic_splitter subject{percents, choice};
      random_stream random{7, "split"};
      random_stream other{7, "split"};
      subject.choose(random);
      other.below(100);
      EXPECT_EQ(random.bits(), other.bits());
    }
}

TEST(TrafficSplitter, FollowsTheNumbersInTheOrderOfTheEntries) {
  const shares percents{10, 0, 60, 30};
  random_stream random{3, "split"};
  std::string expected;
  for (auto i = 0; i < 2'000; ++i) {
    const auto x = random.below(100);
    expected += x < 10 ? 'a' : x < 70 ? 'c' : 'd';
  }
  EXPECT_EQ(chosen(percents, traffic_choice::random, 2'000, 3), expected);
  EXPECT_NE(chosen(percents, traffic_choice::random, 2'000, 4), expected);
  // Within four standard deviations of 200.
  EXPECT_NEAR(static_cast<double>(std::count(expected.begin(), expected.end(), 'a')), 200, 54);
}

} // namespace
} // namespace spillover
