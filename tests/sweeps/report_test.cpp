#include "sweeps/report.hpp"

#include "sweeps/search_text.hpp"
#include "tests/support/golden.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace spillover {
namespace {

using testing::HasSubstr;

constexpr std::int64_t second = 1'000'000'000;

run_outcome run_of(std::uint32_t place, std::uint64_t seed, std::optional<std::int64_t> failover,
                   std::int64_t cost) {
  run_outcome result;
  result.key = {place, seed};
  result.end = failover && *failover < 18 * second ? run_end::met : run_end::missed;
  result.values[*find_measure("failover_ns")] = failover;
  result.values[*find_measure("failed_ppm")] = static_cast<std::int64_t>(100 * seed);
  result.values[*find_measure("billed_vcpu_milli")] = cost;
  result.values[*find_measure("billed_idle_vcpu_milli")] = 0;
  return result;
}

/// Two intervals and two numbers of instances: the interval decides the time, and the instances the cost and half
/// a second; once in 20 seeds the slow probes do not end, and one run is no result.
sweep_results example(std::size_t seeds = 20, bool with_failure = true) {
  sweep_results result;
  result.name = "short";
  result.varied = {{"health_check.interval", {"5s", "15s"}}, {"min_instances", {"2", "4"}}};
  result.settings = full_factorial(result.varied);
  result.seeds = seeds;
  for (std::uint32_t place = 0; place < 4; ++place) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const auto slow = place >= 2;
      const auto spread = static_cast<std::int64_t>(seed * 7 % 20) * second / 10;
      const auto more = place % 2 == 1;
      auto failover = std::optional{(slow ? 25 : 16) * second + spread - (more ? second / 2 : 0)};
      if (slow && seed % 20 == 13)
        failover.reset();
      const auto cost = (more ? 180'000 : 100'000) + static_cast<std::int64_t>(seed);
      result.runs.push_back(run_of(place, seed, failover, cost));
    }
  }
  if (!with_failure)
    return result;
  result.runs[5].end = run_end::failed;
  result.runs[5].trouble = "the process ended by signal 9";
  return result;
}

const sweep_source source{"sweep.sqlite"};

TEST(SweepReport, CountsWhatTheRunsSay) {
  const auto x = report_on(example());
  EXPECT_EQ(x.runs, 80u);
  // Seeds whose spread is below 2 s: all of them; one run of the first setting is none.
  EXPECT_EQ(x.met, 39u);
  EXPECT_EQ(x.missed, 40u);
  EXPECT_EQ(x.failed, 1u);
  EXPECT_EQ(x.common_seeds, 19u) << "what failed is no run to compare with";
  ASSERT_FALSE(x.distributions.empty());
  const auto& failover = x.distributions[0];
  EXPECT_EQ(failover.of, find_quantity("failover"));
  ASSERT_EQ(failover.rows.size(), 4u);
  EXPECT_EQ(failover.rows[1].median, 164 * second / 10);
  EXPECT_EQ(failover.rows[1].worst, 174 * second / 10);
  EXPECT_EQ(failover.rows[1].worst_seed, 17u) << "17 x 7 is 119, the highest remainder";
  EXPECT_EQ(failover.rows[1].censored, 0u);
  EXPECT_EQ(failover.rows[0].runs, 19u);
  EXPECT_EQ(failover.rows[2].runs, 20u) << "a clock that never ended is not left out";
  EXPECT_EQ(failover.rows[2].censored, 1u);
  EXPECT_EQ(failover.rows[2].worst, never_ended);
  EXPECT_EQ(failover.rows[2].worst_seed, 13u);
  ASSERT_TRUE(x.worst.has_value());
  EXPECT_EQ(x.worst->key, (run_key{2, 13}));
  ASSERT_EQ(x.failures.size(), 1u);
  EXPECT_EQ(x.failures[0].key, (run_key{0, 6}));
}

TEST(SweepReport, ComparesAtTheSeedsThatAllSettingsHave) {
  auto results = example();
  // Of the last setting only the first five runs are there; no other setting counts for less.
  std::erase_if(results.runs, [](const auto& x) { return x.key.setting == 3 && x.key.seed > 5; });
  const auto x = report_on(results);
  EXPECT_EQ(x.common_seeds, 5u);
  EXPECT_EQ(x.distributions[0].rows[1].runs, 20u);
  EXPECT_EQ(x.distributions[0].rows[3].runs, 5u);
  ASSERT_EQ(x.effects.size(), 2u);
  EXPECT_EQ(x.effects[0].table.paths[0].path, "health_check.interval");
  EXPECT_GT(x.effects[0].table.paths[0].share, 0.8);
  EXPECT_EQ(x.effects[1].table.paths[0].path, "min_instances");
  EXPECT_GT(x.effects[1].table.paths[0].share, 0.99);
  // Without runs a setting has nothing to be compared.
  std::erase_if(results.runs, [](const auto& y) { return y.key.setting == 3; });
  EXPECT_EQ(report_on(results).common_seeds, 19u);
}

