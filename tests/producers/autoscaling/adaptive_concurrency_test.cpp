#include "producers/autoscaling/adaptive_concurrency.hpp"

#include "producers/autoscaling/cloud_run.hpp"
#include "tests/support/problem_fields.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace spillover {
namespace {

constexpr auto no_number = std::numeric_limits<double>::quiet_NaN();

/// @returns a tuner of that ceiling which was brought down to `limit`.
adaptive_concurrency at_limit(std::uint32_t limit, std::uint32_t ceiling) {
  adaptive_concurrency result{{}, ceiling};
  while (result.limit() > limit)
    result.observe(1, false);
  return result;
}

/// @returns `parts` equal parts, added up as binary numbers are.
double sum_of(int parts, double x) {
  double result = 0;
  for (auto i = 0; i < parts; ++i)
    result += x;
  return result;
}

/// One second after the other, all alike.
struct row {
  const char* why = "";
  std::uint32_t limit = 80;
  int seconds = 1;
  double utilisation = 0;
  bool reached = true;
  std::uint32_t expected = 80;
};

void expect_limits(std::initializer_list<row> rows, std::uint32_t ceiling = 80) {
  for (const auto& x : rows) {
    SCOPED_TRACE(x.why);
    auto subject = at_limit(x.limit, ceiling);
    ASSERT_EQ(subject.limit(), x.limit);
    for (auto i = 0; i < x.seconds; ++i) {
      const auto told = subject.observe(x.utilisation, x.reached);
      EXPECT_EQ(told, subject.limit());
    }
    EXPECT_EQ(subject.limit(), x.expected);
  }
}

TEST(AdaptiveConcurrency, GA_15_FallsByOneASecondWhileTheCpuIsBusy) {
  expect_limits({
    {"A-45: starts at the ceiling", 80, 0, 0, true, 80},
    {"five seconds at 95 %", 80, 5, 0.95, true, 75},
    {"the limit need not be reached for that", 80, 5, 0.95, false, 75},
    {"however busy it is", 80, 5, 1.5, true, 75},
  });
}

TEST(AdaptiveConcurrency, GA_16_StaysAtExactlyTheUpperBound) {
  const auto above = sum_of(18, 0.1) / 2;
  ASSERT_GT(above, 0.9) << "the second row would say nothing";
  expect_limits({
    {"90 %", 80, 5, 0.9, true, 80},
    {"1.8 of 2 vCPU, above 90 % in binary only", 80, 5, above, true, 80},
    {"just above it", 80, 5, 0.9001, true, 75},
  });
}

TEST(AdaptiveConcurrency, GA_17_RisesWhileItIsReachedAndTheCpuIdles) {
  const auto below = sum_of(14, 0.3) / 6;
  ASSERT_LT(below, 0.7) << "the fifth row would say nothing";
  expect_limits({
    {"60 % for 3 s", 75, 3, 0.6, true, 78},
    {"not reached", 75, 3, 0.6, false, 75},
    {"at 80 %", 75, 3, 0.8, true, 75},
    {"at exactly 70 %", 75, 3, 0.7, true, 75},
    {"4.2 of 6 vCPU, below 70 % in binary only", 75, 3, below, true, 75},
    {"just below it", 75, 3, 0.6999, true, 78},
    {"A-44: not above the ceiling", 75, 9, 0.6, true, 80},
    {"nothing used at all", 75, 1, 0, true, 76},
  });
}

TEST(AdaptiveConcurrency, GA_18_NeverFallsBelowOne) {
  expect_limits({
    {"2 at 99 % for 9 s", 2, 9, 0.99, true, 1},
    {"and comes back from there", 1, 2, 0.5, true, 3},
  });
  expect_limits({{"a ceiling of 1 is a floor, too", 1, 3, 0.95, true, 1},
                 {"and stays the ceiling", 1, 3, 0.1, true, 1}},
                1);
}

TEST(AdaptiveConcurrency, FollowsBoundsOfItsOwn) {
  adaptive_concurrency subject{{.lower_above = 0.5, .raise_below = 0.2}, 10};
  EXPECT_EQ(subject.observe(0.51, false), 9u);
  EXPECT_EQ(subject.observe(0.5, true), 9u);
  EXPECT_EQ(subject.observe(0.2, true), 9u);
  EXPECT_EQ(subject.observe(0.19, true), 10u);
}

TEST(AdaptiveConcurrency, GA_12_DrivesTheCountByTheMeanLimit) {
  EXPECT_DOUBLE_EQ(raw_act(240, 20, 0.6), 20);
  EXPECT_DOUBLE_EQ(raw_act(240, 80, 0.6), 5) << "as the concurrency driver at M";
  EXPECT_DOUBLE_EQ(raw_act(30, 12.5, 0.5), 4.8) << "a mean need not be whole";
  EXPECT_EQ(raw_act(0, 20, 0.6), 0);
  EXPECT_EQ(tolerance10(240, 20, 0.6, 1, true), 20u);
  EXPECT_EQ(tolerance10(240, 80, 0.6, 1, true), 5u);
}

TEST(AdaptiveConcurrencyConfig, IsCheckedFieldByField) {
  struct {
    const char* why;
    adaptive_concurrency_config config;
    std::vector<std::string> fields;
  } const cases[] = {
    {"defaults", {}, {}},
    {"no room between the bounds", {.lower_above = 0.7}, {}},
    {"all there is", {.lower_above = 1, .raise_below = 1}, {}},
    {"bounds that cross", {.lower_above = 0.6}, {"raise_below"}},
    {"nothing is below it", {.raise_below = 0}, {"raise_below"}},
    {"above everything",
     {.lower_above = 1.01, .raise_below = 1.01},
     {"lower_above", "raise_below"}},
    {"neither of 0", {.lower_above = 0, .raise_below = 0}, {"lower_above", "raise_below"}},
    {"no numbers", {no_number, no_number}, {"lower_above", "raise_below"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(test::problem_fields(validate(x.config)), x.fields);
  }
}

} // namespace
} // namespace spillover
