#include "lb/load_balancer.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

class LoadBalancerTest : public testing::Test, public load_balancer_effects {
protected:
  struct sent {
    std::uint32_t region;
    std::uint32_t key;
    std::uint16_t attempt;
    std::uint64_t request;
  };

  void start(const load_balancer_config& config, std::uint32_t regions = 2) {
    subject_.emplace(config, regions, random_stream{1, "clients/lb"});
  }

  void send(std::uint32_t region, std::uint32_t key, std::uint16_t attempt,
            const record& request) override {
    sent_.push_back({region, key, attempt, request.request});
  }

  void answer(const record& request, outcome how) override {
    answers_ += std::to_string(request.request) + ' ';
    answers_ += to_string(how);
    answers_ += ';';
    last_answered_ = request;
  }

  void request(std::uint64_t number, std::uint16_t attempt = 0) {
    record x;
    x.what = op::request;
    x.request = number;
    x.attempt = attempt;
    x.sent = 42;
    x.reply_to = 7;
    x.arg = 9;
    subject_->on_request(now_, x, *this);
  }

  void respond(const sent& to, outcome how) {
    subject_->on_response(now_, to.key, to.attempt, to.request, how, *this);
  }

  // Lets time pass as a runtime would: stops at each deadline.
  void advance(duration span) {
    const auto until = now_ + span;
    while (subject_->next_deadline() <= until) {
      now_ = subject_->next_deadline();
      subject_->on_deadline(now_, *this);
    }
    now_ = until;
  }

  std::uint64_t ended(std::uint32_t region, outcome how) const {
    return subject_->attempts(region).ended[static_cast<std::size_t>(how)];
  }

  instant now_ = run_start;
  std::optional<load_balancer> subject_;
  std::vector<sent> sent_;
  std::string answers_;
  record last_answered_;
};

TEST_F(LoadBalancerTest, SendsToTheClosestRegionAndHandsTheRequestBackAsItCame) {
  start({});
  request(1);
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].region, 0u);
  EXPECT_EQ(sent_[0].attempt, 0u);
  respond(sent_[0], outcome::ok);
  EXPECT_EQ(answers_, "1 ok;");
  EXPECT_EQ(last_answered_.sent, 42);
  EXPECT_EQ(last_answered_.reply_to, 7u);
  EXPECT_EQ(last_answered_.arg, 9u);
  EXPECT_EQ(subject_->requests().open(), 0u);
  EXPECT_EQ(ended(0, outcome::ok), 1u);
}

TEST_F(LoadBalancerTest, TriesABadAnswerAgainInAnotherRegionAtOnce) {
  start({});
  request(1);
  respond(sent_[0], outcome::unavailable);
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_EQ(sent_[1].region, 1u);
  EXPECT_EQ(sent_[1].attempt, 1u);
  EXPECT_EQ(answers_, "");
  respond(sent_[1], outcome::ok);
  EXPECT_EQ(answers_, "1 ok;");
  EXPECT_EQ(ended(0, outcome::unavailable), 1u);
  EXPECT_EQ(ended(1, outcome::ok), 1u);
}

TEST_F(LoadBalancerTest, GivesTheLastAnswerWhenNoTryIsLeft) {
  start({.retries = 1});
  request(1);
  respond(sent_[0], outcome::unavailable);
  respond(sent_[1], outcome::bad_gateway);
  EXPECT_EQ(sent_.size(), 2u);
  EXPECT_EQ(answers_, "1 bad_gateway;");
}

TEST_F(LoadBalancerTest, PassesOnWhatItIsNotToTryAgain) {
  start({.retries = 3});
  request(1);
  respond(sent_[0], outcome::internal_error);
  EXPECT_EQ(answers_, "1 internal_error;");
}

