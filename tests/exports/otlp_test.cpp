#include "exports/otlp.hpp"

#include "tests/exports/small_export.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace spillover {
namespace {

using json = nlohmann::json;

constexpr calendar_time start = std::chrono::sys_days{std::chrono::year{2026} / 1 / 31};

/// @returns every problem of a value against the fields that a message of OTLP has in JSON: each field by its
///          name with a letter for what it holds.
void check_fields(const json& x, const std::map<std::string, char>& fields, const std::string& of) {
  for (const auto& [key, value] : x.items()) {
    const auto found = fields.find(key);
    ASSERT_NE(found, fields.end()) << of << " has no field " << key;
    switch (found->second) {
      case 's': EXPECT_TRUE(value.is_string()) << of << "." << key; break;
      case 'l': EXPECT_TRUE(value.is_array()) << of << "." << key; break;
      case 'o': EXPECT_TRUE(value.is_object()) << of << "." << key; break;
      case 'i': EXPECT_TRUE(value.is_number_integer()) << of << "." << key; break;
      case 'b': EXPECT_TRUE(value.is_boolean()) << of << "." << key; break;
      // 64 bits: a string of digits.
      default:
        ASSERT_TRUE(value.is_string()) << of << "." << key;
        EXPECT_EQ(value.get<std::string>().find_first_not_of("0123456789"), std::string::npos)
          << of << "." << key;
    }
  }
}

std::map<std::string, std::string> attributes_of(const json& x) {
  std::map<std::string, std::string> result;
  for (const auto& y : x["attributes"]) {
    check_fields(y, {{"key", 's'}, {"value", 'o'}}, "KeyValue");
    check_fields(y["value"], {{"stringValue", 's'}, {"intValue", '6'}, {"boolValue", 'b'}},
                 "AnyValue");
    EXPECT_EQ(y["value"].size(), 1u);
    const auto& value = y["value"].begin().value();
    EXPECT_TRUE(
      result.emplace(y["key"], value.is_string() ? value.get<std::string>() : value.dump()).second)
      << y["key"] << " stands there twice";
  }
  return result;
}

bool is_hex(const json& x, std::size_t digits) {
  const auto text = x.get<std::string>();
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos
         && text.find_first_not_of('0') != std::string::npos;
}

/// @returns all spans by their ids, with "site" beside their own fields.
std::map<std::string, json> spans_of_file(const std::string& text) {
  const auto file = json::parse(text);
  check_fields(file, {{"resourceSpans", 'l'}}, "ExportTraceServiceRequest");
  std::map<std::string, json> result;
  for (const auto& site : file["resourceSpans"]) {
    check_fields(site, {{"resource", 'o'}, {"scopeSpans", 'l'}}, "ResourceSpans");
    check_fields(site["resource"], {{"attributes", 'l'}}, "Resource");
    for (const auto& scope : site["scopeSpans"]) {
      check_fields(scope, {{"scope", 'o'}, {"spans", 'l'}}, "ScopeSpans");
      check_fields(scope["scope"], {{"name", 's'}, {"version", 's'}}, "InstrumentationScope");
      for (auto span : scope["spans"]) {
        check_fields(span,
                     {{"traceId", 's'},
                      {"spanId", 's'},
                      {"parentSpanId", 's'},
                      {"name", 's'},
                      {"kind", 'i'},
                      {"startTimeUnixNano", '6'},
                      {"endTimeUnixNano", '6'},
                      {"attributes", 'l'},
                      {"status", 'o'}},
                     "Span");
        check_fields(span["status"], {{"code", 'i'}, {"message", 's'}}, "Status");
        EXPECT_TRUE(is_hex(span["traceId"], 32)) << span["traceId"];
        EXPECT_TRUE(is_hex(span["spanId"], 16)) << span["spanId"];
        span["site"] = attributes_of(site["resource"])["service.name"];
        EXPECT_TRUE(result.emplace(span["spanId"], span).second) << "an id twice";
      }
    }
  }
  return result;
}

std::string spans_text(const run_export& x) {
  std::ostringstream out;
  write_otlp_spans(x, start, out);
  EXPECT_TRUE(out.str().starts_with(otlp_spans_mark));
  EXPECT_NE(out.str().substr(0, 4'096).find(otlp_scope_mark), std::string::npos);
  return out.str();
}

TEST(Otlp, SpansLieWithinTheirParents) {
  const test::small_export of;
  const auto spans = spans_of_file(spans_text(of.get()));
  std::set<std::string> traces;
  std::size_t roots = 0;
  for (const auto& [id, x] : spans) {
    traces.insert(x["traceId"]);
    if (!x.contains("parentSpanId")) {
      ++roots;
      continue;
    }
    const auto parent = spans.find(x["parentSpanId"]);
    ASSERT_NE(parent, spans.end());
    EXPECT_EQ(parent->second["traceId"], x["traceId"]);
    EXPECT_LE(parent->second["startTimeUnixNano"], x["startTimeUnixNano"]);
    EXPECT_GE(parent->second["endTimeUnixNano"], x["endTimeUnixNano"]);
  }
  EXPECT_EQ(roots, 3u);
  EXPECT_EQ(traces.size(), 3u);
  EXPECT_EQ(spans.size(), 24u); // eight of each request
}

TEST(Otlp, EachHopIsASpanBelowThatOfItsParent) {
  const test::small_export of;
  const auto x = of.get();
  using hop_name = std::pair<std::string, std::string>;
  std::map<hop_name, json> by_hop;
  for (const auto& [id, span] : spans_of_file(spans_text(x))) {
    const auto attributes = attributes_of(span);
    // No request here does the same thing twice.
    const hop_name key{attributes.at("spillover.request"), attributes.at("spillover.hop")};
    EXPECT_TRUE(by_hop.emplace(key, span).second) << key.first << " " << key.second;
  }
  std::size_t hops = 0;
  for (const auto& request : x.requests)
    for (const auto& hop : request.spans) {
      ++hops;
      const auto number = std::to_string(request.number);
      const auto span = by_hop.find({number, std::string{to_string(hop.kind)}});
      ASSERT_NE(span, by_hop.end()) << number << " " << to_string(hop.kind);
      EXPECT_EQ(std::stoll(span->second["endTimeUnixNano"].get<std::string>())
                  - std::stoll(span->second["startTimeUnixNano"].get<std::string>()),
                (hop.to - hop.from).count());
      EXPECT_EQ(span->second.contains("parentSpanId"), hop.kind != hop_kind::request);
      const auto& parent = request.spans[hop.parent];
      if (hop.kind != hop_kind::request) {
        EXPECT_EQ(span->second["parentSpanId"],
                  by_hop.at({number, std::string{to_string(parent.kind)}})["spanId"]);
      }
    }
  EXPECT_EQ(by_hop.size(), hops);
}

TEST(Otlp, SpansAreThoseOfTheirSite) {
  const test::small_export of;
  std::map<std::string, json> by_name;
  for (const auto& [id, x] : spans_of_file(spans_text(of.get())))
    if (attributes_of(x)["spillover.request"] == "1")
      by_name[x["name"]] = x;
  auto& service = by_name["service"];
  EXPECT_EQ(service["site"], "east");
  EXPECT_EQ(service["kind"], 2); // SERVER
  // 2026-01-31T00:00:00Z and 110 ms.
  EXPECT_EQ(service["startTimeUnixNano"], "1769817600110000000");
  auto attributes = attributes_of(service);
  EXPECT_EQ(attributes["http.response.status_code"], "200");
  EXPECT_EQ(attributes["server.address"], "east/checkout/web/0");
  EXPECT_EQ(attributes["cloud.region"], "east");
  EXPECT_TRUE(service["status"].empty());
  EXPECT_EQ(by_name["balancer try"]["site"], "shop");
  EXPECT_EQ(by_name["balancer try"]["kind"], 3); // CLIENT
  EXPECT_EQ(by_name["request"]["kind"], 1);      // INTERNAL
  EXPECT_EQ(service["parentSpanId"], by_name["balancer try"]["spanId"]);
}

TEST(Otlp, TellsHowARequestFailed) {
  const test::small_export of;
  const struct {
    const char* why;
    outcome how;
    std::string code;
    std::string error;
  } cases[] = {
    {"answered", outcome::ok, "200", ""},
    {"refused", outcome::too_many_requests, "429", "too_many_requests"},
    {"no back end", outcome::unavailable, "503", "unavailable"},
    {"the load balancer's own answer", outcome::lb_timeout, "504", "lb_timeout"},
    {"no answer at all", outcome::client_timeout, "", "client_timeout"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto from = of.get();
    const std::vector<request_spans> requests{
      span_of("shop", 9, run_start, run_start + test::ms, x.how)};
    const run_export changed{from.log, from.judged, from.kept, requests, from.program};
    const auto spans = spans_of_file(spans_text(changed));
    ASSERT_EQ(spans.size(), 1u);
    const auto& span = spans.begin()->second;
    auto attributes = attributes_of(span);
    EXPECT_EQ(attributes["http.response.status_code"], x.code);
    EXPECT_EQ(attributes["error.type"], x.error);
    EXPECT_EQ(span["status"].value("code", 0), x.how == outcome::ok ? 0 : 2);
  }
}

TEST(Otlp, TheSameRunHasTheSameIds) {
  const test::small_export of;
  const test::small_export again;
  EXPECT_EQ(spans_text(of.get()), spans_text(again.get()));
}

TEST(Otlp, MetricsCountEachStep) {
  const test::small_export of;
  std::ostringstream out;
  write_otlp_metrics(of.get(), start, out);
  EXPECT_TRUE(out.str().starts_with(otlp_metrics_mark));
  const auto file = json::parse(out.str());
  std::map<std::string, std::uint64_t> sums;
  std::map<std::string, std::string> kinds;
  for (const auto& site : file["resourceMetrics"])
    for (const auto& metric : site["scopeMetrics"][0]["metrics"]) {
      const auto name = metric["name"].get<std::string>();
      for (const auto kind : {"sum", "gauge", "histogram"})
        if (metric.contains(kind)) {
          kinds[name] = kind;
          for (const auto& point : metric[kind]["dataPoints"]) {
            attributes_of(point);
            EXPECT_LT(point["startTimeUnixNano"], point["timeUnixNano"]);
            const auto value = point.contains("asInt") ? point["asInt"] : point["count"];
            sums[name] += std::stoull(value.get<std::string>());
            if (name == "spillover.request.duration") {
              EXPECT_EQ(point["bucketCounts"].size(), point["explicitBounds"].size() + 1);
            }
          }
        }
    }
  const std::map<std::string, std::string> expected_kinds{
    {"spillover.requests", "sum"},
    {"spillover.tries", "sum"},
    {"spillover.instances", "gauge"},
    {"spillover.queue.length", "gauge"},
    {"spillover.request.duration", "histogram"}};
  EXPECT_EQ(kinds, expected_kinds);
  EXPECT_EQ(sums["spillover.requests"], 10u);
  EXPECT_EQ(sums["spillover.tries"], 10u);
  EXPECT_EQ(sums["spillover.instances"], 10u);
  EXPECT_EQ(sums["spillover.queue.length"], 100u);
  EXPECT_EQ(sums["spillover.request.duration"], 3u);
}

TEST(Otlp, PointsHaveTheTimeThatTheirSamplesAreOf) {
  const test::small_export of;
  auto x = of.get();
  x.step = std::chrono::seconds{3};
  // Steps of the grid are [0 s, 3 s) and [3 s, 6 s); the window begins in the one, the run ends in the other.
  x.window = {run_start + std::chrono::seconds{1}, never};
  std::ostringstream out;
  write_otlp_metrics(x, start, out);
  std::map<std::string, std::vector<std::string>> times;
  const auto file = json::parse(out.str());
  for (const auto& site : file["resourceMetrics"])
    for (const auto& metric : site["scopeMetrics"][0]["metrics"])
      for (const auto kind : {"sum", "gauge", "histogram"})
        if (metric.contains(kind))
          for (const auto& point : metric[kind]["dataPoints"]) {
            const auto value = point.contains("asInt") ? point["asInt"] : point["count"];
            if (value != "0")
              times[metric["name"]].push_back(point["startTimeUnixNano"].get<std::string>() + " "
                                              + point["timeUnixNano"].get<std::string>() + " "
                                              + value.get<std::string>());
          }
  // 2026-01-31T00:00:00Z is second 1769817600.
  const std::string first = "1769817601000000000 1769817603000000000 ";
  const std::string second = "1769817603000000000 1769817604000000000 ";
  const std::map<std::string, std::vector<std::string>> expected{
    {"spillover.requests", {first + "5", second + "2", second + "2"}},
    {"spillover.tries", {first + "5", second + "4"}},
    {"spillover.instances", {first + "3", second + "4"}},
    {"spillover.queue.length", {first + "30", second + "40"}},
    {"spillover.request.duration", {first + "1", second + "1"}}};
  EXPECT_EQ(times, expected);
}

} // namespace
} // namespace spillover
