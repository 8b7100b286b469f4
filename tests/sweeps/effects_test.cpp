#include "sweeps/effects.hpp"

#include "model/elementary.hpp"
#include "model/random.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace spillover {
namespace {

/// 2 x 2 settings: the first path's value changes every two settings, the second one's every one.
const std::vector<sweep_factor> two_paths{
  {"interval", {"5s", "10s"}, {0, 0, 1, 1}},
  {"threshold", {"1", "2"}, {0, 1, 0, 1}},
};

TEST(MainEffects, SharesAreThoseOfTheVariance) {
  struct {
    const char* why = "";
    std::vector<std::vector<double>> runs = {};
    const char* first = "";
    double first_share = 0;
    double second_share = 0;
    double combinations = 0;
    double seeds = 0;
    double rest = 0;
  } const cases[] = {
    {"one path decides everything", {{1, 1}, {1, 1}, {5, 5}, {5, 5}}, "interval", 1, 0, 0, 0, 0},
    {"the one that matters most comes first",
     {{1, 1}, {5, 5}, {1, 1}, {5, 5}},
     "threshold",
     1,
     0,
     0,
     0,
     0},
    // Steps of 3 and 1: squares of 9 and 1.
    {"two that add up", {{0, 0}, {1, 1}, {3, 3}, {4, 4}}, "interval", 0.9, 0.1, 0, 0, 0},
    {"only both together", {{0, 0}, {1, 1}, {1, 1}, {0, 0}}, "interval", 0, 0, 1, 0, 0},
    {"only the seed", {{1, 5}, {1, 5}, {1, 5}, {1, 5}}, "interval", 0, 0, 0, 1, 0},
    {"neither", {{1, 0}, {0, 1}, {0, 1}, {1, 0}}, "interval", 0, 0, 0, 0, 1},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto table = main_effects(two_paths, x.runs);
    ASSERT_EQ(table.paths.size(), 2u);
    EXPECT_EQ(table.paths[0].path, x.first);
    EXPECT_NEAR(table.paths[0].share, x.first_share, 1e-12);
    EXPECT_NEAR(table.paths[1].share, x.second_share, 1e-12);
    EXPECT_NEAR(table.combinations, x.combinations, 1e-12);
    EXPECT_NEAR(table.seeds, x.seeds, 1e-12);
    EXPECT_NEAR(table.rest, x.rest, 1e-12);
    EXPECT_FALSE(table.of_ranks);
    EXPECT_FALSE(table.no_variance);
  }
}

TEST(MainEffects, OfEqualRunsThereAreNone) {
  // 0.1 has no exact mean.
  const std::vector<std::vector<double>> runs(4, std::vector<double>(3, 0.1));
  const auto table = main_effects(two_paths, runs);
  EXPECT_TRUE(table.no_variance);
  EXPECT_EQ(table.paths[0].share, 0);
  EXPECT_EQ(table.rest, 0);
}

TEST(MainEffects, ValuesAreComparedSeedBySeed) {
  // Seeds differ by hundreds, the value by 1 or 3: unpaired, nobody would see it.
  const std::vector<sweep_factor> one{{"interval", {"5s", "10s"}, {0, 1}}};
  const std::vector<std::vector<double>> runs{{100, 500, 900, 300}, {102, 501, 903, 302}};
  const auto values = main_effects(one, runs).paths.at(0).values;
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].value, "5s");
  EXPECT_EQ(values[0].runs, 4u);
  EXPECT_EQ(values[0].median, 300);
  EXPECT_EQ(values[0].mean, 450);
  EXPECT_FALSE(values[0].difference.has_value());
  EXPECT_EQ(values[1].difference, 2);
  // Student's t of 3 degrees of freedom, 3.1824, times sqrt(2 / 3) / 2.
  EXPECT_NEAR(*values[1].difference_interval.low, 2 - 1.2992, 1e-3);
  EXPECT_NEAR(*values[1].difference_interval.high, 2 + 1.2992, 1e-3);
  EXPECT_LT(*values[1].mean_interval.low, values[0].mean);
}

