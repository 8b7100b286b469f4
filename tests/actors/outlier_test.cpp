#include "report/event_index.hpp"
#include "report/event_log.hpp"
#include "report/verdict.hpp"
#include "report/why.hpp"
#include "tests/support/small_world.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::instances_become;
using test::small_world;
using test::whole_run;

/// Two regions without composite health; from 30 s to 50 s the near one answers 500, and the load
/// balancer watches for that. A request every 25 ms, an answer after 15 ms: none of before comes between
/// the errors.
scenario watched_world(std::uint32_t proxies = 1) {
  auto x = small_world();
  for (auto& service : x.published_services) {
    service.composite_health.reset();
    auto& instance = service.backend_services.front().instance;
    instance.service_time = constant_distribution{5ms};
    instance.cpu_per_request = 5ms;
  }
  auto& consumer = x.consumers.front();
  consumer.load_balancer.retries = 0;
  consumer.load_balancer.proxies = proxies;
  consumer.load_balancer.outlier_detection.emplace();
  std::get<open_loop_config>(consumer.traffic.front()).arrivals = arrival_process::uniform;
  auto failing = instances_become(ailment::failing, run_start + 30s, 20s, 1);
  auto& suffer = std::get<instance_fault>(failing.what).suffer;
  suffer.error_fraction = 1;
  suffer.status = outcome::internal_error;
  x.faults = {failing};
  return x;
}

template <class T>
std::vector<const event*> all(const whole_run& run) {
  std::vector<const event*> result;
  for (const auto& x : run.log().events())
    if (std::holds_alternative<T>(x.what) && x.entity == "clients/lb")
      result.push_back(&x);
  return result;
}

/// @returns every change of ejections and routes, a line each, in whole seconds.
std::string history(const whole_run& run) {
  std::string result;
  for (const auto& x : run.log().events()) {
    const auto second = std::chrono::floor<std::chrono::seconds>(x.at - run_start);
    if (const auto* y = std::get_if<outlier_changed>(&x.what))
      result.append(to_string(second))
        .append(" proxy ")
        .append(std::to_string(y->proxy))
        .append(" ")
        .append(to_string(y->action))
        .append(" ")
        .append(y->region);
    else if (const auto* z = std::get_if<routing_changed>(&x.what))
      result.append(to_string(second)).append(" ").append(z->after).append(" ").append(z->states);
    else
      continue;
    result += '\n';
  }
  return result;
}

std::uint64_t failed(const whole_run& run, outcome how) {
  std::uint64_t result = 0;
  for (const auto& x : run.log().events())
    if (const auto* y = std::get_if<books_closed>(&x.what);
        y != nullptr && y->account == "consumer")
      result += y->ended[static_cast<std::size_t>(how)];
  return result;
}

TEST(OutlierWorld, LeavesARegionForItsErrorsAndComesBack) {
  const whole_run run{watched_world()};
  EXPECT_EQ(history(run), "0s near near=HEALTHY far=HEALTHY\n"
                          "30s proxy 1 ejected near\n"
                          "30s far near=HEALTHY(ejected:1/1) far=HEALTHY\n"
                          "70s proxy 1 returned near\n"
                          "70s near near=HEALTHY far=HEALTHY\n");
  EXPECT_EQ(failed(run, outcome::internal_error), 5u) << "B-48";
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
}

TEST(OutlierWorld, EachProxyLosesFiveAndTheRouteIsThatOfAll) {
  const whole_run run{watched_world(3)};
  EXPECT_EQ(failed(run, outcome::internal_error), 15u) << "B-48: five for each proxy";
  const auto changes = all<outlier_changed>(run);
  ASSERT_EQ(changes.size(), 6u) << history(run);
  const auto routes = all<routing_changed>(run);
  ASSERT_EQ(routes.size(), 5u) << history(run);
  const auto after = [&routes](std::size_t i) {
    return std::get<routing_changed>(routes[i]->what).after;
  };
  EXPECT_EQ(after(1), "near+far") << "the first one left";
  EXPECT_EQ(after(2), "far") << "the last one left";
  EXPECT_EQ(routes[2]->cause, changes[2]->id);
  EXPECT_EQ(after(3), "near+far");
  EXPECT_EQ(after(4), "near");
}

TEST(OutlierWorld, WhyLeadsFromTheRouteToTheErrorsAndTheFault) {
  const whole_run run{watched_world()};
  const auto firsts = all<first_request>(run);
  ASSERT_EQ(firsts.size(), 3u);
  const event_index index{run.log()};
  const auto kinds = [&index](const event& x) {
    std::string result;
    for (const auto& step : explain(index, x).steps)
      result.append(result.empty()                ? ""
                    : step.how == why_link::cause ? " <- "
                                                  : " <~ ")
        .append(kind_of(*step.what));
    return result;
  };
  EXPECT_EQ(kinds(*firsts[1]),
            "first_request <- routing_changed <- outlier_changed <~ fault_started");
  EXPECT_EQ(
    kinds(*firsts[2]),
    "first_request <- routing_changed <- outlier_changed <- outlier_changed <~ fault_started");
}

TEST(OutlierWorld, WithoutErrorsItIsAsWithoutDetection) {
  auto x = watched_world();
  x.faults.clear();
  auto off = x;
  off.consumers.front().load_balancer.outlier_detection.reset();
  off.consumers.front().load_balancer.proxies = 9;
  const auto text = [](const whole_run& run) {
    std::string result;
    for (const auto& y : run.log().events())
      append_event_line(result, y, run.log().sites());
    return result;
  };
  const auto expected = text(whole_run{off});
  EXPECT_EQ(text(whole_run{x}), expected);
  x.consumers.front().load_balancer.proxies = 9;
  EXPECT_EQ(text(whole_run{x}), expected);
}

TEST(OutlierWorld, EndsWithCompositeHealthAsEitherSays) {
  auto x = watched_world();
  for (auto& service : x.published_services)
    service.composite_health = composite_health_spec{{{"web", {}}}, {}};
  const whole_run run{x};
  const auto routes = all<routing_changed>(run);
  // The composite turns after the ejection, and is well again before the ejection ends.
  ASSERT_EQ(routes.size(), 3u) << history(run);
  EXPECT_EQ(std::get<routing_changed>(routes[1]->what).after, "far");
  EXPECT_EQ(std::get<outlier_changed>(run.log().find(routes[1]->cause)->what).action,
            outlier_action::ejected);
  EXPECT_EQ(std::get<routing_changed>(routes[2]->what).after, "near");
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
}

} // namespace
} // namespace spillover