TEST_F(LoadBalancerTest, GivesUpWhenTheTimeOfAllTriesIsOver) {
  start({.timeout = 1s, .retries = 5});
  request(1);
  advance(900ms);
  respond(sent_[0], outcome::unavailable);
  ASSERT_EQ(sent_.size(), 2u);
  advance(100ms - 1ns);
  EXPECT_EQ(answers_, "");
  advance(1ns);
  EXPECT_EQ(answers_, "1 lb_timeout;");
  EXPECT_EQ(ended(0, outcome::unavailable), 1u);
  EXPECT_EQ(ended(1, outcome::lb_timeout), 1u);
  EXPECT_EQ(subject_->requests().open(), 0u);
  EXPECT_EQ(subject_->next_deadline(), never);
}

TEST_F(LoadBalancerTest, DoesNotTryAgainAtTheVeryDeadline) {
  start({.timeout = 1s, .retries = 5});
  request(1);
  now_ += 1s;
  respond(sent_[0], outcome::unavailable);
  EXPECT_EQ(answers_, "1 unavailable;");
}

TEST_F(LoadBalancerTest, CountsALateAnswerAtItsRegionEvenWhenItsSlotIsUsedAgain) {
  start({.timeout = 1s, .retries = 0});
  request(1);
  advance(1s);
  subject_->apply(now_, 0, health::unhealthy);
  request(2);
  ASSERT_EQ(sent_[1].region, 1u);
  respond(sent_[0], outcome::ok);
  EXPECT_EQ(answers_, "1 lb_timeout;");
  EXPECT_EQ(subject_->attempts(0).late, 1u);
  EXPECT_EQ(subject_->attempts(1).late, 0u);
  EXPECT_EQ(subject_->requests().late, 1u);
  respond(sent_[1], outcome::ok);
  EXPECT_EQ(answers_, "1 lb_timeout;2 ok;");
}

TEST_F(LoadBalancerTest, DoesNotTakeTheAnswerToAClientsEarlierTryForThatToItsNext) {
  start({.timeout = 1s, .retries = 1});
  request(1, 0);
  advance(1s);
  request(1, 1);
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_EQ(sent_[0].key, sent_[1].key);
  respond(sent_[0], outcome::ok);
  EXPECT_EQ(answers_, "1 lb_timeout;");
  EXPECT_EQ(subject_->attempts(0).late, 1u);
  respond(sent_[1], outcome::ok);
  EXPECT_EQ(answers_, "1 lb_timeout;1 ok;");
}

// Both tries have one region to go to and one slot to stand in: only their numbers tell them apart.
TEST_F(LoadBalancerTest, NumbersTheTriesOfOneClientsTryAboveThoseOfItsLast) {
  start({.timeout = 1s, .retries = 1}, 1);
  request(1);
  respond(sent_[0], outcome::unavailable);
  ASSERT_EQ(sent_.size(), 2u);
  advance(1s);
  request(1, 1);
  ASSERT_EQ(sent_.size(), 3u);
  ASSERT_EQ(sent_[2].key, sent_[1].key);
  respond(sent_[1], outcome::ok);
  EXPECT_EQ(answers_, "1 lb_timeout;");
  EXPECT_EQ(subject_->attempts(0).late, 1u);
}

TEST_F(LoadBalancerTest, IgnoresAnswersThatNobodyAskedFor) {
  start({});
  request(1);
  respond({0, sent_[0].key, 0, 99}, outcome::ok);
  respond({0, sent_[0].key, 1, 1}, outcome::ok);
  respond({0, sent_[0].key + 1, 0, 1}, outcome::ok);
  respond({0, 0xffffffff, 0, 1}, outcome::ok);
  EXPECT_EQ(answers_, "");
  EXPECT_EQ(subject_->requests().late, 4u);
  respond(sent_[0], outcome::ok);
  respond(sent_[0], outcome::ok);
  EXPECT_EQ(answers_, "1 ok;");
  EXPECT_EQ(subject_->requests().late, 5u);
}

TEST_F(LoadBalancerTest, B_32_LetsRequestsInFlightFinishInAnUnhealthyRegion) {
  start({});
  request(1);
  EXPECT_TRUE(subject_->apply(now_, 0, health::unhealthy));
  EXPECT_FALSE(subject_->apply(now_, 0, health::unhealthy));
  request(2);
  EXPECT_EQ(sent_[1].region, 1u);
  respond(sent_[0], outcome::ok);
  EXPECT_EQ(answers_, "1 ok;");
}

