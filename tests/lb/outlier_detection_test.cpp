#include "lb/outlier_detection.hpp"

#include "tests/lb/detector_script.hpp"

#include <set>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::detector_script;

struct script_case {
  const char* why = "";
  outlier_detection_config config = {};
  std::uint32_t hosts = 2;
  const char* words = "";
  const char* expected = "";
};

void expect_each(std::initializer_list<script_case> cases) {
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ((detector_script{x.config, x.hosts}.run(x.words)), x.expected);
  }
}

TEST(OutlierDetection, GB_29_FiveErrorsOfOneOfTwoHosts) {
  detector_script x{{}, 2};
  EXPECT_EQ(x.run("@1 a5*4"), "");
  EXPECT_EQ(x.run("a5"), "1s -a consecutive_5xx until 31s\n");
  EXPECT_EQ(x.run("@39.999"), "") << "not before the next sweep after its time";
  EXPECT_EQ(x.run("@40"), "40s +a\n");
  EXPECT_EQ(x.run("@41 a5*5"), "41s -a consecutive_5xx until 101s\n") << "60 s the next time";
  EXPECT_EQ(x.run("@109.999"), "");
  EXPECT_EQ(x.run("@110"), "110s +a\n");
}

TEST(OutlierDetection, CountsErrorsInARow) {
  outlier_detection_config gateway;
  gateway.consecutive_gateway_failure = 3;
  gateway.enforcing_consecutive_gateway_failure = 100;
  outlier_detection_config off;
  off.enforcing_consecutive_5xx = 0;
  outlier_detection_config never_found;
  never_found.consecutive_5xx = 0;
  expect_each({
    {"B-45: a success begins anew", {}, 2, "a5*4 a. a5*4", ""},
    {"429 is no error of the region", {}, 2, "a5*4 a4 a5*4", ""},
    {"every 5xx counts", {}, 2, "a5 a2 a3 ag a5", "0s -a consecutive_5xx until 30s\n"},
    {"hosts are counted apart", {}, 2, "a5*4 b5*4 b. a5", "0s -a consecutive_5xx until 30s\n"},
    {"no answer in time counts as 504, a lost connection as 503",
     {},
     2,
     "at*4 al",
     "0s -a consecutive_5xx until 30s\n"},
    {"a client that gave up says nothing",
     {},
     2,
     "a5*4 ac a5",
     "0s -a consecutive_5xx until 30s\n"},
    {"gateway errors have a count of their own", gateway, 2, "a2 a3 ag",
     "0s -a consecutive_gateway_failure until 30s\n"},
    {"which a 500 ends", gateway, 2, "a2 a3 a5 ag", ""},
    {"while the other one goes on", gateway, 2, "a2 a3 a5 ag a5",
     "0s -a consecutive_5xx until 30s\n"},
    {"enforcement 0 ejects nothing and tells nothing", off, 2, "a5*50", ""},
    {"threshold 0 is never reached", never_found, 2, "a5*50", ""},
  });
}

TEST(OutlierDetection, CountsTriesWithoutAnswerApartWhenAsked) {
  outlier_detection_config split;
  split.split_external_local_origin_errors = true;
  split.consecutive_local_origin_failure = 3;
  expect_each({
    {"three without an answer", split, 2, "at at al",
     "0s -a consecutive_local_origin_failure until 30s\n"},
    {"any answer begins anew, an error too", split, 2, "at at a5 at at", ""},
    {"they are no errors in a row", split, 2, "a5*4 at a. at at", ""},
    {"nor do they end a row of errors", split, 2, "a5*4 at a5",
     "0s -a consecutive_5xx until 30s\n"},
  });
}

