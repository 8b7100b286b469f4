#include "model/random.hpp"
#include "tests/scenario/trace_text.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace spillover::test {

namespace {

using namespace std::chrono_literals;

struct bad_trace {
  const char* why = "";
  trace_source how = {};
  std::string text = {};
  const char* expected = "";
};

void expect_problems(const std::vector<bad_trace>& cases) {
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto found = read_trace_text(x.text, x.how);
    EXPECT_EQ(found.result, x.expected);
    EXPECT_EQ(found.reading.traffic, nullptr);
  }
}

std::string many_lines(int count) {
  std::string result;
  for (int i = 0; i < count; ++i)
    result += "1\n";
  return result;
}

TEST(BadTraces, OfCountsSayWhatIsWrongAndWhere) {
  expect_problems({
    {"a value that is none",
     {},
     "requests_per_second\n12\nx\n\xff\x01,",
     "t:3:1: \"x\" is no number of requests; allowed: a number from 0 to 1000000000, e.g. 12 or 0.5\n"
     "t:4:1: has 2 cells; the header has 1"},
    {"values that are no counts",
     {},
     "requests_per_second\n-1\n1e10\nnan\n\"\"\n",
     "t:2:1: \"-1\" is no number of requests; allowed: a number from 0 to 1000000000, e.g. 12 or 0.5\n"
     "t:3:1: \"1e10\" is no number of requests; allowed: a number from 0 to 1000000000, e.g. 12 or 0.5\n"
     "t:4:1: \"nan\" is no number of requests; allowed: a number from 0 to 1000000000, e.g. 12 or 0.5\n"
     "t:5:1: \"\" is no number of requests; allowed: a number from 0 to 1000000000, e.g. 12 or 0.5"},
    {"rows out of order, twice, and off the beat",
     {},
     "seconds,requests\n0,1\n10,1\n10,2\n5,1\n25,1\n",
     "t:4:1: is not after the row before; rows are in order of time, each bucket once\n"
     "t:5:1: is not after the row before; rows are in order of time, each bucket once\n"
     "t:6:1: does not fall on the beginning of a bucket: rows are multiples of 10s after the first one"},
    {"a row without a number, before it is known how long a bucket is",
     {},
     "time,requests\n0,1\n60,n/a\n120,3\n180,4\n240,x\n",
     "t:3:4: \"n/a\" is no number of requests; allowed: a number from 0 to 1000000000, e.g. 12 or 0.5\n"
     "t:6:5: \"x\" is no number of requests; allowed: a number from 0 to 1000000000, e.g. 12 or 0.5"},
    {"a second row at the same time",
     {},
     "seconds,requests\n0,1\n0,1\n",
     "t:3:1: the first two rows are 0s apart; a bucket lasts 1ms to 24h, and rows are in order of time"},
    {"a second row before the first",
     {},
     "seconds,requests\n5,1\n0,1\n",
     "t:3:1: the first two rows are out of order; a bucket lasts 1ms to 24h, and rows are in order of time"},
    {"a time that is none",
     {},
     "requests,time\n1,yesterday\n",
     "t:2:3: \"yesterday\" is no time; allowed: RFC 3339 from 1970 to 2115, e.g. 2026-03-01T12:00:00.25Z, or seconds, since 1970 or from 0"},
    {"an empty line between rows",
     {},
     "requests_per_second\n1\n\n\n2\n",
     "t:3:1: an empty line; only the end of a file may have some"},
    {"a cell too few", {}, "seconds,requests\n0\n", "t:2:1: has 1 cell; the header has 2"},
    {"a quote that does not end",
     {},
     "seconds,requests\n0,\"1\n",
     "t:2:3: a quoted cell begins here and does not end on its line"},
    {"something behind a quote",
     {},
     "seconds,requests\n\"0\"x,1\n",
     "t:2:4: a comma or the end of the line must follow a quoted cell"},
  });
}

