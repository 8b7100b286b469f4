#pragma once

#include "model/time.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace spillover {

/// What the cells of a column hold.
enum class cell_type : std::uint8_t {
  integer,
  /// Seconds, told exactly where the file can.
  seconds,
  text,
};

/// A column of a table that is exported.
struct table_column {
  std::string_view name;
  cell_type type = cell_type::integer;
  /// Some cells are empty.
  bool optional = false;
};

/// A table that is exported, under the same name wherever it goes.
struct table_shape {
  std::string_view name;
  std::span<const table_column> columns;
};

/// One cell: nothing, an integer or whether something holds (1 or 0), seconds, or a text, as its column says.
using table_cell = std::variant<std::monostate, std::int64_t, duration, std::string_view>;

/// Takes tables, one after another, row by row.
class table_sink {
public:
  table_sink() = default;
  table_sink(const table_sink&) = delete;
  table_sink& operator=(const table_sink&) = delete;
  virtual ~table_sink() = default;

  /// A table begins, and the one before is complete. A table without rows is begun as well.
  /// @throws std::runtime_error when it cannot be made
  virtual void begin(const table_shape& x) = 0;

  /// @param cells one for each column; texts are those of the caller
  /// @throws std::runtime_error when it cannot be written
  virtual void row(std::span<const table_cell> cells) = 0;
};

} // namespace spillover
