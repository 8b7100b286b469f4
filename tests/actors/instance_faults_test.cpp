#include "report/event_log.hpp"
#include "report/verdict.hpp"
#include "tests/support/small_world.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::small_world;
using test::whole_run;

constexpr auto web = "near/shop/web";

fault on_instances(const symptom& what, instant at, std::optional<duration> lasts,
                   double fraction = 1) {
  return {at, lasts, instance_fault{.of = web, .suffer = what, .fraction = fraction}};
}

fault crash(instant at, std::optional<duration> lasts, double fraction = 1, duration jitter = {}) {
  return {at, lasts,
          instance_fault{.of = web,
                         .suffer = {.become = ailment::crashed},
                         .fraction = fraction,
                         .restart_jitter = jitter}};
}

scenario with(std::vector<fault> faults) {
  auto x = small_world();
  x.consumers[0].load_balancer.timeout = 5s;
  x.faults = std::move(faults);
  return x;
}

/// One event with its payload.
template <class T>
struct entry {
  const event* whole;
  T what;
};

template <class T>
std::vector<entry<T>> all(const event_log& log, const std::string& entity = {}) {
  std::vector<entry<T>> result;
  for (const auto& x : log.events())
    if (const auto* what = std::get_if<T>(&x.what); what && (entity.empty() || x.entity == entity))
      result.push_back({&x, *what});
  return result;
}

/// @returns the sample of near/shop/web whose second ends at `second`.
revision_sample sample(const event_log& log, int second) {
  for (const auto& x : all<revision_sample>(log, web))
    if (x.whole->at == run_start + std::chrono::seconds{second})
      return x.what;
  ADD_FAILURE() << "no sample at " << second;
  return {};
}

double mean(const event_log& log, int from, int to,
            const std::function<double(const revision_sample&)>& of) {
  double sum = 0;
  for (int i = from; i < to; ++i)
    sum += of(sample(log, i));
  return sum / (to - from);
}

double cpu(const revision_sample& x) {
  return static_cast<double>(x.cpu_milli) / 1000;
}

double concurrency(const revision_sample& x) {
  return static_cast<double>(x.concurrency_milli) / 1000;
}

std::uint64_t ended(const event_log& log, outcome how) {
  for (const auto& x : all<books_closed>(log))
    if (x.what.account == "consumer")
      return x.what.ended[static_cast<std::size_t>(how)];
  return 0;
}

/// @returns the number of the fault at the beginning of the chain that led to `x`, or -1.
int fault_behind(const event_log& log, const event& x) {
  for (const auto* y = &x; y != nullptr; y = log.find(y->cause))
    if (const auto* started = std::get_if<fault_started>(&y->what))
      return static_cast<int>(started->index);
  return -1;
}

/// @returns every number of the seconds from `from` on.
std::string late_samples(const event_log& log, instant from) {
  std::string result;
  for (auto x : log.events()) {
    const auto is_sample = std::holds_alternative<revision_sample>(x.what)
                           || std::holds_alternative<attempt_sample>(x.what)
                           || std::holds_alternative<client_sample>(x.what);
    if (!is_sample || x.at < from)
      continue;
    x.id.number = 1; // how many events there were before is history
    // So is how far a bill is from its next whole tenth of a second.
    if (auto* second = std::get_if<revision_sample>(&x.what))
      second->billed_milli = second->billed_idle_milli = 0;
    result += to_json(x, log.sites()) + "\n";
  }
  return result;
}

