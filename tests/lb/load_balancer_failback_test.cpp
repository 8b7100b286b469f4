#include "lb/load_balancer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

constexpr auto up = health::healthy;
constexpr auto down = health::unhealthy;

class LoadBalancerFailbackTest : public testing::Test, public load_balancer_effects {
protected:
  void start(const failback_config& how, std::uint32_t regions = 3) {
    load_balancer_config config;
    config.failback = how;
    // A failback policy stands there for actions alone too.
    config.actions = {{run_start + 1h}};
    subject_.emplace(config, regions, random_stream{1, "clients/lb"});
    for (std::uint32_t i = 0; i < regions; ++i)
      subject_->apply(run_start, i, up);
  }

  void send(std::uint32_t region, std::uint32_t key, std::uint16_t attempt,
            const record& request) override {
    ++sent_[region];
    last_ = {key, attempt, request.request};
  }
  void answer(const record&, outcome) override {}

  // Requests that each region gets of so many.
  std::array<std::uint32_t, 3> sent_of(int requests) {
    sent_ = {};
    for (; requests > 0; --requests) {
      record x;
      x.what = op::request;
      x.request = ++number_;
      subject_->on_request(now_, x, *this);
      subject_->on_response(now_, last_.key, last_.attempt, last_.request, outcome::ok, *this);
    }
    return sent_;
  }

  // Lets time pass, and says what is described of the first region each time something changed.
  std::string advance(duration span) {
    std::string result;
    const auto until = now_ + span;
    while (subject_->next_route_due() <= until) {
      now_ = subject_->next_route_due();
      if (subject_->on_route_due(now_))
        result.append(result.empty() ? "" : " ").append(subject_->described(0));
    }
    now_ = until;
    return result;
  }

  // E.g. "A70 B30"; no number where one region has all.
  [[nodiscard]] std::string route() const {
    const auto& x = subject_->route();
    std::string result;
    for (std::size_t i = 0; i < x.regions.size(); ++i) {
      result += i == 0 ? "" : " ";
      result += static_cast<char>('A' + x.regions[i]);
      if (!x.shares.empty())
        result += std::to_string(x.shares[i]);
    }
    return x.fail_open ? result + '!' : result;
  }

  struct last_sent {
    std::uint32_t key = 0;
    std::uint16_t attempt = 0;
    std::uint64_t request = 0;
  };

  instant now_ = run_start + 10s;
  std::optional<load_balancer> subject_;
  std::array<std::uint32_t, 3> sent_{};
  last_sent last_;
  std::uint64_t number_ = 0;
};

