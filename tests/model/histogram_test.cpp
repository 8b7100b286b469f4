#include "model/histogram.hpp"

#include "model/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

TEST(LatencyHistogram, PutsValuesIntoTheBucketsOfItsLayout) {
  constexpr auto last = latency_histogram::bucket_count - 1;
  struct {
    const char* why;
    duration value;
    std::uint32_t bucket;
  } const cases[] = {
    {"negative", -1ns, 0},
    {"below the range", 999ns, 0},
    {"the range begins", 1us, 0},
    {"before the second bucket: 1 us x 65/64 = 1015.6 ns", 1015ns, 0},
    {"the second bucket", 1016ns, 1},
    {"the last of 64 before 2 us", 1999ns, 63},
    {"the second power of two", 2us, 64},
    {"1 ms is 2^9 us and 61 of 64 parts", 1ms, 9 * 64 + 61},
    {"before the end of the range", std::chrono::microseconds{0xffffffff}, last},
    {"the end of the range, about 4295 s", std::chrono::microseconds{0x100000000}, last},
    {"beyond", 2h, last},
    {"far beyond", duration::max(), last},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(latency_histogram::bucket_of(x.value), x.bucket);
  }
}

TEST(LatencyHistogram, EachBoundIsTheFirstValueOfTheNextBucket) {
  auto lower = duration{1us};
  for (std::uint32_t bucket = 0; bucket < latency_histogram::bucket_count; ++bucket) {
    const auto upper = latency_histogram::upper_bound(bucket);
    ASSERT_EQ(latency_histogram::bucket_of(upper - 1ns), bucket);
    ASSERT_EQ(latency_histogram::bucket_of(upper),
              std::min(bucket + 1, latency_histogram::bucket_count - 1));
    // A bucket is at most 1/64 of its lower bound wide, but for a nanosecond of rounding.
    ASSERT_LE((upper - lower - 1ns) * 64, lower) << bucket;
    lower = upper;
  }
}

TEST(LatencyHistogram, QuantilesAreTheBoundsAboveTheExactOnes) {
  random_stream random{1, "latencies"};
  latency_histogram histogram;
  std::vector<duration> values;
  for (int i = 0; i < 10'000; ++i) {
    // Over the whole range, with as many values in each power of two.
    const auto scale = std::uint64_t{1000} << random.below(31);
    values.emplace_back(static_cast<duration::rep>(scale + random.below(scale)));
    histogram.add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const auto& [q, rank] :
       {std::pair{0.0, 1}, {0.0001, 1}, {0.5, 5000}, {0.99, 9900}, {0.9999, 9999}, {1.0, 10'000}}) {
    const auto exact = values[static_cast<std::size_t>(rank - 1)];
    EXPECT_EQ(histogram.quantile(q),
              latency_histogram::upper_bound(latency_histogram::bucket_of(exact)))
      << q;
  }
}

TEST(LatencyHistogram, RoundingOfTheShareDoesNotMoveAQuantile) {
  latency_histogram histogram;
  for (int i = 1; i <= 100; ++i)
    histogram.add(i * 1s);
  // In binary, 0.07 x 100 is a bit above 7.
  EXPECT_GT(0.07 * 100, 7);
  EXPECT_EQ(histogram.quantile(0.07),
            latency_histogram::upper_bound(latency_histogram::bucket_of(7s)));
}

TEST(LatencyHistogram, NothingCountedIsZero) {
  const latency_histogram histogram;
  EXPECT_EQ(histogram.quantile(0.99), 0ns);
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_TRUE(histogram.sparse().empty());
}

TEST(LatencyHistogram, ClearForgetsAllAndNothingElseComesBack) {
  latency_histogram histogram;
  histogram.add(5us);
  histogram.add(1s);
  histogram.clear();
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_TRUE(histogram.sparse().empty());
  histogram.add(1ms);
  const std::vector<std::pair<std::uint32_t, std::uint64_t>> expected{{9 * 64 + 61, 1}};
  EXPECT_EQ(histogram.sparse(), expected);
}

TEST(LatencyHistogram, ClearForgetsBothEndsOfWhatWasCounted) {
  latency_histogram histogram;
  for (const auto x : {1ms, 5ms, 20ms})
    histogram.add(x);
  histogram.clear();
  // From here on both of them lie inside of what is counted.
  histogram.add(1us);
  histogram.add(1s);
  const std::vector<std::pair<std::uint32_t, std::uint64_t>> expected{
    {0, 1}, {latency_histogram::bucket_of(1s), 1}};
  EXPECT_EQ(histogram.sparse(), expected);
}

TEST(LatencyHistogram, MergingIsCountingAllInOne) {
  random_stream random{3, "latencies"};
  latency_histogram parts[2];
  latency_histogram whole;
  for (int i = 0; i < 1000; ++i) {
    const auto x = duration{static_cast<duration::rep>(random.below(1'000'000'000))};
    parts[random.below(2)].add(x);
    whole.add(x);
  }
  parts[0].merge(parts[1]);
  parts[0].merge(latency_histogram{});
  EXPECT_EQ(parts[0].sparse(), whole.sparse());
  EXPECT_EQ(parts[0].count(), 1000u);

  latency_histogram rebuilt;
  for (const auto& [bucket, count] : whole.sparse())
    rebuilt.add_bucket(bucket, count);
  EXPECT_EQ(rebuilt.quantile(0.9), whole.quantile(0.9));
}

} // namespace
