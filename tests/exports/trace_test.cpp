#include "exports/chrome_trace.hpp"
#include "tests/exports/small_export.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <sstream>

namespace spillover {
namespace {

using json = nlohmann::json;

json trace_of(const run_export& x) {
  std::ostringstream out;
  write_chrome_trace(x, out);
  EXPECT_TRUE(out.str().starts_with(chrome_trace_mark)) << out.str();
  return json::parse(out.str());
}

/// @returns the events of a phase.
std::vector<json> of_phase(const json& trace, const char* phase) {
  std::vector<json> result;
  for (const auto& x : trace["traceEvents"])
    if (x["ph"] == phase)
      result.push_back(x);
  return result;
}

/// @returns "site: thread" of an event.
std::string place_of(const json& trace, const json& x) {
  std::string process;
  std::string thread;
  for (const auto& y : of_phase(trace, "M")) {
    if (y["pid"] != x["pid"])
      continue;
    if (y["name"] == "process_name")
      process = y["args"]["name"];
    else if (y["name"] == "thread_name" && y["tid"] == x["tid"])
      thread = y["args"]["name"];
  }
  return process + ": " + thread;
}

TEST(ChromeTrace, SpansNestOnEachThread) {
  const test::small_export of;
  const auto trace = trace_of(of.get());
  using span = std::pair<double, double>;
  std::map<std::pair<int, int>, std::vector<span>> threads;
  for (const auto& x : of_phase(trace, "X"))
    threads[{x["pid"], x["tid"]}].emplace_back(x["ts"],
                                               x["ts"].get<double>() + x["dur"].get<double>());
  EXPECT_GE(threads.size(), 6u);
  for (const auto& [where, spans] : threads)
    for (const auto& a : spans)
      for (const auto& b : spans) {
        const auto apart = a.second <= b.first || b.second <= a.first;
        const auto within = (a.first <= b.first && b.second <= a.second)
                            || (b.first <= a.first && a.second <= b.second);
        EXPECT_TRUE(apart || within) << where.second << ": " << a.first << "-" << a.second
                                     << " and " << b.first << "-" << b.second;
      }
}

TEST(ChromeTrace, SitesAreProcessesAndWhoeverHasARequestAThread) {
  const test::small_export of;
  const auto trace = trace_of(of.get());
  std::map<std::string, std::vector<std::string>> names;
  for (const auto& x : of_phase(trace, "X"))
    names[place_of(trace, x)].push_back(x["name"]);
  const std::vector<std::string> client{"request 1", "client try", "request 3", "client try"};
  EXPECT_EQ(names["shop: clients"], client);
  // The second one overlaps the first.
  EXPECT_EQ(names["shop: clients (2)"], (std::vector<std::string>{"request 2", "client try"}));
  EXPECT_EQ(names["shop: lb (2)"],
            (std::vector<std::string>{"try in east", "link there", "link back"}));
  EXPECT_EQ(names["east: checkout/web/0"],
            (std::vector<std::string>{"service", "cpu", "service wait"}));
  EXPECT_EQ(names["east: checkout/web/1"],
            (std::vector<std::string>{"service", "cpu", "service wait"}));
  EXPECT_EQ(names["director: faults that last"], (std::vector<std::string>{"a crash"}));
}

TEST(ChromeTrace, TimesAreMicroseconds) {
  const test::small_export of;
  auto x = of.get();
  const auto trace = trace_of(x);
  const auto spans = of_phase(trace, "X");
  ASSERT_FALSE(spans.empty());
  EXPECT_EQ(spans.front()["ts"], 100'000.0);
  EXPECT_EQ(spans.front()["dur"], 40'000.0);
  EXPECT_EQ(spans.front()["args"]["request"], 1);
  std::ostringstream out;
  write_chrome_trace(x, out);
  EXPECT_NE(out.str().find("\"ts\":100000,\"dur\":40000"), std::string::npos);
}

TEST(ChromeTrace, SpansThatEndTogetherDoSoForFloatingPointToo) {
  const test::small_export of;
  std::vector<request_spans> requests;
  // Times at which begin and duration in thousandths, added up as they are, miss the end in some cases.
  for (std::uint64_t i = 1; i <= 200; ++i) {
    const auto from = run_start + duration{static_cast<std::int64_t>(i) * 25'342'164'607};
    auto& x = requests.emplace_back(span_of("shop", i, from, from + duration{109'250'613}, {}));
    x.spans.push_back({hop_kind::client_try,
                       from + duration{1'111'111},
                       x.root().to,
                       0,
                       "shop/clients",
                       {},
                       0,
                       outcome::ok,
                       false,
                       {}});
  }
  const auto whole = of.get();
  const auto trace = trace_of({whole.log, whole.judged, whole.kept, requests});
  const auto spans = of_phase(trace, "X");
  ASSERT_EQ(spans.size(), 401u); // and the fault
  // As they are, and counted from the first one.
  for (const auto first : {0.0, spans[0]["ts"].get<double>()}) {
    const auto end_of = [first](const json& x) {
      return (x["ts"].get<double>() - first) + x["dur"].get<double>();
    };
    for (std::size_t i = 0; i < 400; i += 2)
      EXPECT_EQ(end_of(spans[i]), end_of(spans[i + 1])) << i;
  }
}

TEST(ChromeTrace, WhatTakesNoTimeIsAnInstant) {
  const test::small_export of;
  std::vector<request_spans> requests{
    span_of("shop", 4, run_start + test::ms, run_start + test::ms, outcome::unavailable)};
  const auto whole = of.get();
  const auto trace = trace_of({whole.log, whole.judged, whole.kept, requests});
  for (const auto& x : of_phase(trace, "X"))
    EXPECT_GT(x["dur"], 0.0) << x;
  std::vector<json> found;
  for (const auto& x : of_phase(trace, "i"))
    if (x["cat"] == "request")
      found.push_back(x);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["name"], "request 4");
  EXPECT_EQ(found[0]["ts"], 1'000.0);
  EXPECT_EQ(found[0]["s"], "t");
  EXPECT_EQ(found[0]["args"]["outcome"], "unavailable");
}

TEST(ChromeTrace, ArrowsLeadThereAndBack) {
  const test::small_export of;
  const auto trace = trace_of(of.get());
  const auto starts = of_phase(trace, "s");
  const auto ends = of_phase(trace, "f");
  ASSERT_EQ(starts.size(), 6u); // two of each request
  ASSERT_EQ(ends.size(), starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    EXPECT_EQ(starts[i]["id"], ends[i]["id"]);
    EXPECT_LT(starts[i]["ts"], ends[i]["ts"]);
    EXPECT_EQ(ends[i]["bp"], "e");
  }
  EXPECT_EQ(place_of(trace, starts[0]) + " -> " + place_of(trace, ends[0]),
            "shop: lb -> east: checkout/web/0");
  EXPECT_EQ(place_of(trace, starts[1]) + " -> " + place_of(trace, ends[1]),
            "east: checkout/web/0 -> shop: lb");
}

TEST(ChromeTrace, ShowsEventsAndCounts) {
  const test::small_export of;
  const auto trace = trace_of(of.get());
  std::vector<std::string> events;
  for (const auto& x : of_phase(trace, "i"))
    events.push_back(place_of(trace, x) + ": " + x["name"].get<std::string>());
  // A decision that changes nothing is left out.
  const std::vector<std::string> expected{
    "director: run: run_started director", "director: faults: fault_started director",
    "east: scaling: scaling_decided checkout/web", "director: faults: fault_ended director",
    "director: run: run_ended director"};
  EXPECT_EQ(events, expected);
  std::map<std::string, std::vector<json>> counters;
  for (const auto& x : of_phase(trace, "C"))
    counters[x["name"]].push_back(x);
  const auto& ready = counters["checkout/web instances"];
  ASSERT_EQ(ready.size(), 4u);
  // What is counted at a second's end stands there, what came in it at its beginning.
  EXPECT_EQ(ready[1]["ts"], 2'000'000.0);
  EXPECT_EQ(ready[1]["args"]["ready"], 2);
  const auto& answers = counters["answers per second"];
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(answers[3]["ts"], 3'000'000.0);
  EXPECT_EQ(answers[3]["args"], (json{{"ok", 2}, {"failed", 2}}));
  EXPECT_EQ(counters["tries per second to east"][0]["args"]["sent"], 1);
}

TEST(ChromeTrace, ShowsOnlyWhatIsInTheWindow) {
  const test::small_export of;
  auto x = of.get();
  x.window = {run_start + std::chrono::seconds{3}, never};
  const auto trace = trace_of(x);
  EXPECT_EQ(of_phase(trace, "i").size(), 1u);
  EXPECT_EQ(of_phase(trace, "C").size(), 5u);
}

TEST(ChromeTrace, CountsStandAtTheTimeThatTheirSamplesAreOf) {
  const test::small_export of;
  auto x = of.get();
  x.step = std::chrono::seconds{3};
  // The window begins within a step of the grid, and the run ends within one.
  x.window = {run_start + std::chrono::seconds{1}, never};
  const auto trace = trace_of(x);
  std::map<std::string, std::vector<double>> times;
  for (const auto& y : of_phase(trace, "C"))
    times[y["name"]].push_back(y["ts"]);
  const std::vector<double> begins{1'000'000, 3'000'000};
  const std::vector<double> ends{3'000'000, 4'000'000};
  const std::map<std::string, std::vector<double>> expected{
    {"checkout/web instances", ends},
    {"checkout/web queue", ends},
    {"checkout/web arrivals per second", begins},
    {"answers per second", begins},
    {"tries per second to east", begins}};
  EXPECT_EQ(times, expected);
}

} // namespace
} // namespace spillover
