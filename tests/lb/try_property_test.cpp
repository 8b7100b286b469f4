#include "lb/make_router.hpp"
#include "tests/lb/chaos_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;

// A balancer with any of what happens to single tries.
load_balancer_config any_config(std::uint64_t seed) {
  random_stream random{seed, "config"};
  const auto below = [&random](std::uint32_t n) {
    return static_cast<std::uint32_t>(random.below(n));
  };
  load_balancer_config x;
  if (below(3) == 0) {
    x.kind = load_balancer_kind::envoy;
    x.envoy.policy = static_cast<host_policy>(below(4));
    x.envoy.healthy_panic_threshold = below(2) * 50;
  }
  x.timeout = 1ms * (10 + below(60));
  x.retries = below(4);
  x.unknown = static_cast<unknown_policy>(below(3));
  x.proxies = 1 + below(2);
  if (below(3) > 0)
    x.per_try_timeout = 1ms * (1 + below(20));
  x.hedge_on_per_try_timeout = x.per_try_timeout && x.retries > 0 && below(2) == 0;
  if (below(2) == 0)
    x.retry_back_off =
      retry_back_off_config{.base_interval = 1ms * (1 + below(5)), .max_interval = 20ms};
  if (below(2) == 0)
    x.connection_draining_timeout = 1ms * below(10);
  if (below(3) > 0)
    x.circuit_breakers = {.protocol = static_cast<upstream_protocol>(below(2)),
                          .max_connections = 1 + below(4),
                          .max_pending_requests = below(4),
                          .max_requests = 1 + below(8),
                          .max_retries = below(4)};
  if (x.circuit_breakers && below(2) == 0)
    x.circuit_breakers->retry_budget = {below(101), below(3)};
  if (below(2) == 0) {
    auto& outliers = x.outlier_detection.emplace();
    outliers.interval = 10ms;
    outliers.base_ejection_time = 20ms;
    outliers.max_ejection_percent = 100;
    outliers.consecutive_5xx = 2;
  }
  return x;
}

// States change while all that may happen to single tries does.
class hedged_chaos : public test::chaos_world {
public:
  hedged_chaos(std::uint64_t seed, std::uint32_t regions)
    : chaos_world(any_config(seed), regions, seed),
      states_(regions, health::unknown),
      last_known_(regions, health::healthy),
      ejected_(subject_.proxies()) {}

  void send(std::uint32_t region, std::uint32_t key, std::uint16_t attempt,
            const record& request) override {
    chaos_world::send(region, key, attempt, request);
    expect_usable(subject_.proxy_of(key), region);
    most_ = std::max(most_, open_[request.request].size());
  }

  void step() {
    pass(duration{static_cast<duration::rep>(random_.below(2'000'000))});
    const auto what = random_.below(10);
    if (what < 4)
      begin();
    else if (what < 8)
      respond();
    else if (what < 9)
      lose();
    else
      apply(static_cast<std::uint32_t>(random_.below(regions_)),
            static_cast<health>(random_.below(3)));
  }

  void outlier_changed(std::uint32_t proxy, const outlier_change& x) override {
    if (x.action == outlier_action::ejected)
      ejected_.at(proxy).insert(x.host);
    else if (x.action == outlier_action::returned)
      ejected_.at(proxy).erase(x.host);
  }

  void balance() {
    chaos_world::balance();
    for (std::uint32_t region = 0; region < regions_; ++region)
      expect_reasons(region);
    const auto [courses, going_on] = subject_.courses();
    ASSERT_EQ(courses.open(), going_on);
    const auto& shares = subject_.route().shares;
    if (!shares.empty() && config_.proxies == 1) {
      ASSERT_EQ(std::accumulate(shares.begin(), shares.end(), 0u), 100u);
    }
    if (config_.kind != load_balancer_kind::envoy || config_.envoy.healthy_panic_threshold > 0) {
      ASSERT_FALSE(subject_.route().regions.empty());
    }
  }

