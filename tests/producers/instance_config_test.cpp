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
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(test::problem_fields(validate(x.config)), x.fields);
  }
}

} // namespace
} // namespace spillover
