#include "tests/app/program.hpp"

namespace spillover {
namespace {

class TraceCommands : public test::ProgramTest {
protected:
  TraceCommands() {
    write("traces/evening.csv", "seconds,requests\n0,100\n10,300\n20,200\n30,250\n");
    write("trace.yaml", test::short_scenario_with(
                          "open_loop: {rate: [{at: 0s, rps: 20}]}",
                          "trace: {file: traces/evening.csv, scale: 2, warp: 0.5, repeat: true}"));
  }
};

TEST_F(TraceCommands, CheckSaysWhatAFileHolds) {
  const auto x = spillover({"check", "trace.yaml"});
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_NE(
    x.out.find(
      "\n# shop: trace traces/evening.csv: 850 requests in 40s, counted in buckets of 10s\n"
      "# shop:   plays 0s to 40s from 0s again and again, each time to 80s later of the run: "
      "1700 requests, peak 30 a second at 20s\n"),
    std::string::npos)
    << x.out;
  // What is printed beside the file is a scenario again.
  write("printed.yaml", x.out);
  EXPECT_EQ(spillover({"check", "printed.yaml"}).code, 0);
}

TEST_F(TraceCommands, ARunIsRepeatedFromItsFolderAlone) {
  ASSERT_EQ(spillover({"run", "trace.yaml", "--quiet", "--out", "a"}).code, 0);
  std::filesystem::remove_all(path("traces"));
  EXPECT_EQ(read("a/scenario_traces/evening.csv"), "requests\n100\n300\n200\n250\n");
  ASSERT_EQ(spillover({"run", "a/scenario.yaml", "--quiet", "--out", "b"}).code, 0);
  EXPECT_TRUE(files("a") == files("b"));
  // A folder of a run is replaced whole, its traces too.
  write("plain.yaml", test::short_scenario);
  ASSERT_EQ(spillover({"run", "plain.yaml", "--quiet", "--out", "b"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(path("b/scenario_traces")));
  EXPECT_EQ(spillover({"report", "a"}).code, 0);
}

TEST_F(TraceCommands, AFileThatChangedIsNotWhatWasRun) {
  ASSERT_EQ(spillover({"run", "trace.yaml", "--quiet", "--out", "a"}).code, 0);
  write("a/scenario_traces/evening.csv", "requests\n100\n300\n200\n251\n");
  const auto x = spillover({"run", "a/scenario.yaml", "--quiet", "--out", "b"});
  EXPECT_EQ(x.code, 2);
  EXPECT_NE(x.err.find("digest: the file holds other traffic now"), std::string::npos) << x.err;
}

TEST_F(TraceCommands, MalformedLinesAreToldAndNothingIsRun) {
  write("traces/evening.csv", "seconds,requests\n0,100\n10,n/a\n20,200\n30,-1\n");
  const auto x = spillover({"run", "trace.yaml", "--quiet", "--out", "a"});
  EXPECT_EQ(x.code, 2);
  EXPECT_EQ(x.err,
            "traces/evening.csv:3:4: \"n/a\" is no number of requests; allowed: a number from 0 to "
            "1000000000, e.g. 12 or 0.5\n"
            "traces/evening.csv:5:4: \"-1\" is no number of requests; allowed: a number from 0 to "
            "1000000000, e.g. 12 or 0.5\n"
            "2 problems in trace.yaml; nothing was run\n");
  EXPECT_FALSE(std::filesystem::exists(path("a")));
}

} // namespace
} // namespace spillover
