#include "tests/app/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>

namespace spillover {
namespace {

using RunCommand = test::ProgramTest;

TEST_F(RunCommand, PrintsTheVerdictAndWhereTheFilesAre) {
  const auto x = spillover({"run", "short.yaml"});
  EXPECT_EQ(x.code, 0);
  EXPECT_TRUE(x.out.starts_with("FAILOVER east -> west")) << x.out;
  const auto lines = test::lines_of(x.out);
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(lines.back().starts_with("expectations 1 of 1 met")) << lines.back();
  EXPECT_TRUE(lines.back().ends_with("runs/short-3")) << lines.back();
  EXPECT_TRUE(std::filesystem::exists(path("runs/short-3/events.jsonl")));
}

TEST_F(RunCommand, ExitsWithOneWhenAnExpectationFails) {
  write("strict.yaml", test::short_scenario_with("within: 20s", "within: 1s"));
  const auto x = spillover({"run", "strict.yaml"});
  EXPECT_EQ(x.code, 1);
  EXPECT_NE(x.out.find("FAIL"), std::string::npos) << x.out;
  EXPECT_NE(x.out.find("expectations 0 of 1 met"), std::string::npos) << x.out;
  // The exit code is all that tells when nothing is shown.
  EXPECT_EQ(spillover({"run", "strict.yaml", "--quiet"}).code, 1);
}

TEST_F(RunCommand, QuietShowsNothing) {
  const auto x = spillover({"run", "short.yaml", "--quiet"});
  EXPECT_EQ(x.code, 0);
  EXPECT_EQ(x.out, "");
  EXPECT_EQ(x.err, "");
  EXPECT_EQ(files("runs/short-3").size(), 7u);
}

TEST_F(RunCommand, SaysOnStderrWhatItsAuthorShouldKnowUnlessQuiet) {
  write("late.yaml", test::short_scenario_with("within: 20s", "within: 19s"));
  const auto loud = spillover({"run", "late.yaml"});
  EXPECT_TRUE(loud.err.starts_with("late.yaml:23:36: lint: failover from east takes 13s at best"))
    << loud.err;
  EXPECT_EQ(loud.out.find("lint: "), std::string::npos) << loud.out;
  EXPECT_EQ(spillover({"run", "late.yaml", "--quiet"}).err, "");
  // A machine that reads the log can read it there.
  const auto logged = spillover({"run", "late.yaml", "--log-json"});
  const auto line = nlohmann::json::parse(test::lines_of(logged.err).at(0), nullptr, false);
  ASSERT_TRUE(line.is_object()) << logged.err;
  EXPECT_EQ(line["level"], "warning");
  EXPECT_NE(line["message"].get<std::string>().find("lint: "), std::string::npos);
}

TEST_F(RunCommand, JsonPrintsTheSummaryAndNothingElse) {
  const auto x = spillover({"run", "short.yaml", "--json"});
  EXPECT_EQ(x.code, 0);
  const auto summary = nlohmann::json::parse(x.out, nullptr, false);
  ASSERT_TRUE(summary.is_object()) << x.out;
  EXPECT_EQ(summary["name"], "short");
  EXPECT_EQ(summary["seed"], 3);
  EXPECT_EQ(summary["exit_code"], 0);
  EXPECT_EQ(x.out, read("runs/short-3/summary.json"));
}

TEST_F(RunCommand, JsonTellsAFailedExpectationAsTheExitCodeDoes) {
  write("strict.yaml", test::short_scenario_with("within: 20s", "within: 1s"));
  const auto x = spillover({"run", "strict.yaml", "--json"});
  EXPECT_EQ(x.code, 1);
  const auto summary = nlohmann::json::parse(x.out, nullptr, false);
  ASSERT_TRUE(summary.is_object()) << x.out;
  EXPECT_EQ(summary["exit_code"], 1);
}

TEST_F(RunCommand, ASeedOfTheCommandLineReplacesTheScenarios) {
  EXPECT_EQ(spillover({"run", "short.yaml", "--quiet"}).code, 0);
  EXPECT_EQ(spillover({"run", "short.yaml", "--quiet", "--seed", "4"}).code, 0);
  EXPECT_NE(read("runs/short-3/events.jsonl"), read("runs/short-4/events.jsonl"));
}

TEST_F(RunCommand, APaceChangesWhenThingsAreShownAndNotWhatHappens) {
  ASSERT_EQ(spillover({"run", "short.yaml", "--quiet"}).code, 0);
  const auto fast = files("runs/short-3");
  const auto from = std::chrono::steady_clock::now();
  const auto x = spillover({"run", "short.yaml", "--speed", "150"});
  EXPECT_EQ(x.code, 0);
  EXPECT_GE(std::chrono::steady_clock::now() - from, std::chrono::milliseconds{600});
  EXPECT_EQ(files("runs/short-3"), fast);
  EXPECT_NE(x.err.find("at speed 150 timers were handled late by "), std::string::npos) << x.err;
  for (const auto* bad : {"0", "nan", "inf", "10001"})
    EXPECT_EQ(spillover({"run", "short.yaml", "--speed", bad}).code, 2) << bad;
}

TEST_F(RunCommand, EndsWhereAConditionStopsIt) {
  write("stop.yaml", test::short_scenario_with(
                       "expect:\n", "stop_if:\n"
                                    "  - {name: enough, event: {event: source_changed, of: east, "
                                    "where: {after: UNHEALTHY}}}\n"
                                    "expect:\n"));
  const auto x = spillover({"run", "stop.yaml"});
  // Consumers had no time to leave.
  EXPECT_EQ(x.code, 1);
  EXPECT_NE(x.out.find("\nstopped at 4"), std::string::npos) << x.out;
  EXPECT_NE(x.out.find(" s: enough: source_changed of east with after=UNHEALTHY\n"),
            std::string::npos)
    << x.out;
  EXPECT_NE(x.out.find("stopped before"), std::string::npos) << x.out;
  const auto summary = nlohmann::json::parse(read("runs/short-3/summary.json"), nullptr, false);
  ASSERT_TRUE(summary.is_object());
  EXPECT_EQ(summary["stopped"]["reason"], "enough: source_changed of east with after=UNHEALTHY");
  EXPECT_NE(read("runs/short-3/junit.xml").find("<property name=\"stopped\""), std::string::npos);
  EXPECT_GT(test::lines_of(read("runs/short-3/requests.csv")).size(), 30u);
}

TEST_F(RunCommand, JudgesWhatThereIsWhenASignalEndsIt) {
  for (const auto signal : {SIGINT, SIGTERM}) {
    const auto place = "stopped-" + std::to_string(signal);
    // An hour and more, were it not ended.
    const auto child = start({"run", "short.yaml", "--speed", "0.01", "--quiet", "--out", place});
    EXPECT_TRUE(within_a_minute(
      [&] { return std::filesystem::exists(path(place + ".partial-" + std::to_string(child))); }));
    ::kill(child, signal);
    EXPECT_EQ(test::end_of_program(child), 1) << read("stderr");
    const auto summary = nlohmann::json::parse(read(place + "/summary.json"), nullptr, false);
    ASSERT_TRUE(summary.is_object());
    EXPECT_EQ(summary["stopped"]["reason"], "by a signal");
    EXPECT_LT(summary["stopped"]["at_ns"], 5'000'000'000);
    EXPECT_FALSE(std::filesystem::exists(path(place + ".partial-" + std::to_string(child))));
  }
}

TEST_F(RunCommand, OutlivesItsTerminalWhenToldTo) {
  std::signal(SIGHUP, SIG_IGN); // as nohup does
  const auto child = start({"run", "short.yaml", "--speed", "200", "--quiet", "--out", "run"});
  std::signal(SIGHUP, SIG_DFL);
  EXPECT_TRUE(within_a_minute(
    [&] { return std::filesystem::exists(path("run.partial-" + std::to_string(child))); }));
  ::kill(child, SIGHUP);
  EXPECT_EQ(test::end_of_program(child), 0);
  const auto summary = nlohmann::json::parse(read("run/summary.json"), nullptr, false);
  ASSERT_TRUE(summary.is_object());
  EXPECT_TRUE(summary["stopped"].is_null()) << summary["stopped"];
}

TEST_F(RunCommand, TheScenarioItWritesRunsAgainToTheSameBytes) {
  // With another seed than the file's: the copy must name the one that was used.
  EXPECT_EQ(spillover({"run", "short.yaml", "--quiet", "--seed", "5", "--out", "a"}).code, 0);
  EXPECT_EQ(spillover({"run", "a/scenario.yaml", "--quiet", "--out", "b"}).code, 0);
  EXPECT_TRUE(files("a") == files("b"));
}

} // namespace
} // namespace spillover