TEST(InstanceFaults, LeaveNoTraceOnceTheyAreOver) {
  const auto t = run_start + 20s;
  const symptom silent{};
  const symptom slow{.become = ailment::slow, .factor = 3};
  const symptom waiting{.become = ailment::waiting, .by = 123ms};
  const symptom leaking{.become = ailment::leaking, .vcpu_per_minute = 1.7};
  const symptom failing{.become = ailment::failing, .error_fraction = 0.3};
  const symptom unstartable{.become = ailment::unstartable};
  const symptom slow_starting{.become = ailment::slow_starting, .factor = 3};
  const auto flapping_fault = [](fault x) {
    x.flap = {7s, 2s};
    return x;
  };
  struct {
    const char* why;
    std::vector<fault> faults;
  } const cases[] = {
    {"slow", {on_instances(slow, t, 20s)}},
    {"waiting", {on_instances(waiting, t, 20s, 0.5)}},
    {"leaking", {on_instances(leaking, t, 20s)}},
    {"silent to probes", {on_instances({.affects = affected_part::probes}, t, 20s)}},
    {"silent to requests", {on_instances({.affects = affected_part::requests}, t, 20s)}},
    {"unstartable", {crash(t, 5s), on_instances(unstartable, t, 20s)}},
    {"slow_starting", {crash(t, 5s), on_instances(slow_starting, t, 20s)}},
    {"a herd that is spread", {crash(t, 10s, 1, 10s)}},
    {"a zone", {{t, 20s, zone_fault{"near", "a"}}}},
    {"a zone that crashes", {{t, 20s, zone_fault{"near", "a", ailment::crashed, 5s}}}},
    {"a region that crashes", {{t, 20s, region_fault{"near", ailment::crashed, 5s}}}},
    {"a quota", {{t, 20s, quota_fault{web, 0, 0}}}},
    {"a flapping silence", {flapping_fault(on_instances(silent, t, 20s, 0.5))}},
    {"a flapping crash", {flapping_fault(crash(t, 20s, 0.5, 4s))}},
    {"a flapping region", {flapping_fault({t, 20s, region_fault{"near"}})}},
    {"everything at once, in overlap",
     {on_instances(slow, t, 20s),
      on_instances(waiting, t + 2s, 15s, 0.5),
      on_instances(leaking, t + 3s, 16s),
      on_instances(failing, t + 4s, 9s),
      on_instances({.affects = affected_part::probes}, t + 5s, 3s, 0.5),
      on_instances(slow, t + 6s, 13s, 0.5),
      crash(t + 7s, 6s, 0.25, 3s),
      on_instances(leaking, t + 8s, 11s, 0.5),
      on_instances(unstartable, t + 9s, 8s, 0.5),
      {t + 10s, 5s, zone_fault{"near", "b", ailment::crashed}},
      {t + 11s, 8s, region_fault{"near"}},
      on_instances(slow_starting, t + 12s, 8s),
      flapping_fault(on_instances(silent, t + 1s, 19s, 0.5))}},
  };
  const whole_run without{with({})};
  const auto expected = late_samples(without.log(), run_start + 90s);
  ASSERT_GT(expected.size(), 1000u);
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const whole_run run{with(x.faults)};
    EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
    EXPECT_EQ(run.ended().casualties(), std::vector<std::string>{});
    EXPECT_EQ(all<fault_started>(run.log()).size(), x.faults.size());
    EXPECT_EQ(all<fault_ended>(run.log()).size(), x.faults.size());
    // Not EXPECT_EQ: nobody reads a difference between texts of that size.
    EXPECT_TRUE(late_samples(run.log(), run_start + 90s) == expected);
    // Whoever fell ill recovered, or its process ended, or it never was hit.
    EXPECT_GT(run.log().events().size(), without.log().events().size());
  }
}

TEST(InstanceFaults, SlowInstancesTakeLongerAndUseMoreCpu) {
  const whole_run run{
    with({on_instances({.become = ailment::slow, .factor = 3}, run_start + 20s, 60s)})};
  // 40 requests a second of 10 ms CPU and 40 ms waiting
  EXPECT_NEAR(mean(run.log(), 5, 20, cpu), 0.4, 0.05);
  EXPECT_NEAR(mean(run.log(), 25, 80, cpu), 1.2, 0.1);
  EXPECT_NEAR(mean(run.log(), 5, 20, concurrency), 2, 0.3);
  EXPECT_NEAR(mean(run.log(), 25, 80, concurrency), 6, 0.9);
  EXPECT_NEAR(mean(run.log(), 85, 120, cpu), 0.4, 0.05);
}

