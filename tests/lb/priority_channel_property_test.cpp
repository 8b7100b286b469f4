#include "lb/priority_channel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;

// A channel whose regions answer, refuse or say nothing, now this way and now that.
class channel_chaos {
public:
  channel_chaos(std::uint64_t seed, std::uint32_t regions)
    : random_(seed, "chaos"),
      subject_(any_config(), regions, random_stream{seed, "channel"}),
      regions_(regions),
      present_(regions, false),
      waited_since_(regions, never) {}

  void step() {
    const auto until = now_ + duration{static_cast<duration::rep>(random_.below(3'000'000'000))};
    while (subject_.next() <= until) {
      now_ = std::max(now_, subject_.next());
      subject_.on_time(now_);
      carry_out();
    }
    now_ = until;
    act();
    carry_out();
  }

  [[nodiscard]] std::uint64_t failovers() const noexcept { return failovers_; }

private:
  grpc_config any_config() {
    grpc_config x;
    x.connect_timeout = 100ms * (1 + random_.below(80));
    x.addresses = static_cast<std::uint32_t>(1 + random_.below(5));
    x.back_off.jitter = static_cast<std::uint32_t>(random_.below(101));
    x.wait_for_ready = random_.below(2) == 0;
    x.idle_timeout = 1s * (1 + random_.below(60));
    if (random_.below(2) == 0)
      x.keepalive = {.interval = 1s * (1 + random_.below(5)), .timeout = 500ms};
    timeout_ = x.failover_timeout;
    waits_ = x.wait_for_ready;
    return x;
  }

  void act() {
    const auto region = static_cast<std::uint32_t>(random_.below(regions_));
    switch (random_.below(8)) {
      case 0:
        present_[region] = !present_[region];
        subject_.set_present(now_, region, present_[region]);
        break;
      case 1: subject_.on_lost(now_, region, 1, random_.below(2) == 0); break;
      case 2:
        if (open_ > 0) {
          --open_;
          subject_.ended();
        }
        break;
      case 3: mood_ = random_.below(4); break;
      case 4:
      case 5: answer(); break;
      default: pick(); break;
    }
  }

  void pick() {
    const auto region = subject_.pick(now_);
    if (region == priority_channel::none) {
      for (std::uint32_t i = 0; i < regions_; ++i)
        ASSERT_TRUE(!present_[i]
                    || (!waits_ && subject_.state(i) == connectivity::transient_failure))
          << "a request fails only when there is nothing to wait for";
      return;
    }
    ++open_;
    ASSERT_EQ(region, subject_.in_use());
    ASSERT_TRUE(subject_.usable(region));
    ASSERT_NE(subject_.state(region), connectivity::idle) << "what is wanted is made";
  }

  void answer() {
    if (calls_.empty())
      return;
    const auto x = calls_[random_.below(calls_.size())];
    subject_.on_answer(now_, x.region, x.number, random_.below(4) >= mood_, 1);
  }

  void carry_out() {
    const auto before = calls_.size();
    calls_.insert(calls_.end(), subject_.calls().begin(), subject_.calls().end());
    for (const auto& x : subject_.changes())
      failovers_ += x.reason == connection_reason::failover_timeout ? 1 : 0;
    subject_.clear_news();
    check();
    if (calls_.size() > before && random_.below(4) > mood_) {
      const auto x = calls_.back();
      subject_.on_answer(now_, x.region, x.number, true, 1);
      carry_out();
    }
  }

  void check() {
    const auto in_use = subject_.in_use();
    std::uint32_t usable = 0;
    for (std::uint32_t i = 0; i < regions_; ++i) {
      usable += subject_.usable(i) ? 1 : 0;
      const auto ready = present_[i] && subject_.ready(i);
      ASSERT_FALSE(ready && i < in_use) << "READY, better, and not used";
      ASSERT_FALSE(subject_.usable(i) && !present_[i]) << "used, and not there";
      check_time(i);
    }
    ASSERT_LE(usable, 1u) << "two priorities in use";
    ASSERT_EQ(in_use == priority_channel::none,
              std::none_of(present_.begin(), present_.end(), [](bool x) { return x; }));
  }

  // While there is a READY one, nobody waits for a better one longer than the failover timer.
  void check_time(std::uint32_t i) {
    const auto waits = subject_.in_use() == i && subject_.state(i) == connectivity::connecting;
    if (!waits) {
      waited_since_[i] = never;
      return;
    }
    waited_since_[i] = std::min(waited_since_[i], now_);
    if (now_ - waited_since_[i] < timeout_)
      return;
    for (std::uint32_t worse = i + 1; worse < regions_; ++worse)
      ASSERT_FALSE(present_[worse] && subject_.ready(worse)) << "READY, and waited in vain";
  }

  random_stream random_;
  duration timeout_{};
  bool waits_ = false;
  priority_channel subject_;
  std::uint32_t regions_;
  std::vector<bool> present_;
  std::vector<instant> waited_since_;
  instant now_ = run_start;
  std::uint64_t open_ = 0;
  std::uint64_t mood_ = 2; // of four answers so many refuse
  std::vector<connection_call> calls_;
  std::uint64_t failovers_ = 0;
};

TEST(PriorityChannelProperties, UsesTheBestThatIsReadyAndOneAtATime) {
  std::uint64_t failovers = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    channel_chaos world{seed, static_cast<std::uint32_t>(1 + seed % 4)};
    for (int i = 0; i < 400 && !testing::Test::HasFatalFailure(); ++i)
      world.step();
    failovers += world.failovers();
    if (testing::Test::HasFatalFailure())
      return;
  }
  EXPECT_GT(failovers, 100u) << "otherwise little was tried";
}

} // namespace
} // namespace spillover
