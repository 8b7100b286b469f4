#include "model/random.hpp"
#include "producers/revision.hpp"
#include "tests/producers/life_keeper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

// Any config in which everything happens often: short limits, few slots.
revision_config random_config(random_stream& random) {
  const auto whole = [&random](std::uint64_t most) {
    return static_cast<std::uint32_t>(1 + random.below(most));
  };
  revision_config x;
  x.instance.concurrency = whole(4);
  x.instance.cold_start = constant_distribution{whole(3000) * 1ms};
  x.instance.service_time = constant_distribution{whole(3000) * 1ms};
  const auto most = whole(6);
  if (random.below(4) == 0)
    x.autoscaling = fixed_config{most};
  else
    x.autoscaling =
      cloud_run_config{.min_instances = static_cast<std::uint32_t>(random.below(most + 1)),
                       .max_instances = most,
                       .evaluation = whole(3) * 1s};
  x.pending = {.floor = whole(2000) * 1ms, .cold_start_factor = 0.5};
  x.scale_in = {.low_utilisation = 0.5,
                .window = whole(3) * 1s,
                .idle_timeout = whole(5) * 1s,
                .drain_deadline = whole(4) * 1s};
  x.request_timeout = whole(8000) * 1ms;
  return x;
}

// Either way of billing, without another draw.
revision_config billed(revision_config x, std::uint64_t seed) {
  if (seed % 2 == 1)
    x.billing.how = billing::mode::instance_based;
  return x;
}

// A revision to which anything happens at any time, and books of our own beside it.
class chaos : public revision_effects {
public:
  explicit chaos(std::uint64_t seed)
    : random_(seed, "chaos"),
      config_(billed(random_config(random_), seed)),
      subject_(config_, pool_) {
    const auto bounds = bounds_of(config_.autoscaling);
    maximum_ = bounds.max;
    recommended_ = bounds.min;
    subject_.begin(now_, bounds.min, *this);
    begun_ = true;
  }

  void dispatch(std::uint32_t instance, std::uint32_t key, std::uint64_t serial,
                const record& request) override {
    using enum instance_state;
    ASSERT_TRUE(!queued_.empty() && *queued_.begin() == request.request) << "not the oldest";
    queued_.erase(queued_.begin());
    const auto state = subject_.state(instance);
    ASSERT_TRUE(state == ready || state == deprioritised) << to_string(state);
    ASSERT_FALSE(aside_.contains(instance)) << "its readiness probe fails";
    ASSERT_LT(held_[instance].size(), config_.instance.concurrency);
    for (const auto other : subject_.present()) {
      if (subject_.state(other) != ready || aside_.contains(other))
        continue;
      const auto busy = held_[other].size();
      ASSERT_GE(busy, state == ready ? held_[instance].size() : config_.instance.concurrency);
      ASSERT_TRUE(state != ready || busy > held_[instance].size() || other >= instance);
    }
    held_[instance].push_back({key, serial});
  }

  void path_changed(bool, std::int64_t) override { FAIL() << "there is no activator"; }

  void answer(const record& request, outcome how) override {
    ASSERT_EQ(open_.erase(request.request), 1u) << "answered twice";
    queued_.erase(request.request);
    ++answered[static_cast<std::size_t>(how)];
  }

  void start(std::uint32_t instance) override {
    ASSERT_EQ(subject_.state(instance), instance_state::starting);
    ASSERT_TRUE(held_[instance].empty());
    ASSERT_TRUE(alive_.insert(instance).second);
    if (instance >= known_ && begun_)
      check_quotas();
    known_ = std::max(known_, instance + 1);
  }

  void stop(std::uint32_t instance) override {
    ASSERT_EQ(subject_.state(instance), instance_state::stopped);
    // One that crashed has no process, and is told all the same.
    alive_.erase(instance);
    forget(instance);
  }

