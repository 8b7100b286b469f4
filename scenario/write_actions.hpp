#pragma once

#include "producers/service_action.hpp"

#include <nlohmann/json.hpp>

namespace spillover {

// What a scenario file says about the traffic and the size of a service, and about what operators do to it.

nlohmann::ordered_json write(const std::vector<traffic_target>& x);
nlohmann::ordered_json write(const service_scaling& x);
nlohmann::ordered_json write(const service_action& x);

} // namespace spillover
