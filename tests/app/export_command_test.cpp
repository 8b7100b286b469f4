#include "tests/app/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace spillover {
namespace {

using json = nlohmann::json;

/// A table of CSV, whose fields have no line's end in them, by the names of its columns.
std::vector<std::map<std::string, std::string>> rows_of(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& line : test::lines_of(text)) {
    auto& row = rows.emplace_back(1);
    auto quoted = false;
    for (const auto c : line) {
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        row.emplace_back();
      else
        row.back() += c;
    }
  }
  std::vector<std::map<std::string, std::string>> result;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].size(), rows[0].size());
    auto& to = result.emplace_back();
    for (std::size_t j = 0; j < std::min(rows[0].size(), rows[i].size()); ++j)
      to[rows[0][j]] = rows[i][j];
  }
  return result;
}

class ExportCommand : public test::ProgramTest {
protected:
  void run_short() const { ASSERT_EQ(spillover({"run", "short.yaml", "--quiet"}).code, 0); }

  [[nodiscard]] std::vector<std::map<std::string, std::string>>
  table(const std::string& name) const {
    return rows_of(read("tables/" + name + ".csv"));
  }

  /// @returns the sum of a column.
  [[nodiscard]] std::int64_t sum(const std::string& name, const std::string& column) const {
    std::int64_t result = 0;
    for (auto& row : table(name))
      result += std::stoll(row[column]);
    return result;
  }

  /// Steps of each request that was followed add up to its latency.
  void expect_hops_add_up(std::size_t least) const {
    std::map<std::string, std::int64_t> counted;
    for (auto& row : table("hops"))
      counted[row["consumer"] + row["request"]] += std::stoll(row["counted_ns"]);
    EXPECT_GE(counted.size(), least);
    std::size_t found = 0;
    for (auto& row : table("requests_kept")) {
      const auto hops = counted.find(row["consumer"] + row["request"]);
      if (hops == counted.end())
        continue;
      ++found;
      EXPECT_EQ(hops->second, std::stoll(row["latency_ns"])) << row["consumer"] << row["request"];
    }
    EXPECT_EQ(found, counted.size());
  }
};

TEST_F(ExportCommand, SumsAreThoseOfTheSummary) {
  run_short();
  const auto x = spillover({"export", "runs/short-3", "--csv", "tables", "--step", "10s"});
  EXPECT_EQ(x.code, 0) << x.err;
  const auto summary = json::parse(read("runs/short-3/summary.json"));
  EXPECT_EQ(sum("requests", "started"), summary["requests"]["started"].get<std::int64_t>());
  for (const auto& [how, count] : summary["requests"]["ended"].items())
    EXPECT_EQ(sum("requests", how), count.get<std::int64_t>()) << how;
  EXPECT_EQ(summary["requests"]["ended"].size(), 9u);
  EXPECT_EQ(table("requests").size(), 9u);
  for (auto& row : table("clocks")) {
    const auto clock = row["clock"];
    const auto& failover = summary["failovers"][0];
    if (clock == "failover" || clock == "failback") {
      EXPECT_EQ(std::stoll(row["span_ns"]), failover[clock]["ns"].get<std::int64_t>()) << clock;
    } else {
      EXPECT_EQ(std::stoll(row["span_ns"]), failover["clocks"][clock]["ns"].get<std::int64_t>())
        << clock;
    }
  }
  EXPECT_EQ(table("clocks").size(), 7u);
  EXPECT_EQ(table("expectations").at(0).at("met"), "1");
  // A line each, but for the head.
  EXPECT_EQ(table("events").size(), test::lines_of(read("runs/short-3/events.jsonl")).size() - 1);
}