TEST(OutlierDetection, EjectsNoMoreThanTheCapLetsIt) {
  outlier_detection_config half;
  half.max_ejection_percent = 50;
  outlier_detection_config none;
  none.always_eject_one_host = false;
  outlier_detection_config third = none;
  third.max_ejection_percent = 34;
  outlier_detection_config fifth;
  fifth.max_ejection_percent = 20;
  const auto* const two = "0s -a consecutive_5xx until 30s\n0s -b consecutive_5xx until 30s\n";
  expect_each({
    {"one whatever the cap", {}, 2, "a5*5", "0s -a consecutive_5xx until 30s\n"},
    {"but not a second one",
     {},
     2,
     "a5*5 b5*5",
     "0s -a consecutive_5xx until 30s\n"
     "0s ~b max_ejection_percent 10 of 2 allows 1 ejected at a time\n"},
    {"10 % of 2 is none", none, 2, "a5*5",
     "0s ~a max_ejection_percent 10 of 2 allows 0 ejected at a time\n"},
    {"10 % of 10 is one", none, 10, "a5*5", "0s -a consecutive_5xx until 30s\n"},
    {"34 % of 3 is one, 33 % were none", third, 3, "a5*5", "0s -a consecutive_5xx until 30s\n"},
    {"half of 4", half, 4, "a5*5 b5*5 c5*5",
     "0s -a consecutive_5xx until 30s\n0s -b consecutive_5xx until 30s\n"
     "0s ~c max_ejection_percent 50 of 4 allows 2 ejected at a time\n"},
    {"what is spared is told once an interval",
     {},
     2,
     "a5*5 b5*50 @10 b5*50",
     "0s -a consecutive_5xx until 30s\n"
     "0s ~b max_ejection_percent 10 of 2 allows 1 ejected at a time\n"
     "10s ~b max_ejection_percent 10 of 2 allows 1 ejected at a time\n"},
    {"C69: five of ten fail, and a fifth may go", fifth, 10, "a5*5 b5*5", two},
    {"C69: the third stays in use", fifth, 10, "a5*5 b5*5 c5*5",
     "0s -a consecutive_5xx until 30s\n0s -b consecutive_5xx until 30s\n"
     "0s ~c max_ejection_percent 20 of 10 allows 2 ejected at a time\n"},
  });
  EXPECT_EQ(half.most_ejected(10), 5u) << "C69: with 50 % all five";
}

TEST(OutlierDetection, LastsLongerEachTimeUpToALimit) {
  detector_script x{{}, 2};
  std::string times;
  auto at = 1s;
  for (int i = 0; i < 12; ++i) {
    x.run("@" + std::to_string(at.count()) + " a5*5");
    const auto until = x.last().until - run_start;
    times += to_string(until - at) + " ";
    // A second after the sweep that takes it back.
    at = std::chrono::ceil<std::chrono::seconds>(until / 10) * 10 + 1s;
  }
  EXPECT_EQ(times, "30s 1m 90s 2m 150s 3m 210s 4m 270s 5m 5m 5m ") << "at most 300 s";
}

