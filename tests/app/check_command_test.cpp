#include "scenario/load.hpp"
#include "scenario/plan.hpp"
#include "tests/app/program.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace spillover {
namespace {

using CheckCommand = test::ProgramTest;

scenario parsed(std::string_view text) {
  auto x = parse_scenario(text, "text");
  EXPECT_TRUE(std::holds_alternative<scenario>(x)) << text;
  return std::holds_alternative<scenario>(x) ? std::get<scenario>(x) : scenario{};
}

TEST_F(CheckCommand, PrintsTheScenarioAsYamlThatLoadsAgain) {
  const auto first = spillover({"check", "short.yaml"});
  EXPECT_EQ(first.code, 0);
  EXPECT_EQ(parsed(first.out), parsed(test::short_scenario));
  write("printed.yaml", first.out);
  const auto second = spillover({"check", "printed.yaml"});
  EXPECT_EQ(second.code, 0);
  EXPECT_EQ(parsed(second.out), parsed(first.out));
}

// A source that is UNHEALTHY while it scales to zero is worth a lint, and its policy a note.
std::string zero() {
  return test::short_scenario_with("{policy: fixed, instances: 2}",
                                   "{policy: cloud_run, min_instances: 0, max_instances: 2}");
}

TEST_F(CheckCommand, RemarksGoToStderrOnlyEachWithItsPlace) {
  write("zero.yaml", zero());
  const auto x = spillover({"check", "zero.yaml"});
  EXPECT_EQ(x.code, 0);
  const auto lines = test::lines_of(x.err);
  ASSERT_GE(lines.size(), 2u) << x.err;
  EXPECT_TRUE(lines[0].starts_with("zero.yaml:15:52: note: ")) << x.err;
  EXPECT_TRUE(lines[1].starts_with("zero.yaml:15:84: lint: east/checkout/web: ")) << x.err;
  EXPECT_EQ(x.out.find("lint: "), std::string::npos) << x.out;
  EXPECT_EQ(x.out.find("note: "), std::string::npos) << x.out;
  EXPECT_EQ(spillover({"check", "short.yaml"}).err, "");
}

TEST_F(CheckCommand, StrictRefusesALintButNoNote) {
  write("zero.yaml", zero());
  EXPECT_EQ(spillover({"check", "--strict", "zero.yaml"}).code, 1);
  EXPECT_EQ(spillover({"check", "--strict", "--actors", "zero.yaml"}).code, 1);
  EXPECT_EQ(spillover({"check", "--strict", "short.yaml"}).code, 0);
  write("note.yaml",
        test::short_scenario_with("{policy: fixed, instances: 2}",
                                  "{policy: cloud_run, min_instances: 2, max_instances: 5}"));
  const auto noted = spillover({"check", "--strict", "note.yaml"});
  EXPECT_EQ(noted.code, 0) << noted.err;
  EXPECT_NE(noted.err.find("note: "), std::string::npos) << noted.err;
}

TEST_F(CheckCommand, ListsEveryPlannedActorInALineOfItsOwn) {
  const auto x = spillover({"check", "--actors", "short.yaml"});
  EXPECT_EQ(x.code, 0);
  const auto planned = plan_actors(parsed(test::short_scenario));
  const auto lines = test::lines_of(x.out);
  ASSERT_EQ(lines.size(), planned.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].starts_with(to_string(planned[i].kind))) << lines[i];
    EXPECT_TRUE(lines[i].ends_with(" " + planned[i].path)) << lines[i];
  }
}

TEST_F(CheckCommand, RunsAndWritesNothing) {
  const auto before = files();
  EXPECT_EQ(spillover({"check", "short.yaml"}).code, 0);
  EXPECT_EQ(spillover({"check", "--actors", "short.yaml"}).code, 0);
  EXPECT_TRUE(files() == before);
}

} // namespace
} // namespace spillover
