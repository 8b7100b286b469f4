#include "lb/grpc_router.hpp"

#include <utility>

namespace spillover {

grpc_router::grpc_router(const grpc_config& config, std::uint32_t regions, unknown_policy unknown,
                         const random_stream& random)
  : region_router(regions, unknown), channel_(config, regions, random) {
  count_tries();
  update(run_start);
}

std::uint32_t grpc_router::pick(instant now, random_stream&, const region_set&,
                                std::uint64_t) noexcept {
  const auto result = channel_.pick(now);
  return result == priority_channel::none ? nowhere : result;
}

std::string grpc_router::described(std::uint32_t region) const {
  return eligible(region) ? std::string{to_string(channel_.state(region))}
                          : region_router::described(region);
}

void grpc_router::update(instant now) {
  for (std::uint32_t region = 0; region < regions(); ++region)
    channel_.set_present(now, region, eligible(region));
  follow();
}

void grpc_router::follow() {
  region_route route;
  if (const auto region = channel_.in_use(); usable(region))
    route.regions.push_back(region);
  if (route != current())
    route_to(std::move(route));
}

} // namespace spillover
