#include "lb/load_balancer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;

/// A load balancer before regions that answer as a test says, at once.
class OutlierRouting : public testing::Test, public load_balancer_effects {
protected:
  void start(const load_balancer_config& config, std::uint32_t regions, std::uint64_t seed = 1) {
    subject_.emplace(config, regions, random_stream{seed, "clients/lb"});
    answers_.assign(regions, outcome::ok);
    sent_.clear();
    failed_ = 0;
    number_ = 0;
    now_ = run_start;
  }

  void send(std::uint32_t region, std::uint32_t key, std::uint16_t attempt,
            const record& request) override {
    sent_ += static_cast<char>('A' + region);
    tries_.push_back({key, attempt, request.request, answers_[region]});
  }

  void answer(const record&, outcome how) override { failed_ += how == outcome::ok ? 0 : 1; }

  void outlier_changed(std::uint32_t proxy, const outlier_change& x) override {
    if (x.action == outlier_action::ejected)
      ejected_.emplace(proxy, x.host);
    else if (x.action == outlier_action::returned)
      ejected_.erase({proxy, x.host});
  }

  /// Sends one request, with all its tries.
  void request() {
    record x;
    x.request = ++number_;
    subject_->on_request(now_, x, *this);
    while (!tries_.empty()) {
      const auto y = tries_.back();
      tries_.pop_back();
      if (y.how != outcome::lb_timeout)
        subject_->on_response(now_, y.key, y.attempt, y.request, y.how, *this);
    }
  }

  /// @returns the regions that n requests went to, a letter for each try.
  std::string requests(int n) {
    sent_.clear();
    for (int i = 0; i < n; ++i)
      request();
    return sent_;
  }

  void advance_to(instant t) {
    while (std::min(subject_->next_sweep(), subject_->next_deadline()) <= t) {
      now_ = std::min(subject_->next_sweep(), subject_->next_deadline());
      if (subject_->next_deadline() <= now_)
        subject_->on_deadline(now_, *this);
      subject_->on_sweep(now_, *this);
    }
    now_ = t;
  }

  struct try_under_way {
    std::uint32_t key = 0;
    std::uint16_t attempt = 0;
    std::uint64_t request = 0;
    outcome how = outcome::ok;
  };

  instant now_ = run_start;
  std::optional<load_balancer> subject_;
  std::vector<outcome> answers_;
  std::vector<try_under_way> tries_;
  std::string sent_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> ejected_;
  std::uint64_t number_ = 0;
  int failed_ = 0;
};

load_balancer_config watching(const outlier_detection_config& x = {}) {
  return {.retries = 0, .outlier_detection = x};
}

TEST_F(OutlierRouting, LeavesARegionAfterFiveErrorsAndComesBack) {
  start(watching(), 2);
  answers_[0] = outcome::internal_error;
  EXPECT_EQ(requests(8), "AAAAABBB");
  EXPECT_EQ(failed_, 5) << "B-48: five that users see";
  EXPECT_EQ(subject_->route().regions, std::vector<std::uint32_t>{1});
  answers_[0] = outcome::ok;
  advance_to(run_start + 29s);
  EXPECT_EQ(requests(2), "BB");
  advance_to(run_start + 30s);
  EXPECT_EQ(requests(2), "AA");
  EXPECT_FALSE(subject_->route().fail_open);
}

TEST_F(OutlierRouting, ARetryAvoidsWhatItsErrorEjected) {
  auto config = watching();
  config.retries = 2;
  start(config, 2);
  answers_ = {outcome::unavailable, outcome::unavailable};
  // When both have been tried the closest is next again, until its fifth error ejects it.
  EXPECT_EQ(requests(3), "ABAABAABB");
  start(config, 2);
  answers_ = {outcome::unavailable, outcome::ok};
  EXPECT_EQ(requests(6), "ABABABABABB");
  EXPECT_EQ(failed_, 0);
}

TEST_F(OutlierRouting, NoAnswerInTimeCountsToo) {
  start(watching(), 2);
  answers_[0] = outcome::lb_timeout;
  EXPECT_EQ(requests(6), "AAAAAA");
  advance_to(run_start + 30s);
  EXPECT_EQ(requests(1), "B");
  EXPECT_EQ(failed_, 6);
}

TEST_F(OutlierRouting, C73_EachStepOfADrainCostsOneRequest) {
  outlier_detection_config x;
  x.consecutive_5xx = 1;
  x.interval = 1s;
  x.base_ejection_time = 600s;
  x.max_ejection_time = 600s;
  x.max_ejection_percent = 100;
  start(watching(x), 4);
  EXPECT_EQ(requests(2), "AA");
  answers_[0] = outcome::unavailable;
  EXPECT_EQ(requests(3), "ABB");
  answers_[1] = outcome::unavailable;
  EXPECT_EQ(requests(3), "BCC");
  answers_[2] = outcome::unavailable;
  EXPECT_EQ(requests(3), "CDD");
  EXPECT_EQ(failed_, 3);
}

TEST_F(OutlierRouting, C61_UnhealthyRegionsDoNotCountAgainstTheCap) {
  start(watching(), 3);
  subject_->apply(now_, 0, health::unhealthy);
  answers_[1] = outcome::internal_error;
  EXPECT_EQ(requests(7), "BBBBBCC");
}

