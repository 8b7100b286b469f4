#include "model/time.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

TEST(ToString, WritesSpansInTheLargestUnitThatHoldsThem) {
  struct {
    duration span;
    const char* expected;
  } const cases[] = {
    {0ns, "0s"},  {1ns, "1ns"},   {1500us, "1500us"}, {40ms, "40ms"},
    {90s, "90s"}, {20min, "20m"}, {36h, "36h"},       {-5s, "-5s"},
  };
  for (const auto& x : cases)
    EXPECT_EQ(to_string(x.span), x.expected);
}

TEST(FromSeconds, RoundsHalvesAwayFromZero) {
  EXPECT_EQ(from_seconds(1.5), 1500ms);
  EXPECT_EQ(from_seconds(0.4e-9), 0ns);
  EXPECT_EQ(from_seconds(0.6e-9), 1ns);
  EXPECT_EQ(from_seconds(-0.6e-9), -1ns);
}

TEST(SecondOf, RoundsDown) {
  EXPECT_EQ(second_of(run_start + 1999ms), 1);
  EXPECT_EQ(second_of(run_start + 2s), 2);
  EXPECT_EQ(second_of(run_start - 1ns), -1);
}

} // namespace
