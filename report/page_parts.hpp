#pragma once

#include "report/event_index.hpp"
#include "report/page.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The parts of the data of a report; what users of a report need is in report/page.hpp.

namespace spillover {

/// Keys stay in the order in which they are written.
using page_json = nlohmann::ordered_json;

/// The points in time that all curves of a report share.
struct page_grid {
  /// Seconds of the run; the last may be a part of one.
  std::size_t seconds = 0;
  /// Seconds that one point stands for.
  std::size_t step = 1;

  /// @returns how many points there are.
  [[nodiscard]] std::size_t points() const noexcept { return (seconds + step - 1) / step; }

  /// @returns the second that a sample tells of, which was recorded at its end; nothing when it lies
  ///          outside of the run.
  [[nodiscard]] std::optional<std::size_t> second_of(instant recorded) const noexcept;
};

/// @returns a grid of at most `points` points, at least one.
page_grid make_grid(std::size_t seconds, std::size_t points);

/// One number a second.
using second_values = std::vector<std::int64_t>;

/// Puts the seconds of a curve on a grid: `mean`, and where a point stands for several seconds, `lo`
/// and `hi`, the least and the greatest. A list that holds one number only is written as that number.
/// @param scale what a value is divided by, e.g. 1000 for thousandths
page_json curve_json(const page_grid& grid, std::span<const std::int64_t> values,
                     std::int64_t scale = 1);

/// @returns the curves: traffic, requests by how they ended, instances and queues, latency with its
///          heat map, revisions, subscriptions, and the grid that they share.
page_json curves_json(const event_index& index, const page_limits& limits);

/// @returns the latency of each consumer and of all together: quantiles on the grid, and how many
///          answers were how fast in columns of their own.
page_json latency_json(const event_index& index, const page_grid& grid, const page_limits& limits);

/// @returns one row for each endpoint, health source, composite, NEG and route: from when on it was in
///          which state.
page_json ribbons_json(const event_index& index);

/// @returns the table of events: those that say most, up to a limit, with how many there were of each
///          kind.
page_json events_json(const event_index& index, std::size_t limit);

/// @returns when each fault lay on what.
page_json faults_json(const event_index& index);

/// @returns microseconds since the run's start, rounded down.
std::int64_t microseconds(instant x) noexcept;

} // namespace spillover
