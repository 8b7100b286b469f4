#include "scenario/lint.hpp"
#include "scenario/trace_file.hpp"
#include "scenario/write_trace.hpp"
#include "tests/scenario/sample.hpp"
#include "tests/support/run_program.hpp"

namespace spillover::test {

namespace {

using namespace std::chrono_literals;

// The sample whose open loop is a trace, in a folder with a file of counts and one of arrivals.
class Traces : public testing::Test {
protected:
  Traces() {
    write("counts.csv", "minutes,requests,hits\n0,60,1\n1,120,2\n2,30,3\n");
    write("more/counts.csv", "requests_per_second\n1\n2\n");
    write("times.csv", "seconds\n0\n1.5\n4\n");
    write("azure.csv",
          "HashOwner,HashApp,HashFunction,Trigger,1,2\na,b,c,http,3,4\na,b,d,timer,1,1\n");
  }

  void write(const std::string& name, std::string_view content) const {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    write_file(folder_.path() / name, content);
  }

  [[nodiscard]] outcome_of_load parsed(std::string_view text) const {
    return parse_scenario(text, "s", folder_.path());
  }

  // With what stands under `trace`.
  static std::string with(const std::string& keys) {
    return edited("- open_loop: {rate: [{at: 0s, rps: 100}, {at: 5m, rps: 200}]}",
                  "- trace: " + keys);
  }

  // The problems; the folder is called F.
  [[nodiscard]] std::string problems(const std::string& keys) const {
    auto result = joined(problems_of(parsed(with(keys))));
    const auto folder = folder_.path().string();
    for (auto at = result.find(folder); at != std::string::npos; at = result.find(folder))
      result.replace(at, folder.size(), "F");
    return result;
  }

  // The trace of a scenario without a problem.
  [[nodiscard]] trace_config trace(const std::string& keys) const {
    const auto found = parsed(with(keys));
    EXPECT_EQ(joined(problems_of(found)), "") << keys;
    const auto* x = std::get_if<scenario>(&found);
    return x == nullptr ? trace_config{} : std::get<trace_config>(x->consumers[0].traffic.at(0));
  }

