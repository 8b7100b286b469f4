#include "sweeps/plan.hpp"

#include "tests/scenario/sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace spillover {
namespace {

TEST(RunsOf, GivesEveryRunToOneShard) {
  const std::vector<std::uint64_t> seeds{1, 2, 3, 5, 8, 13, 21};
  struct {
    const char* why = "";
    std::uint32_t settings = 1;
    std::uint32_t shards = 1;
  } const cases[] = {
    {"no division", 4, 1},
    {"more shards than runs", 2, 100},
    {"as many shards as settings", 4, 4},
    {"nothing divides anything", 5, 3},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    std::map<run_key, int> times;
    for (std::uint32_t i = 1; i <= x.shards; ++i) {
      for (const auto& key : runs_of(x.settings, seeds, {i, x.shards}))
        ++times[key];
    }
    EXPECT_EQ(times.size(), x.settings * seeds.size());
    EXPECT_TRUE(
      std::all_of(times.begin(), times.end(), [](const auto& y) { return y.second == 1; }));
  }
}

TEST(RunsOf, GivesEachShardRunsOfEverySetting) {
  std::vector<std::uint64_t> seeds(18);
  std::iota(seeds.begin(), seeds.end(), 1);
  struct {
    const char* why = "";
    std::uint32_t settings = 1;
    std::uint32_t shards = 1;
  } const cases[] = {
    {"as many as settings", 3, 3},
    {"a multiple of the settings", 2, 4},
    {"a multiple again, and no divisor of the seeds", 4, 8},
    {"one setting more than shards", 9, 8},
    {"one setting less", 7, 8},
  };
  for (const auto& x : cases) {
    for (std::uint32_t i = 1; i <= x.shards; ++i) {
      SCOPED_TRACE(std::string{x.why} + ", shard " + std::to_string(i));
      std::vector<std::size_t> times(x.settings);
      for (const auto& key : runs_of(x.settings, seeds, {i, x.shards}))
        ++times[key.setting];
      const auto [least, most] = std::minmax_element(times.begin(), times.end());
      EXPECT_GE(*least, seeds.size() / x.shards);
      EXPECT_LE(*most - *least, 1u);
    }
  }
}

TEST(RunsOf, TakesSeedBySeed) {
  const auto all = runs_of(2, std::vector<std::uint64_t>{7, 9}, {});
  ASSERT_EQ(all.size(), 4u);
  EXPECT_TRUE(all[0].seed == 7 && all[1].seed == 7 && all[2].seed == 9 && all[3].seed == 9);
}

TEST(ParseShard, ReadsOneOfSoMany) {
  EXPECT_EQ(std::get<shard>(parse_shard("3/8")), (shard{3, 8}));
  for (const auto* text : {"", "3", "0/8", "9/8", "3/", "/8", "a/b", "1/2/3", "-1/2", "1/100001"})
    EXPECT_EQ(parse_shard(text).index(), 1u) << text;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string result;
  for (const auto& x : lines)
    result += x + "\n";
  return result;
}

std::string problems_of(const std::vector<variation>& all) {
  const auto x = plan_sweep(test::sample, "s", {}, all);
  const auto* lines = std::get_if<std::vector<std::string>>(&x);
  return lines == nullptr ? "none" : joined(*lines);
}

TEST(PlanSweep, MakesAScenarioOfEachSetting) {
  const std::vector<variation> all{
    {"producers.checkout.backend_services.web.health_check.interval", {"4s", "8s"}},
    {"faults[0].for", {"1m", "2m"}}};
  const auto x = plan_sweep(test::sample, "s", {}, all);
  ASSERT_EQ(x.index(), 0u) << joined(std::get<std::vector<std::string>>(x));
  const auto& plan = std::get<sweep_plan>(x);
  EXPECT_EQ(plan.name, "sample");
  ASSERT_EQ(plan.scenarios.size(), 4u);
  EXPECT_EQ(to_string(plan.settings[3]), "interval=8s for=2m");
  EXPECT_EQ(plan.settings[3][1].path, "faults.0.for") << "one spelling, whatever was typed";
  EXPECT_EQ(plan.scenarios[1].faults[0].lasts, std::chrono::minutes{2});
  EXPECT_EQ(plan.scenarios[0].faults[0].lasts, std::chrono::minutes{1});
  const auto base = std::get<scenario>(parse_scenario(test::sample, "s"));
  EXPECT_EQ(plan.base, to_yaml(base));
  EXPECT_EQ(plan.scenarios[0], base) << "the first setting changes nothing here";
  EXPECT_FALSE(plan.scenarios[2] == base);
}

TEST(PlanSweep, SaysWhatIsWrongAndWithWhichSetting) {
  struct {
    const char* why = "";
    std::vector<variation> all = {};
    const char* expected = "";
  } const cases[] = {
    {"a bad value, in one setting of two",
     {{"duration", {"10m", "10x"}}},
     "duration=10x:1:1: duration: must be a duration such as 5s, 250ms, 1m30s or 1.5h; got \"10x\" "
     "(with duration=10x)\n"},
    {"a bad path, in all",
     {{"duratoin", {"10m", "20m"}}},
     "duratoin=10m: a scenario has nothing called \"duratoin\"; did you mean \"duration\"?"},
    {"the same path in two spellings",
     {{"faults.0.for", {"1m"}}, {"faults[0].for", {"2m"}}},
     "faults.0.for: is varied twice\n"},
    {"the same path with a zero more",
     {{"faults.0.for", {"1m"}}, {"faults.00.for", {"2m"}}},
     "has no entry \"00\"; allowed: 0 to "},
    {"a part of what is varied as a whole",
     {{"faults.0.for", {"1m"}}, {"faults.0", {"{at: 1m}"}}},
     "faults.0: is varied as a whole, and a part of it too: faults.0.for\n"},
    {"the same in the other order",
     {{"faults", {"[]"}}, {"faults.0.for", {"1m"}}},
     "faults: is varied as a whole, and a part of it too: faults.0.for\n"},
    {"one value in two spellings",
     {{"duration", {"10m", "600s"}}},
     "duration=10m and duration=600s: are two ways to write the same scenario; name one of them\n"},
    {"seeds have an option of their own",
     {{"seed", {"1", "2"}}},
     "seed: a sweep's seeds are not varied by their path; name them as seeds\n"},
    {"a combination that the scenario's rules refuse stands where the file says it",
     {{"warm_up", {"1m", "20m"}}},
     "(with warm_up=20m)\n"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_NE(problems_of(x.all).find(x.expected), std::string::npos) << problems_of(x.all);
  }
}

} // namespace
} // namespace spillover
