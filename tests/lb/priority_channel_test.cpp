#include "lb/priority_channel.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;

std::string short_name(connectivity x) {
  switch (x) {
    case connectivity::idle: return "idle";
    case connectivity::connecting: return "connecting";
    case connectivity::ready: return "ready";
    case connectivity::transient_failure: break;
  }
  return "failed";
}

/// How a region answers attempts, and pings.
enum class answers { at_once, refuses, silent };

// A channel to regions A, B, ... that answer as they are told to; writes down, in milliseconds, what happens:
// "0 A connecting(A)" for a state of A's connection and the region in use afterwards.
class channel_script {
public:
  explicit channel_script(const grpc_config& config, std::uint32_t regions = 2)
    : subject_(config, regions, random_stream{1, "channel"}), regions_(regions, answers::at_once) {
    for (std::uint32_t i = 0; i < regions; ++i)
      subject_.set_present(now_, i, true);
  }

  void let(std::uint32_t region, answers x) { regions_[region] = x; }

  std::uint32_t pick() {
    const auto region = subject_.pick(now_);
    carry_out();
    return region;
  }

  void until(duration when) {
    while (subject_.next() <= run_start + when) {
      now_ = std::max(now_, subject_.next());
      subject_.on_time(now_);
      carry_out();
    }
    now_ = run_start + when;
  }

  void set_present(std::uint32_t region, bool present) {
    subject_.set_present(now_, region, present);
    carry_out();
  }

  void lose(std::uint32_t region, bool in_order = false) {
    subject_.on_lost(now_, region, 1, in_order);
    carry_out();
  }

  std::string told() { return std::exchange(told_, {}); }
  priority_channel& subject() { return subject_; }
  [[nodiscard]] const std::vector<std::int64_t>& attempts() const { return attempts_; }

private:
  void carry_out() {
    while (subject_.has_news()) {
      const std::vector<connection_call> calls{subject_.calls().begin(), subject_.calls().end()};
      for (const auto& x : subject_.changes())
        note(x);
      subject_.clear_news();
      for (const auto& x : calls)
        answer(x);
    }
  }

  void answer(const connection_call& x) {
    if (!x.ping && x.region == 0)
      attempts_.push_back((now_ - run_start) / 1ms);
    if (x.ping) {
      EXPECT_EQ(x.peer, 1u) << "a ping goes to whom the connection is with";
    }
    if (regions_[x.region] != answers::silent) {
      EXPECT_TRUE(
        subject_.on_answer(now_, x.region, x.number, regions_[x.region] == answers::at_once, 1));
    }
  }

  void note(const connection_change& x) {
    const auto name = [](std::uint32_t region) {
      return region == priority_channel::none ? std::string{"-"}
                                              : std::string(1, static_cast<char>('A' + region));
    };
    told_.append(told_.empty() ? "" : ", ")
      .append(std::to_string((now_ - run_start) / 1ms))
      .append(" ")
      .append(name(x.region))
      .append(" ")
      .append(short_name(x.after))
      .append("(")
      .append(name(x.in_use))
      .append(")");
  }

  priority_channel subject_;
  instant now_ = run_start;
  std::vector<answers> regions_;
  std::string told_;
  std::vector<std::int64_t> attempts_;
};

// Without a draw, so that every time can be told beforehand.
grpc_config exact() {
  grpc_config x;
  x.back_off.jitter = 0;
  x.connect_timeout = 6s;
  return x;
}

grpc_config with_addresses(std::uint32_t addresses, timer_restart restarts = timer_restart::off) {
  auto x = exact();
  x.addresses = addresses;
  x.failover_timer_restarts = restarts;
  return x;
}

