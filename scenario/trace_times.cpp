#include "scenario/trace_parser.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace spillover {

namespace {

constexpr std::int64_t second = 1'000'000'000;

std::string number_allowed(std::string_view what, std::string_view example) {
  return " is no " + std::string{what} + "; allowed: a number from 0 on, e.g. "
         + std::string{example};
}

// Instants as they are found, in any order.
class instants {
public:
  // Takes an arrival, unless there are too many.
  void add(std::int64_t at, trace_report& report) {
    if (all_.size() == max_recorded_arrivals)
      return report.give_up(0, "more than 50000000 arrivals, the most a trace may have");
    unsorted_ = unsorted_ || (!all_.empty() && at < all_.back());
    if (all_.empty() || at < least_) {
      least_ = at;
      line_of_least_ = report.lines().all;
    }
    if (all_.empty() || at > greatest_) {
      greatest_ = at;
      line_of_greatest_ = report.lines().all;
    }
    all_.push_back(at);
    report.is_used();
  }

  // Makes them count from `origin`, and says whether a trace can be that long.
  bool count_from(std::int64_t origin, trace_report& report) {
    const auto last = *std::max_element(all_.begin(), all_.end());
    if (last - origin >= max_recorded_time.count()) {
      const auto begins = origin == 0
                            ? std::string{"0"}
                            : "the least, in line " + std::to_string(line_of_least_) + ",";
      report.fail_line(line_of_greatest_,
                       "the greatest time is here, and from " + begins
                         + " to it are 8760h or more; a trace is shorter than that");
      return false;
    }
    for (auto& x : all_)
      x -= origin;
    return true;
  }

  [[nodiscard]] std::int64_t first() const { return *std::min_element(all_.begin(), all_.end()); }
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] bool unsorted() const noexcept { return unsorted_; }
  std::vector<std::int64_t>& all() noexcept { return all_; }

private:
  std::vector<std::int64_t> all_;
  // As they were added.
  std::int64_t least_ = 0;
  std::int64_t greatest_ = 0;
  std::uint64_t line_of_least_ = 0;
  std::uint64_t line_of_greatest_ = 0;
  bool unsorted_ = false;
};

// What all formats of single arrivals have in common.
class arrivals_parser : public trace_parser {
public:
  std::shared_ptr<const recorded_traffic> finish(trace_report& report) override {
    if (report.given_up() || found_.empty())
      return nullptr;
    unsorted_ = found_.unsorted();
    const auto first = found_.first();
    // Times since 1970 count from the first arrival. Those from 0 count as they stand, except where
    // 0 is the start of a program.
    const auto origin = from_first_ || first >= max_recorded_time.count() ? first : 0;
    if (!found_.count_from(origin, report))
      return nullptr;
    return std::make_shared<const recorded_traffic>(
      recorded_traffic::of_arrivals(std::move(found_.all())));
  }

  [[nodiscard]] std::vector<std::string> remarks() const override {
    if (!unsorted_)
      return {};
    return {"the arrivals are not in order of time in the file, and were sorted"};
  }

protected:
  explicit arrivals_parser(bool from_first) : from_first_(from_first) {}

  instants found_;                // NOLINT(*-non-private-member-variables-in-classes)
  std::vector<trace_cell> cells_; // NOLINT(*-non-private-member-variables-in-classes)

private:
  bool from_first_;
  bool unsorted_ = false;
};

// One time a line, in a column of that name.
class times_parser final : public arrivals_parser {
public:
  times_parser() : arrivals_parser(false) {}

  void take(std::string_view line, trace_report& report) override {
    if (!split_cells(line, cells_, report))
      return;
    if (columns_ == 0) {
      report.is_head();
      columns_ = cells_.size();
      for (place_ = 0; place_ < columns_; ++place_)
        if (const auto unit = unit_of_column(cells_[place_].text)) {
          unit_ = *unit;
          return;
        }
      return report.give_up(0, "the header names no column of times; allowed: "
                                 + std::string{time_columns});
    }
    if (!has_cells(cells_, columns_, report))
      return;
    if (const auto at = read_time(cells_[place_], unit_, report))
      found_.add(*at, report);
  }

private:
  std::size_t columns_ = 0;
  std::size_t place_ = 0;
  duration unit_{};
};

// `hey -o csv`: a row a request, `offset` is when it began, in seconds.
class hey_parser final : public arrivals_parser {
public:
  hey_parser() : arrivals_parser(true) {}

  void take(std::string_view line, trace_report& report) override {
    if (!split_cells(line, cells_, report))
      return;
    if (columns_ == 0) {
      report.is_head();
      columns_ = cells_.size();
      const auto place = place_of_cell(cells_, "offset");
      if (!place || cells_.front().text != "response-time")
        return report.give_up(0, place ? "the header of hey begins with response-time"
                                       : "the header has no column offset, which says when a "
                                         "request began; old versions of hey do not write it");
      place_ = *place;
      return;
    }
    if (!has_cells(cells_, columns_, report))
      return;
    const auto& cell = cells_[place_];
    const auto at = parse_nanoseconds(cell.text, std::chrono::seconds{1});
    if (!at)
      return report.fail(cell.position,
                         shown(cell.text) + number_allowed("offset in seconds", "1.0250"));
    found_.add(*at, report);
  }

private:
  std::size_t columns_ = 0;
  std::size_t place_ = 0;
};