  void changed(const fleet::change& x) override {
    auto& state = states_.try_emplace(x.index, instance_state::stopped).first->second;
    ASSERT_EQ(state, x.before);
    ASSERT_NE(x.before, x.after);
    state = x.after;
    lives_.changed(now_, x);
    ++changes[static_cast<std::size_t>(x.after)];
  }

  void decided(std::string_view, std::uint32_t before, const recommendation& x,
               const fleet_size&) override {
    ASSERT_EQ(before, recommended_);
    ASSERT_LE(x.count, maximum_);
    recommended_ = x.count;
  }

  void denied(std::uint32_t wanted, const start_quota::answer& x) override {
    ASSERT_TRUE(quotas_.contains(x.fault));
    ASSERT_LT(x.granted, wanted);
    ++denials;
  }

  void queue_changed(std::uint32_t length) override {
    ASSERT_EQ(length, waiting_ ? 0u : 1u);
    waiting_ = !waiting_;
  }

  void step() {
    if (random_.below(200) == 0) {
      calm_ = random_.below(2) == 0;
      slow_ = random_.below(2) == 0;
    }
    pass(duration{static_cast<duration::rep>(random_.below(200'000'000))});
    switch (random_.below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
        if (!calm_ || random_.below(32) == 0)
          request();
        break;
      case 6:
      case 7:
      case 8:
      case 9:
      case 10: respond(); break;
      case 11: respond_late(); break;
      case 12:
      case 13: get_ready(); break;
      case 14:
        if (random_.below(4) == 0)
          probe();
        else
          crash();
        break;
      default:
        subject_.restart(now_, any(), *this);
        if (random_.below(16) == 0)
          change_quotas();
    }
    check();
  }

  /// Lets all time limits pass while nobody answers.
  void finish() {
    pass(config_.request_timeout);
    check();
    check_bill();
    EXPECT_EQ(subject_.requests().open(), 0u);
    EXPECT_TRUE(queued_.empty());
  }

  std::array<std::uint64_t, outcome_count> answered{};
  std::array<std::uint64_t, 6> changes{}; // by the state after
  std::uint64_t late = 0;
  std::uint64_t denials = 0;
  std::uint64_t readiness = 0;

private:
  struct ticket {
    std::uint32_t key;
    std::uint64_t serial;
  };

  std::uint32_t any() {
    return known_ == 0 ? begin_one() : static_cast<std::uint32_t>(random_.below(known_));
  }

  // There is no instance to speak of before the first request.
  std::uint32_t begin_one() {
    while (known_ == 0)
      request();
    return 0;
  }

  void request() {
    for (auto count = 1 + random_.below(3); count > 0; --count) {
      record x;
      x.what = op::request;
      x.request = ++number_;
      open_.insert(number_);
      queued_.insert(number_);
      subject_.on_request(now_, x, *this);
    }
  }

  void respond() {
    constexpr std::array ends{outcome::ok, outcome::ok, outcome::ok, outcome::unavailable,
                              outcome::lost};
    std::vector<std::uint32_t> busy;
    for (const auto& [index, tickets] : held_)
      if (!tickets.empty())
        busy.push_back(index);
    if (busy.empty())
      return;
    auto& tickets = held_[busy[random_.below(busy.size())]];
    const auto at = tickets.begin() + static_cast<std::ptrdiff_t>(random_.below(tickets.size()));
    const auto x = *at;
    tickets.erase(at);
    stale_.push_back(x);
    subject_.on_response(now_, x.key, x.serial, ends[random_.below(ends.size())], *this);
  }

  void respond_late() {
    if (stale_.empty())
      return;
    const auto x = stale_[random_.below(stale_.size())];
    const auto open = open_;
    const auto queued = queued_.size();
    subject_.on_response(now_, x.key, x.serial, outcome::ok, *this);
    ASSERT_EQ(open_, open);
    ASSERT_EQ(queued_.size(), queued);
    ASSERT_EQ(subject_.requests().late, ++late);
  }

