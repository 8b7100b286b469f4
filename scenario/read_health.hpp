#pragma once

#include "scenario/read.hpp"

namespace spillover {

// What producers say of health; parts of `read_producers`.

/// Reads a health check onto what `into` holds already.
void read_health_check(const section& from, health_check_config& into);

/// Reads the times of propagation onto what `into` holds already.
void read_propagation(const section& from, propagation_config& into);

/// Reads `auto_healing` of a backend service, "off" or its settings, onto what `into` holds already.
void read_auto_healing(const section& from, backend_service_spec& into);

/// Reads `load_balancer` of a service.
void read_balancer(const section& from, std::optional<producer_balancer_config>& into);

/// Reads `composite_health` or `service_health` of a service, for each of its regions.
/// @param service whose backend services have been read
void read_composite(const yaml_member& member, const scenario_draft::service& service,
                    scenario_draft& draft, problem_list& problems);

} // namespace spillover
