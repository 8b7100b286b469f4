#include "consumers/trace_arrivals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

constexpr auto poisson = arrival_process::poisson;
constexpr auto uniform = arrival_process::uniform;

trace_config of_counts(duration bucket, std::vector<double> counts, arrival_process how) {
  trace_config result;
  result.traffic = std::make_shared<const recorded_traffic>(
    recorded_traffic::of_counts(bucket, std::move(counts)));
  result.arrivals = how;
  return result;
}

trace_config of_arrivals(const std::vector<duration>& at, arrival_process how) {
  std::vector<std::int64_t> instants;
  instants.reserve(at.size());
  for (const auto x : at)
    instants.push_back(x.count());
  trace_config result;
  result.traffic =
    std::make_shared<const recorded_traffic>(recorded_traffic::of_arrivals(std::move(instants)));
  result.arrivals = how;
  return result;
}

// Everything that comes before `end`, in order.
std::vector<duration> played(const trace_config& x, duration end, std::uint64_t seed = 1) {
  EXPECT_EQ(validate(x), std::vector<std::string>{});
  trace_arrivals subject{x, random_stream{seed, "clients/load0/arrivals"}};
  std::vector<duration> result;
  for (auto t = subject.next(); t < run_start + end; t = subject.next()) {
    EXPECT_TRUE(result.empty() || t - run_start >= result.back());
    result.push_back(t - run_start);
  }
  return result;
}

std::vector<int> counted(const std::vector<duration>& all, duration width, std::size_t buckets) {
  std::vector<int> result(buckets);
  for (const auto x : all)
    ++result.at(static_cast<std::size_t>(x / width));
  return result;
}

