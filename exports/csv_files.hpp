#pragma once

#include "exports/table.hpp"
#include "report/csv_field.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace spillover {

/// Appends seconds without zeros at the end, exactly, e.g. "314.3".
void append_seconds(std::string& out, duration x);

/// Writes each table as a CSV file (RFC 4180, but lines end with LF): a head of the columns' names, then a row
/// each. Nothing is an empty field.
class csv_files final : public table_sink {
public:
  /// @param folder is there
  explicit csv_files(std::filesystem::path folder);

  void begin(const table_shape& x) override;
  void row(std::span<const table_cell> cells) override;

  /// Completes the last table.
  /// @throws std::runtime_error when the disk is full or the like
  void end();

private:
  void flush();

  std::filesystem::path folder_;
  std::filesystem::path file_;
  std::ofstream out_;
  std::string text_;
  std::size_t columns_ = 0;
};

} // namespace spillover