TEST(BadTraces, OfCountsThatSayNoLoadAreRefused) {
  expect_problems({
    {"nothing but a header",
     {},
     "requests_per_second\n",
     "t:1:1: has no line that says when requests came"},
    {"nothing", {}, "", "t:1:1: has no line that says when requests came"},
    {"one row without a length",
     {},
     "seconds,requests\n0,1\n",
     "t:2:1: one row does not say how long its bucket is; give `bucket`, e.g. bucket: 1m"},
    {"no length at all",
     {},
     "requests\n1\n",
     "t:1:1: nothing says how long a bucket is; give `bucket`, e.g. bucket: 1m, or a column with the "
     "time at which each begins (time, timestamp, minutes, seconds, milliseconds, microseconds, nanoseconds); taken for format counts; `format` names another"},
    {"a column that is not there",
     {.file = "t", .column = "hits"},
     "seconds,requests\n0,1\n",
     "t:1:1: the header has no column \"hits\"; taken for format counts; `format` names another"},
    {"two columns of one name",
     {},
     "seconds,requests,requests\n0,1,2\n",
     "t:1:18: a second column \"requests\"; the one that counts must have a name of its own; taken for format "
     "counts; `format` names another"},
    {"two columns of times of one name",
     {.file = "t", .format = trace_format::counts},
     "time,requests,time\n0,1,2\n",
     "t:1:15: a second column \"time\"; only one can say when a bucket begins"},
    {"more buckets than a trace may have",
     {.file = "t", .bucket = 1ms},
     "seconds,requests\n0,1\n5000,1\n",
     "t:3:1: more than 5000000 buckets, the most a trace may have"},
    {"longer than a year",
     {.file = "t", .bucket = 24h},
     "minutes,requests\n0,1\n525600,1\n",
     "t:3:1: is 8760h or more after the first row; a trace is shorter than that"},
    {"longer than a year without times",
     {.file = "t", .bucket = 24h},
     "requests\n" + many_lines(366),
     "t:367:1: lasts 8760h or more; a trace is shorter than that"},
    {"a rate that is too much for its bucket",
     {.file = "t", .bucket = 1h},
     "requests_per_second\n1000000\n",
     "t:2:1: a bucket has more than 1000000000 requests, the most it may have"},
  });
}

TEST(BadTraces, OfArrivalsSayWhatIsWrongAndWhere) {
  const std::string hey = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read";
  expect_problems({
    {"a time below 0",
     {},
     "seconds\n-1\n1e3\n1.\n",
     "t:2:1: \"-1\" is no time; allowed: a number from 0 on, e.g. 12 or 0.5\n"
     "t:3:1: \"1e3\" is no time; allowed: a number from 0 on, e.g. 12 or 0.5\n"
     "t:4:1: \"1.\" is no time; allowed: a number from 0 on, e.g. 12 or 0.5"},
    {"longer than a year",
     {},
     "seconds\n1\n31536000\n",
     "t:3:1: the greatest time is here, and from 0 to it are 8760h or more; a trace is shorter than that"},
    {"longer than a year since 1970, in any order",
     {},
     "time\n2026-03-06T18:00:00Z\n2027-03-06T18:00:00Z\n2025-03-06T18:00:00Z\n2026-04-06T18:00:00Z\n",
     "t:3:1: the greatest time is here, and from the least, in line 4, to it are 8760h or more; a trace is shorter "
     "than that"},
    {"before 1970",
     {},
     "time\n1969-12-31T23:59:59Z\n",
     "t:2:1: \"1969-12-31T23:59:59Z\" is no time; allowed: RFC 3339 from 1970 to 2115, e.g. "
     "2026-03-01T12:00:00.25Z, or seconds, since 1970 or from 0"},
    {"no column of times",
     {.file = "t", .format = trace_format::times},
     "a,b\n1,2\n",
     "t:1:1: the header names no column of times; allowed: time, timestamp, minutes, seconds, "
     "milliseconds, microseconds, nanoseconds"},
    {"an old hey",
     {},
     hey + "\n0.1,0,0,0,0,0\n",
     "t:1:1: the header has no column offset, which says when a request began; old versions of hey do not write it"},
    {"an offset that is none",
     {},
     hey + ",status-code,offset\n0.1,0,0,0,0,0,200,soon\n",
     "t:2:19: \"soon\" is no offset in seconds; allowed: a number from 0 on, e.g. 1.0250"},
    {"a line of vegeta that breaks off",
     {},
     "{\"timestamp\":\"2026-03-06T18:00:00Z\"}\n{\"timest",
     "t:2:1: is no JSON object; allowed: one result of vegeta a line, e.g. {\"code\":200,\"timestamp\":\"2026-03-01T12:00:00.25Z\"}"},
    {"results without a time",
     {},
     "{}\n{\"timestamp\":7}\n{\"timestamp\":\"noon\"}\n",
     "t:1:1: has no text under timestamp; allowed: RFC 3339 from 1970 to 2115, e.g. \"2026-03-01T12:00:00.25Z\"\n"
     "t:2:1: has no text under timestamp; allowed: RFC 3339 from 1970 to 2115, e.g. \"2026-03-01T12:00:00.25Z\"\n"
     "t:3:1: \"noon\" is no time under timestamp; allowed: RFC 3339 from 1970 to 2115, e.g. \"2026-03-01T12:00:00.25Z\""},
    {"a row of vegeta that is short",
     {.file = "t", .format = trace_format::vegeta_csv},
     "1772820000000000123,200,1\n",
     "t:1:1: has 3 cells; a result of vegeta has at least 9"},
    {"a row of vegeta without a time",
     {.file = "t", .format = trace_format::vegeta_csv},
     "x,200,1,0,0,,,a,0\n",
     "t:1:1: \"x\" is no time; allowed: whole nanoseconds since 1970"},
  });
}