// Arrivals of 20 bursts, a second apart, of 50 each.
std::vector<duration> bursts() {
  std::vector<duration> result;
  for (std::int64_t i = 0; i < 1'000; ++i)
    result.emplace_back(i / 50 * 1s + i % 50 * 1ms);
  return result;
}

TEST(RecordedTraffic, KeepsArrivalsToTheNanosecondInAFewBytes) {
  random_stream random{1, "instants"};
  std::vector<std::int64_t> instants{0, 0, 127, 128, 16'383, 16'384};
  for (int i = 0; i < 10'000; ++i)
    instants.push_back(static_cast<std::int64_t>(random.below(10'000'000'000)));
  instants.push_back(max_recorded_time.count() - 1);
  const auto x = recorded_traffic::of_arrivals(instants);
  std::sort(instants.begin(), instants.end());
  arrival_times::reader all{x.arrivals()};
  for (const auto expected : instants)
    ASSERT_EQ(all.next(), duration{expected});
  EXPECT_EQ(all.next(), std::nullopt);
  EXPECT_EQ(x.arrivals().size(), instants.size());
  // A mean gap of a millisecond has 20 bits; a few are longer, and take 4 bytes.
  EXPECT_LT(x.arrivals().bytes().size(), 3.2 * static_cast<double>(instants.size()));
}

TEST(RecordedTraffic, LastsAMeanGapBeyondItsLastArrival) {
  const struct {
    const char* why = "";
    std::vector<duration> at = {};
    duration expected{};
  } cases[] = {
    {"two gaps of 2 s", {1s, 3s, 5s}, 7s},
    {"in any order", {5s, 1s, 3s}, 7s},
    {"nobody knows when a second one would have come", {4s}, 5s},
    {"nor after those that came at once", {4s, 4s, 4s}, 5s},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(of_arrivals(x.at, poisson).traffic->lasts(), x.expected);
  }
  EXPECT_EQ(of_counts(1min, {1, 0, 0}, poisson).traffic->lasts(), 3min);
}

TEST(RecordedTraffic, CountsPartsOfBuckets) {
  const auto x = recorded_traffic::of_counts(10s, {10, 20, 40});
  EXPECT_DOUBLE_EQ(x.requests(0s, 30s), 70);
  EXPECT_DOUBLE_EQ(x.requests(5s, 22s), 5 + 20 + 8);
  EXPECT_DOUBLE_EQ(x.requests(12s, 14s), 4);
  const auto y = of_arrivals({0s, 1s, 2s, 3s}, poisson);
  EXPECT_DOUBLE_EQ(y.traffic->requests(1s, 3s), 2);
}

TEST(RecordedTraffic, HasADigestOfWhatItIs) {
  const auto x = recorded_traffic::of_counts(10s, {1, 2}).digest();
  EXPECT_EQ(x, recorded_traffic::of_counts(10s, {1, 2}).digest());
  EXPECT_NE(x, recorded_traffic::of_counts(20s, {1, 2}).digest());
  EXPECT_NE(x, recorded_traffic::of_counts(10s, {1, 3}).digest());
  EXPECT_NE(x, recorded_traffic::of_counts(10s, {1, 2, 0}).digest());
  EXPECT_NE(recorded_traffic::of_arrivals({1, 2}).digest(),
            recorded_traffic::of_arrivals({1, 3}).digest());
}

TEST(TraceArrivals, EvenOnesGiveEachBucketWhatItHad) {
  random_stream random{1, "counts"};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::vector<double> counts;
    std::vector<int> expected;
    for (int i = 0; i < 200; ++i) {
      const auto n = random.below(3) == 0 ? 0 : random.below(100);
      counts.push_back(static_cast<double>(n));
      expected.push_back(static_cast<int>(n));
    }
    counts[0] = expected[0] = 1;
    const auto x = of_counts(7s, counts, uniform);
    ASSERT_EQ(counted(played(x, 24h, seed), 7s, 200), expected);
  }
}

TEST(TraceArrivals, EvenOnesLieInTheMiddleOfTheirShares) {
  EXPECT_EQ(played(of_counts(10s, {2, 0, 1}, uniform), 1h),
            (std::vector<duration>{2500ms, 7500ms, 25s}));
  // Halves add up over buckets.
  EXPECT_EQ(played(of_counts(10s, {0.5, 0.5, 1}, uniform), 1h).size(), 2u);
}

TEST(TraceArrivals, IndependentOnesHaveTheBucketsRates) {
  // Counts of a Poisson process: mean and variance of each bucket over 400 seeds.
  const std::vector<double> counts{5, 50, 0, 20, 0.5};
  const auto x = of_counts(1s, counts, poisson);
  constexpr int seeds = 400;
  std::vector<double> sums(counts.size());
  std::vector<double> squares(counts.size());
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto found = counted(played(x, 1h, seed), 1s, counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      sums[i] += found[i];
      squares[i] += (found[i] - counts[i]) * (found[i] - counts[i]);
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    SCOPED_TRACE(i);
    // Five standard errors; of the variance, with its fourth moment.
    EXPECT_NEAR(sums[i] / seeds, counts[i], 5 * std::sqrt(counts[i] / seeds));
    EXPECT_NEAR(squares[i] / seeds, counts[i],
                5 * std::sqrt((counts[i] + 2 * counts[i] * counts[i]) / seeds));
  }
}

TEST(TraceArrivals, IndependentOnesLieAnywhereInTheirBucket) {
  // Chi-square of ten tenths of a bucket, 9 degrees of freedom: below 27.9 with probability 0.999.
  const auto all = played(of_counts(10s, {100'000}, poisson), 1h);
  const auto tenths = counted(all, 1s, 10);
  const auto mean = static_cast<double>(all.size()) / 10;
  double chi = 0;
  for (const auto x : tenths)
    chi += (x - mean) * (x - mean) / mean;
  EXPECT_LT(chi, 27.9);
}

TEST(TraceArrivals, KnownOnesComeAtTheirTimesWhateverTheProcess) {
  const std::vector<duration> at{0ns, 1ns, 1ns, 3s, 3s + 7ns, 10min};
  for (const auto how : {poisson, uniform}) {
    EXPECT_EQ(played(of_arrivals(at, how), 24h), at);
    auto later = of_arrivals(at, how);
    later.at = run_start + 5min;
    auto expected = at;
    for (auto& x : expected)
      x += 5min;
    EXPECT_EQ(played(later, 24h), expected);
  }
}

TEST(TraceArrivals, AWarpPlaysTheSameRequestsInLessTime) {
  for (const auto how : {poisson, uniform}) {
    for (auto x : {of_counts(1min, {600, 1'200, 60}, how), of_arrivals(bursts(), how)}) {
      const auto plain = played(x, 24h);
      for (const auto warp : {0.5, 2.0, 10.0}) {
        x.warp = warp;
        const auto fast = played(x, 24h);
        ASSERT_EQ(fast.size(), plain.size());
        for (std::size_t i = 0; i < plain.size(); ++i)
          ASSERT_NEAR(seconds_of(fast[i]), seconds_of(plain[i]) / warp, 2e-9);
      }
    }
  }
}

TEST(TraceArrivals, AScaleMultipliesTheRequests) {
  for (const auto scale : {0.1, 0.5, 1.0, 1.5, 3.0, 7.25}) {
    SCOPED_TRACE(scale);
    auto even = of_counts(1s, {10, 40, 20, 80}, uniform);
    even.scale = scale;
    EXPECT_NEAR(static_cast<double>(played(even, 1h).size()), 150 * scale, 1);
    auto kept = of_arrivals(bursts(), uniform);
    kept.scale = scale;
    EXPECT_NEAR(static_cast<double>(played(kept, 1h).size()), 1'000 * scale, 1);
    for (auto x :
         {of_counts(1s, std::vector<double>(20, 50), poisson), of_arrivals(bursts(), poisson)}) {
      x.scale = scale;
      double sum = 0;
      for (std::uint64_t seed = 1; seed <= 50; ++seed)
        sum += static_cast<double>(played(x, 1h, seed).size());
      // Five standard errors of a Poisson count, which both stay below.
      EXPECT_NEAR(sum / 50, 1'000 * scale, 5 * std::sqrt(1'000 * scale / 50));
    }
  }
}

TEST(TraceArrivals, AScaleKeepsBurstsAndQuietTimes) {
  for (const auto how : {poisson, uniform}) {
    auto x = of_arrivals(bursts(), how);
    x.scale = 4;
    // The last of a burst is joined by requests anywhere in the quiet time behind it; all others by ones
    // within a millisecond.
    const auto all = played(x, 1h);
    ASSERT_EQ(all.size(), 4'000u);
    int quiet = 0;
    for (const auto t : all)
      quiet += t % 1s > 49ms ? 1 : 0;
    EXPECT_EQ(quiet, 20 * 3);
  }
  auto even = of_arrivals({0s, 4s, 8s}, uniform);
  even.scale = 2;
  EXPECT_EQ(played(even, 1h), (std::vector<duration>{0s, 2s, 4s, 6s, 8s, 10s}));
  even.scale = 0.5;
  // Half of three and the half that one begins with.
  EXPECT_EQ(played(even, 1h), (std::vector<duration>{0s, 8s}));
}

TEST(TraceArrivals, FromAndToCutOutAPart) {
  auto buckets = of_counts(10s, {10, 20, 40}, uniform);
  buckets.from = 5s;
  buckets.to = 22s;
  buckets.at = run_start + 1min;
  const auto all = played(buckets, 1h);
  EXPECT_EQ(all.size(), 33u);
  EXPECT_GE(all.front(), 1min);
  EXPECT_LT(all.back(), 1min + 17s);
  auto known = of_arrivals({0s, 1s, 2s, 3s, 4s}, poisson);
  known.from = 1s;
  known.to = 3s;
  // What begins the part is in it, what ends it is not.
  EXPECT_EQ(played(known, 1h), (std::vector<duration>{0s, 1s}));
}

TEST(TraceArrivals, RepetitionsBeginWhereTheLastOneEnded) {
  auto known = of_arrivals({0s, 1s, 5s}, poisson);
  known.repeat = true;
  // (5 s - 0 s) / 2 behind the last one.
  EXPECT_EQ(played(known, 20s),
            (std::vector<duration>{0s, 1s, 5s, 7500ms, 8500ms, 12500ms, 15s, 16s}));
  auto buckets = of_counts(10s, {3, 0, 1}, uniform);
  buckets.repeat = true;
  buckets.warp = 2;
  EXPECT_EQ(counted(played(buckets, 60s), 5s, 12),
            (std::vector<int>{3, 0, 1, 3, 0, 1, 3, 0, 1, 3, 0, 1}));
}

TEST(TraceArrivals, OneSeedGivesTheSameAndAnotherDoesNot) {
  auto scaled = of_arrivals(bursts(), poisson);
  scaled.scale = 1.5;
  for (const auto& x : {of_counts(1s, {100, 200}, poisson), scaled}) {
    EXPECT_EQ(played(x, 1h, 7), played(x, 1h, 7));
    EXPECT_NE(played(x, 1h, 7), played(x, 1h, 8));
  }
}

TEST(TraceArrivals, KnowsItsRateAndItsPeak) {
  auto x = of_counts(10s, {10, 50, 20}, poisson);
  x.at = run_start + 1min;
  x.scale = 2;
  x.warp = 5;
  EXPECT_DOUBLE_EQ(trace_rate_at(x, run_start + 59s), 0);
  EXPECT_DOUBLE_EQ(trace_rate_at(x, run_start + 61s), 1 * 2 * 5);
  EXPECT_DOUBLE_EQ(trace_rate_at(x, run_start + 63s), 5 * 2 * 5);
  EXPECT_DOUBLE_EQ(trace_rate_at(x, run_start + 66s), 0);
  EXPECT_DOUBLE_EQ(peak_of(x).rate, 50);
  EXPECT_EQ(peak_of(x).at, run_start + 62s);
  EXPECT_DOUBLE_EQ(x.expected(), 160);
  x.repeat = true;
  EXPECT_DOUBLE_EQ(trace_rate_at(x, run_start + 67s), 1 * 2 * 5);
}

TEST(TraceConfig, SaysWhatCannotBePlayed) {
  using problems = std::vector<std::string>;
  const struct {
    const char* why = "";
    void (*change)(trace_config&) = nullptr;
    problems expected = {};
  } cases[] = {
    {"as it is", [](trace_config&) {}, {}},
    {"no file", [](trace_config& x) { x.traffic = nullptr; }, {"file: holds no trace"}},
    {"ranges",
     [](trace_config& x) {
       x.at = run_start - 1ns;
       x.scale = 0;
       x.warp = std::nan("");
     },
     {"at: must be at least 0s", "scale: must be from 0.000001 to 1000000",
      "warp: must be from 0.001 to 1000000"}},
    {"a part that begins at the end",
     [](trace_config& x) { x.from = 30s; },
     {"from: must be within the trace, which lasts 30s"}},
    {"a part beyond the end",
     [](trace_config& x) { x.to = 31s; },
     {"to: must be within the trace, which lasts 30s"}},
    {"an empty part", [](trace_config& x) { x.from = 2s, x.to = 2s; }, {"to: must be after from"}},
    {"nothing comes",
     [](trace_config& x) { x.from = 10s, x.to = 20s; },
     {"scale: less than one request is expected of what is played"}},
    {"too fast",
     [](trace_config& x) { x.warp = 1e6; },
     {"warp: what is played must last 1ms at least"}},
    {"too much",
     [](trace_config& x) { x.scale = 1e6, x.warp = 20; },
     {"scale: more than 10000000 requests a second would come at the peak"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto config = of_counts(10s, {10, 0, 20}, poisson);
    x.change(config);
    EXPECT_EQ(validate(config), x.expected);
  }
}

} // namespace
