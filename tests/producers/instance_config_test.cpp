#include "producers/instance_config.hpp"

#include "tests/support/problem_fields.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace spillover {
namespace {

using namespace std::chrono_literals;

TEST(InstanceConfig, IsCheckedFieldByField) {
  struct {
    const char* why;
    instance_config config;
    std::vector<std::string> fields;
  } const cases[] = {
    {"defaults", {}, {}},
    {"limits", {.cpu = 64, .concurrency = 1000}, {}},
    {"no CPU", {.cpu = 0}, {"cpu"}},
    {"too much", {.cpu = 64.5, .concurrency = 1001}, {"cpu", "concurrency"}},
    {"not a number", {.cpu = std::numeric_limits<double>::quiet_NaN()}, {"cpu"}},
    {"no limit", {.concurrency = 0}, {}},
    {"negative CPU time", {.cpu_per_request = -1ns}, {"cpu_per_request"}},
    {"spans that cannot be",
     {.cold_start = constant_distribution{-1ns}, .service_time = exponential_distribution{0s}},
     {"cold_start", "service_time"}},
    {"a 99th percentile below the median",
     {.cold_start = lognormal_distribution{2s, 1s}},
     {"cold_start"}},
    {"a median of 0", {.cold_start = lognormal_distribution{0s, 1s}}, {"cold_start"}},
    {"median and 99th percentile equal", {.cold_start = lognormal_distribution{1s, 1s}}, {}},
    {"an empty file", {.service_time = empirical_distribution{}}, {"service_time"}},
    {"a negative value in a file",
     {.service_time = empirical_distribution{{1s, -1s}}},
     {"service_time"}},
    {"a file", {.service_time = empirical_distribution{{0s, 1s}}}, {}},
    {"sidecars", {.sidecars = {{0.5}, {64}}}, {}},
    {"a sidecar without CPU", {.sidecars = {{0.5}, {0}}}, {"sidecars"}},
    {"too many", {.sidecars = std::vector<sidecar_config>(10)}, {"sidecars"}},
    {"probes",
     {.startup_probe = custom_startup_probe(),
      .liveness_probe = liveness_probe_config{},
      .readiness_probe = readiness_probe_config{}},
     {}},
    {"probes that cannot be",
     {.startup_probe = startup_probe_config{.timeout = 1min, .failure_threshold = 0},
      .liveness_probe = liveness_probe_config{.timeout = 1min},
      .readiness_probe = readiness_probe_config{.success_threshold = 0},
      .restart_backoff = {.base = 0s}},
     {"startup_probe.failure_threshold", "liveness_probe.timeout",
      "readiness_probe.success_threshold", "restart_backoff.base"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(test::problem_fields(validate(x.config)), x.fields);
  }
}

TEST(InstanceConfig, GA_13_AddsUpTheLimitsOfItsContainers) {
  EXPECT_EQ(total_cpu({.cpu = 1}), 1);
  EXPECT_EQ(total_cpu({.cpu = 1, .sidecars = {{0.5}}}), 1.5);
  EXPECT_EQ(total_cpu({.cpu = 0.25, .sidecars = {{0.5}, {2}}}), 2.75);
}

TEST(InstanceConfig, ExpectsAStartAsItsProbeSeesIt) {
  const constant_distribution twelve{12s};
  struct {
    const char* why = "";
    std::optional<startup_probe_config> probe = std::nullopt;
    duration expected{};
  } const cases[] = {
    {"without a probe", std::nullopt, 12s},
    {"GA-31: on TCP", startup_probe_config{}, 12s},
    {"GA-31: custom", custom_startup_probe(), 20s},
    {"a start that fails has no end to expect",
     startup_probe_config{.kind = startup_probe_kind::custom, .failure_threshold = 1}, 12s},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(mean_start({.cold_start = twelve, .startup_probe = x.probe}), x.expected);
  }
}

} // namespace
} // namespace spillover
