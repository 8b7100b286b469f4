#pragma once

#include "report/event_index.hpp"

#include <string>
#include <vector>

namespace spillover {

/// @returns for each consumer and region whose clocks were wrong when a state travelled between them,
///          what the age says that the two clocks gave to the first such state, beside its true age,
///          and how many more there were. Ages that are right say nothing.
std::vector<std::string> clock_notes(const event_index& index);

} // namespace spillover
