#include "tests/scenario/trace_text.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace spillover::test {

namespace {

using namespace std::chrono_literals;

std::string vector_of(const std::string& name) {
  std::ifstream in{SPILLOVER_SOURCE_DIR "/tests/scenario/traces/" + name, std::ios::binary};
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>{in}, {}};
}

TEST(ParseTrace, ReadsWhatToolsWrite) {
  const struct {
    const char* why = "";
    const char* file = "";
    trace_format format = trace_format::counts;
    const char* expected = "";
  } cases[] = {
    {"offsets, in the order of the answers, from the first request", "hey.csv",
     trace_format::hey_csv, "at 0s 100us 39900us 41300us 1062100us"},
    {"times with zones and nanoseconds, failed requests too", "vegeta.json",
     trace_format::vegeta_json, "at 0s 250000877ns 30499999877ns"},
    {"the same results", "vegeta.csv", trace_format::vegeta_csv, "at 0s 250000877ns 30499999877ns"},
    // 0.5 - 0.221899, 2.5 - 0.085 and 2.5 - 1.7 s.
    {"seconds of the ends, less the durations", "k6.csv", trace_format::k6_csv, "each 1s 2 0 1"},
    // 500 - 221.899, 525 - 300 and 2000 - 85 ms.
    {"milliseconds", "k6_milli.csv", trace_format::k6_csv, "at 0s 53101us 1690ms"},
    {"all functions of a day's first minutes", "azure.csv", trace_format::azure_functions_2019,
     "each 1m 9 41 13 10 0 0"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto found = read_trace_text(vector_of(x.file));
    EXPECT_EQ(found.result, x.expected);
    EXPECT_EQ(found.reading.format, x.format);
    // Named, it is read in the same way.
    EXPECT_EQ(read_trace_text(vector_of(x.file), {.file = "t", .format = x.format}).result,
              x.expected);
  }
}

TEST(ParseTrace, TellsFormatsByWholeCells) {
  const struct {
    const char* why = "";
    const char* text = "";
    trace_format format = trace_format::counts;
  } cases[] = {
    {"a URL that ends in requests",
     "1772820000000000123,200,1,0,0,,,a,0,GET,http://h/requests,requests\n",
     trace_format::vegeta_csv},
    {"a column that ends in requests", "time,all_requests\n0,1\n", trace_format::times},
    {"quotes and blanks", "time , \"requests\"\n0,1\n1,1\n", trace_format::counts},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto found = read_trace_text(x.text).reading;
    EXPECT_TRUE(found.traffic);
    EXPECT_EQ(found.format, x.format);
  }
}

TEST(ParseTrace, ChoosesFunctionsByWhatTheirNamesBeginWith) {
  const auto text = vector_of("azure.csv");
  // Cells of the second row of functions.
  const auto row = text.substr(text.find('\n') + 1);
  const struct {
    const char* why = "";
    trace_source how = {};
    const char* expected = "";
  } cases[] = {
    {"by trigger", {.file = "t", .trigger = "http"}, "each 1m 3 40 12 9 0 0"},
    {"by the beginning of the owner",
     {.file = "t", .owner = row.substr(0, 8)},
     "each 1m 4 1 13 8 0 0"},
    {"by both",
     {.file = "t", .owner = row.substr(0, 8), .trigger = "timer"},
     "each 1m 1 1 1 1 0 0"},
    {"by app", {.file = "t", .app = row.substr(65, 8)}, "each 1m 4 1 13 8 0 0"},
    {"by function", {.file = "t", .function = row.substr(130, 64)}, "each 1m 3 0 12 7 0 0"},
    {"none",
     {.file = "t", .trigger = "orchestration"},
     "t:5:1: none of its 4 rows begins with what owner, app, function and trigger say"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(read_trace_text(text, x.how).result, x.expected);
  }
}

TEST(ParseTrace, ReadsCountsOfBuckets) {
  const struct {
    const char* why = "";
    trace_source how = {};
    const char* text = "";
    const char* expected = "";
  } cases[] = {
    {"seconds without times", {}, "requests_per_second\n10\n0\n2.5\n", "each 1s 10 0 2.5"},
    {"minutes without times", {}, "requests_per_minute\n60\n", "each 1m 60"},
    {"a bucket of any length", {.file = "t", .bucket = 15s}, "requests\n60\n1", "each 15s 60 1"},
    {"a rate over longer buckets",
     {.file = "t", .bucket = 1min},
     "requests_per_second\n2\n",
     "each 1m 120"},
    {"a rate by the minute over shorter ones",
     {.file = "t", .bucket = 30s},
     "requests_per_minute\n60\n",
     "each 30s 30"},
    {"the step of the times", {}, "minutes,requests\n5,1\n6,2\n7,3\n", "each 1m 1 2 3"},
    {"times of the day",
     {},
     "time,requests\n2026-03-06T18:00:00Z,7\n2026-03-06T19:05:00+01:00,8\n",
     "each 5m 7 8"},
    {"seconds since 1970, and fractions",
     {},
     "time,requests\n1772820000.0,1\n1772820000.5,2\n",
     "each 500ms 1 2"},
    {"buckets without a row", {}, "seconds,requests\n0,1\n10,2\n40,5\n", "each 10s 1 2 0 0 5"},
    {"a bucket that is said",
     {.file = "t", .bucket = 5s},
     "seconds,requests\n0,1\n10,2\n",
     "each 5s 1 0 2"},
    {"a column of another name",
     {.file = "t", .column = "value"},
     "time,host,value\n0,a,3\n1,b,4\n",
     "each 1s 3 4"},
    {"a rate of another name",
     {.file = "t", .bucket = 10s, .column = "rate_per_second"},
     "rate_per_second\n4\n",
     "each 10s 40"},
    {"comments, quotes, blanks, ends of lines of other systems, and empty lines at the end",
     {},
     "# a Friday\r\n\"seconds\" , requests\r\n0,\"1\"\r\n# more\r\n1 , 2\r\n\r\n\r\n",
     "each 1s 1 2"},
    {"a byte order mark", {}, "\xef\xbb\xbfrequests_per_second\n1\n", "each 1s 1"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(read_trace_text(x.text, x.how).result, x.expected);
  }
}

TEST(ParseTrace, ReadsTimesOfArrivals) {
  const struct {
    const char* why = "";
    const char* text = "";
    const char* expected = "";
  } cases[] = {
    {"from 0, as they stand", "seconds\n1.5\n2\n2\n", "at 1500ms 2s 2s"},
    {"in any order", "milliseconds\n20\n10.25\n", "at 10250us 20ms"},
    {"digits below a nanosecond are cut off", "seconds\n0.1234567899\n", "at 123456789ns"},
    {"minutes", "minutes\n0.5\n", "at 30s"},
    {"microseconds and nanoseconds", "microseconds\n7\n", "at 7us"},
    {"since 1970, from the first one", "time\n1772820000.25\n1772820001\n", "at 0s 750ms"},
    {"times of the day, from the first one",
     "timestamp,path\n2026-03-06T18:00:01Z,/a\n2026-03-06T18:00:00.5Z,/b\n", "at 0s 500ms"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(read_trace_text(x.text).result, x.expected);
  }
}

TEST(ParseTrace, SaysHowItUnderstoodALine) {
  using remarks = std::vector<std::string>;
  EXPECT_EQ(read_trace_text("seconds\n2\n1\n").reading.remarks,
            remarks{"the arrivals are not in order of time in the file, and were sorted"});
  EXPECT_EQ(read_trace_text("seconds\n1\n2\n").reading.remarks, remarks{});
  EXPECT_EQ(read_trace_text("seconds,requests\n0,1\n1,1\n5,1\n").reading.remarks,
            remarks{"3 buckets have no row and count as 0"});
  const auto both =
    read_trace_text("requests_per_second,requests\n1,60\n", {.file = "t", .bucket = 1min});
  EXPECT_EQ(both.result, "each 1m 60");
  EXPECT_EQ(both.reading.remarks,
            remarks{"the column requests_per_second is left aside; `column` can name it"});
  const auto k6 = read_trace_text(vector_of("k6.csv")).reading;
  ASSERT_EQ(k6.remarks.size(), 2u);
  EXPECT_EQ(k6.remarks[0], "5 rows are of other metrics than http_req_duration");
  EXPECT_EQ(k6.lines.all, 9u);
  EXPECT_EQ(k6.lines.head, 1u);
  EXPECT_EQ(k6.lines.used, 3u);
  EXPECT_EQ(k6.lines.other, 5u);
}

TEST(WriteTrace, WritesWhatIsReadBackToTheSame) {
  const recorded_traffic traffics[] = {
    recorded_traffic::of_counts(90s, {0, 0.1, 1.0 / 3, 1e9, 12}),
    recorded_traffic::of_arrivals({5, 0, 1'000'000'007, max_recorded_time.count() - 1}),
  };
  for (const auto& x : traffics) {
    std::ostringstream out;
    trace_source how;
    how.format = write_trace(out, x);
    if (!x.has_arrivals())
      how.bucket = x.bucket();
    const auto again = read_trace_text(out.str(), how).reading;
    ASSERT_TRUE(again.traffic);
    EXPECT_TRUE(*again.traffic == x);
    EXPECT_EQ(again.traffic->digest(), x.digest());
  }
}

} // namespace
} // namespace spillover::test
