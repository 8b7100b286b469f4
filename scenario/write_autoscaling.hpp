#pragma once

#include "producers/autoscaling/config.hpp"

#include <nlohmann/json.hpp>

namespace spillover {

/// @returns a policy with all its settings as a scenario file has it.
nlohmann::ordered_json write_autoscaling(const autoscaling_config& x);

} // namespace spillover
