#include "report/progress_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace spillover {
namespace {

using enum health;

TEST(ProgressText, NamesAFewAndCountsTheRest) {
  struct {
    const char* why = "";
    std::map<std::string, std::uint32_t> instances = {};
    std::map<std::string, health> services = {};
    const char* expected = "";
  } const cases[] = {
    {"nothing yet", {}, {}, ""},
    {"few are named", {{"a/x/w", 10}, {"b/x/w", 4}}, {{"a/x/c", healthy}}, "a/x/w 10  b/x/w 4"},
    {"what is ill stands first, where a narrow terminal shows it",
     {{"a/x/w", 10}},
     {{"a/x/c", unhealthy}, {"b/x/c", unknown}},
     "a/x/c UNHEALTHY  b/x/c UNKNOWN  a/x/w 10"},
    {"four of each kind: one state is counted, no instance",
     {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}},
     {{"a", unhealthy}, {"b", unhealthy}, {"c", unhealthy}, {"d", unhealthy}},
     "a UNHEALTHY  b UNHEALTHY  c UNHEALTHY and 1 more  a 1  b 2  c 3  d 4"},
    {"five backend services are a sum",
     {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"e", 0}},
     {},
     "10 instances of 5 backend services"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(progress_text(x.instances, x.services), x.expected);
  }
}

TEST(ProgressText, FitsOnATerminalWithAHundredRegions) {
  std::map<std::string, std::uint32_t> instances;
  std::map<std::string, health> services;
  for (int i = 100; i < 200; ++i) {
    const auto region = "r" + std::to_string(i);
    instances[region + "/shop/web"] = 20;
    services[region + "/shop/composite"] = unhealthy;
  }
  EXPECT_LE(progress_text(instances, services).size(), 150u);
}

} // namespace
} // namespace spillover