TEST_F(ExportCommand, HopsAddUpToTheLatency) {
  const struct {
    const char* why;
    std::string file;
    std::size_t least;
  } cases[] = {
    {"requests that wait in vain, and tries after them", "configs/us-east1-brownout-min-2.yaml",
     200},
    {"tries beside each other", "configs/hedged-requests.yaml", 200},
    {"endpoints, and clients that wait for nobody", "configs/envoy-priorities.yaml", 100},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto file =
      std::filesystem::absolute(std::filesystem::path{SPILLOVER_SOURCE_DIR} / x.file).string();
    ASSERT_LE(spillover({"run", file, "--quiet", "--out", "run"}).code, 1);
    const auto exported = spillover({"export", "run", "--csv", "tables", "--quiet"});
    EXPECT_EQ(exported.code, 0) << exported.err;
    expect_hops_add_up(x.least);
  }
}

TEST_F(ExportCommand, WritesSeveralAtOnce) {
  run_short();
  const auto x =
    spillover({"export", "runs/short-3", "--csv", "tables", "--sqlite", "run.db", "--chrome-trace",
               "trace.json", "--otlp-json", "-", "--otlp-metrics-json", "metrics.json"});
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_EQ(x.err, "tables\nrun.db\ntrace.json\nmetrics.json\n");
  EXPECT_TRUE(json::accept(x.out));
  EXPECT_TRUE(json::accept(read("trace.json")));
  EXPECT_TRUE(json::accept(read("metrics.json")));
  EXPECT_TRUE(read("run.db").starts_with("SQLite format 3"));
  EXPECT_EQ(files("tables").size(), 10u);
  // The same again replaces them by the same.
  const auto before = files("tables");
  EXPECT_EQ(spillover({"export", "runs/short-3", "--csv", "tables", "--sqlite", "run.db",
                       "--chrome-trace", "trace.json", "--quiet"})
              .code,
            0);
  EXPECT_EQ(files("tables"), before);
}

TEST_F(ExportCommand, LeavesWhatIsNotItsOwn) {
  run_short();
  write("notes.txt", "mine\n");
  write("mine/events.csv", "a,b\n1,2\n");
  write("beside/notes.txt", "mine\n");
  std::filesystem::create_directory_symlink(path("runs/short-3"), path("link"));
  const auto run = files("runs/short-3");
  const struct {
    const char* why;
    const char* option;
    const char* place;
    std::string said;
  } cases[] = {
    {"a text", "--chrome-trace", "notes.txt", "notes.txt is no export of this kind"},
    {"a text for a database", "--sqlite", "notes.txt", "notes.txt is no export of this kind"},
    {"tables of somebody else", "--csv", "mine", "mine/events.csv is no export of this program"},
    {"a file for a folder", "--csv", "notes.txt", "notes.txt is not a folder"},
    {"a folder for a file", "--otlp-json", "mine", "mine is a folder"},
    {"a folder that is not there", "--sqlite", "none/run.db", "there is no folder none"},
    {"the run itself", "--csv", "runs/short-3", "runs/short-3 is the folder of a run"},
    {"the run by a detour", "--csv", "mine/../runs/./short-3/", "is the folder of a run"},
    {"the run by a link", "--csv", "link", "link is the folder of a run"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto result = spillover({"export", "runs/short-3", x.option, x.place});
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.err.find(x.said), std::string::npos) << result.err;
  }
  EXPECT_EQ(files("runs/short-3"), run);
  EXPECT_EQ(read("notes.txt"), "mine\n");
  EXPECT_EQ(read("mine/events.csv"), "a,b\n1,2\n");
  EXPECT_EQ(spillover({"export", "runs/short-3", "--csv", "beside", "--quiet"}).code, 0);
  EXPECT_EQ(read("beside/notes.txt"), "mine\n");
}

