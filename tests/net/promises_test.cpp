// What the planes promise, without sockets and clocks.

#include "net/command_desk.hpp"
#include "net/health_board.hpp"
#include "net/liveness.hpp"
#include "net/log_limiter.hpp"
#include "net/transport.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace spillover::net {
namespace {

using namespace std::chrono_literals;

constexpr moment start{};

TEST(Liveness, APeerIsLostWhenItIsNotHeardOfForTooLong) {
  liveness x{2, 3s};
  EXPECT_EQ(x.introduce(0, 5), std::nullopt);
  EXPECT_EQ(x.heartbeat(0, start), peer_step::back);
  EXPECT_EQ(x.heartbeat(0, start + 1s), std::nullopt);
  EXPECT_EQ(x.next_lost(start + 4s - 1ns), std::nullopt);
  EXPECT_EQ(x.next_lost(start + 4s), 0U);
  EXPECT_EQ(x.next_lost(start + 5s), std::nullopt)
    << "it is said once, and never of one never heard of";
  EXPECT_TRUE(x.lost(0));
  EXPECT_FALSE(x.lost(1));
  EXPECT_EQ(x.heartbeat(0, start + 9s), peer_step::back);
  EXPECT_FALSE(x.lost(0));
}

TEST(PeerChanges, TheLastOfEachStepIsKept) {
  std::vector<peer_change> x;
  for (std::uint64_t i = 1; i <= 1'000; ++i) {
    note(x, {3, peer_step::connected, i});
    note(x, {4, peer_step::back, i});
    note(x, {3, peer_step::disconnected, i});
  }
  ASSERT_EQ(x.size(), 3U);
  EXPECT_EQ(x[0].step, peer_step::connected);
  EXPECT_EQ(x[1].peer, 4U);
  EXPECT_EQ(x[2].step, peer_step::disconnected) << "in the order of the last of each";
  EXPECT_EQ(x[2].incarnation, 1'000U);
}

TEST(Liveness, TheLatestProcessSpeaksForASite) {
  liveness x{1, 3s};
  EXPECT_EQ(x.of(0, 5), liveness::standing::not_introduced);
  EXPECT_EQ(x.of(0, 0), liveness::standing::not_introduced) << "0 is no process";
  EXPECT_EQ(x.introduce(0, 5), std::nullopt);
  EXPECT_EQ(x.of(0, 5), liveness::standing::current);
  EXPECT_EQ(x.of(0, 4), liveness::standing::stale);
  EXPECT_EQ(x.of(0, 6), liveness::standing::not_introduced);
  EXPECT_EQ(x.introduce(0, 6), peer_step::restarted);
  EXPECT_EQ(x.of(0, 5), liveness::standing::stale);
  EXPECT_EQ(x.introduce(0, 5), std::nullopt);
  EXPECT_EQ(x.incarnation(0), 6U);
}

health_state state_of(std::uint32_t incarnation, std::uint64_t generation,
                      const std::string& resource = "checkout") {
  return {.resource = resource,
          .region = "us-east1",
          .state = health::healthy,
          .incarnation = incarnation,
          .generation = generation,
          .endpoints = {}};
}

TEST(HealthOutbox, KeepsTheNewestOfEachResourceAndPeer) {
  health_outbox x;
  EXPECT_NE(x.put(1, state_of(1, 5)), nullptr);
  EXPECT_EQ(x.put(1, state_of(1, 4)), nullptr);
  EXPECT_NE(x.put(1, state_of(2, 1)), nullptr) << "a later incarnation begins anew";
  EXPECT_NE(x.put(1, state_of(1, 1, "cart")), nullptr);
  EXPECT_NE(x.put(2, state_of(1, 1)), nullptr);
  auto counts = state_of(1, 3);
  counts.kind = resource_kind::endpoints;
  EXPECT_NE(x.put(1, counts), nullptr) << "of another kind, so no older one of the first";
  const auto all = x.of(1);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0]->resource, "cart");
  EXPECT_EQ(*all[1], state_of(2, 1));
  EXPECT_EQ(*all[2], counts);
  EXPECT_TRUE(x.of(0).empty());
}

TEST(HealthInbox, OnlyANewerPairIsNews) {
  const struct {
    const char* why;
    health_state state;
    health_inbox::verdict expected;
  } cases[] = {
    {"the same again", state_of(2, 5), health_inbox::verdict::repeated},
    {"an older generation", state_of(2, 4), health_inbox::verdict::stale},
    {"an older incarnation, whatever its generation", state_of(1, 99),
     health_inbox::verdict::stale},
    {"the next generation", state_of(2, 6), health_inbox::verdict::newer},
    {"the next incarnation", state_of(3, 0), health_inbox::verdict::newer},
    {"another resource", state_of(1, 1, "cart"), health_inbox::verdict::newer},
  };
  health_inbox x;
  EXPECT_EQ(x.judge(0, state_of(2, 5)), health_inbox::verdict::newer);
  x.take(0, state_of(2, 5));
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    EXPECT_EQ(x.judge(0, c.state), c.expected);
  }
  EXPECT_EQ(x.judge(1, state_of(1, 1)), health_inbox::verdict::newer) << "senders do not share";
  auto counts = state_of(1, 1);
  counts.kind = resource_kind::endpoints;
  EXPECT_EQ(x.judge(0, counts), health_inbox::verdict::newer) << "kinds do not share";
  x.forget(0);
  EXPECT_EQ(x.judge(0, state_of(1, 1)), health_inbox::verdict::newer);
}

