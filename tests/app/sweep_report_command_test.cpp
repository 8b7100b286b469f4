#include "tests/app/program.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace spillover {
namespace {

using testing::HasSubstr;

class SweepReportCommand : public test::ProgramTest {
protected:
  test::program_result sweep(const std::string& seeds, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{
      "sweep",
      "short.yaml",
      "--seeds",
      seeds,
      "--out",
      "s.sqlite",
      "--quiet",
      "--vary",
      "producers.checkout.backend_services.web.health_check={interval: 5s},{interval: 2s, timeout: 2s}"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return spillover(arguments);
  }

  nlohmann::json report(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"sweep", "report", "s.sqlite", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto x = spillover(arguments);
    EXPECT_EQ(x.code, 0) << x.err;
    return nlohmann::json::parse(x.out, nullptr, false);
  }
};

TEST_F(SweepReportCommand, TellsWhatTheRunsSay) {
  ASSERT_NE(sweep("1..6").code, 2);
  const auto text = spillover({"sweep", "report", "s.sqlite"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("sweep of short: 2 settings x 6 seeds, 12 runs"));
  EXPECT_THAT(text.out, HasSubstr("interval: 2s"));
  EXPECT_THAT(text.out, HasSubstr("what matters for failover"));
  EXPECT_THAT(text.out, HasSubstr("worst run: setting 0"));
  const auto markdown = spillover({"sweep", "report", "s.sqlite", "--markdown"});
  EXPECT_EQ(markdown.code, 0);
  EXPECT_THAT(markdown.out, HasSubstr("| setting |"));
  const auto chosen = report({"--measure", "errors", "--quantile", "1"});
  ASSERT_EQ(chosen.at("distributions").size(), 1u);
  EXPECT_EQ(chosen.at("distributions").at(0).at("quantity"), "errors");
  EXPECT_EQ(chosen.at("trade_off").at("quantile"), 1);
}

TEST_F(SweepReportCommand, TheWorstRunCanBeRepeated) {
  ASSERT_NE(sweep("1..6").code, 2);
  const auto worst = report().at("worst");
  const auto yaml = spillover({"sweep", "scenario", "s.sqlite", "--setting",
                               worst.at("setting").dump(), "--seed", worst.at("seed").dump()});
  ASSERT_EQ(yaml.code, 0) << yaml.err;
  EXPECT_THAT(worst.at("command").get<std::string>(),
              HasSubstr("sweep scenario s.sqlite --setting " + worst.at("setting").dump()));
  write("worst.yaml", yaml.out);
  const auto again =
    nlohmann::json::parse(spillover({"run", "worst.yaml", "--json", "--no-report"}).out);
  EXPECT_EQ(again.at("seed"), worst.at("seed"));
  EXPECT_EQ(again.at("failovers").at(0).at("failover").at("ns").get<double>(), worst.at("value"));
}

class SweepOfTraces : public SweepReportCommand {
protected:
  void SetUp() override {
    SweepReportCommand::SetUp();
    write("traced/counts.csv", "minutes,requests\n0,20\n1,30\n");
    write("traced/more/counts.csv", "minutes,requests\n0,50\n1,10\n");
    write("traced/short.yaml", test::short_scenario_with("{open_loop: {rate: [{at: 0s, rps: 20}]}}",
                                                         "{trace: {file: counts.csv}}"));
  }

  test::program_result sweep_of_traces() {
    return spillover({"sweep", "traced/short.yaml", "--seeds", "1..3", "--out", "t.sqlite",
                      "--quiet", "--vary",
                      "consumers.shop.traffic.0.trace.file=counts.csv,more/counts.csv"});
  }
};

TEST_F(SweepOfTraces, CanBeRepeatedOutOfTheFileAlone) {
  ASSERT_EQ(sweep_of_traces().code / 2, 0);
  const std::string place = "consumers.shop.traffic.0.trace.file=";
  const auto requests = [this](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--seed", "2", "--json", "--no-report"});
    return nlohmann::json::parse(spillover(arguments).out).at("requests");
  };
  std::vector<nlohmann::json> expected;
  for (const std::string file : {"counts.csv", "more/counts.csv"})
    expected.push_back(requests({"run", "traced/short.yaml", "--set", place + file}));
  EXPECT_NE(expected[0], expected[1]);
  std::filesystem::remove_all(path("traced"));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto setting = std::to_string(i);
    SCOPED_TRACE(setting);
    const auto x = spillover({"sweep", "scenario", "t.sqlite", "--setting", setting, "--seed", "2",
                              "--out", "again-" + setting});
    ASSERT_EQ(x.code, 0) << x.err;
    EXPECT_EQ(x.out, "again-" + setting + "/scenario.yaml\n");
    EXPECT_EQ(requests({"run", "again-" + setting + "/scenario.yaml"}), expected[i]);
  }
  EXPECT_THAT(spillover({"sweep", "report", "t.sqlite"}).out, HasSubstr(" --out setting"));
}

TEST_F(SweepOfTraces, SaysWhereTheTracesOfAPrintedScenarioAre) {
  ASSERT_EQ(sweep_of_traces().code / 2, 0);
  const auto x = spillover({"sweep", "scenario", "t.sqlite", "--setting", "0", "--seed", "77"});
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_THAT(x.out, HasSubstr("\nseed: 77\n"));
  EXPECT_THAT(x.out, HasSubstr("file: scenario_traces/counts.csv"));
  EXPECT_THAT(x.err, HasSubstr("--out DIR"));
  // A run's folder is no place for it.
  ASSERT_NE(spillover({"run", "short.yaml", "--out", "kept", "--quiet"}).code, 2);
  EXPECT_EQ(spillover({"sweep", "scenario", "t.sqlite", "--setting", "0", "--out", "kept"}).code,
            3);
}

TEST_F(SweepOfTraces, IsNotGoneOnWithAfterATraceHasChanged) {
  ASSERT_EQ(sweep_of_traces().code / 2, 0);
  EXPECT_EQ(sweep_of_traces().code / 2, 0) << "the same traces";
  write("traced/more/counts.csv", "minutes,requests\n0,50\n1,11\n");
  const auto x = sweep_of_traces();
  EXPECT_EQ(x.code, 2);
  EXPECT_THAT(x.err,
              HasSubstr("t.sqlite holds another sweep: the trace more/counts.csv has changed: "
                        "its digest is "));
  EXPECT_THAT(x.err, testing::Not(HasSubstr("the scenario says")));
}

TEST_F(SweepReportCommand, SaysWhatIsWrong) {
  ASSERT_NE(sweep("1..2").code, 2);
  struct {
    const char* why = "";
    std::vector<std::string> arguments = {};
    const char* expected = "";
  } const cases[] = {
    {"no file", {"report", "none.sqlite"}, "there is no file none.sqlite"},
    {"a file of something else", {"report", "short.yaml"}, "short.yaml"},
    {"no such measure", {"report", "s.sqlite", "--measure", "speed"}, "choose detect"},
    {"no such time", {"report", "s.sqlite", "--time", "speed"}, "choose detect"},
    {"no quantile", {"report", "s.sqlite", "--quantile", "95"}, "above 0 and at most 1"},
    {"two forms", {"report", "s.sqlite", "--json", "--markdown"}, "excludes"},
    {"no such setting", {"scenario", "s.sqlite", "--setting", "2"}, "settings 0 to 1"},
    {"no seed", {"scenario", "s.sqlite", "--setting", "1", "--seed", "x"}, "--seed"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto arguments = x.arguments;
    arguments.insert(arguments.begin(), "sweep");
    const auto result = spillover(arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err + result.out, HasSubstr(x.expected));
  }
}

TEST_F(SweepReportCommand, FindsASettingAndSaysHowSure) {
  // Of 24 seeds all must be good for 95 % that 80 % are: 2 x 0.8^24 is below 0.05.
  const std::vector<std::string> question{"--find", "failover<20s", "--share", "0.8", "--json"};
  const auto first = sweep("1..24", question);
  ASSERT_EQ(first.code, 0) << first.err << first.out;
  const auto x = nlohmann::json::parse(first.out);
  EXPECT_EQ(x.at("found"), true);
  EXPECT_GE(x.at("sure_to_meet").get<double>(), 0.95);
  EXPECT_LE(x.at("runs").get<int>(), 48);
  EXPECT_EQ(sweep("1..24", question).out, first.out) << "what is there is used";
  const auto text = sweep("1..24", {"--find", "failover<20s", "--share", "0.8"});
  EXPECT_EQ(text.code, 0);
  const auto nothing = sweep("1..24", {"--find", "failover<1s"});
  EXPECT_EQ(nothing.code, 1);
  EXPECT_THAT(sweep("1..24", {"--find", "failover<1"}).err,
              HasSubstr("failover must be a time such as 15s or 250ms"));
  EXPECT_EQ(sweep("1..24", {"--find", "failover<20s", "--minimise", "speed"}).code, 2);
  EXPECT_EQ(sweep("1..24", {"--minimise", "cost"}).code, 2) << "of no use without --find";
}

} // namespace
} // namespace spillover