TEST_F(ExportCommand, WhatCannotBeExportedExitsWithTwo) {
  run_short();
  const struct {
    const char* why;
    std::vector<std::string> line;
    std::string said;
  } cases[] = {
    {"no kind", {"runs/short-3"}, "nothing to export"},
    {"no run", {".", "--csv", "x"}, ". is no folder of a run"},
    {"a folder as text", {"runs/short-3", "--csv", "-"}, "--csv: cannot be standard output"},
    {"two texts at once",
     {"runs/short-3", "--otlp-json", "-", "--chrome-trace", "-"},
     "only one export can be standard output"},
    {"two at one place",
     {"runs/short-3", "--otlp-json", "x", "--otlp-metrics-json", "x"},
     "--otlp-metrics-json: x is where --otlp-json goes"},
    {"two at one place by other names",
     {"runs/short-3", "--sqlite", "x", "--chrome-trace", "./runs/../x"},
     "--chrome-trace: ./runs/../x is where --sqlite goes"},
    {"a file at the folder's place",
     {"runs/short-3", "--csv", "x/", "--sqlite", "x"},
     "--sqlite: x is where --csv goes"},
    {"no time", {"runs/short-3", "--csv", "x", "--from", "noon"}, "--from: must be a time within"},
    {"after the end",
     {"runs/short-3", "--csv", "x", "--to", "2m"},
     "--to: must be a time within the run (0s to 90s), such as 5m10s; got \"2m\""},
    {"nothing between",
     {"runs/short-3", "--csv", "x", "--from", "20s", "--to", "20s"},
     "--to: must be after --from"},
    {"less than a second", {"runs/short-3", "--csv", "x", "--step", "1500ms"}, "whole seconds"},
    {"no day", {"runs/short-3", "--csv", "x", "--epoch", "2026-02-30T00:00:00Z"}, "--epoch: must"},
    {"a blank for a digit",
     {"runs/short-3", "--csv", "x", "--epoch", "2026- 1-31T09:30:00Z"},
     "--epoch: must"},
    {"a sign for a digit",
     {"runs/short-3", "--csv", "x", "--epoch", "2026-+1-31T09:30:00Z"},
     "--epoch: must"},
    {"too many", {"runs/short-3", "--csv", "x", "--requests", "10001"}, "--requests"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto line = x.line;
    line.insert(line.begin(), "export");
    const auto result = spillover(line);
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.err.find(x.said), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(path("x")));
  }
}

TEST_F(ExportCommand, ARunThatBrokeOffIsExportedAsFarAsItGoes) {
  write("long.yaml", test::short_scenario_with("rps: 20", "rps: 200"));
  ASSERT_EQ(spillover({"run", "long.yaml", "--quiet"}).code, 0);
  std::filesystem::create_directories(path("killed"));
  write("killed/scenario.yaml", read("runs/short-3/scenario.yaml"));
  const auto log = read("runs/short-3/events.jsonl");
  write("killed/events.jsonl", log.substr(0, log.size() / 2));
  const auto x = spillover({"export", "killed", "--csv", "tables"});
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_NE(x.err.find("breaks off after line"), std::string::npos) << x.err;
  const auto run = table("run").at(0);
  EXPECT_EQ(run.at("complete"), "0");
  // One in 1,000 of some 9,000 requests, half of the time.
  expect_hops_add_up(3);
  for (auto& row : table("requests_kept")) {
    EXPECT_LE(std::stoll(row["ended_ns"]), std::stoll(run.at("ended_ns")));
    EXPECT_EQ(row["kept_as"], "sample");
  }
}

TEST_F(ExportCommand, ARunThatDoesNotHappenAgainIsSaidSo) {
  run_short();
  // As of another version, whose fault set in a little later.
  auto log = read("runs/short-3/events.jsonl");
  const auto place = log.find("\"at_ns\":30000000000");
  ASSERT_NE(place, std::string::npos);
  log[place + 18] = '1';
  write("runs/short-3/events.jsonl", log);
  const auto x = spillover({"export", "runs/short-3", "--csv", "tables", "--quiet"});
  EXPECT_EQ(x.code, 3);
  EXPECT_NE(x.err.find("this program does not repeat the run"), std::string::npos) << x.err;
  EXPECT_FALSE(std::filesystem::exists(path("tables")));
  // Without hops nothing has to happen again.
  EXPECT_EQ(
    spillover({"export", "runs/short-3", "--csv", "tables", "--quiet", "--requests", "0"}).code, 0);
  EXPECT_TRUE(table("hops").empty());
}

} // namespace
} // namespace spillover