TEST(InstanceFaults, WaitingInstancesTakeLongerAndUseNoMoreCpu) {
  const whole_run run{
    with({on_instances({.become = ailment::waiting, .by = 100ms}, run_start + 20s, 60s)})};
  EXPECT_NEAR(mean(run.log(), 25, 80, cpu), 0.4, 0.05);
  EXPECT_NEAR(mean(run.log(), 25, 80, concurrency), 6, 0.9);
}

TEST(InstanceFaults, ALeakGrowsFromSecondToSecondAndIsFreed) {
  const whole_run run{with(
    {on_instances({.become = ailment::leaking, .vcpu_per_minute = 0.6}, run_start + 20s, 60s)})};
  // Each of four instances burns 0.01 vCPU more after each second.
  for (const auto second : {25, 40, 70}) {
    const auto leak = mean(run.log(), second, second + 10, cpu) - 0.4;
    EXPECT_NEAR(leak, 4 * 0.01 * (second + 4.5 - 21), 0.1) << second;
  }
  EXPECT_NEAR(mean(run.log(), 82, 120, cpu), 0.4, 0.05);
}

TEST(InstanceFaults, ALeakEndsWithItsProcess) {
  const whole_run run{
    with({on_instances({.become = ailment::leaking, .vcpu_per_minute = 6}, run_start + 20s, 60s),
          crash(run_start + 40s, 1s)})};
  EXPECT_GT(mean(run.log(), 32, 39, cpu), 2);
  EXPECT_NEAR(mean(run.log(), 70, 80, cpu), 0.4, 0.1);
}

TEST(InstanceFaults, ALeakMakesTheAutoscalerScaleOut) {
  auto x =
    with({on_instances({.become = ailment::leaking, .vcpu_per_minute = 1}, run_start + 20s, 90s)});
  for (auto& service : x.published_services)
    service.backend_services[0].autoscaling = cloud_run_config{.min_instances = 4};
  const whole_run run{x};
  EXPECT_EQ(sample(run.log(), 20).recommended, 4u);
  EXPECT_GT(sample(run.log(), 100).recommended, 4u);
}

TEST(InstanceFaults, ProbesThatFailAloneFailOverWithoutAnyRequestLost) {
  const whole_run run{
    with({on_instances({.affects = affected_part::probes}, run_start + 20s, 60s)})};
  const auto routes = all<routing_changed>(run.log(), "clients/lb");
  ASSERT_EQ(routes.size(), 3u);
  EXPECT_EQ(routes[1].what.after, "far");
  EXPECT_EQ(routes[2].what.after, "near");
  EXPECT_EQ(ended(run.log(), outcome::lb_timeout), 0u);
}

TEST(InstanceFaults, RequestsThatFailAloneFailOverNowhere) {
  const whole_run run{
    with({on_instances({.affects = affected_part::requests}, run_start + 20s, 20s)})};
  EXPECT_EQ(all<routing_changed>(run.log(), "clients/lb").size(), 1u);
  EXPECT_TRUE(all<endpoint_changed>(run.log(), "near/shop/web/0").size() == 1);
  EXPECT_GT(ended(run.log(), outcome::lb_timeout), 500u);
}

