#pragma once

#include "report/expectation.hpp"
#include "report/stop_condition.hpp"

#include <nlohmann/json.hpp>

namespace spillover {

/// @returns an expectation as an entry of `expect`, every default filled in.
nlohmann::ordered_json write(const expectation& x);

/// @returns a condition as an entry of `stop_if`, every default filled in.
nlohmann::ordered_json write(const stop_condition& x);

} // namespace spillover
