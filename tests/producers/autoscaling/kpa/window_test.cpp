#include "producers/autoscaling/kpa/window.hpp"

#include "producers/autoscaling/kpa/collector.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace spillover::kpa;
using namespace std::chrono_literals;

TEST(KpaWindow, GC_14_TakesTheMeanOfTheSecondsThatHoldSamples) {
  sample_window subject{5s};
  EXPECT_EQ(subject.linear(run_start), 0);
  EXPECT_TRUE(subject.empty(run_start));
  for (int i = 0; i < 5; ++i) {
    subject.record(run_start + i * 1s, i + 1);
    EXPECT_EQ(subject.linear(run_start + i * 1s), (i + 2) / 2.0);
  }
  EXPECT_EQ(subject.linear(run_start + 4s), 3);
  EXPECT_EQ(subject.linear(run_start + 6s), 4);
  EXPECT_EQ(subject.linear(run_start + 10s), 0);
  subject.record(run_start + 6s, 91);
  EXPECT_EQ(subject.linear(run_start + 6s), 20.6);
}

TEST(KpaWindow, IsEmptyOneSecondAfterItsMeanBecameZero) {
  sample_window subject{6s};
  subject.record(run_start, 3);
  EXPECT_EQ(subject.linear(run_start + 6s), 0);
  EXPECT_FALSE(subject.empty(run_start + 6s));
  EXPECT_TRUE(subject.empty(run_start + 7s));
}

TEST(KpaWindow, AddsUpWhatComesInOneSecond) {
  sample_window subject{6s};
  subject.record(run_start + 100ms, 3);
  subject.record(run_start + 900ms, 4);
  EXPECT_EQ(subject.linear(run_start + 999ms), 7);
}

TEST(KpaWindow, TakesALateSampleWhileItsSecondIsInside) {
  sample_window subject{6s};
  subject.record(run_start + 10s, 6);
  subject.record(run_start + 5s, 6);
  EXPECT_EQ(subject.linear(run_start + 10s), 2);
  subject.record(run_start + 4s, 60);
  EXPECT_EQ(subject.linear(run_start + 10s), 2);
}

// The weight of the newest second, told by a window that holds nothing else.
TEST(KpaWindow, GC_15_WeighsTheNewestSecondMost) {
  struct {
    duration span;
    double weight;
  } const cases[] = {{60s, 0.2}, {40s, 0.20567}, {6s, 0.78456}, {5s, 0.84151}};
  for (const auto& x : cases) {
    sample_window subject{x.span};
    subject.record(run_start, 1);
    EXPECT_NEAR(subject.weighted(run_start), x.weight, 5e-6);
  }
}

TEST(KpaWindow, CountsAsFullAfterAResize) {
  sample_window subject{10s};
  subject.record(run_start + 1s, 12);
  EXPECT_EQ(subject.linear(run_start + 1s), 12);
  subject.resize(run_start + 1s, 6s);
  EXPECT_EQ(subject.linear(run_start + 1s), 2);
  subject.resize(run_start + 8s, 20s);
  EXPECT_EQ(subject.linear(run_start + 8s), 0);
}

TEST(KpaWindow, ItsOwnLengthIsNoNewOne) {
  sample_window subject{10s};
  subject.record(run_start + 1s, 12);
  subject.resize(run_start + 1s, 10s);
  EXPECT_EQ(subject.linear(run_start + 1s), 12);
}

TEST(KpaCollector, GC_17_ScrapesASample) {
  const std::pair<std::uint32_t, std::uint32_t> cases[] = {{0, 0},  {3, 3},    {4, 4},    {5, 4},
                                                           {10, 7}, {100, 14}, {1000, 16}};
  for (const auto& [pods, sample] : cases)
    EXPECT_EQ(sample_size(pods), sample) << pods;
}

TEST(KpaCollector, CountsNoRequestTwice) {
  settings x;
  collector subject{x};
  // Seen by the activator, and again by the pod it passed them to.
  subject.record(run_start, {4, 0, 8, 0});
  subject.record(run_start, {5, 4, 9, 8});
  EXPECT_EQ(subject.read(run_start), (averages{5, 5}));
  x.by = metric::rps;
  subject.update(run_start, x);
  EXPECT_EQ(subject.read(run_start), (averages{9, 9}));
  EXPECT_EQ(subject.read(run_start + 61s), std::nullopt);
}

TEST(KpaCollector, C_11_ChangesBothWindowsUnderWay) {
  settings x;
  collector subject{x};
  subject.record(run_start, {12, 0, 24, 0});
  EXPECT_EQ(subject.read(run_start), (averages{12, 12}));
  x.stable_window = 6s;
  x.panic_window = 3s;
  subject.update(run_start, x);
  EXPECT_EQ(subject.read(run_start), (averages{2, 4}));
  x.by = metric::rps;
  subject.update(run_start, x);
  EXPECT_EQ(subject.read(run_start), (averages{4, 8}));
}

TEST(KpaActivator, TellsOfTheFirstRequestAtOnceAndTakesItOffLater) {
  activator_stats subject;
  EXPECT_EQ(subject.begin(run_start), (request_report{1, 0, 1, 0}));
  EXPECT_EQ(subject.begin(run_start + 500ms), std::nullopt);
  EXPECT_EQ(subject.report(run_start + 1s), (request_report{0.5, 0, 1, 0}));
  subject.end(run_start + 1s);
  subject.end(run_start + 1s);
  EXPECT_EQ(subject.report(run_start + 2s), (request_report{0, 0, 0, 0}));
  EXPECT_FALSE(subject.knows());
  EXPECT_EQ(subject.report(run_start + 3s), std::nullopt);
}

} // namespace
