#include "actors/pacer.hpp"

#include "model/random.hpp"

#include <caf/actor_system.hpp>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using real = wall_clock::real;

TEST(WallClock, TellsTheTimeAtASpeed) {
  const auto start = real::now() + 1h;
  const wall_clock clock{start, 60};
  EXPECT_EQ(clock.at(start), run_start);
  EXPECT_EQ(clock.at(start + 15s), run_start + 15min);
  EXPECT_EQ(clock.at(start - 1s), run_start - 1min);
  EXPECT_EQ(clock.real_of(run_start + 15min), start + 15s);
  EXPECT_EQ(clock.real_of(never), real::time_point::max());
}

TEST(WallClock, NamesTheFirstMomentOfAnInstant) {
  random_stream random{1, "instants"};
  for (const auto speed : {0.001, 0.3, 1.0, 7.0, 60.0, 10'000.0}) {
    const wall_clock clock{real::time_point{} + 3h, speed};
    for (auto n = 0; n < 1'000; ++n) {
      const auto due = run_start + duration{static_cast<std::int64_t>(random.below(1ULL << 42))};
      const auto moment = clock.real_of(due);
      EXPECT_GE(clock.at(moment), due) << speed;
      EXPECT_LT(clock.at(moment - 2ns), due) << speed;
    }
  }
}

/// Notes when records come, by both clocks. Final, and nobody deletes it as an entity.
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor)
class listener final : public entity {
public:
  explicit listener(lane& events) : events_(events), id_(events.allocate()) {
    events_.bind(id_, *this);
  }

  void on_record(const record& x) override {
    seen.push_back({x.arg, events_.now(), real::now()});
    if (on_seen)
      on_seen(x);
  }

  [[nodiscard]] record to_me(std::uint32_t number) const {
    record x;
    x.to = id_;
    x.arg = number;
    return x;
  }

  struct sight {
    std::uint32_t number;
    instant at;
    real::time_point moment;
  };
  std::vector<sight> seen;
  std::function<void(const record&)> on_seen;

private:
  lane& events_;
  entity_id id_;
};

class Pacer : public testing::Test {
protected:
  Pacer() : coordinator_(load()), listener_(coordinator_.events()) {}

  virtual_coordinator& load() {
    virtual_coordinator::load_into(config_);
    system_.emplace(config_);
    return virtual_coordinator::of(*system_);
  }

  caf::actor_system_config config_;
  std::optional<caf::actor_system> system_;
  virtual_coordinator& coordinator_;
  listener listener_;
};

TEST_F(Pacer, HandlesTimersAtTheirInstantsAndNotBefore) {
  const wall_clock clock{real::now() + 5ms, 100};
  pacer subject{coordinator_, clock};
  for (std::uint32_t i = 1; i <= 20; ++i)
    coordinator_.events().at(run_start + i * 100ms, listener_.to_me(i));
  coordinator_.events().at(run_start + 1h, listener_.to_me(99));
  subject.run_until(run_start + 2s);
  ASSERT_EQ(listener_.seen.size(), 20u);
  for (std::uint32_t i = 0; i < 20; ++i) {
    const auto& x = listener_.seen[i];
    EXPECT_EQ(x.number, i + 1);
    EXPECT_EQ(x.at, run_start + (i + 1) * 100ms)
      << "an instant is exact, however late it is handled";
    EXPECT_GE(x.moment, clock.real_of(x.at));
  }
  EXPECT_GE(clock.now(), run_start + 2s);
  EXPECT_EQ(coordinator_.events().now(), run_start + 2s);
  EXPECT_EQ(subject.late().count(), 20u);
}

TEST_F(Pacer, TakesInWhatOtherThreadsBring) {
  std::mutex guard;
  std::vector<std::uint32_t> brought;
  std::vector<std::uint32_t> taken;
  pacer* running = nullptr;
  pacer subject{coordinator_, wall_clock{real::now(), 1}, {.take_in = [&] {
                  const std::lock_guard lock{guard};
                  for (const auto x : brought)
                    coordinator_.events().post(listener_.to_me(x));
                  taken.insert(taken.end(), brought.begin(), brought.end());
                  brought.clear();
                }}};
  running = &subject;
  listener_.on_seen = [&](const record& x) {
    if (x.arg == 50)
      running->stop();
  };
  std::thread other{[&] {
    for (std::uint32_t i = 1; i <= 50; ++i) {
      {
        const std::lock_guard lock{guard};
        brought.push_back(i);
      }
      subject.wake();
      std::this_thread::yield();
    }
  }};
  const auto from = real::now();
  subject.run_until(run_start + 10min);
  other.join();
  EXPECT_LT(real::now() - from, 1min) << "a wake ends the wait";
  ASSERT_EQ(listener_.seen.size(), 50u);
  EXPECT_EQ(taken.back(), 50u);
  for (std::uint32_t i = 0; i < 50; ++i)
    EXPECT_EQ(listener_.seen[i].number, i + 1);
}

/// What a pacer asked of those that it leaves its waiting to.
struct stand_in {
  std::vector<duration> waits;
  std::size_t wakes = 0;
  bool waiting = false;

  pacer_hooks hooks() {
    pacer_hooks result;
    result.wait = [this](duration most, int file) {
      waiting = true;
      waits.push_back(most);
      pollfd awaited{file, POLLIN, 0};
      const timespec span{0, std::min<duration>(most, 50ms).count()};
      const auto woken = ::ppoll(&awaited, 1, &span, nullptr) > 0;
      wakes += woken ? 1U : 0U;
      return woken;
    };
    result.leave = [this] {
      EXPECT_TRUE(waiting) << "left twice";
      waiting = false;
    };
    return result;
  }
};

