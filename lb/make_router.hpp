#pragma once

#include "lb/load_balancer_config.hpp"

#include <cstdint>
#include <memory>

namespace spillover {

/// @param regions number of PSC NEGs, closest first, 1..region_set::capacity
/// @returns what chooses the regions at one process of a load balancer of this kind; not of grpc, whose routers
///          draw numbers of their own.
std::unique_ptr<region_router> make_region_router(const load_balancer_config& x,
                                                  std::uint32_t regions);

} // namespace spillover
