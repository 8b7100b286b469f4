#include "producers/autoscaling/config.hpp"
#include "tests/support/problem_fields.hpp"

#include <gtest/gtest.h>

namespace spillover {
namespace {

using namespace std::chrono_literals;

TEST(Tolerance10, AnswersTheGoldenChecks) {
  struct {
    const char* why;
    double usage;
    double capacity;
    double target;
    std::uint32_t recommended;
    bool dead_band;
    std::uint32_t expected;
  } const cases[] = {
    {"GA-1: a need of 4.1 from 3 (82 %)", 2.46, 1, 0.6, 3, true, 5},
    {"GA-2: a need of 4.1 from 5 (49.2 %)", 2.46, 1, 0.6, 5, true, 5},
    {"GA-3: a need of 4.1 from 4 (61.5 %) is inside the band", 2.46, 1, 0.6, 4, true, 4},
    {"A-19: the literal formula has no band", 2.46, 1, 0.6, 4, false, 5},
    {"GA-4: 54 % is inside", 5.4, 1, 0.6, 10, true, 10},
    {"GA-4: 60 % is inside", 6.0, 1, 0.6, 10, true, 10},
    {"GA-4: 66 % is inside", 6.6, 1, 0.6, 10, true, 10},
    {"GA-5: 53.9 % is below", 5.39, 1, 0.6, 10, true, 9},
    {"GA-5: 66.1 % is above", 6.61, 1, 0.6, 10, true, 12},
    {"GA-5: 70 %", 7.0, 1, 0.6, 10, true, 12},
    {"GA-5: 30 %", 3.0, 1, 0.6, 10, true, 5},
    {"GA-8: the formula at N = 0", 480, 80, 0.6, 0, true, 10},
    {"GA-9: 600 in flight", 600, 80, 0.6, 1, true, 13},
    {"GA-10: 7.2 vCPU on instances of 2", 7.2, 2, 0.6, 1, true, 6},
    {"GA-11: the CPU driver", 3.0, 1, 0.6, 1, true, 5},
    {"GA-11: the concurrency driver", 96, 80, 0.6, 1, true, 2},
    {"GA-13: sidecars count, 1 + 0.5 vCPU", 2.7, 1.5, 0.6, 1, true, 3},
    {"GA-14: a single thread on 4 vCPU (25 %)", 1.0, 4, 0.6, 1, true, 1},
    {"G-2: 4 x 0.9 / 0.6 is 6, not a little more", 4 * 0.9, 1, 0.6, 1, true, 6},
    {"nothing used", 0, 1, 0.6, 7, true, 0},
    {"the least use wants an instance", 1e-6, 1, 0.6, 0, true, 1},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(tolerance10(x.usage, x.capacity, x.target, x.recommended, x.dead_band), x.expected);
  }
}

TEST(Trigger90, AnswersTheGoldenChecks) {
  struct {
    const char* why;
    double usage;
    std::uint32_t recommended;
    std::uint32_t expected;
  } const cases[] = {
    {"GA-6: 61 % is less than full", 2.44, 4, 4},
    {"GA-6: 89 %, too", 3.56, 4, 4},
    {"GA-6: 90 % is full", 3.60, 4, 6},
    {"GA-6: 95 %", 3.80, 4, 7},
    {"GA-7: 55 % needs as many", 2.20, 4, 4},
    {"GA-7: 44 % goes down at once", 1.76, 4, 3},
    {"GA-7: 30 %", 1.20, 4, 2},
    {"G-2: 0.9 of 3 is 2.7, not a little less", 0.3 * 9, 3, 5},
    {"nothing used", 0, 4, 0},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(trigger90(x.usage, 1, 0.6, x.recommended), x.expected);
  }
}

/// An autoscaler and the seconds it has seen.
class CloudRun : public testing::Test {
protected:
  void make(const cloud_run_config& config, double cpu = 1, std::uint32_t concurrency = 80) {
    scaler_ = make_cloud_run(config, cpu, concurrency);
    now_ = run_start;
  }

