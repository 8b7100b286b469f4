#include "exports/csv_files.hpp"
#include "exports/sqlite_file.hpp"
#include "tests/exports/small_export.hpp"
#include "tests/support/run_program.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace spillover {
namespace {

/// Writes every table down as text.
class text_sink final : public table_sink {
public:
  void begin(const table_shape& x) override {
    table_ = x.name;
    tables_[table_];
    columns_.clear();
    for (const auto& column : x.columns)
      columns_.push_back(column);
  }
  void row(std::span<const table_cell> cells) override {
    ASSERT_EQ(cells.size(), columns_.size());
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto empty = std::holds_alternative<std::monostate>(cells[i]);
      EXPECT_TRUE(!empty || columns_[i].optional) << table_ << "." << columns_[i].name;
      std::string text;
      if (const auto* number = std::get_if<std::int64_t>(&cells[i]))
        text = std::to_string(*number);
      else if (const auto* words = std::get_if<std::string_view>(&cells[i]))
        text = *words;
      else if (const auto* seconds = std::get_if<duration>(&cells[i]))
        append_seconds(text, *seconds);
      row[std::string{columns_[i].name}] = text;
    }
    tables_[table_].push_back(row);
  }

  using rows = std::vector<std::map<std::string, std::string>>;
  const rows& operator[](const std::string& name) { return tables_[name]; }
  [[nodiscard]] std::size_t size() const { return tables_.size(); }

private:
  std::string table_;
  std::vector<table_column> columns_;
  std::map<std::string, rows> tables_;
};

TEST(Tables, QuoteWhatAsksForIt) {
  const struct {
    const char* why;
    const char* field;
    const char* expected;
  } cases[] = {
    {"plain", "us-east1/checkout", "us-east1/checkout"},
    {"nothing", "", ""},
    {"a comma", "a,b", "\"a,b\""},
    {"quotes are doubled", "{\"a\":1}", "\"{\"\"a\"\":1}\""},
    {"a line's end", "a\nb", "\"a\nb\""},
    {"a carriage return", "a\rb", "\"a\rb\""},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    std::string text;
    append_csv_field(text, x.field);
    EXPECT_EQ(text, x.expected);
  }
}

