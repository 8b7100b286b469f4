#include "model/random.hpp"

#include "model/hash.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

using namespace spillover;

TEST(Fnv1a64, GivesThePublishedTestValues) {
  EXPECT_EQ(fnv1a_64(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv1a_64("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fnv1a_64("foobar"), 0x85944171f73967e8u);
}

TEST(SplitMix64, GivesThePublishedTestValues) {
  splitmix64 words{1234567};
  EXPECT_EQ(words(), 6457827717110365317u);
  EXPECT_EQ(words(), 3203168211198807973u);
}

// Computed by an implementation of its own, from the published definitions of FNV-1a, SplitMix64
// and PCG XSL RR 128/64.
TEST(RandomStream, GivesTheValuesThatItsDefinitionSays) {
  struct {
    const char* why;
    std::uint64_t seed;
    const char* name;
    std::array<std::uint64_t, 3> expected;
  } const cases[] = {
    {"a usual name",
     1,
     "us-east1/checkout/web/7",
     {0x8050caa5779bea6b, 0xa13a4cec22801697, 0x755215aaae43e383}},
    {"no name", 1, "", {0xf11deb6b6cfb11ae, 0x9cbe07c52423f21f, 0xbf05ab263875745c}},
    {"another seed",
     2,
     "us-east1/checkout/web/7",
     {0x5227aa621c1728cf, 0xf7494dda91061f88, 0x9a5c86b892e2e3f6}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    random_stream random{x.seed, x.name};
    for (const auto expected : x.expected)
      EXPECT_EQ(random.bits(), expected);
  }
}

TEST(RandomStream, UnitIsUniformBelowOne) {
  random_stream random{1, "unit"};
  constexpr int n = 1'000'000;
  std::array<int, 10> tenths{};
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const auto x = random.unit();
    ASSERT_TRUE(x >= 0 && x < 1);
    ++tenths[static_cast<std::size_t>(x * 10)];
    sum += x;
  }
  EXPECT_NEAR(sum / n, 0.5, 4 * 0.2887 / 1000);
  for (const auto count : tenths)
    EXPECT_NEAR(count, n / 10, 4 * 300);
}

TEST(RandomStream, BelowStaysBelowAndReachesEachNumber) {
  random_stream random{1, "below"};
  std::array<int, 7> seen{};
  for (int i = 0; i < 70'000; ++i)
    ++seen[random.below(7)];
  for (const auto count : seen)
    EXPECT_NEAR(count, 10'000, 4 * 93);
  EXPECT_EQ(random.below(1), 0u);
}

TEST(RandomStream, StreamsOfSimilarNamesAreUncorrelated) {
  random_stream first{1, "web/1"};
  random_stream second{1, "web/2"};
  double sum = 0;
  constexpr int n = 100'000;
  for (int i = 0; i < n; ++i)
    sum += (first.unit() - 0.5) * (second.unit() - 0.5);
  // Of independent numbers, the product has deviation 1/12.
  EXPECT_NEAR(sum / n, 0, 4 / 12.0 / 316);
}

} // namespace