  void use(std::int64_t seconds, double cpu, double concurrency) {
    for (std::int64_t i = 0; i < seconds; ++i)
      scaler_->observe({now_ += 1s, cpu, concurrency});
  }

  recommendation decide(std::uint32_t recommended, bool busy = true) {
    return scaler_->decide(now_,
                           {.recommended = recommended, .running = recommended, .busy = busy});
  }

  std::unique_ptr<autoscaler> scaler_;
  instant now_ = run_start;
};

TEST_F(CloudRun, GA_9_TheLargerWindowCounts) {
  make({});
  use(540, 0, 655.5555555555555);
  use(60, 0, 100);
  const auto x = decide(1);
  EXPECT_EQ(x.count, 13u);
  EXPECT_EQ(x.driver, "CONCURRENCY");
}

TEST_F(CloudRun, GA_12_TheMeanLimitOfTunedInstancesIsADriver) {
  struct {
    const char* why;
    cloud_run_config config = {};
    double mean_limit = 0;
    std::uint32_t count = 0;
    std::string_view driver = {};
  } const cases[] = {
    {"240 / (20 x 0.6)", {}, 20, 20, "ACT"},
    {"nothing is tuned", {}, 0, 5, "CONCURRENCY"},
    {"no limit fell", {}, 80, 5, "CONCURRENCY"},
    {"an older variant has no such driver",
     {.variant = cloud_run_variant::one_minute},
     20,
     5,
     "CONCURRENCY"},
    {"nor is there one without a target", {.concurrency_target = 0}, 20, 1, "CPU"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    make(x.config);
    for (int i = 0; i < 60; ++i)
      scaler_->observe({now_ += 1s, 0.6, 240, x.mean_limit});
    EXPECT_EQ(decide(1).count, x.count);
    EXPECT_EQ(decide(1).driver, x.driver);
  }
}

TEST_F(CloudRun, GA_11_TheLargerDriverWinsAndIsNamed) {
  make({});
  use(60, 3, 96);
  const auto x = decide(1);
  EXPECT_EQ(x.count, 5u);
  EXPECT_EQ(x.driver, "CPU");
  const std::vector<std::pair<std::string, std::int64_t>> inputs{
    {"n", 1},
    {"cpu_avg60_milli", 3000},
    {"cpu_raw_milli", 5000},
    {"cpu_count", 5},
    {"concurrency_avg60_milli", 96000},
    {"concurrency_avg600_milli", 96000},
    {"concurrency_raw_milli", 2000},
    {"concurrency_count", 2},
    {"cpu_target_milli", 600},
    {"concurrency_target_milli", 600},
    {"cpu_capacity_milli", 1000},
    {"concurrency_limit", 80},
    {"dead_band", 1},
    {"min", 0},
    {"max", 100}};
  EXPECT_EQ(x.inputs, inputs);
}

TEST_F(CloudRun, GA_22_RecommendsLessStepByStepForTenMinutesAfterTheLoadStopped) {
  using steps = std::vector<std::pair<std::int64_t, std::uint32_t>>;
  const steps with_band{{65, 9},  {120, 8}, {180, 7}, {240, 6}, {300, 5},
                        {360, 4}, {420, 3}, {480, 2}, {540, 1}, {600, 0}};
  // At 60 s the utilisation is 54 %, still inside the band.
  auto without = with_band;
  without.front().first = 60;
  const struct {
    cloud_run_variant variant = {};
    steps expected = {};
  } cases[] = {
    {cloud_run_variant::tolerance10, with_band},
    {cloud_run_variant::trigger90, without},
    // a tenth of the load leaves the only window every 6 s.
    {cloud_run_variant::one_minute,
     {{10, 9}, {15, 8}, {20, 7}, {25, 6}, {30, 5}, {40, 4}, {45, 3}, {50, 2}, {55, 1}, {60, 0}}},
  };
  for (const auto& x : cases) {
    make({.variant = x.variant});
    use(600, 0, 480);
    steps changes;
    std::uint32_t n = decide(10).count;
    ASSERT_EQ(n, 10u);
    for (std::int64_t t = 5; t <= 700; t += 5) {
      use(5, 0, 0);
      if (const auto next = decide(n, false).count; next != n)
        changes.emplace_back(t, n = next);
    }
    EXPECT_EQ(changes, x.expected);
  }
}

TEST_F(CloudRun, A_21_EachDriverWaitsForItsOwnTrigger) {
  make({.variant = cloud_run_variant::trigger90});
  use(600, 3.56, 4 * 80 * 0.9);
  const auto x = decide(4);
  EXPECT_EQ(x.count, 6u);
  EXPECT_EQ(x.driver, "CONCURRENCY");
  EXPECT_EQ(x.inputs.at(x.inputs.size() - 3),
            (std::pair<std::string, std::int64_t>{"trigger_milli", 900}));
}

TEST_F(CloudRun, A_22_CustomTargetsBringTheBand) {
  for (const auto variant : {cloud_run_variant::tolerance10, cloud_run_variant::trigger90}) {
    make({.variant = variant, .cpu_target = 0.5});
    use(60, 2.4, 0); // 60 % of 4: above the band of 45 % to 55 %, below the trigger
    EXPECT_EQ(decide(4).count, 5u);
  }
}

TEST_F(CloudRun, A_23_TheOldestHasNeitherBandNorLongWindow) {
  make({.variant = cloud_run_variant::one_minute});
  use(540, 0, 480);
  use(60, 2.46, 0);
  const auto x = decide(4);
  EXPECT_EQ(x.count, 5u) << "61.5 % would be inside the band, and the long window would want 9";
  EXPECT_EQ(x.driver, "CPU");
  for (const auto& [name, value] : x.inputs) {
    EXPECT_EQ(name.find("600"), std::string::npos);
    EXPECT_NE(name, "dead_band");
  }
}

TEST_F(CloudRun, A_8_MeansOverTheSecondsThereWereInTheFirstMinutes) {
  make({});
  use(1, 6, 0);
  EXPECT_EQ(decide(1).count, 10u) << "one second counts wholly";
  use(2, 0, 0);
  EXPECT_EQ(decide(1).count, 4u) << "2 vCPU on average over 3 s: 3.33";
  use(57, 0, 0);
  EXPECT_EQ(decide(10).count, 1u) << "0.1 vCPU over a whole minute";
  use(1, 0, 0);
  EXPECT_EQ(decide(10, false).count, 0u) << "the first second has left the window";
}

TEST_F(CloudRun, A_20_MakesNoMetricDecisionAtZero) {
  make({});
  use(60, 5, 480);
  EXPECT_EQ(decide(0).count, 0u);
  make({.min_instances = 3});
  use(60, 5, 480);
  const auto x = decide(0);
  EXPECT_EQ(x.count, 3u);
  EXPECT_EQ(x.driver, "MIN");
}

TEST_F(CloudRun, A_30_KeepsTheLastInstanceWhileThereIsARequest) {
  make({});
  use(600, 0, 0);
  EXPECT_EQ(decide(1, true).count, 1u);
  EXPECT_EQ(decide(1, false).count, 0u);
  EXPECT_EQ(decide(5, true).count, 1u) << "from more than one, too";
}

TEST_F(CloudRun, A_30_CpuAloneDoesNotKeepTheLastInstance) {
  make({});
  use(600, 0.001, 0);
  EXPECT_EQ(decide(1, false).count, 0u);
  EXPECT_EQ(decide(2, false).count, 1u);
  make({.concurrency_target = 0});
  use(600, 0.001, 0);
  EXPECT_EQ(decide(1, false).count, 1u) << "without the other driver nothing else can tell";
}

TEST_F(CloudRun, A_14_BoundsClampAndAreNamed) {
  struct {
    const char* why;
    double cpu;
    double concurrency;
    std::uint32_t recommended;
    std::uint32_t expected;
    const char* driver;
  } const cases[] = {
    {"below the minimum", 0.5, 0, 4, 2, "MIN"},
    {"at the minimum the driver wins", 1.2, 0, 4, 2, "CPU"},
    {"above the maximum", 60, 0, 4, 5, "MAX"},
    {"at the maximum the driver wins", 3, 0, 4, 5, "CPU"},
    {"concurrency wins", 1.2, 144, 4, 3, "CONCURRENCY"},
    {"of equal ones CPU wins", 1.8, 144, 5, 3, "CPU"},
    {"inside both bands the count stays", 2.4, 192, 4, 4, "CPU"},
    {"a driver in its band may still win", 1.2, 192, 4, 4, "CONCURRENCY"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    make({.min_instances = 2, .max_instances = 5});
    use(60, x.cpu, x.concurrency);
    const auto result = decide(x.recommended);
    EXPECT_EQ(result.count, x.expected);
    EXPECT_EQ(result.driver, x.driver);
  }
}

TEST_F(CloudRun, A_12_ADriverThatIsOffNeitherCountsNorShows) {
  make({.cpu_target = 0});
  use(60, 50, 96);
  const auto x = decide(1);
  EXPECT_EQ(x.count, 2u);
  EXPECT_EQ(x.driver, "CONCURRENCY");
  for (const auto& [name, value] : x.inputs)
    EXPECT_EQ(name.find("cpu"), std::string::npos) << name;
  make({.concurrency_target = 0});
  use(60, 3, 960);
  EXPECT_EQ(decide(1).count, 5u);
  EXPECT_EQ(decide(1).driver, "CPU");
  use(60, 0, 0);
  EXPECT_EQ(decide(1, false).driver, "CPU") << "nobody else can have decided on 0";
}

TEST_F(CloudRun, SumsDoNotDriftOverAWeek) {
  make({});
  use(std::int64_t{7} * 24 * 3600, 0.1, 0.7);
  use(600, 0, 0);
  EXPECT_EQ(decide(5, false).count, 0u) << "what is left of the sums is 0 exactly";
}

TEST_F(CloudRun, TellsItsPolicyBoundsAndPeriod) {
  make({.min_instances = 2, .max_instances = 7, .evaluation = 3s});
  EXPECT_EQ(scaler_->policy(), "cloud_run");
  EXPECT_EQ(scaler_->bounds().min, 2u);
  EXPECT_EQ(scaler_->bounds().max, 7u);
  EXPECT_EQ(scaler_->period(), 3s);
  EXPECT_TRUE(scaler_->on_demand());
}

TEST(CloudRunConfig, IsCheckedFieldByField) {
  struct {
    const char* why;
    cloud_run_config config;
    std::vector<std::string> fields;
  } const cases[] = {
    {"defaults", {}, {}},
    {"bounds may be equal", {.min_instances = 100}, {}},
    {"bounds crossed", {.min_instances = 101}, {"min_instances"}},
    {"no instance at all", {.max_instances = 0}, {"max_instances"}},
    {"too many", {.max_instances = 10'001}, {"max_instances"}},
    {"targets at their ends", {.cpu_target = 0.1, .concurrency_target = 0.95}, {}},
    {"targets beyond them",
     {.cpu_target = 0.099, .concurrency_target = 0.951},
     {"cpu_target", "concurrency_target"}},
    {"one driver off", {.cpu_target = 0}, {}},
    {"both drivers off", {.cpu_target = 0, .concurrency_target = 0}, {"concurrency_target"}},
    {"evaluation too often", {.evaluation = 999ms}, {"evaluation"}},
    {"no band to leave out",
     {.variant = cloud_run_variant::trigger90, .dead_band = false},
     {"dead_band"}},
    {"a band that custom targets brought",
     {.variant = cloud_run_variant::trigger90, .cpu_target = 0.5, .dead_band = false},
     {}},
    {"evaluation too rare", {.evaluation = 61s}, {"evaluation"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(test::problem_fields(validate(x.config)), x.fields);
  }
}

} // namespace
} // namespace spillover
