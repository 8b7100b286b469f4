#include "sweeps/store_schema.hpp"

#include "sweeps/outcome.hpp"

namespace spillover {

namespace {

constexpr const char* fixed_tables = R"(
CREATE TABLE sweep (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  program TEXT NOT NULL,
  name TEXT NOT NULL,
  scenario TEXT NOT NULL,
  seeds TEXT NOT NULL
) STRICT;
CREATE TABLE settings (
  setting INTEGER PRIMARY KEY,
  label TEXT NOT NULL,
  scenario TEXT NOT NULL
) STRICT;
CREATE TABLE setting_values (
  setting INTEGER NOT NULL REFERENCES settings,
  place INTEGER NOT NULL,
  path TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (setting, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE expectations (
  setting INTEGER NOT NULL REFERENCES settings,
  expectation INTEGER NOT NULL,
  name TEXT NOT NULL,
  what TEXT NOT NULL,
  unit TEXT NOT NULL,
  at_least INTEGER,
  at_most INTEGER,
  PRIMARY KEY (setting, expectation)
) STRICT, WITHOUT ROWID;
CREATE TABLE measures (
  name TEXT PRIMARY KEY,
  unit TEXT NOT NULL,
  meaning TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE judgements (
  setting INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  expectation INTEGER NOT NULL,
  met INTEGER NOT NULL CHECK (met IN (0, 1)),
  value INTEGER,
  PRIMARY KEY (setting, seed, expectation),
  FOREIGN KEY (setting, seed) REFERENCES runs
) STRICT, WITHOUT ROWID;
)";

std::string quoted(std::string_view x) {
  std::string result = "'";
  for (const auto c : x)
    result.append(c == '\'' ? 2 : 1, c);
  return result + "'";
}

std::string columns_of_runs() {
  std::string result = "setting, seed, outcome, trouble, took_ns";
  for (const auto& x : measures())
    result.append(", ").append(x.name);
  return result;
}

} // namespace

std::string store_schema() {
  std::string runs = R"(
CREATE TABLE runs (
  setting INTEGER NOT NULL REFERENCES settings,
  seed INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('met', 'missed', 'failed')),
  trouble TEXT NOT NULL,
  took_ns INTEGER NOT NULL,
)";
  std::string rows;
  for (const auto& x : measures()) {
    runs.append("  ").append(x.name).append(" INTEGER,\n");
    rows.append("INSERT INTO measures VALUES (").append(quoted(x.name)).append(", ");
    rows.append(quoted(to_string(x.unit))).append(", ");
    rows.append(quoted(x.meaning)).append(");\n");
  }
  runs += "  PRIMARY KEY (setting, seed)\n) STRICT, WITHOUT ROWID;\n";
  return fixed_tables + traces_table() + runs + rows;
}

std::string traces_table() {
  return R"(
CREATE TABLE IF NOT EXISTS traces (
  file TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  digest TEXT NOT NULL,
  content TEXT NOT NULL
) STRICT, WITHOUT ROWID;
)";
}

std::string insert_run_statement() {
  std::string places = "?, ?, ?, ?, ?";
  for (std::size_t i = 0; i < measure_count; ++i)
    places += ", ?";
  return "INSERT OR REPLACE INTO runs (" + columns_of_runs() + ") VALUES (" + places + ")";
}

std::string select_runs_statement(const std::string& rest) {
  return "SELECT " + columns_of_runs() + " FROM runs " + rest;
}

} // namespace spillover