TEST(MainEffects, OfAGridWithHolesOnlyPairsTell) {
  // 500 more with the longer fault, 1 more with the second instance; the last setting has no result.
  const std::vector<sweep_factor> holed{{"instances", {"1", "2"}, {0, 0, 1}},
                                        {"for", {"20s", "40s"}, {0, 1, 0}}};
  const std::vector<std::vector<double>> runs{{0, 10}, {500, 510}, {1, 11}};
  const auto table = main_effects(holed, runs);
  EXPECT_TRUE(table.is_incomplete);
  ASSERT_EQ(table.paths.size(), 2u);
  for (const auto& x : table.paths)
    EXPECT_EQ(x.share, 0) << x.path;
  EXPECT_EQ(table.combinations + table.seeds + table.rest, 0);
  EXPECT_EQ(table.paths[0].path, "instances");
  EXPECT_EQ(table.paths[0].values.at(1).difference, 1) << "not 1 - 250, as of means over all";
  EXPECT_EQ(table.paths[1].values.at(1).difference, 500);
}

TEST(MainEffects, WithoutAPairThereIsNoDifference) {
  const std::vector<sweep_factor> diagonal{{"a", {"1", "2"}, {0, 1}}, {"b", {"1", "2"}, {0, 1}}};
  const auto table = main_effects(diagonal, std::vector<std::vector<double>>{{1, 2}, {3, 4}});
  EXPECT_TRUE(table.is_incomplete);
  for (const auto& x : table.paths)
    EXPECT_FALSE(x.values.at(1).difference.has_value()) << x.path;
}

TEST(MainEffects, AValueThatNoSettingHasMakesNoHole) {
  // As in a part of a sweep, or where a value always fails.
  const std::vector<sweep_factor> part{{"a", {"1", "2"}, {1, 1}}, {"b", {"1", "2", "3"}, {1, 2}}};
  const auto table = main_effects(part, std::vector<std::vector<double>>{{1, 2}, {3, 4}});
  EXPECT_FALSE(table.is_incomplete);
  ASSERT_EQ(table.paths.size(), 1u) << "of one value there is nothing to explain";
  EXPECT_EQ(table.paths[0].path, "b");
  ASSERT_EQ(table.paths[0].values.size(), 2u);
  EXPECT_EQ(table.paths[0].values[1].difference, 2) << "over the first that there is";
}

TEST(MainEffects, RunsThatNeverEndedCountAsTheWorst) {
  const std::vector<std::vector<double>> runs{
    {1, 2}, {1, 2}, {never_ended, never_ended}, {never_ended, 3}};
  const auto table = main_effects(two_paths, runs);
  EXPECT_TRUE(table.of_ranks);
  EXPECT_EQ(table.paths[0].path, "interval");
  EXPECT_GT(table.paths[0].share, 0.7);
  const auto& slow = table.paths[0].values.at(1);
  EXPECT_EQ(slow.censored, 3u);
  EXPECT_EQ(slow.median, never_ended);
  EXPECT_EQ(slow.mean, never_ended);
  EXPECT_FALSE(slow.difference.has_value());
  EXPECT_EQ(slow.mean_interval, confidence_interval{});
}

TEST(MainEffects, PathsOfOneValueAreLeftOut) {
  const std::vector<sweep_factor> one{{"interval", {"5s"}, {0}}};
  EXPECT_TRUE(main_effects(one, std::vector<std::vector<double>>{{1, 2}}).paths.empty());
  EXPECT_TRUE(main_effects(two_paths, {}).paths.empty());
}

TEST(MainEffects, IntervalsOfDifferencesHoldThemAsOftenAsTheySay) {
  constexpr std::size_t worlds = 4'000;
  random_stream random{3, "effects"};
  std::size_t held = 0;
  for (std::size_t world = 0; world < worlds; ++world) {
    std::vector<std::vector<double>> runs(4, std::vector<double>(12));
    for (std::size_t seed = 0; seed < 12; ++seed) {
      const auto luck = 10 * random.unit();
      for (std::size_t i = 0; i < runs.size(); ++i)
        runs[i][seed] =
          luck + (i >= 2 ? 0.7 : 0) + normal_quantile((random.unit() + 1e-9) / (1 + 2e-9));
    }
    const auto table = main_effects(two_paths, runs);
    const auto& path = table.paths[table.paths[0].path == "interval" ? 0 : 1];
    const auto& interval = path.values.at(1).difference_interval;
    held += *interval.low <= 0.7 && 0.7 <= *interval.high ? 1 : 0;
  }
  // Four standard errors of 0.95 counted in so many worlds.
  EXPECT_NEAR(static_cast<double>(held) / worlds, 0.95, 0.0138);
}

} // namespace
} // namespace spillover
