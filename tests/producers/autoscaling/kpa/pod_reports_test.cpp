#include "producers/autoscaling/kpa/pod_reports.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace spillover::kpa;
using namespace std::chrono_literals;

pod_reports all_of_them() {
  return {false, 1min, random_stream{1, "scrape"}};
}

TEST(KpaPodReports, AddUpOverReadyPods) {
  auto x = all_of_them();
  EXPECT_EQ(x.scrape(run_start), std::nullopt) << "nothing is recorded without pods";
  x.add(run_start, 3);
  x.add(run_start, 8);
  x.begin(run_start, 3, false);
  x.begin(run_start + 500ms, 8, true);
  EXPECT_EQ(x.scrape(run_start + 1s), (request_report{1.5, 0.5, 2, 1}));
  x.end(run_start + 1500ms, 3, false);
  EXPECT_EQ(x.scrape(run_start + 2s), (request_report{1.5, 1, 0, 0}));
}

TEST(KpaPodReports, WhatAPodDoesThatIsNotReadyCountsNowhere) {
  auto x = all_of_them();
  x.begin(run_start, 5, false);
  x.add(run_start, 0);
  x.add(run_start, 1);
  x.add(run_start, 2);
  x.begin(run_start, 1, false);
  x.begin(run_start, 2, false);
  x.remove(1);
  x.remove(7);
  EXPECT_EQ(x.size(), 2u);
  EXPECT_EQ(x.scrape(run_start + 1s), (request_report{1, 0, 1, 0}));
  x.end(run_start + 1s, 1, false);
  x.end(run_start + 1s, 2, false);
  EXPECT_EQ(x.scrape(run_start + 2s), (request_report{0, 0, 0, 0}));
}

TEST(KpaPodReports, C_9_ASampleStandsForAllPods) {
  pod_reports x{true, 1min, random_stream{1, "scrape"}};
  for (std::uint32_t i = 0; i < 100; ++i) {
    x.add(run_start, i);
    x.begin(run_start, i, false);
  }
  // Every pod has one request, so that any fourteen say the same.
  const auto report = x.scrape(run_start + 1s).value();
  EXPECT_DOUBLE_EQ(report.concurrency, 100);
  EXPECT_DOUBLE_EQ(report.requests, 100);
}

TEST(KpaPodReports, C_9_PrefersPodsThatAreAStableWindowOld) {
  pod_reports x{true, 1min, random_stream{1, "scrape"}};
  for (std::uint32_t i = 0; i < 100; ++i)
    x.add(run_start + (i < 20 ? 0s : 1min), i);
  for (std::uint32_t i = 0; i < 20; ++i)
    x.begin(run_start, i, false);
  // Fourteen of the twenty old ones, which have all there is.
  EXPECT_DOUBLE_EQ(x.scrape(run_start + 61s).value().requests, 100);
  for (std::uint32_t i = 0; i < 10; ++i)
    x.remove(i);
  // Ten old ones, then four of the young.
  EXPECT_DOUBLE_EQ(x.scrape(run_start + 62s).value().concurrency, 10.0 / 14 * 90);
}

TEST(KpaPodReports, SamplesDifferFromSecondToSecond) {
  pod_reports x{true, 1min, random_stream{1, "scrape"}};
  for (std::uint32_t i = 0; i < 100; ++i)
    x.add(run_start, i);
  x.begin(run_start, 0, false);
  int seen = 0;
  for (int i = 1; i <= 1000; ++i)
    seen += x.scrape(run_start + 1s * i).value().concurrency > 0 ? 1 : 0;
  // Fourteen of a hundred, with a standard deviation of 11 in a thousand.
  EXPECT_NEAR(seen, 140, 55);
}

} // namespace
