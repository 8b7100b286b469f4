#pragma once

#include "report/event_log.hpp"
#include "report/verdict.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace spillover {

/// What a report shows of a run beside its events and its verdict.
struct page_source {
  /// The scenario's text (YAML), with the seed that was used.
  std::string scenario;
  /// What repeats the run, for people to copy, e.g. "spillover run scenario.yaml --seed 1".
  std::string command;
  /// The program and its version.
  std::string program;
};

/// How much of a run a report holds at most, so that the file stays below 5 MB.
struct page_limits {
  /// Numbers of all curves together. They share one grid: so many points that they stay below.
  std::size_t numbers = 480'000;
  /// Points in time of each curve; with more seconds a point stands for several and keeps their
  /// least, mean and greatest value.
  std::size_t points = 3'600;
  /// Columns of the latency heat map.
  std::size_t heat_columns = 600;
  /// Rows of the table of events; those that say most stay.
  std::size_t events = 5'000;
};

/// @returns what a report shows of a run, as one JSON document: `docs/page.schema.json`.
/// @param x of the same log
std::string page_data(const event_log& log, const verdict& x, const page_source& source,
                      const page_limits& limits = {});

/// @returns the page that shows such data: HTML with everything that it needs in it, and one place
///          for the data.
std::string_view page_bundle() noexcept;

/// Puts data into a page.
/// @param bundle has `<!--DATA-->` once
/// @param data JSON; no text in it can end the element that it stands in
/// @param text shown where scripts are switched off
/// @returns the page; empty when `bundle` is none
std::string to_page(std::string_view bundle, std::string_view data, std::string_view text);

/// @returns the report of a run in Markdown, for a pull request: the verdict, the clocks, and what to
///          call to see more.
std::string to_markdown(const verdict& x, const event_log& log, const page_source& source);

} // namespace spillover
