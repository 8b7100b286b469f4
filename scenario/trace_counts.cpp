#include "scenario/trace_parser.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace spillover {

namespace {

constexpr duration shortest_bucket = std::chrono::milliseconds{1};
constexpr duration longest_bucket = std::chrono::hours{24};
constexpr std::size_t azure_names = 4;

constexpr std::string_view per_second = "requests_per_second";
constexpr std::string_view per_minute = "requests_per_minute";
// The first that a header names has the requests.
constexpr std::array<std::string_view, 3> count_columns{"requests", per_second, per_minute};

std::string allowed_requests() {
  return "; allowed: a number from 0 to 1000000000, e.g. 12 or 0.5";
}

// Requests in each bucket, with or without the time at which it begins.
class counts_parser final : public trace_parser {
public:
  explicit counts_parser(const trace_source& how)
    : wanted_(how.column), width_(how.bucket.value_or(duration::zero())) {}

  void take(std::string_view line, trace_report& report) override;
  std::shared_ptr<const recorded_traffic> finish(trace_report& report) override;
  [[nodiscard]] std::vector<std::string> remarks() const override;

private:
  void take_header(trace_report& report);
  void take_row(trace_report& report);
  // Whether the bucket that begins at `at` is a further one; makes those that are absent.
  bool advance(const trace_cell& cell, std::int64_t at, trace_report& report);

