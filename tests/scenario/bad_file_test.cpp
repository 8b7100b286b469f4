#include "tests/scenario/sample.hpp"

#include <filesystem>

namespace spillover::test {

namespace {

std::string first_problem(std::string_view text) {
  const auto problems = problems_of(parse_scenario(text, "s"));
  return problems.empty() ? "" : problems.front();
}

class LoadScenario : public testing::Test {
protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    directory_ =
      std::filesystem::path{testing::TempDir()} / (std::string{"scenario-"} + test->name());
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
};

TEST_F(LoadScenario, SaysThatThereIsNoSuchFile) {
  const auto file = directory_ / "none.yaml";
  EXPECT_EQ(joined(problems_of(load_scenario(file))), file.string() + ": no such file");
}

TEST_F(LoadScenario, SaysThatADirectoryIsNoFile) {
  EXPECT_EQ(joined(problems_of(load_scenario(directory_))),
            directory_.string() + ": is a directory; a scenario is a file");
}

TEST_F(LoadScenario, ReadsAFileAndNamesItInProblems) {
  const auto file = directory_ / "sample.yaml";
  std::ofstream{file} << sample;
  EXPECT_TRUE(std::holds_alternative<scenario>(load_scenario(file)));
  std::ofstream{file} << edited("seed: 7", "seed: x");
  EXPECT_EQ(joined(problems_of(load_scenario(file))),
            file.string() + ":2:7: seed: must be a whole number; got \"x\"");
}

TEST_F(LoadScenario, ReadsNoMoreThanItAllowsOfAnEndlessFile) {
  EXPECT_EQ(joined(problems_of(load_scenario("/dev/zero"))),
            "/dev/zero: is larger than 1 MiB, the most a scenario may have");
}

TEST(ParseScenario, RefusesFilesOverOneMebibyteUnread) {
  std::string text{sample};
  text += "# " + std::string((1 << 20) - text.size() - 2, 'x');
  ASSERT_EQ(text.size(), std::size_t{1} << 20);
  EXPECT_EQ(first_problem(text), "");
  EXPECT_EQ(first_problem(text + "x"), "s: is larger than 1 MiB, the most a scenario may have");
}

TEST(ParseScenario, RefusesWhatIsNoText) {
  EXPECT_EQ(first_problem(std::string_view{"name: a\nb: \x7f"}), "s:2:4: is not a UTF-8 text file");
  EXPECT_EQ(first_problem(std::string_view{"a: \0b", 5}), "s:1:4: is not a UTF-8 text file");
  EXPECT_EQ(first_problem("\xc3\xa4: \xff"), "s:1:4: is not a UTF-8 text file");
  EXPECT_EQ(first_problem("\x7f"
                          "ELF\x02\x01"),
            "s:1:1: is not a UTF-8 text file");
}

TEST(ParseScenario, RefusesWhatIsEmptyOrNoMapping) {
  const std::string empty =
    "s:1:1: is empty; a scenario is a mapping with the keys name, duration, "
    "producers, consumers";
  EXPECT_EQ(first_problem(""), empty);
  EXPECT_EQ(first_problem("\n# nothing\n"), empty);
  EXPECT_EQ(first_problem("---\n"), "s:1:1: must be a mapping; got nothing");
  EXPECT_EQ(first_problem("- a\n"), "s:1:1: must be a mapping; got a list");
  EXPECT_EQ(first_problem("hello"), "s:1:1: must be a mapping; got \"hello\"");
}

TEST(ParseScenario, ReadsAFileWithAByteOrderMark) {
  EXPECT_EQ(first_problem("\xef\xbb\xbf" + std::string{sample}), "");
}

TEST(ParseScenario, RefusesAliasesThatExpandTooFar) {
  // A billion values in ten lines.
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const auto before = "*a" + std::to_string(i - 1);
    const auto own = "a" + std::to_string(i);
    text += own + ": &" + own + " [" + before;
    for (int j = 1; j < 10; ++j)
      text += ", " + before;
    text += "]\n";
  }
  EXPECT_EQ(first_problem(text),
            "s:6:10: with its aliases expanded, the file has more than 200000 values");
}

TEST(ParseScenario, RefusesTooManyValues) {
  std::string text = "a: [";
  for (int i = 0; i < 200'001; ++i)
    text += "1,";
  EXPECT_EQ(first_problem(text + "1]"), "s:1:400003: the file has more than 200000 values");
}

TEST(ParseScenario, RefusesDeepNesting) {
  EXPECT_EQ(first_problem("a: " + std::string(40, '[') + std::string(40, ']')),
            "s:1:35: nested more than 32 deep");
  // Aliases nest as well.
  std::string text = "a0: &a0 [[[[[x]]]]]\n";
  for (int i = 1; i < 20; ++i)
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [[[[[*a"
            + std::to_string(i - 1) + "]]]]]\n";
  EXPECT_EQ(first_problem(text), "s:7:14: nested more than 32 deep");
}

TEST(ParseScenario, RefusesLongTexts) {
  EXPECT_EQ(first_problem("name: " + std::string(4'001, 'x')), "s:1:7: longer than 4000 bytes");
  // Counts characters, of which each has two bytes here.
  std::string umlauts;
  for (int i = 0; i < 1'001; ++i)
    umlauts += "\xc3\xa4";
  EXPECT_EQ(first_problem(edited("seed: 7", "description: " + umlauts)), "");
  EXPECT_EQ(first_problem(edited("seed: 7", "description: " + std::string(2'001, 'x'))),
            "s:2:14: description: must have at most 2000 characters");
}

TEST(ParseScenario, NamesEveryProblemAtOnceInTheOrderOfTheFile) {
  auto text = edited("interval: 4s", "intervall: 4s");
  const auto replace = [&text](std::string_view before, std::string_view after) {
    text.replace(text.find(before), before.size(), after);
  };
  replace("failover: {from: us-east1", "failover: {from: us-east9");
  replace("seed: 7", "seed: x");
  replace("to: 4m", "to: 40m");
  EXPECT_EQ(joined(problems_of(parse_scenario(text, "s"))),
            "s:2:7: seed: must be a whole number; got \"x\"\n"
            "s:17:24: unknown key \"intervall\"; did you mean \"interval\"? allowed: "
            "error_decides, expected_statuses, first_result_decides, healthy_edge_interval, "
            "healthy_threshold, initial_delay, interval, network_lag, no_traffic_interval, path, "
            "path_status, probers, protocol, quorum, response_time, timeout, "
            "unhealthy_edge_interval, unhealthy_interval, unhealthy_threshold\n"
            "s:38:22: from: unknown region \"us-east9\"; did you mean \"us-east1\"? known: "
            "us-east1, us-west1\n"
            "s:39:28: to: must be within the run (10m); got 40m");
}

TEST(ParseScenario, DoesNotGuessWhatABrokenPartWouldHaveNamed) {
  // Regions are unknown here, so nothing that refers to one is blamed.
  EXPECT_EQ(
    joined(problems_of(parse_scenario(
      edited("regions: [us-east1, us-west1]\n    backend", "regions: 5\n    backend"), "s"))),
    "s:12:14: regions: must be a list; got 5");
}

TEST(ParseScenario, PrintsNothing) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  for (const auto* text : {"a: [", "a: \"", "\tb", "a: b: c", "%YAML 9.9\n---\n", "&a &b c", "? ?"})
    EXPECT_NE(first_problem(text), "") << text;
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

} // namespace

} // namespace spillover::test
