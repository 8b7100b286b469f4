#include "tests/app/program.hpp"

#include <gtest/gtest.h>

#include <string>

namespace spillover {
namespace {

/// A run in `runs/short-3`, and its report.
class ReportCommand : public test::ProgramTest {
protected:
  ReportCommand() { EXPECT_EQ(spillover({"run", "short.yaml", "--quiet"}).code, 0); }
};

TEST_F(ReportCommand, WritesWhatTheRunHadWritten) {
  const auto before = read("runs/short-3/report.html");
  EXPECT_NE(before.find("\"name\":\"short\""), std::string::npos);
  EXPECT_NE(before.find("spillover run scenario.yaml --seed 3"), std::string::npos);
  write("runs/short-3/report.html", "");
  const auto x = spillover({"report", "runs/short-3"});
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_EQ(x.out, "runs/short-3/report.html\n");
  EXPECT_EQ(read("runs/short-3/report.html"), before);
  // Elsewhere the same.
  EXPECT_EQ(spillover({"report", "runs/short-3/", "--out", "x.html"}).out, "x.html\n");
  EXPECT_EQ(read("x.html"), before);
}

TEST_F(ReportCommand, ARunCanDoWithout) {
  EXPECT_EQ(spillover({"run", "short.yaml", "--quiet", "--no-report", "--out", "other"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(path("other/report.html")));
  EXPECT_EQ(read("other/events.jsonl"), read("runs/short-3/events.jsonl"));
}

TEST_F(ReportCommand, PrintsMarkdownOrWritesIt) {
  const auto x = spillover({"report", "runs/short-3", "--markdown"});
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_TRUE(x.out.starts_with("## ✅ short: 1 of 1 expectation met\n")) << x.out;
  EXPECT_NE(x.out.find("### east → west: "), std::string::npos) << x.out;
  EXPECT_EQ(spillover({"report", "runs/short-3", "--markdown", "--out", "x.md"}).out, "");
  EXPECT_EQ(read("x.md"), x.out);
}

TEST_F(ReportCommand, TellsAnUnmetExpectationWithoutFailing) {
  write("strict.yaml", test::short_scenario_with("within: 20s", "within: 1s"));
  EXPECT_EQ(spillover({"run", "strict.yaml", "--quiet"}).code, 1);
  const auto x = spillover({"report", "runs/short-3", "--markdown"});
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_TRUE(x.out.starts_with("## ❌ short: 0 of 1 expectation met\n")) << x.out;
}

TEST_F(ReportCommand, ReplacesReportsAndNothingElse) {
  EXPECT_EQ(spillover({"run", "short.yaml", "--quiet"}).code, 0);
  const std::string run = "runs/short-3";
  const auto scenario = read("short.yaml");
  for (std::vector<std::string> line : {std::vector<std::string>{}, {"--markdown"}}) {
    line.insert(line.begin(), {"report", run, "--out", "short.yaml"});
    const auto x = spillover(line);
    EXPECT_EQ(x.code, 2);
    EXPECT_NE(x.err.find("--out: short.yaml is no "), std::string::npos) << x.err;
    EXPECT_EQ(read("short.yaml"), scenario);
    line[3] = "new";
    EXPECT_EQ(spillover(line).code, 0);
    EXPECT_EQ(spillover(line).code, 0) << "its own may be made anew";
    std::filesystem::remove(path("new"));
  }
}

TEST_F(ReportCommand, SaysWhatItCannotReadOrWrite) {
  const struct {
    const char* why = "";
    std::vector<std::string> line = {};
    int code = 0;
    const char* said = "";
  } cases[] = {
    {"no run", {"report", "nowhere"}, 2, "nowhere is no folder of a run"},
    {"no run named", {"report"}, 2, "RUN is required"},
    {"no place",
     {"report", "runs/short-3", "--out", "no/such/x.html"},
     2,
     "--out: there is no folder no/such"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto result = spillover(x.line);
    EXPECT_EQ(result.code, x.code);
    EXPECT_NE(result.err.find(x.said), std::string::npos) << result.err;
  }
}

} // namespace
} // namespace spillover