TEST(HealthInbox, APeerCannotNameResourcesWithoutEnd) {
  health_inbox x;
  for (std::size_t i = 0; i < health_inbox::most_resources; ++i)
    x.take(0, state_of(1, 1, std::to_string(i)));
  EXPECT_EQ(x.judge(0, state_of(1, 1, "one more")), health_inbox::verdict::too_many);
  EXPECT_EQ(x.judge(0, state_of(1, 2, "7")), health_inbox::verdict::newer);
  EXPECT_EQ(x.judge(1, state_of(1, 1, "one more")), health_inbox::verdict::newer);
}

TEST(CommandSender, TriesAgainUntilAnsweredOrGivenUp) {
  command_sender x{500ms, 2s};
  x.add({1, "start", ""}, start);
  x.add({2, "stop", ""}, start + 100ms);
  EXPECT_EQ(x.due(start + 100ms).size(), 2U);
  EXPECT_TRUE(x.due(start + 599ms).empty());
  EXPECT_EQ(x.due(start + 600ms).size(), 2U);
  x.hurry();
  EXPECT_EQ(x.due(start + 601ms).size(), 2U) << "the peer is back";
  EXPECT_TRUE(x.answered(1));
  EXPECT_FALSE(x.answered(1)) << "an answer counts once";
  EXPECT_TRUE(x.given_up(start + 2'099ms).empty());
  EXPECT_EQ(x.given_up(start + 2'100ms), std::vector<std::uint64_t>{2});
  EXPECT_EQ(x.size(), 0U);
}

TEST(CommandSender, NeverGivesUpWhenToldSo) {
  command_sender x{500ms, 0s};
  x.add({1, "start", ""}, start);
  EXPECT_TRUE(x.given_up(start + 24h).empty());
}

TEST(CommandReceiver, CarriesOutEachCommandOnce) {
  command_receiver x;
  EXPECT_EQ(x.judge(1), command_receiver::verdict::fresh);
  x.take(1);
  EXPECT_EQ(x.judge(1), command_receiver::verdict::pending);
  EXPECT_FALSE(x.answer({2, "", "", 0})) << "nobody asked";
  EXPECT_TRUE(x.answer({1, "no", "", 0}));
  EXPECT_FALSE(x.answer({1, "", "", 0})) << "it is answered";
  EXPECT_EQ(x.judge(1), command_receiver::verdict::answered);
  ASSERT_NE(x.find(1), nullptr);
  EXPECT_EQ(x.find(1)->refused, "no");
  EXPECT_EQ(x.find(3), nullptr);
}

TEST(CommandReceiver, ForgetsTheOldestAndStillDoesNotRepeatThem) {
  command_receiver x;
  for (std::uint64_t id = 1; id <= command_receiver::memory::most_kept; ++id)
    x.take(id);
  EXPECT_TRUE(x.answer({7, "", "", 0}));
  x.take(2'000);
  EXPECT_EQ(x.judge(7), command_receiver::verdict::forgotten) << "what is answered goes first";
  EXPECT_EQ(x.judge(1), command_receiver::verdict::pending);
  x.take(2'001);
  EXPECT_EQ(x.judge(1), command_receiver::verdict::forgotten) << "all wait: then the oldest";
  EXPECT_EQ(x.judge(2), command_receiver::verdict::pending);
  EXPECT_EQ(x.judge(2'002), command_receiver::verdict::fresh);
}

TEST(CommandReceiver, KeepsAnswersOfSoManyBytesOnly) {
  command_receiver x;
  const std::string half(command_receiver::memory::most_bytes / 2, 'x');
  for (std::uint64_t id = 1; id <= 3; ++id) {
    x.take(id);
    EXPECT_TRUE(x.answer({id, "", half, 0}));
  }
  EXPECT_EQ(x.judge(1), command_receiver::verdict::forgotten);
  EXPECT_EQ(x.judge(2), command_receiver::verdict::answered);
  EXPECT_EQ(x.judge(3), command_receiver::verdict::answered);
}

TEST(LogLimiter, LetsOneLineOfAKindPassInAMinute) {
  log_limiter x;
  EXPECT_EQ(x.pass(1, start), 0U);
  EXPECT_EQ(x.pass(1, start + 1s), std::nullopt);
  EXPECT_EQ(x.pass(2, start + 1s), 0U);
  EXPECT_EQ(x.pass(1, start + 59s), std::nullopt);
  EXPECT_EQ(x.pass(1, start + 60s), 2U) << "and says how many it kept back";
  EXPECT_EQ(x.pass(1, start + 120s), 0U);
  EXPECT_EQ(x.pass(1, start + 121s, 500), std::nullopt);
  EXPECT_EQ(x.pass(1, start + 180s, 7), 500U) << "it counts what happened, not lines";
}

} // namespace
} // namespace spillover::net
