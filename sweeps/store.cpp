#include "sweeps/store.hpp"

#include "sweeps/file_lock.hpp"
#include "sweeps/store_schema.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <variant>

namespace spillover {

namespace {

constexpr int busy_ms = 10'000;

std::int64_t as_integer(std::uint64_t x) {
  return static_cast<std::int64_t>(x);
}

void bind(SQLite::Statement& to, int place, const std::optional<std::int64_t>& x) {
  if (x)
    to.bind(place, *x);
  else
    to.bind(place);
}

std::optional<std::int64_t> number_of(const SQLite::Column& x) {
  return x.isNull() ? std::nullopt : std::optional{x.getInt64()};
}

run_end end_of(const std::string& text) {
  for (const auto x : {run_end::met, run_end::missed})
    if (text == to_string(x))
      return x;
  return run_end::failed;
}

run_key key_of(const SQLite::Statement& row) {
  return {static_cast<std::uint32_t>(row.getColumn(0).getInt64()),
          static_cast<std::uint64_t>(row.getColumn(1).getInt64())};
}

std::int64_t pragma(SQLite::Database& db, const char* name) {
  return db.execAndGet(std::string{"PRAGMA "} + name).getInt64();
}

/// Writes the tables into a new file, and says what is wrong with one that is there.
void prepare(SQLite::Database& db, const std::string& file, bool make) {
  const auto mark = pragma(db, "application_id");
  const auto version = pragma(db, "user_version");
  const auto tables = db.execAndGet("SELECT count(*) FROM sqlite_master").getInt64();
  if (make && tables == 0 && mark == 0) {
    db.exec("PRAGMA journal_mode = WAL");
    SQLite::Transaction all{db};
    db.exec(store_schema());
    db.exec("PRAGMA application_id = " + std::to_string(store_mark));
    db.exec("PRAGMA user_version = " + std::to_string(store_version));
    all.commit();
    return;
  }
  if (mark != store_mark)
    throw store_error{file + " is an SQLite file, and not a sweep's; name another one"};
  if (version != store_version)
    throw store_error{file + " has version " + std::to_string(version)
                      + " of a sweep's tables, and this program knows version "
                      + std::to_string(store_version) + "; name another file"};
  if (!make)
    return;
  db.exec("PRAGMA journal_mode = WAL");
  db.exec(traces_table());
}

} // namespace

struct sweep_store::parts {
  parts(const std::filesystem::path& where, mode how);

  void add(const run_outcome& x);
  [[nodiscard]] run_outcome read(const SQLite::Statement& row) const;
  [[nodiscard]] std::vector<stored_trace> traces() const;

  /// @returns what `work` does, whose errors name the file.
  template <class F>
  auto reading(F&& work) const {
    try {
      return std::forward<F>(work)();
    } catch (const SQLite::Exception& x) {
      throw store_error{"cannot read " + file + ": " + x.what()};
    } catch (const std::out_of_range&) {
      throw store_error{"cannot read " + file
                        + ": it has values of a setting that it does not have"};
    }
  }

  template <class F>
  void writing(F&& work) const {
    try {
      std::forward<F>(work)();
    } catch (const SQLite::Exception& x) {
      throw store_write_error{"cannot write " + file + ": " + x.what()
                              + "; what was there stays, and the same command goes on once it can"};
    }
  }

