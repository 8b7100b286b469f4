#include "model/distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

std::vector<duration> draws(const distribution& x, std::size_t n) {
  const sampler source{x};
  random_stream random{1, "draws"};
  std::vector<duration> result(n);
  for (auto& value : result)
    value = source.draw(random);
  return result;
}

double mean(const std::vector<duration>& xs) {
  double sum = 0;
  for (const auto x : xs)
    sum += seconds_of(x);
  return sum / static_cast<double>(xs.size());
}

double count(const std::vector<duration>& xs, duration x) {
  return static_cast<double>(std::count(xs.begin(), xs.end(), x));
}

double quantile(std::vector<duration> xs, double q) {
  const auto place = static_cast<std::ptrdiff_t>(q * static_cast<double>(xs.size()));
  std::nth_element(xs.begin(), xs.begin() + place, xs.end());
  return seconds_of(xs[static_cast<std::size_t>(place)]);
}

TEST(Sampler, ConstantIsAlwaysTheSame) {
  EXPECT_EQ(draws(constant_distribution{7ms}, 3), (std::vector<duration>{7ms, 7ms, 7ms}));
}

TEST(Sampler, ExponentialHasItsMeanAndQuantiles) {
  constexpr std::size_t n = 400'000;
  const auto xs = draws(exponential_distribution{50ms}, n);
  EXPECT_NEAR(mean(xs), 0.05, 4 * 0.05 / std::sqrt(n));
  EXPECT_NEAR(quantile(xs, 0.5), 0.05 * std::log(2), 0.0003);
  EXPECT_NEAR(quantile(xs, 0.99), 0.05 * std::log(100), 0.004);
  EXPECT_GE(*std::min_element(xs.begin(), xs.end()), 0ns);
}

TEST(Sampler, LognormalHasItsMedianItsP99AndItsMean) {
  constexpr std::size_t n = 400'000;
  const lognormal_distribution shape{.median = 40ms, .p99 = 200ms};
  const auto xs = draws(shape, n);
  EXPECT_NEAR(quantile(xs, 0.5), 0.04, 0.04 * 0.006);
  EXPECT_NEAR(quantile(xs, 0.99), 0.2, 0.2 * 0.02);
  EXPECT_NEAR(mean(xs), seconds_of(mean_of(shape)), 0.001);
}

TEST(Sampler, LognormalWithoutSpreadIsItsMedian) {
  for (const auto x : draws(lognormal_distribution{.median = 40ms, .p99 = 40ms}, 100))
    EXPECT_EQ(x, 40ms);
}

