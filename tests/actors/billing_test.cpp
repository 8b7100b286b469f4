#include "actors/world.hpp"
#include "report/verdict.hpp"
#include "tests/support/small_world.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::small_world;

template <class T>
std::vector<T> all(const event_log& log, const std::string& entity) {
  std::vector<T> result;
  for (const auto& x : log.events())
    if (const auto* what = std::get_if<T>(&x.what); what && x.entity == entity)
      result.push_back(*what);
  return result;
}

/// Three requests, at 10 s, 10.4 s and 10.8 s, each of 500 ms of waiting, to instances that take one at
/// a time and start in 200 ms; one of them is kept. The links take 5 ms.
scenario three_requests() {
  auto x = small_world();
  x.lasts = 100s;
  for (auto& service : x.published_services) {
    auto& web = service.backend_services[0];
    web.instance.cpu = 2;
    web.instance.concurrency = 1;
    web.instance.service_time = constant_distribution{500ms};
    web.instance.cpu_per_request = {};
    web.instance.cold_start = constant_distribution{200ms};
    web.autoscaling = cloud_run_config{.min_instances = 1, .max_instances = 2};
  }
  open_loop_config load;
  load.arrivals = arrival_process::uniform;
  load.rate = {{run_start, 0}, {run_start + 9'600ms, 2.5}, {run_start + 10'900ms, 0}};
  x.consumers[0].traffic = {load};
  return x;
}

event_log run(const scenario& x) {
  world w{x};
  w.run_until(run_start + x.lasts);
  w.finish();
  return w.log();
}

// The first instance serves from 10.005 s to 10.505 s, then the second request, which waited, to
// 11.005 s: 1 s. The second instance was started for the second request at 10.405 s, is ready at
// 10.605 s, and serves the third from 10.805 s on: 0.2 s and 0.5 s.
TEST(Billing, OfTwoInstancesAndThreeRequestsIsAsComputedByHand) {
  const auto log = run(three_requests());
  const auto bills = all<bill_closed>(log, "near/shop/web");
  ASSERT_EQ(bills.size(), 1u);
  const auto& x = bills[0];
  EXPECT_EQ(x.mode, "request_based");
  EXPECT_EQ(x.rounding, "interval");
  EXPECT_EQ(x.instances, 2u);
  EXPECT_EQ(x.active_milli, 1'700u);
  // All that the first one is not active: 10.005 s and 88.995 s.
  EXPECT_EQ(x.idle_minimum_milli, 99'000u);
  EXPECT_EQ(x.active_vcpu_milli, 2 * x.active_milli);
  EXPECT_EQ(x.idle_minimum_vcpu_milli, 2 * x.idle_minimum_milli);
  EXPECT_EQ(audit(log), std::vector<std::string>{});
}

TEST(Billing, OfLivesIsAsComputedByHand) {
  auto x = three_requests();
  x.published_services[0].backend_services[0].billing.how = billing::mode::instance_based;
  const auto log = run(x);
  const auto bills = all<bill_closed>(log, "near/shop/web");
  ASSERT_EQ(bills.size(), 1u);
  std::uint64_t sampled = 0;
  for (const auto& second : all<revision_sample>(log, "near/shop/web")) {
    EXPECT_EQ(second.billed_idle_milli, 0u);
    sampled += second.billed_milli;
  }
  // 100 s, and from 10.405 s on: after 60 seconds of low utilisation, at 70 s, it leaves, and is billed
  // for a minute.
  EXPECT_EQ(bills[0].life_milli, 100'000u + 60'000u);
  EXPECT_EQ(sampled, bills[0].life_vcpu_milli);
  EXPECT_EQ(bills[0].mode, "instance_based");
}

TEST(Billing, OfARevisionThatIsNeverAskedIsItsIdleMinimum) {
  const auto log = run(three_requests());
  const auto bills = all<bill_closed>(log, "far/shop/web");
  ASSERT_EQ(bills.size(), 1u);
  EXPECT_EQ(bills[0].active_milli, 0u);
  EXPECT_EQ(bills[0].idle_minimum_milli, 100'000u);
  for (const auto& x : all<revision_sample>(log, "far/shop/web")) {
    EXPECT_EQ(x.billed_milli, 0u);
    EXPECT_EQ(x.billed_idle_milli, 2'000u);
  }
}

} // namespace
} // namespace spillover