TEST(OutlierDetection, HealthySweepsLowerTheMultiplier) {
  const auto* const first = "@1 a5*5 @41 a5*5"; // until 101 s, back at 110 s, multiplier 2
  struct {
    const char* why = "";
    const char* then = "";
    const char* expected = "";
  } const cases[] = {
    {"the sweep that takes it back lowers nothing", "@111 a5*5", "until 201s"},
    {"one healthy sweep", "@121 a5*5", "until 181s"},
    {"two", "@131 a5*5", "until 161s"},
    {"it stays at none", "@151 a5*5", "until 181s"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    detector_script script{{}, 2};
    script.run(first);
    const auto log = script.run(x.then);
    EXPECT_NE(log.find(x.expected), std::string::npos) << log;
  }
}

TEST(OutlierDetection, CountsAnewAfterAReturn) {
  detector_script x{{}, 2};
  x.run("@1 a5*5");
  EXPECT_EQ(x.run("a5*7"), "") << "failing open sends there all the same, and finds nothing";
  EXPECT_EQ(x.run("@40 a5*4"), "40s +a\n");
  EXPECT_EQ(x.run("a5"), "40s -a consecutive_5xx until 100s\n");
}

outlier_detection_config by_rate() {
  outlier_detection_config x;
  x.consecutive_5xx = 0;
  return x;
}

TEST(OutlierDetection, B_46_EjectsASuccessRateBelowTheOthers) {
  auto at_the_threshold = by_rate();
  at_the_threshold.success_rate_stdev_factor = 2000;
  auto unenforced = by_rate();
  unenforced.enforcing_success_rate = 0;
  const auto* const envoys = "a.5*50 b.*100 c.*100 d.*100 e.*100 @10"; // 50, 100, 100, 100, 100 %
  expect_each({
    {"Envoy's example: mean 90, deviation 20, threshold 52", by_rate(), 5, envoys,
     "10s -a success_rate until 40s\n"},
    {"at the threshold is not below it", at_the_threshold, 5, envoys, ""},
    {"not enforced", unenforced, 5, envoys, ""},
    {"99 requests are too few", by_rate(), 5, "a.5*49 a5 b.*100 c.*100 d.*100 e.*100 @10", ""},
    {"four hosts are too few", by_rate(), 4, "a.5*50 b.*100 c.*100 d.*100 @10", ""},
    {"four with enough requests are too few", by_rate(), 5, "a.5*50 b.*100 c.*100 d.*100 @10", ""},
    {"all alike", by_rate(), 5, "a.5*50 b.5*50 c.5*50 d.5*50 e.5*50 @10", ""},
    {"each interval for itself", by_rate(), 5,
     "a.5*25 b.*50 c.*50 d.*50 e.*50 @10 a.5*25 b.*50 "
     "c.*50 d.*50 e.*50 @20",
     ""},
  });
}

TEST(OutlierDetection, B_46_TellsTheNumbersThatWentIn) {
  detector_script x{by_rate(), 5};
  x.run("a.5*50 b.*100 c.*100 d.*100 e.*100 @10");
  using numbers = std::vector<std::pair<std::string, std::int64_t>>;
  EXPECT_EQ(x.last().inputs, (numbers{{"requests", 100},
                                      {"success_rate_milli", 50'000},
                                      {"mean_milli", 90'000},
                                      {"stdev_milli", 20'000},
                                      {"threshold_milli", 52'000},
                                      {"compared", 5},
                                      {"ejected", 0},
                                      {"regions", 5},
                                      {"most_ejected", 1},
                                      {"multiplier", 1},
                                      {"base_ejection_time_ns", 30'000'000'000},
                                      {"max_ejection_time_ns", 300'000'000'000},
                                      {"jitter_ns", 0}}));
}

TEST(OutlierDetection, EjectsAHighFailurePercentage) {
  auto percentage = by_rate();
  percentage.enforcing_success_rate = 0;
  percentage.enforcing_failure_percentage = 100;
  percentage.failure_percentage_minimum_hosts = 2;
  auto split = percentage;
  split.split_external_local_origin_errors = true;
  split.consecutive_local_origin_failure = 0;
  split.enforcing_local_origin_success_rate = 0;
  split.enforcing_failure_percentage_local_origin = 100;
  auto both = percentage;
  both.enforcing_success_rate = 100;
  expect_each({
    {"85 % are enough", percentage, 2, "a.*15 a5*85 b.*50 @10",
     "10s -a failure_percentage until 40s\n"},
    {"84 % are not", percentage, 2, "a.*16 a5*84 b.*50 @10", ""},
    {"49 requests are too few", percentage, 2, "a5*49 b.*50 @10", ""},
    {"one host is too few", percentage, 2, "a5*50 b.*49 @10", ""},
    {"off unless enforced", by_rate(), 2, "a5*100 b.*100 @10", ""},
    {"tries without an answer, apart", split, 2, "a.*15 at*85 b.*50 @10",
     "10s -a failure_percentage_local_origin until 40s\n"},
    {"an error is an answer", split, 2, "a5*20 at*80 b.*50 @10", ""},
    {"once, although two detectors find it", both, 5, "a5*100 b.*100 c.*100 d.*100 e.*100 @10",
     "10s -a success_rate until 40s\n"},
  });
}

TEST(OutlierDetection, SuccessRatesOfTriesWithoutAnswerAreComparedApart) {
  auto split = by_rate();
  split.split_external_local_origin_errors = true;
  split.consecutive_local_origin_failure = 0;
  expect_each({
    {"half without an answer", split, 5, "a.t*50 b.*100 c.*100 d.*100 e.*100 @10",
     "10s -a success_rate_local_origin until 40s\n"},
  });
}

TEST(OutlierDetection, JitterIsAddedAfterTheLongestTime) {
  outlier_detection_config x;
  x.base_ejection_time = 60s;
  x.max_ejection_time = 60s;
  x.max_ejection_time_jitter = 5s;
  std::set<duration> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    detector_script script{x, 2, seed};
    script.run("a5*5");
    const auto jitter = script.last().until - run_start - 60s;
    EXPECT_GE(jitter, 0s);
    EXPECT_LE(jitter, 5s);
    EXPECT_EQ(jitter % 1ms, 0ms);
    seen.insert(jitter);
  }
  EXPECT_GT(seen.size(), 150u);
  EXPECT_LT(*seen.begin(), 250ms);
  EXPECT_GT(*seen.rbegin(), 4750ms);
}

TEST(OutlierDetection, EnforcementIsAChance) {
  outlier_detection_config x;
  x.enforcing_consecutive_5xx = 30;
  int ejected = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    detector_script script{x, 2, seed};
    const auto log = script.run("a5*5");
    ejected += script.detector().ejected(0) ? 1 : 0;
    EXPECT_TRUE(script.detector().ejected(0)
                || log == "0s ~a enforcing_consecutive_5xx 30 % did not enforce it\n")
      << log;
  }
  // Five standard deviations of 20.5.
  EXPECT_NEAR(ejected, 600, 103);
}

TEST(OutlierDetection, KnowsWhatCanEjectAtAll) {
  const outlier_detection_config usual;
  auto wide = usual;
  wide.success_rate_minimum_hosts = 2;
  auto narrow = wide;
  narrow.success_rate_stdev_factor = 999;
  struct {
    const char* why = "";
    outlier_detection_config config = {};
    ejection_type type = ejection_type::success_rate;
    std::uint32_t hosts = 2;
    bool expected = false;
  } const cases[] = {
    {"errors in a row", usual, ejection_type::consecutive_5xx, 1, true},
    {"gateway errors are not enforced", usual, ejection_type::consecutive_gateway_failure, 9,
     false},
    {"tries without an answer are not counted apart", usual,
     ejection_type::consecutive_local_origin_failure, 9, false},
    {"five hosts", usual, ejection_type::success_rate, 5, true},
    {"four are too few", usual, ejection_type::success_rate, 4, false},
    {"of 2 none is more than 1 deviation below", wide, ejection_type::success_rate, 2, false},
    {"of 4 none is more than 1.73", wide, ejection_type::success_rate, 4, false},
    {"of 5 one may be 2", wide, ejection_type::success_rate, 5, true},
    {"less than 1 deviation of 2", narrow, ejection_type::success_rate, 2, true},
    {"percentages are not enforced", usual, ejection_type::failure_percentage, 9, false},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(x.config.can_eject(x.type, x.hosts), x.expected);
  }
}

TEST(OutlierDetection, B_43_DefaultsAreValidAndProblemsAreNamed) {
  EXPECT_EQ(validate(outlier_detection_config{}), std::vector<std::string>{});
  outlier_detection_config x;
  x.interval = 0s;
  x.max_ejection_time = 20s;
  x.max_ejection_time_jitter = -1s;
  x.max_ejection_percent = 101;
  x.enforcing_local_origin_success_rate = 101;
  x.failure_percentage_threshold = 101;
  EXPECT_EQ(validate(x),
            (std::vector<std::string>{"interval: must be from 1ms to 86400s",
                                      "max_ejection_time_jitter: must be from 0s to 86400s",
                                      "max_ejection_time: must be at least base_ejection_time",
                                      "max_ejection_percent: must be at most 100",
                                      "failure_percentage_threshold: must be at most 100",
                                      "enforcing_local_origin_success_rate: must be at most 100"}));
}

} // namespace
} // namespace spillover
