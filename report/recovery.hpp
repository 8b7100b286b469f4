#pragma once

#include "report/anatomy.hpp"
#include "report/event_index.hpp"

#include <string_view>
#include <vector>

namespace spillover {

/// Reads the clock of capacity: to the first instant from which, for the rule's window, no revision
/// of the service in these regions has a pending request, and together they complete what arrives.
///
/// Looks at `since`, at each instant a queue empties and at each full second. Arrivals and
/// completions are those of the seconds wholly inside of the window, which must hold one and end
/// within the run. A queue that fills and empties in the same instant stays empty.
/// @param since the end of routing
clock_reading read_capacity(const event_index& index, std::string_view service,
                            const std::vector<std::string_view>& regions, instant since,
                            const recovery_rule& rule);

} // namespace spillover