TEST(BadTraces, OfTablesSayWhatIsWrongAndWhere) {
  const std::string k6 = "metric_name,timestamp,metric_value\n";
  expect_problems({
    {"k6's times in two formats",
     {},
     k6 + "http_reqs,1772820000,1\nhttp_reqs,1772820000123,1\n",
     "t:3:11: \"1772820000123\" is no time; allowed: RFC 3339 from 1970 to 2115, or 10, 13, 16 or 19 digits since 1970, and the same in all rows"},
    {"a time of k6 that is too late",
     {},
     k6 + "http_reqs,9999999999,1\n",
     "t:2:11: \"9999999999\" is no time; allowed: RFC 3339 from 1970 to 2115, or 10, 13, 16 or 19 digits since 1970, "
     "and the same in all rows"},
    {"a duration that is none",
     {},
     k6 + "http_req_duration,1772820000,long\n",
     "t:2:30: \"long\" is no duration in milliseconds; allowed: a number from 0 on, e.g. 221.899"},
    {"a duration from before 1970",
     {},
     k6 + "http_req_duration,1000000000,1000000000001\n",
     "t:2:30: \"1000000000001\" is more milliseconds than there are from 1970 to its timestamp: the request "
     "would have begun before 1970"},
    {"k6 without durations",
     {},
     k6 + "http_reqs,1772820000,1\n",
     "t:2:1: has no row of http_req_duration, which says when a request began"},
    {"k6 without a column",
     {},
     "metric_name,time\n",
     "t:1:1: the header has no column timestamp; k6 writes metric_name,timestamp,metric_value and more"},
    {"no Azure table",
     {},
     "HashOwner,HashApp,HashFunction,Trigger,1,3\n",
     "t:1:42: \"3\" stands where the header has 2; allowed: HashOwner,HashApp,HashFunction,Trigger,1,2,... with a column for each minute"},
    {"invocations that are none",
     {.file = "t", .trigger = "http"},
     "HashOwner,HashApp,HashFunction,Trigger,1\na,b,c,timer,?\n",
     "t:2:13: \"?\" is no number of invocations; allowed: a number from 0 to 1000000000, e.g. 12 or 0.5"},
    {"a comment in a tool's file", {}, k6 + "# end\n", "t:2:1: has 1 cell; the header has 3"},
    {"an unknown format",
     {},
     "when,what\n",
     "t:1:1: begins no format that is known: counts, times, azure_functions_2019, hey_csv, vegeta_json, "
     "vegeta_csv, k6_csv; `format` names one, docs/traces.md shows each"},
  });
}

