#include "lb/usage_replay.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

using states = std::vector<applied_state>;

constexpr auto up = health::healthy;
constexpr auto down = health::unhealthy;

// E.g. "0 100, 10 0" for a region that is avoided from 10 s on.
std::string text(const std::vector<usage_step>& x) {
  std::string result;
  for (const auto& step : x) {
    result += result.empty() ? "" : ", ";
    result += std::to_string(second_of(step.at));
    result.append(" ").append(std::to_string(step.share));
  }
  return result;
}

TEST(ReplayUsage, SaysWhenConsumersWouldUseARegion) {
  struct {
    const char* why;
    failback_config config = {};
    std::vector<states> regions = {};
    std::vector<const char*> expected = {};
  } const cases[] = {
    {"a region without a state is used", {}, {{}}, {"0 100"}},
    {"avoided while it is unhealthy and there is another",
     {},
     {{{run_start + 10s, down}, {run_start + 20s, up}}, {}},
     {"0 100, 10 0, 20 100", "0 100"}},
    {"when all are unhealthy all are used",
     {},
     {{{run_start + 10s, down}, {run_start + 40s, up}},
      {{run_start + 20s, down}, {run_start + 30s, up}}},
     {"0 100, 10 0, 20 100, 30 0, 40 100", "0 100"}},
    {"a region alone is used whatever it says", {}, {{{run_start + 10s, down}}}, {"0 100"}},
    {"a share that grows",
     {.back = failback_mode::over, .back_span = 20s, .steps = 2},
     {{{run_start + 10s, down}, {run_start + 20s, up}}, {}},
     {"0 100, 10 0, 30 50, 40 100", "0 100"}},
    {"what ends in the instant that it begins is not there",
     {},
     {{{run_start + 10s, down}, {run_start + 10s, up}}, {}},
     {"0 100", "0 100"}},
    {"nothing happens at the end or later",
     {},
     {{{run_start + 60s, down}}, {}},
     {"0 100", "0 100"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto found = replay_usage(x.config, x.regions, run_start + 60s);
    ASSERT_EQ(found.size(), x.expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(text(found[i]), x.expected[i]) << i;
  }
}

} // namespace
