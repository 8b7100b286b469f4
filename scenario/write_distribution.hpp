#pragma once

#include "model/distribution.hpp"

#include <nlohmann/json.hpp>

namespace spillover {

/// @returns a distribution as a scenario file has it.
nlohmann::ordered_json write_distribution(const distribution& x);

} // namespace spillover