TEST(InstanceFaults, EveryEndpointThatFailsNamesTheFaultThatMadeIt) {
  struct {
    const char* why;
    fault what;
    const char* effect;
  } const cases[] = {
    {"gone", crash(run_start + 20s, 40s), "crashed"},
    {"silent", on_instances({}, run_start + 20s, 40s), "silent"},
    {"silent to probes", on_instances({.affects = affected_part::probes}, run_start + 20s, 40s),
     "silent"},
    {"errors for probes",
     on_instances({.become = ailment::failing, .affects = affected_part::probes}, run_start + 20s,
                  40s),
     "failing"},
    {"some errors",
     on_instances({.become = ailment::failing, .error_fraction = 0.9}, run_start + 20s, 40s),
     "failing"},
    {"a zone", {run_start + 20s, 40s, zone_fault{"near", "a"}}, "silent"},
    {"a region", {run_start + 20s, 40s, region_fault{"near", ailment::crashed}}, "crashed"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    // What probes do not meet lies on them as well, before and after.
    const whole_run run{
      with({on_instances({.become = ailment::slow, .factor = 2}, run_start + 10s, 90s),
            on_instances({.become = ailment::failing, .affects = affected_part::requests},
                         run_start + 11s, 90s),
            c.what, on_instances({.become = ailment::waiting, .by = 1ms}, run_start + 21s, 90s)})};
    int failed = 0;
    for (const auto& x : all<endpoint_changed>(run.log())) {
      if (x.what.after != health::unhealthy)
        continue;
      ++failed;
      EXPECT_EQ(fault_behind(run.log(), *x.whole), 2);
      const auto* cause = std::get_if<instance_afflicted>(&run.log().find(x.whole->cause)->what);
      ASSERT_NE(cause, nullptr);
      EXPECT_EQ(cause->effect, c.effect);
    }
    EXPECT_GE(failed, 2);
  }
}

std::vector<instant> times(const event_log& log, instance_state before, instance_state after) {
  std::vector<instant> result;
  for (const auto& x : all<instance_changed>(log))
    if (x.what.before == before && x.what.after == after && x.whole->entity.starts_with("near"))
      result.push_back(x.whole->at);
  return result;
}

TEST(InstanceFaults, AnUnstartableInstanceTriesAgainUntilItsFaultIsOver) {
  using enum instance_state;
  auto x = with({crash(run_start + 20s, 1s, 0.25),
                 on_instances({.become = ailment::unstartable}, run_start + 15s, 20s)});
  for (auto& service : x.published_services)
    service.backend_services[0].instance.cold_start = constant_distribution{3s};
  const whole_run run{x};
  EXPECT_EQ(times(run.log(), crashed, starting),
            (std::vector<instant>{run_start + 21s, run_start + 24s, run_start + 27s,
                                  run_start + 30s, run_start + 33s}));
  EXPECT_EQ(times(run.log(), starting, ready).back(), run_start + 36s);
  EXPECT_EQ(times(run.log(), starting, crashed).size(), 4u);
  // Told once, however many processes it takes.
  const auto fell_ill = [](const entry<instance_afflicted>& y) {
    return y.what.active && y.what.effect == "unstartable";
  };
  const auto ill = all<instance_afflicted>(run.log());
  EXPECT_EQ(std::count_if(ill.begin(), ill.end(), fell_ill), 1);
  for (const auto& e : all<endpoint_changed>(run.log()))
    if (e.what.after == health::unhealthy) {
      EXPECT_EQ(fault_behind(run.log(), *e.whole), 1);
    }
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
}

TEST(InstanceFaults, AnUnstartableInstanceTakesASecondToFailWhateverItsColdStart) {
  using enum instance_state;
  auto x = with({crash(run_start + 20s, 1s, 0.25),
                 on_instances({.become = ailment::unstartable}, run_start + 15s, 10s)});
  for (auto& service : x.published_services)
    service.backend_services[0].instance.cold_start = constant_distribution{0s};
  const whole_run run{x};
  EXPECT_EQ(
    times(run.log(), crashed, starting),
    (std::vector<instant>{run_start + 21s, run_start + 22s, run_start + 23s, run_start + 24s}));
  EXPECT_EQ(times(run.log(), starting, ready).back(), run_start + 25s);
}

TEST(InstanceFaults, ASlowStartTakesAsManyTimesAsLong) {
  using enum instance_state;
  const whole_run run{
    with({crash(run_start + 20s, 1s, 0.25), crash(run_start + 50s, 1s, 0.25),
          on_instances({.become = ailment::slow_starting, .factor = 4}, run_start + 15s, 20s)})};
  const auto ready_at = times(run.log(), starting, ready);
  ASSERT_GE(ready_at.size(), 2u);
  // The default cold start is 2 s.
  EXPECT_EQ(ready_at[ready_at.size() - 2], run_start + 21s + 8s);
  EXPECT_EQ(ready_at.back(), run_start + 51s + 2s);
}

TEST(InstanceFaults, AHerdComesBackAtOnceOrSpread) {
  using enum instance_state;
  const whole_run together{with({crash(run_start + 20s, 10s)})};
  EXPECT_EQ(times(together.log(), crashed, starting), std::vector<instant>(4, run_start + 30s));
  const whole_run spread{with({crash(run_start + 20s, 10s, 1, 10s)})};
  const auto starts = times(spread.log(), crashed, starting);
  ASSERT_EQ(starts.size(), 4u);
  EXPECT_EQ(std::set(starts.begin(), starts.end()).size(), 4u);
  EXPECT_GE(starts.front(), run_start + 30s);
  EXPECT_LE(starts.back(), run_start + 40s);
}

TEST(InstanceFaults, AnInstanceThatIsHeldDownAgainWaitsForThatFaultsEnd) {
  using enum instance_state;
  // The first lets all four go within 20 s of 30 s; the second takes hold in between.
  const whole_run run{with({crash(run_start + 20s, 10s, 1, 20s),
                            {run_start + 31s, 29s, region_fault{"near", ailment::crashed}}})};
  const auto starts = times(run.log(), crashed, starting);
  for (const auto at : starts)
    EXPECT_TRUE(at <= run_start + 31s || at == run_start + 60s) << at.time_since_epoch().count();
  EXPECT_EQ(std::count(starts.begin(), starts.end(), run_start + 60s), 4);
}

std::map<std::string, std::string> zones_of(const event_log& log) {
  std::map<std::string, std::string> result;
  for (const auto& x : all<instance_changed>(log))
    if (x.whole->entity.starts_with("near"))
      result[x.whole->entity] = x.what.zone;
  return result;
}

TEST(InstanceFaults, AZoneTakesThoseThatAreInIt) {
  for (const auto how : {ailment::silent, ailment::crashed}) {
    SCOPED_TRACE(to_string(how));
    const whole_run run{with({{run_start + 20s, 60s, zone_fault{"near", "a", how}}})};
    const std::map<std::string, std::string> expected{{"near/shop/web/0", "a"},
                                                      {"near/shop/web/1", "b"},
                                                      {"near/shop/web/2", "c"},
                                                      {"near/shop/web/3", "a"}};
    EXPECT_EQ(zones_of(run.log()), expected);
    std::set<std::string> ill;
    for (const auto& x : all<instance_afflicted>(run.log()))
      ill.insert(x.whole->entity);
    EXPECT_EQ(ill, (std::set<std::string>{"near/shop/web/0", "near/shop/web/3"}));
    const auto applied = all<fault_applied>(run.log());
    ASSERT_EQ(applied.size(), 2u);
    EXPECT_EQ(applied[0].what.affected, 2u);
    EXPECT_EQ(applied[0].what.present, 4u);
  }
}

TEST(InstanceFaults, WhatStartsWhileAZoneIsLostIsPlacedElsewhere) {
  auto x = with({{run_start + 10s, 60s, zone_fault{"near", "b"}}});
  for (auto& service : x.published_services) {
    service.backend_services[0].autoscaling = cloud_run_config{.min_instances = 2};
    service.composite_health.reset();
  }
  std::get<open_loop_config>(x.consumers[0].traffic[0]).rate = {{run_start, 40, false},
                                                                {run_start + 30s, 300, false}};
  const whole_run run{x};
  std::map<std::string, int> count;
  for (const auto& [entity, zone] : zones_of(run.log()))
    ++count[zone];
  EXPECT_GT(count["a"], 2);
  EXPECT_LE(std::abs(count["a"] - count["c"]), 1);
  EXPECT_EQ(count["b"], 1) << "that from before";
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
}

TEST(InstanceFaults, ACrashedRegionIsHeldDownWithAllThatStarts) {
  auto x = with({{run_start + 20s, 60s, region_fault{"near", ailment::crashed}}});
  x.published_services[0].backend_services[0].autoscaling = cloud_run_config{.min_instances = 2};
  const whole_run run{x};
  for (int second = 22; second < 80; ++second)
    EXPECT_EQ(sample(run.log(), second).ready, 0u) << second;
  EXPECT_GE(sample(run.log(), 90).ready, 2u);
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
}

TEST(InstanceFaults, AQuotaLimitsStartsAndSaysSo) {
  auto x = with({{run_start + 20s, 70s, quota_fault{web, 3, 8}},
                 {run_start + 25s, 3s, quota_fault{web, 900, std::nullopt}}});
  x.consumers[0].regions = {"near"};
  for (auto& service : x.published_services)
    service.backend_services[0].autoscaling = cloud_run_config{.min_instances = 2};
  std::get<open_loop_config>(x.consumers[0].traffic[0]).rate = {{run_start, 40, false},
                                                                {run_start + 30s, 900, false}};
  const whole_run run{x};
  std::vector<instant> starts;
  for (const auto& y : all<instance_changed>(run.log()))
    if (y.what.before == instance_state::stopped && y.whole->at > run_start)
      starts.push_back(y.whole->at);
  const auto limited = std::count_if(starts.begin(), starts.end(), [](instant at) {
    return at >= run_start + 20s && at < run_start + 80s;
  });
  EXPECT_EQ(limited, 3);
  EXPECT_GT(starts.size(), 8u) << "the end of the quota lets it grow";
  const auto denied = all<start_denied>(run.log(), web);
  ASSERT_GT(denied.size(), 1u);
  for (const auto& y : denied) {
    EXPECT_LT(y.what.granted, y.what.wanted);
    EXPECT_LT(y.whole->at, run_start + 90s);
    EXPECT_EQ(fault_behind(run.log(), *y.whole), 0);
  }
  EXPECT_EQ(denied[0].what.reason, "quota of 3 starts a minute");
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
}

TEST(InstanceFaults, AFlappingFaultComesAndGoesOnTheSameInstances) {
  auto flaps = on_instances({}, run_start + 20s, 50s, 0.5);
  flaps.flap = {20s, 5s};
  flaps.name = "flaky";
  const whole_run run{with({flaps})};
  const auto& log = run.log();
  const auto started = all<fault_started>(log);
  ASSERT_EQ(started.size(), 1u);
  EXPECT_EQ(started[0].what.name, "flaky");
  EXPECT_EQ(started[0].whole->at, run_start + 20s);
  ASSERT_EQ(all<fault_ended>(log).size(), 1u);
  EXPECT_EQ(all<fault_ended>(log)[0].whole->at, run_start + 70s);
  std::vector<std::pair<instant, bool>> pulses;
  for (const auto& x : all<fault_applied>(log)) {
    pulses.emplace_back(x.whole->at, x.what.active);
    EXPECT_EQ(x.whole->cause, started[0].whole->id);
    EXPECT_EQ(x.what.affected, 2u);
  }
  EXPECT_EQ(pulses, (std::vector<std::pair<instant, bool>>{{run_start + 20s, true},
                                                           {run_start + 25s, false},
                                                           {run_start + 40s, true},
                                                           {run_start + 45s, false},
                                                           {run_start + 60s, true},
                                                           {run_start + 65s, false}}));
  std::map<std::string, int> ill;
  for (const auto& x : all<instance_afflicted>(log))
    ++ill[x.whole->entity];
  EXPECT_EQ(ill.size(), 2u);
  for (const auto& [entity, times] : ill)
    EXPECT_EQ(times, 6) << entity;
}

TEST(InstanceFaults, AFlappingFaultThatEndsWhileItLiesGoesWithItsEnd) {
  auto flaps = on_instances({}, run_start + 20s, 22s);
  flaps.flap = {20s, 5s};
  const whole_run run{with({flaps})};
  const auto applied = all<fault_applied>(run.log());
  ASSERT_EQ(applied.size(), 4u);
  EXPECT_EQ(applied[3].whole->at, run_start + 42s);
  EXPECT_EQ(applied[3].whole->cause, all<fault_ended>(run.log()).at(0).whole->id);
}

} // namespace
} // namespace spillover
