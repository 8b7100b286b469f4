#include "sweeps/statistics.hpp"

#include "model/elementary.hpp"
#include "model/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace spillover {
namespace {

/// Where the true values are known.
struct known_distribution {
  const char* name = "";
  /// The value below which the share `u` of all lies.
  double (*quantile)(double u) = nullptr;
  double mean = 0;
};

double uniform(double u) {
  return u;
}

double exponential(double u) {
  return -portable_log(1 - u);
}

double normal(double u) {
  return 10 + normal_quantile(u);
}

double heavy(double u) {
  return portable_exp(1.5 * normal_quantile(u));
}

/// Most runs take one of a few values, as clocks made of probe intervals do.
double coarse(double u) {
  return std::floor(u * 5) * 4;
}

/// One run in ten never ends.
double censored(double u) {
  return u < 0.9 ? u : never_ended;
}

double open_unit(random_stream& random) {
  for (;;)
    if (const auto u = random.unit(); u > 0)
      return u;
}

sample draw(random_stream& random, double (*quantile)(double), std::size_t n) {
  std::vector<double> result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(quantile(open_unit(random)));
  return sample{std::move(result)};
}

bool holds(const confidence_interval& x, double value) {
  return (!x.low || *x.low <= value) && (!x.high || value <= *x.high);
}

constexpr std::size_t worlds = 2'000;

/// Four standard errors of a share that is counted in so many worlds.
double band(double share) {
  return 4 * std::sqrt(share * (1 - share) / static_cast<double>(worlds));
}

TEST(Sample, TellsTheValueOfTheRank) {
  struct {
    const char* why = "";
    std::vector<double> values = {};
    double q = 0;
    double expected = 0;
  } const cases[] = {
    {"of one run everything is that run", {7}, 0.95, 7},
    {"of two the median is the first: half of the runs stay at or below it", {2, 1}, 0.5, 1},
    {"of three it is the middle one", {3, 1, 2}, 0.5, 2},
    {"0.95 x 20 is the 19th and not, for a last bit, the 20th",
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20},
     0.95,
     19},
    {"the worst is the last", {1, 9, 4}, 1, 9},
    {"runs that never ended keep their places", {never_ended, 1, never_ended, 2}, 0.5, 2},
    {"and may be the answer", {never_ended, 1, never_ended, 2}, 0.75, never_ended},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(sample{x.values}.quantile(x.q), x.expected);
  }
  EXPECT_EQ((sample{{never_ended, 1, never_ended}}.censored()), 2u);
  EXPECT_EQ((sample{{1, 2}}.censored()), 0u);
}

TEST(Sample, QuantilesOfManyRunsAreWithinOnePercent) {
  for (const auto& x : {known_distribution{"uniform", uniform},
                        {"exponential", exponential},
                        {"normal", normal},
                        {"censored", censored}}) {
    random_stream random{5, x.name};
    const auto all = draw(random, x.quantile, 1'000'000);
    for (const auto q : {0.25, 0.5, 0.75, 0.89})
      EXPECT_NEAR(all.quantile(q), x.quantile(q), 0.01 * x.quantile(q)) << x.name << " " << q;
    EXPECT_EQ(all.quantile(0.95) == never_ended, x.quantile == censored) << x.name;
  }
}

TEST(Sample, KnownIntervalsOfQuantiles) {
  struct {
    const char* why = "";
    std::size_t runs = 0;
    double q = 0;
    std::optional<double> low = std::nullopt;
    std::optional<double> high = std::nullopt;
    double confidence = 0;
  } const cases[] = {
    {"the sign test's interval for 20 runs, as tables have it", 20, 0.5, 6, 15, 0.9586},
    {"six runs bound a median by the first and the last", 6, 0.5, 1, 6, 0.96875},
    {"five do not bound it at all", 5, 0.5, std::nullopt, std::nullopt, 1},
    {"20 runs say nothing about how high the 95 % point is", 20, 0.95, 17, std::nullopt, 0.984},
    {"72 runs do", 72, 0.95, 64, 72, 0.9655},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    std::vector<double> values;
    for (std::size_t i = 1; i <= x.runs; ++i)
      values.push_back(static_cast<double>(i));
    const auto interval = sample{values}.quantile_interval(x.q);
    EXPECT_EQ(interval.low, x.low);
    EXPECT_EQ(interval.high, x.high);
    EXPECT_NEAR(interval.confidence, x.confidence, 5e-4);
    EXPECT_GE(interval.confidence, 0.95);
  }
  EXPECT_EQ(runs_to_bound(0.5), 6u);
  EXPECT_EQ(runs_to_bound(0.95), 72u);
  EXPECT_EQ(runs_to_bound(0.05), 72u);
}

