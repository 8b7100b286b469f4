#pragma once

#include "exports/table.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace spillover {

/// What tells a database of ours from others: its application id, "SPIL".
inline constexpr std::uint32_t sqlite_application_id = 0x5350494c;

/// Writes all tables into a new SQLite database, in one transaction, with indexes and views. Tables are
/// STRICT; seconds are REAL.
class sqlite_file final : public table_sink {
public:
  /// @param file must not exist
  /// @throws std::runtime_error when it cannot be made
  explicit sqlite_file(const std::filesystem::path& file);
  ~sqlite_file() override;

  void begin(const table_shape& x) override;
  void row(std::span<const table_cell> cells) override;

  /// Adds indexes and views, and completes the file. Without it nothing is kept.
  /// @throws std::runtime_error when the disk is full or the like
  void end();

private:
  struct database;
  std::unique_ptr<database> database_;
};

} // namespace spillover
