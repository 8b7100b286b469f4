#pragma once

#include <string>

namespace spillover::app {

/// @returns how a deployment goes, as a table for people.
/// @param status what the director answers to `status`, as JSON
std::string status_table(const std::string& status);

} // namespace spillover::app
