#include "tests/app/program.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <string>

namespace spillover {
namespace {

/// The folder that `run` leaves its files in.
class RunFolder : public test::ProgramTest {
protected:
  [[nodiscard]] test::program_result run_to(const std::string& out) const {
    return spillover({"run", "short.yaml", "--quiet", "--out", out});
  }

  /// @returns the names of what is in a folder, one a line.
  [[nodiscard]] std::string names(const std::string& folder) const {
    std::string result;
    for (const auto& [name, content] : files(folder))
      result += name + "\n";
    return result;
  }
};

constexpr const char* all_names =
  "events.jsonl\njunit.xml\nreport.html\nrequests.csv\nrequests_kept.csv\nscenario.yaml\n"
  "summary.json\n";

/// As a full disk: while it lives, no program that this one starts can write more to a file.
class file_size_limit {
public:
  explicit file_size_limit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~file_size_limit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;

private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

TEST_F(RunFolder, HoldsItsFilesAndNoneIsEmpty) {
  EXPECT_EQ(run_to("here/and/there").code, 0);
  EXPECT_EQ(names("here/and/there"), all_names);
  for (const auto& [name, content] : files("here/and/there"))
    EXPECT_NE(content, "") << name;
  // Nothing half written is left beside it.
  EXPECT_EQ(files("here").size(), 7u);
}

TEST_F(RunFolder, AnEarlierRunIsReplacedWhole) {
  EXPECT_EQ(run_to("out").code, 0);
  const auto first = files("out");
  write("out/events.jsonl", "of another run");
  EXPECT_EQ(run_to("out/").code, 0);
  EXPECT_TRUE(files("out") == first);
}

TEST_F(RunFolder, AnEmptyFolderIsTaken) {
  std::filesystem::create_directory(path("out"));
  EXPECT_EQ(run_to("out").code, 0);
  EXPECT_EQ(names("out"), all_names);
}

TEST_F(RunFolder, WhatIsNotARunIsLeftAlone) {
  write("photos/beach.jpg", "not again");
  write("file", "precious");
  write("mixed/events.jsonl", "of a run");
  write("mixed/notes.txt", "precious");
  const struct {
    const char* why;
    std::string out;
    std::string said;
  } cases[] = {
    {"a folder with something else", "photos", "beach.jpg, which is not of a run"},
    {"a run with something beside it", "mixed", "notes.txt, which is not of a run"},
    {"the working directory", ".", "is in use"},
    {"a file", "file", "file is not a folder"},
    {"below a file", "file/out", "Not a directory"},
    {"in a folder where nobody can write", "/proc/out", "/proc/out"},
  };
  const auto before = files();
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    const auto x = run_to(c.out);
    EXPECT_EQ(x.code, 2);
    EXPECT_TRUE(x.err.starts_with("spillover: cannot write the run's files: ")) << x.err;
    EXPECT_NE(x.err.find(c.said), std::string::npos) << x.err;
    EXPECT_EQ(test::lines_of(x.err).size(), 1u) << x.err;
    EXPECT_TRUE(files() == before);
  }
}

// The working directory cannot be replaced as other folders are, so it must be filled, or refused
// before anything is deleted.
TEST_F(RunFolder, AnEarlierRunInTheWorkingDirectoryIsNotLost) {
  EXPECT_EQ(run_to("out").code, 0);
  const auto before = files("out");
  const auto again = test::run_program(
    SPILLOVER_PROGRAM, {"run", "../short.yaml", "--quiet", "--out", "."}, path("out"));
  EXPECT_TRUE(again.code == 0 || again.code == 2) << again.code << " " << again.err;
  EXPECT_TRUE(files("out") == before);
}

TEST_F(RunFolder, ADiskThatFillsUpFailsTheRunAndKeepsTheEarlierOne) {
  EXPECT_EQ(run_to("out").code, 0);
  const auto before = files();
  ASSERT_GT(before.at("out/events.jsonl").size(), 65'536u);
  const auto x = [this] {
    const file_size_limit full{65'536};
    return run_to("out");
  }();
  EXPECT_EQ(x.code, 3);
  EXPECT_NE(x.err.find("cannot write"), std::string::npos) << x.err;
  EXPECT_NE(x.err.find("events.jsonl"), std::string::npos) << x.err;
  EXPECT_TRUE(files() == before);
}

} // namespace
} // namespace spillover
