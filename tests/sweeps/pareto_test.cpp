#include "sweeps/pareto.hpp"

#include "sweeps/statistics.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace spillover {
namespace {

TEST(ParetoFront, KeepsWhatNothingElseBeats) {
  struct {
    const char* why = "";
    std::vector<trade_off> all = {};
    std::vector<std::size_t> expected = {};
  } const cases[] = {
    {"nothing of nothing", {}, {}},
    {"faster and dearer are both choices", {{10, 5}, {20, 3}}, {0, 1}},
    {"slower and dearer is none", {{10, 5}, {20, 6}}, {0}},
    {"as fast and dearer is none", {{10, 6}, {10, 5}}, {1}},
    {"as cheap and slower is none", {{20, 5}, {10, 5}}, {1}},
    {"equal ones stay together", {{10, 5}, {10, 5}}, {0, 1}},
    {"in the order of time", {{30, 1}, {10, 3}, {20, 2}, {25, 2.5}}, {1, 2, 0}},
    {"what never ends is no choice, however cheap", {{never_ended, 1}, {10, 5}}, {1}},
    {"not even alone", {{never_ended, 1}}, {}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(pareto_front(x.all), x.expected);
  }
}

TEST(FrontShares, TellHowMuchIsLuck) {
  // The second is always cheaper and slower; the third beats it at half of the seeds, and at none when the
  // mean counts; the fourth is always beaten by the first.
  const std::vector<paired_runs> all{
    {{1, 1, 1, 1}, {9, 9, 9, 9}},
    {{5, 5, 5, 5}, {1, 1, 1, 1}},
    {{4, 6, 4, 6}, {1, 1, 1, 1}},
    {{2, 2, 2, 2}, {9, 9, 9, 9}},
  };
  const auto shares = front_shares(all, 1);
  EXPECT_EQ(shares[0], 1);
  EXPECT_EQ(shares[3], 0);
  // The third is faster if the draw has no 6: 1 of 16.
  EXPECT_NEAR(shares[2], 1.0 / 16, 0.03);
  EXPECT_NEAR(shares[1] + shares[2], 1, 1e-12);
  EXPECT_EQ(front_shares(all, 1), shares);
}

} // namespace
} // namespace spillover
