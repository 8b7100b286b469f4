#pragma once

#include <cstdint>
#include <string>

namespace spillover {

/// Of the file's format, kept as SQLite's user_version.
inline constexpr std::int64_t store_version = 1;

/// Marks a file as a sweep's, kept as SQLite's application_id: "Spil".
inline constexpr std::int64_t store_mark = 0x5370696c;

/// @returns the statements that make the tables; docs/sweeps.md explains each.
std::string store_schema();

/// @returns the statement that makes the table of traces where it is missing: files of earlier programs have none.
std::string traces_table();

/// @returns the statement that adds or replaces a run: key, end, trouble, time taken, measures.
std::string insert_run_statement();

/// @returns the statement that reads runs, in the order of `insert_run_statement`.
/// @param rest conditions and order
std::string select_runs_statement(const std::string& rest);

} // namespace spillover
