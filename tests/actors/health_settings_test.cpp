#include "report/event_log.hpp"
#include "report/health_view.hpp"
#include "report/verdict.hpp"
#include "tests/support/small_world.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::small_world;
using test::whole_run;

constexpr auto web = "near/shop/web";

/// @returns the backend service of near.
backend_service_spec& web_of(scenario& x) {
  return x.published_services[0].backend_services[0];
}

fault on_some(ailment become, std::uint32_t count, affected_part affects = affected_part::both) {
  instance_fault what{.of = web, .suffer = {.become = become, .affects = affects}, .count = count};
  return {.at = run_start + 20s, .lasts = 60s, .what = what};
}

template <class T>
std::vector<event> all(const event_log& log, const std::string& under) {
  std::vector<event> result;
  for (const auto& x : log.events())
    if (std::holds_alternative<T>(x.what) && x.entity.starts_with(under))
      result.push_back(x);
  return result;
}

/// @returns requests of the clients that ended so.
std::uint64_t ended(const event_log& log, outcome how) {
  for (const auto& x : all<books_closed>(log, "clients"))
    if (const auto& books = std::get<books_closed>(x.what); books.account == "consumer")
      return books.ended[static_cast<std::size_t>(how)];
  return 0;
}

/// @returns requests of the clients that were not answered `ok`.
std::uint64_t failed(const event_log& log) {
  std::uint64_t result = 0;
  for (std::size_t how = 1; how < outcome_count; ++how)
    result += ended(log, static_cast<outcome>(how));
  return result;
}

void expect_sound(const whole_run& run) {
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
  EXPECT_EQ(run.ended().casualties(), std::vector<std::string>{});
}

TEST(HealthChecks, B_35_EachProtocolSeesItsFailures) {
  using enum probe_protocol;
  const struct {
    const char* why;
    probe_protocol protocol;
    ailment become;
    affected_part affects;
    bool seen;
  } cases[] = {
    {"no process", tcp, ailment::crashed, affected_part::both, true},
    {"nothing comes back", tcp, ailment::silent, affected_part::both, true},
    {"accepted is enough", tcp, ailment::hung, affected_part::both, false},
    {"errors are no concern of TCP", tcp, ailment::failing, affected_part::both, false},
    {"no answer", http, ailment::hung, affected_part::both, true},
    {"an error", https, ailment::failing, affected_part::both, true},
    {"an error of requests alone", http2, ailment::failing, affected_part::requests, false},
    {"no answer", grpc, ailment::hung, affected_part::both, true},
    {"not SERVING", grpc, ailment::failing, affected_part::both, true},
    {"slow is well", http, ailment::waiting, affected_part::both, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string{c.why} + ", " + std::string{to_string(c.protocol)} + ", "
                 + std::string{to_string(c.become)});
    auto x = small_world(3);
    web_of(x).health_check.protocol = c.protocol;
    x.faults = {on_some(c.become, 1, c.affects)};
    std::get<instance_fault>(x.faults[0].what).suffer.by = 10ms;
    const whole_run run{x};
    expect_sound(run);
    std::size_t found = 0;
    for (const auto& y : all<endpoint_changed>(run.log(), web))
      found += std::get<endpoint_changed>(y.what).after == health::unhealthy;
    EXPECT_EQ(found, c.seen ? 1u : 0u);
  }
}

TEST(HealthChecks, B_35_AWrongPathIsFoundBeforeAnythingElse) {
  auto x = small_world(2);
  web_of(x).health_check.path_status = 302;
  const whole_run run{x};
  expect_sound(run);
  const auto changes = all<endpoint_changed>(run.log(), web);
  ASSERT_EQ(changes.size(), 2u);
  for (const auto& y : changes)
    EXPECT_EQ(std::get<endpoint_changed>(y.what).after, health::unhealthy);
}