TEST_F(LoadBalancerFailbackTest, ARegionComesBackInSteps) {
  start({.back = failback_mode::over, .back_span = 100s, .steps = 4});
  EXPECT_TRUE(subject_->apply(now_, 0, down));
  EXPECT_EQ(route(), "B");
  EXPECT_TRUE(subject_->apply(now_, 0, up)) << "its share is 0 %, which is told";
  EXPECT_EQ(route(), "B");
  EXPECT_EQ(subject_->described(0), "HEALTHY(0%)");
  EXPECT_EQ(sent_of(100)[0], 0u);
  advance(25s);
  EXPECT_EQ(route(), "A25 B75");
  const auto sent = sent_of(10'000);
  // Four standard deviations of a share drawn for each request.
  EXPECT_NEAR(sent[0], 2'500, 4 * 43.3);
  EXPECT_EQ(sent[0] + sent[1], 10'000u);
  advance(75s);
  EXPECT_EQ(route(), "A");
  EXPECT_EQ(sent_of(100)[0], 100u);
  EXPECT_EQ(subject_->next_route_due(), never);
}

TEST_F(LoadBalancerFailbackTest, SharesOfSeveralGoToTheNextThatMayBeUsed) {
  start({.back = failback_mode::over, .back_span = 100s, .steps = 2});
  for (const auto state : {down, up})
    for (const std::uint32_t region : {0u, 1u})
      subject_->apply(now_, region, state);
  EXPECT_EQ(route(), "C");
  advance(50s);
  EXPECT_EQ(route(), "A50 B25 C25");
  const auto sent = sent_of(10'000);
  EXPECT_NEAR(sent[0], 5'000, 4 * 50);
  EXPECT_NEAR(sent[1], 2'500, 4 * 43.3);
}

TEST_F(LoadBalancerFailbackTest, ARetryGoesToARegionThatComesBackRatherThanToOneThatWasTried) {
  start({.back = failback_mode::over, .back_span = 100s, .steps = 2}, 2);
  subject_->apply(now_, 1, down);
  subject_->apply(now_, 1, up);
  advance(50s);
  EXPECT_EQ(route(), "A") << "who comes back is not the closest";
  for (auto left = 200; left > 0; --left) {
    sent_ = {};
    record x;
    x.what = op::request;
    x.request = ++number_;
    subject_->on_request(now_, x, *this);
    const auto first = last_;
    subject_->on_response(now_, first.key, first.attempt, first.request, outcome::unavailable,
                          *this);
    subject_->on_response(now_, last_.key, last_.attempt, last_.request, outcome::ok, *this);
    EXPECT_EQ(sent_[0], 1u);
    EXPECT_EQ(sent_[1], 1u);
  }
}

TEST_F(LoadBalancerFailbackTest, AShareIsNoLimitWhereThereIsNoOtherRegion) {
  start({.back = failback_mode::over, .back_span = 100s, .steps = 2}, 1);
  subject_->apply(now_, 0, down);
  EXPECT_EQ(route(), "A!");
  subject_->apply(now_, 0, up);
  EXPECT_EQ(sent_of(100)[0], 100u);
  advance(50s);
  EXPECT_EQ(route(), "A");
  EXPECT_EQ(sent_of(100)[0], 100u);
}

TEST_F(LoadBalancerFailbackTest, AHoldKeepsARegionOutOfUse) {
  start({.back = failback_mode::after, .back_span = 60s});
  subject_->apply(now_, 0, down);
  EXPECT_TRUE(subject_->apply(now_, 0, up)) << "nobody moves, but what holds the region is told";
  EXPECT_EQ(route(), "B");
  EXPECT_EQ(subject_->described(0), "HEALTHY(held until 70s)");
  EXPECT_EQ(sent_of(100)[1], 100u);
  EXPECT_EQ(advance(60s), "HEALTHY");
  EXPECT_EQ(route(), "A");
}

TEST_F(LoadBalancerFailbackTest, AHoldKeepsARegionInUse) {
  start({.leave = failover_mode::after, .leave_span = 60s});
  EXPECT_TRUE(subject_->apply(now_, 0, down));
  EXPECT_EQ(route(), "A");
  EXPECT_EQ(subject_->described(0), "UNHEALTHY(kept until 70s)");
  EXPECT_EQ(sent_of(100)[0], 100u);
  advance(60s);
  EXPECT_EQ(route(), "B");
}

TEST_F(LoadBalancerFailbackTest, OperatorsMoveRegions) {
  start({});
  EXPECT_EQ(subject_->act(now_, balancer_step::fail_over, 0), "");
  EXPECT_EQ(route(), "B");
  EXPECT_EQ(subject_->described(0), "HEALTHY(drained)");
  EXPECT_EQ(subject_->act(now_, balancer_step::fail_back, 0), "");
  EXPECT_EQ(route(), "A");
  subject_->apply(now_, 0, down);
  EXPECT_EQ(subject_->act(now_, balancer_step::fail_back, 0),
            "UNHEALTHY, and failover is automatic");
  EXPECT_EQ(route(), "B");
  EXPECT_EQ(subject_->act(now_, balancer_step::failover_off, 0), "");
  EXPECT_EQ(subject_->act(now_, balancer_step::fail_back, 0), "");
  EXPECT_EQ(route(), "A");
  EXPECT_EQ(subject_->act(now_, balancer_step::failover_on, 0), "");
  EXPECT_EQ(route(), "B");
}

} // namespace
