#pragma once

#include "model/fault.hpp"

#include <nlohmann/json.hpp>

namespace spillover {

// What a scenario file says about a fault, below the key of its kind.

nlohmann::ordered_json write(const link_fault& x);
nlohmann::ordered_json write(const prober_fault& x);
nlohmann::ordered_json write(const consumer_fault& x);
nlohmann::ordered_json write(const clock_fault& x);
nlohmann::ordered_json write(const balancer_fault& x);

} // namespace spillover
