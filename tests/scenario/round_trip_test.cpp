#include "tests/scenario/random_scenario.hpp"
#include "tests/scenario/sample.hpp"
#include "tests/support/scenario_files.hpp"

#include <filesystem>

namespace spillover::test {

namespace {

/// @param folder of the files that it names
void expect_round_trip(const scenario& x, const std::filesystem::path& folder = {}) {
  const auto text = to_yaml(x);
  const auto read = parse_scenario(text, "s", folder);
  ASSERT_EQ(joined(problems_of(read)), "") << text;
  const auto& again = std::get<scenario>(read);
  EXPECT_TRUE(again == x) << text << "\n--- became ---\n" << to_yaml(again);
  EXPECT_EQ(to_yaml(again), text);
}

TEST(ToYaml, EveryShippedScenarioReadsBackTheSame) {
  int count = 0;
  for (const auto& x : test::scenario_files()) {
    SCOPED_TRACE(x);
    // As a file, because it may name others.
    const auto loaded = load_scenario(x);
    ASSERT_EQ(joined(problems_of(loaded)), "");
    expect_round_trip(std::get<scenario>(loaded), std::filesystem::path{x}.parent_path());
    ++count;
  }
  EXPECT_GE(count, 1);
}

TEST(ToYaml, TheSampleReadsBackTheSame) {
  expect_round_trip(valid(sample));
}

TEST(ToYaml, RandomScenariosReadBackTheSame) {
  for (std::uint64_t seed = 0; seed < 500 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    expect_round_trip(random_scenario(seed));
  }
}

TEST(ToYaml, PrintsEachDefault) {
  const auto text = to_yaml(valid("{name: a, duration: 1m, producers: {b: {regions: [c], "
                                  "backend_services: {d: {}}}}, consumers: {e: {traffic: "
                                  "[{closed_loop: {}}]}}}"));
  for (const auto* line : {"seed: 1\n", "request_timeout: 5m\n", "policy: cloud_run\n",
                           "closed_loop: {clients: 1, think_time: 0s, from: 0s, ramp_up: 0s}",
                           "keep_up: 0.95\n", "proxies: 1"})
    EXPECT_NE(text.find(line), std::string::npos) << line << " in " << text;
}

} // namespace

} // namespace spillover::test
