#include "tests/app/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace spillover {
namespace {

/// A run in `run`.
class StatusCommand : public test::ProgramTest {
protected:
  StatusCommand() {
    EXPECT_EQ(spillover({"run", "short.yaml", "--quiet", "--out", "run"}).code, 0);
  }

  // The state of east's composite.
  static std::string east(const test::program_result& x) {
    const auto parsed = nlohmann::json::parse(x.out, nullptr, false);
    if (parsed.is_discarded())
      return "no JSON: " + x.err;
    return parsed.at("compositeHealthChecks").at(0).at("healthState");
  }
};

TEST_F(StatusCommand, SaysHowItWasAtATime) {
  EXPECT_EQ(east(spillover({"status", "run", "--at", "50s"})), "UNHEALTHY");
  EXPECT_EQ(east(spillover({"status", "run"})), "HEALTHY");
}

TEST_F(StatusCommand, RefusesWhatIsNoTimeOfTheRun) {
  for (const auto* at : {"", "soon", "2m", "-1s"}) {
    SCOPED_TRACE(at);
    const auto x = spillover({"status", "run", std::string{"--at="} + at});
    EXPECT_EQ(x.code, 2);
    EXPECT_EQ(x.out, "");
    EXPECT_NE(x.err.find("--at: "), std::string::npos) << x.err;
  }
  const auto nothing = spillover({"status", "run", "--at", ""});
  EXPECT_EQ(nothing.code, 2) << "nothing is no time, and not the end either";
  EXPECT_NE(nothing.err.find("must be a time within the run (0s to 90s)"), std::string::npos)
    << nothing.err;
}

TEST_F(StatusCommand, NamesTheLineAtWhichALogBreaksOff) {
  const auto whole = read("run/events.jsonl");
  const auto last = whole.rfind('\n', whole.size() - 2);
  write("run/events.jsonl", whole.substr(0, last + 1));
  const auto x = spillover({"status", "run"});
  EXPECT_EQ(x.code, 0) << "what there is can be told";
  EXPECT_EQ(east(x), "HEALTHY");
  EXPECT_TRUE(x.err.starts_with("spillover: run/events.jsonl: breaks off after line ")) << x.err;
  write("run/events.jsonl", whole.substr(0, 10));
  EXPECT_EQ(spillover({"status", "run"}).code, 2);
}

} // namespace
} // namespace spillover
