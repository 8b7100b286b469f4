#include "report/comparison.hpp"

#include "report/page.hpp"
#include "tests/report/log_builder.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using nlohmann::ordered_json;
using test::log_builder;
using testing::ElementsAre;
using testing::HasSubstr;

/// A run with all that a comparison needs of it.
struct judged_run {
  std::string label;
  event_log log;
  ordered_json scenario = ordered_json::object();
  std::vector<expectation> expectations = {};
  std::string no_scenario = {};
  verdict result = {};

  [[nodiscard]] compared_run judged() {
    result = judge(log, expectations, {});
    return {label, log, result, scenario, no_scenario};
  }
};

std::vector<expectation> expectations(duration within) {
  return {expect_failover{"us-east1", within}, expect_capacity_recovered{"us-west1", 90s},
          expect_errors{run_start + 5min, run_start + 7min, 0.005},
          expect_transitions{"us-east1/checkout", 2}};
}

ordered_json world(int instances) {
  return {{"name", "brownout"},
          {"seed", 1},
          {"producers", {{"checkout", {{"min_instances", instances}}}}},
          {"faults", {{{"at", "5m"}, {"for", "6m"}}}}};
}

judged_run fast() {
  return {"runs/fast", test::clean_failover().log, world(4), expectations(20s)};
}

