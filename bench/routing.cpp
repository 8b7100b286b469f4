#include "bench/routing.hpp"

#include "lb/make_router.hpp"
#include "model/check.hpp"

#include <chrono>

namespace spillover::bench {

double route_often(load_balancer_config config, std::uint32_t regions, std::uint32_t picks) {
  using clock = std::chrono::steady_clock;
  // One priority of everybody, so that each pick looks at all regions.
  config.envoy.priorities.assign(regions, 0);
  // So little that all of them are full.
  if (config.distribution)
    config.distribution->regions.assign(regions, {.target_milli = 1});
  const auto router = make_region_router(config, regions);
  for (std::uint32_t i = 0; i < regions; ++i) {
    router->set(run_start, i, i < regions / 2 ? health::unhealthy : health::healthy);
    endpoint_view view;
    view.at("a") = {10, 1 + i % 10, 0};
    router->set_endpoints(run_start, i, view);
  }
  random_stream random{1, "bench/routing"};
  std::uint64_t sum = 0; // so that no pick can be left out
  const auto begin = clock::now();
  for (std::uint32_t i = 0; i < picks; ++i)
    sum += router->pick(run_start, random, {}, i);
  const auto span = std::chrono::nanoseconds{clock::now() - begin};
  SPILLOVER_CHECK(sum < std::uint64_t{picks} * regions);
  return static_cast<double>(span.count()) / picks;
}

} // namespace spillover::bench
