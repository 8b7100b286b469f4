#include "report/verdict.hpp"
#include "tests/support/small_world.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

// Revisions, splits and operators' actions in a whole world (A-56..A-61).

namespace spillover {
namespace {

using namespace std::chrono_literals;

constexpr const char* web = "near/shop/web";

/// "near" has revisions v1 (2 instances) and v2 (3), both of Cloud Run; v2 starts in 10 s.
scenario two_revisions() {
  auto x = test::small_world();
  auto& backend = x.published_services.front().backend_services.front();
  backend.autoscaling = cloud_run_config{.min_instances = 2, .max_instances = 20};
  revision_spec first{"v1",
                      backend.instance,
                      backend.autoscaling,
                      backend.pending,
                      backend.scale_in,
                      backend.request_timeout};
  auto second = first;
  second.name = "v2";
  second.instance.cold_start = constant_distribution{10s};
  second.autoscaling = cloud_run_config{.min_instances = 3, .max_instances = 20};
  backend.revisions = {first, second};
  // No health check stands between a revision and its requests.
  x.published_services.front().composite_health.reset();
  return x;
}

service_action act(instant at, decltype(service_action::what) what) {
  return {.at = at, .of = web, .what = std::move(what)};
}

template <class T>
std::vector<const event*> all(const event_log& log) {
  std::vector<const event*> result;
  for (const auto& x : log.events())
    if (std::holds_alternative<T>(x.what))
      result.push_back(&x);
  return result;
}

/// @returns requests that came to a revision up to an instant.
std::uint64_t arrivals(const event_log& log, std::string_view revision, instant from, instant to) {
  std::uint64_t sum = 0;
  for (const auto* x : all<share_sample>(log))
    if (x->entity == revision && x->at > from && x->at <= to)
      sum += std::get<share_sample>(x->what).arrivals;
  return sum;
}

TEST(Actions, ADeployedRevisionTakesOverWhenItsInstancesRun) {
  auto x = two_revisions();
  x.actions = {act(run_start + 30s, deploy_action{"v2"})};
  const test::whole_run run{x};
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
  const auto taken = all<action_taken>(run.log());
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0]->entity, web);
  const auto steps = all<rollout_stepped>(run.log());
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0]->entity, "near/shop/web/v2");
  EXPECT_EQ(steps[0]->cause, taken[0]->id);
  EXPECT_EQ(steps[1]->at, run_start + 40s);
  const auto splits = all<traffic_changed>(run.log());
  ASSERT_EQ(splits.size(), 2u);
  EXPECT_EQ(splits[1]->cause, steps[1]->id);
  // Without traffic v1 keeps no minimum any more.
  const auto decisions = all<scaling_decided>(run.log());
  const auto left = std::find_if(decisions.begin(), decisions.end(), [&](const event* y) {
    return y->at == splits[1]->at && y->entity == "near/shop/web/v1";
  });
  ASSERT_NE(left, decisions.end());
  EXPECT_EQ((*left)->cause, splits[1]->id);
  EXPECT_EQ(arrivals(run.log(), "near/shop/web/v2", run_start, run_start + 40s), 0u);
  EXPECT_EQ(arrivals(run.log(), "near/shop/web/v1", run_start + 41s, never), 0u);
  // What came to both is what came to the backend service.
  std::uint64_t sum = 0;
  for (const auto* y : all<revision_sample>(run.log()))
    if (y->entity == web)
      sum += std::get<revision_sample>(y->what).arrivals;
  EXPECT_EQ(sum, arrivals(run.log(), "near/shop/web/v1", run_start, never)
                   + arrivals(run.log(), "near/shop/web/v2", run_start, never));
}

TEST(Actions, AStartThatFailsLeavesTheTrafficAlone) {
  auto x = two_revisions();
  x.actions = {act(run_start + 30s, deploy_action{"v2"}),
               act(run_start + 60s, split_action{{{"v1", 50}, {"v2", 50}}})};
  x.faults = {test::instances_become(ailment::unstartable, run_start + 20s, 100s, 1)};
  const test::whole_run run{x};
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
  const auto steps = all<rollout_stepped>(run.log());
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(std::get<rollout_stepped>(steps[1]->what).step, "failed");
  EXPECT_EQ(arrivals(run.log(), "near/shop/web/v2", run_start, never), 0u);
  const auto taken = all<action_taken>(run.log());
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(std::get<action_taken>(taken[1]->what).refused, "revision v2 was never ready");
}

TEST(Actions, AConsumerOfATagReachesItsRevisionOnly) {
  auto x = two_revisions();
  auto& backend = x.published_services.front().backend_services.front();
  backend.traffic = {{"v1", 100}, {"v2", 0, "canary"}};
  x.consumers.front().tag = "canary";
  x.consumers.front().regions = {"near"};
  const test::whole_run run{x};
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
  EXPECT_EQ(arrivals(run.log(), "near/shop/web/v1", run_start, never), 0u);
  EXPECT_GT(arrivals(run.log(), "near/shop/web/v2", run_start, never), 4000u);
}

TEST(Actions, FaultsChooseAmongTheInstancesOfAllRevisions) {
  auto x = two_revisions();
  auto& backend = x.published_services.front().backend_services.front();
  backend.traffic = {{"v1", 50}, {"v2", 50}};
  x.faults = {test::instances_become(ailment::crashed, run_start + 30s, 20s, 1)};
  const test::whole_run run{x};
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
  const auto hit = all<fault_applied>(run.log());
  ASSERT_FALSE(hit.empty());
  EXPECT_EQ(std::get<fault_applied>(hit[0]->what).affected, 5u);
  // Each comes back under its own name, and serves.
  EXPECT_GT(arrivals(run.log(), "near/shop/web/v1", run_start + 100s, never), 100u);
  EXPECT_GT(arrivals(run.log(), "near/shop/web/v2", run_start + 100s, never), 100u);
}

TEST(Actions, ManualScalingFollowsAnAction) {
  auto x = two_revisions();
  x.actions = {act(run_start + 30s, scale_action{{.manual_instances = 7}})};
  const test::whole_run run{x};
  const auto samples = all<revision_sample>(run.log());
  const auto last =
    std::find_if(samples.rbegin(), samples.rend(), [](const event* y) { return y->entity == web; });
  ASSERT_NE(last, samples.rend());
  EXPECT_EQ(std::get<revision_sample>((*last)->what).ready, 7u);
}

} // namespace
} // namespace spillover
