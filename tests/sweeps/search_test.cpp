#include "sweeps/search.hpp"

#include "model/random.hpp"
#include "sweeps/search_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace spillover {
namespace {

/// A setting as nobody but the test knows it.
struct truth {
  /// In what share of runs the condition holds.
  double share = 0;
  double cost = 0;
};

/// Carries a search out in a world of known truths; costs vary by 1 with the seed, and a little with the run.
search_answer carry_out(const std::vector<truth>& world, std::size_t seeds, std::uint64_t luck,
                        double needed = 0.95) {
  halving_search search{{.shares = {needed}, .settings = world.size(), .seeds = seeds}};
  random_stream random{luck, "search"};
  std::vector<double> of_seed(seeds);
  for (auto& x : of_seed)
    x = random.unit();
  for (auto runs = search.next(); !runs.empty(); runs = search.next()) {
    for (const auto& x : runs) {
      const auto& y = world[x.setting];
      const auto holds = random.unit() < y.share;
      search.take(x, {{holds ? 1.0 : 0.0}, y.cost + of_seed[x.seed] + 0.1 * random.unit()});
    }
  }
  return search.answer();
}

TEST(HalvingSearch, AsksForRoundsOfTwiceTheSeedsForHalfTheSettings) {
  halving_search search{{.shares = {0.5}, .settings = 4, .seeds = 32}};
  std::vector<std::vector<std::size_t>> rounds;
  for (auto runs = search.next(); !runs.empty(); runs = search.next()) {
    std::vector<std::size_t> settings;
    for (const auto& x : runs) {
      if (settings.empty() || settings.back() != x.setting)
        settings.push_back(x.setting);
      // The third is the cheapest, the first never meets the condition.
      const double costs[] = {1, 4, 2, 3};
      search.take(x, {{x.setting == 0 ? 0.0 : 1.0}, costs[x.setting]});
    }
    rounds.push_back(settings);
  }
  // The first may still meet a half after eight failures, and not after sixteen.
  EXPECT_EQ(rounds, (std::vector<std::vector<std::size_t>>{{0, 1, 2, 3}, {0, 2}, {2}}));
  const auto answer = search.answer();
  ASSERT_TRUE(answer.winner.has_value());
  EXPECT_EQ(answer.candidates[*answer.winner].setting, 2u);
  EXPECT_TRUE(answer.candidates[0].refuted);
  EXPECT_EQ(answer.candidates[0].runs, 16u);
  EXPECT_EQ(answer.candidates[1].runs, 8u);
  EXPECT_EQ(answer.runs, 32u + 16 + 8 + 8);
  EXPECT_GT(answer.sure_to_meet, 0.999);
  EXPECT_GT(answer.sure_cheapest, 0.95);
}

TEST(HalvingSearch, FindsTheCheapestThatMeetsTheCondition) {
  struct {
    const char* why = "";
    std::vector<truth> world = {};
    std::optional<std::size_t> expected = std::nullopt;
  } const cases[] = {
    {"the cheap ones miss it", {{0.2, 1}, {0.3, 2}, {1, 3}, {1, 4}}, 2},
    {"the order of settings does not matter", {{1, 4}, {1, 3}, {0.3, 2}, {0.2, 1}}, 1},
    {"only the dearest, given up in the first round, meets it",
     {{0.8, 1}, {0.8, 2}, {0.8, 3}, {1, 9}},
     3},
    {"one setting is a search too", {{1, 1}}, 0},
    {"nobody meets it", {{0.1, 1}, {0.2, 2}, {0.3, 3}}, std::nullopt},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto answer = carry_out(x.world, 200, 7);
    ASSERT_EQ(answer.winner.has_value(), x.expected.has_value());
    if (!x.expected)
      continue;
    EXPECT_EQ(answer.candidates[*answer.winner].setting, *x.expected);
    EXPECT_GE(answer.sure_to_meet, 0.95);
    EXPECT_GE(answer.sure_cheapest, 0.9);
  }
}

TEST(HalvingSearch, SaysHowManySeedsItWouldTake) {
  const std::vector<truth> world{{0.2, 1}, {1, 2}};
  const auto few = carry_out(world, 20, 1);
  ASSERT_TRUE(few.winner.has_value());
  EXPECT_EQ(few.candidates[*few.winner].setting, 1u);
  EXPECT_LT(few.sure_to_meet, 0.5);
  // 2 x 0.95^72 is the first below 0.05.
  EXPECT_EQ(few.seeds_needed, 72u);
  const auto enough = carry_out(world, 72, 1);
  EXPECT_FALSE(enough.seeds_needed.has_value());
  EXPECT_GE(enough.sure_to_meet, 0.95);
}

TEST(HalvingSearch, MeansNeedAnInterval) {
  halving_search search{{.shares = {std::nullopt}, .settings = 3, .seeds = 40}};
  random_stream random{2, "means"};
  for (auto runs = search.next(); !runs.empty(); runs = search.next()) {
    for (const auto& x : runs) {
      // Distances from the bound: 0.2 above, 0.2 below, never ended.
      const auto noise = 0.2 * random.unit() - 0.1;
      const double marks[] = {0.2 + noise, -0.2 + noise, never_ended};
      search.take(x, {{marks[x.setting]}, static_cast<double>(x.setting)});
    }
  }
  const auto answer = search.answer();
  ASSERT_TRUE(answer.winner.has_value());
  EXPECT_EQ(answer.candidates[*answer.winner].setting, 1u);
  EXPECT_GE(answer.sure_to_meet, 0.95);
  EXPECT_FALSE(answer.candidates[1].conditions[0].held.has_value());
  EXPECT_FALSE(answer.candidates[2].meets);
}

TEST(HalvingSearch, GoesOnFromTheRunsThatAreThere) {
  const std::vector<truth> world{{0.5, 1}, {1, 2}, {1, 3}, {1, 4}};
  const auto facts = [&](const search_run& x) {
    random_stream random{x.seed, std::to_string(x.setting)};
    return search_facts{{random.unit() < world[x.setting].share ? 1.0 : 0.0},
                        world[x.setting].cost + random.unit()};
  };
  const search_plan plan{.shares = {0.9}, .settings = 4, .seeds = 64};
  halving_search whole{plan};
  std::vector<search_run> done;
  for (auto runs = whole.next(); !runs.empty(); runs = whole.next())
    for (const auto& x : runs) {
      whole.take(x, facts(x));
      done.push_back(x);
    }
  // Interrupted after any of its runs, it asks for the rest and for no other.
  for (std::size_t kept = 0; kept <= done.size(); kept += 7) {
    halving_search again{plan};
    std::vector<search_run> seen{done.begin(), done.begin() + static_cast<std::ptrdiff_t>(kept)};
    for (const auto& x : seen)
      again.take(x, facts(x));
    for (auto runs = again.next(); !runs.empty(); runs = again.next())
      for (const auto& x : runs) {
        again.take(x, facts(x));
        seen.push_back(x);
      }
    EXPECT_EQ(seen, done) << kept;
    EXPECT_EQ(again.answer().winner, whole.answer().winner);
  }
}

TEST(HalvingSearch, IsAsSureAsItSays) {
  constexpr std::size_t searches = 200;
  std::size_t sure = 0;
  std::size_t wrong = 0;
  std::size_t sure_cheapest = 0;
  std::size_t cheaper_exists = 0;
  random_stream random{23, "truths"};
  for (std::size_t i = 0; i < searches; ++i) {
    std::vector<truth> world;
    for (std::size_t k = 0; k < 8; ++k)
      // Many shares just miss the 0.9 that is needed: the hardest to be right about.
      world.push_back({k % 2 == 0 ? 0.8 + 0.2 * random.unit() : 0.89, 10 * random.unit()});
    const auto answer = carry_out(world, 150, i, 0.9);
    if (!answer.winner)
      continue;
    const auto& winner = world[answer.candidates[*answer.winner].setting];
    if (answer.sure_to_meet >= 0.95) {
      ++sure;
      wrong += winner.share < 0.9 ? 1 : 0;
    }
    if (answer.sure_cheapest >= 0.95) {
      ++sure_cheapest;
      cheaper_exists += std::any_of(world.begin(), world.end(), [&](const truth& x) {
        return x.share >= 0.9 && x.cost < winner.cost - 0.1;
      });
    }
  }
  EXPECT_GT(sure, searches / 4);
  EXPECT_GT(sure_cheapest, searches / 40);
  EXPECT_LE(static_cast<double>(wrong), 0.05 * static_cast<double>(searches));
  EXPECT_LE(static_cast<double>(cheaper_exists), 0.05 * static_cast<double>(searches));
}

TEST(HalvingSearch, TakesFewRunsWhereSettingsDiffer) {
  // The dearer, the better; from the twentieth on they meet the condition.
  std::vector<truth> world;
  for (std::size_t k = 0; k < 32; ++k)
    world.push_back({k < 20 ? 0.04 * static_cast<double>(k) : 0.995, static_cast<double>(10 * k)});
  const auto answer = carry_out(world, 200, 3);
  ASSERT_TRUE(answer.winner.has_value());
  EXPECT_EQ(answer.candidates[*answer.winner].setting, 20u);
  EXPECT_GE(answer.sure_to_meet, 0.95);
  EXPECT_GE(answer.sure_cheapest, 0.95);
  EXPECT_LT(answer.runs, 32u * 200 / 5);
}

TEST(HalvingSearch, AMeanMayBeItsBoundWhereTheConditionSaysSo) {
  struct {
    const char* why = "";
    const char* condition = "";
    std::int64_t failovers = 0;
    bool expected = false;
  } const cases[] = {
    {"at most, at the bound", "mean(failovers)<=1", 1, true},
    {"at most, above it", "mean(failovers)<=1", 2, false},
    {"below, at the bound", "mean(failovers)<1", 1, false},
    {"at least, at the bound", "mean(failovers)>=1", 1, true},
    {"at least, below it", "mean(failovers)>=1", 0, false},
    {"above, at the bound", "mean(failovers)>1", 1, false},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    search_question asked;
    asked.conditions = std::get<std::vector<condition>>(parse_conditions(x.condition, 0.95));
    asked.minimised = find_quantity("requests");
    asked.settings = {{}};
    asked.seeds = {1, 2, 3, 4, 5, 6, 7, 8};
    halving_search search{asked.plan()};
    run_outcome run;
    run.end = run_end::met;
    run.values[*find_measure("failovers")] = x.failovers;
    run.values[*find_measure("requests")] = 1;
    for (auto runs = search.next(); !runs.empty(); runs = search.next())
      for (const auto& y : runs)
        search.take(y, facts_of(asked.conditions, *asked.minimised, run));
    const auto answer = search.answer();
    EXPECT_EQ(is_found(asked, answer), x.expected);
    EXPECT_EQ(answer.sure_to_meet, x.expected ? 1 - 1.0 / 256 : 0)
      << "as sure as a sign test of eight runs";
  }
}

TEST(HalvingSearch, SaysHowManySeedsAMeanWouldTake) {
  // Two settings: 2 / 2^6 is the first below 0.05.
  for (const std::size_t seeds : {4U, 5U, 6U}) {
    halving_search search{{.shares = {std::nullopt}, .settings = 2, .seeds = seeds}};
    for (auto runs = search.next(); !runs.empty(); runs = search.next())
      for (const auto& x : runs)
        search.take(x, {{-1.0}, 1.0 + static_cast<double>(x.setting)});
    const auto answer = search.answer();
    EXPECT_EQ(answer.seeds_needed, seeds < 6 ? std::optional<std::size_t>{6} : std::nullopt);
    EXPECT_EQ(answer.sure_to_meet >= 0.95, seeds == 6);
  }
}

TEST(HalvingSearch, WhatIsNoResultMeetsNothingAndCostsNothing) {
  halving_search search{{.shares = {0.5}, .settings = 2, .seeds = 40}};
  for (auto runs = search.next(); !runs.empty(); runs = search.next())
    for (const auto& x : runs) {
      if (x == search_run{0, 3})
        search.take(x, {{0.0}, std::nullopt});
      else
        search.take(x, {{1.0}, x.setting == 0 ? 1.0 : 2.0});
    }
  const auto answer = search.answer();
  ASSERT_EQ(answer.winner, 0u);
  EXPECT_EQ(answer.candidates[0].cost, 1);
  EXPECT_EQ(answer.candidates[0].conditions[0].held, 39u);
}

} // namespace
} // namespace spillover