TEST_F(Pacer, LeavesWaitingToOthersAsLongAsThereIsLittleToDo) {
  stand_in others;
  pacer subject{coordinator_, wall_clock{real::now(), 1}, others.hooks()};
  for (std::uint32_t i = 1; i <= 5; ++i)
    coordinator_.events().at(run_start + i * 20ms, listener_.to_me(i));
  subject.run_until(run_start + 150ms);
  EXPECT_EQ(listener_.seen.size(), 5u);
  ASSERT_GE(others.waits.size(), 6u);
  EXPECT_LE(*std::max_element(others.waits.begin(), others.waits.end()), 50ms + 1ms);
  EXPECT_FALSE(others.waiting) << "at the end nobody waits any more";
}

TEST_F(Pacer, WaitsByItselfWhenTimersFollowCloselyOnEachOther) {
  stand_in others;
  pacer subject{coordinator_, wall_clock{real::now(), 1}, others.hooks()};
  for (std::uint32_t i = 1; i <= 1'000; ++i)
    coordinator_.events().at(run_start + i * 100us, listener_.to_me(i));
  subject.run_until(run_start + 100ms);
  EXPECT_EQ(listener_.seen.size(), 1'000u);
  EXPECT_LT(others.waits.size(), 500u) << "each wait is shorter than what changing threads costs";
  EXPECT_FALSE(others.waiting);
}

TEST_F(Pacer, DoesNotHoldUpOthersWhenWaitsGetShort) {
  stand_in others;
  auto hooks = others.hooks();
  // The waits are short because each is ended by a wake; no timer is near that could be late.
  hooks.wait = [&others](duration most, int) {
    others.waiting = true;
    others.waits.push_back(most);
    return true;
  };
  pacer* running = nullptr;
  std::size_t looks = 0;
  std::size_t asked = 0;
  hooks.take_in = [&] {
    const auto by_itself = ++looks > 1 && others.waits.size() == asked;
    asked = others.waits.size();
    EXPECT_TRUE(!by_itself || !others.waiting)
      << "whoever left its waiting to others lets them hold up what is to leave";
    if (by_itself || looks == 1'000)
      running->stop();
    running->wake();
  };
  pacer subject{coordinator_, wall_clock{real::now(), 1}, hooks};
  running = &subject;
  subject.run_until(run_start + 1h);
  EXPECT_GE(others.waits.size(), 4u) << "a few short waits are no reason";
  EXPECT_LT(looks, 1'000u) << "in the end it waits by itself";
  EXPECT_FALSE(others.waiting);
}

TEST_F(Pacer, DoesNotHoldUpOthersWhenItIsBehind) {
  stand_in others;
  auto hooks = others.hooks();
  pacer* running = nullptr;
  // While others wait, more becomes due than can be done before it is time to look again.
  hooks.wait = [&](duration most, int) {
    others.waiting = true;
    others.waits.push_back(most);
    for (std::uint32_t i = 1; i <= 3; ++i)
      coordinator_.events().at(coordinator_.events().now() + i * 1ns, listener_.to_me(i));
    return false;
  };
  listener_.on_seen = [&](const record& x) {
    for (const auto until = real::now() + 1ms; real::now() < until;) {}
    EXPECT_EQ(others.waiting, x.arg == 1) << x.arg;
    if (x.arg == 3)
      running->stop();
  };
  pacer subject{coordinator_, wall_clock{real::now(), 1}, hooks};
  running = &subject;
  subject.run_until(run_start + 1h);
  EXPECT_EQ(listener_.seen.size(), 3u);
  EXPECT_EQ(others.waits.size(), 1u);
}

TEST_F(Pacer, AWakeEndsTheWaitOfOthersOnce) {
  stand_in others;
  auto hooks = others.hooks();
  std::size_t looks = 0;
  pacer* running = nullptr;
  hooks.take_in = [&] {
    if (++looks == 4)
      running->stop();
  };
  pacer subject{coordinator_, wall_clock{real::now(), 1}, hooks};
  running = &subject;
  subject.wake();
  subject.run_until(run_start + 10min);
  EXPECT_EQ(others.waits.size(), 3u);
  EXPECT_EQ(others.wakes, 1u);
}

TEST_F(Pacer, TellsHowLateItWas) {
  const wall_clock clock{real::now(), 1};
  pacer subject{coordinator_, clock};
  listener_.on_seen = [](const record& x) {
    // A handler that takes its time.
    if (x.arg == 1)
      for (const auto until = real::now() + 30ms; real::now() < until;) {}
  };
  coordinator_.events().at(run_start + 1ms, listener_.to_me(1));
  coordinator_.events().at(run_start + 2ms, listener_.to_me(2));
  subject.run_until(run_start + 40ms);
  EXPECT_EQ(listener_.seen.size(), 2u);
  EXPECT_EQ(listener_.seen[1].at, run_start + 2ms);
  // The second one waited for the first.
  EXPECT_GE(subject.late().quantile(1), 28ms);
}

TEST_F(Pacer, GoesNoFurtherThanAWorldThatHalts) {
  pacer subject{coordinator_, wall_clock{real::now(), 1000}};
  listener_.on_seen = [this](const record&) { coordinator_.halt(); };
  coordinator_.events().at(run_start + 1s, listener_.to_me(1));
  coordinator_.events().at(run_start + 2s, listener_.to_me(2));
  subject.run_until(run_start + 3s);
  EXPECT_EQ(listener_.seen.size(), 1u);
  EXPECT_EQ(coordinator_.events().now(), run_start + 1s);
}

} // namespace
} // namespace spillover
