#include "tests/app/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>

namespace spillover {
namespace {

using RunLog = test::ProgramTest;

TEST_F(RunLog, GoesToStderrAndChangesNoResult) {
  const auto silent = spillover({"run", "short.yaml", "--log-level", "off"});
  const auto result = files("runs/short-3");
  for (const auto* level : {"info", "trace"}) {
    SCOPED_TRACE(level);
    const auto x = spillover({"run", "short.yaml", "--log-level", level});
    EXPECT_EQ(x.code, silent.code);
    EXPECT_EQ(x.out, silent.out);
    EXPECT_NE(x.err.find("composite_changed"), std::string::npos);
    EXPECT_TRUE(files("runs/short-3") == result);
  }
}

TEST_F(RunLog, LevelsSayMoreAndMore) {
  std::size_t before = 0;
  for (const auto* level : {"info", "debug", "trace"}) {
    const auto x = spillover({"run", "short.yaml", "--quiet", "--log-level", level});
    const auto lines = test::lines_of(x.err).size();
    EXPECT_GT(lines, before) << level;
    before = lines;
  }
}

TEST_F(RunLog, EachJsonLineHasItsSiteAndEmulatedTime) {
  // Quotes and a backslash of the user's must not break a line.
  write("quoted.yaml", test::short_scenario_with("The closer region is gone for half a minute.",
                                                 R"('Is "east" \ gone?')"));
  const auto x = spillover({"run", "quoted.yaml", "--quiet", "--log-json", "--log-level", "trace"});
  EXPECT_EQ(x.code, 0);
  EXPECT_EQ(x.out, "");
  std::set<std::string> sites;
  std::int64_t last = 0;
  for (const auto& line : test::lines_of(x.err)) {
    const auto parsed = nlohmann::json::parse(line, nullptr, false);
    ASSERT_TRUE(parsed.is_object()) << line;
    ASSERT_TRUE(parsed.contains("site") && parsed["site"].is_string()) << line;
    ASSERT_TRUE(parsed.contains("emulated_ns") && parsed["emulated_ns"].is_number_integer())
      << line;
    sites.insert(parsed["site"].get<std::string>());
    const auto at = parsed["emulated_ns"].get<std::int64_t>();
    EXPECT_GE(at, last) << line;
    last = at;
  }
  EXPECT_EQ(sites, (std::set<std::string>{"director", "east", "shop", "west"}));
  EXPECT_EQ(last, 90'000'000'000);
}

TEST_F(RunLog, JsonOfTheLogAndOfTheSummaryDoNotMix) {
  const auto x = spillover({"run", "short.yaml", "--json", "--log-json", "--log-level", "info"});
  EXPECT_EQ(x.code, 0);
  EXPECT_TRUE(nlohmann::json::accept(x.out)) << x.out;
  EXPECT_FALSE(test::lines_of(x.err).empty());
}

} // namespace
} // namespace spillover
