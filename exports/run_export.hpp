#pragma once

#include "exports/hop_spans.hpp"
#include "exports/table.hpp"
#include "report/event_log.hpp"
#include "report/request_keeper.hpp"
#include "report/verdict.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace spillover {

/// A span of a run, [from, to).
struct export_window {
  instant from = run_start;
  instant to = never;

  [[nodiscard]] bool holds(instant x) const noexcept { return from <= x && x < to; }

  /// @returns whether something that lasts from `begin` to `end` lies in it, at least in part.
  [[nodiscard]] bool meets(instant begin, instant end) const noexcept {
    return begin < to && (from < end || (begin == end && from <= end));
  }
};

/// What is exported of a run.
struct run_export {
  const event_log& log;
  const verdict& judged;
  const kept_requests& kept;
  /// Requests as spans, of those that the run keeps; by consumer and number.
  const std::vector<request_spans>& requests;
  /// The program and its version, e.g. "spillover 1.2".
  std::string program = {};
  /// Events, seconds and requests that lie in it; clocks and expectations are the whole run's.
  export_window window = {};
  /// What a row of a series stands for: whole seconds, at least one.
  duration step = std::chrono::seconds{1};
};

/// Counts up when a name or a meaning in the tables changes.
inline constexpr std::int64_t export_schema_version = 1;

/// @returns the names of all tables, in the order in which `write_tables` tells them.
std::vector<std::string_view> export_tables();

/// Tells a run as tables; docs/export.md has their columns.
/// @throws std::runtime_error as `to` does
void write_tables(const run_export& x, table_sink& to);

} // namespace spillover