  // Lets all deadlines pass; then nothing may be left of anything, and whatever breakers count is free again.
  void finish() {
    pass(1h);
    // The last sweep may have let a region drain.
    pass(1h);
    EXPECT_TRUE(open_.empty());
    EXPECT_EQ(subject_.next_deadline(), never);
    for (std::uint32_t region = 0; region < regions_; ++region) {
      EXPECT_EQ(subject_.attempts(region).open(), 0u) << "each try has an end";
      apply(region, health::healthy);
    }
    const auto before = sent();
    begin();
    EXPECT_EQ(sent(), before + 1);
    pass(1h);
  }

  // How often what this is about happened.
  void add_to(try_count& sum, try_fate_count& fates, std::uint64_t& late, std::size_t& most) const {
    for (std::uint32_t region = 0; region < regions_; ++region) {
      const auto x = subject_.tries(region);
      sum.timed_out += x.timed_out;
      sum.hedged += x.hedged;
      sum.cancelled += x.cancelled;
      sum.cut += x.cut;
      sum.queued += x.queued;
      sum.overflow += x.overflow;
      const auto y = subject_.fates(region);
      fates.overdue += y.overdue;
      fates.given_up += y.given_up;
      fates.connected += y.connected;
      fates.left += y.left;
      late += subject_.attempts(region).late;
    }
    most = std::max(most, most_);
  }

  [[nodiscard]] std::uint64_t failed_open_alone() const { return failed_open_alone_; }

  // Those beside the one that each request has.
  [[nodiscard]] std::uint64_t courses_beside() const {
    return subject_.courses().counted.taken - subject_.requests().taken;
  }

private:
  void apply(std::uint32_t region, health state) {
    states_[region] = state;
    if (state != health::unknown)
      last_known_[region] = state;
    subject_.apply(now_, region, state);
  }

  [[nodiscard]] bool usable(std::uint32_t proxy, std::uint32_t region) const {
    auto state = states_[region];
    if (state == health::unknown)
      state = config_.unknown == unknown_policy::last_known   ? last_known_[region]
              : config_.unknown == unknown_policy::as_healthy ? health::healthy
                                                              : health::unhealthy;
    return state == health::healthy && !ejected_[proxy].contains(region);
  }

  [[nodiscard]] bool none_usable(std::uint32_t proxy) const {
    for (std::uint32_t region = 0; region < regions_; ++region)
      if (usable(proxy, region))
        return false;
    return true;
  }

  // A proxy sends nothing to a region that it takes to be out, but when all are: then it fails open, and an
  // Envoy's priorities panic, which are of one endpoint each.
  void expect_usable(std::uint32_t proxy, std::uint32_t region) {
    if (usable(proxy, region))
      return;
    ASSERT_TRUE(none_usable(proxy)) << "proxy " << proxy << ", region " << region;
    const auto panics =
      config_.kind != load_balancer_kind::envoy || config_.envoy.healthy_panic_threshold > 0;
    ASSERT_TRUE(panics) << "proxy " << proxy << ", region " << region;
    for (std::uint32_t other = 0; other < subject_.proxies(); ++other)
      failed_open_alone_ += none_usable(other) ? 0 : 1;
  }

  // Whatever ended without an answer has one reason for that.
  void expect_reasons(std::uint32_t region) const {
    if (!wants_try_table(config_))
      return;
    const auto x = subject_.tries(region);
    const auto fates = subject_.fates(region);
    const auto by_time = x.timed_out - fates.overdue;
    const auto ended = subject_.attempts(region).ended;
    ASSERT_EQ(ended[static_cast<std::size_t>(outcome::lb_timeout)],
              by_time + fates.given_up + x.cancelled + x.cut);
    ASSERT_EQ(x.queued, fates.connected + fates.left + fates.waiting);
  }

  // One event after the other, as in a run.
  void pass(duration span) {
    const auto end = now_ + span;
    for (;;) {
      const auto sweep = open_.empty() && span >= 1h ? never : subject_.next_sweep();
      const auto next = std::min(subject_.next_deadline(), sweep);
      if (next > end)
        break;
      now_ = next;
      if (subject_.next_deadline() <= now_)
        subject_.on_deadline(now_, *this);
      else
        subject_.on_sweep(now_, *this);
    }
    now_ = end;
    if (span >= 1h)
      subject_.on_sweep(now_, *this);
  }

