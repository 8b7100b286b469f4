#include "report/verdict.hpp"
#include "tests/report/log_builder.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/schema.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <set>
#include <string>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using nlohmann::json;
using namespace nlohmann::literals;
using test::log_builder;

/// @returns what the schema has against a summary.
std::string problems_of(const json& summary) {
  return test::problems_with("docs/summary.schema.json", summary);
}

json summary_of(const event_log& log, const std::vector<expectation>& expectations) {
  return json::parse(to_json(judge(log, expectations, {}), log));
}

const std::vector<expectation> one_of_each{
  expect_failover{"us-east1", 20s},
  expect_failback{"us-east1", 30s},
  expect_capacity_recovered{"us-west1", 90s},
  expect_errors{run_start + 5min, run_start + 7min, 0.005},
  expect_transitions{"us-east1/checkout", 2},
  expect_clock{failover_clock::detect, "us-east1", 20s},
  expect_latency{0.99, run_start + 5min, run_start + 7min, 1s},
  expect_queue{.of = "us-west1/checkout/web", .at_most = 100},
  expect_rate{"us-west1", run_start + 6min, run_start + 7min, 250, 350},
  expect_instances{"us-west1/checkout/web", run_start + 6min, run_start + 6min, 8, std::nullopt},
  {expect_lost{1'000}, "hardly any is lost"},
  expect_cost{"", 1'000'000},
  expect_cost{.vcpu_seconds_at_most = 1'000'000},
  expect_sequence{{{"source_changed"}, {"first_request"}}, 1min}};

TEST(Summary, MatchesItsSchema) {
  const auto run = test::clean_failover();
  EXPECT_EQ(problems_of(summary_of(run.log, one_of_each)), "");
}

TEST(Summary, TheSchemaKnowsEveryAccount) {
  const auto text = test::read_file("docs/events.md");
  auto at = text.find("| account | entity |");
  ASSERT_NE(at, std::string::npos);
  std::set<std::string> named;
  for (; text.compare(at, 1, "|") == 0; at = text.find('\n', at) + 1)
    if (text.compare(at, 3, "| `") == 0)
      named.insert(text.substr(at + 3, text.find('`', at + 3) - at - 3));
  const auto schema = json::parse(test::read_file("docs/summary.schema.json"));
  const auto& account = schema.at("/properties/books/items/properties/account"_json_pointer);
  EXPECT_EQ(account.at("enum").get<std::set<std::string>>(), named);
  EXPECT_GE(named.size(), 10U);
}

TEST(Summary, MatchesItsSchemaWithSubscriptions) {
  log_builder run;
  subscription_sample second;
  run.add(200s, "clients-east/clients", {}, second);
  second.load = 1;
  second.backlog = 5;
  run.add(200s, "clients-east/clients", {}, second);
  run.end();
  const auto summary =
    summary_of(run.log, {expect_backlog{"clients-east", std::nullopt, std::nullopt, 10}});
  EXPECT_EQ(problems_of(summary), "");
  ASSERT_EQ(summary["subscriptions"].size(), 2u);
  EXPECT_TRUE(summary["subscriptions"][0]["peak_at_ns"].is_null());
  EXPECT_EQ(summary["subscriptions"][1]["peak_at_ns"], 200'000'000'000);
  EXPECT_EQ(summary["judgements"][0]["kind"], "backlog");
}

TEST(Summary, MatchesItsSchemaWhenNothingIsKnown) {
  EXPECT_EQ(problems_of(summary_of(event_log{{"director"}}, one_of_each)), "");
  log_builder run;
  run.half_falls_silent();
  run.end();
  EXPECT_EQ(problems_of(summary_of(run.log, one_of_each)), "");
}

/// Removes every key in turn, at every depth, and hands the rest to `f`.
void for_each_removal(const json& whole, const json::json_pointer& at,
                      const std::function<void(const json&, const std::string&)>& f) {
  const auto& here = whole.at(at);
  if (here.is_array() && !here.empty())
    for_each_removal(whole, at / 0, f);
  if (!here.is_object())
    return;
  for (const auto& [key, value] : here.items()) {
    auto less = whole;
    less.at(at).erase(key);
    f(less, (at / key).to_string());
    for_each_removal(whole, at / key, f);
  }
}

TEST(Summary, ItsSchemaNamesEveryKey) {
  const auto run = test::clean_failover();
  const auto summary = summary_of(run.log, one_of_each);
  auto removals = 0;
  for_each_removal(summary, json::json_pointer{},
                   [&removals](const json& less, const std::string& key) {
                     ++removals;
                     EXPECT_FALSE(problems_of(less).empty()) << key << " may be missing";
                   });
  EXPECT_GT(removals, 60);
  auto more = summary;
  more["surprise"] = 1;
  EXPECT_FALSE(problems_of(more).empty());
}

TEST(Summary, SaysWhatTheVerdictSays) {
  const auto run = test::clean_failover();
  const auto x = summary_of(run.log, one_of_each);
  EXPECT_EQ(x["name"], "brownout");
  EXPECT_EQ(x["seed"], 1);
  EXPECT_EQ(x["verdict"], "pass");
  EXPECT_EQ(x["exit_code"], 0);
  const auto& failover = x["failovers"].at(0);
  EXPECT_EQ(failover["from"], "us-east1");
  EXPECT_EQ(failover["to"], "us-west1");
  EXPECT_EQ(failover["clocks"]["detect"]["ns"], 13'900'000'000);
  EXPECT_EQ(failover["clocks"]["detect"]["text"], "13.9 s");
  EXPECT_EQ(failover["clocks"]["capacity"]["ns"], 64'800'000'000);
  EXPECT_EQ(failover["failover"]["ns"], 17'800'000'000);
  EXPECT_EQ(failover["failback"]["ns"], 14'000'000'000);
  EXPECT_EQ(failover["fault"]["event"].get<std::string>().substr(0, 9), "director#");
  EXPECT_EQ(x["stopped"], nullptr);
  EXPECT_EQ(x["judgements"].size(), 14u);
  EXPECT_EQ(x["judgements"][0]["value"], 17'800'000'000);
  EXPECT_EQ(x["judgements"][0]["limit"], 20'000'000'000);
  EXPECT_EQ(x["judgements"][3]["limit"], 5'000);
  EXPECT_EQ(x["judgements"][3]["unit"], "ppm");
  EXPECT_EQ(x["judgements"][3]["at_least"], nullptr);
  EXPECT_EQ(x["judgements"][8]["at_least"], 250'000);
  EXPECT_EQ(x["judgements"][9]["limit"], nullptr);
  EXPECT_EQ(x["judgements"][10]["name"], "hardly any is lost");
  EXPECT_EQ(x["judgements"][0]["name"], "");
  EXPECT_EQ(x["judgements"][0]["by"], x["failovers"][0]["clocks"]["route"]["by"]);
  EXPECT_EQ(x["requests"]["started"], 1'000'000);
  EXPECT_EQ(x["requests"]["in_flight"], 10'000);
  EXPECT_EQ(x["requests"]["ended"]["ok"], 299 * 1'020);
  EXPECT_GE(x["requests"]["latency_ns"]["p50"], 74'000'000);
  EXPECT_LT(x["requests"]["latency_ns"]["p99.9"], 76'000'000);
  EXPECT_EQ(x["books"].size(), 12u);
  EXPECT_EQ(x["imbalances"], json::array());
}

TEST(Summary, SaysWhyARunWasStopped) {
  log_builder run;
  run.add(341s, "director", {}, run_stopped{"queue of us-west1/checkout/web above 1,000"});
  run.add(341s, "director", {}, run_ended{});
  const auto x = summary_of(run.log, one_of_each);
  EXPECT_EQ(problems_of(x), "");
  EXPECT_EQ(x["stopped"]["at_ns"], 341'000'000'000);
  EXPECT_EQ(x["stopped"]["reason"], "queue of us-west1/checkout/web above 1,000");
}

TEST(Summary, AClockThatDidNotEndIsNull) {
  log_builder run;
  run.half_falls_silent();
  run.end();
  const auto x = summary_of(run.log, {expect_failover{"us-east1", 20s}});
  EXPECT_EQ(x["verdict"], "fail");
  EXPECT_EQ(x["exit_code"], 1);
  EXPECT_EQ(x["failovers"][0]["failover"]["ns"], nullptr);
  EXPECT_EQ(x["failovers"][0]["failover"]["text"], "not within the run");
  EXPECT_EQ(x["failovers"][0]["clocks"]["detect"]["ns"], nullptr);
  EXPECT_EQ(x["judgements"][0]["value"], nullptr);
  EXPECT_EQ(x["requests"]["latency_ns"]["p50"], nullptr);
}

} // namespace
