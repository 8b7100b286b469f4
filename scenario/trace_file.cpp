#include "scenario/trace_file.hpp"

#include "scenario/names.hpp"
#include "scenario/trace_parser.hpp"
#include "scenario/values.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

namespace spillover {

namespace {

std::unique_ptr<trace_parser> make_parser(trace_format format, const trace_source& how) {
  switch (format) {
    case trace_format::counts: return make_counts_parser(how);
    case trace_format::times: return make_times_parser();
    case trace_format::azure_functions_2019: return make_azure_parser(how);
    case trace_format::hey_csv: return make_hey_parser();
    case trace_format::vegeta_json: return make_vegeta_json_parser();
    case trace_format::vegeta_csv: return make_vegeta_csv_parser();
    case trace_format::k6_csv: return make_k6_parser();
  }
  return nullptr;
}

// Whether a cell of a header, without blanks and quotes, is one of those that are looked for.
template <class Wanted>
bool any_cell(std::string_view header, const Wanted& wanted) {
  for (std::size_t begin = 0; begin <= header.size();) {
    const auto end = std::min(header.find(',', begin), header.size());
    auto name = header.substr(begin, end - begin);
    while (!name.empty() && (name.front() == ' ' || name.front() == '"'))
      name.remove_prefix(1);
    while (!name.empty() && (name.back() == ' ' || name.back() == '"'))
      name.remove_suffix(1);
    if (wanted(name))
      return true;
    begin = end + 1;
  }
  return false;
}

// Nanoseconds since 1970, between 2001 and 2286, and at least eight more cells.
bool is_vegeta_csv(std::string_view line) {
  const auto first = line.substr(0, line.find(','));
  return first.size() == 19 && std::count(line.begin(), line.end(), ',') >= 8
         && std::all_of(first.begin(), first.end(), [](char x) { return x >= '0' && x <= '9'; });
}

// What a file is, by its first line that is no comment.
std::optional<trace_format> guess(std::string_view line, const trace_source& how) {
  if (line.starts_with('{'))
    return trace_format::vegeta_json;
  if (line.starts_with("HashOwner,"))
    return trace_format::azure_functions_2019;
  if (line.starts_with("metric_name,"))
    return trace_format::k6_csv;
  if (line.starts_with("response-time,"))
    return trace_format::hey_csv;
  // Before the formats whose columns have names: a URL can have any of them in it.
  if (is_vegeta_csv(line))
    return trace_format::vegeta_csv;
  if (!how.column.empty() || any_cell(line, is_count_column))
    return trace_format::counts;
  if (any_cell(line, [](std::string_view x) { return unit_of_column(x).has_value(); }))
    return trace_format::times;
  return std::nullopt;
}

class trace_reader {
public:
  trace_reader(const trace_source& how, trace_report& report) : how_(how), report_(report) {
    if (how.format)
      choose(*how.format);
  }

  void take(std::string_view line);

  [[nodiscard]] trace_parser* parser() const noexcept { return parser_.get(); }
  [[nodiscard]] trace_format format() const noexcept { return format_; }

private:
  void choose(trace_format x) {
    format_ = x;
    parser_ = make_parser(x, how_);
  }

  const trace_source& how_;
  trace_report& report_;
  trace_format format_ = trace_format::counts;
  std::unique_ptr<trace_parser> parser_;
};

void trace_reader::take(std::string_view line) {
  if (line.size() > max_trace_line)
    return report_.fail(0, "is longer than 16 MiB, the most a line may have");
  if (line.starts_with('#') && (!parser_ || has_comments(format_)))
    return report_.is_head();
  if (!parser_) {
    const auto found = guess(line, how_);
    if (!found) {
      std::string names;
      for (const auto& [name, value] : trace_formats) {
        names += names.empty() ? "" : ", ";
        names += name;
      }
      return report_.give_up(0, "begins no format that is known: " + names
                                  + "; `format` names one, docs/traces.md shows each");
    }
    choose(*found);
    // The others cannot be mistaken.
    if (*found == trace_format::counts || *found == trace_format::times)
      report_.set_hint("taken for format " + std::string{name_of(*found, trace_formats)}
                       + "; `format` names another");
  }
  parser_->take(line, report_);
}

void read_lines(std::istream& in, trace_reader& reader, trace_report& report) {
  line_reader lines{in};
  std::string line;
  while (!report.given_up() && lines.next(line)) {
    std::string_view text{line};
    if (report.lines().all == 0 && text.starts_with("\xef\xbb\xbf"))
      text.remove_prefix(3);
    report.begin(text);
    if (text.empty()) {
      report.is_empty();
      continue;
    }
    // A value may be missing there, and all later ones would be at wrong times.
    if (report.was_empty())
      report.fail_before("an empty line; only the end of a file may have some");
    reader.take(text);
  }
}

} // namespace

trace_reading parse_trace(std::istream& in, const trace_source& how, std::uint32_t file,
                          problem_list& problems) {
  trace_report report{problems, file};
  trace_reader reader{how, report};
  read_lines(in, reader, report);
  if (in.bad())
    report.fail_whole("cannot be read to its end");
  trace_reading result;
  result.format = reader.format();
  report.end();
  if (reader.parser() != nullptr && report.good()) {
    result.traffic = reader.parser()->finish(report);
    result.remarks = reader.parser()->remarks();
  }
  if (report.good() && !result.traffic)
    report.fail_whole("has no line that says when requests came");
  if (!report.good())
    result.traffic = nullptr;
  result.lines = report.lines();
  return result;
}

trace_reading read_trace_file(const std::filesystem::path& place, const trace_source& how, mark at,
                              problem_list& problems) {
  const auto fail = [&](const char* why) {
    problems.add(at, "file: " + place.string() + ": " + why);
    return trace_reading{};
  };
  std::error_code error;
  const auto status = std::filesystem::status(place, error);
  if (!std::filesystem::exists(status))
    return fail("no such file");
  if (std::filesystem::is_directory(status))
    return fail("is a directory; a trace is a file");
  std::ifstream in{place, std::ios::binary};
  if (!in)
    return fail("cannot be opened");
  return parse_trace(in, how, problems.add_file(place.string()), problems);
}

trace_format write_trace(std::ostream& out, const recorded_traffic& x) {
  if (!x.has_arrivals()) {
    out << "requests\n";
    for (const auto y : x.counts())
      out << format_number(y) << '\n';
    return trace_format::counts;
  }
  out << "nanoseconds\n";
  arrival_times::reader all{x.arrivals()};
  for (auto y = all.next(); y; y = all.next())
    out << y->count() << '\n';
  return trace_format::times;
}

} // namespace spillover
