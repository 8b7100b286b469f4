#include "tests/app/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/wait.h>

#include <csignal>
#include <optional>
#include <string>

namespace spillover {
namespace {

class WhyCommand : public test::ProgramTest {
protected:
  /// Starts a run that takes long, and kills it when its log has grown so far.
  /// @returns the folder that it left, or nothing when it ended before
  [[nodiscard]] std::optional<std::string> killed_run(const std::string& scenario,
                                                      std::uintmax_t size) const {
    const auto child = start({"run", scenario, "--quiet"});
    std::optional<std::string> left;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      left = partial_folder();
      std::error_code ignored;
      if (left && std::filesystem::file_size(path(*left) / "events.jsonl", ignored) >= size
          && !ignored) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        break;
      }
      // Waits for another process, whose progress nothing announces.
      poll(nullptr, 0, 1);
    }
    EXPECT_TRUE(WIFSIGNALED(status)) << "the run ended by itself";
    return left;
  }

  [[nodiscard]] std::optional<std::string> partial_folder() const {
    std::error_code ignored;
    for (const auto& x : std::filesystem::directory_iterator{path("runs"), ignored})
      if (x.path().string().find(".partial-") != std::string::npos)
        return "runs/" + x.path().filename().string();
    return std::nullopt;
  }
};