/// A hung instance that only auto-healing asks for an answer.
scenario healing_world(duration initial_delay) {
  auto x = small_world(4);
  x.lasts = 3min;
  auto& backend = web_of(x);
  backend.instance.cold_start = constant_distribution{15s};
  backend.health_check.protocol = probe_protocol::tcp;
  backend.auto_healing = auto_healing_config{.initial_delay = initial_delay, .health_check = {}};
  x.consumers[0].load_balancer.timeout = 5s;
  x.faults = {on_some(ailment::hung, 1)};
  return x;
}

TEST(AutoHealing, B_67_MakesAHungInstanceAnewThatTcpDoesNotFind) {
  const whole_run run{healing_world(60s)};
  expect_sound(run);
  EXPECT_TRUE(all<source_changed>(run.log(), web).size() == 1u) << "only the first, to HEALTHY";
  const event* order = nullptr;
  for (const auto& x : run.log().events())
    if (const auto* y = std::get_if<auto_healing_judged>(&x.what); y != nullptr && y->recreates) {
      EXPECT_EQ(order, nullptr) << "once";
      order = &x;
    }
  ASSERT_NE(order, nullptr);
  // Two failures 5 s apart, known after 5 s.
  EXPECT_GE(order->at, run_start + 30s);
  EXPECT_LE(order->at, run_start + 35s);
  std::vector<instance_state> course;
  for (const auto& x : all<instance_changed>(run.log(), order->entity))
    if (x.at >= order->at) {
      course.push_back(std::get<instance_changed>(x.what).after);
      if (course.size() == 1) {
        EXPECT_EQ(x.cause, order->id);
      }
    }
  using enum instance_state;
  EXPECT_EQ(course, (std::vector{crashed, starting, ready}));
}

// Nothing can be made anew while a fault holds it down.
TEST(AutoHealing, B_67_LeavesAloneWhatACrashHoldsDown) {
  auto x = healing_world(0s);
  web_of(x).instance.cold_start = constant_distribution{1s};
  x.faults = {on_some(ailment::crashed, 1)};
  const whole_run run{x};
  expect_sound(run);
  auto judged = 0;
  for (const auto& y : all<auto_healing_judged>(run.log(), web)) {
    const auto& what = std::get<auto_healing_judged>(y.what);
    judged += what.after == health::unhealthy ? 1 : 0;
    EXPECT_FALSE(what.recreates) << to_string(y.at - run_start);
  }
  EXPECT_EQ(judged, 1) << "it was found, and left";
}

TEST(AutoHealing, B_67_WithoutADelayItEndsWhatIsStillStarting) {
  const whole_run run{healing_world(0s)};
  expect_sound(run);
  std::size_t orders = 0;
  for (const auto& x : all<auto_healing_judged>(run.log(), web))
    orders += std::get<auto_healing_judged>(x.what).recreates;
  // A start takes 15 s, two refusals 10 s at most: no process lives to serve.
  EXPECT_GT(orders, 5u);
}