TEST(Tables, TellSecondsExactly) {
  const struct {
    const char* why;
    std::int64_t ns;
    const char* expected;
  } cases[] = {
    {"none", 0, "0"},
    {"whole", 20'000'000'000, "20"},
    {"no zeros at the end", 314'300'000'000, "314.3"},
    {"to the nanosecond", 1'000'000'001, "1.000000001"},
    {"below a second", 40'000'000, "0.04"},
    {"below nothing", -1'500'000'000, "-1.5"},
    {"below nothing by less than a second", -1, "-0.000000001"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    std::string text;
    append_seconds(text, duration{x.ns});
    EXPECT_EQ(text, x.expected);
  }
}

TEST(Tables, PutSecondsTogetherIntoSteps) {
  const test::small_export of;
  auto x = of.get();
  x.step = std::chrono::seconds{2};
  text_sink to;
  write_tables(x, to);
  ASSERT_EQ(to["backends"].size(), 2u);
  auto row = to["backends"][1];
  EXPECT_EQ(row["from_ns"], "2000000000");
  EXPECT_EQ(row["from_s"], "2");
  EXPECT_EQ(row["arrivals"], "7");    // 3 + 4
  EXPECT_EQ(row["queue"], "40");      // at the end
  EXPECT_EQ(row["queue_peak"], "47"); // the most
  EXPECT_EQ(row["cpu_milli"], "350"); // the mean
  row = to["requests"][1];
  EXPECT_EQ(row["ok"], "5");
  EXPECT_EQ(row["unavailable"], "2");
  EXPECT_EQ(row["consumer"], "shop");
  // Of the one answer whose latency is known, within a bucket's width.
  EXPECT_NEAR(std::stod(row["p50_s"]), 0.04, 0.001);
  x.step = std::chrono::seconds{1};
  text_sink each;
  write_tables(x, each);
  ASSERT_EQ(each["requests"].size(), 4u);
  row = each["requests"][2];
  EXPECT_EQ(row["p50_ns"] + row["p99_s"] + row["max_ns"], "");
}

TEST(Tables, LeaveOutWhatIsNotInTheWindow) {
  const test::small_export of;
  auto x = of.get();
  x.window = {run_start + std::chrono::seconds{2}, run_start + std::chrono::seconds{3}};
  text_sink to;
  write_tables(x, to);
  ASSERT_EQ(to["requests"].size(), 1u);
  auto row = to["requests"][0];
  EXPECT_EQ(row["started"], "3");
  ASSERT_EQ(to["requests_kept"].size(), 1u);
  row = to["requests_kept"][0];
  EXPECT_EQ(row["request"], "3");
  EXPECT_EQ(row["latency_s"], "0.04");
  // Events have the number that they have in the whole run.
  row = to["events"].front();
  EXPECT_EQ(row["at_s"], "2.5");
  EXPECT_EQ(row["nr"], "5");
  EXPECT_EQ(to["books"].size(), 1u);
  row = to["run"][0];
  EXPECT_EQ(row["from_s"] + "-" + row["to_s"], "2-3");
  EXPECT_EQ(row["complete"], "1");
}

TEST(Tables, AreTheSameInFilesAndDatabase) {
  const test::small_export of;
  const test::temporary_folder folder;
  csv_files csv{folder.path()};
  write_tables(of.get(), csv);
  csv.end();
  {
    sqlite_file sqlite{folder.path() / "run.db"};
    write_tables(of.get(), sqlite);
    sqlite.end();
  }
  text_sink texts;
  write_tables(of.get(), texts);
  EXPECT_EQ(export_tables().size(), texts.size());
  SQLite::Database db{(folder.path() / "run.db").string()};
  for (const auto name : export_tables()) {
    SCOPED_TRACE(name);
    const std::string table{name};
    const auto rows = texts[table].size();
    EXPECT_EQ(db.execAndGet("SELECT count(*) FROM " + table).getInt64(),
              static_cast<std::int64_t>(rows));
    const auto text = test::content_of(folder.path() / (table + ".csv"));
    // No text of this run has a line's end in it.
    EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), rows + 1);
  }
  EXPECT_EQ(db.execAndGet("SELECT name FROM run").getString(), "small, \"quoted\"");
  EXPECT_NE(test::content_of(folder.path() / "run.csv").find("\"small, \"\"quoted\"\"\""),
            std::string::npos);
  EXPECT_EQ(db.execAndGet("PRAGMA application_id").getInt64(), std::int64_t{sqlite_application_id});
  EXPECT_EQ(db.execAndGet("PRAGMA user_version").getInt64(), export_schema_version);
}

TEST(Tables, AnswerQuestionsInSql) {
  const test::small_export of;
  const test::temporary_folder folder;
  sqlite_file sqlite{folder.path() / "run.db"};
  write_tables(of.get(), sqlite);
  sqlite.end();
  SQLite::Database db{(folder.path() / "run.db").string()};
  const struct {
    const char* why;
    const char* query;
    double expected;
  } cases[] = {
    {"details are JSON", "SELECT json_extract(details, '$.after') FROM events WHERE nr = 3", 3},
    {"a cause leads to its event",
     "SELECT y.at_s FROM events x JOIN events y ON y.id = x.cause WHERE x.nr = 3", 1.5},
    {"the share of errors", "SELECT share FROM errors WHERE from_s = 3", 0.5},
    {"the shares of hops are all of a request",
     "SELECT sum(share) FROM hop_shares "
     "WHERE request = 1",
     1},
    {"a timeline without a second's numbers", "SELECT count(*) FROM timeline", 6},
    {"no failover", "SELECT count(*) FROM failovers", 0},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_DOUBLE_EQ(db.execAndGet(x.query).getDouble(), x.expected);
  }
}

TEST(Tables, SayWhereNothingCanBeWritten) {
  const test::temporary_folder folder;
  EXPECT_THROW(sqlite_file{folder.path() / "none" / "run.db"}, std::runtime_error);
  csv_files csv{folder.path() / "none"};
  const test::small_export of;
  EXPECT_THROW(write_tables(of.get(), csv), std::runtime_error);
}

} // namespace
} // namespace spillover
