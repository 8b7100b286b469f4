#include "scenario/plan.hpp"

#include "tests/scenario/sample.hpp"

#include <set>

namespace spillover::test {

namespace {

std::string described(const scenario& x) {
  std::vector<std::string> lines;
  for (const auto& y : plan_actors(x))
    lines.push_back(std::string{to_string(y.kind)} + " " + y.site + " " + y.path);
  return joined(lines);
}

TEST(PlanActors, NamesEveryActorOfTheStart) {
  EXPECT_EQ(described(valid(sample)), R"(director director director
published_service us-east1 us-east1/checkout
revision us-east1 us-east1/checkout/web
instance us-east1 us-east1/checkout/web/0
instance us-east1 us-east1/checkout/web/1
prober_group us-east1 us-east1/checkout/web/probers
health_source us-east1 us-east1/checkout/web/source
revision us-east1 us-east1/checkout/api
instance us-east1 us-east1/checkout/api/0
instance us-east1 us-east1/checkout/api/1
instance us-east1 us-east1/checkout/api/2
prober_group us-east1 us-east1/checkout/api/probers
composite_health_check us-east1 us-east1/checkout/composite
published_service us-west1 us-west1/checkout
revision us-west1 us-west1/checkout/web
instance us-west1 us-west1/checkout/web/0
prober_group us-west1 us-west1/checkout/web/probers
health_source us-west1 us-west1/checkout/web/source
revision us-west1 us-west1/checkout/api
instance us-west1 us-west1/checkout/api/0
instance us-west1 us-west1/checkout/api/1
instance us-west1 us-west1/checkout/api/2
prober_group us-west1 us-west1/checkout/api/probers
composite_health_check us-west1 us-west1/checkout/composite
link shop shop/link/us-east1
link us-east1 us-east1/link/shop
link shop shop/link/us-west1
link us-west1 us-west1/link/shop
load_balancer shop shop/lb
clients shop shop/clients)");
}

TEST(PlanActors, WithoutCompositeHealthThereIsNoSource) {
  auto world = valid(sample);
  for (auto& x : world.published_services)
    x.composite_health.reset();
  for (const auto& x : plan_actors(world)) {
    EXPECT_NE(x.kind, actor_kind::health_source);
    EXPECT_NE(x.kind, actor_kind::composite_health_check);
  }
}

TEST(PlanActors, PathsAreUnique) {
  const auto actors = plan_actors(valid(sample));
  std::set<std::string> paths;
  for (const auto& x : actors)
    paths.insert(x.path);
  EXPECT_EQ(paths.size(), actors.size());
}

TEST(PlanSites, AreTheDirectorTheRegionsAndTheConsumers) {
  EXPECT_EQ(joined(plan_sites(valid(sample))), "director\nus-east1\nus-west1\nshop");
}

TEST(InitialInstances, AreTheMinimumOrTheFixedNumber) {
  backend_service_spec x;
  x.autoscaling = cloud_run_config{};
  EXPECT_EQ(initial_instances(x), 0u);
  x.autoscaling = cloud_run_config{.min_instances = 4};
  EXPECT_EQ(initial_instances(x), 4u);
  x.autoscaling = fixed_config{.instances = 7};
  EXPECT_EQ(initial_instances(x), 7u);
}

} // namespace

} // namespace spillover::test
