#pragma once

#include "consumers/trace_arrivals.hpp"
#include "scenario/trace_lines.hpp"

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// What a file of a trace holds.
struct trace_reading {
  /// Nothing when there were problems.
  std::shared_ptr<const recorded_traffic> traffic = nullptr;
  trace_format format = trace_format::counts;
  trace_lines lines;
  /// What is worth knowing about how the lines were understood, a sentence each.
  std::vector<std::string> remarks = {};
};

/// Reads a trace line by line, whatever its length; see docs/traces.md for the formats.
///
/// No line is skipped: each is a header, says when requests came, is well formed and about something
/// else, is one of the empty ones at the end, or is a problem.
/// @param how its format, when it should not be guessed from the first line, and what of it is meant
/// @param file what places of problems name as their file; see `problem_list::add_file`
/// @returns the traffic, or none and at least one problem
trace_reading parse_trace(std::istream& in, const trace_source& how, std::uint32_t file,
                          problem_list& problems);

/// Reads the trace of a file.
/// @param at where problems are that are not of a line of it
trace_reading read_trace_file(const std::filesystem::path& place, const trace_source& how, mark at,
                              problem_list& problems);

/// Writes traffic as `parse_trace` reads it back to the same: each count, or each arrival in nanoseconds.
/// @returns the format that it has then
trace_format write_trace(std::ostream& out, const recorded_traffic& x);

} // namespace spillover