TEST(Sample, IntervalsOfQuantilesHoldThemAsOftenAsTheySay) {
  for (const auto& x : {known_distribution{"uniform", uniform},
                        {"exponential", exponential},
                        {"heavy", heavy},
                        {"coarse", coarse},
                        {"censored", censored}}) {
    for (const auto n : std::vector<std::size_t>{10, 30, 100, 300}) {
      for (const auto q : {0.5, 0.95}) {
        SCOPED_TRACE(std::string{x.name} + " " + std::to_string(n) + " " + std::to_string(q));
        random_stream random{11, x.name};
        std::size_t held = 0;
        double promised = 0;
        for (std::size_t world = 0; world < worlds; ++world) {
          const auto interval = draw(random, x.quantile, n).quantile_interval(q);
          held += holds(interval, x.quantile(q)) ? 1 : 0;
          promised = interval.confidence;
        }
        const auto share = static_cast<double>(held) / static_cast<double>(worlds);
        EXPECT_GE(promised, usual_confidence);
        EXPECT_GE(share, promised - band(promised));
        // Of values that many runs share, and of those that never end, an interval holds more.
        if (x.quantile(q - 1e-9) != x.quantile(q + 1e-9)) {
          EXPECT_LE(share, promised + band(promised));
        }
      }
    }
  }
}

TEST(Sample, IntervalsOfMeansHoldThemAsOftenAsTheySay) {
  struct {
    known_distribution of = {};
    std::size_t runs = 0;
    /// By how much less often than it says the interval of a skewed distribution may hold the mean.
    double skew = 0;
  } const cases[] = {
    {{"normal", normal, 10}, 5, 0},
    {{"normal", normal, 10}, 50, 0},
    {{"uniform", uniform, 0.5}, 20, 0.005},
    {{"exponential", exponential, 1}, 30, 0.035},
    {{"exponential", exponential, 1}, 200, 0.015},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(std::string{x.of.name} + " " + std::to_string(x.runs));
    random_stream random{13, x.of.name};
    std::size_t held = 0;
    for (std::size_t world = 0; world < worlds; ++world)
      held += holds(draw(random, x.of.quantile, x.runs).mean_interval(), x.of.mean) ? 1 : 0;
    const auto share = static_cast<double>(held) / static_cast<double>(worlds);
    EXPECT_GE(share, usual_confidence - x.skew - band(usual_confidence));
    EXPECT_LE(share, usual_confidence + band(usual_confidence));
  }
  EXPECT_EQ((sample{{1, 2, never_ended}}.mean_interval()), confidence_interval{});
  EXPECT_EQ((sample{{1}}.mean_interval()), confidence_interval{});
}

TEST(ShareInterval, IsThatOfClopperAndPearson) {
  struct {
    const char* why = "";
    std::size_t part = 0;
    std::size_t whole = 0;
    double low = 0;
    double high = 0;
  } const cases[] = {
    {"none of ten: the upper end solves (1 - p)^10 = 0.025", 0, 10, 0, 0.30850},
    {"all of 58", 58, 58, 0.93838, 1},
    {"half of ten, from tables", 5, 10, 0.18709, 0.81291},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto interval = share_interval(x.part, x.whole);
    EXPECT_NEAR(*interval.low, x.low, 1e-5);
    EXPECT_NEAR(*interval.high, x.high, 1e-5);
  }
}

TEST(ShareInterval, HoldsTheShareAtLeastAsOftenAsItSays) {
  for (const auto share : {0.02, 0.5, 0.95}) {
    for (const auto n : std::vector<std::size_t>{20, 200}) {
      random_stream random{17, "shares"};
      std::size_t held = 0;
      for (std::size_t world = 0; world < worlds; ++world) {
        std::size_t part = 0;
        for (std::size_t i = 0; i < n; ++i)
          part += random.unit() < share ? 1 : 0;
        held += holds(share_interval(part, n), share) ? 1 : 0;
      }
      EXPECT_GE(static_cast<double>(held) / static_cast<double>(worlds),
                usual_confidence - band(usual_confidence))
        << share << " " << n;
    }
  }
}

TEST(Chance, IsTheBinomialsTail) {
  EXPECT_NEAR(chance_of_at_least(3, 3, 0.5), 0.125, 1e-12);
  EXPECT_NEAR(chance_of_at_most(1, 3, 0.5), 0.5, 1e-12);
  EXPECT_EQ(chance_of_at_least(0, 3, 0.5), 1);
  EXPECT_NEAR(chance_of_at_least(58, 58, 0.95), std::pow(0.95, 58), 1e-12);
}

TEST(Chance, OfAMeanIsStudents) {
  struct {
    const char* why = "";
    std::vector<double> values = {};
    double bound = 0;
    double expected = 0;
  } const cases[] = {
    {"mean 2, standard error 1, 1 degree of freedom: atan(1) / pi from the middle",
     {1, 3},
     3,
     0.25},
    {"at the bound nothing is known", {1, 3}, 2, 0.5},
    {"one run has no spread to judge by", {1}, 3, 1},
    {"nor has one that never ended", {1, 1, never_ended}, 3, 1},
    {"without spread there is no doubt", {1, 1}, 2, 0},
    {"on neither side", {1, 1}, 1, 1},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_NEAR(chance_that_mean_is_not_below(x.values, x.bound), x.expected, 1e-9);
  }
}

} // namespace
} // namespace spillover