// `vegeta encode --to json`: an object a line; `timestamp` is when the request began.
class vegeta_json_parser final : public arrivals_parser {
public:
  vegeta_json_parser() : arrivals_parser(true) {}

  void take(std::string_view line, trace_report& report) override {
    const auto x = nlohmann::json::parse(line, nullptr, false);
    if (!x.is_object())
      return report.fail(0, "is no JSON object; allowed: one result of vegeta a line, e.g. "
                            "{\"code\":200,\"timestamp\":\"2026-03-01T12:00:00.25Z\"}");
    const auto found = x.find("timestamp");
    const auto* text = found == x.end() ? nullptr : found->get_ptr<const std::string*>();
    const auto at = text == nullptr ? std::nullopt : parse_timestamp(*text);
    if (!at)
      return report.fail(
        0,
        (text == nullptr ? std::string{"has no text"} : shown(*text) + " is no time")
          + " under timestamp; allowed: RFC 3339 from 1970 to 2115, e.g. \"2026-03-01T12:00:00.25Z\"");
    found_.add(*at, report);
  }
};

// `vegeta encode --to csv`: no header, the first cell is when the request began, in nanoseconds since 1970.
class vegeta_csv_parser final : public arrivals_parser {
public:
  vegeta_csv_parser() : arrivals_parser(true) {}

  void take(std::string_view line, trace_report& report) override {
    // Older versions write 9 cells, newer ones method, URL and headers too.
    constexpr std::size_t least = 9;
    if (!split_cells(line, cells_, report))
      return;
    if (cells_.size() < least)
      return report.fail(0, "has " + std::to_string(cells_.size())
                              + " cells; a result of vegeta has at least 9");
    const auto& cell = cells_.front();
    const auto at = parse_nanoseconds(cell.text, duration{1});
    if (!at || cell.text.find('.') != std::string_view::npos)
      return report.fail(cell.position,
                         shown(cell.text) + " is no time; allowed: whole nanoseconds since 1970");
    found_.add(*at, report);
  }
};

// `k6 run --out csv=`: several rows a request, one for each metric. `timestamp` is when the request ended.
class k6_parser final : public arrivals_parser {
public:
  k6_parser() : arrivals_parser(true) {}

  void take(std::string_view line, trace_report& report) override;
  std::shared_ptr<const recorded_traffic> finish(trace_report& report) override;
  [[nodiscard]] std::vector<std::string> remarks() const override;

private:
  void take_header(trace_report& report);
  std::optional<std::int64_t> timestamp_of(const trace_cell& cell, trace_report& report);

  std::size_t columns_ = 0;
  std::array<std::size_t, 3> places_{};
  std::size_t digits_ = 0; // of the first time; 0: RFC 3339
  bool whole_seconds_ = true;
  bool any_ = false;
  std::uint64_t other_ = 0;
};

void k6_parser::take_header(trace_report& report) {
  report.is_head();
  columns_ = cells_.size();
  constexpr std::array<std::string_view, 3> names{"metric_name", "timestamp", "metric_value"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto place = place_of_cell(cells_, names[i]);
    if (!place)
      return report.give_up(0, "the header has no column " + std::string{names[i]}
                                 + "; k6 writes metric_name,timestamp,metric_value and more");
    places_[i] = *place;
  }
}

// K6_CSV_TIME_FORMAT chooses how times are written; numbers tell their unit by their length.
std::optional<std::int64_t> k6_parser::timestamp_of(const trace_cell& cell, trace_report& report) {
  constexpr std::string_view allowed =
    "; allowed: RFC 3339 from 1970 to 2115, or 10, 13, 16 or 19 digits since 1970, and the same in all rows";
  const auto number = parse_nanoseconds(cell.text, duration{1});
  const auto digits =
    number && cell.text.find('.') == std::string_view::npos ? cell.text.size() : 0;
  auto at = parse_timestamp(cell.text);
  if (digits >= 10 && digits <= 19 && (digits - 10) % 3 == 0) {
    auto unit = second;
    for (auto i = digits; i > 10; --i)
      unit /= 10;
    at = *number <= std::numeric_limits<std::int64_t>::max() / unit ? std::optional{*number * unit}
                                                                    : std::nullopt;
  }
  if (!at || (any_ && digits != digits_)) {
    report.fail(cell.position, shown(cell.text) + " is no time" + std::string{allowed});
    return std::nullopt;
  }
  any_ = true;
  digits_ = digits;
  whole_seconds_ = whole_seconds_ && *at % second == 0;
  return at;
}

