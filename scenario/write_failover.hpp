#pragma once

#include "lb/load_balancer_config.hpp"

#include <nlohmann/json.hpp>

namespace spillover {

/// @returns the keys of a load balancer that say how it leaves regions and comes back to them, and what its
///          operators do.
nlohmann::ordered_json write_failover(const load_balancer_config& x);

} // namespace spillover