TEST_F(OutlierRouting, UsesEveryRegionWhenNoneIsLeft) {
  start(watching(), 2);
  answers_[0] = outcome::internal_error;
  requests(5);
  EXPECT_FALSE(subject_->route().fail_open);
  EXPECT_TRUE(subject_->apply(now_, 1, health::unhealthy));
  EXPECT_TRUE(subject_->route().fail_open) << "B-30: one is ejected, the other one unhealthy";
  const auto sent = requests(1000);
  EXPECT_NEAR(static_cast<double>(std::count(sent.begin(), sent.end(), 'A')), 500, 80);
  EXPECT_TRUE(subject_->apply(now_, 1, health::healthy));
  EXPECT_EQ(requests(2), "BB");
}

TEST_F(OutlierRouting, B_48_EachProxyPaysForItself) {
  for (const std::uint32_t proxies : {1U, 3U, 8U}) {
    SCOPED_TRACE(proxies);
    auto config = watching();
    config.proxies = proxies;
    ejected_.clear();
    start(config, 2);
    answers_[0] = outcome::internal_error;
    auto first = 0;
    for (int i = 0; i < 2000; ++i) {
      request();
      if (first == 0 && subject_->ejected_by(0) > 0)
        first = failed_;
    }
    EXPECT_EQ(failed_, static_cast<int>(5 * proxies));
    EXPECT_EQ(ejected_.size(), proxies);
    EXPECT_EQ(subject_->ejected_by(0), proxies);
    EXPECT_GE(first, 5);
    EXPECT_TRUE(proxies == 1 || first < failed_) << "one after the other";
  }
}

TEST_F(OutlierRouting, TheRouteNamesWhatAnyProxyUses) {
  auto config = watching();
  config.proxies = 2;
  start(config, 2);
  answers_[0] = outcome::internal_error;
  while (subject_->ejected_by(0) == 0)
    request();
  EXPECT_EQ(subject_->route().regions, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_FALSE(subject_->route().fail_open);
  while (subject_->ejected_by(0) == 1)
    request();
  EXPECT_EQ(subject_->route().regions, std::vector<std::uint32_t>{1});
}

// Rounded down one by one, 140 and 160 of 300 would be 46 and 53.
TEST_F(OutlierRouting, SharesOfSeveralProxiesAddUpTo100) {
  auto config = watching({.consecutive_5xx = 1});
  config.kind = load_balancer_kind::envoy;
  config.proxies = 3;
  start(config, 2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    endpoint_view view;
    view.at("a") = {.total = 4, .healthy = i == 0 ? 2U : 4U};
    subject_->apply(now_, i, view);
  }
  EXPECT_EQ(subject_->route().shares, (std::vector<std::uint32_t>{70, 30}));
  answers_[0] = outcome::internal_error;
  while (subject_->ejected_by(0) == 0)
    request();
  EXPECT_EQ(subject_->route().shares, (std::vector<std::uint32_t>{47, 53}));
}

// The only region that is left was ejected, and the one that waits for an operator is well.
TEST_F(OutlierRouting, WhatWaitsIsUsedRatherThanWhatWasEjected) {
  auto config = watching({.consecutive_5xx = 1, .max_ejection_percent = 100});
  config.failback = {.back = failback_mode::manual};
  start(config, 2);
  for (const auto state : {health::healthy, health::unhealthy, health::healthy})
    subject_->apply(now_, 0, state);
  subject_->apply(now_, 1, health::healthy);
  EXPECT_EQ(requests(3), "BBB") << "A waits";
  answers_[1] = outcome::internal_error;
  EXPECT_EQ(requests(4), "BAAA");
  EXPECT_FALSE(subject_->route().fail_open);
  EXPECT_EQ(subject_->described(0), "HEALTHY(waits, used all the same)");
  answers_[1] = outcome::ok;
  advance_to(run_start + 31s);
  EXPECT_EQ(requests(3), "BBB") << "and it waits on when there is another one again";
}

TEST_F(OutlierRouting, ProxiesSweepOneAfterTheOther) {
  auto config = watching();
  config.proxies = 4;
  start(config, 2);
  std::string times;
  for (int i = 0; i < 8; ++i) {
    now_ = subject_->next_sweep();
    times += to_string(now_.time_since_epoch()) + " ";
    subject_->on_sweep(now_, *this);
  }
  EXPECT_EQ(times, "2500ms 5s 7500ms 10s 12500ms 15s 17500ms 20s ");
}

TEST_F(OutlierRouting, ChangesNothingWhileNobodyFails) {
  // Failing open draws a number for each request: any other draw would shift them.
  const auto all = [this](const load_balancer_config& config) {
    start(config, 3);
    for (std::uint32_t i = 0; i < 3; ++i)
      subject_->apply(now_, i, health::unhealthy);
    return requests(200);
  };
  auto off = watching();
  const auto watched = all(off);
  off.outlier_detection.reset();
  const auto expected = all(off);
  EXPECT_EQ(watched, expected) << "one proxy that watches";
  off.proxies = 7;
  EXPECT_EQ(all(off), expected) << "proxies that do not";
  EXPECT_EQ(subject_->next_sweep(), never);
  EXPECT_EQ(subject_->proxies(), 1u);
}

TEST_F(OutlierRouting, ConfigurationProblemsNameTheirPlace) {
  auto config = watching();
  config.proxies = 0;
  config.outlier_detection->max_ejection_percent = 101;
  EXPECT_EQ(validate(config), (std::vector<std::string>{
                                "proxies: must be from 1 to 1000",
                                "outlier_detection.max_ejection_percent: must be at most 100"}));
}

} // namespace
} // namespace spillover
