#include "sweeps/results.hpp"

#include "sweeps/merge.hpp"
#include "sweeps/stored_search.hpp"
#include "tests/support/run_program.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace spillover {
namespace {

const std::vector<variation> varied{{"a.interval", {"5s", "1s"}}, {"a.threshold", {"1", "2", "3"}}};

sweep_identity identity() {
  sweep_identity result;
  result.program = "spillover 0.0.0";
  result.name = "short";
  result.scenario = "name: short\n";
  result.settings = full_factorial(varied);
  for (const auto& x : result.settings)
    result.scenarios.push_back("# " + to_string(x));
  return result;
}

std::vector<std::uint64_t> seeds_to(std::uint64_t last) {
  std::vector<std::uint64_t> result;
  for (std::uint64_t seed = 1; seed <= last; ++seed)
    result.push_back(seed);
  return result;
}

run_outcome run_of(std::uint32_t place, std::uint64_t seed) {
  run_outcome result;
  result.key = {place, seed};
  result.end = seed % 3 == 0 ? run_end::missed : run_end::met;
  if (seed % 7 != 0)
    result.values[*find_measure("failover_ns")] =
      static_cast<std::int64_t>((seed * 37 + std::uint64_t{place} * 11) % 50);
  result.values[*find_measure("billed_vcpu_milli")] =
    static_cast<std::int64_t>(std::uint64_t{place} * 100 + seed);
  result.values[*find_measure("billed_idle_vcpu_milli")] = 0;
  return result;
}

class SweepResults : public testing::Test {
protected:
  /// Makes a file with the runs of which `kept` says so.
  template <class Predicate>
  std::filesystem::path make(const std::string& name, Predicate kept) {
    auto file = folder_.path() / name;
    sweep_store store{file, sweep_store::mode::write};
    store.begin(identity(), {}, seeds_to(20));
    for (std::uint32_t place = 0; place < 6; ++place)
      for (std::uint64_t seed = 1; seed <= 20; ++seed)
        if (kept(place, seed))
          store.add(run_of(place, seed));
    return file;
  }

  static std::string report_of(const std::filesystem::path& file) {
    const sweep_store store{file, sweep_store::mode::read};
    return to_json(report_on(results_of(store)), {"sweep.sqlite"});
  }

  test::temporary_folder folder_;
};

TEST_F(SweepResults, AreThoseOfTheStore) {
  const auto file = make("all.sqlite", [](auto, auto) { return true; });
  const sweep_store store{file, sweep_store::mode::read};
  const auto x = results_of(store);
  EXPECT_EQ(x.varied, varied);
  EXPECT_EQ(x.settings, identity().settings);
  EXPECT_EQ(x.seeds, 20u);
  ASSERT_EQ(x.runs.size(), 120u);
  EXPECT_TRUE(same_outcome(x.runs[21], run_of(1, 2)));
  EXPECT_EQ(store.identity().scenarios, identity().scenarios);
}

TEST_F(SweepResults, OfJoinedShardsAreThoseOfOneSweep) {
  const auto whole = make("whole.sqlite", [](auto, auto) { return true; });
  const auto odd =
    make("odd.sqlite", [](auto place, auto seed) { return (place + seed) % 2 == 1; });
  const auto even =
    make("even.sqlite", [](auto place, auto seed) { return (place + seed) % 2 == 0; });
  const auto joined = folder_.path() / "joined.sqlite";
  const std::vector parts{odd, even};
  merge_sweeps(joined, parts);
  EXPECT_EQ(report_of(joined), report_of(whole));
  EXPECT_NE(report_of(odd), report_of(whole));
  const sweep_store store{joined, sweep_store::mode::read};
  EXPECT_EQ(store.identity(), identity());
}

TEST_F(SweepResults, AreUsedByASearch) {
  auto conditions = parse_conditions("failover<1s", 0.5);
  search_question asked{std::get<std::vector<condition>>(conditions),
                        find_quantity("cost"),
                        usual_confidence,
                        identity().settings,
                        {}};
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    asked.seeds.push_back(seed);
  stored_search fresh{asked};
  EXPECT_EQ(fresh.next().size(), 48u) << "six settings, eight seeds";
  // Of another seed, of no use here; and a run that failed, which is tried again.
  const auto file =
    make("part.sqlite", [](auto place, auto seed) { return place == 0 && seed < 4; });
  {
    sweep_store store{file, sweep_store::mode::write};
    store.add(run_of(0, 4'000));
    auto failed = run_of(0, 5);
    failed.end = run_end::failed;
    store.add(failed);
    fresh.take_all(store);
  }
  EXPECT_EQ(fresh.next().size(), 45u);
  EXPECT_EQ(fresh.next().front(), (run_key{0, 4}));
  EXPECT_FALSE(fresh.has_failures());
  for (auto keys = fresh.next(); !keys.empty(); keys = fresh.next())
    for (const auto& x : keys)
      fresh.take(run_of(x.setting, x.seed));
  const auto answer = fresh.answer();
  ASSERT_TRUE(answer.winner.has_value());
  EXPECT_EQ(answer.candidates[*answer.winner].setting, 0u)
    << "all meet it, and the first is cheapest";
  EXPECT_LT(answer.runs, 120u);
}

TEST_F(SweepResults, OfAnotherScenarioIsAnotherSweep) {
  auto other = identity();
  EXPECT_EQ(difference(identity(), other), "");
  other.scenarios.back() += " and more";
  EXPECT_EQ(difference(identity(), other), "the settings make other scenarios of it");
  other.scenarios.clear();
  EXPECT_EQ(difference(identity(), other), "") << "nobody says what they make of it";
}

} // namespace
} // namespace spillover
