#include "lb/load_balancer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

// A world that answers in any order, twice, late or never, with any outcome, while states change;
// it keeps books of its own.
class chaos : public load_balancer_effects {
public:
  chaos(std::uint64_t seed, std::uint32_t regions)
    : random_(seed, "chaos"),
      regions_(regions),
      config_{.timeout = duration{static_cast<duration::rep>(1 + random_.below(50))} * 1'000'000,
              .retries = static_cast<std::uint32_t>(random_.below(4))},
      subject_(config_, regions, random_stream{seed, "lb"}),
      taken_(regions) {}

  void send(std::uint32_t region, std::uint32_t key, std::uint16_t attempt,
            const record& request) override {
    ASSERT_LT(region, regions_);
    ++taken_[region];
    const auto first = attempt == 0;
    ASSERT_EQ(first, !open_.contains(request.request));
    auto& tries = open_[request.request];
    ASSERT_LE(tries.size(), config_.retries);
    tries.push_back(region);
    under_way_.push_back({key, attempt, request.request});
  }

  void answer(const record& request, outcome how) override {
    ASSERT_EQ(open_.erase(request.request), 1u);
    ++answered_[static_cast<std::size_t>(how)];
  }

  void step() {
    now_ += duration{static_cast<duration::rep>(random_.below(1'000'000))};
    while (subject_.next_deadline() <= now_)
      subject_.on_deadline(now_, *this);
    switch (random_.below(8)) {
      case 0:
      case 1:
      case 2: return begin();
      case 3:
      case 4:
      case 5: return respond();
      case 6: return lose();
      default:
        subject_.apply(now_, static_cast<std::uint32_t>(random_.below(regions_)),
                       static_cast<health>(random_.below(3)));
    }
  }

  void balance() {
    ASSERT_EQ(subject_.requests().taken, number_);
    ASSERT_EQ(subject_.requests().open(), open_.size());
    ASSERT_EQ(subject_.requests().ended, answered_);
    std::uint64_t open_tries = 0;
    for (std::uint32_t region = 0; region < regions_; ++region) {
      ASSERT_EQ(subject_.attempts(region).taken, taken_[region]);
      open_tries += subject_.attempts(region).open();
    }
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
  std::uint64_t late() const { return subject_.requests().late; }

private:
  struct message {
    std::uint32_t key;
    std::uint16_t attempt;
    std::uint64_t request;
  };

  void begin() {
    record x;
    x.request = ++number_;
    subject_.on_request(now_, x, *this);
  }

  void respond() {
    if (under_way_.empty())
      return;
    const auto place = random_.below(under_way_.size());
    const auto x = under_way_[place];
    // One in four stays, to be answered again.
    if (random_.below(4) != 0)
      under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(place));
    const auto how = static_cast<outcome>(random_.below(6));
    subject_.on_response(now_, x.key, x.attempt, x.request, how, *this);
  }

  void lose() {
    if (!under_way_.empty())
      under_way_.erase(under_way_.begin()
                       + static_cast<std::ptrdiff_t>(random_.below(under_way_.size())));
  }

  random_stream random_;
  std::uint32_t regions_;
  load_balancer_config config_;
  load_balancer subject_;
  instant now_ = run_start;
  std::uint64_t number_ = 0;
  std::vector<std::uint64_t> taken_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> open_;
  std::array<std::uint64_t, outcome_count> answered_{};
  std::vector<message> under_way_;
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
    late += world.late();
  }
  // The property says little unless all of these happened.
  EXPECT_GT(ok, 1000u);
  EXPECT_GT(timeouts, 1000u);
  EXPECT_GT(late, 1000u);
}

} // namespace