TEST_F(LoadBalancerTest, ApplySaysWhetherTheRouteChanged) {
  start({}, 3);
  EXPECT_FALSE(subject_->apply(now_, 2, health::unhealthy));
  EXPECT_FALSE(subject_->apply(now_, 0, health::healthy));
  EXPECT_TRUE(subject_->apply(now_, 0, health::unhealthy));
  EXPECT_TRUE(subject_->apply(now_, 1, health::unhealthy));
  EXPECT_TRUE(subject_->route().fail_open);
}

TEST_F(LoadBalancerTest, GB_19_AnswersNothingItselfWhileFailingOpen) {
  start({});
  subject_->apply(now_, 0, health::unhealthy);
  subject_->apply(now_, 1, health::unhealthy);
  int to_first = 0;
  for (std::uint64_t number = 1; number <= 10'000; ++number) {
    request(number);
    to_first += sent_.back().region == 0;
    respond(sent_.back(), outcome::ok);
  }
  EXPECT_EQ(sent_.size(), 10'000u);
  EXPECT_NEAR(to_first, 5000, 4 * 50);
  EXPECT_EQ(answers_.find("unavailable"), std::string::npos);
}

// Which requests a fault hits does not depend on what else lies on the balancer.
TEST_F(LoadBalancerTest, FaultsOnTopOfEachOtherDrawForThemselves) {
  const auto hit = [this](const std::vector<std::uint32_t>& faults) {
    start({});
    for (const auto x : faults)
      subject_->lay_fault(x, {"clients", 0.5, outcome::bad_gateway},
                          random_stream{1, "fault/" + std::to_string(x)});
    std::string result;
    for (std::uint64_t number = 1; number <= 200; ++number) {
      answers_.clear();
      request(number);
      result += answers_.empty() ? '.' : 'x';
    }
    return result;
  };
  const auto first = hit({1});
  const auto second = hit({2});
  EXPECT_NE(first, second);
  std::string either;
  for (std::size_t i = 0; i < first.size(); ++i)
    either += first[i] == 'x' || second[i] == 'x' ? 'x' : '.';
  EXPECT_EQ(hit({1, 2}), either);
}

TEST_F(LoadBalancerTest, RemembersWhenARegionWasLastUsed) {
  start({});
  EXPECT_LT(subject_->last_sent(0), run_start);
  now_ += 5s;
  request(1);
  EXPECT_EQ(subject_->last_sent(0), run_start + 5s);
  EXPECT_LT(subject_->last_sent(1), run_start);
}

TEST_F(LoadBalancerTest, ForgetsTheDeadlinesOfWhatIsSettled) {
  start({.timeout = 30s});
  for (std::uint64_t number = 1; number <= 1000; ++number) {
    request(number);
    now_ += 1ms;
    respond(sent_.back(), outcome::ok);
    ASSERT_EQ(subject_->next_deadline(), never);
  }
}

TEST(LoadBalancerConfig, ProblemsAreNamedByField) {
  using problems = std::vector<std::string>;
  EXPECT_EQ(validate(load_balancer_config{}), problems{});
  EXPECT_EQ(validate(load_balancer_config{.timeout = 1ms, .retries = 25}), problems{});
  EXPECT_EQ(validate(load_balancer_config{.timeout = 86400s}), problems{});
  EXPECT_EQ(validate(load_balancer_config{
              .timeout = 999us, .retries = 26, .retry_on = {outcome::lost, outcome::lb_timeout}}),
            (problems{"timeout: must be from 1ms to 86400s", "retries: must be at most 25",
                      "retry_on: lb_timeout is never tried again"}));
  EXPECT_EQ(validate(load_balancer_config{.timeout = 86401s}),
            problems{"timeout: must be from 1ms to 86400s"});
}

} // namespace
