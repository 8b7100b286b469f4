#include "actors/world.hpp"
#include "report/verdict.hpp"
#include "scenario/lint.hpp"
#include "scenario/plan.hpp"
#include "tests/support/scenario_files.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace spillover {
namespace {

std::map<std::string, actor_kind> planned(const scenario& x) {
  std::map<std::string, actor_kind> result;
  for (const auto& actor : plan_actors(x))
    result.emplace(actor.path, actor.kind);
  return result;
}

std::string unmet(const verdict& x) {
  std::string result;
  for (const auto& y : x.judgements)
    if (!y.met)
      result += y.what + ": " + y.measured + "\n";
  return result;
}

TEST(Scenarios, TheProjectComesWithSome) {
  EXPECT_GE(test::scenario_files().size(), 1u);
}

TEST(Scenarios, EachSaysWhatItIsAboutAndIsNamedAsItsFile) {
  for (const auto& file : test::scenario_files()) {
    SCOPED_TRACE(file.filename());
    const auto x = test::load(file);
    EXPECT_NE(x.description, "");
    EXPECT_EQ(x.name, file.stem());
    // A run without an expectation is always met and would prove nothing below.
    EXPECT_FALSE(x.expectations.empty());
  }
}

TEST(Scenarios, EachExplainsTheLintsThatItHas) {
  for (const auto& file : test::scenario_files()) {
    SCOPED_TRACE(file.filename());
    std::ifstream in{file};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    for (const auto& x : lints(test::load(file))) {
      const auto explained = text.find("lint " + std::string{x.id} + ":") != std::string::npos;
      EXPECT_TRUE(explained || x.grade == lint_grade::note) << to_string(x);
    }
  }
}

TEST(Scenarios, EachStartsWithEveryPlannedActor) {
  for (const auto& file : test::scenario_files()) {
    SCOPED_TRACE(file.filename());
    const auto x = test::load(file);
    // Before any time passes: at the first instant a request may call for an instance already.
    const world w{x};
    EXPECT_EQ(w.actors(), planned(x));
    EXPECT_EQ(w.running(), w.actors().size());
  }
}

TEST(Scenarios, EachMeetsItsExpectationsWithBooksThatBalance) {
  for (const auto& file : test::scenario_files()) {
    SCOPED_TRACE(file.filename());
    const auto x = test::load(file);
    world w{x};
    w.run_until(run_start + x.lasts);
    w.finish();
    EXPECT_EQ(w.casualties(), std::vector<std::string>{});
    EXPECT_EQ(audit(w.log()), std::vector<std::string>{});
    const auto result = judge(w.log(), x.expectations, x.recovery);
    EXPECT_EQ(result.exit_code(), 0) << unmet(result);
  }
}

} // namespace
} // namespace spillover
