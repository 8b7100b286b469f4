#include "tests/lb/chaos_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;

// Outlier detection of any kind.
load_balancer_config any_config(std::uint64_t seed) {
  random_stream random{seed, "config"};
  const auto any = [&random](std::uint32_t most) {
    return static_cast<std::uint32_t>(random.below(std::uint64_t{most} + 1));
  };
  outlier_detection_config x;
  x.consecutive_5xx = any(6);
  x.consecutive_gateway_failure = any(6);
  x.consecutive_local_origin_failure = 1 + any(3);
  x.interval = std::chrono::milliseconds{200 + any(2'000)};
  x.base_ejection_time = std::chrono::milliseconds{1 + any(3'000)};
  x.max_ejection_time = x.base_ejection_time * (1 + any(3));
  x.max_ejection_time_jitter = std::chrono::milliseconds{any(1) * any(500)};
  x.max_ejection_percent = any(100);
  x.always_eject_one_host = any(1) == 1;
  x.split_external_local_origin_errors = any(1) == 1;
  x.enforcing_consecutive_5xx = any(1) * 100;
  x.enforcing_consecutive_gateway_failure = any(1) * 50;
  x.enforcing_failure_percentage = any(1) * 100;
  x.success_rate_minimum_hosts = 1 + any(4);
  x.failure_percentage_minimum_hosts = 1 + any(4);
  x.success_rate_request_volume = any(20);
  x.failure_percentage_request_volume = any(20);
  x.success_rate_stdev_factor = any(1'500);
  load_balancer_config result;
  result.timeout = 500ms;
  result.retries = any(2);
  result.proxies = any(1) == 0 ? 1 : 1 + any(3);
  result.outlier_detection = x;
  return result;
}

/// Regions that fail and recover, answer late or never; keeps what it was told of ejections, and checks every
/// request against what the proxy that sends it was told.
class outlier_world : public test::chaos_world {
public:
  explicit outlier_world(std::uint64_t seed)
    : chaos_world(any_config(seed), static_cast<std::uint32_t>(1 + seed % 6), seed),
      health_(regions_, health::unknown),
      failing_(regions_),
      until_(config_.proxies, std::vector<instant>(regions_, never)) {}

  void send(std::uint32_t region, std::uint32_t key, std::uint16_t attempt,
            const record& request) override {
    chaos_world::send(region, key, attempt, request);
    // Whoever sends it did not eject it, nor knows it to be unhealthy, unless that leaves nobody.
    const auto number = subject_.proxy_of(key);
    ASSERT_LT(number, until_.size());
    const auto& proxy = until_[number];
    sent_by_.insert(number);
    if (!usable(proxy, region)) {
      EXPECT_TRUE(none_usable(proxy)) << "proxy " << number << ", region " << region;
      ++failed_open_;
      const auto others = std::any_of(until_.begin(), until_.end(),
                                      [this](const auto& x) { return !none_usable(x); });
      failed_open_alone_ += others ? 1 : 0;
    }
    EXPECT_EQ(subject_.router(number).ejected(region), proxy[region] != never);
  }

  void outlier_changed(std::uint32_t proxy, const outlier_change& x) override {
    auto& until = until_.at(proxy).at(x.host);
    const auto most = config_.outlier_detection->most_ejected(regions_);
    switch (x.action) {
      case outlier_action::ejected:
        EXPECT_EQ(until, never) << "ejected twice";
        EXPECT_GE(x.until, now_ + config_.outlier_detection->base_ejection_time);
        EXPECT_LE(x.until, now_ + config_.outlier_detection->max_ejection_time
                             + config_.outlier_detection->max_ejection_time_jitter);
        until = x.until;
        ++ejected_;
        break;
      case outlier_action::returned:
        EXPECT_NE(until, never) << "was not ejected";
        EXPECT_GE(now_, until) << "too early";
        EXPECT_LT(now_ - until, config_.outlier_detection->interval) << "a sweep too late";
        until = never;
        ++returned_;
        break;
      case outlier_action::spared: ++spared_; break;
    }
    EXPECT_LE(ejected_by(proxy), most) << "the cap";
    EXPECT_EQ(subject_.ejected_by(x.host), count_of(x.host));
  }

  void step() {
    pass(duration{static_cast<duration::rep>(random_.below(40'000'000))});
    switch (random_.below(12)) {
      case 0:
        if (random_.below(4) == 0)
          apply(below(regions_));
        break;
      case 1: failing_[random_.below(regions_)] = random_.unit() < 0.5 ? 0 : 1; break;
      case 2:
      case 3:
      case 4:
      case 5: begin(); break;
      default: respond();
    }
  }

  [[nodiscard]] std::size_t proxies() const { return until_.size(); }

  std::uint64_t ejected_ = 0;
  std::uint64_t returned_ = 0;
  std::uint64_t spared_ = 0;
  std::uint64_t failed_open_ = 0;
  std::uint64_t failed_open_alone_ = 0; // while another proxy could still choose
  std::set<std::uint32_t> sent_by_;     // proxies

private:
  [[nodiscard]] bool usable(const std::vector<instant>& proxy, std::uint32_t region) const {
    return proxy[region] == never && health_[region] != health::unhealthy;
  }

  [[nodiscard]] bool none_usable(const std::vector<instant>& proxy) const {
    for (std::uint32_t i = 0; i < regions_; ++i)
      if (usable(proxy, i))
        return false;
    return true;
  }

  [[nodiscard]] std::uint32_t ejected_by(std::uint32_t proxy) const {
    std::uint32_t result = 0;
    for (const auto until : until_[proxy])
      result += until != never ? 1 : 0;
    return result;
  }

  [[nodiscard]] std::uint32_t count_of(std::uint32_t region) const {
    std::uint32_t result = 0;
    for (const auto& proxy : until_)
      result += proxy[region] != never ? 1 : 0;
    return result;
  }

  // Stops at each deadline and sweep, as a runtime would.
  void pass(duration span) {
    const auto until = now_ + span;
    while (std::min(subject_.next_deadline(), subject_.next_sweep()) <= until) {
      now_ = std::min(subject_.next_deadline(), subject_.next_sweep());
      subject_.on_deadline(now_, *this);
      subject_.on_sweep(now_, *this);
    }
    now_ = until;
  }

  void apply(std::uint32_t region) {
    health_[region] = static_cast<health>(random_.below(3));
    subject_.apply(now_, region, health_[region]);
  }

  void respond() {
    const auto x = any_try(0);
    if (!x)
      return;
    // A failing region errs nine times of ten, one that is well once in fifty; some never answer.
    const auto fails = random_.unit() < (failing_[x->region] == 1 ? 0.9 : 0.02);
    constexpr outcome errors[] = {outcome::internal_error, outcome::bad_gateway,
                                  outcome::unavailable, outcome::gateway_timeout, outcome::lost};
    const auto how = fails ? errors[below(5)] : outcome::ok;
    if (below(20) != 0)
      chaos_world::respond(*x, how);
  }

  std::vector<health> health_;
  std::vector<int> failing_;
  std::vector<std::vector<instant>> until_; // by proxy and region; never: not ejected
};

TEST(OutlierDetection, KeepsItsPromisesWhateverHappens) {
  std::uint64_t ejected = 0;
  std::uint64_t returned = 0;
  std::uint64_t spared = 0;
  std::uint64_t failed_open = 0;
  std::uint64_t failed_open_alone = 0;
  for (std::uint64_t seed = 1; seed <= 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    outlier_world world{seed};
    for (int i = 0; i < 3000 && !testing::Test::HasFailure(); ++i) {
      world.step();
      world.balance();
    }
    EXPECT_EQ(world.sent_by_.size(), world.proxies()) << "each of them has its turn";
    ejected += world.ejected_;
    returned += world.returned_;
    spared += world.spared_;
    failed_open += world.failed_open_;
    failed_open_alone += world.failed_open_alone_;
  }
  // The property says little unless all of these happened.
  EXPECT_GT(ejected, 1000u);
  EXPECT_GT(returned, 1000u);
  EXPECT_GT(spared, 1000u);
  EXPECT_GT(failed_open, 1000u);
  EXPECT_GT(failed_open_alone, 1000u);
}

} // namespace
} // namespace spillover