TEST(BadTraces, ShowTwentyMalformedLinesAndCountTheOthers) {
  std::string text = "requests_per_second\n1\n";
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    text += "?\n";
    expected +=
      "t:" + std::to_string(i + 3)
      + ":1: \"?\" is no number of requests; allowed: a number from 0 to 1000000000, e.g. "
        "12 or 0.5\n";
  }
  EXPECT_EQ(read_trace_text(text).result + "\n", expected);
  EXPECT_EQ(read_trace_text(text + "?\n").result,
            expected + "t:23:1: and 1 more malformed line of 23");
  std::string many(400'000, 'x');
  for (std::size_t i = 1; i < many.size(); i += 2)
    many[i] = '\n';
  const auto found = read_trace_text(text + many);
  EXPECT_EQ(found.result, expected + "t:200022:1: and 200000 more malformed lines of 200022");
  EXPECT_EQ(found.reading.lines.malformed, 200'020u);
}

TEST(BadTraces, WithALineTooLongAreRefusedWithoutHoldingIt) {
  const auto found =
    read_trace_text("requests_per_second\n1\n" + std::string(max_trace_line + 1, '1') + "\n2\n");
  EXPECT_EQ(found.result, "t:3:1: is longer than 16 MiB, the most a line may have");
  EXPECT_EQ(found.reading.lines.used, 2u);
}

// Whatever the bytes, each line is counted once, and there is traffic or a problem.
TEST(BadTraces, EachLineIsCountedOrReportedWhateverTheBytes) {
  std::vector<std::string> good{
    "# x\nseconds,requests\n0,1\n1,2\n2,0.5\n\n",
    "time\n2026-03-06T18:00:00Z\n2026-03-06T18:00:00.5+01:00\n1772820000\n",
  };
  for (const auto* name :
       {"hey.csv", "vegeta.json", "vegeta.csv", "k6.csv", "k6_milli.csv", "azure.csv"}) {
    std::ifstream in{SPILLOVER_SOURCE_DIR "/tests/scenario/traces/" + std::string{name}};
    good.emplace_back(std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{});
    ASSERT_FALSE(good.back().empty()) << name;
  }
  constexpr std::string_view meaningful = ",,\"\"\n\n\r. -019eTZ{}:#\x80\xff\x01";
  random_stream random{1, "traces"};
  int clean = 0;
  for (int i = 0; i < 8'000; ++i) {
    auto text = good[random.below(good.size())];
    for (auto changes = random.below(4); changes > 0; --changes) {
      const auto byte = meaningful[random.below(meaningful.size())];
      const auto position = random.below(text.size());
      if (random.below(2) == 0)
        text[position] = byte;
      else
        text.insert(position, 1, byte);
    }
    problem_list problems{"s"};
    std::istringstream in{text};
    const auto found = parse_trace(in, {}, problems.add_file("t"), problems);
    const auto& lines = found.lines;
    ASSERT_EQ(lines.all, lines.head + lines.used + lines.other + lines.empty + lines.malformed)
      << text;
    ASSERT_EQ(found.traffic == nullptr, !problems.empty()) << text;
    ASSERT_TRUE(lines.malformed == 0 || !problems.empty()) << text;
    clean += found.traffic != nullptr ? 1 : 0;
    for (const auto& x : problems.take()) {
      ASSERT_EQ(x.file, "t") << text;
      ASSERT_GE(x.line, 1u) << text;
      ASSERT_LE(x.line, lines.all + 1) << text;
      for (const auto y : x.message)
        ASSERT_TRUE(y >= 0x20 && y < 0x7f) << text;
    }
  }
  EXPECT_GT(clean, 2'000);
  EXPECT_LT(clean, 7'600);
}

} // namespace
} // namespace spillover::test
