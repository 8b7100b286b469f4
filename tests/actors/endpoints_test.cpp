#include "report/event_log.hpp"
#include "report/verdict.hpp"
#include "tests/support/small_world.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::instances_become;
using test::small_world;
using test::small_world_without_composites;
using test::whole_run;

/// Two regions of four endpoints each, without composite health, before an Envoy.
scenario envoy_world() {
  auto x = small_world_without_composites();
  x.consumers.front().load_balancer.kind = load_balancer_kind::envoy;
  return x;
}

struct seen {
  instant at;
  endpoints_seen what;
};

std::vector<seen> all_seen(const whole_run& run, std::string_view region) {
  std::vector<seen> result;
  for (const auto& x : run.log().events())
    if (const auto* y = std::get_if<endpoints_seen>(&x.what); y != nullptr && y->region == region)
      result.push_back({x.at, *y});
  return result;
}

/// @returns the counts that a consumer saw of a region, one after the other.
std::string counts(const whole_run& run, std::string_view region) {
  std::string result;
  for (const auto& [at, x] : all_seen(run, region)) {
    result.append(result.empty() ? "" : " ").append(std::to_string(x.healthy));
    result.append("/").append(std::to_string(x.total));
  }
  return result;
}

std::string last_states(const whole_run& run) {
  std::string result;
  for (const auto& x : run.log().events())
    if (const auto* y = std::get_if<routing_changed>(&x.what))
      result = y->states;
  return result;
}

TEST(EndpointsWorld, TellsChangesOnceHoweverOftenTheyAreSent) {
  const whole_run run{envoy_world()};
  const auto near = all_seen(run, "near");
  ASSERT_FALSE(near.empty());
  EXPECT_EQ(near.front().what.total, 4u) << "all that the run begins with, in one";
  EXPECT_EQ(near.front().what.unknown, 4u);
  // The first tick, propagation and jitter, and the way (B-82).
  EXPECT_GE(near.front().at, run_start + 3s);
  EXPECT_LE(near.front().at, run_start + 4s + 40ms);
  EXPECT_EQ(near.back().what.healthy, 4u);
  EXPECT_EQ(near.back().what.zones, "a=2/2 b=1/1 c=1/1");
  EXPECT_LT(near.back().at, run_start + 20s) << "two minutes of repetitions change nothing";
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
}

TEST(EndpointsWorld, MovesAShareOfTheTrafficWhenHalfOfARegionIsLost) {
  auto x = envoy_world();
  x.faults = {instances_become(ailment::silent, run_start + 30s, 90s, 0.5)};
  const whole_run run{x};
  EXPECT_EQ(last_states(run), "near=2/4(70%) far=4/4(30%)");
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
}

TEST(EndpointsWorld, HearsLateWhatTheHealthPlaneLost) {
  auto x = envoy_world();
  const auto ill = instances_become(ailment::silent, run_start + 30s, 90s, 0.5);
  link_fault cut;
  cut.from = "near";
  cut.to = "clients";
  cut.data = false;
  cut.health = true;
  cut.suffer.become = link_ailment::cut;
  const auto at = [](const scenario& world) {
    const whole_run run{world};
    const auto near = all_seen(run, "near");
    EXPECT_EQ(near.back().what.healthy, 2u);
    return near.back().at;
  };
  x.faults = {ill};
  EXPECT_LE(at(x), run_start + 30s + 15s + 5s);
  x.faults = {ill, {.at = run_start + 25s, .lasts = 50s, .what = cut}};
  const auto late = at(x);
  EXPECT_GE(late, run_start + 75s) << "nothing passes before";
  EXPECT_LE(late, run_start + 75s + 14s) << "told again within 10 s, B-82";
}

TEST(EndpointsWorld, IsNotToldWhenNobodyWantsToKnow) {
  auto x = envoy_world();
  x.consumers.front().load_balancer.kind = load_balancer_kind::global_external_application;
  const whole_run run{x};
  EXPECT_EQ(counts(run, "near"), "");
}

/// @returns requests that each region's load balancer attempts got an answer for: near, then far.
std::pair<std::uint64_t, std::uint64_t> answered(const whole_run& run) {
  std::pair<std::uint64_t, std::uint64_t> result;
  for (const auto& e : run.log().events())
    if (const auto* y = std::get_if<books_closed>(&e.what);
        y != nullptr && y->account == "attempts" && !y->counterpart.empty())
      (y->counterpart == "near" ? result.first : result.second) +=
        y->ended[static_cast<std::size_t>(outcome::ok)];
  return result;
}

