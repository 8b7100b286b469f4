#pragma once

#include "report/event_log.hpp"

#include <cstdint>
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

/// What `read_event_log` makes of a last line without a line end, as a run that was killed leaves it.
enum class last_line : std::uint8_t { must_be_whole, may_break_off };

/// Reads a log as `write_event_log` writes it, with the same ids.
///
/// The ids of a site must count up from 1 without a gap, in the order of the lines; in a log whose head
/// says that it was joined from those of several processes they must differ.
/// @param problem gets what is wrong, beginning with `line N: `, when something is
/// @param end whether a line that breaks off at the end is passed over
/// @returns the log, or nothing
std::optional<event_log> read_event_log(std::istream& in, std::string& problem,
                                        last_line end = last_line::must_be_whole);

} // namespace spillover
