#include "model/random.hpp"
#include "producers/health/aggregation.hpp"
#include "producers/health/health_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace spillover {
namespace {

using namespace std::chrono_literals;

constexpr int rounds = 20'000;

/// One result of a probe: when it is known, whose, of which endpoint.
struct probe_end {
  duration at{};
  std::uint32_t endpoint = 0;
  std::uint32_t prober = 0;
};

probe_result result_of(bool success) {
  return success ? probe_result::answered : probe_result::refused;
}

/// Endpoints in one state, probed at random phases, whose probes all have the other result from 0 on.
class probed_group {
public:
  probed_group(const health_check_config& config, std::uint32_t endpoints, bool succeeding)
    : config_(config), succeeding_(succeeding) {
    const auto before = succeeding ? health::unhealthy : health::unknown;
    for (std::uint32_t i = 0; i < endpoints; ++i) {
      trackers_.emplace_back(config, before);
      for (std::uint32_t k = 0; k < config.probers * config.healthy_threshold; ++k)
        trackers_.back().observe(k % config.probers, result_of(!succeeding));
    }
  }

  /// Calls `changed(when)` for each endpoint that changes, in order.
  /// @param answer from a probe's start to its result
  template <class F>
  void run(random_stream& random, duration answer, F&& changed) {
    const auto threshold = succeeding_ ? config_.healthy_threshold : config_.unhealthy_threshold;
    std::vector<probe_end> ends;
    for (std::uint32_t i = 0; i < trackers_.size(); ++i)
      for (std::uint32_t k = 0; k < config_.probers; ++k) {
        const auto interval = static_cast<std::uint64_t>(config_.interval.count());
        const duration phase{static_cast<duration::rep>(random.below(interval))};
        for (std::uint32_t n = 0; n <= threshold; ++n)
          ends.push_back({phase + n * config_.interval + answer, i, k});
      }
    std::stable_sort(ends.begin(), ends.end(),
                     [](const probe_end& x, const probe_end& y) { return x.at < y.at; });
    for (const auto& x : ends)
      if (trackers_[x.endpoint].observe(x.prober, result_of(succeeding_)))
        changed(x.at);
  }

private:
  health_check_config config_;
  bool succeeding_;
  std::vector<endpoint_tracker> trackers_;
};

/// Least, greatest and mean of some spans, in seconds.
struct summary {
  double least = std::numeric_limits<double>::max();
  double greatest = 0;
  double sum = 0;
  int count = 0;

  void add(duration x) {
    least = std::min(least, seconds_of(x));
    greatest = std::max(greatest, seconds_of(x));
    sum += seconds_of(x);
    ++count;
  }

  void expect(double best, double worst, double mean) const {
    ASSERT_EQ(count, rounds);
    EXPECT_GE(least, best);
    EXPECT_LE(greatest, worst);
    EXPECT_NEAR(sum / count, mean, 0.01 * mean);
    // The bounds are nearly reached, too.
    EXPECT_LT(least, best + 0.3 * (worst - best));
    EXPECT_GT(greatest, worst - 0.3 * (worst - best));
  }
};

TEST(Detection, TimeOfOneEndpointIsAsTheFormulasSay) {
  const auto silent = 5s;
  const auto fast = 0s;
  struct {
    const char* why;
    health_check_config config;
    duration answer;
    bool recovers;
    double best;
    double worst;
    double mean;
  } const cases[] = {
    {"GB-11: fast", {.probers = 1}, fast, false, 5, 10, 7.5},
    {"GB-12: silent", {.probers = 1}, silent, false, 10, 15, 12.5},
    {"GB-13: fast", {.interval = 1s, .timeout = 1s, .probers = 1}, fast, false, 1, 2, 1.5},
    {"GB-13: silent", {.interval = 1s, .timeout = 1s, .probers = 1}, 1s, false, 2, 3, 2.5},
    {"GB-14: silent",
     {.interval = 10s, .timeout = 5s, .unhealthy_threshold = 3, .probers = 1},
     silent,
     false,
     25,
     35,
     30},
    {"GB-15: 3 probers, quorum 2", {}, fast, false, 5, 10, 7.5},
    {"GB-16: 10 probers, quorum 1", {.probers = 10, .quorum = 1}, fast, false, 5, 10, 5.4545},
    {"B-39: recovery, answered in 100 ms", {.probers = 1}, 100ms, true, 5.1, 10.1, 7.6},
    {"B-39: recovery by 3 in a row",
     {.healthy_threshold = 3, .probers = 1},
     fast,
     true,
     10,
     15,
     12.5},
  };
  random_stream random{1, "detection"};
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    summary times;
    for (int i = 0; i < rounds; ++i) {
      probed_group group{x.config, 1, x.recovers};
      group.run(random, x.answer, [&](duration at) { times.add(at); });
    }
    // The order statistic of ten phases hardly ever comes near its upper bound.
    if (x.config.quorum != 1)
      times.expect(x.best, x.worst, x.mean);
    EXPECT_GE(times.least, x.best);
    EXPECT_LE(times.greatest, x.worst);
    EXPECT_NEAR(times.sum / times.count, x.mean, 0.01 * x.mean);
  }
}

