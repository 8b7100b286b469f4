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

TEST_F(CheckCommand, NotesGoToStderrOnly) {
  // A source that is UNHEALTHY while it scales to zero is worth a note.
  write("zero.yaml",
        test::short_scenario_with(
          "{policy: fixed, instances: 2}",
          "{policy: cloud_run, variant: tolerance10, min_instances: 0, max_instances: 2}"));
  const auto x = spillover({"check", "zero.yaml"});
  EXPECT_EQ(x.code, 0);
  EXPECT_NE(x.err.find("note: "), std::string::npos) << x.err;
  EXPECT_EQ(x.out.find("note: "), std::string::npos) << x.out;
  EXPECT_EQ(spillover({"check", "short.yaml"}).err, "");
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