  std::string file;
  bool writes;
  std::optional<file_lock> lock;
  SQLite::Database db;
};

namespace {

std::optional<file_lock> lock_or_explain(const std::filesystem::path& file, bool writes) {
  if (!writes) {
    // SQLite says no more than that it cannot open it.
    if (std::error_code ignored; !std::filesystem::exists(file, ignored))
      throw store_error{"there is no file " + file.string()};
    return std::nullopt;
  }
  auto result = file_lock::take(file);
  if (!result)
    throw store_error{file.string() + " is being written by another process"};
  return result;
}

} // namespace

sweep_store::parts::parts(const std::filesystem::path& where, mode how)
  : file(where.string()),
    writes(how == mode::write),
    lock(lock_or_explain(where, writes)),
    db(file, writes ? SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE : SQLite::OPEN_READONLY,
       busy_ms) {
  prepare(db, file, writes);
  // Survives the end of the process, and leaves a sound file when the machine stops.
  db.exec("PRAGMA synchronous = NORMAL");
}

sweep_store::sweep_store(const std::filesystem::path& file, mode how) {
  try {
    parts_ = std::make_unique<parts>(file, how);
  } catch (const SQLite::Exception& x) {
    throw store_error{"cannot use " + file.string() + ": " + x.what()};
  } catch (const std::system_error& x) {
    throw store_error{std::string{"cannot write "} + x.what()};
  }
}

sweep_store::~sweep_store() {
  if (parts_ == nullptr || !parts_->writes)
    return;
  try {
    // Without a log beside it the file can be read from anywhere, read-only folders and NFS too.
    parts_->db.setBusyTimeout(0);
    parts_->db.exec("PRAGMA journal_mode = DELETE");
  } catch (const SQLite::Exception&) { // NOLINT(bugprone-empty-catch): somebody reads; all is there
  }
}

void sweep_store::begin(const sweep_identity& x,
                        const std::vector<stored_expectation>& expectations,
                        std::span<const std::uint64_t> seeds) {
  parts_->writing([&] {
    auto& db = parts_->db;
    SQLite::Transaction all{db};
    std::vector<std::uint64_t> asked{seeds.begin(), seeds.end()};
    if (db.execAndGet("SELECT count(*) FROM sweep").getInt() > 0) {
      const auto what = difference(identity(), x);
      if (!what.empty())
        throw store_error{parts_->file + " holds another sweep: " + what
                          + "; name another file, or remove this one"};
      std::vector<std::uint64_t> both;
      const auto before = this->seeds();
      std::set_union(asked.begin(), asked.end(), before.begin(), before.end(),
                     std::back_inserter(both));
      asked = std::move(both);
    } else {
      SQLite::Statement sweep{db, "INSERT INTO sweep VALUES (1, ?, ?, ?, '')"};
      sweep.bind(1, x.program);
      sweep.bind(2, x.name);
      sweep.bind(3, x.scenario);
      sweep.exec();
      write_settings(x);
      write_traces(x.traces);
      write_expectations(expectations);
    }
    SQLite::Statement row{db, "UPDATE sweep SET seeds = ?"};
    row.bind(1, seeds_text(asked));
    row.exec();
    all.commit();
  });
}

void sweep_store::write_settings(const sweep_identity& x) {
  const auto& all = x.settings;
  SQLite::Statement row{parts_->db, "INSERT INTO settings VALUES (?, ?, ?)"};
  SQLite::Statement value{parts_->db, "INSERT INTO setting_values VALUES (?, ?, ?, ?)"};
  for (std::size_t i = 0; i < all.size(); ++i) {
    row.reset();
    row.bind(1, as_integer(i));
    row.bind(2, to_string(all[i]));
    row.bind(3, i < x.scenarios.size() ? x.scenarios[i] : std::string{});
    row.exec();
    for (std::size_t k = 0; k < all[i].size(); ++k) {
      value.reset();
      value.bind(1, as_integer(i));
      value.bind(2, as_integer(k));
      value.bind(3, all[i][k].path);
      value.bind(4, all[i][k].text);
      value.exec();
    }
  }
}

void sweep_store::write_traces(const std::vector<stored_trace>& all) {
  SQLite::Statement row{parts_->db, "INSERT INTO traces VALUES (?, ?, ?, ?)"};
  for (const auto& x : all) {
    row.reset();
    row.bind(1, x.file);
    row.bind(2, x.source);
    row.bind(3, x.digest);
    row.bindNoCopy(4, x.content);
    row.exec();
  }
}

void sweep_store::write_expectations(const std::vector<stored_expectation>& all) {
  SQLite::Statement row{parts_->db, "INSERT INTO expectations VALUES (?, ?, ?, ?, ?, ?, ?)"};
  for (const auto& x : all) {
    row.reset();
    row.bind(1, x.setting);
    row.bind(2, x.place);
    row.bind(3, x.name);
    row.bind(4, x.what);
    row.bind(5, x.unit);
    bind(row, 6, x.at_least);
    bind(row, 7, x.at_most);
    row.exec();
  }
}

std::vector<stored_trace> sweep_store::parts::traces() const {
  std::vector<stored_trace> result;
  if (!db.tableExists("traces"))
    return result;
  SQLite::Statement row{db, "SELECT file, source, digest, content FROM traces ORDER BY file"};
  while (row.executeStep())
    result.push_back({row.getColumn(0).getString(), row.getColumn(1).getString(),
                      row.getColumn(2).getString(), row.getColumn(3).getString()});
  return result;
}

sweep_identity sweep_store::identity() const {
  return parts_->reading([&] {
    auto& db = parts_->db;
    SQLite::Statement sweep{db, "SELECT program, name, scenario FROM sweep"};
    if (!sweep.executeStep())
      throw store_error{parts_->file + " holds no sweep: it was not begun"};
    sweep_identity result;
    result.program = sweep.getColumn(0).getString();
    result.name = sweep.getColumn(1).getString();
    result.scenario = sweep.getColumn(2).getString();
    SQLite::Statement meant{db, "SELECT scenario FROM settings ORDER BY setting"};
    while (meant.executeStep())
      result.scenarios.push_back(meant.getColumn(0).getString());
    result.settings.resize(result.scenarios.size());
    if (std::all_of(result.scenarios.begin(), result.scenarios.end(),
                    [](const auto& y) { return y.empty(); }))
      result.scenarios.clear();
    SQLite::Statement value{
      db, "SELECT setting, path, value FROM setting_values ORDER BY setting, place"};
    while (value.executeStep())
      result.settings.at(static_cast<std::size_t>(value.getColumn(0).getInt64()))
        .push_back({value.getColumn(1).getString(), value.getColumn(2).getString()});
    result.traces = parts_->traces();
    return result;
  });
}

bool sweep_store::has_traces() const {
  return parts_->reading([&] {
    auto& db = parts_->db;
    return db.tableExists("traces")
           && db.execAndGet("SELECT EXISTS (SELECT 1 FROM traces)").getInt() != 0;
  });
}

std::vector<std::uint64_t> sweep_store::seeds() const {
  return parts_->reading([&]() -> std::vector<std::uint64_t> {
    const auto text = parts_->db.execAndGet("SELECT seeds FROM sweep").getString();
    if (text.empty())
      return {};
    auto result = parse_seeds(text);
    if (const auto* why = std::get_if<std::string>(&result))
      throw store_error{parts_->file + ": its seeds: " + *why};
    return std::get<std::vector<std::uint64_t>>(std::move(result));
  });
}

std::vector<stored_expectation> sweep_store::expectations() const {
  return parts_->reading([&] {
    SQLite::Statement row{parts_->db, "SELECT * FROM expectations ORDER BY setting, expectation"};
    std::vector<stored_expectation> result;
    while (row.executeStep())
      result.push_back({row.getColumn(0).getUInt(), row.getColumn(1).getUInt(),
                        row.getColumn(2).getString(), row.getColumn(3).getString(),
                        row.getColumn(4).getString(), number_of(row.getColumn(5)),
                        number_of(row.getColumn(6))});
    return result;
  });
}

void sweep_store::parts::add(const run_outcome& x) {
  SQLite::Statement forget{db, "DELETE FROM judgements WHERE setting = ? AND seed = ?"};
  forget.bind(1, x.key.setting);
  forget.bind(2, as_integer(x.key.seed));
  forget.exec();
  SQLite::Statement row{db, insert_run_statement()};
  row.bind(1, x.key.setting);
  row.bind(2, as_integer(x.key.seed));
  row.bind(3, std::string{to_string(x.end)});
  row.bind(4, x.trouble);
  row.bind(5, std::int64_t{x.took.count()});
  for (std::size_t i = 0; i < measure_count; ++i)
    bind(row, static_cast<int>(i) + 6, x.values[i]);
  row.exec();
  SQLite::Statement judged{db, "INSERT INTO judgements VALUES (?, ?, ?, ?, ?)"};
  for (std::size_t i = 0; i < x.expectations.size(); ++i) {
    judged.reset();
    judged.bind(1, x.key.setting);
    judged.bind(2, as_integer(x.key.seed));
    judged.bind(3, as_integer(i));
    judged.bind(4, x.expectations[i].met ? 1 : 0);
    bind(judged, 5, x.expectations[i].value);
    judged.exec();
  }
}

void sweep_store::add(const run_outcome& x) {
  parts_->writing([&] {
    SQLite::Transaction all{parts_->db};
    parts_->add(x);
    all.commit();
  });
}

void sweep_store::add_all(const std::vector<run_outcome>& all) {
  parts_->writing([&] {
    SQLite::Transaction together{parts_->db};
    for (const auto& x : all)
      parts_->add(x);
    together.commit();
  });
}

run_outcome sweep_store::parts::read(const SQLite::Statement& row) const {
  run_outcome result;
  result.key = key_of(row);
  result.end = end_of(row.getColumn(2).getString());
  result.trouble = row.getColumn(3).getString();
  result.took = std::chrono::nanoseconds{row.getColumn(4).getInt64()};
  for (std::size_t i = 0; i < measure_count; ++i)
    result.values[i] = number_of(row.getColumn(static_cast<int>(i) + 5));
  SQLite::Statement judged{db, "SELECT met, value FROM judgements WHERE setting = ? AND seed = ? "
                               "ORDER BY expectation"};
  judged.bind(1, result.key.setting);
  judged.bind(2, as_integer(result.key.seed));
  while (judged.executeStep())
    result.expectations.push_back(
      {judged.getColumn(0).getInt() != 0, number_of(judged.getColumn(1))});
  return result;
}

std::vector<run_key> sweep_store::keys() const {
  return parts_->reading([&] {
    SQLite::Statement row{parts_->db, "SELECT setting, seed FROM runs ORDER BY setting, seed"};
    std::vector<run_key> result;
    while (row.executeStep())
      result.push_back(key_of(row));
    return result;
  });
}

std::vector<run_key> sweep_store::failed_keys() const {
  return parts_->reading([&] {
    SQLite::Statement row{
      parts_->db, "SELECT setting, seed FROM runs WHERE outcome = 'failed' ORDER BY setting, seed"};
    std::vector<run_key> result;
    while (row.executeStep())
      result.push_back(key_of(row));
    return result;
  });
}

std::array<std::uint64_t, 3> sweep_store::counts() const {
  return parts_->reading([&] {
    SQLite::Statement row{parts_->db, "SELECT outcome, count(*) FROM runs GROUP BY outcome"};
    std::array<std::uint64_t, 3> result{};
    while (row.executeStep())
      result[static_cast<std::size_t>(end_of(row.getColumn(0).getString()))] =
        static_cast<std::uint64_t>(row.getColumn(1).getInt64());
    return result;
  });
}

std::optional<run_outcome> sweep_store::find(run_key key) const {
  return parts_->reading([&] {
    SQLite::Statement row{parts_->db, select_runs_statement("WHERE setting = ? AND seed = ?")};
    row.bind(1, key.setting);
    row.bind(2, as_integer(key.seed));
    return row.executeStep() ? std::optional{parts_->read(row)} : std::nullopt;
  });
}

std::vector<run_outcome> sweep_store::runs_of(std::uint32_t place) const {
  return parts_->reading([&] {
    SQLite::Statement row{parts_->db, select_runs_statement("WHERE setting = ? ORDER BY seed")};
    row.bind(1, place);
    std::vector<run_outcome> result;
    while (row.executeStep())
      result.push_back(parts_->read(row));
    return result;
  });
}

} // namespace spillover
