#include "report/format.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

TEST(Format, Thousands) {
  EXPECT_EQ(thousands(0), "0");
  EXPECT_EQ(thousands(999), "999");
  EXPECT_EQ(thousands(1'000), "1,000");
  EXPECT_EQ(thousands(420'317), "420,317");
  EXPECT_EQ(thousands(18'446'744'073'709'551'615u), "18,446,744,073,709,551,615");
}

TEST(Format, ClocksHaveOneDecimalOrAreMilliseconds) {
  EXPECT_EQ(clock_text(13'900ms), "13.9 s");
  EXPECT_EQ(clock_text(13'949ms), "13.9 s");
  EXPECT_EQ(clock_text(13'950ms), "14.0 s");
  EXPECT_EQ(clock_text(400ms), "0.4 s");
  EXPECT_EQ(clock_text(74ms), "74 ms");
  EXPECT_EQ(clock_text(0s), "0.0 s");
  EXPECT_EQ(clock_text(20min), "1200.0 s");
}

TEST(Format, AClockBeyondItsLimitShowsThatItIs) {
  EXPECT_EQ(clock_text(17'800ms, 20s), "17.8 s");
  EXPECT_EQ(clock_text(20s, 20s), "20.0 s");
  EXPECT_EQ(clock_text(20'100ms, 20s), "20.1 s");
  EXPECT_EQ(clock_text(20'004ms, 20s), "20.004 s");
  EXPECT_EQ(clock_text(20s + 1ns, 20s), "20.000000001 s");
}

TEST(Format, LatenciesGetCoarserAsTheyGrow) {
  EXPECT_EQ(latency_text(1'310us), "1.3 ms");
  EXPECT_EQ(latency_text(74'400us), "74 ms");
  EXPECT_EQ(latency_text(4'880ms), "4.9 s");
}

TEST(Format, InstantsAreCutToMilliseconds) {
  EXPECT_EQ(instant_text(run_start + 300s), "300.000 s");
  EXPECT_EQ(instant_text(run_start + 300'000'999us), "300.000 s");
}

TEST(Format, ExactSpansHaveNoZerosAtTheEnd) {
  EXPECT_EQ(exact_text(20s), "20 s");
  EXPECT_EQ(exact_text(1'500ms), "1.5 s");
  EXPECT_EQ(exact_text(1'500us), "1.5 ms");
  EXPECT_EQ(exact_text(100s), "100 s");
  EXPECT_EQ(exact_text(0s), "0 s");
  EXPECT_EQ(exact_text(1ns), "1 ns");
  EXPECT_EQ(exact_text(1'500ns), "1.5 us");
  EXPECT_EQ(exact_text(10'092'544ns), "10.092544 ms");
}

TEST(Format, NounsFollowTheirNumbers) {
  EXPECT_EQ(counted(0, "endpoint"), "0 endpoints");
  EXPECT_EQ(counted(1, "endpoint"), "1 endpoint");
  EXPECT_EQ(counted(1'200, "endpoint"), "1,200 endpoints");
}

TEST(Format, OrdinalsEndAsTheyAreSpoken) {
  EXPECT_EQ(ordinal(1), "1st");
  EXPECT_EQ(ordinal(2), "2nd");
  EXPECT_EQ(ordinal(3), "3rd");
  EXPECT_EQ(ordinal(11), "11th");
  EXPECT_EQ(ordinal(112), "112th");
  EXPECT_EQ(ordinal(122), "122nd");
}

TEST(Format, RatesHaveNoZerosAtTheEnd) {
  EXPECT_EQ(rate_text(250'000), "250/s");
  EXPECT_EQ(rate_text(500), "0.5/s");
  EXPECT_EQ(rate_text(1), "0.001/s");
  EXPECT_EQ(rate_text(0), "0/s");
}

TEST(Format, SharesNeverHideTheLastRequest) {
  EXPECT_EQ(share_text(0, 1'000'000), "0.00 %");
  EXPECT_EQ(share_text(1, 1'000'000), "<0.01 %");
  EXPECT_EQ(share_text(999'999, 1'000'000), "99.99 %");
  EXPECT_EQ(share_text(1'000'000, 1'000'000), "100.00 %");
  EXPECT_EQ(share_text(1, 3), "33.33 %");
}

TEST(Format, PercentIsShort) {
  EXPECT_EQ(percent_text(0.005), "0.5%");
  EXPECT_EQ(percent_text(0), "0%");
  EXPECT_EQ(percent_text(1), "100%");
  EXPECT_EQ(percent_text(0.07), "7%");
}

TEST(Format, SharesAreComparedAsTheyAreWritten) {
  EXPECT_TRUE(is_share_at_most(29, 100, 0.29)); // 0.29 * 100 is a little below 29
  EXPECT_FALSE(is_share_at_most(30, 100, 0.29));
  EXPECT_TRUE(is_share_at_most(0, 100, 0));
  EXPECT_FALSE(is_share_at_most(1, 100, 0));
  EXPECT_TRUE(is_share_at_least(95, 100, 0.95));
  EXPECT_FALSE(is_share_at_least(94, 100, 0.95));
  EXPECT_TRUE(is_share_at_least(0, 0, 0.95));
}

} // namespace
