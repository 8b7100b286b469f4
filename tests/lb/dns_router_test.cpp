#include "lb/dns_router.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

class DnsRouterTest : public testing::Test {
protected:
  // Lets time pass as a runtime would: stops at each change.
  void advance_to(dns_router& x, instant until) {
    while (x.next_change() <= until) {
      now_ = x.next_change();
      x.on_time(now_);
      ++changes_;
    }
    now_ = until;
  }

  // Percent of requests, by region.
  static std::vector<int> shares(dns_router& x, const region_set& tried = {}) {
    random_stream random{1, "picks"};
    std::vector<int> taken(2);
    for (std::uint64_t i = 0; i < 10'000; ++i)
      ++taken[x.pick(run_start, random, tried, i)];
    for (auto& count : taken)
      count = (count + 50) / 100;
    return taken;
  }

  instant now_ = run_start;
  int changes_ = 0;
};

TEST_F(DnsRouterTest, LeavesADeadRegionEvenlyWithinOneTtl) {
  dns_router subject{{.ttl = 60s, .resolvers = 20}, 2, unknown_policy::as_healthy};
  EXPECT_EQ(shares(subject), (std::vector{100, 0}));
  EXPECT_EQ(subject.next_change(), never) << "nothing would change";
  subject.set(run_start + 100s, 0, health::unhealthy);
  EXPECT_EQ(shares(subject), (std::vector{100, 0})) << "nobody has asked again yet";
  const struct {
    duration after;
    int left;
  } cases[] = {{15s, 75}, {30s, 50}, {45s, 25}, {57s, 5}, {60s, 0}};
  for (const auto& x : cases) {
    advance_to(subject, run_start + 100s + x.after);
    EXPECT_EQ(shares(subject), (std::vector{x.left, 100 - x.left})) << x.after.count();
  }
  EXPECT_EQ(changes_, 20) << "one for each cache";
  EXPECT_EQ(subject.next_change(), never);
  EXPECT_EQ(subject.current(), (region_route{{1}, {}, false}));
}

TEST_F(DnsRouterTest, TellsTheSharesOfItsRoute) {
  dns_router subject{{.ttl = 60s, .resolvers = 20}, 2, unknown_policy::as_healthy};
  subject.set(run_start + 60s, 0, health::unhealthy);
  advance_to(subject, run_start + 60s + 15s);
  EXPECT_EQ(subject.current(), (region_route{{0, 1}, {75, 25}, false}));
  advance_to(subject, run_start + 60s + 30s);
  EXPECT_EQ(subject.current(), (region_route{{0, 1}, {}, false})) << "even shares need no saying";
}

TEST_F(DnsRouterTest, ComesBackAsItWent) {
  dns_router subject{{.ttl = 10s, .resolvers = 10}, 2, unknown_policy::as_healthy};
  subject.set(run_start + 20s, 0, health::unhealthy);
  advance_to(subject, run_start + 25s);
  // Half of the caches know; the others never hear of it.
  subject.set(now_, 0, health::healthy);
  EXPECT_EQ(shares(subject), (std::vector{50, 50}));
  advance_to(subject, run_start + 30s);
  EXPECT_EQ(shares(subject), (std::vector{50, 50})) << "those that ask now had the right answer";
  advance_to(subject, run_start + 35s);
  EXPECT_EQ(shares(subject), (std::vector{100, 0}));
  EXPECT_EQ(changes_, 10);
}

TEST_F(DnsRouterTest, KeepsAnswersAsLongAsClientsDo) {
  const struct {
    const char* why;
    dns_config config;
    duration gone_after;
  } cases[] = {
    {"the TTL", {.ttl = 60s}, 60s},
    {"a client that caches for longer", {.ttl = 5s, .client_cache = 30s}, 30s},
    {"the resolver's cache is asked by a client that forgets",
     {.ttl = 60s, .client_cache = 1s},
     60s},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    dns_router subject{x.config, 2, unknown_policy::as_healthy};
    subject.set(run_start + 600s, 0, health::unhealthy);
    advance_to(subject, run_start + 600s + x.gone_after - 1ns);
    EXPECT_GT(shares(subject)[0], 0);
    advance_to(subject, run_start + 600s + x.gone_after);
    EXPECT_EQ(shares(subject)[0], 0);
  }
  dns_router forever{{.cache_forever = true}, 2, unknown_policy::as_healthy};
  forever.set(run_start + 1s, 0, health::unhealthy);
  EXPECT_EQ(forever.next_change(), never);
  EXPECT_EQ(shares(forever), (std::vector{100, 0}));
}

TEST_F(DnsRouterTest, AnswersWithAllHealthyRegions) {
  const dns_config all{.ttl = 60s, .resolvers = 1, .answer = dns_answer::all};
  dns_router subject{all, 2, unknown_policy::as_healthy};
  EXPECT_NEAR(shares(subject)[0], 50, 2);
  region_set tried;
  tried.insert(0);
  EXPECT_EQ(shares(subject, tried), (std::vector{0, 100})) << "the other address";
  subject.set(run_start + 1s, 0, health::unhealthy);
  advance_to(subject, run_start + 60s);
  EXPECT_EQ(shares(subject), (std::vector{0, 100}));
}

TEST_F(DnsRouterTest, LeavesNobodyOutWhenAllWouldBe) {
  dns_router subject{{.ttl = 1s}, 2, unknown_policy::as_unhealthy};
  EXPECT_EQ(subject.current(), (region_route{{0}, {}, true}));
  dns_router all{{.ttl = 1s, .answer = dns_answer::all}, 2, unknown_policy::as_unhealthy};
  EXPECT_EQ(all.current(), (region_route{{0, 1}, {}, true}));
}

TEST_F(DnsRouterTest, KnowsNothingOfHealthWithoutChecks) {
  dns_router subject{{.ttl = 1s, .health_checked = false}, 2, unknown_policy::as_healthy};
  subject.set(run_start + 5s, 0, health::unhealthy);
  EXPECT_EQ(subject.next_change(), never);
  EXPECT_EQ(subject.current(), (region_route{{0}, {}, false}));
}

TEST_F(DnsRouterTest, DrawsOneNumberInEveryCase) {
  for (const auto answer : {dns_answer::failover, dns_answer::all}) {
    dns_router subject{{.answer = answer}, 2, unknown_policy::as_healthy};
    random_stream used{1, "stream"};
    random_stream reference{1, "stream"};
    subject.pick(run_start, used, {}, 3);
    reference.bits();
    EXPECT_EQ(used.bits(), reference.bits());
  }
}

} // namespace
