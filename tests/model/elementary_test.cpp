#include "model/elementary.hpp"

#include "model/random.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace {

using namespace spillover;

constexpr long double pi = 3.141592653589793238462643383279502884L;

// How far `actual` is off, relative to `expected`.
double error(double actual, long double expected) {
  if (expected == 0)
    return actual == 0 ? 0 : 1;
  return static_cast<double>(std::fabs((actual - expected) / expected));
}

TEST(PortableLog, IsExactAtOne) {
  EXPECT_EQ(portable_log(1), 0);
}

TEST(PortableLog, IsWithin1e15OfTheTrueValueOverAllMagnitudes) {
  random_stream random{1, "log"};
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    // Any bits with a positive sign and an exponent that is neither infinite nor NaN.
    const auto x = std::bit_cast<double>(1 + random.below(0x7fefffffffffffff));
    worst = std::max(worst, error(portable_log(x), std::log(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 1e-15);
}

TEST(PortableLog, IsWithin1e15OfTheTrueValueAroundOne) {
  random_stream random{2, "log"};
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    const auto x = 0.5 + 1.5 * random.unit();
    worst = std::max(worst, error(portable_log(x), std::log(static_cast<long double>(x))));
    const auto near = 1 + (random.unit() - 0.5) * 1e-6;
    worst = std::max(worst, error(portable_log(near), std::log(static_cast<long double>(near))));
  }
  EXPECT_LT(worst, 1e-15);
}

TEST(PortableLog, TakesSubnormalNumbers) {
  for (const auto x : {0x1p-1074, 0x1.8p-1060, 0x1.fffffp-1023})
    EXPECT_LT(error(portable_log(x), std::log(static_cast<long double>(x))), 1e-15);
}

TEST(PortableExp, IsExactAtZero) {
  EXPECT_EQ(portable_exp(0), 1);
}

TEST(PortableExp, IsWithin1e15OfTheTrueValue) {
  random_stream random{1, "exp"};
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    const auto x = (random.unit() - 0.5) * 1400;
    worst = std::max(worst, error(portable_exp(x), std::exp(static_cast<long double>(x))));
    const auto near = (random.unit() - 0.5) * 2;
    worst = std::max(worst, error(portable_exp(near), std::exp(static_cast<long double>(near))));
  }
  for (const auto x : {-700.0, 700.0})
    worst = std::max(worst, error(portable_exp(x), std::exp(static_cast<long double>(x))));
  EXPECT_LT(worst, 1e-15);
}

TEST(PortableSin, IsExactAtQuarterTurns) {
  for (int turn = -3; turn <= 3; ++turn) {
    EXPECT_EQ(portable_sin_turns(turn), 0);
    EXPECT_EQ(portable_sin_turns(turn + 0.25), 1);
    EXPECT_EQ(portable_sin_turns(turn + 0.5), 0);
    EXPECT_EQ(portable_sin_turns(turn + 0.75), -1);
  }
}

TEST(PortableSin, IsWithin1e15OfTheTrueValueOverOneTurn) {
  random_stream random{1, "sin"};
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    const auto x = random.unit() - 0.5;
    // Near half a turn the library needs the distance to it, which is exact.
    const auto expected = x > 0.25    ? std::sin(pi * 2 * (0.5L - x))
                          : x < -0.25 ? std::sin(pi * 2 * (-0.5L - x))
                                      : std::sin(pi * 2 * x);
    worst = std::max(worst, error(portable_sin_turns(x), expected));
  }
  EXPECT_LT(worst, 1e-15);
}

TEST(PortableSin, RepeatsExactlyEachTurn) {
  for (int i = -64; i < 64; ++i) {
    const auto x = i / 128.0;
    EXPECT_EQ(portable_sin_turns(x), portable_sin_turns(x + 1'000'000));
  }
}

TEST(NormalQuantile, GivesThePublishedTestValuesOfAs241) {
  struct {
    const char* why;
    double p;
    double expected;
  } const cases[] = {
    {"the middle", 0.25, -0.6744897501960817},
    {"the near tail", 0.001, -3.090232306167813},
    {"the far tail", 1e-20, -9.262340089798408},
    {"the 99 % point that turns a p99 into a sigma", 0.99, 2.3263478740408408},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_LT(error(normal_quantile(x.p), x.expected), 1e-15);
  }
}

TEST(NormalQuantile, UndoesTheDistributionFunction) {
  random_stream random{1, "normal"};
  for (int i = 0; i < 100'000; ++i) {
    const auto p = random.unit() * 0.5 + 0x1p-54;
    const auto z = static_cast<long double>(normal_quantile(p));
    EXPECT_LT(error(p, 0.5L * std::erfc(-z / std::sqrt(2.0L))), 3e-14) << p;
  }
}

TEST(NormalQuantile, IsSymmetricAndFiniteAtTheEndsOfTheUnitInterval) {
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_EQ(normal_quantile(0x1p-53), -normal_quantile(1 - 0x1p-53));
  EXPECT_NEAR(normal_quantile(0x1p-54), -8.2927, 1e-3);
}

// The bits themselves, which every compiler and build type has to meet.
TEST(Elementary, HasTheRecordedBits) {
  std::uint64_t sum = 0;
  random_stream random{1, "bits"};
  for (int i = 0; i < 100'000; ++i) {
    const auto u = random.unit() + 0x1p-54;
    for (const auto x : {portable_log(u), portable_exp(u * 80 - 40), portable_sin_turns(u * 9 - 4),
                         normal_quantile(u * 0.999)})
      sum = sum * 31 + std::bit_cast<std::uint64_t>(x);
  }
  EXPECT_EQ(sum, 14570623171229600775u);
}

} // namespace
