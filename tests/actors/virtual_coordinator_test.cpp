#include "actors/virtual_coordinator.hpp"

#include "actors/messages.hpp"

#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/after.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;

using ticker_actor = caf::typed_actor<caf::reacts_to<caf::tick_atom>>;
using answerer_actor = caf::typed_actor<caf::replies_to<probe>::with<probe_answer>>;

/// Ticks every second and notes when.
class ticker final : public ticker_actor::base {
public:
  ticker(caf::actor_config& config, lane& events, std::vector<instant>& seen)
    : base(config), events_(events), seen_(seen) {}

protected:
  using base = ticker_actor::base;
  behavior_type make_behavior() override {
    delayed_send(this, 1s, caf::tick_atom::value);
    return {
      [this](caf::tick_atom) {
        seen_.push_back(events_.now());
        delayed_send(this, 1s, caf::tick_atom::value);
      },
    };
  }

private:
  lane& events_;
  std::vector<instant>& seen_;
};

/// Answers a probe after a while, or never.
class answerer final : public answerer_actor::base {
public:
  answerer(caf::actor_config& config, std::optional<duration> delay)
    : base(config), delay_(delay) {}

protected:
  using base = answerer_actor::base;
  behavior_type make_behavior() override {
    return {
      [this](const probe&) -> caf::result<probe_answer> {
        if (delay_ && *delay_ == duration::zero())
          return probe_answer{probe_result::answered};
        return make_response_promise<probe_answer>();
      },
    };
  }

private:
  std::optional<duration> delay_;
};

/// Asks once and notes what came when.
class asker final : public ticker_actor::base {
public:
  struct result {
    instant at{};
    bool answered = false;
    caf::error error;
  };
  asker(caf::actor_config& config, lane& events, answerer_actor who, std::vector<result>& results)
    : base(config), events_(events), who_(std::move(who)), results_(results) {}

protected:
  using base = ticker_actor::base;
  behavior_type make_behavior() override {
    return {
      [this](caf::tick_atom) {
        request(who_, 250ms, probe{})
          .then(
            [this](const probe_answer&) {
              results_.push_back({events_.now(), true, {}});
            },
            [this](const caf::error& x) {
              results_.push_back({events_.now(), false, x});
            });
      },
    };
  }

private:
  lane& events_;
  answerer_actor who_;
  std::vector<result>& results_;
};

class VirtualCoordinatorTest : public testing::Test {
protected:
  ~VirtualCoordinatorTest() override {
    for (const auto& x : residents_)
      caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
    world_.settle();
    world_.drop_timers();
  }

  template <class T, class... Ts>
  auto spawn(Ts&&... xs) {
    auto result = system_.spawn<T>(std::forward<Ts>(xs)...);
    residents_.push_back(caf::actor_cast<caf::strong_actor_ptr>(result));
    return result;
  }

  virtual_time_config config_;
  caf::actor_system system_{config_};
  virtual_coordinator& world_ = virtual_coordinator::of(system_);
  std::vector<caf::strong_actor_ptr> residents_;
};

TEST_F(VirtualCoordinatorTest, DelayedMessagesComeAtTheirTime) {
  std::vector<instant> seen;
  spawn<ticker>(world_.events(), seen);
  world_.run_until(run_start + 3500ms);
  EXPECT_EQ(seen, (std::vector<instant>{run_start + 1s, run_start + 2s, run_start + 3s}));
  EXPECT_EQ(world_.events().now(), run_start + 3500ms);
}

TEST_F(VirtualCoordinatorTest, ARequestThatIsNotAnsweredTimesOutExactly) {
  std::vector<asker::result> results;
  auto who = spawn<asker>(world_.events(), spawn<answerer>(std::nullopt), results);
  world_.run_until(run_start + 1s);
  caf::anon_send(who, caf::tick_atom::value);
  world_.run_until(run_start + 10s);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].at, run_start + 1250ms);
  EXPECT_EQ(results[0].error, caf::sec::request_timeout);
}

TEST_F(VirtualCoordinatorTest, AnAnsweredRequestSeesNoTimeout) {
  std::vector<asker::result> results;
  auto who = spawn<asker>(world_.events(), spawn<answerer>(duration::zero()), results);
  caf::anon_send(who, caf::tick_atom::value);
  world_.run_until(run_start + 10s);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0].answered);
  EXPECT_EQ(results[0].at, run_start);
}

TEST_F(VirtualCoordinatorTest, ARequestToADeadActorFailsAtOnce) {
  std::vector<asker::result> results;
  auto dead = spawn<answerer>(duration::zero());
  auto who = spawn<asker>(world_.events(), dead, results);
  world_.run_until(run_start + 1s);
  caf::anon_send_exit(dead, caf::exit_reason::kill);
  world_.settle();
  caf::anon_send(who, caf::tick_atom::value);
  world_.run_until(run_start + 2s);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].at, run_start + 1s);
  EXPECT_EQ(results[0].error, caf::sec::request_receiver_down);
}

TEST_F(VirtualCoordinatorTest, AReceiveTimeoutStartsAnewWithEachMessage) {
  std::vector<instant> timeouts;
  auto& events = world_.events();
  auto who = system_.spawn([&](caf::event_based_actor*) -> caf::behavior {
    return {
      [](int) {},
      caf::after(100ms) >> [&] { timeouts.push_back(events.now()); },
    };
  });
  residents_.push_back(caf::actor_cast<caf::strong_actor_ptr>(who));
  world_.run_until(run_start + 50ms);
  caf::anon_send(who, 1);
  world_.run_until(run_start + 260ms);
  EXPECT_EQ(timeouts, (std::vector<instant>{run_start + 150ms, run_start + 250ms}));
}

TEST_F(VirtualCoordinatorTest, EveryActorEndsAndNothingHangs) {
  std::vector<instant> seen;
  for (int i = 0; i < 100; ++i)
    spawn<ticker>(world_.events(), seen);
  world_.run_until(run_start + 2s);
  EXPECT_EQ(seen.size(), 200u);
  EXPECT_EQ(system_.registry().running(), 100u);
  for (const auto& x : residents_)
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  residents_.clear();
  world_.settle();
  world_.drop_timers();
  EXPECT_EQ(system_.registry().running(), 0u);
}

} // namespace
} // namespace spillover