TEST(ProducerBalancer, B_69_AnswersDropsOrUsesAllWhenNothingIsHealthy) {
  const struct {
    const char* why;
    std::optional<producer_balancer_config> balancer;
    bool unavailable;
    bool timeouts;
  } cases[] = {
    {"nobody looks", std::nullopt, false, false},
    {"503", producer_balancer_config{producer_balancer::regional_internal_application}, true,
     false},
    {"503", producer_balancer_config{producer_balancer::regional_internal_proxy_network}, true,
     false},
    {"the last resort", producer_balancer_config{}, false, false},
    {"dropped", producer_balancer_config{.drop_traffic_if_unhealthy = true}, false, true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    auto x = small_world(2);
    for (auto& service : x.published_services) {
      service.composite_health.reset();
      service.load_balancer = c.balancer;
    }
    x.consumers[0].load_balancer.timeout = 2s;
    x.consumers[0].load_balancer.retries = 0; // the other region would answer
    // Probes find all of them unhealthy, and requests would be answered.
    x.faults = {on_some(ailment::failing, 2, affected_part::probes)};
    const whole_run run{x};
    expect_sound(run);
    EXPECT_EQ(ended(run.log(), outcome::unavailable) > 1000, c.unavailable);
    EXPECT_EQ(ended(run.log(), outcome::lb_timeout) > 1000, c.timeouts);
    EXPECT_GT(ended(run.log(), outcome::ok), 1000u);
    // As a last resort each endpoint takes its part of the requests, as if nobody looked.
    if (!c.unavailable && !c.timeouts) {
      EXPECT_EQ(failed(run.log()), 0u);
    }
  }
}

TEST(ProducerBalancer, B_69_KeepsRequestsFromTheUnhealthyEndpointsAlone) {
  auto x = small_world(4);
  x.published_services[0].composite_health.reset();
  x.published_services[1].composite_health.reset();
  x.consumers[0].load_balancer.retries = 0;
  x.faults = {on_some(ailment::failing, 2)};
  const whole_run blind{x};
  x.published_services[0].load_balancer = producer_balancer_config{};
  const whole_run seeing{x};
  expect_sound(seeing);
  // Errors are answered at once, so that ever more requests go there, for 60 s or for 5 to 10 s.
  EXPECT_GT(ended(blind.log(), outcome::unavailable), 1000u);
  EXPECT_LT(ended(seeing.log(), outcome::unavailable), 420u);
  EXPECT_GT(ended(seeing.log(), outcome::unavailable), 0u);
}

TEST(ServiceHealth, B_68_TurnsAfterThreeFailuresOfReadinessAndIgnoresNewInstances) {
  auto x = small_world(4);
  for (auto& service : x.published_services) {
    service.composite_health->signal = health_signal::readiness;
    service.backend_services[0].instance.readiness_probe.emplace();
    service.backend_services[0].instance.cold_start = constant_distribution{8s};
  }
  x.faults = {on_some(ailment::silent, 2)};
  const whole_run run{x};
  expect_sound(run);
  for (const auto& y : all<endpoint_changed>(run.log(), ""))
    EXPECT_EQ(std::get<endpoint_changed>(y.what).probers, 0u) << "nobody probes a serverless NEG";
  const auto changes = all<source_changed>(run.log(), web);
  ASSERT_EQ(changes.size(), 3u);
  const auto& down = std::get<source_changed>(changes[1].what);
  EXPECT_EQ(down.after, health::unhealthy);
  EXPECT_EQ(down.healthy, 2u);
  EXPECT_EQ(down.total, 4u);
  EXPECT_GT(changes[1].at, run_start + 40s);
  EXPECT_LE(changes[1].at, run_start + 52s);
  EXPECT_EQ(std::get<source_changed>(changes[2].what).after, health::healthy);
  const auto composites = all<composite_changed>(run.log(), "near/shop/service_health");
  EXPECT_EQ(composites.size(), 3u);
}

/// The small world by service health, whose instances are probed for readiness and for liveness.
scenario readiness_world(duration cold_start) {
  auto x = small_world(4);
  x.lasts = 5min;
  for (auto& service : x.published_services) {
    service.composite_health->signal = health_signal::readiness;
    auto& instance = service.backend_services[0].instance;
    instance.readiness_probe.emplace();
    instance.liveness_probe.emplace();
    instance.cold_start = constant_distribution{cold_start};
  }
  x.consumers[0].load_balancer.timeout = 2s;
  return x;
}

/// @returns the sum of the numbers behind a key of a JSON text.
std::uint64_t sum_of(std::string_view text, std::string_view key) {
  std::uint64_t result = 0;
  for (auto at = text.find(key); at != std::string_view::npos; at = text.find(key)) {
    text.remove_prefix(at + key.size());
    result += std::stoul(std::string{text.substr(text.find_first_of("0123456789"), 9)});
  }
  return result;
}

// Liveness ends processes that answer nothing, again and again; the next one answers nothing either, and
// must not count as healthy until that is found three times.
TEST(ServiceHealth, B_68_ADeadRegionDoesNotComeBackWithEachRestart) {
  auto x = readiness_world(4s);
  x.faults = {{.at = run_start + 20s, .lasts = 200s, .what = region_fault{"near"}}};
  const whole_run run{x};
  expect_sound(run);
  const auto changes = all<source_changed>(run.log(), web);
  ASSERT_EQ(changes.size(), 3u) << "HEALTHY, UNHEALTHY, and HEALTHY when the region is back";
  EXPECT_LE(changes[1].at, run_start + 52s);
  EXPECT_GE(changes[2].at, run_start + 220s);
  auto restarts = 0;
  auto ill_at_once = 0;
  for (const auto& y : all<instance_changed>(run.log(), web))
    restarts += std::get<instance_changed>(y.what).reason == "restarted" ? 1 : 0;
  for (const auto& y : all<endpoint_changed>(run.log(), web)) {
    const auto& what = std::get<endpoint_changed>(y.what);
    ill_at_once += what.before == health::unknown && what.after == health::unhealthy ? 1 : 0;
  }
  EXPECT_GT(restarts, 4) << "more than once";
  EXPECT_GE(ill_at_once, 4) << "the first result of a new process counts";
}

TEST(ServiceHealth, B_68_StatusCountsAsTheSourceDid) {
  auto x = readiness_world(4s);
  x.faults = {on_some(ailment::silent, 2),
              {.at = run_start + 100s, .lasts = 60s, .what = region_fault{"near"}}};
  const whole_run run{x};
  const health_resources of{.services = {{.path = "near/shop",
                                          .aggregate = "near/shop/service_health",
                                          .backends = {web},
                                          .by_readiness = true}},
                            .negs = {}};
  const auto changes = all<source_changed>(run.log(), web);
  EXPECT_EQ(changes.size(), 3u);
  for (const auto& y : changes) {
    SCOPED_TRACE(to_string(y.at - run_start));
    const auto seen = health_view(run.log(), of, y.at);
    const auto& what = std::get<source_changed>(y.what);
    EXPECT_EQ(sum_of(seen, "\"endpointCount\""), what.total);
    EXPECT_EQ(sum_of(seen, "\"healthyEndpointCount\""), what.healthy);
  }
}

TEST(ServiceHealth, B_68_OneThatCrashedDoesNotCount) {
  auto x = small_world(4);
  for (auto& service : x.published_services) {
    service.composite_health->signal = health_signal::readiness;
    service.backend_services[0].instance.readiness_probe.emplace();
  }
  x.faults = {on_some(ailment::crashed, 3)};
  const whole_run run{x};
  expect_sound(run);
  EXPECT_EQ(all<source_changed>(run.log(), web).size(), 1u) << "1 of 1, as a new one is 1 of 1";
}

TEST(HealthChecks, B_36_TheFirstRequestEndsTheNoTrafficInterval) {
  auto x = small_world(1);
  x.lasts = 4min;
  auto& check = web_of(x).health_check;
  check = {.timeout = 1s, .unhealthy_threshold = 1, .probers = 1, .no_traffic_interval = 60s};
  for (const bool traffic : {false, true}) {
    SCOPED_TRACE(traffic);
    std::get<open_loop_config>(x.consumers[0].traffic[0]).rate = {
      {run_start, traffic ? 5.0 : 0, false}};
    x.faults = {on_some(ailment::failing, 1)};
    x.faults[0].at = run_start + 70s;
    x.faults[0].lasts = std::nullopt;
    const whole_run run{x};
    const auto changes = all<endpoint_changed>(run.log(), web);
    ASSERT_EQ(changes.size(), 2u);
    EXPECT_EQ(changes[1].at < run_start + 76s, traffic) << to_string(changes[1].at - run_start);
  }
}

} // namespace
} // namespace spillover
