#pragma once

#include "scenario/scenario.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace spillover {

/// @returns what the file says of a health check; keys without a meaning are left out.
nlohmann::ordered_json write_health(const health_check_config& x);

/// @returns what the file says of auto-healing; "off" without any.
nlohmann::ordered_json write_health(const std::optional<auto_healing_config>& x);

/// @returns what the file says of the load balancer in front of a service.
nlohmann::ordered_json write_health(const producer_balancer_config& x);

/// @returns what stands below `key_of(x)`.
nlohmann::ordered_json write_health(const composite_health_spec& x);

/// @returns "composite_health" or "service_health".
std::string key_of(const composite_health_spec& x);

} // namespace spillover