/// The failover of `clean_failover` with a consumer that learns 5 s later, an autoscaler that starts fewer
/// instances, and consumers that come back before the fault is over, and leave again.
judged_run slow() {
  log_builder to;
  to.everybody_starts_in({"clients-east"});
  to.survivor_seconds(290s, 322s, 0, 0, 4);
  const auto fault = to.half_falls_silent();
  const auto down = to.region_turns_unhealthy(fault);
  const auto knows = to.consumer_learns(321'800ms, down, "clients-east", health::unhealthy);
  to.route_turns(322'800ms, knows, "clients-east", "us-east1", "us-west1", 322'800ms);
  to.add(335s, "us-west1/checkout/web", {}, scaling_decided{"cloud_run", 4, 6, 4, 0, "CPU", {}});
  to.survivor_seconds(323s, 1'200s, 300, 280, 6);
  const auto up = to.composite_turns(400s, {}, health::unhealthy, health::healthy);
  const auto again = to.consumer_learns(402s, up, "clients-east", health::healthy);
  to.route_turns(403s, again, "clients-east", "us-west1", "us-east1", 403s);
  for (auto at = 1s; at <= 1200s; at += 1s)
    to.client_second(at, 290, at > 306s && at <= 323s ? 9 : 0);
  to.close_bill("us-east1/checkout/web", 12'000'000);
  to.close_bill("us-west1/checkout/web", 6'100'000);
  test::close_balanced_books(to, 1'000);
  auto scenario = world(2);
  scenario["network"] = {{"default", {{"latency", "30ms"}}}};
  return {"runs/slow", to.log, scenario, expectations(30s)};
}

comparison compared(judged_run a, judged_run b) {
  return compare(a.judged(), b.judged());
}

const compared_section& section_of(const comparison& x, std::string_view kind) {
  const auto found = std::find_if(x.sections.begin(), x.sections.end(),
                                  [kind](const auto& y) { return y.kind == kind; });
  EXPECT_NE(found, x.sections.end()) << kind;
  return *found;
}

const compared_row& row_of(const compared_section& x, std::string_view name) {
  const auto found =
    std::find_if(x.rows.begin(), x.rows.end(), [name](const auto& y) { return y.name == name; });
  EXPECT_NE(found, x.rows.end()) << name;
  return *found;
}

void expect_lines(const std::string& text) {
  EXPECT_TRUE(text.ends_with('\n'));
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(Comparison, OfTheSameRunIsTheSame) {
  const auto x = compared(fast(), fast());
  EXPECT_TRUE(x.same);
  EXPECT_TRUE(x.headline.empty());
  EXPECT_TRUE(x.changes.empty());
  for (const auto& section : x.sections)
    EXPECT_FALSE(section.differs()) << section.title;
  EXPECT_THAT(to_text(x, false), HasSubstr("The same: every event and the whole scenario.\n"));
  EXPECT_THAT(to_markdown(x), HasSubstr("runs/fast: the same\n"));
  // What is the same can be shown.
  EXPECT_THAT(to_text(x, true), HasSubstr("detected"));
}

TEST(Comparison, ANameIsNoDifferenceAndASettingIs) {
  auto b = fast();
  b.scenario["name"] = "another";
  EXPECT_TRUE(compared(fast(), b).same);
  b.scenario["seed"] = 2;
  const auto x = compared(fast(), b);
  EXPECT_FALSE(x.same);
  EXPECT_FALSE(x.first_event);
  EXPECT_THAT(to_text(x, false), HasSubstr("Every event is the same"));
}

TEST(Comparison, ReadsAsItsGoldenText) {
  const auto x = compared(fast(), slow());
  const auto text = to_text(x, false);
  expect_lines(text);
  expect_lines(to_text(x, true));
  test::expect_golden("tests/report/golden/comparison.txt", text);
  test::expect_golden("tests/report/golden/comparison.md", to_markdown(x));
}

TEST(Comparison, GradesBByA) {
  const auto x = compared(fast(), slow());
  const auto back = compared(slow(), fast());
  const struct {
    const char* why = "";
    const char* section = "";
    const char* row = "";
    const char* change = "";
    change_grade grade = change_grade::same;
    change_grade swapped = change_grade::same;
  } cases[] = {
    {"a clock that ran longer", "failover", "propagated", "+5.0 s", change_grade::worse,
     change_grade::better},
    {"the sum of the clocks", "failover", "failover", "+5.0 s", change_grade::worse,
     change_grade::better},
    {"a clock as it was", "failover", "detected", "", change_grade::same, change_grade::same},
    {"a clock that never ended", "failover", "capacity", "", change_grade::worse,
     change_grade::better},
    {"a greater share of errors", "errors", "lb timeout", "+0.05 points", change_grade::worse,
     change_grade::better},
    {"a smaller share of answers", "errors", "ok", "-0.05 points", change_grade::worse,
     change_grade::better},
    {"a bucket of the same latency", "latency", "p50", "", change_grade::same, change_grade::same},
    {"a smaller bill", "cost", "us-west1", "-23.8 %", change_grade::better, change_grade::worse},
    {"a count is neither good nor bad", "decisions", "clients-east: changes of route", "",
     change_grade::same, change_grade::same},
    {"most instances", "decisions", "us-west1: most instances", "-2", change_grade::differs,
     change_grade::differs},
  };
  for (const auto& row : cases) {
    SCOPED_TRACE(row.why);
    const auto& found = row_of(section_of(x, row.section), row.row);
    EXPECT_EQ(found.change, row.change);
    EXPECT_EQ(found.grade, row.grade) << to_string(found.grade);
    EXPECT_EQ(row_of(section_of(back, row.section), row.row).grade, row.swapped);
  }
}

TEST(Comparison, RoundsChangesOfABillToTheNearest) {
  const struct {
    const char* why = "";
    std::int64_t a = 0;
    std::int64_t b = 0;
    const char* change = "";
  } cases[] = {
    {"cheaper by less than is shown", 18'535'400, 18'530'000, "-<0.1 %"},
    {"dearer by less than is shown", 18'530'000, 18'535'400, "+<0.1 %"},
    {"-12.39", 10'000, 8'761, "-12.4 %"},
    {"+12.34", 10'000, 11'234, "+12.3 %"},
    {"twice as much", 10'000, 20'000, "+100.0 %"},
    {"as much", 10'000, 10'000, ""},
  };
  for (const auto& row : cases) {
    SCOPED_TRACE(row.why);
    const auto run = [](std::int64_t milli) {
      log_builder to;
      to.close_bill("us-west1/checkout/web", milli);
      to.end();
      return judged_run{"x", to.log};
    };
    EXPECT_EQ(row_of(section_of(compared(run(row.a), run(row.b)), "cost"), "us-west1").change,
              row.change);
  }
}

TEST(Comparison, OfTheSameEventsWithoutScenariosSaysSo) {
  auto x = fast();
  x.no_scenario = "there is no scenario.yaml";
  const auto found = compared(x, x);
  EXPECT_FALSE(found.same);
  const auto* const said = "Every event is the same; the scenarios are not compared.\n";
  EXPECT_THAT(to_text(found, false), HasSubstr(said));
  EXPECT_THAT(to_markdown(found), HasSubstr(said));
  // Logs with real times are not looked at for where they part.
  x.log = join_events(x.log.sites(), x.log.events());
  EXPECT_THAT(to_text(compared(x, x), false), testing::Not(HasSubstr("Every event")));
}

TEST(Comparison, CallsAFailoverThatOneRunLacksByItsFault) {
  auto none = fast();
  log_builder to;
  to.end();
  none.log = to.log;
  EXPECT_THAT(compared(fast(), none).headline,
              testing::Contains("failover of us-east1 in A only, of the fault at 300.000 s"));
  EXPECT_THAT(compared(none, fast()).headline,
              testing::Contains("failover of us-east1 in B only, of the fault at 300.000 s"));
  EXPECT_THAT(to_text(compared(fast(), {"x", event_log{{"director"}}}), false),
              HasSubstr("(no name), seed 0"));
}

TEST(Comparison, PutsWhatOnlyOneRunMetFirst) {
  auto a = fast();
  auto b = slow();
  a.expectations.emplace_back(expect_queue{.of = "us-west1/checkout/web", .at_most = 1}, "queue");
  b.expectations.emplace_back(expect_queue{.of = "us-west1/checkout/web", .at_most = 5}, "queue");
  b.expectations.emplace_back(expect_lost{1'000'000});
  std::vector<std::string> rows;
  const auto x = compared(a, b);
  for (const auto& row : section_of(x, "expectations").rows)
    rows.push_back(row.name.substr(0, row.name.find(' ')));
  EXPECT_THAT(rows, ElementsAre("capacity", "queue:", "lost", "failover", "errors", "transitions"));
}

TEST(Comparison, SaysWhatCannotBeCompared) {
  const struct {
    const char* why = "";
    judged_run b = {"", event_log{{"director"}}};
    const char* note = "";
  } cases[] = {
    {"a log that breaks off",
     [] {
       auto x = fast();
       log_builder to;
       to.half_falls_silent();
       x.log = to.log;
       return x;
     }(),
     "B broke off at 300.000 s"},
    {"a scenario of another version",
     [] {
       auto x = fast();
       x.no_scenario = "scenario.yaml:3:1: unknown key";
       return x;
     }(),
     "B has no scenario that this version can read (scenario.yaml:3:1: unknown key)"},
    {"a deployment",
     [] {
       auto x = fast();
       x.log = join_events(x.log.sites(), x.log.events());
       return x;
     }(),
     "B is a deployment"},
    {"books that do not balance",
     [] {
       auto x = fast();
       log_builder to;
       to.close_books("us-west1/checkout/api", "revision", "", {}, 1);
       to.end();
       x.log = to.log;
       return x;
     }(),
     "B is no result: "},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto found = compared(fast(), x.b);
    EXPECT_THAT(to_text(found, false), HasSubstr(std::string{"note  "} + x.note));
  }
}

TEST(ComparisonJson, MatchesItsSchema) {
  for (const auto& x :
       {compared(fast(), slow()), compared(slow(), fast()), compared(fast(), fast()),
        compared(fast(), {"x", event_log{{"director"}}})}) {
    const auto document = nlohmann::json::parse(to_json(x));
    EXPECT_EQ(test::problems_with("docs/comparison.schema.json", document), "");
    for (const auto& [key, value] : document.items()) {
      auto less = document;
      less.erase(key);
      EXPECT_NE(test::problems_with("docs/comparison.schema.json", less), "") << key;
    }
  }
}

TEST(ComparisonPage, HoldsBothRunsAndTheComparison) {
  auto a = fast();
  auto b = slow();
  const auto run_a = a.judged();
  const auto run_b = b.judged();
  const auto x = compare(run_a, run_b);
  const page_source source{"", "", "spillover"};
  const auto data = nlohmann::json::parse(comparison_page_data(
    x, page_data(a.log, a.result, source), page_data(b.log, b.result, source)));
  EXPECT_EQ(data["version"], 1);
  EXPECT_EQ(data["comparison"], nlohmann::json::parse(to_json(x)));
  ASSERT_EQ(data["runs"].size(), 2u);
  for (const auto& run : data["runs"])
    EXPECT_EQ(test::problems_with("docs/page.schema.json", run), "");
  EXPECT_NE(data["runs"][0], data["runs"][1]);
}

} // namespace