  std::size_t most_ = 0;
  std::vector<health> states_; // by region
  std::vector<health> last_known_;
  std::vector<std::set<std::uint32_t>> ejected_; // regions, by proxy
  std::uint64_t failed_open_alone_ = 0;
};

TEST(TryTable, BooksBalanceWithHedgingPausesQueuesAndDrainingAtOnce) {
  try_count sum;
  try_fate_count fates;
  std::uint64_t late = 0;
  std::size_t most = 0;
  std::uint64_t beside = 0;
  std::uint64_t alone = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    hedged_chaos world{seed, static_cast<std::uint32_t>(1 + seed % 4)};
    for (int i = 0; i < 1'000 && !testing::Test::HasFailure(); ++i) {
      world.step();
      world.balance();
    }
    world.finish();
    world.balance();
    world.add_to(sum, fates, late, most);
    beside += world.courses_beside();
    alone += world.failed_open_alone();
    if (testing::Test::HasFailure())
      return;
  }
  // The property says little unless all of these happened.
  EXPECT_GT(sum.timed_out, 300u);
  EXPECT_GT(sum.hedged, 300u);
  EXPECT_GT(sum.cancelled, 300u);
  EXPECT_GT(sum.cut, 100u);
  EXPECT_GT(sum.queued, 300u);
  EXPECT_GT(sum.overflow, 300u);
  EXPECT_GT(fates.overdue, 300u);
  EXPECT_GT(fates.given_up, 300u);
  EXPECT_GT(fates.connected, 300u);
  EXPECT_GT(fates.left, 100u);
  EXPECT_GT(beside, 300u);
  EXPECT_GT(alone, 100u);
  EXPECT_GT(late, 1'000u);
  EXPECT_EQ(most, 4u);
}

endpoint_view any_endpoints(random_stream& random) {
  endpoint_view result;
  const auto total = static_cast<std::uint32_t>(random.below(6));
  result.at("a") = {.total = total, .healthy = static_cast<std::uint32_t>(random.below(total + 1))};
  return result;
}

TEST(LoadBalancer, SharesAddUpWheneverSomebodyMayBeUsed) {
  std::uint64_t shared = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_stream random{seed, "shares"};
    load_balancer_config config;
    config.kind = std::array{load_balancer_kind::global_external_application,
                             load_balancer_kind::dns, load_balancer_kind::envoy}[seed % 3];
    config.retries = 0;
    config.envoy.healthy_panic_threshold = static_cast<std::uint32_t>(random.below(3) * 50);
    config.unknown = static_cast<unknown_policy>(random.below(3));
    const auto regions = static_cast<std::uint32_t>(1 + random.below(5));
    if (random.below(2) == 0)
      config.envoy.priorities.assign(regions, 0);
    config.dns.answer = static_cast<dns_answer>(random.below(2));
    const auto router = make_region_router(config, regions);
    auto now = run_start;
    for (int step = 0; step < 50; ++step) {
      now += 1s * (1 + static_cast<duration::rep>(random.below(20)));
      router->on_time(now);
      const auto region = static_cast<std::uint32_t>(random.below(regions));
      switch (random.below(3)) {
        case 0: router->set(now, region, static_cast<health>(random.below(3))); break;
        case 1: router->set_ejected(now, region, random.below(2) == 0); break;
        default: router->set_endpoints(now, region, any_endpoints(random));
      }
      auto somebody = false;
      for (std::uint32_t i = 0; i < regions; ++i)
        somebody = somebody || router->usable(i);
      const auto& [to, shares, fail_open] = router->current();
      ASSERT_TRUE(!somebody || !to.empty());
      ASSERT_TRUE(shares.empty() || shares.size() == to.size());
      ASSERT_TRUE(shares.empty() || std::accumulate(shares.begin(), shares.end(), 0u) == 100);
      shared += shares.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(shared, 1'000u);
}

} // namespace
} // namespace spillover