TEST_F(WhyCommand, TellsAnEventFromEffectToFault) {
  EXPECT_EQ(spillover({"run", "short.yaml", "--quiet"}).code, 0);
  // In one argument or in many.
  for (const auto& question : {std::vector<std::string>{"shop routed at 50s"},
                               std::vector<std::string>{"shop", "routed", "at", "50s"}}) {
    auto line = question;
    line.insert(line.begin(), {"why", "runs/short-3"});
    const auto x = spillover(line);
    EXPECT_EQ(x.code, 0) << x.err;
    EXPECT_TRUE(x.out.starts_with("shop/lb prefers west, east before")) << x.out;
    EXPECT_NE(x.out.find("\n<- fault sets in: "), std::string::npos) << x.out;
    EXPECT_NE(x.out.find("30.000 s  director#2\n"), std::string::npos) << x.out;
    EXPECT_EQ(x.err, "");
  }
  const auto by_id = spillover({"why", "runs/short-3/", "director#2", "--json"});
  EXPECT_EQ(by_id.code, 0);
  const auto json = nlohmann::json::parse(by_id.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << by_id.out;
  EXPECT_EQ(json["chain"]["steps"][0]["event"]["kind"], "fault_started");
}

TEST_F(WhyCommand, WithoutAQuestionExplainsTheVerdict) {
  EXPECT_EQ(spillover({"run", "short.yaml", "--quiet"}).code, 0);
  const auto met = spillover({"why", "runs/short-3"});
  EXPECT_EQ(met.code, 0);
  EXPECT_TRUE(met.out.starts_with("FAILOVER east -> west: ")) << met.out;
  write("strict.yaml", test::short_scenario_with("within: 20s", "within: 1s"));
  EXPECT_EQ(spillover({"run", "strict.yaml", "--quiet", "--out", "strict"}).code, 1);
  const auto failed = spillover({"why", "strict"});
  // That it failed was said by the run; to explain it is no failure.
  EXPECT_EQ(failed.code, 0);
  EXPECT_TRUE(failed.out.starts_with("FAIL failover from east within 1s: ")) << failed.out;
  const auto json = spillover({"why", "strict", "--json"});
  EXPECT_TRUE(nlohmann::json::accept(json.out)) << json.out;
}

TEST_F(WhyCommand, WhatCannotBeExplainedExitsWithTwo) {
  EXPECT_EQ(spillover({"run", "short.yaml", "--quiet"}).code, 0);
  EXPECT_EQ(spillover({"run", "short.yaml", "--quiet", "--out", "odd"}).code, 0);
  write("odd/events.jsonl", "{}\n");
  EXPECT_EQ(spillover({"run", "short.yaml", "--quiet", "--out", "bare"}).code, 0);
  std::filesystem::remove(path("bare/scenario.yaml"));
  const struct {
    const char* why;
    std::vector<std::string> line;
    std::string said;
  } cases[] = {
    {"no run", {}, "RUN"},
    {"a folder without a run", {"."}, ". is no folder of a run: it has no events.jsonl"},
    {"a run that is not there", {"runs/short-4"}, "runs/short-4 is no folder of a run"},
    {"a log that is none", {"odd"}, "line 1: not the head of an event log"},
    {"an event that there is not",
     {"runs/short-3", "east#100000"},
     "there is no event east#100000"},
    {"nobody of that name",
     {"runs/short-3", "north", "scaled"},
     "nothing in the log is called north"},
    {"nothing of that kind", {"runs/short-3", "east", "scaled"}, "east has no event that 'scaled'"},
    {"no verb", {"runs/short-3", "east", "vanished"}, "'vanished' is no verb"},
    {"no time", {"runs/short-3", "east", "at", "noon"}, "at noon: not a time"},
    {"--id without --requests", {"runs/short-3", "--id", "1"}, "--requests"},
    {"a run without its scenario",
     {"bare"},
     "bare has no scenario.yaml, which holds the expectations and the world to repeat"},
    {"a question beside --requests",
     {"runs/short-3", "east", "failed", "--requests"},
     "a question is about events, --requests about requests"},
    {"a number that no request has", {"runs/short-3", "--requests", "--id", "-1"}, "--id"},
    {"two choices", {"runs/short-3", "--requests", "--id", "1", "--slowest", "1"}, "--slowest"},
    {"no such consumer",
     {"runs/short-3", "--requests", "--consumer", "mall"},
     "the run has no consumer mall"},
    {"no such request",
     {"runs/short-3", "--requests", "--id", "99999"},
     "does not exist in this run"},
    {"none of them is slow", {"runs/short-3", "--requests", "--slowest", "0"}, "--slowest"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    auto line = c.line;
    line.insert(line.begin(), "why");
    const auto x = spillover(line);
    EXPECT_EQ(x.code, 2);
    EXPECT_NE(x.err.find(c.said), std::string::npos) << x.err;
    EXPECT_EQ(x.out, "");
  }
}

TEST_F(WhyCommand, ExplainsRequestsHopByHop) {
  EXPECT_EQ(spillover({"run", "short.yaml", "--quiet"}).code, 0);
  const auto slowest = spillover({"why", "runs/short-3", "--requests", "--slowest", "2"});
  EXPECT_EQ(slowest.code, 0) << slowest.err;
  EXPECT_EQ(slowest.err, "");
  EXPECT_EQ(slowest.out.find("request "), 0u) << slowest.out;
  EXPECT_NE(slowest.out.find("\n\nrequest "), std::string::npos) << "there are two";
  EXPECT_NE(slowest.out.find("(kept as slow"), std::string::npos) << slowest.out;
  // The region fell silent: its requests failed, and the fault is named.
  const auto failed =
    spillover({"why", "runs/short-3", "--requests", "--failed", "--consumer", "shop"});
  EXPECT_EQ(failed.code, 0) << failed.err;
  EXPECT_NE(failed.out.find("(30.000 s, east#"), std::string::npos) << failed.out;
  // Any request, also one that was not kept.
  const auto any = spillover({"why", "runs/short-3", "--requests", "--id", "3", "--json"});
  EXPECT_EQ(any.code, 0) << any.err;
  const auto json = nlohmann::json::parse(any.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << any.out;
  const auto& request = json["requests"][0];
  EXPECT_EQ(request["request"], 3);
  std::int64_t sum = 0;
  for (const auto& hop : request["hops"])
    sum += hop["span_ns"].get<std::int64_t>();
  EXPECT_EQ(request["latency_ns"], sum);
}

TEST_F(WhyCommand, RefusesToExplainRequestsOfARunThatItCannotRepeat) {
  EXPECT_EQ(spillover({"run", "short.yaml", "--quiet"}).code, 0);
  auto yaml = read("runs/short-3/scenario.yaml");
  const std::string seed = "seed: 3";
  ASSERT_NE(yaml.find(seed), std::string::npos) << yaml;
  write("runs/short-3/scenario.yaml", yaml.replace(yaml.find(seed), seed.size(), "seed: 4"));
  const auto x = spillover({"why", "runs/short-3", "--requests", "--id", "700"});
  EXPECT_EQ(x.code, 3);
  EXPECT_NE(x.err.find("this program does not repeat the run"), std::string::npos) << x.err;
  EXPECT_NE(x.err.find("recorded: {"), std::string::npos) << x.err;
  EXPECT_EQ(x.out, "");
}

TEST_F(WhyCommand, ReadsWhatARunLeftThatWasKilled) {
  write("long.yaml", test::short_scenario_with("duration: 90s", "duration: 48h"));
  for (const std::uintmax_t size : {1u, 70'000u, 700'000u}) {
    SCOPED_TRACE(size);
    const auto left = killed_run("long.yaml", size);
    ASSERT_TRUE(left);
    // The name of the killed run leads to it.
    const auto wrong = spillover({"why", "runs/short-3"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_NE(wrong.err.find("left " + *left), std::string::npos) << wrong.err;
    const auto whole = spillover({"why", *left});
    EXPECT_EQ(whole.code, 0) << whole.err;
    EXPECT_TRUE(whole.out.starts_with("the run broke off; its log ends at ")) << whole.out;
    const auto event = spillover({"why", *left, "director#1"});
    EXPECT_EQ(event.code, 0) << event.err;
    EXPECT_TRUE(event.out.starts_with("the run short begins, seed 3")) << event.out;
    const auto request = spillover({"why", *left, "--requests", "--id", "1"});
    EXPECT_EQ(request.code, 0) << request.err;
    const auto kept = spillover({"why", *left, "--requests"});
    EXPECT_EQ(kept.code, 2);
    EXPECT_NE(kept.err.find("the run did not end; name a request by --id"), std::string::npos)
      << kept.err;
    std::filesystem::remove_all(path("runs"));
  }
}

TEST_F(WhyCommand, ALogOnTheDiskIsOneOfTheWholeRun) {
  EXPECT_EQ(spillover({"run", "short.yaml", "--quiet"}).code, 0);
  const auto log = read("runs/short-3/events.jsonl");
  EXPECT_TRUE(log.ends_with("\n"));
  EXPECT_NE(log.find("\"kind\":\"run_ended\""), std::string::npos);
  EXPECT_FALSE(partial_folder());
}

} // namespace
} // namespace spillover
