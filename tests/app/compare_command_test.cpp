#include "tests/app/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace spillover {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A run in `a`, and one in `b` whose region is gone for longer, and whose survivor is larger.
class CompareCommand : public test::ProgramTest {
protected:
  CompareCommand() {
    EXPECT_EQ(spillover({"run", "short.yaml", "--quiet", "--out", "a"}).code, 0);
    write("longer.yaml", test::short_scenario_with("for: 30s", "for: 40s"));
    EXPECT_EQ(spillover({"run", "longer.yaml", "--quiet", "--out", "b"}).code, 0);
  }
};

TEST_F(CompareCommand, SaysThatARunIsTheSameAsItself) {
  const auto x = spillover({"compare", "a", "a/", "--strict"});
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_THAT(x.out, HasSubstr("The same: every event and the whole scenario.\n"));
  EXPECT_EQ(x.err, "");
  // Elsewhere, and by another name.
  write("renamed.yaml", test::short_scenario_with("name: short", "name: renamed"));
  EXPECT_EQ(spillover({"run", "renamed.yaml", "--quiet", "--out", "c/d"}).code, 0);
  EXPECT_EQ(spillover({"compare", "a", "c/d", "--strict"}).code, 0);
}

TEST_F(CompareCommand, TellsWhatDiffers) {
  const auto x = spillover({"compare", "a", "b"});
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_THAT(x.out, HasSubstr("They first decide differently at 60.000 s"));
  EXPECT_THAT(x.out, HasSubstr("scenario: 1 change\n  faults[0].for   30s -> 40s\n"));
  EXPECT_EQ(spillover({"compare", "a", "b", "--strict"}).code, 1);
}

TEST_F(CompareCommand, PrintsJsonOrMarkdown) {
  const auto json = nlohmann::json::parse(spillover({"compare", "a", "b", "--json"}).out);
  EXPECT_EQ(json["a"]["label"], "a");
  EXPECT_EQ(json["same"], false);
  EXPECT_EQ(json["scenario_changes"][0]["path"], "faults[0].for");
  EXPECT_EQ(json["scenario_changes"][0]["b"], "40s");
  const auto markdown = spillover({"compare", "a", "b", "--markdown"});
  EXPECT_TRUE(markdown.out.starts_with("## a and b\n\n| ")) << markdown.out;
}

TEST_F(CompareCommand, WritesAPageThatHoldsBoth) {
  const auto x = spillover({"compare", "a", "b", "--html"});
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_TRUE(x.out.ends_with("compare.html\n")) << x.out;
  const auto page = read("compare.html");
  EXPECT_THAT(page, HasSubstr("\"comparison\":{\"version\":1"));
  EXPECT_THAT(page, Not(HasSubstr("<!--DATA-->")));
  EXPECT_LT(page.size(), 5'000'000u);
  // The same call, the same page; JSON stays alone on standard output.
  const auto again = spillover({"compare", "a", "b", "--json", "--html", "other.html"});
  EXPECT_EQ(read("other.html"), page);
  EXPECT_TRUE(nlohmann::json::accept(again.out)) << again.out;
}

TEST_F(CompareCommand, ReplacesNothingButPages) {
  write("notes.txt", "mine\n");
  write("other.html",
        "<!doctype html>\n<html lang=\"en\"><head><title>Mine</title></head></html>\n");
  const auto before = files();
  for (const auto* place : {"notes.txt", "other.html", "a/events.jsonl", "a"}) {
    SCOPED_TRACE(place);
    const auto x = spillover({"compare", "a", "b", "--html", place});
    EXPECT_EQ(x.code, 2);
    EXPECT_EQ(x.out, "");
    EXPECT_THAT(x.err, HasSubstr(std::string{"--html: "} + place + " is "));
    EXPECT_EQ(files(), before);
  }
  // A page that was there is replaced, whole, and nothing else is left.
  for (const auto* b : {"a", "b"})
    EXPECT_EQ(spillover({"compare", "a", b, "--html", "page.html"}).code, 0);
  EXPECT_THAT(read("page.html"), HasSubstr("\"label\":\"b\""));
  EXPECT_EQ(files().size(), before.size() + 1);
}

TEST_F(CompareCommand, TakesKilledRunsAndThoseWithoutAScenario) {
  const auto log = read("b/events.jsonl");
  write("killed/events.jsonl", log.substr(0, log.size() / 2));
  write("killed/scenario.yaml", read("b/scenario.yaml"));
  const auto killed = spillover({"compare", "a", "killed"});
  EXPECT_EQ(killed.code, 0) << killed.err;
  EXPECT_THAT(killed.out, HasSubstr("B broke off at "));
  EXPECT_THAT(killed.err, HasSubstr("killed/events.jsonl: breaks off after line "));
  write("newer/events.jsonl", log);
  write("newer/scenario.yaml", "hologram: 3\n");
  const auto newer = spillover({"compare", "a", "newer", "--html"});
  EXPECT_EQ(newer.code, 0) << newer.err;
  EXPECT_THAT(newer.out, HasSubstr("B has no scenario that this version can read"));
  write("bare/events.jsonl", log);
  EXPECT_THAT(spillover({"compare", "bare", "a"}).out, HasSubstr("there is no scenario.yaml"));
}

TEST_F(CompareCommand, SaysWhatItCannotReadOrWrite) {
  const struct {
    const char* why = "";
    std::vector<std::string> line = {};
    int code = 0;
    const char* said = "";
  } cases[] = {
    {"no runs", {"compare", "no", "nor"}, 2, "no is no folder of a run"},
    {"both are told", {"compare", "no", "nor"}, 2, "nor is no folder of a run"},
    {"one run only", {"compare", "a"}, 2, "B is required"},
    {"two forms", {"compare", "a", "b", "--json", "--markdown"}, 2, "--json"},
    {"no place",
     {"compare", "a", "b", "--html", "no/such/x.html"},
     2,
     "there is no folder no/such"},
    {"no file",
     {"compare", "a", "b", "--html", "-"},
     2,
     "--html: a page cannot be standard output"},
    {"a run's own report",
     {"compare", "a", "b", "--html", "b/report.html"},
     2,
     "--html: b/report.html is the report of the run there; name another file"},
    {"a device", {"compare", "a", "b", "--html", "/dev/null"}, 2, "/dev/null is no ordinary file"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto result = spillover(x.line);
    EXPECT_EQ(result.code, x.code);
    EXPECT_THAT(result.err, HasSubstr(x.said));
  }
}

} // namespace
} // namespace spillover
