#pragma once

#include "exports/run_export.hpp"
#include "exports/table.hpp"
#include "model/record.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

// How the tables of an export are told; what users of an export need is in exports/run_export.hpp.

namespace spillover {

/// Collects the cells of one row after another.
class table_rows {
public:
  table_rows(table_sink& to, const table_shape& x) : to_(to) {
    to_.begin(x);
    cells_.reserve(x.columns.size());
  }

  template <std::integral T>
  table_rows& add(T x) {
    cells_.emplace_back(static_cast<std::int64_t>(x));
    return *this;
  }
  table_rows& add(std::string_view x) {
    cells_.emplace_back(x);
    return *this;
  }
  /// Adds an instant as two columns, nanoseconds and seconds.
  table_rows& add(instant x) { return add(x.time_since_epoch()); }
  /// Adds a span as two columns, nanoseconds and seconds.
  table_rows& add(duration x) {
    cells_.emplace_back(x.count());
    cells_.emplace_back(x);
    return *this;
  }
  template <class T>
  table_rows& add(const std::optional<T>& x) {
    if (x)
      return add(*x);
    constexpr auto columns = std::integral<T> ? 1 : 2;
    for (auto i = 0; i < columns; ++i)
      cells_.emplace_back();
    return *this;
  }
  /// Adds a column for each way to end.
  template <class T>
  table_rows& add(const std::array<T, outcome_count>& ended) {
    for (const auto x : ended)
      add(x);
    return *this;
  }

  /// Ends the row.
  void end() {
    to_.row(cells_);
    cells_.clear();
  }

private:
  table_sink& to_;
  std::vector<table_cell> cells_;
};

/// The tables of a run's seconds, `step` of them in each row.
void write_requests(const run_export& x, const event_index& index, table_sink& to);
void write_tries(const run_export& x, const event_index& index, table_sink& to);
void write_backends(const run_export& x, const event_index& index, table_sink& to);

/// The shapes of these.
extern const table_shape requests_table;
extern const table_shape tries_table;
extern const table_shape backends_table;

} // namespace spillover
