#include "tests/app/program.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spillover {
namespace {

using namespace std::string_literals;
using arguments = std::vector<std::string>;

using CommandLine = test::ProgramTest;

TEST_F(CommandLine, HelpAndVersionGoToStdout) {
  const struct {
    arguments line;
    std::string contains;
  } cases[] = {
    {{"--help"}, "Exit codes: 0"},      {{"--help"}, "check"},
    {{"run", "--help"}, "--log-json"},  {{"check", "--help"}, "--actors"},
    {{"--version"}, SPILLOVER_VERSION},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.contains);
    const auto x = spillover(c.line);
    EXPECT_EQ(x.code, 0);
    EXPECT_NE(x.out.find(c.contains), std::string::npos) << x.out;
    EXPECT_EQ(x.err, "");
  }
}

TEST_F(CommandLine, WhatIsWrongIsSaidOnStderrAndExitsWithTwo) {
  write("folder/file", "");
  write("broken.yaml", "name: {\n");
  write("unknown.yaml", test::short_scenario_with("seed: 3", "sede: 3"));
  write("unit.yaml", test::short_scenario_with("duration: 90s", "duration: 90"));
  const struct {
    const char* why;
    arguments line;
    std::string said;
  } cases[] = {
    {"nothing to do", {}, "subcommand"},
    {"no such subcommand", {"fly"}, "fly"},
    {"no scenario", {"run"}, "SCENARIO"},
    {"an option that run has not", {"run", "short.yaml", "--frob"}, "--frob"},
    {"an option of another subcommand", {"check", "short.yaml", "--seed", "1"}, "--seed"},
    {"a level that logs have not", {"run", "short.yaml", "--log-level", "loud"}, "loud"},
    {"a seed that is no number", {"run", "short.yaml", "--seed", "lucky"}, "lucky"},
    {"a seed below 0", {"run", "short.yaml", "--seed", "-1"}, "-1"},
    {"a seed beyond 64 bits",
     {"run", "short.yaml", "--seed", "18446744073709551616"},
     "18446744073709551616"},
    {"a file that is missing", {"run", "nowhere.yaml"}, "nowhere.yaml: no such file"},
    {"a folder", {"run", "folder"}, "folder: is a directory"},
    {"not YAML", {"run", "broken.yaml"}, "broken.yaml:"},
    {"an unknown key", {"run", "unknown.yaml"}, "unknown.yaml:3:1: "},
    {"a value without its unit", {"check", "unit.yaml"}, "unit.yaml:4:11: "},
  };
  const auto before = files();
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    const auto x = spillover(c.line);
    EXPECT_EQ(x.code, 2);
    EXPECT_NE(x.err.find(c.said), std::string::npos) << x.err;
    EXPECT_EQ(x.out, "");
    EXPECT_TRUE(files() == before) << "something was written";
    std::filesystem::remove_all(path("runs"));
  }
}

} // namespace
} // namespace spillover
