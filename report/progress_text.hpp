#pragma once

#include "model/health.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace spillover {

/// Says where a run stands, for a line that must fit on a terminal however many regions there are.
///
/// What is not HEALTHY stands first, a few by name and the others counted; then the instances of each
/// backend service, or with more than a few of these the sum.
/// @param instances that serve, by the path of their revision or backend service
/// @param services states of composites by path
/// @returns e.g. "us-east1/checkout/composite UNHEALTHY  us-east1/checkout/web 10"; may be empty
std::string progress_text(const std::map<std::string, std::uint32_t>& instances,
                          const std::map<std::string, health>& services);

} // namespace spillover
