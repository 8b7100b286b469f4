#include "producers/autoscaling/netscaler/settings.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace spillover;
using namespace spillover::netscaler;
using namespace std::chrono_literals;
using problems = std::vector<std::string>;

TEST(NetscalerSettings, AreValidByDefault) {
  EXPECT_EQ(validate({}), problems{});
}

TEST(NetscalerSettings, NameEveryProblemOfLimits) {
  constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
  struct {
    const char* why;
    settings with;
    problems expected = {};
  } const cases[] = {
    {"limits may be equal to the ends of the range", {.memory = {true, 0, 100}}},
    {"the minimum is negative", {.memory = {true, -1, 85}}, {"memory.min: must be within 0..100"}},
    {"the maximum is above 100 %",
     {.memory = {true, 40, 101}},
     {"memory.max: must be within 0..100"}},
    {"not even numbers",
     {.memory = {true, nan, nan}},
     {"memory.min: must be within 0..100", "memory.max: must be within 0..100"}},
    {"nothing lies between",
     {.memory = {true, 40, 40}},
     {"memory.max: must be above min, by a thousandth at least"}},
    {"less than is told apart lies between",
     {.memory = {true, 40, 40.0001}},
     {"memory.max: must be above min, by a thousandth at least"}},
    {"CPU is in percent too",
     {.cpu = {true, 101, 200}},
     {"cpu.min: must be within 0..100", "cpu.max: must be within 0..100"}},
    {"throughput may be above 100", {.throughput = {true, 100, 5000}}},
    {"throughput has no default limits",
     {.throughput = {true, 0, 0}},
     {"throughput.max: must be above min, by a thousandth at least"}},
    {"throughput ends somewhere",
     {.throughput = {true, 1, 2e9}},
     {"throughput.max: must be within 0..1e9"}},
    {"what is not selected is not looked at", {.cpu = {false, nan, -5}}},
    {"something must be selected",
     {.memory = {false, 40, 85}},
     {"memory.selected: must be true while cpu and throughput are not selected"}},
    {"it need not be memory", {.cpu = {true, 40, 85}, .memory = {}}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(validate(x.with), x.expected);
  }
}

TEST(NetscalerSettings, NameEveryProblemOfTimesAndBounds) {
  struct {
    const char* why;
    settings with;
    problems expected = {};
  } const cases[] = {
    {"times may be 0",
     {.watch_time = 0s,
      .cooldown = 0s,
      .provisioning_time = 0s,
      .deprovisioning_time = 0s,
      .drain_connection_timeout = 0s,
      .dns_ttl = 0s}},
    {"nor may they be less",
     {.watch_time = -1ns,
      .cooldown = -1ns,
      .provisioning_time = -1ns,
      .deprovisioning_time = -1ns,
      .drain_connection_timeout = -1ns,
      .dns_ttl = -1ns,
      .update_time = -1ns},
     {"watch_time: must be within 0s..24h", "cooldown: must be within 0s..24h",
      "provisioning_time: must be within 0s..24h", "deprovisioning_time: must be within 0s..24h",
      "drain_connection_timeout: must be within 0s..24h", "dns_ttl: must be within 0s..24h",
      "update_time: must be within 0s..1h"}},
    {"nor for ever",
     {.watch_time = 24h, .cooldown = 24h + 1ns, .update_time = 1h + 1ns},
     {"cooldown: must be within 0s..24h", "update_time: must be within 0s..1h"}},
    {"the interval is not 0", {.interval = 0s}, {"interval: must be within 1s..1h"}},
    {"nor too long", {.interval = 1h + 1s}, {"interval: must be within 1s..1h"}},
    {"nor broken", {.interval = 1500ms}, {"interval: must be whole seconds"}},
    {"a group has a node",
     {.min_nodes = 0, .max_nodes = 0},
     {"max_nodes: must be within 1..10000", "min_nodes: must be at least 1"}},
    {"and not too many", {.max_nodes = 10'001}, {"max_nodes: must be within 1..10000"}},
    {"the bounds are in order",
     {.min_nodes = 5, .max_nodes = 4},
     {"min_nodes: must be at most max_nodes"}},
    {"the bounds may be equal", {.min_nodes = 4, .max_nodes = 4}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(validate(x.with), x.expected);
  }
}

} // namespace