  void get_ready() {
    if (slow_ && random_.below(64) != 0)
      return;
    subject_.on_ready(now_, any(), *this);
    for (const auto index : std::vector{subject_.present()})
      if (subject_.state(index) == instance_state::starting && random_.below(2) == 0)
        subject_.on_ready(now_, index, *this);
  }

  void crash() {
    const auto index = any();
    if (random_.below(2) == 0 || !alive_.contains(index))
      return;
    alive_.erase(index);
    forget(index);
    subject_.on_down(now_, index, *this);
  }

  // Probes of any instance find something.
  void probe() {
    const auto index = any();
    if (!alive_.contains(index))
      return;
    const auto starting = subject_.state(index) == instance_state::starting;
    if (const auto ready = random_.below(3); ready > 0 && !starting) {
      if (ready == 1)
        aside_.insert(index);
      else
        aside_.erase(index);
      subject_.on_readiness(now_, index, ready == 2, *this);
      ++readiness;
      return;
    }
    alive_.erase(index);
    forget(index);
    if (starting)
      subject_.on_start_failed(now_, index, *this);
    else
      subject_.on_liveness_failed(now_, index, *this);
  }

  void change_quotas() {
    if (quotas_.size() > 1 || (!quotas_.empty() && random_.below(4) != 0)) {
      pool_.quota.take_off(quotas_.begin()->first);
      subject_.forget_denials();
      quotas_.erase(quotas_.begin());
      return;
    }
    const auto fault = static_cast<std::uint32_t>(random_.below(1'000'000));
    quota_fault x;
    if (random_.below(2) == 0)
      x.starts_per_minute = static_cast<std::uint32_t>(random_.below(20));
    else
      x.instances = static_cast<std::uint32_t>(random_.below(maximum_ + 1));
    quotas_.emplace(fault, x);
    pool_.quota.lay(fault, x);
    subject_.forget_denials();
  }

  // An instance starts that was not there before.
  void check_quotas() {
    starts_.push_back(now_);
    const auto recent =
      std::count_if(starts_.begin(), starts_.end(), [this](instant at) { return at > now_ - 60s; });
    for (const auto& [fault, x] : quotas_) {
      ASSERT_LE(recent, x.starts_per_minute.value_or(1'000'000));
      ASSERT_LE(subject_.count().members(), x.instances.value_or(1'000'000));
    }
  }

  // What the lives of all instances cost is what they lasted, each rounded.
  void check_bill() {
    const auto bill = subject_.bill(now_);
    EXPECT_EQ(bill.life.time, lives_.total(now_));
    EXPECT_GT(bill.life.time.count(), 0);
    const auto charged = config_.billing.how == billing::mode::instance_based
                           ? bill.life.vcpu_time
                           : bill.active.vcpu_time + bill.idle_minimum.vcpu_time;
    EXPECT_GT(sampled_, 0u);
    EXPECT_LE(sampled_, static_cast<std::uint64_t>(charged.count() / 1000));
  }

  void forget(std::uint32_t index) {
    stale_.insert(stale_.end(), held_[index].begin(), held_[index].end());
    held_.erase(index);
    aside_.erase(index);
  }

  void pass(duration span) {
    const auto until = now_ + span;
    for (;;) {
      const auto second = run_start + std::chrono::seconds{second_of(now_) + 1};
      const auto deadline = std::max(now_, subject_.next_deadline());
      const auto next = std::min(second, deadline);
      if (next > until)
        break;
      now_ = next;
      if (deadline <= second)
        subject_.on_deadline(now_, *this);
      else
        end_second();
      ASSERT_GT(subject_.next_deadline(), now_) << "work is left";
      if (deadline == second)
        end_second();
      check();
    }
    now_ = until;
  }

