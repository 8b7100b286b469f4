#pragma once

#include "report/event_log.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// Reads an event as `to_json` writes it.
/// @param sites names, by site number
/// @param problem gets what is wrong with the line, when something is
/// @returns the event, or nothing
std::optional<event> parse_event(std::string_view line, const std::vector<std::string>& sites,
                                 std::string& problem);

/// Reads a log as `write_event_log` writes it, with the same ids.
///
/// The ids of a site must count up from 1 without a gap, in the order of the lines.
/// @param problem gets what is wrong, beginning with `line N: `, when something is
/// @returns the log, or nothing
std::optional<event_log> read_event_log(std::istream& in, std::string& problem);

} // namespace spillover