void k6_parser::take(std::string_view line, trace_report& report) {
  if (!split_cells(line, cells_, report))
    return;
  if (columns_ == 0)
    return take_header(report);
  if (!has_cells(cells_, columns_, report))
    return;
  const auto ended = timestamp_of(cells_[places_[1]], report);
  if (!ended)
    return;
  if (cells_[places_[0]].text != "http_req_duration") {
    ++other_;
    return report.is_other();
  }
  const auto& cell = cells_[places_[2]];
  const auto took = parse_nanoseconds(cell.text, std::chrono::milliseconds{1});
  if (!took)
    return report.fail(cell.position,
                       shown(cell.text) + number_allowed("duration in milliseconds", "221.899"));
  if (*took > *ended)
    return report.fail(cell.position, shown(cell.text)
                                        + " is more milliseconds than there are from 1970 to its "
                                          "timestamp: the request would have begun before 1970");
  found_.add(*ended - *took, report);
}

std::shared_ptr<const recorded_traffic> k6_parser::finish(trace_report& report) {
  if (report.given_up() || (found_.empty() && other_ == 0))
    return nullptr;
  if (found_.empty()) {
    report.fail_whole("has no row of http_req_duration, which says when a request began");
    return nullptr;
  }
  if (!whole_seconds_)
    return arrivals_parser::finish(report);
  // A second that was cut off stands for its middle. Nobody knows more than how many came in each.
  auto& all = found_.all();
  for (auto& x : all)
    x += second / 2;
  const auto origin = found_.first() / second * second;
  if (!found_.count_from(origin, report))
    return nullptr;
  const auto last = *std::max_element(all.begin(), all.end()) / second;
  if (last >= static_cast<std::int64_t>(max_recorded_buckets)) {
    report.fail_whole("lasts more than 5000000 seconds, the most that are counted one by one");
    return nullptr;
  }
  std::vector<double> counts(static_cast<std::size_t>(last) + 1);
  for (const auto x : all)
    counts[static_cast<std::size_t>(x / second)] += 1;
  return std::make_shared<const recorded_traffic>(
    recorded_traffic::of_counts(std::chrono::seconds{1}, std::move(counts)));
}

std::vector<std::string> k6_parser::remarks() const {
  std::vector<std::string> result{std::to_string(other_)
                                  + " rows are of other metrics than "
                                    "http_req_duration"};
  if (whole_seconds_)
    result.emplace_back("its times are whole seconds, so that only requests in each second are "
                        "known; K6_CSV_TIME_FORMAT=unix_milli tells more");
  return result;
}

} // namespace

bool has_comments(trace_format x) noexcept {
  return x == trace_format::counts || x == trace_format::times;
}

std::optional<duration> unit_of_column(std::string_view name) noexcept {
  if (name == "time" || name == "timestamp")
    return duration::zero();
  if (name == "minutes")
    return std::chrono::minutes{1};
  if (name == "seconds")
    return std::chrono::seconds{1};
  if (name == "milliseconds")
    return std::chrono::milliseconds{1};
  if (name == "microseconds")
    return std::chrono::microseconds{1};
  if (name == "nanoseconds")
    return duration{1};
  return std::nullopt;
}

std::optional<std::int64_t> read_time(const trace_cell& cell, duration unit, trace_report& report) {
  auto result =
    parse_nanoseconds(cell.text, unit == duration::zero() ? std::chrono::seconds{1} : unit);
  if (!result && unit == duration::zero())
    result = parse_timestamp(cell.text);
  if (!result)
    report.fail(
      cell.position,
      shown(cell.text) + " is no time; allowed: "
        + (unit == duration::zero()
             ? "RFC 3339 from 1970 to 2115, e.g. 2026-03-01T12:00:00.25Z, or seconds, since 1970 or from 0"
             : "a number from 0 on, e.g. 12 or 0.5"));
  return result;
}

std::optional<std::size_t> place_of_cell(const std::vector<trace_cell>& cells,
                                         std::string_view name) noexcept {
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i].text == name)
      return i;
  return std::nullopt;
}

bool has_cells(const std::vector<trace_cell>& cells, std::size_t expected, trace_report& report) {
  if (cells.size() == expected)
    return true;
  report.fail(0, "has " + std::to_string(cells.size()) + " cell" + (cells.size() == 1 ? "" : "s")
                   + "; the header has " + std::to_string(expected));
  return false;
}

std::unique_ptr<trace_parser> make_times_parser() {
  return std::make_unique<times_parser>();
}

std::unique_ptr<trace_parser> make_hey_parser() {
  return std::make_unique<hey_parser>();
}

std::unique_ptr<trace_parser> make_vegeta_json_parser() {
  return std::make_unique<vegeta_json_parser>();
}

std::unique_ptr<trace_parser> make_vegeta_csv_parser() {
  return std::make_unique<vegeta_csv_parser>();
}

std::unique_ptr<trace_parser> make_k6_parser() {
  return std::make_unique<k6_parser>();
}

} // namespace spillover
