#pragma once

#include "scenario/scenario.hpp"

#include <nlohmann/json.hpp>

namespace spillover {

/// @returns the load balancer of a consumer as a scenario file has it, without its outlier detection.
nlohmann::ordered_json write_balancer(const consumer_spec& x);

} // namespace spillover