TEST(Detection, GB_17_TenOfTenFlipTheSourceAtTheFifth) {
  random_stream random{2, "detection"};
  summary times;
  for (int i = 0; i < rounds; ++i) {
    probed_group group{{.probers = 1}, 10, false};
    std::uint32_t healthy = 10;
    group.run(random, 0s, [&](duration at) {
      if (--healthy == needed({}, 10) - 1)
        times.add(at);
    });
  }
  ASSERT_EQ(times.count, rounds);
  EXPECT_GE(times.least, 5);
  EXPECT_LE(times.greatest, 10);
  EXPECT_NEAR(times.sum / times.count, 7.2727, 0.01 * 7.2727);
}

/// When new requests go elsewhere, after a fault at 0 that hits all endpoints.
duration fail_over(random_stream& random, const health_check_config& check, std::uint32_t endpoints,
                   duration answer) {
  const propagation_config config;
  const auto draw = [&random](duration below) {
    return duration{
      static_cast<duration::rep>(random.below(static_cast<std::uint64_t>(below.count())))};
  };
  health_source source{{}, run_start};
  for (std::uint32_t i = 0; i < endpoints; ++i)
    source.add(health::healthy);
  source.judge(run_start);
  auto tick = draw(config.aggregation_tick);
  auto flip = duration::max();
  // Judges at every tick before `until`; a tick at the very instant of a change may come first.
  const auto judge_before = [&](duration until) {
    for (; tick < until && flip == duration::max(); tick += config.aggregation_tick)
      if (source.judge(run_start + tick))
        flip = tick;
  };
  probed_group group{check, endpoints, false};
  group.run(random, answer, [&](duration at) {
    judge_before(at);
    source.change(health::healthy, health::unhealthy);
  });
  judge_before(1min);
  return flip + config.propagation + draw(config.propagation_jitter) + config.apply;
}

TEST(Detection, GB_17_EndToEndStaysWithinItsBoundsForAnyNumberOfEndpoints) {
  random_stream random{3, "detection"};
  double least[2] = {100, 100};
  double greatest[2] = {0, 0};
  for (int i = 0; i < 4000; ++i) {
    const auto endpoints = static_cast<std::uint32_t>(1 + random.below(20));
    const health_check_config check{.probers = static_cast<std::uint32_t>(1 + random.below(5))};
    for (const bool silent : {false, true}) {
      const auto x = seconds_of(fail_over(random, check, endpoints, silent ? 5s : 0s));
      least[silent] = std::min(least[silent], x);
      greatest[silent] = std::max(greatest[silent], x);
    }
  }
  EXPECT_GE(least[0], 8);
  EXPECT_LE(greatest[0], 15);
  EXPECT_GE(least[1], 13);
  EXPECT_LE(greatest[1], 20);
  EXPECT_LT(least[0], 9.5) << "the bounds are not far from what happens";
  EXPECT_GT(greatest[0], 13.5);
}

} // namespace
} // namespace spillover
