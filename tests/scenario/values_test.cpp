#include "scenario/values.hpp"

#include "model/random.hpp"
#include "scenario/problem.hpp"

#include <gtest/gtest.h>

namespace spillover {

namespace {

using namespace std::chrono_literals;

TEST(ParseDuration, ReadsDurationsWithUnits) {
  const struct {
    const char* text = "";
    std::optional<duration> expected = {};
  } cases[] = {
    {"5s", 5s},
    {"250ms", 250ms},
    {"1m30s", 90s},
    {"1.5h", 90min},
    {"0s", 0s},
    {"1ns", 1ns},
    {"1us", 1us},
    {"8760h", 8760h},
    {"0", std::nullopt},
    {"5", std::nullopt},
    {"", std::nullopt},
    {"5 s", std::nullopt},
    {"1d", std::nullopt},
    {"-1s", std::nullopt},
    {"inf", std::nullopt},
    {"99999999999h", std::nullopt},
  };
  for (const auto& x : cases)
    EXPECT_EQ(parse_duration(x.text), x.expected) << x.text;
}

TEST(ParseDuration, ReadsBackWhatToStringWrites) {
  random_stream random{1, "durations"};
  for (int i = 0; i < 20'000; ++i) {
    // All magnitudes up to a year.
    const auto bits = 1 + random.below(54);
    const duration x{static_cast<duration::rep>(random.bits() >> (64 - bits))};
    EXPECT_EQ(parse_duration(to_string(x)), x) << x.count();
  }
}

TEST(ParsePercentage, ReadsPercentages) {
  EXPECT_EQ(parse_percentage("50%"), 0.5);
  EXPECT_EQ(parse_percentage("0.5%"), 0.005);
  EXPECT_EQ(parse_percentage("100%"), 1.0);
  EXPECT_EQ(parse_percentage("50"), std::nullopt);
  EXPECT_EQ(parse_percentage("%"), std::nullopt);
  EXPECT_EQ(parse_percentage("x%"), std::nullopt);
}

TEST(FormatNumber, IsTheShortestThatReadsBack) {
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(300), "300");
  EXPECT_EQ(format_number(3.5), "3.5");
}

TEST(Suggestion, AsksOnlyForWhatIsNear) {
  const std::vector<std::string> names{"interval", "timeout", "probers"};
  const std::string list = "allowed: interval, timeout, probers";
  EXPECT_EQ(suggestion("intervl", names, "allowed"), "; did you mean \"interval\"? " + list);
  EXPECT_EQ(suggestion("tiemout", names, "allowed"), "; did you mean \"timeout\"? " + list);
  EXPECT_EQ(suggestion("zebra", names, "allowed"), "; " + list);
  EXPECT_EQ(suggestion("x", {}, "known"), "; known: none");
}

TEST(ProblemList, GivesEachProblemOnceInTheOrderOfTheFile) {
  problem_list problems{"s"};
  problems.add({2, 1}, "b");
  problems.add({1, 5}, "a");
  problems.add({2, 1}, "c");
  problems.add({2, 1}, "b");
  std::string all;
  for (const auto& x : problems.take())
    all += to_string(x) + "\n";
  EXPECT_EQ(all, "s:1:5: a\ns:2:1: b\ns:2:1: c\n");
}

} // namespace

} // namespace spillover
