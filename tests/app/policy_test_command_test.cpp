#include "tests/app/program.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace spillover {
namespace {

constexpr std::string_view outage = R"(duration: 5m
endpoints:
  - {at: 0s, of: east/shop/web, endpoints: 1-4, are: answering}
  - {at: 0s, of: west/shop/web, endpoints: 1-4, are: answering}
  - {at: 1m, of: east/shop/web, endpoints: 1-2, are: silent}
  - {at: 3m, of: east/shop/web, endpoints: 1-2, are: answering}
)";

class PolicyTestCommand : public test::ProgramTest {
protected:
  PolicyTestCommand() {
    write("outage.yaml", outage);
    write("policies.yaml", "policies: {plain: {}, lax: {healthy_percent_threshold: 50}}\n");
  }

  test::program_result policy_test(const std::string& input,
                                   const std::string& policies = "policies.yaml") {
    return spillover({"policy-test", input, "--policy", policies, "--json"});
  }

  // Transitions of the first region under each policy.
  static std::vector<int> transitions(const test::program_result& x) {
    std::vector<int> result;
    const auto parsed = nlohmann::json::parse(x.out, nullptr, false);
    if (parsed.is_discarded())
      return result;
    for (const auto& policy : parsed.at("policies"))
      result.push_back(policy.at("services").at(0).at("regions").at(0).at("transitions"));
    return result;
  }
};

TEST_F(PolicyTestCommand, ComparesPoliciesOverAnInventedTimeline) {
  const auto x = policy_test("outage.yaml");
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_EQ(transitions(x), (std::vector{2, 0}));
  const auto text = spillover({"policy-test", "outage.yaml", "--policy", "policies.yaml"});
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("web 2 of 4 healthy, 3 needed"), std::string::npos) << text.out;
}

TEST_F(PolicyTestCommand, TakesARunItsEventsOrAScenario) {
  ASSERT_NE(spillover({"run", "short.yaml", "--quiet", "--out", "run"}).code, 2);
  const auto from_run = policy_test("run");
  EXPECT_EQ(from_run.code, 0) << from_run.err;
  EXPECT_EQ(transitions(from_run), (std::vector{2, 2}));
  EXPECT_EQ(policy_test("run/events.jsonl").out, from_run.out);
  EXPECT_EQ(policy_test("short.yaml").out, from_run.out);
}

TEST_F(PolicyTestCommand, ReplaysServiceHealth) {
  auto text = test::short_scenario_with(
    "composite_health: {sources: [{backend_service: web, healthy_percent_threshold: 50}]}",
    "service_health: {healthy_percent_threshold: 50}");
  const std::string_view instance = "{service_time: 20ms}";
  text.replace(text.find(instance), instance.size(),
               "{service_time: 20ms, readiness_probe: {period: 2s, failure_threshold: 2}}");
  write("run.yaml", text);
  write("run-policy.yaml", "policies: {same: {healthy_percent_threshold: 50}}\n");
  EXPECT_EQ(spillover({"run", "run.yaml", "--quiet", "--out", "run"}).code, 0);
  const auto x = policy_test("run", "run-policy.yaml");
  EXPECT_EQ(x.code, 0) << x.err;
  EXPECT_EQ(transitions(x), std::vector{2}) << "there and back, as in the run";
}

TEST_F(PolicyTestCommand, NamesWhereALogBreaksOff) {
  ASSERT_NE(spillover({"run", "short.yaml", "--quiet", "--out", "run"}).code, 2);
  const auto whole = read("run/events.jsonl");
  const auto half = whole.find('\n', whole.size() / 2);
  write("half.jsonl", whole.substr(0, half + 20));
  const auto x = policy_test("half.jsonl");
  EXPECT_EQ(x.code, 0) << x.err;
  const auto lines = std::count(whole.begin(), whole.begin() + static_cast<long>(half) + 1, '\n');
  EXPECT_TRUE(x.err.starts_with("spillover: half.jsonl: breaks off after line "
                                + std::to_string(lines) + ": the run did not end"))
    << x.err;
  EXPECT_EQ(policy_test("run").err, "");
}

TEST_F(PolicyTestCommand, JudgesNoLogThatBreaksOffInTheWarmUp) {
  write("warm.yaml", test::short_scenario_with("duration: 90s", "duration: 90s\nwarm_up: 25s"));
  ASSERT_NE(spillover({"run", "warm.yaml", "--quiet", "--out", "run"}).code, 2);
  const auto whole = read("run/events.jsonl");
  write("early.jsonl", whole.substr(0, whole.find('\n', whole.find("\"at_ns\":10000000000,")) + 1));
  const auto x = policy_test("early.jsonl");
  EXPECT_EQ(x.code, 2);
  EXPECT_EQ(x.out, "");
  EXPECT_NE(x.err.find("early.jsonl: ends at 10s, within the warm-up (25s): there is nothing to"),
            std::string::npos)
    << x.err;
}

TEST_F(PolicyTestCommand, ALimitThatDoesNotHoldExitsWithOne) {
  write("limits.yaml", "policies: {plain: {expect: {transitions_at_most: 1}}}\n");
  const auto x = policy_test("outage.yaml", "limits.yaml");
  EXPECT_EQ(x.code, 1);
  EXPECT_NE(x.out.find("transitions 2 is above 1"), std::string::npos) << x.out;
}

TEST_F(PolicyTestCommand, BadInputExitsWithTwoAndSaysWhere) {
  write("bad.yaml", "policies: {a: {min_healthy_threshold: 0}}\n");
  write("empty.csv", "at,of,endpoints,are\n");
  write("strange.yaml", "policies: {a: {sources: {wb: {}}}}\n");
  write("before.jsonl", "{\"kind\":\"event_log\",\"version\":1,\"sites\":[\"director\"]}\n"
                        "{\"id\":\"director#1\",\"at_ns\":-5,\"entity\":\"director\",\"kind\":"
                        "\"run_stopped\",\"reason\":\"\"}\n");
  struct {
    const char* why;
    const char* input = "";
    const char* policies = "";
    const char* expected = "";
  } const cases[] = {
    {"a bad policy", "outage.yaml", "bad.yaml",
     "bad.yaml:1:39: min_healthy_threshold: must be between 1 and 10000; got 0"},
    {"a source that the timeline does not have", "outage.yaml", "strange.yaml",
     "strange.yaml:1:26: wb: is no backend service of outage; did you mean \"web\"? allowed: web"},
    {"an event before the run", "before.jsonl", "policies.yaml",
     "before.jsonl: line 2: at_ns: cannot be -5"},
    {"no policy file", "outage.yaml", "none.yaml", "none.yaml: "},
    {"no input", "none.yaml", "policies.yaml", "none.yaml: "},
    {"a folder of no run", ".", "policies.yaml", "events.jsonl: cannot be read"},
    {"rows without an end", "empty.csv", "policies.yaml", "empty.csv:1:1: has no row"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto found = policy_test(x.input, x.policies);
    EXPECT_EQ(found.code, 2);
    EXPECT_EQ(found.out, "");
    EXPECT_NE(found.err.find(x.expected), std::string::npos) << found.err;
  }
}

} // namespace
} // namespace spillover
