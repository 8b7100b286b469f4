#include "tests/app/program.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

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

TEST_F(SweepReportCommand, TracesNeedNotBeThereToPrintAScenario) {
  write("traced/counts.csv", "minutes,requests\n0,20\n1,30\n");
  write("traced/short.yaml", test::short_scenario_with("{open_loop: {rate: [{at: 0s, rps: 20}]}}",
                                                       "{trace: {file: counts.csv}}"));
  ASSERT_EQ(spillover({"sweep", "traced/short.yaml", "--out", "t.sqlite", "--quiet"}).code / 2, 0);
  const auto x = spillover({"sweep", "scenario", "t.sqlite", "--setting", "0", "--seed", "77"});
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_THAT(x.out, HasSubstr("\nseed: 77\n"));
  write("traced/again.yaml", x.out);
  EXPECT_EQ(spillover({"check", "traced/again.yaml"}).code, 0) << "beside its traces it runs";
}

TEST_F(SweepReportCommand, SaysWhatIsWrong) {
  ASSERT_NE(sweep("1..2").code, 2);
  struct {
    const char* why = "";
    std::vector<std::string> arguments = {};
    const char* expected = "";
  } const cases[] = {
    {"no file", {"report", "none.sqlite"}, "none.sqlite"},
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