  void end_second() {
    for (const auto index : subject_.present())
      subject_.on_usage(index, (calm_ ? 1us : 1ms) * random_.below(1000));
    const auto x = subject_.on_second(now_, *this);
    ASSERT_EQ(x.queue, queued_.size());
    sampled_ += x.billed_milli + x.billed_idle_milli;
    recommended_ = x.recommended;
  }

  void check() {
    const auto& books = subject_.requests();
    ASSERT_EQ(books.taken, number_);
    ASSERT_EQ(books.ended, answered);
    ASSERT_EQ(books.open(), open_.size());
    ASSERT_EQ(books.late, late);
    ASSERT_LE(subject_.count().members(), maximum_);
    ASSERT_EQ(waiting_, !queued_.empty());
    std::uint32_t members = 0;
    for (const auto& [index, state] : states_) {
      ASSERT_EQ(state, subject_.state(index));
      members += state != instance_state::stopped && state != instance_state::draining;
      const auto serves = state == instance_state::ready || state == instance_state::deprioritised;
      // Nobody waits while a slot is free.
      if (serves && !queued_.empty() && !aside_.contains(index)) {
        ASSERT_EQ(held_[index].size(), config_.instance.concurrency);
      }
    }
    ASSERT_EQ(members, subject_.count().members());
    for (const auto index : subject_.present())
      ASSERT_NE(subject_.state(index), instance_state::stopped);
  }

  random_stream random_;
  revision_config config_;
  start_pool pool_;
  revision subject_;
  instant now_ = run_start;
  std::uint32_t maximum_ = 0;
  std::uint32_t recommended_ = 0;
  std::uint32_t known_ = 0;  // indices given out
  std::uint64_t number_ = 0; // of the last request
  std::set<std::uint64_t> open_;
  std::set<std::uint64_t> queued_; // those of them that were not dispatched
  std::map<std::uint32_t, std::vector<ticket>> held_;
  std::vector<ticket> stale_;
  std::set<std::uint32_t> alive_; // processes
  std::set<std::uint32_t> aside_; // of those, without new requests
  std::map<std::uint32_t, instance_state> states_;
  test::life_keeper lives_;
  std::uint64_t sampled_ = 0;                   // thousandths of vCPU seconds
  std::map<std::uint32_t, quota_fault> quotas_; // by fault
  std::vector<instant> starts_;                 // of new instances
  bool begun_ = false;
  bool waiting_ = false;
  bool calm_ = false; // few requests and little CPU time
  bool slow_ = false; // hardly an instance gets ready
};

TEST(RevisionProperty, EveryRequestIsAnsweredOnceWhateverHappens) {
  std::array<std::uint64_t, outcome_count> answered{};
  std::array<std::uint64_t, 6> changes{};
  std::uint64_t late = 0;
  std::uint64_t denials = 0;
  std::uint64_t readiness = 0;
  for (std::uint64_t seed = 1; seed <= 320; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    chaos x{seed};
    for (int i = 0; i < 2000; ++i) {
      x.step();
      if (testing::Test::HasFailure()) {
        ADD_FAILURE() << "in step " << i;
        return;
      }
    }
    x.finish();
    for (std::size_t i = 0; i < outcome_count; ++i)
      answered[i] += x.answered[i];
    for (std::size_t i = 0; i < changes.size(); ++i)
      changes[i] += x.changes[i];
    late += x.late;
    denials += x.denials;
    readiness += x.readiness;
  }
  // The property says little unless all of these happened.
  EXPECT_GT(denials, 100u);
  EXPECT_GT(readiness, 1000u);
  using enum outcome;
  for (const auto how :
       {ok, too_many_requests, internal_error, bad_gateway, unavailable, gateway_timeout, lost})
    EXPECT_GT(answered[static_cast<std::size_t>(how)], 100u) << to_string(how);
  for (std::size_t i = 0; i < changes.size(); ++i)
    EXPECT_GT(changes[i], 100u) << to_string(static_cast<instance_state>(i));
  EXPECT_GT(late, 1000u);
}

} // namespace
