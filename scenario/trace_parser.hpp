#pragma once

#include "consumers/trace_arrivals.hpp"
#include "scenario/trace_lines.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// Understands the lines of one format. It keeps what it needs of each, and no line.
class trace_parser {
public:
  virtual ~trace_parser() = default;

  /// Takes the next line, the header if there is one too; tells the report what it is.
  virtual void take(std::string_view line, trace_report& report) = 0;

  /// @returns what all lines say together; nothing, having reported why, when they say no load.
  virtual std::shared_ptr<const recorded_traffic> finish(trace_report& report) = 0;

  /// @returns what a reader should know about how the lines were understood, a sentence each.
  [[nodiscard]] virtual std::vector<std::string> remarks() const { return {}; }
};

/// Whether a format's lines can begin with `#` and say nothing then; those of others' formats cannot.
[[nodiscard]] bool has_comments(trace_format x) noexcept;

// One for each format; see docs/traces.md.

std::unique_ptr<trace_parser> make_counts_parser(const trace_source& how);
std::unique_ptr<trace_parser> make_azure_parser(const trace_source& how);
std::unique_ptr<trace_parser> make_times_parser();
std::unique_ptr<trace_parser> make_hey_parser();
std::unique_ptr<trace_parser> make_vegeta_json_parser();
std::unique_ptr<trace_parser> make_vegeta_csv_parser();
std::unique_ptr<trace_parser> make_k6_parser();

/// The unit of a column of times, by its name; 0 when the times are RFC 3339 or seconds since 1970.
/// @returns nothing when no column of times has that name
std::optional<duration> unit_of_column(std::string_view name) noexcept;

/// Whether a column of that name has requests: requests, requests_per_second, requests_per_minute.
[[nodiscard]] bool is_count_column(std::string_view name) noexcept;

/// The names that `unit_of_column` knows.
inline constexpr std::string_view time_columns =
  "time, timestamp, minutes, seconds, milliseconds, microseconds, nanoseconds";

/// @returns the time that a cell says, or nothing, having reported it.
/// @param unit as `unit_of_column` says
std::optional<std::int64_t> read_time(const trace_cell& cell, duration unit, trace_report& report);

/// @returns the place of a name among cells, or nothing.
std::optional<std::size_t> place_of_cell(const std::vector<trace_cell>& cells,
                                         std::string_view name) noexcept;

/// @returns whether a line has as many cells as the header; reports it when not.
bool has_cells(const std::vector<trace_cell>& cells, std::size_t expected, trace_report& report);

} // namespace spillover