  std::string wanted_;
  duration width_{}; // 0 as long as it is not known
  std::vector<trace_cell> cells_;
  std::size_t columns_ = 0; // 0 before the header
  std::size_t value_ = 0;
  std::optional<std::size_t> time_;
  duration time_unit_{};
  duration per_{}; // what the requests are counted in; 0: the bucket
  std::int64_t first_ = 0;
  std::uint64_t rows_ = 0;
  // A row was malformed before the width was known: which rows follow each other is not known either.
  bool lost_ = false;
  std::uint64_t absent_ = 0;
  std::vector<std::string> ignored_; // columns that have requests, too
  std::vector<double> counts_;
};

void counts_parser::take_header(trace_report& report) {
  report.is_head();
  columns_ = cells_.size();
  std::optional<std::size_t> value;
  if (!wanted_.empty()) {
    value = place_of_cell(cells_, wanted_);
  } else {
    for (const auto name : count_columns)
      if (!value)
        value = place_of_cell(cells_, name);
  }
  if (!value)
    return report.give_up(0, wanted_.empty()
                               ? "the header names no column requests, requests_per_second or "
                                 "requests_per_minute; `column` can name another"
                               : "the header has no column " + shown(wanted_));
  value_ = *value;
  const auto name = cells_[value_].text;
  for (auto i = value_ + 1; i < cells_.size(); ++i)
    if (cells_[i].text == name)
      return report.give_up(cells_[i].position,
                            "a second column " + shown(name)
                              + "; the one that counts must have a name of its own");
  if (wanted_.empty())
    for (const auto& x : cells_)
      if (x.text != name && is_count_column(x.text))
        ignored_.emplace_back(x.text);
  if (name.ends_with("_per_second"))
    per_ = std::chrono::seconds{1};
  else if (name.ends_with("_per_minute"))
    per_ = std::chrono::minutes{1};
  for (std::size_t i = 0; i < cells_.size(); ++i)
    if (const auto unit = unit_of_column(cells_[i].text); unit && i != value_) {
      if (time_ && cells_[i].text == cells_[*time_].text)
        return report.give_up(cells_[i].position, "a second column " + shown(cells_[i].text)
                                                    + "; only one can say when a bucket begins");
      if (time_)
        continue;
      time_ = i;
      time_unit_ = *unit;
    }
  if (time_ || width_ != duration::zero())
    return;
  width_ = per_;
  if (width_ == duration::zero())
    report.give_up(0, "nothing says how long a bucket is; give `bucket`, e.g. bucket: 1m, or a "
                      "column with the time at which each begins ("
                        + std::string{time_columns} + ")");
}

bool counts_parser::advance(const trace_cell& cell, std::int64_t at, trace_report& report) {
  if (rows_ == 0)
    first_ = at;
  if (rows_ == 1 && width_ == duration::zero()) {
    const duration step{at - first_};
    if (step < shortest_bucket || step > longest_bucket) {
      report.give_up(cell.position,
                     "the first two rows are "
                       + (step < duration::zero() ? "out of order" : to_string(step) + " apart")
                       + "; a bucket lasts 1ms to 24h, and rows are in order of time");
      return false;
    }
    width_ = step;
  }
  const auto since = at - first_;
  if (since >= max_recorded_time.count()) {
    report.give_up(cell.position,
                   "is 8760h or more after the first row; a trace is shorter than that");
    return false;
  }
  const auto width = rows_ == 0 ? 1 : width_.count();
  const auto next = static_cast<std::int64_t>(counts_.size());
  if (since < next * width && rows_ > 0) {
    report.fail(cell.position,
                "is not after the row before; rows are in order of time, each bucket once");
    return false;
  }
  if (since % width != 0) {
    report.fail(cell.position, "does not fall on the beginning of a bucket: rows are multiples of "
                                 + to_string(width_) + " after the first one");
    return false;
  }
  if (since / width >= static_cast<std::int64_t>(max_recorded_buckets)) {
    report.give_up(cell.position, "more than 5000000 buckets, the most a trace may have");
    return false;
  }
  const auto absent = static_cast<std::size_t>(since / width - next);
  absent_ += absent;
  counts_.resize(counts_.size() + absent);
  return true;
}

void counts_parser::take(std::string_view line, trace_report& report) {
  if (!split_cells(line, cells_, report)) {
    lost_ = lost_ || width_ == duration::zero();
    return;
  }
  if (columns_ == 0)
    return take_header(report);
  const auto before = rows_;
  if (has_cells(cells_, columns_, report))
    take_row(report);
  lost_ = lost_ || (rows_ == before && width_ == duration::zero());
}

void counts_parser::take_row(trace_report& report) {
  const auto& cell = cells_[value_];
  const auto value = parse_requests(cell.text);
  if (!value)
    return report.fail(cell.position,
                       shown(cell.text) + " is no number of requests" + allowed_requests());
  if (time_) {
    const auto at = read_time(cells_[*time_], time_unit_, report);
    if (!at)
      return;
    if (lost_)
      return report.is_used();
    if (!advance(cells_[*time_], *at, report))
      return;
  } else if (counts_.size() == max_recorded_buckets) {
    return report.give_up(0, "more than 5000000 buckets, the most a trace may have");
  }
  ++rows_;
  counts_.push_back(*value);
  report.is_used();
}

std::shared_ptr<const recorded_traffic> counts_parser::finish(trace_report& report) {
  if (report.given_up() || counts_.empty())
    return nullptr;
  if (width_ == duration::zero()) {
    report.fail_whole(
      "one row does not say how long its bucket is; give `bucket`, e.g. bucket: 1m");
    return nullptr;
  }
  if (seconds_of(width_) * static_cast<double>(counts_.size()) >= seconds_of(max_recorded_time)) {
    report.fail_whole("lasts 8760h or more; a trace is shorter than that");
    return nullptr;
  }
  if (per_ != duration::zero())
    for (auto& x : counts_)
      x *= seconds_of(width_) / seconds_of(per_);
  for (const auto x : counts_)
    if (x > max_bucket_requests) {
      report.fail_whole("a bucket has more than 1000000000 requests, the most it may have");
      return nullptr;
    }
  return std::make_shared<const recorded_traffic>(
    recorded_traffic::of_counts(width_, std::move(counts_)));
}

std::vector<std::string> counts_parser::remarks() const {
  std::vector<std::string> result;
  if (absent_ > 0)
    result.push_back(std::to_string(absent_) + " bucket" + (absent_ == 1 ? " has" : "s have")
                     + " no row and count as 0");
  for (const auto& x : ignored_)
    result.push_back("the column " + x + " is left aside; `column` can name it");
  return result;
}

// Invocations of functions in each minute, one row a function; the sum of the rows that are chosen.
class azure_parser final : public trace_parser {
public:
  explicit azure_parser(const trace_source& how)
    : chosen_{how.owner, how.app, how.function, how.trigger} {}

