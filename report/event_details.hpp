#pragma once

#include "model/event.hpp"

#include <string>

namespace spillover {

/// Appends what is particular to an event's kind as one object of JSON, with the fields and values of
/// docs/events.md.
void append_event_details(std::string& out, const event& x);

} // namespace spillover
