#include "sweeps/store.hpp"
#include "tests/app/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <functional>
#include <string>

namespace spillover {
namespace {

using nlohmann::json;

constexpr const char* instances = "producers.checkout.backend_services.web.autoscaling.instances";

class SweepCommand : public test::ProgramTest {
protected:
  [[nodiscard]] static std::vector<std::string> with(std::vector<std::string> more) {
    std::vector<std::string> result{
      "sweep", "short.yaml", "--vary", std::string{instances} + "=1,2", "--jobs", "2"};
    result.insert(result.end(), more.begin(), more.end());
    return result;
  }

  /// @returns every run of a file, by setting and seed.
  [[nodiscard]] std::vector<run_outcome> runs_in(const std::string& name) const {
    const sweep_store store{path(name), sweep_store::mode::read};
    std::vector<run_outcome> result;
    for (const auto& key : store.keys())
      result.push_back(*store.find(key));
    return result;
  }

  void expect_same(const std::string& a, const std::string& b) const {
    const auto x = runs_in(a);
    const auto y = runs_in(b);
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_TRUE(same_outcome(x[i], y[i])) << x[i].key.setting << ' ' << x[i].key.seed;
  }

  [[nodiscard]] std::size_t count_in(const std::string& name) const {
    try {
      return sweep_store{path(name), sweep_store::mode::read}.keys().size();
    } catch (const store_error&) {
      return 0; // not made yet
    }
  }

