#pragma once

#include "scenario/policy_outcome.hpp"

#include <string>
#include <vector>

namespace spillover::app {

/// @returns the outcomes for people: for each service and region a table of the policies, then every
///          transition.
std::string policy_test_text(const endpoint_timeline& timeline, const policy_test& test,
                             const std::vector<policy_outcome>& outcomes);

/// @returns the outcomes for machines, with a line end; docs/policy-test.md has the keys.
std::string policy_test_json(const endpoint_timeline& timeline, const policy_test& test,
                             const std::vector<policy_outcome>& outcomes);

} // namespace spillover::app
