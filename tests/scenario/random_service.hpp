#pragma once

#include "scenario/scenario.hpp"
#include "tests/scenario/random_source.hpp"

#include <string>
#include <vector>

namespace spillover::test {

/// Gives an instance sidecars, probes and the like.
void add_containers(random_source& from, instance_config& x);

/// Gives a backend service revisions, traffic and bounds for all of them.
/// @param count revisions, the same in each region
void add_revisions(random_source& from, std::uint32_t count, backend_service_spec& into);

/// Actions that the file allows, one after the other, with names that begin with `name`.
/// @param service whose backend service it is
std::vector<service_action> any_actions(random_source& from, const published_service_spec& service,
                                        const backend_service_spec& of, duration lasts,
                                        const std::string& name);

/// One of its revisions, or none.
std::string any_revision(random_source& from, const backend_service_spec& of);

} // namespace spillover::test