  temporary_folder folder_;
};

TEST_F(Traces, HaveKeysWithDefaults) {
  const auto plain = trace("{file: counts.csv}");
  trace_config expected;
  expected.source.file = "counts.csv";
  expected.traffic =
    std::make_shared<const recorded_traffic>(recorded_traffic::of_counts(1min, {60, 120, 30}));
  EXPECT_TRUE(plain == expected);
  const auto all =
    trace("{file: counts.csv, format: counts, bucket: 30s, column: hits, at: 10s, scale: 20, "
          "warp: 0.5, from: 15s, to: 2m, arrivals: uniform, repeat: true}");
  expected.source = {
    .file = "counts.csv", .format = trace_format::counts, .bucket = 30s, .column = "hits"};
  expected.traffic =
    std::make_shared<const recorded_traffic>(recorded_traffic::of_counts(30s, {1, 0, 2, 0, 3}));
  expected.at = run_start + 10s;
  expected.scale = 20;
  expected.warp = 0.5;
  expected.from = 15s;
  expected.to = 2min;
  expected.arrivals = arrival_process::uniform;
  expected.repeat = true;
  EXPECT_TRUE(all == expected);
  EXPECT_EQ(
    trace("{file: azure.csv, function: c, owner: a, app: b, trigger: ht}").traffic->counts()[1], 4);
}

TEST_F(Traces, AreWrittenAsTheyAreRead) {
  for (
    const auto* keys :
    {"{file: counts.csv}", "{file: times.csv, scale: 1.25, repeat: true, arrivals: uniform}",
     "{file: counts.csv, format: counts, bucket: 30s, column: hits, at: 10s, scale: 20, from: 15s, to: 2m}",
     "{file: azure.csv, owner: a, app: b, function: c, trigger: http, warp: 3}"}) {
    const auto first = std::get<scenario>(parsed(with(keys)));
    const auto text = to_yaml(first);
    const auto again = parsed(text);
    ASSERT_EQ(joined(problems_of(again)), "") << text;
    EXPECT_TRUE(std::get<scenario>(again) == first) << text;
    EXPECT_EQ(to_yaml(std::get<scenario>(again)), text);
  }
}

TEST_F(Traces, AreRefusedWithTheirPlace) {
  write("bad.csv", "requests_per_second\n1\nx\n");
  std::filesystem::create_directory(folder_.path() / "folder.csv");
  std::filesystem::create_symlink("/dev/zero", folder_.path() / "endless.csv");
  const struct {
    const char* why = "";
    const char* keys = "";
    const char* expected = "";
  } cases[] = {
    {"no file", "{scale: 2}", "s:30:16: trace: the key file is missing"},
    {"not there", "{file: none.csv}", "s:30:23: file: F/none.csv: no such file"},
    {"a folder", "{file: folder.csv}",
     "s:30:23: file: F/folder.csv: is a directory; a trace is a file"},
    {"a device", "{file: endless.csv}", "s:30:23: file: F/endless.csv is no regular file"},
    {"out of the folder", "{file: ../x.csv}",
     "s:30:23: file: \"../x.csv\" must not leave the scenario's folder by .."},
    {"an absolute path", "{file: /etc/passwd}",
     "s:30:23: file: \"/etc/passwd\" must be relative to the scenario's folder"},
    {"a malformed line", "{file: bad.csv}",
     "F/bad.csv:3:1: \"x\" is no number of requests; allowed: a number from 0 to 1000000000, e.g. 12 or 0.5"},
    {"another digest", "{file: times.csv, digest: 0123456789abcdef}",
     "s:30:42: digest: the file holds other traffic now, of digest 30145e6428513647; bring the file back, "
     "or take the key away"},
    {"keys of another format", "{file: times.csv, bucket: 1s, trigger: http}",
     "s:30:42: bucket: has a meaning with format counts alone; this is times\n"
     "s:30:55: trigger: has a meaning with format azure_functions_2019 alone; this is times"},
    {"an empty part", "{file: times.csv, from: 2s, to: 1s}",
     "s:30:48: to: must be after from (2s); got 1s"},
    {"beyond its end", "{file: times.csv, from: 7s}",
     "s:30:40: from: must be within the trace, which lasts 6s"},
    {"a bucket of no length", "{file: counts.csv, bucket: 0s}",
     "s:30:43: bucket: must be at least 1ms; got 0s"},
    {"a bucket too short", "{file: counts.csv, bucket: 1ns}",
     "s:30:43: bucket: must be at least 1ms; got 1ns"},
    {"a bucket too long", "{file: counts.csv, bucket: 48h}",
     "s:30:43: bucket: must be at most 24h; got 48h"},
    {"in 285 years", "{file: counts.csv, at: 2500000h}",
     "s:30:39: at: must be at most 8760h; got 2500000h"},
    {"nothing to play", "{file: times.csv, scale: 0.1}",
     "s:30:41: scale: less than one request is expected of what is played"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(problems(x.keys), x.expected);
  }
  EXPECT_NE(joined(problems_of(parse_scenario(with("{file: counts.csv}"), "s")))
              .find("s:30:23: file: only a scenario that is a file can name another"),
            std::string::npos);
}

TEST_F(Traces, OfOneFileAreReadAndReportedOnce) {
  write("bad.csv", "requests_per_second\nx\n");
  const auto twice = [](const std::string& file) {
    return with("{file: " + file + "}\n      - trace: {file: " + file + ", scale: 2}");
  };
  EXPECT_EQ(problems_of(parsed(twice("bad.csv"))).size(), 1u);
  const auto x = std::get<scenario>(parsed(twice("counts.csv")));
  const auto& traffic = x.consumers[0].traffic;
  EXPECT_EQ(std::get<trace_config>(traffic[0]).traffic, std::get<trace_config>(traffic[1]).traffic);
}

TEST_F(Traces, CanBeTakenAlong) {
  const auto read = std::get<scenario>(parsed(
    with("{file: counts.csv, column: hits}\n      - trace: {file: more/counts.csv, scale: 3}\n"
         "      - trace: {file: counts.csv, column: hits, scale: 2}\n"
         "      - trace: {file: times.csv, at: 5s}")));
  auto own = read;
  temporary_folder other;
  std::string names;
  for (const auto& x : own_traces(own)) {
    names += x.file + " ";
    std::filesystem::create_directories((other.path() / x.file).parent_path());
    std::ofstream out{other.path() / x.file};
    write_trace(out, *x.traffic);
  }
  // Two files of one name, and one that is played twice.
  EXPECT_EQ(names,
            "scenario_traces/counts.csv scenario_traces/counts-2.csv scenario_traces/times.csv ");
  const auto text = to_yaml(own);
  const auto again = parse_scenario(text, "s", other.path());
  ASSERT_EQ(joined(problems_of(again)), "");
  EXPECT_TRUE(std::get<scenario>(again) == own);
  // All that is played is as it was.
  for (std::size_t i = 0; i < own.consumers[0].traffic.size(); ++i)
    if (const auto* before = std::get_if<trace_config>(&read.consumers[0].traffic[i])) {
      auto x = std::get<trace_config>(own.consumers[0].traffic[i]);
      x.source = before->source;
      EXPECT_TRUE(x == *before);
    }
  auto third = std::get<scenario>(again);
  own_traces(third);
  EXPECT_EQ(to_yaml(third), text);
}

TEST_F(Traces, AreDescribed) {
  using lines = std::vector<std::string>;
  EXPECT_EQ(
    describe(trace("{file: counts.csv, at: 1m, scale: 2, warp: 3, from: 30s}"), 10min),
    (lines{"trace counts.csv: 210 requests in 3m, counted in buckets of 1m",
           "  plays 30s to 3m from 1m to 110s of the run: 360 requests, peak 12 a second at 70s"}));
  EXPECT_EQ(describe(trace("{file: times.csv, at: 5m, repeat: true}"), 10min),
            (lines{"trace times.csv: 3 requests in 6s, each at its time",
                   "  plays 0s to 6s from 5m again and again, each time to 6s later of the run: 3 "
                   "requests, peak 1 a second at 5m"}));
  // Longer than a time can be.
  write("long.csv", "seconds\n0\n31000000\n");
  EXPECT_EQ(describe(trace("{file: long.csv, warp: 0.001, at: 1m}"), 10min).back(),
            "  the run ends before, at 10m");
  EXPECT_EQ(describe(trace("{file: counts.csv, at: 9m}"), 10min).back(),
            "  the run ends before, at 10m");
}

TEST_F(Traces, ThatBeginAfterTheEndAreALint) {
  const auto text = with("{file: counts.csv, at: 10m}");
  const auto x = std::get<scenario>(parsed(text));
  std::string found;
  for (const auto& y : locate(lints(x), text, "s", folder_.path()))
    if (const auto line = to_string(y); line.find("load-beyond-end") != std::string::npos)
      found += line;
  EXPECT_EQ(
    found,
    "s:30:39: lint: shop: the trace begins at 10m, and the run ends at 10m: nothing of it is "
    "played; let it begin earlier [load-beyond-end: duration]");
}

} // namespace
} // namespace spillover::test
