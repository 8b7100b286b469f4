#pragma once

#include "scenario/scenario.hpp"
#include "tests/scenario/random_source.hpp"

#include <string>
#include <vector>

namespace spillover::test {

/// Any health check; always with all of Envoy's intervals, since an override cannot take one away.
health_check_config any_health_check(random_source& from);

/// Any composite health check over some of the backend services, at least one.
composite_health_spec any_composite(random_source& from, const std::vector<std::string>& names);

/// Gives a service a load balancer of any kind.
void balance(random_source& from, const std::string& service,
             std::vector<published_service_spec>& in);

/// Gives a service Cloud Run's service health instead of a composite, where all its instances have a
/// readiness probe in each region.
void judge_by_readiness(random_source& from, const std::string& service,
                        std::vector<published_service_spec>& in);

} // namespace spillover::test
