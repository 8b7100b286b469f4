#pragma once

#include "lb/capacity_config.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace spillover {

/// @param regions of the load balancer, by place
/// @returns `distribution` of a load balancer as a scenario file has it.
nlohmann::ordered_json write_capacity(const capacity_config& x,
                                      const std::vector<std::string>& regions);

} // namespace spillover