  void take(std::string_view line, trace_report& report) override;
  std::shared_ptr<const recorded_traffic> finish(trace_report& report) override;
  [[nodiscard]] std::vector<std::string> remarks() const override;

private:
  void take_header(trace_report& report);
  [[nodiscard]] bool is_chosen() const;

  std::array<std::string, azure_names> chosen_;
  std::vector<trace_cell> cells_;
  std::vector<double> counts_;
  std::vector<double> row_;
  std::uint64_t used_ = 0;
  std::uint64_t other_ = 0;
};

void azure_parser::take_header(trace_report& report) {
  report.is_head();
  constexpr std::array<std::string_view, azure_names> names{"HashOwner", "HashApp", "HashFunction",
                                                            "Trigger"};
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const auto expected =
      i < azure_names ? std::string{names[i]} : std::to_string(i - azure_names + 1);
    if (cells_[i].text != expected)
      return report.give_up(
        cells_[i].position,
        shown(cells_[i].text) + " stands where the header has " + expected
          + "; allowed: HashOwner,HashApp,HashFunction,Trigger,1,2,... with a column for each minute");
  }
  if (cells_.size() <= azure_names || cells_.size() > azure_names + 1440)
    return report.give_up(0, "the header has " + std::to_string(cells_.size())
                               + " columns; allowed: HashOwner,HashApp,HashFunction,Trigger and 1 "
                                 "to 1440 minutes");
  counts_.resize(cells_.size() - azure_names);
  row_.resize(counts_.size());
}

bool azure_parser::is_chosen() const {
  for (std::size_t i = 0; i < azure_names; ++i)
    if (!cells_[i].text.starts_with(chosen_[i]))
      return false;
  return true;
}

void azure_parser::take(std::string_view line, trace_report& report) {
  if (!split_cells(line, cells_, report))
    return;
  if (counts_.empty())
    return take_header(report);
  if (!has_cells(cells_, counts_.size() + azure_names, report))
    return;
  // Rows that are not chosen are looked at too: a file with malformed ones is not what it seems.
  for (std::size_t i = 0; i < row_.size(); ++i) {
    const auto& cell = cells_[i + azure_names];
    const auto value = parse_requests(cell.text);
    if (!value)
      return report.fail(cell.position,
                         shown(cell.text) + " is no number of invocations" + allowed_requests());
    row_[i] = *value;
  }
  if (!is_chosen()) {
    ++other_;
    return report.is_other();
  }
  ++used_;
  report.is_used();
  for (std::size_t i = 0; i < row_.size(); ++i)
    counts_[i] += row_[i];
}

std::shared_ptr<const recorded_traffic> azure_parser::finish(trace_report& report) {
  if (report.given_up())
    return nullptr;
  if (used_ == 0 && other_ > 0) {
    report.fail_whole("none of its " + std::to_string(other_)
                      + " rows begins with what owner, app, function and trigger say");
    return nullptr;
  }
  if (used_ == 0)
    return nullptr;
  for (const auto x : counts_)
    if (x > max_bucket_requests) {
      report.fail_whole("a minute has more than 1000000000 requests, the most it may have");
      return nullptr;
    }
  return std::make_shared<const recorded_traffic>(
    recorded_traffic::of_counts(std::chrono::minutes{1}, std::move(counts_)));
}

std::vector<std::string> azure_parser::remarks() const {
  return {std::to_string(used_) + " of " + std::to_string(used_ + other_)
          + " rows are of the functions that are chosen"};
}

} // namespace

bool is_count_column(std::string_view name) noexcept {
  return std::find(count_columns.begin(), count_columns.end(), name) != count_columns.end();
}

std::unique_ptr<trace_parser> make_counts_parser(const trace_source& how) {
  return std::make_unique<counts_parser>(how);
}

std::unique_ptr<trace_parser> make_azure_parser(const trace_source& how) {
  return std::make_unique<azure_parser>(how);
}

} // namespace spillover