TEST(PriorityChannel, GoesOnWhenAPriorityIsNotReady) {
  struct {
    const char* why = "";
    grpc_config config = {};
    answers a = answers::at_once;
    answers b = answers::at_once;
    const char* told = "";
  } const cases[] = {
    {"the first attempt is accepted", exact(), answers::at_once, answers::at_once,
     "0 A connecting(A), 0 A ready(A)"},
    {"refused: the next one at once", exact(), answers::refuses, answers::at_once,
     "0 A connecting(A), 0 A failed(B), 0 B connecting(B), 0 B ready(B)"},
    {"silent: after the attempt's time", exact(), answers::silent, answers::at_once,
     "0 A connecting(A), 6000 A failed(B), 6000 B connecting(B), 6000 B ready(B)"},
    {"C56: several addresses, and the failover timer runs once", with_addresses(5), answers::silent,
     answers::at_once,
     "0 A connecting(A), 6000 A connecting(A), 10000 A connecting(B), 10000 B connecting(B), "
     "10000 B ready(B), 12000 A connecting(B), 18000 A connecting(B), 24000 A connecting(B), "
     "30000 A failed(B)"},
    {"C56: it starts anew with each attempt: the round has to fail",
     with_addresses(5, timer_restart::always), answers::silent, answers::at_once,
     "0 A connecting(A), 6000 A connecting(A), 12000 A connecting(A), 18000 A connecting(A), "
     "24000 A connecting(A), 30000 A failed(B), 30000 B connecting(B), 30000 B ready(B)"},
    {"C56: the same, when attempts end by themselves: 10 s after the last one",
     with_addresses(2, timer_restart::always), answers::silent, answers::at_once,
     "0 A connecting(A), 6000 A connecting(A), 12000 A failed(B), 12000 B connecting(B), "
     "12000 B ready(B)"},
    {"C56: it starts anew when it was over: away at 10 s, and back at 12 s",
     with_addresses(5, timer_restart::when_over), answers::silent, answers::at_once,
     "0 A connecting(A), 6000 A connecting(A), 10000 A connecting(B), 10000 B connecting(B), "
     "10000 B ready(B), 12000 A connecting(A), 18000 A connecting(A), 22000 A connecting(B), "
     "24000 A connecting(A), 30000 A failed(B)"},
    {"nobody answers: waits for the first that is CONNECTING", with_addresses(5), answers::silent,
     answers::silent,
     "0 A connecting(A), 6000 A connecting(A), 10000 A connecting(B), 10000 B connecting(B), "
     "12000 A connecting(B), 16000 B connecting(B), 18000 A connecting(B), 20000 B connecting(A), "
     "22000 B connecting(A), 24000 A connecting(A), 28000 B connecting(A), 30000 A failed(B), "
     "34000 B connecting(B)"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    channel_script world{x.config};
    world.let(0, x.a);
    world.let(1, x.b);
    world.pick();
    world.until(35s);
    EXPECT_EQ(world.told(), x.told);
  }
}

TEST(PriorityChannel, FailsWhenEveryPriorityDid) {
  for (const auto waits : {false, true}) {
    SCOPED_TRACE(waits);
    auto config = exact();
    config.wait_for_ready = waits;
    channel_script world{config};
    world.let(0, answers::refuses);
    world.let(1, answers::refuses);
    world.pick();
    EXPECT_EQ(world.told(), "0 A connecting(A), 0 A failed(B), 0 B connecting(B), 0 B failed(B)");
    EXPECT_EQ(world.pick(), waits ? 1u : priority_channel::none);
    EXPECT_EQ(world.subject().usable(1), waits);
    EXPECT_FALSE(world.subject().usable(0));
    // It tries on, and tells of success alone.
    world.let(1, answers::at_once);
    world.until(999ms);
    EXPECT_EQ(world.told(), "");
    world.until(1s);
    EXPECT_EQ(world.told(), "1000 B ready(B)");
    world.let(0, answers::at_once);
    world.until(5s);
    EXPECT_EQ(world.told(), "2600 A ready(A)") << "back at once to what is better";
  }
}

TEST(PriorityChannel, PausesLongerAndLonger) {
  struct {
    const char* why = "";
    duration connect_timeout{};
    answers how = answers::refuses;
    std::vector<std::int64_t> attempts = {};
  } const cases[] = {
    {"1 s, each pause 1.6 times the one before, at most 4 s",
     6s,
     answers::refuses,
     {0, 1'000, 2'600, 5'160, 9'160, 13'160}},
    {"from the beginning of a round: what takes longer than its pause is followed at once",
     6s,
     answers::silent,
     {0, 6'000, 12'000}},
    {"an attempt takes as long as the pause after it",
     2s,
     answers::silent,
     {0, 2'000, 4'000, 6'560, 10'560, 14'560}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto config = exact();
    config.connect_timeout = x.connect_timeout;
    config.back_off.max_interval = 4s;
    channel_script world{config, 1};
    world.let(0, x.how);
    world.pick();
    world.until(15s);
    EXPECT_EQ(world.attempts(), x.attempts);
  }
}

TEST(PriorityChannel, DrawsPausesWithinTheirJitter) {
  grpc_config config;
  config.back_off = {.base_interval = 10s, .multiplier = 100, .jitter = 20, .max_interval = 10s};
  channel_script world{config, 1};
  world.let(0, answers::refuses);
  world.pick();
  world.until(20'000s);
  const auto& at = world.attempts();
  ASSERT_GT(at.size(), 1'600u);
  auto least = at[1] - at[0];
  auto most = least;
  for (std::size_t i = 1; i < at.size(); ++i) {
    least = std::min(least, at[i] - at[i - 1]);
    most = std::max(most, at[i] - at[i - 1]);
  }
  EXPECT_GE(least, 7'999);
  EXPECT_LE(least, 8'050);
  EXPECT_GE(most, 11'950);
  EXPECT_LE(most, 12'001);
}

TEST(PriorityChannel, GivesTimeToConnectAgainOnlyToWhatDidNotFail) {
  channel_script world{with_addresses(5)};
  world.pick();
  world.told();
  world.until(1s);
  world.let(0, answers::silent);
  world.lose(0);
  EXPECT_EQ(world.told(), "1000 A idle(A)") << "nothing is made before it is wanted";
  world.until(2s);
  EXPECT_EQ(world.pick(), 0u);
  world.until(13s);
  EXPECT_EQ(world.told(), "2000 A connecting(A), 8000 A connecting(A), 12000 A connecting(B), "
                          "12000 B connecting(B), 12000 B ready(B)");
}

TEST(PriorityChannel, LosesConnections) {
  struct {
    const char* why = "";
    bool pings = false;
    answers then = answers::silent;
    const char* told = "";
  } const cases[] = {
    {"a silent end stays without pings", false, answers::silent, ""},
    {"with pings it is found out", true, answers::silent, "18000 A idle(A)"},
    {"one that knows nothing of the connection is found out at once", true, answers::refuses,
     "13000 A idle(A)"},
    {"an end that answers stays", true, answers::at_once, ""},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto config = exact();
    if (x.pings)
      config.keepalive = {.interval = 13s, .timeout = 5s};
    channel_script world{config};
    world.pick();
    world.told();
    world.let(0, x.then);
    world.until(25s);
    EXPECT_EQ(world.told(), x.told);
  }
}

TEST(PriorityChannel, FollowsWhatIsThere) {
  channel_script world{exact(), 3};
  world.pick();
  world.told();
  world.set_present(0, false);
  EXPECT_EQ(world.told(), "0 B connecting(B), 0 B ready(B)");
  EXPECT_FALSE(world.subject().usable(0)) << "READY, and yet not there";
  world.until(60s);
  world.set_present(0, true);
  EXPECT_EQ(world.subject().in_use(), 0u) << "READY still: nothing has to be made";
  world.set_present(0, false);
  EXPECT_EQ(world.subject().in_use(), 1u);
  EXPECT_EQ(world.told(), "");
  world.until(60s + priority_channel::kept - 1ms);
  EXPECT_EQ(world.told(), "");
  world.until(60s + priority_channel::kept);
  EXPECT_EQ(world.told(), "960000 A idle(B)") << "not needed for 15 minutes";
  for (const std::uint32_t region : {1U, 2U})
    world.set_present(region, false);
  EXPECT_EQ(world.subject().in_use(), priority_channel::none);
  EXPECT_EQ(world.pick(), priority_channel::none);
}

TEST(PriorityChannel, ClosesLaterWhatABetterOneReplaced) {
  channel_script world{exact()};
  world.let(0, answers::refuses);
  world.pick();
  world.let(0, answers::at_once);
  world.until(1s);
  EXPECT_EQ(world.told(), "0 A connecting(A), 0 A failed(B), 0 B connecting(B), 0 B ready(B), "
                          "1000 A ready(A)");
  world.until(priority_channel::kept);
  EXPECT_EQ(world.told(), "");
  world.until(1s + priority_channel::kept);
  EXPECT_EQ(world.told(), "901000 B idle(A)");
}

TEST(PriorityChannel, RestsWithoutRequests) {
  auto config = exact();
  config.idle_timeout = 60s;
  channel_script world{config};
  world.until(600s);
  EXPECT_EQ(world.told(), "") << "nothing before the first request";
  EXPECT_EQ(world.subject().next(), never);
  EXPECT_EQ(world.pick(), 0u);
  world.told();
  world.until(650s);
  EXPECT_EQ(world.pick(), 0u);
  world.subject().ended();
  world.until(719s);
  EXPECT_EQ(world.told(), "") << "one goes on";
  world.subject().ended();
  world.until(800s);
  EXPECT_EQ(world.told(), "720000 A idle(A)");
  EXPECT_EQ(world.subject().next(), never);
  EXPECT_EQ(world.pick(), 0u);
  EXPECT_EQ(world.told(), "800000 A connecting(A), 800000 A ready(A)");
}

TEST(PriorityChannel, CountsCalls) {
  channel_script world{exact()};
  world.let(0, answers::silent);
  world.let(1, answers::refuses);
  world.pick();
  world.until(6500ms);
  const auto& a = world.subject().counted(0);
  EXPECT_EQ(a.taken, 2u);
  EXPECT_EQ(a.ended[static_cast<std::size_t>(outcome::lb_timeout)], 1u);
  EXPECT_EQ(a.open(), 1u);
  const auto& b = world.subject().counted(1);
  EXPECT_EQ(b.taken, 1u);
  EXPECT_EQ(b.ended[static_cast<std::size_t>(outcome::unavailable)], 1u);
  EXPECT_FALSE(world.subject().on_answer(run_start + 6500ms, 0, 1, true, 1)) << "long given up";
}

} // namespace
} // namespace spillover
