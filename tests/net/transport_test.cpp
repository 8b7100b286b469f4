#include "actors/wake_event.hpp"
#include "tests/net/station.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

namespace spillover::net {
namespace {

using namespace std::chrono_literals;
using namespace test;

/// Requests that are due a second apart.
std::vector<timed_record> requests(std::uint64_t from, std::size_t n) {
  std::vector<timed_record> result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back({{.to = 5, .what = op::request, .request = from + i, .reply_to = 6},
                      run_start + std::chrono::seconds{from + i}});
  return result;
}

health_state state_of(health x, std::uint64_t generation) {
  return {.resource = "us-east1/checkout",
          .region = "us-east1",
          .state = x,
          .generation = generation,
          .endpoints = {}};
}

std::uint64_t dropped(const counters& x, std::size_t site, plane where, drop why) {
  return x.sites[site].on(where).of(why);
}

class TransportTest : public testing::Test {
protected:
  deployment world_;
};

TEST_F(TransportTest, RecordsGoBothWaysOverOneConnection) {
  const auto a = world_.start(east);
  const auto b = world_.start(clients);
  ASSERT_TRUE(join(*b, clients, *a, east));
  EXPECT_EQ((*b)->send(east, requests(0, 2'000)), 2'000U);
  ASSERT_TRUE(a->wait_for([&] { return a->got.records.size() == 2'000; }));
  for (std::size_t i = 0; i < 2'000; ++i)
    ASSERT_EQ(a->got.records[i].what.request, i) << "in order";
  EXPECT_EQ(a->got.records[1'999].due, run_start + 1'999s);
  // The region did not connect: it answers by the connection that the clients came by.
  EXPECT_EQ((*a)->send(clients, requests(7, 3)), 3U);
  ASSERT_TRUE(b->wait_for([&] { return b->got.records.size() == 3; }));
  // Counted once it is sent, so perhaps after it came.
  EXPECT_TRUE(
    a->wait_for([&] { return (*a)->count().sites[clients].on(plane::data).items_sent == 3; }));
  const auto counted = (*a)->count().sites[clients].on(plane::data);
  EXPECT_GE(counted.items_received, 2'000U);
  EXPECT_GE(counted.frames_received, 4U) << "at most 512 records a frame";
}

TEST_F(TransportTest, ASiteThatWaitsDoesTheWorkItself) {
  const auto a = world_.start(east);
  const auto b = world_.start(clients);
  ASSERT_TRUE(join(*b, clients, *a, east));
  const wake_event mine;
  inbox got;
  std::size_t come = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ((*b)->send(east, requests(i, 1)), 1U);
    ASSERT_TRUE(a->wait_for([&] { return !a->got.records.empty(); }));
    EXPECT_EQ(a->got.records.size(), 1U);
    a->got.records.clear();
    (*a)->send(clients, requests(i, 1));
    // Alternately as one who has time, and as one who has not.
    for (const auto until = std::chrono::steady_clock::now() + 20s;
         come == i && std::chrono::steady_clock::now() < until;) {
      EXPECT_FALSE((*b)->drive(1s, mine.file()));
      (*b)->receive(got);
      come += got.records.size();
      if (i % 2 == 1)
        (*b)->leave();
    }
    ASSERT_EQ(come, i + 1);
    // What is sent while driving leaves with the next wait.
    if (i % 2 == 0)
      (*b)->drive(0s, mine.file());
  }
  (*b)->leave();
}

TEST_F(TransportTest, WhoeverWaitsIsWokenByItsFileAndByTime) {
  const auto b = world_.start(clients);
  const wake_event mine;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE((*b)->drive(5ms, mine.file()));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 5ms);
  mine.set();
  EXPECT_TRUE((*b)->drive(1h, mine.file()));
  mine.clear();
  EXPECT_FALSE((*b)->drive(0s, mine.file()));
}

TEST_F(TransportTest, WhatCannotLeaveCostsNoProcessor) {
  auto config = world_.config(clients);
  config.heartbeat = 1s;
  config.lost_after = 10s;
  station b{config};
  const endpoints nobody{"tcp://127.0.0.1:9", "tcp://127.0.0.1:9", "tcp://127.0.0.1:9", ""};
  ASSERT_FALSE(b->connect(east, nobody));
  ASSERT_NE(b->order(east, "join", "here I am"), 0U);
  const wake_event mine;
  const auto used = [] {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
  };
  b->drive(0s, mine.file());
  const auto before = used();
  for (const auto until = std::chrono::steady_clock::now() + 400ms;
       std::chrono::steady_clock::now() < until;)
    b->drive(100ms, mine.file());
  EXPECT_LT(used() - before, 20ms)
    << "the command waits for its next try without asking all the time";
}

TEST_F(TransportTest, ASiteThatWasBusierThanItThoughtIsHeardOfAllTheSame) {
  const auto a = world_.start(east);
  const auto b = world_.start(clients);
  ASSERT_TRUE(join(*b, clients, *a, east));
  const wake_event mine;
  (*b)->drive(0s, mine.file());
  // It neither drives nor leaves: the transport's own thread goes on after a while, and takes in what comes.
  (*a)->send(clients, requests(0, 3));
  EXPECT_TRUE(b->wait_for([&] { return b->got.records.size() == 3; }));
  EXPECT_EQ(a->steps(clients, peer_step::lost), 0U);
  // And gives way again.
  (*a)->send(clients, requests(3, 1));
  inbox got;
  for (const auto until = std::chrono::steady_clock::now() + 20s;
       got.records.empty() && std::chrono::steady_clock::now() < until;) {
    (*b)->drive(1s, mine.file());
    (*b)->receive(got);
  }
  EXPECT_EQ(got.records.size(), 1U);
}

TEST_F(TransportTest, ThreeSitesKnowWhoSpeaks) {
  const auto d = world_.start(director);
  const auto a = world_.start(east);
  const auto b = world_.start(clients);
  ASSERT_TRUE(join(*a, east, *d, director));
  ASSERT_TRUE(join(*b, clients, *d, director));
  EXPECT_EQ((*d)->order(clients, "start", "now"), 1U);
  EXPECT_EQ((*d)->order(east, "start", "later"), 1U);
  for (auto* x : {a.get(), b.get()}) {
    ASSERT_TRUE(x->wait_for([&] { return x->got.commands.size() == 1; }));
    EXPECT_EQ(x->got.commands[0].from, director);
    EXPECT_EQ(x->got.commands[0].what.kind, "start");
  }
  EXPECT_EQ(a->got.commands[0].what.body, "later");
  (*a)->answer(a->got.commands[0], "there is nothing to start", "{}");
  (*b)->answer(b->got.commands[0], "");
  ASSERT_TRUE(d->wait_for([&] { return d->got.results.size() == 2; }));
  for (const auto& x : d->got.results) {
    EXPECT_TRUE(x.answered);
    EXPECT_EQ(x.id, 1U);
    EXPECT_EQ(x.refused, x.to == east ? "there is nothing to start" : "");
  }
}

TEST_F(TransportTest, ACommandIsCarriedOutOnceHoweverOftenItIsTried) {
  const auto d = world_.start(director);
  const auto a = world_.start(east);
  ASSERT_TRUE(join(*a, east, *d, director));
  (*d)->order(east, "fault", "");
  // Not answered: so it is tried again.
  ASSERT_TRUE(a->wait_for(
    [&] { return dropped((*a)->count(), director, plane::control, drop::repeated) >= 2; }));
  ASSERT_EQ(a->got.commands.size(), 1U);
  (*a)->answer(a->got.commands[0], "");
  ASSERT_TRUE(d->wait_for([&] { return d->got.results.size() == 1; }));
  EXPECT_EQ(a->got.commands.size(), 1U);
}

TEST_F(TransportTest, ACommandThatNobodyAnswersEnds) {
  auto config = world_.config(director);
  config.command_give_up = 300ms;
  config.open_commands = 1;
  station d{config};
  EXPECT_EQ(d->order(east, "fault", ""), 1U);
  EXPECT_EQ(d->order(east, "fault", ""), 0U) << "there is no room for a second one";
  ASSERT_TRUE(d.wait_for([&] { return d.got.results.size() == 1; }));
  EXPECT_FALSE(d.got.results[0].answered);
  EXPECT_EQ(dropped(d->count(), east, plane::control, drop::unanswered), 1U);
  EXPECT_EQ(d->order(east, "fault", ""), 2U) << "now there is room again";
}

TEST_F(TransportTest, TheNewestStateArrivesAndOlderOnesDoNot) {
  const auto a = world_.start(east);
  const auto b = world_.start(clients);
  // Published before there is any connection.
  EXPECT_TRUE((*a)->publish(clients, state_of(health::healthy, 1)));
  EXPECT_TRUE((*a)->publish(clients, state_of(health::unhealthy, 3)));
  EXPECT_TRUE((*a)->publish(clients, state_of(health::healthy, 2)));
  ASSERT_TRUE(join(*b, clients, *a, east));
  ASSERT_TRUE(b->wait_for([&] { return !b->got.health.empty(); }));
  EXPECT_EQ(b->got.health[0].state, state_of(health::unhealthy, 3));
  // It is repeated, and that is no news.
  ASSERT_TRUE(
    b->wait_for([&] { return dropped((*b)->count(), east, plane::health, drop::repeated) >= 2; }));
  EXPECT_EQ(b->got.health.size(), 1U);
  EXPECT_EQ(dropped((*a)->count(), clients, plane::health, drop::stale), 1U);
}

TEST_F(TransportTest, APeerThatComesBackIsToldEverythingAgain) {
  const auto a = world_.start(east);
  auto b = world_.start(clients, 1);
  ASSERT_TRUE(join(*b, clients, *a, east));
  (*a)->publish(clients, state_of(health::healthy, 1));
  ASSERT_TRUE(b->wait_for([&] { return b->got.health.size() == 1; }));
  b.reset();
  ASSERT_TRUE(a->wait_for(clients, peer_step::lost));
  EXPECT_EQ((*a)->send(clients, requests(0, 10)), 10U);
  ASSERT_TRUE(a->wait_for([&] {
    const auto x = (*a)->count();
    return dropped(x, clients, plane::data, drop::peer_lost)
             + dropped(x, clients, plane::data, drop::unreachable)
           == 10;
  }))
    << "what is sent to a lost peer is dropped and counted";
  b = world_.start(clients, 2);
  ASSERT_EQ((*b)->connect(east, (*a)->bound()), std::nullopt);
  ASSERT_TRUE(a->wait_for(clients, peer_step::restarted));
  ASSERT_TRUE(b->wait_for([&] { return b->got.health.size() == 1; }));
  EXPECT_EQ(b->got.health[0].state.generation, 1U);
}

TEST_F(TransportTest, APeerThatWasConnectedToIsFoundAgainAtItsAddress) {
  auto a = world_.start(east, 1);
  const auto b = world_.start(clients);
  ASSERT_TRUE(join(*b, clients, *a, east));
  auto config = world_.config(east, 2);
  config.listen = (*a)->bound();
  a.reset();
  ASSERT_TRUE(b->wait_for(east, peer_step::lost));
  a = std::make_unique<station>(config);
  ASSERT_TRUE(b->wait_for([&] {
    return b->steps(east, peer_step::restarted) == 1 && b->steps(east, peer_step::back) == 2
           && b->steps(east, peer_step::connected) == 2;
  }));
  EXPECT_EQ((*b)->send(east, requests(0, 5)), 5U);
  ASSERT_TRUE(a->wait_for([&] { return a->got.records.size() == 5; }));
}

TEST_F(TransportTest, AProcessThatIsGoneIsNoticedBeforeItsHeartbeatsAreMissed) {
  auto slow = world_.config(clients);
  slow.lost_after = 20s;
  slow.heartbeat = 5s;
  station b{slow};
  auto a = world_.start(east, 1);
  ASSERT_TRUE(join(b, clients, *a, east));
  ASSERT_TRUE(b.wait_for([&] { return b.steps(east, peer_step::connected) == 1; }));
  ASSERT_TRUE(a->wait_for([&] { return a->steps(clients, peer_step::connected) == 1; }));
  auto config = world_.config(east, 2);
  config.listen = (*a)->bound();
  a.reset();
  ASSERT_TRUE(b.wait_for([&] { return b.steps(east, peer_step::disconnected) == 1; }));
  EXPECT_EQ(b.steps(east, peer_step::lost), 0U);
  EXPECT_EQ(b->send(east, requests(0, 10)), 10U);
  ASSERT_TRUE(
    b.wait_for([&] { return dropped(b->count(), east, plane::data, drop::unreachable) == 10; }));
  a = std::make_unique<station>(config);
  ASSERT_TRUE(b.wait_for([&] { return b.steps(east, peer_step::connected) == 2; }));
  EXPECT_EQ(b->send(east, requests(10, 5)), 5U);
  ASSERT_TRUE(a->wait_for([&] { return a->got.records.size() == 5; }));
  EXPECT_EQ(a->got.records[0].what.request, 10U) << "nothing of before comes late";
}

TEST_F(TransportTest, WhoeverCameIsNoticedToBeGoneToo) {
  const auto a = world_.start(east);
  const auto d = world_.start(director);
  auto b = world_.start(clients, 1);
  ASSERT_TRUE(join(*b, clients, *a, east));
  ASSERT_TRUE(join(*d, director, *a, east));
  ASSERT_TRUE(a->wait_for([&] {
    return a->steps(clients, peer_step::connected) == 1
           && a->steps(director, peer_step::connected) == 1;
  }));
  b.reset();
  ASSERT_TRUE(a->wait_for([&] { return a->steps(clients, peer_step::disconnected) == 1; }));
  EXPECT_EQ(a->steps(clients, peer_step::lost), 0U);
  // Its successor mostly gets the same file number from the system.
  b = world_.start(clients, 2);
  ASSERT_EQ((*b)->connect(east, (*a)->bound()), std::nullopt);
  ASSERT_TRUE(a->wait_for([&] { return a->steps(clients, peer_step::connected) == 2; }));
  (*a)->send(clients, requests(0, 5));
  ASSERT_TRUE(b->wait_for([&] { return b->got.records.size() == 5; }));
  EXPECT_EQ(a->steps(clients, peer_step::disconnected), 1U);
  EXPECT_EQ(a->steps(director, peer_step::disconnected), 0U) << "its connection still stands";
}

TEST_F(TransportTest, RecordsSayWhoSentThem) {
  const auto a = world_.start(east);
  const auto b = world_.start(clients);
  const auto d = world_.start(director);
  ASSERT_TRUE(join(*b, clients, *a, east));
  ASSERT_TRUE(join(*d, director, *a, east));
  for (std::uint64_t i = 0; i < 5; ++i) {
    (*b)->send(east, requests(0, 3));
    (*d)->send(east, requests(1'000, 600));
  }
  ASSERT_TRUE(a->wait_for([&] { return a->got.records.size() == 5 * 603; }));
  std::size_t at = 0;
  std::size_t of_clients = 0;
  for (const auto& [from, count] : a->got.batches) {
    for (const auto end = at + count; at < end; ++at)
      ASSERT_EQ(a->got.records[at].what.request < 1'000, from == clients);
    of_clients += from == clients ? count : 0;
  }
  EXPECT_EQ(at, a->got.records.size());
  EXPECT_EQ(of_clients, 15U);
}

TEST_F(TransportTest, AnAddressThatIsNoneIsRefused) {
  const auto a = world_.start(east);
  const auto b = world_.start(clients);
  const auto good = (*a)->bound();
  const auto with = [&](const std::string& data) {
    auto x = good;
    x.data = data;
    return x;
  };
  EXPECT_NE((*b)->connect(clients, good), std::nullopt) << "that is itself";
  EXPECT_NE((*b)->connect(east, with("")), std::nullopt);
  EXPECT_NE((*b)->connect(east, with("tcp://127.0.0.1:*")), std::nullopt);
  auto config = world_.config(director);
  config.keys.reset();
  config.insecure = true;
  station d{config};
  EXPECT_NE(d->connect(east, with("tcp://10.1.2.3:7001")), std::nullopt) << "in the clear";
  // It has the form of an address, but there is no such address; that does not end the transport.
  EXPECT_EQ((*b)->connect(east, with("tcp://999.999.999.999:7001")), std::nullopt);
  EXPECT_TRUE(join(*b, clients, *a, east));
  EXPECT_EQ(b->got.failed, "");
}

TEST_F(TransportTest, TheSameAddressesAgainChangeNothing) {
  const auto a = world_.start(east);
  const auto b = world_.start(clients);
  ASSERT_TRUE(join(*b, clients, *a, east));
  ASSERT_TRUE(b->wait_for([&] { return b->steps(east, peer_step::connected) == 1; }));
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ((*b)->connect(east, (*a)->bound()), std::nullopt);
  (*b)->send(east, requests(0, 3));
  ASSERT_TRUE(a->wait_for([&] { return a->got.records.size() == 3; }));
  b->wait_for([&] { return true; });
  EXPECT_EQ(b->steps(east, peer_step::disconnected), 0U);
}

TEST_F(TransportTest, AQueueThatIsFullDropsAndCounts) {
  auto config = world_.config(clients);
  config.queue_records = 100;
  config.inbox_records = 512;
  station b{config};
  const auto a = world_.start(east);
  ASSERT_TRUE(join(*a, east, b, clients));
  std::uint64_t sent = 0;
  // The receiver does not look into its inbox meanwhile, so most of this finds no room there.
  for (int i = 0; i < 10; ++i)
    sent += (*a)->send(clients, requests(0, 500));
  ASSERT_EQ(sent, 5'000U);
  ASSERT_TRUE(a->wait_for([&] {
    const auto x = b->count().sites[east].on(plane::data);
    // The greetings of this plane count as received, too.
    return x.of(drop::inbox_full) >= 4'488;
  }));
  EXPECT_EQ(b->send(director, requests(0, 150)), 100U);
  EXPECT_EQ(dropped(b->count(), director, plane::data, drop::queue_full), 50U);
}

/// Numbers of all lines that came, or will never come, of one site.
struct collected {
  std::vector<std::string> lines;
  std::uint64_t gone = 0;
};

collected lines_of(const station& x, std::size_t site) {
  collected result;
  for (const auto& batch : x.got.telemetry)
    if (batch.from == site) {
      result.gone += batch.gone;
      EXPECT_EQ(batch.first, result.lines.size() + result.gone + 1) << "in order, without a gap";
      result.lines.insert(result.lines.end(), batch.lines.begin(), batch.lines.end());
    }
  return result;
}

TEST_F(TransportTest, TheEventLogSurvivesTheLossOfTheDirector) {
  auto d = world_.start(director, 1);
  const auto a = world_.start(east);
  ASSERT_TRUE(join(*a, east, *d, director));
  std::vector<std::string> expected;
  const auto report = [&](int n) {
    for (int i = 0; i < n; ++i) {
      expected.push_back("line " + std::to_string(expected.size() + 1));
      EXPECT_TRUE((*a)->report(expected.back()));
    }
  };
  report(3'000);
  ASSERT_TRUE(d->wait_for([&] { return !d->got.telemetry.empty(); }));
  auto config = world_.config(director, 2);
  config.listen = (*d)->bound();
  const auto before = lines_of(*d, east).lines;
  d.reset();
  ASSERT_TRUE(a->wait_for(director, peer_step::lost));
  report(3'000);
  EXPECT_FALSE((*a)->all_reported());
  // The new director says what the old one had kept.
  config.collected["us-east1"] = {1, before.size()};
  d = std::make_unique<station>(config);
  ASSERT_TRUE(a->wait_for([&] { return (*a)->all_reported(); }));
  std::size_t after = 0;
  ASSERT_TRUE(d->wait_for([&] {
    after = 0;
    for (const auto& x : d->got.telemetry)
      after += x.lines.size();
    return before.size() + after >= expected.size();
  }));
  auto all = before;
  for (const auto& x : d->got.telemetry) {
    EXPECT_EQ(x.first, all.size() + 1);
    EXPECT_EQ(x.gone, 0U);
    all.insert(all.end(), x.lines.begin(), x.lines.end());
  }
  EXPECT_EQ(all, expected) << "nothing is lost, and nothing twice";
}

TEST_F(TransportTest, TheDirectorKnowsWhichLinesFoundNoRoom) {
  auto config = world_.config(east);
  config.spill_bytes = 1'000;
  station a{config};
  const auto d = world_.start(director);
  // Nobody collects yet: only the first ten fit.
  for (int i = 1; i <= 20; ++i)
    a->report(std::string(88, 'x'));
  ASSERT_TRUE(a.wait_for(
    [&] { return dropped(a->count(), director, plane::telemetry, drop::spill_full) == 10; }));
  ASSERT_TRUE(join(a, east, *d, director));
  ASSERT_TRUE(a.wait_for([&] { return a->all_reported(); }));
  a->report("the next one");
  ASSERT_TRUE(d->wait_for([&] { return lines_of(*d, east).lines.size() == 11; }));
  const auto found = lines_of(*d, east);
  EXPECT_EQ(found.gone, 10U);
  EXPECT_EQ(found.lines.back(), "the next one");
}

TEST_F(TransportTest, NothingOfATransportIsLeftWhenItEnds) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator all{"/proc/self/fd"};
    return std::distance(begin(all), end(all));
  };
  const auto once = [&](std::uint64_t incarnation) {
    const auto a = world_.start(east, incarnation);
    const auto b = world_.start(clients, incarnation);
    EXPECT_TRUE(join(*b, clients, *a, east));
  };
  once(1);
  const auto before = open_files();
  once(2);
  once(3);
  EXPECT_EQ(open_files(), before);
}

} // namespace
} // namespace spillover::net