// What is at zero gets no requests, and what gets none stays at zero, unless its platform has an address.
TEST(EndpointsWorld, ReachesARegionAtZeroWhereRequestsStartInstances) {
  struct {
    const char* why = "";
    autoscaling_config near = {};
    bool composite = false;
    bool reached = false;
    const char* first = "";
  } const cases[] = {
    {"Cloud Run's address is there, and starts an instance",
     cloud_run_config{.min_instances = 0, .max_instances = 5}, false, true, "1/1"},
    {"also where a composite finds no endpoint, and says UNHEALTHY",
     cloud_run_config{.min_instances = 0, .max_instances = 5}, true, true, "1/1"},
    {"so is Knative's", knative_kpa_config{}, false, true, "1/1"},
    {"a group of none has none", fixed_config{0}, false, false, "0/0"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    auto x = envoy_world();
    auto& near = x.published_services[0];
    near.backend_services[0].autoscaling = c.near;
    if (c.composite)
      for (auto& service : x.published_services)
        service.composite_health = composite_health_spec{{{"web", {}}}, {}};
    const whole_run run{x};
    EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
    const auto seen = all_seen(run, "near");
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(std::to_string(seen.front().what.healthy) + "/"
                + std::to_string(seen.front().what.total),
              c.first);
    if (c.reached)
      EXPECT_GT(answered(run).first, 4'000u) << "nearly all of 4,800";
    else
      EXPECT_GT(answered(run).second, 4'000u) << "the other region has them";
  }
}

// A region whose only instances have been healthy and died is not kept by its address.
TEST(EndpointsWorld, AnAddressDoesNotHideThatInstancesAreIll) {
  auto x = envoy_world();
  x.published_services[0].backend_services[0].autoscaling =
    cloud_run_config{.min_instances = 0, .max_instances = 1};
  x.consumers.front().load_balancer.timeout = 2s;
  x.faults = {instances_become(ailment::silent, run_start + 60s, 60s, 1)};
  const whole_run run{x};
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
  const auto seen = all_seen(run, "near");
  EXPECT_TRUE(std::any_of(seen.begin(), seen.end(),
                          [](const auto& y) {
                            return y.at > run_start + 60s && y.what.healthy == 0
                                   && y.what.total > 0;
                          }))
    << counts(run, "near");
}

TEST(EndpointsWorld, RefusesAtOnceWhenNobodyIsHealthyAndNobodyMayPanic) {
  auto x = envoy_world();
  x.consumers.front().load_balancer.envoy.healthy_panic_threshold = 0;
  x.consumers.front().load_balancer.timeout = 2s;
  auto near = instances_become(ailment::silent, run_start + 30s, 90s, 1);
  auto far = near;
  std::get<instance_fault>(far.what).of = "far/shop/web";
  x.faults = {near, far};
  const whole_run run{x};
  std::uint64_t refused = 0;
  for (const auto& e : run.log().events())
    if (const auto* y = std::get_if<books_closed>(&e.what);
        y != nullptr && y->account == "attempts" && y->counterpart.empty())
      refused = y->ended[static_cast<std::size_t>(outcome::unavailable)];
  EXPECT_GT(refused, 1'000u) << "C67: 40 a second for more than a minute";
  EXPECT_EQ(last_states(run), "near=0/4 far=0/4");
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
}

TEST(EndpointsWorld, LetsTimeGoOnWhenClientsAskAgainAtOnce) {
  auto x = envoy_world();
  x.lasts = 40s;
  auto& consumer = x.consumers.front();
  consumer.load_balancer.envoy.healthy_panic_threshold = 0;
  consumer.load_balancer.timeout = 1s;
  consumer.traffic = {closed_loop_config{.clients = 1}};
  auto near = instances_become(ailment::silent, run_start + 10s, 30s, 1);
  auto far = near;
  std::get<instance_fault>(far.what).of = "far/shop/web";
  x.faults = {near, far};
  const whole_run run{x};
  std::uint64_t most = 0;
  for (const auto& e : run.log().events())
    if (const auto* y = std::get_if<client_sample>(&e.what))
      most = std::max<std::uint64_t>(most, y->started);
  EXPECT_NEAR(static_cast<double>(most), 1'000, 5) << "1 ms for each";
}

TEST(BreakerWorld, TellsWhatItRefusedInASecond) {
  auto x = small_world();
  auto& lb = x.consumers.front().load_balancer;
  lb.retries = 0;
  lb.circuit_breakers = circuit_breaker_config{.max_requests = 1};
  const whole_run run{x};
  std::uint64_t told = 0;
  std::uint64_t booked = 0;
  for (const auto& e : run.log().events()) {
    if (const auto* y = std::get_if<overflow_sample>(&e.what)) {
      told += y->requests;
      EXPECT_EQ(y->region, "near");
      EXPECT_GT(y->requests, 0u);
    }
    if (const auto* y = std::get_if<books_closed>(&e.what);
        y != nullptr && y->account == "attempts" && y->counterpart.empty())
      booked = y->taken;
  }
  // 40 a second that take 60 ms: one at a time is not enough for 2.4 at once.
  EXPECT_GT(booked, 1'000u);
  EXPECT_NEAR(static_cast<double>(told), static_cast<double>(booked), 60)
    << "but for the last second";
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
}

TEST(TryWorld, TellsWhatHappenedToTriesInASecond) {
  auto x = small_world();
  auto& lb = x.consumers.front().load_balancer;
  lb.per_try_timeout = 500ms;
  lb.hedge_on_per_try_timeout = true;
  lb.connection_draining_timeout = 1s;
  lb.circuit_breakers =
    circuit_breaker_config{.protocol = upstream_protocol::http1, .max_connections = 3};
  x.faults = {instances_become(ailment::silent, run_start + 20s, 60s, 1)};
  const whole_run run{x};
  try_sample sum;
  for (const auto& e : run.log().events())
    if (const auto* y = std::get_if<try_sample>(&e.what)) {
      sum.timed_out += y->timed_out;
      sum.hedged += y->hedged;
      sum.cancelled += y->cancelled;
      sum.cut += y->cut;
      sum.queued += y->queued;
    }
  EXPECT_GT(sum.timed_out, 2u) << "before the region is left";
  EXPECT_GT(sum.hedged, 2u);
  EXPECT_GT(sum.cancelled, 2u) << "the silent one of each";
  EXPECT_GT(sum.queued, 50u) << "60 ms times 40 a second is less than 3, but not always";
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
}

} // namespace
} // namespace spillover