TEST(SweepReport, SaysWhatLimitsComparisons) {
  auto results = example(20, false);
  std::erase_if(results.runs, [](const auto& x) { return x.key.setting == 3 && x.key.seed > 5; });
  EXPECT_THAT(to_text(report_on(results), source),
              HasSubstr("a result of only 5 seeds of 20; the fewest, 5, has setting 3"));
  // The first five of one, and the others of another one.
  std::erase_if(results.runs, [](const auto& x) { return x.key.setting == 1 && x.key.seed <= 5; });
  EXPECT_THAT(to_text(report_on(results), source), HasSubstr("so they are not compared"));
  std::erase_if(results.runs, [](const auto& x) { return x.key.setting == 3; });
  const auto x = report_on(results);
  EXPECT_THAT(to_text(x, source), HasSubstr("1 setting without a result"));
  EXPECT_THAT(to_text(x, source), HasSubstr("combinations are missing"));
  const auto effect = nlohmann::json::parse(to_json(x, source)).at("effects").at(1);
  EXPECT_EQ(effect.at("incomplete"), true);
  EXPECT_TRUE(effect.at("rest").is_null());
  EXPECT_THAT(to_text(report_on(example(20, false)), source),
              testing::Not(HasSubstr("fewer runs to compare by")));
}

TEST(SweepReport, ARunWithoutFailoverIsNotTheWorst) {
  auto results = example(20, false);
  for (auto& x : results.runs) {
    const auto has_none = x.key == run_key{0, 4};
    x.values[*find_measure("failovers")] = has_none ? 0 : 1;
    if (has_none || x.key.seed == 13)
      x.values[*find_measure("failover_ns")].reset();
  }
  EXPECT_EQ(report_on(results).worst->key, (run_key{0, 13})) << "one that did not end is";
  for (auto& x : results.runs)
    x.values[*find_measure("failover_ns")].reset();
  EXPECT_FALSE(report_on(results).worst.has_value()) << "no run has it";
}

/// The example, in whose first setting no failover begins, and in the second one not at seed 4.
sweep_results example_with_nothing_to_fail_over() {
  auto results = example(20, false);
  for (auto& x : results.runs) {
    const auto has_none = x.key.setting == 0 || x.key == run_key{1, 4};
    x.values[*find_measure("failovers")] = has_none ? 0 : 1;
    if (has_none)
      x.values[*find_measure("failover_ns")].reset();
  }
  return results;
}

TEST(SweepReport, NoFailoverIsNotOneThatNeverEnded) {
  const auto x = report_on(example_with_nothing_to_fail_over());
  const auto& rows = x.distributions[0].rows;
  ASSERT_EQ(rows.size(), 4u);
  const struct {
    const char* why = "";
    std::size_t runs = 0;
    std::size_t without = 0;
    std::size_t never = 0;
  } expected[] = {
    {"nothing failed over, so there is nothing to be measured", 0, 20, 0},
    {"one run of many has none", 19, 1, 0},
    {"a failover that did not end stays one", 20, 0, 1},
    {"and here", 20, 0, 1},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(expected[i].why);
    EXPECT_EQ(rows[i].runs, expected[i].runs);
    EXPECT_EQ(rows[i].without_failover, expected[i].without);
    EXPECT_EQ(rows[i].censored, expected[i].never);
  }
  // Errors are of every run.
  EXPECT_EQ(x.distributions[1].of, find_quantity("errors"));
  EXPECT_EQ(x.distributions[1].rows[0].runs, 20u);
  EXPECT_EQ(x.distributions[1].rows[0].without_failover, 0u);
  // The time is compared where all have one, the cost everywhere.
  EXPECT_EQ(x.common_seeds, 20u);
  EXPECT_EQ(x.time_seeds, 19u);
  EXPECT_EQ(x.trade_offs.size(), 3u);
  ASSERT_EQ(x.effects.size(), 2u);
  EXPECT_EQ(x.effects[0].seeds, 19u);
  EXPECT_EQ(x.effects[1].seeds, 20u);
  EXPECT_EQ(x.worst->key, (run_key{2, 13})) << "none that had no failover";
}