  /// @returns a child of a process, 0 when it has none.
  static pid_t child_of(pid_t process) {
    std::ifstream in{"/proc/" + std::to_string(process) + "/task/" + std::to_string(process)
                     + "/children"};
    pid_t result = 0;
    in >> result;
    return result;
  }
};

TEST_F(SweepCommand, KeepsOfEachRunWhatRunSays) {
  const auto x = spillover(with({"--seeds", "1..3", "--out", "s.sqlite"}));
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_TRUE(x.out.starts_with("6 runs of short: 2 settings x 3 seeds in s.sqlite\n"
                                "in the file: met 6 "))
    << x.out;
  const auto runs = runs_in("s.sqlite");
  ASSERT_EQ(runs.size(), 6u);
  for (const auto& run : runs) {
    SCOPED_TRACE(std::to_string(run.key.setting) + " " + std::to_string(run.key.seed));
    const auto count = std::to_string(run.key.setting + 1);
    const auto alone =
      spillover({"run", "short.yaml", "--set", std::string{instances} + "=" + count, "--seed",
                 std::to_string(run.key.seed), "--out", "alone", "--json", "--no-report"});
    EXPECT_EQ(alone.code, 0) << alone.err;
    const auto summary = json::parse(alone.out);
    EXPECT_EQ(run.value("failover_ns"),
              summary["failovers"][0]["failover"]["ns"].get<std::int64_t>());
    EXPECT_EQ(run.value("requests"), summary["requests"]["started"].get<std::int64_t>());
    EXPECT_EQ(run.value("latency_p99_ns"),
              summary["requests"]["latency_ns"]["p99"].get<std::int64_t>());
    ASSERT_EQ(run.expectations.size(), 1u);
    EXPECT_EQ(run.expectations[0].value, summary["judgements"][0]["value"].get<std::int64_t>());
    // The log of the same events; its first line names the sites.
    EXPECT_EQ(run.value("events"), test::lines_of(read("alone/events.jsonl")).size() - 1);
  }
}

TEST_F(SweepCommand, GoesOnWithMoreSeedsAndDoesNothingTwice) {
  const auto first = spillover(with({"--seeds", "1..2", "--out", "s.sqlite", "--json"}));
  EXPECT_EQ(first.code, 0) << first.err;
  const auto x = json::parse(first.out);
  EXPECT_EQ(x["runs"], 4);
  EXPECT_EQ(x["before"], 0);
  EXPECT_EQ(x["ran"], 4);
  EXPECT_EQ(x["complete"], true);
  const auto before = runs_in("s.sqlite");
  const auto more =
    json::parse(spillover(with({"--seeds", "1..5", "--out", "s.sqlite", "--json"})).out);
  EXPECT_EQ(more["runs"], 10);
  EXPECT_EQ(more["before"], 4);
  EXPECT_EQ(more["ran"], 6);
  const auto after = runs_in("s.sqlite");
  ASSERT_EQ(after.size(), 10u);
  EXPECT_EQ(after[0].took, before[0].took) << "a run that is there stays";
}

TEST_F(SweepCommand, GoesOnAfterItWasKilledAgainAndAgain) {
  const auto command = with({"--seeds", "1..100", "--out", "killed.sqlite", "--quiet"});
  std::size_t seen = 0;
  for (int i = 0; i < 4; ++i) {
    const auto child = start(command);
    EXPECT_TRUE(within_a_minute([&] { return count_in("killed.sqlite") > seen + 5; }));
    ::kill(child, SIGKILL);
    EXPECT_EQ(test::end_of_program(child), -SIGKILL);
    const auto now = count_in("killed.sqlite");
    EXPECT_GT(now, seen) << "nothing is lost";
    seen = now;
  }
  EXPECT_LT(seen, 200u) << "the kills came too late to show anything";
  const auto rest = spillover(with({"--seeds", "1..100", "--out", "killed.sqlite", "--json"}));
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_EQ(json::parse(rest.out)["before"], seen) << "nothing is repeated";
  EXPECT_EQ(spillover(with({"--seeds", "1..100", "--out", "whole.sqlite", "--quiet"})).code, 0);
  expect_same("killed.sqlite", "whole.sqlite");
}

TEST_F(SweepCommand, StopsAtOnceWhenAskedToAndSaysHowToGoOn) {
  for (const auto signal : {SIGINT, SIGTERM}) {
    const auto file = "stopped-" + std::to_string(signal) + ".sqlite";
    const auto child = start(with({"--seeds", "1..2000", "--out", file, "--quiet"}));
    EXPECT_TRUE(within_a_minute([&] { return count_in(file) > 3; }));
    ::kill(child, signal);
    EXPECT_EQ(test::end_of_program(child), 3);
    const auto count = count_in(file);
    const auto expected = "spillover: stopped; " + std::to_string(count) + " of 4,000 runs are in "
                          + file + ", and the same command goes on from there\n";
    ASSERT_LT(count, 1'000u) << "it went on";
    EXPECT_EQ(read("stderr"), expected);
    for (const auto& x : runs_in(file))
      EXPECT_EQ(x.end, run_end::met) << "what was running is not put down as failed";
  }
}

TEST_F(SweepCommand, CountsARunWhoseProcessWasLostAndRetriesItWhenAsked) {
  const auto command = with({"--seeds", "1..60", "--out", "s.sqlite", "--quiet"});
  const auto child = start(command);
  EXPECT_TRUE(within_a_minute([&] { return count_in("s.sqlite") > 3; }));
  const auto worker = child_of(child);
  ASSERT_GT(worker, 0);
  // Halted, it keeps the run that it was given, while the other one goes on.
  ::kill(worker, SIGSTOP);
  const auto before = count_in("s.sqlite");
  EXPECT_TRUE(within_a_minute([&] { return count_in("s.sqlite") > before + 3; }));
  ::kill(worker, SIGKILL);
  EXPECT_EQ(test::end_of_program(child), 3);
  EXPECT_NE(read("stderr").find(" failed: its process ended by signal 9 (Killed)\n"),
            std::string::npos)
    << read("stderr");
  EXPECT_EQ(count_in("s.sqlite"), 120u) << "only that run was lost";
  // The same again has nothing to do, and says what the file holds.
  EXPECT_EQ(spillover(command).code, 3);
  auto again = command;
  again.emplace_back("--retry-failed");
  EXPECT_EQ(spillover(again).code, 0);
}

TEST_F(SweepCommand, KeepsSignalsIgnoredThatWere) {
  std::signal(SIGHUP, SIG_IGN); // as nohup does
  const auto child = start(with({"--seeds", "1..40", "--out", "s.sqlite", "--quiet"}));
  std::signal(SIGHUP, SIG_DFL);
  EXPECT_TRUE(within_a_minute([&] { return count_in("s.sqlite") > 3; }));
  ::kill(child, SIGHUP);
  EXPECT_EQ(test::end_of_program(child), 0);
  EXPECT_EQ(count_in("s.sqlite"), 80u);
}

TEST_F(SweepCommand, ShardsMakeTheWhole) {
  EXPECT_EQ(spillover(with({"--seeds", "1..7", "--out", "whole.sqlite", "--quiet"})).code, 0);
  for (const std::string i : {"1", "2", "3"})
    EXPECT_EQ(spillover(with({"--seeds", "1..7", "--shard", i + "/3", "--quiet"})).code, 0);
  const auto x = spillover({"sweep", "merge", "all.sqlite", "runs/short-1-of-3.sqlite",
                            "runs/short-2-of-3.sqlite", "runs/short-3-of-3.sqlite"});
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_EQ(x.out, "14 runs added to all.sqlite; 0 runs there already\n");
  expect_same("all.sqlite", "whole.sqlite");
}

TEST_F(SweepCommand, ExitsWithOneWhenSomeRunMissesAnExpectation) {
  const auto x = spillover({"sweep", "short.yaml", "--vary", "expect.0.failover.within=1s,20s",
                            "--out", "s.sqlite", "--json"});
  EXPECT_EQ(x.code, 1) << x.err;
  const auto found = json::parse(x.out);
  EXPECT_EQ(found["met"], 1);
  EXPECT_EQ(found["missed"], 1);
  EXPECT_EQ(found["seeds"], 1) << "the scenario's own";
  EXPECT_EQ(runs_in("s.sqlite").at(0).key, (run_key{0, 3}));
}

TEST_F(SweepCommand, RefusesBadInput) {
  EXPECT_EQ(spillover(with({"--out", "s.sqlite", "--quiet"})).code, 0);
  struct {
    const char* why = "";
    std::vector<std::string> arguments = {};
    const char* expected = "";
  } const cases[] = {
    {"no scenario", {"sweep"}, "SCENARIO is required"},
    {"no such file", {"sweep", "none.yaml"}, "none.yaml"},
    {"seeds", with({"--seeds", "5..1"}), "spillover: --seeds a range of seeds begins with"},
    {"an empty variable of a shell", with({"--seeds", ""}), "--seeds: must not be empty"},
    {"options before a command",
     {"sweep", "--seeds", "1..5", "merge", "a", "b"},
     "--seeds excludes"},
    {"again, and only some", with({"--retry-failed", "--find", "met"}), "--retry-failed excludes"},
    {"a shard", with({"--shard", "4/3"}), "spillover: --shard must be I/N as in 3/8"},
    {"a variation", with({"--vary", "x"}), "spillover: --vary must be PATH=VALUE,VALUE,...; got x"},
    {"a path", with({"--vary", "intervall=1s"}), "1 problem in short.yaml; nothing was run\n"},
    {"too many runs", with({"--seeds", "1..9999999"}), "spillover: more than 10,000,000 runs"},
    {"another grid in the same file", with({"--vary", "duration=90s,80s", "--out", "s.sqlite"}),
     "s.sqlite holds another sweep: the grid has 2 settings there and 4 here"},
    {"a file that is none", with({"--out", "short.yaml"}), "spillover: cannot use short.yaml: "},
    {"merging what is not there",
     {"sweep", "merge", "all.sqlite", "none.sqlite"},
     "there is no file none.sqlite"},
    {"no place for a run", {"run", "short.yaml", "--out", ""}, "--out: must not be empty"},
    {"no place for a report", {"report", "runs/x", "--out", ""}, "--out: must not be empty"},
    {"a change of a run", {"run", "short.yaml", "--set", "x"}, "must be PATH=VALUE"},
    {"a path of a run",
     {"run", "short.yaml", "--set", "durration=1m"},
     "durration=1m: a scenario has nothing called \"durration\"; did you mean \"duration\"?"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto result = spillover(x.arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.err.find(x.expected), std::string::npos) << result.err;
  }
}

} // namespace
} // namespace spillover
