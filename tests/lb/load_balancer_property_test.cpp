#include "tests/lb/chaos_world.hpp"

#include <gtest/gtest.h>

#include <string>

namespace spillover {
namespace {

using namespace std::chrono_literals;

load_balancer_config any_config(std::uint64_t seed) {
  random_stream random{seed, "config"};
  return {.timeout = 1ms * (1 + random.below(50)),
          .retries = static_cast<std::uint32_t>(random.below(4))};
}

// States change while tries are answered with any outcome.
class chaos : public test::chaos_world {
public:
  chaos(std::uint64_t seed, std::uint32_t regions) : chaos_world(any_config(seed), regions, seed) {}

  void send(std::uint32_t region, std::uint32_t key, std::uint16_t attempt,
            const record& request) override {
    chaos_world::send(region, key, attempt, request);
    ASSERT_EQ(attempt + 1u, open_[request.request].size()) << "numbered from 0 on";
  }

  void step() {
    now_ += duration{below(1'000'000)};
    while (subject_.next_deadline() <= now_)
      subject_.on_deadline(now_, *this);
    switch (below(8)) {
      case 0:
      case 1:
      case 2: return begin();
      case 3:
      case 4:
      case 5: return respond();
      case 6: return lose();
      default: {
        const auto region = below(regions_);
        subject_.apply(now_, region, static_cast<health>(below(3)));
      }
    }
  }

  void balance() const {
    chaos_world::balance();
    std::uint64_t open_tries = 0;
    for (std::uint32_t region = 0; region < regions_; ++region)
      open_tries += subject_.attempts(region).open();
    // Each open request has one open try.
    ASSERT_EQ(open_tries, open_.size());
  }

  // Lets all deadlines pass.
  void finish() {
    now_ += 1h;
    subject_.on_deadline(now_, *this);
    EXPECT_TRUE(open_.empty());
    EXPECT_EQ(subject_.next_deadline(), never);
  }

  std::uint64_t answered(outcome how) const { return answered_[static_cast<std::size_t>(how)]; }
};

TEST(LoadBalancer, BooksBalanceWhateverHappens) {
  std::uint64_t ok = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t late = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    chaos world{seed, static_cast<std::uint32_t>(1 + seed % 4)};
    for (int i = 0; i < 2000 && !testing::Test::HasFatalFailure(); ++i) {
      world.step();
      world.balance();
    }
    world.finish();
    world.balance();
    ok += world.answered(outcome::ok);
    timeouts += world.answered(outcome::lb_timeout);
    late += world.subject().requests().late;
  }
  // The property says little unless all of these happened.
  EXPECT_GT(ok, 1000u);
  EXPECT_GT(timeouts, 1000u);
  EXPECT_GT(late, 1000u);
}

} // namespace
} // namespace spillover