TEST(Sampler, EmpiricalDrawsEachValueAsOften) {
  const auto xs = draws(empirical_distribution{{1ms, 2ms, 2ms, 9ms}}, 40'000);
  EXPECT_NEAR(count(xs, 1ms), 10'000, 4 * 87);
  EXPECT_NEAR(count(xs, 2ms), 20'000, 4 * 100);
  EXPECT_NEAR(count(xs, 9ms), 10'000, 4 * 87);
}

TEST(Sampler, TakesOneNumberFromTheStreamWhateverItDraws) {
  const distribution shapes[] = {constant_distribution{1ms}, exponential_distribution{1ms},
                                 lognormal_distribution{.median = 1ms, .p99 = 5ms},
                                 empirical_distribution{{1ms, 2ms, 3ms}}};
  for (const auto& shape : shapes) {
    SCOPED_TRACE(to_string(shape));
    const sampler source{shape};
    random_stream used{1, "stream"};
    random_stream reference{1, "stream"};
    for (int i = 0; i < 100; ++i) {
      source.draw(used);
      reference.bits();
      ASSERT_EQ(random_stream{used}.bits(), random_stream{reference}.bits());
    }
  }
}

TEST(Sampler, StaysInRangeForAbsurdSpreads) {
  const auto century = duration{std::chrono::years{100}};
  for (const auto x : draws(lognormal_distribution{.median = 1ns, .p99 = century}, 10'000)) {
    EXPECT_GE(x, 0ns);
    EXPECT_LE(x, century);
  }
}

// The draws themselves, which every compiler and build type has to meet.
TEST(Sampler, HasTheRecordedDraws) {
  std::uint64_t sum = 0;
  for (const auto& shape : {distribution{exponential_distribution{50ms}},
                            distribution{lognormal_distribution{.median = 40ms, .p99 = 200ms}},
                            distribution{lognormal_distribution{.median = 2s, .p99 = 6s}}})
    for (const auto x : draws(shape, 100'000))
      sum = sum * 31 + static_cast<std::uint64_t>(x.count());
  EXPECT_EQ(sum, 7026498172946563393u);
}

TEST(MeanOf, FollowsTheFormulaOfEachDistribution) {
  struct {
    const char* why;
    distribution shape;
    duration expected;
  } const cases[] = {
    {"itself", constant_distribution{7ms}, 7ms},
    {"its parameter", exponential_distribution{7ms}, 7ms},
    {"no spread", lognormal_distribution{.median = 7ms, .p99 = 7ms}, 7ms},
    // sigma = ln 5 / 2.3263478740408408 = 0.6918303; 40 ms x exp(sigma^2 / 2) = 50.815124 ms
    {"median x exp(sigma^2 / 2)", lognormal_distribution{.median = 40ms, .p99 = 200ms}, 50815124ns},
    {"the values' mean, rounded", empirical_distribution{{1ns, 2ns, 2ns}}, 2ns},
    {"a half is rounded up", empirical_distribution{{1ns, 2ns}}, 2ns},
    {"no overflow",
     empirical_distribution{{std::chrono::years{99}, std::chrono::years{99}, std::chrono::years{99},
                             std::chrono::years{99}}},
     std::chrono::years{99}},
    {"saturates", lognormal_distribution{.median = 1ns, .p99 = std::chrono::years{100}},
     std::chrono::years{100}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(mean_of(x.shape), x.expected);
    EXPECT_EQ(sampler{x.shape}.mean(), x.expected);
  }
}

TEST(Distribution, ProblemsAreNamedByField) {
  using problems = std::vector<std::string>;
  const auto century = duration{std::chrono::years{100}};
  struct {
    distribution shape;
    problems expected;
  } const cases[] = {
    {constant_distribution{0s}, {}},
    {constant_distribution{-1ns}, {"value: must be at least 0s"}},
    {constant_distribution{century + 1ns}, {"value: must be at most 100 years"}},
    {exponential_distribution{1ns}, {}},
    {exponential_distribution{0s}, {"mean: must be above 0s"}},
    {lognormal_distribution{.median = 1ms, .p99 = 1ms}, {}},
    {lognormal_distribution{.median = 2ms, .p99 = 1ms}, {"p99: must be at least median"}},
    {lognormal_distribution{}, {"median: must be above 0s", "p99: must be above 0s"}},
    {empirical_distribution{}, {"values: needs at least one"}},
    {empirical_distribution{{1ms, -1ms}}, {"values[1]: must be at least 0s"}},
  };
  for (const auto& x : cases)
    EXPECT_EQ(validate(x.shape), x.expected);
}

TEST(ToString, WritesDistributionsAsUsersDo) {
  EXPECT_EQ(to_string(distribution{constant_distribution{40ms}}), "40ms");
  EXPECT_EQ(to_string(distribution{exponential_distribution{2s}}), "exponential: {mean: 2s}");
  EXPECT_EQ(to_string(distribution{lognormal_distribution{.median = 40ms, .p99 = 200ms}}),
            "lognormal: {median: 40ms, p99: 200ms}");
  EXPECT_EQ(to_string(distribution{empirical_distribution{{1ms, 1500us}}}),
            "empirical: [1ms, 1500us]");
  EXPECT_EQ(to_string(distribution{empirical_distribution{std::vector<duration>(9, 1ms)}}),
            "empirical: 9 values");
}

} // namespace
