#include "regions/utilization_meter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace spillover;

struct second {
  std::size_t backend = 0;
  std::uint64_t used = 0;
  std::uint64_t there = 0;
};

std::string told(utilization_meter& x, const std::vector<second>& seconds) {
  std::string result;
  for (const auto& [backend, used, there] : seconds) {
    const auto now = x.observe(backend, used, there);
    result.append(result.empty() ? "" : " ").append(now ? std::to_string(*now) : "-");
  }
  return result;
}

TEST(UtilizationMeter, TellsTheMeanWhenItMoved) {
  struct {
    const char* why;
    std::vector<second> seconds = {};
    const char* expected = "";
  } const cases[] = {
    {"the first is told", {{0, 250, 1000}}, "250"},
    {"what is little is not", {{0, 250, 1000}, {0, 268, 1000}}, "250 -"},
    {"what moved by a percent point is", {{0, 250, 1000}, {0, 270, 1000}}, "250 260"},
    {"little by little is told in the end",
     {{0, 100, 1000}, {0, 118, 1000}, {0, 118, 1000}, {0, 118, 1000}},
     "100 - 112 -"},
    {"instances that had more CPU count for more", {{0, 100, 1000}, {0, 900, 3000}}, "100 250"},
    {"and so do backend services", {{0, 100, 1000}, {1, 900, 3000}}, "100 250"},
    {"while nobody runs nothing is known", {{0, 0, 0}, {0, 500, 1000}}, "- 500"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    utilization_meter meter{2};
    EXPECT_EQ(told(meter, x.seconds), x.expected);
  }
}

TEST(UtilizationMeter, ForgetsWhatIsTenSecondsOld) {
  utilization_meter meter{1};
  for (int i = 0; i < 10; ++i)
    meter.observe(0, 1000, 1000);
  std::optional<std::uint32_t> last;
  for (int i = 0; i < 10; ++i)
    if (const auto now = meter.observe(0, 500, 1000))
      last = now;
  EXPECT_EQ(last, 500u);
}

} // namespace