TEST(SweepReport, SaysWhereNoFailoverBegan) {
  const auto x = report_on(example_with_nothing_to_fail_over());
  const auto text = to_text(x, source);
  EXPECT_THAT(text, HasSubstr("no failover began in 21 runs, so that"));
  EXPECT_THAT(text, HasSubstr("never: not within the run (2 runs)"));
  EXPECT_THAT(text,
              HasSubstr("no failover began in 21 runs: left out of what follows of failover"));
  EXPECT_THAT(text, testing::ContainsRegex("\n  0 +0 +none\n"));
  const auto json = nlohmann::json::parse(to_json(x, source));
  EXPECT_EQ(json.at("no_failover"), 21);
  const auto& first = json.at("distributions").at(0).at("settings").at(0);
  EXPECT_EQ(first.at("runs"), 0);
  EXPECT_EQ(first.at("no_failover"), 20);
  EXPECT_EQ(first.at("never"), 0);
  EXPECT_TRUE(first.at("median").is_null());
  EXPECT_TRUE(first.at("worst_seed").is_null());
}

TEST(SweepReport, OrderOfRunsDoesNotMatter) {
  auto results = example();
  const auto expected = to_json(report_on(results), source);
  std::reverse(results.runs.begin(), results.runs.end());
  EXPECT_EQ(to_json(report_on(results), source), expected);
}

TEST(SweepReport, OfNothingSaysSo) {
  auto results = example();
  results.runs.clear();
  const auto x = report_on(results);
  EXPECT_FALSE(x.worst.has_value());
  EXPECT_THAT(to_text(x, source), HasSubstr("0 runs of 80"));
  const auto asked = report_on(example(), {.shown = {find_quantity("failback")}});
  EXPECT_THAT(to_text(asked, source), HasSubstr("failback: no run has it"));
}

TEST(SweepReport, ReadsAsRecorded) {
  const auto x = report_on(example());
  const auto text = to_text(x, source);
  test::expect_golden("tests/sweeps/golden/report.txt", text);
  test::expect_golden("tests/sweeps/golden/report.md", to_markdown(x, source));
  std::size_t begin = 0;
  for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    // Commands stand in one line.
    if (text.find("spillover", begin) > end) {
      EXPECT_LE(end - begin, 100u) << text.substr(begin, end - begin);
    }
    begin = end + 1;
  }
}

TEST(SweepReport, JsonHasItsNumbers) {
  const auto x = nlohmann::json::parse(to_json(report_on(example()), source));
  EXPECT_EQ(x.at("version"), 1);
  EXPECT_EQ(x.at("settings").at(3).at("min_instances"), "4");
  const auto& failover = x.at("distributions").at(0);
  EXPECT_EQ(failover.at("unit"), "ns");
  EXPECT_EQ(failover.at("settings").at(1).at("median"), 164 * second / 10);
  EXPECT_TRUE(failover.at("settings").at(1).at("p95_interval").at("high").is_null());
  EXPECT_EQ(failover.at("settings").at(2).at("worst"), "never");
  EXPECT_EQ(x.at("worst").at("seed"), 13);
  EXPECT_EQ(x.at("failures").at(0).at("trouble"), "the process ended by signal 9");
}

/// Carries a search over the example's settings out.
std::pair<search_question, search_answer> found(const std::string& text, std::size_t seeds) {
  const auto results = example(seeds, false);
  auto conditions = parse_conditions(text, 0.9);
  search_question asked{std::get<std::vector<condition>>(conditions),
                        find_quantity("cost"),
                        usual_confidence,
                        results.settings,
                        {}};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    asked.seeds.push_back(seed);
  halving_search search{asked.plan()};
  for (auto runs = search.next(); !runs.empty(); runs = search.next())
    for (const auto& x : runs)
      search.take(
        x, facts_of(asked.conditions, *asked.minimised, results.runs[x.setting * seeds + x.seed]));
  return {asked, search.answer()};
}

TEST(SearchText, ReadsAsRecorded) {
  const auto [asked, answer] = found("failover<18s and mean(errors)<5%", 60);
  EXPECT_TRUE(is_found(asked, answer));
  test::expect_golden("tests/sweeps/golden/search.txt", to_text(asked, answer, source));
  const auto json = nlohmann::json::parse(to_json(asked, answer, source));
  EXPECT_EQ(json.at("found"), true);
  EXPECT_EQ(json.at("setting"), 0);
  EXPECT_GE(json.at("sure_to_meet").get<double>(), 0.95);
  EXPECT_EQ(json.at("settings").at(0).at("values").at("health_check.interval"), "5s");
}

TEST(SearchText, SaysWhatItDoesNotKnow) {
  const auto [asked, answer] = found("failover<18s", 20);
  EXPECT_FALSE(is_found(asked, answer));
  const auto text = to_text(asked, answer, source);
  EXPECT_THAT(text, HasSubstr("found setting 0"));
  EXPECT_THAT(text, HasSubstr("less than the 95% asked for"));
  EXPECT_THAT(text, HasSubstr("20 seeds cannot make 95% sure; 42 could"));
  const auto [impossible, none] = found("failover<1s", 60);
  EXPECT_FALSE(none.winner.has_value());
  EXPECT_THAT(to_text(impossible, none, source),
              HasSubstr("found no setting whose runs meet the condition"));
}

} // namespace
} // namespace spillover
