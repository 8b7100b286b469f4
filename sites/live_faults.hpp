#pragma once

#include "model/fault.hpp"
#include "scenario/scenario.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover {

/// Reads a fault as operators write it: one entry of a scenario's list, on one line, without `at`, e.g.
/// `{for: 2m, instances: {of: us-east1/checkout/web, fraction: 50%, become: silent}}`.
/// @param spec the scenario, whose regions, services and consumers the fault may name
/// @returns the fault, which begins at once, or why there is none, a line each
std::variant<fault, std::vector<std::string>> parse_live_fault(std::string_view text,
                                                               const scenario& spec);

} // namespace spillover
