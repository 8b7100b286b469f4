#include "exports/sqlite_file.hpp"

#include "exports/run_export.hpp"
#include "model/check.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace spillover {

namespace {

constexpr const char* indexes_and_views = R"(
CREATE UNIQUE INDEX events_by_id ON events(id);
CREATE INDEX events_by_kind ON events(kind, at_ns);
CREATE INDEX events_by_entity ON events(entity, at_ns);
CREATE INDEX events_by_cause ON events(cause) WHERE cause IS NOT NULL;
CREATE UNIQUE INDEX requests_kept_by_number ON requests_kept(consumer, request);
CREATE INDEX requests_kept_by_latency ON requests_kept(latency_ns);
CREATE UNIQUE INDEX hops_by_request ON hops(consumer, request, hop);

-- One row for each failover, with its clocks in seconds.
CREATE VIEW failovers AS
SELECT failover, service, from_region, to_region, fault_s,
       max(span_s) FILTER (WHERE clock = 'detect') AS detect_s,
       max(span_s) FILTER (WHERE clock = 'aggregate') AS aggregate_s,
       max(span_s) FILTER (WHERE clock = 'propagate') AS propagate_s,
       max(span_s) FILTER (WHERE clock = 'route') AS route_s,
       max(span_s) FILTER (WHERE clock = 'failover') AS failover_s,
       max(span_s) FILTER (WHERE clock = 'capacity') AS capacity_s,
       max(span_s) FILTER (WHERE clock = 'failback') AS failback_s
FROM clocks GROUP BY failover ORDER BY failover;

-- What failed in each step of each consumer, with its share of what ended.
CREATE VIEW errors AS
SELECT from_s, consumer, failed, ended, 1.0 * failed / ended AS share
FROM (SELECT from_s, consumer, ended - ok AS failed, ended
      FROM (SELECT *, ok + too_many_requests + internal_error + bad_gateway + unavailable
                      + gateway_timeout + lb_timeout + client_timeout + lost AS ended
            FROM requests))
WHERE ended > 0;

-- What the latency of each request that was followed is made of.
CREATE VIEW hop_shares AS
SELECT hops.consumer, hops.request, hops.kind, hops.site, sum(hops.counted_s) AS seconds,
       1.0 * sum(hops.counted_ns) / max(requests_kept.latency_ns) AS share
FROM hops JOIN requests_kept USING (consumer, request)
WHERE hops.counted_ns > 0
GROUP BY hops.consumer, hops.request, hops.kind, hops.site;

-- Faults, health transitions, routing and decisions, without a second's numbers.
CREATE VIEW timeline AS
SELECT nr, at_s, entity, kind, cause, details FROM events
WHERE kind NOT LIKE '%_sample' AND kind NOT LIKE '%_closed'
ORDER BY nr;
)";

std::string table_sql(const table_shape& x) {
  std::string result = "CREATE TABLE " + std::string{x.name} + "(";
  for (const auto& column : x.columns) {
    if (result.back() != '(')
      result += ", ";
    result += column.name;
    result += column.type == cell_type::text      ? " TEXT"
              : column.type == cell_type::seconds ? " REAL"
                                                  : " INTEGER";
    if (!column.optional)
      result += " NOT NULL";
  }
  return result + ") STRICT";
}

std::string insert_sql(const table_shape& x) {
  auto result = "INSERT INTO " + std::string{x.name} + " VALUES(?";
  for (std::size_t i = 1; i < x.columns.size(); ++i)
    result += ",?";
  return result + ")";
}

/// @param kept holds a text until the row is written; SQLite gets no copy of its own
void bind(SQLite::Statement& to, int place, const table_cell& x, std::string& kept) {
  if (const auto* text = std::get_if<std::string_view>(&x))
    to.bindNoCopy(place, kept.assign(*text));
  else if (const auto* number = std::get_if<std::int64_t>(&x))
    to.bind(place, *number);
  else if (const auto* seconds = std::get_if<duration>(&x))
    to.bind(place, seconds_of(*seconds));
  else
    to.bind(place);
}

} // namespace

struct sqlite_file::database {
  explicit database(const std::filesystem::path& file)
    : path(file.string()), db(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE) {
    // The file counts only when it is complete, so there is nothing to roll back to.
    db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA application_id = "
            + std::to_string(sqlite_application_id)
            + "; PRAGMA user_version = " + std::to_string(export_schema_version));
    transaction.emplace(db);
  }

  std::string path;
  SQLite::Database db;
  std::optional<SQLite::Transaction> transaction;
  std::optional<SQLite::Statement> insert;
  /// Of the row that is written, by column.
  std::vector<std::string> texts;
};

namespace {

/// Calls a function, and tells what SQLite has against it in the project's way.
template <class Function>
auto explained(const std::string& file, Function function) {
  try {
    return function();
  } catch (const SQLite::Exception& x) {
    throw std::runtime_error("cannot write " + file + ": " + x.what());
  }
}

} // namespace

sqlite_file::sqlite_file(const std::filesystem::path& file) {
  explained(file.string(), [&] { database_ = std::make_unique<database>(file); });
}

sqlite_file::~sqlite_file() = default;

void sqlite_file::begin(const table_shape& x) {
  auto& to = *database_;
  explained(to.path, [&] {
    to.insert.reset();
    to.db.exec(table_sql(x));
    to.insert.emplace(to.db, insert_sql(x));
  });
  to.texts.resize(x.columns.size());
}

void sqlite_file::row(std::span<const table_cell> cells) {
  auto& to = *database_;
  SPILLOVER_CHECK(to.insert && cells.size() == to.texts.size());
  explained(to.path, [&] {
    for (std::size_t i = 0; i < cells.size(); ++i)
      bind(*to.insert, static_cast<int>(i) + 1, cells[i], to.texts[i]);
    to.insert->exec();
    to.insert->reset();
  });
}

void sqlite_file::end() {
  auto& to = *database_;
  explained(to.path, [&] {
    to.insert.reset();
    to.db.exec(indexes_and_views);
    to.transaction->commit();
    to.transaction.reset();
  });
}

} // namespace spillover
