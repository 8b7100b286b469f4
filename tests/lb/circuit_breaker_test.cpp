#include "lb/load_balancer.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

class CircuitBreakerTest : public testing::Test, public load_balancer_effects {
protected:
  struct sent {
    std::uint32_t region;
    std::uint32_t key;
    std::uint16_t attempt;
    std::uint64_t request;
  };

  void start(const circuit_breaker_config& limits, std::uint32_t retries = 1,
             std::uint32_t regions = 2) {
    load_balancer_config config;
    config.timeout = 10s;
    config.retries = retries;
    config.circuit_breakers = limits;
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
  }

  void request(std::uint64_t number) {
    record x;
    x.what = op::request;
    x.request = number;
    subject_->on_request(now_, x, *this);
  }

  void respond(std::size_t which, outcome how) {
    const auto to = sent_.at(which);
    subject_->on_response(now_, to.key, to.attempt, to.request, how, *this);
  }

  std::uint64_t refused() const { return subject_->refused().taken; }

  instant now_ = run_start;
  std::optional<load_balancer> subject_;
  std::vector<sent> sent_;
  std::string answers_;
};

TEST_F(CircuitBreakerTest, RefusesWhatIsMoreThanARegionMayHave) {
  start({.max_requests = 2});
  request(1);
  request(2);
  request(3);
  EXPECT_EQ(sent_.size(), 2u);
  EXPECT_EQ(answers_, "3 unavailable;") << "at once, and not in another region";
  EXPECT_EQ(subject_->overflow(0), (overflow_count{1, 0}));
  EXPECT_EQ(refused(), 1u);
  respond(0, outcome::ok);
  request(4);
  EXPECT_EQ(sent_.size(), 3u) << "there is room again";
  now_ += 10s;
  subject_->on_deadline(now_, *this);
  EXPECT_EQ(answers_, "3 unavailable;1 ok;2 lb_timeout;4 lb_timeout;");
  request(5);
  request(6);
  EXPECT_EQ(sent_.size(), 5u) << "those that were given up are not in flight any more";
  EXPECT_EQ(subject_->requests().taken, 6u);
}

TEST_F(CircuitBreakerTest, MakesNoMoreRetriesAtATimeThanItMay) {
  start({.max_retries = 1});
  for (std::uint64_t i = 1; i <= 3; ++i)
    request(i);
  respond(0, outcome::bad_gateway);
  ASSERT_EQ(sent_.size(), 4u);
  EXPECT_EQ(sent_[3].region, 1u);
  respond(1, outcome::bad_gateway);
  EXPECT_EQ(answers_, "2 bad_gateway;") << "the answer before stands";
  EXPECT_EQ(subject_->overflow(1), (overflow_count{0, 1}));
  EXPECT_EQ(refused(), 0u);
  respond(3, outcome::ok);
  respond(2, outcome::unavailable);
  ASSERT_EQ(sent_.size(), 5u) << "one has ended";
  respond(4, outcome::ok);
  EXPECT_EQ(answers_, "2 bad_gateway;1 ok;3 ok;");
}

TEST_F(CircuitBreakerTest, LimitsRetriesByABudget) {
  struct {
    const char* why;
    retry_budget_config budget;
    std::uint32_t retries; // that are made of ten requests that fail one after the other
  } const cases[] = {
    {"a few may always be", {.percent = 0, .min_retry_concurrency = 3}, 3},
    {"none at all", {.percent = 0, .min_retry_concurrency = 0}, 0},
    // The region has 20 requests of others: with 20 % four may be retries, then the fifth makes 5 of 24.
    {"a share of what is in flight", {.percent = 20, .min_retry_concurrency = 0}, 4},
    {"the larger of the two", {.percent = 20, .min_retry_concurrency = 6}, 6},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    sent_.clear();
    start({.retry_budget = x.budget});
    for (std::uint64_t i = 0; i < 10; ++i)
      request(i);
    subject_->apply(now_, 0, health::unhealthy);
    for (std::uint64_t i = 10; i < 30; ++i)
      request(i);
    for (std::size_t i = 0; i < 10; ++i)
      respond(i, outcome::unavailable);
    EXPECT_EQ(sent_.size() - 30, x.retries);
    EXPECT_EQ(subject_->overflow(1).retries, 10 - x.retries);
  }
}

TEST_F(CircuitBreakerTest, CountsForEachProxy) {
  load_balancer_config config;
  config.proxies = 4;
  config.circuit_breakers = circuit_breaker_config{.max_requests = 5};
  subject_.emplace(config, 1, random_stream{1, "clients/lb"});
  for (std::uint64_t i = 0; i < 1'000; ++i)
    request(i);
  EXPECT_EQ(sent_.size(), 20u);
  EXPECT_EQ(subject_->overflow(0).requests, 980u);
}

TEST(LoadBalancerConfig, SaysWhatCannotBe) {
  using problems = std::vector<std::string>;
  load_balancer_config x;
  x.kind = load_balancer_kind::dns;
  EXPECT_EQ(validate(x), problems{"retries: must be 0 where nobody tries again"});
  x.retries = 0;
  EXPECT_EQ(validate(x), problems{});
  x.circuit_breakers.emplace();
  EXPECT_EQ(validate(x), problems{"kind: dns has nobody who detects outliers or breaks circuits"});
  load_balancer_config y;
  y.envoy = {.priorities = {0, 2},
             .overprovisioning_factor = 99,
             .healthy_panic_threshold = 101,
             .locality_weights = {0},
             .hash_keys = 0};
  y.dns = {.ttl = 999ms, .resolvers = 0, .client_cache = 86'401s};
  y.circuit_breakers = {.max_requests = 0, .retry_budget = retry_budget_config{.percent = 101}};
  EXPECT_EQ(validate(y),
            (problems{"envoy.priorities: every priority must have a region",
                      "envoy.overprovisioning_factor: must be from 100 to 100000",
                      "envoy.healthy_panic_threshold: must be from 0 to 100",
                      "envoy.locality_weights: must be from 1 to 1000000",
                      "envoy.hash_keys: must be from 1 to 1000000",
                      "dns.ttl: must be from 1s to 86400s", "dns.resolvers: must be from 1 to 1000",
                      "dns.client_cache: must be from 0s to 86400s",
                      "circuit_breakers.max_requests: must be from 1 to 1000000",
                      "circuit_breakers.retry_budget.percent: must be from 0 to 100"}));
}

} // namespace
