#include "scenario/trace_lines.hpp"

#include "consumers/recorded_traffic.hpp"

#include <absl/strings/string_view.h>
#include <absl/time/time.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace spillover {

namespace {

constexpr std::uint64_t most_shown = 20;
constexpr std::size_t longest_shown = 40;

bool is_digit(char x) {
  return x >= '0' && x <= '9';
}

bool is_blank(char x) {
  return x == ' ' || x == '\t';
}

std::uint32_t column_of(std::string_view line, std::size_t position) {
  const auto before = line.substr(0, position);
  const auto characters = std::count_if(before.begin(), before.end(), [](char x) {
    return (static_cast<unsigned char>(x) & 0xc0U) != 0x80U;
  });
  return static_cast<std::uint32_t>(characters) + 1;
}

} // namespace

bool line_reader::refill() {
  in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  rest_ = std::string_view{buffer_}.substr(0, static_cast<std::size_t>(in_.gcount()));
  return !rest_.empty();
}

bool line_reader::next(std::string& line) {
  line.clear();
  if (rest_.empty() && !refill())
    return false;
  while (true) {
    const auto end = rest_.find('\n');
    const auto piece = rest_.substr(0, end);
    // One byte more than allowed, so that the line is seen to be too long.
    line.append(piece.substr(0, max_trace_line + 1 - std::min(line.size(), max_trace_line + 1)));
    if (end != std::string_view::npos) {
      rest_.remove_prefix(end + 1);
      break;
    }
    if (!refill())
      break;
  }
  if (!line.empty() && line.back() == '\r')
    line.pop_back();
  return true;
}

void trace_report::begin(std::string_view line) {
  settle();
  at_.line = static_cast<std::uint32_t>(lines_.all + 1);
  ++lines_.all;
  line_ = line;
  kind_ = nullptr;
}

void trace_report::settle() {
  if (lines_.all == 0)
    return;
  ++(kind_ == nullptr ? lines_.malformed : lines_.*kind_);
  was_empty_ = kind_ == &trace_lines::empty;
}

void trace_report::fail(std::size_t position, std::string message) {
  good_ = false;
  kind_ = nullptr;
  // `malformed` counts lines before this one.
  if (lines_.malformed >= most_shown)
    return;
  auto at = at_;
  at.column = column_of(line_, position);
  problems_.add(at, std::move(message));
}

void trace_report::fail_before(std::string message) {
  good_ = false;
  auto at = at_;
  // The first of them.
  at.line -= static_cast<std::uint32_t>(lines_.empty);
  at.column = 1;
  const auto shown_before = lines_.malformed;
  lines_.malformed += std::exchange(lines_.empty, 0);
  if (shown_before < most_shown)
    problems_.add(at, std::move(message));
}

void trace_report::give_up(std::size_t position, std::string message) {
  if (!hint_.empty() && lines_.used == 0)
    message += "; " + hint_;
  fail(position, std::move(message));
  given_up_ = true;
}

void trace_report::fail_whole(std::string message) {
  fail_line(at_.line, std::move(message));
}

void trace_report::fail_line(std::uint64_t line, std::string message) {
  good_ = false;
  auto at = at_;
  at.line = static_cast<std::uint32_t>(line);
  at.column = 1;
  problems_.add(at, std::move(message));
}

void trace_report::end() {
  settle();
  if (lines_.malformed <= most_shown)
    return;
  const auto more = lines_.malformed - most_shown;
  fail_whole("and " + std::to_string(more) + " more malformed line" + (more == 1 ? "" : "s")
             + " of " + std::to_string(lines_.all));
}

bool split_cells(std::string_view line, std::vector<trace_cell>& into, trace_report& report) {
  into.clear();
  std::size_t i = 0;
  while (true) {
    while (i < line.size() && is_blank(line[i]))
      ++i;
    trace_cell cell{{}, i};
    if (i < line.size() && line[i] == '"') {
      const auto begin = i + 1;
      auto end = line.find('"', begin);
      while (end != std::string_view::npos && end + 1 < line.size() && line[end + 1] == '"')
        end = line.find('"', end + 2);
      if (end == std::string_view::npos) {
        report.fail(i, "a quoted cell begins here and does not end on its line");
        return false;
      }
      cell.text = line.substr(begin, end - begin);
      i = end + 1;
      while (i < line.size() && is_blank(line[i]))
        ++i;
      if (i < line.size() && line[i] != ',') {
        report.fail(i, "a comma or the end of the line must follow a quoted cell");
        return false;
      }
    } else {
      const auto end = std::min(line.find(',', i), line.size());
      cell.text = line.substr(i, end - i);
      while (!cell.text.empty() && is_blank(cell.text.back()))
        cell.text.remove_suffix(1);
      i = end;
    }
    into.push_back(cell);
    if (i >= line.size())
      return true;
    ++i;
  }
}

std::optional<std::int64_t> parse_nanoseconds(std::string_view text, duration unit) {
  const auto dot = std::min(text.find('.'), text.size());
  const auto whole = text.substr(0, dot);
  const auto part = dot < text.size() ? text.substr(dot + 1) : std::string_view{};
  if (whole.empty() || (dot < text.size() && part.empty())
      || !std::all_of(whole.begin(), whole.end(), is_digit)
      || !std::all_of(part.begin(), part.end(), is_digit))
    return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  if (error != std::errc{} || value > most / unit.count() - 1)
    return std::nullopt;
  value *= unit.count();
  auto worth = unit.count();
  // Exact for a unit of a power of ten; a minute's last digits are cut off.
  std::int64_t below = 0;
  for (const auto digit : part) {
    worth /= 10;
    below += worth * (digit - '0');
  }
  return value + below;
}

std::optional<std::int64_t> parse_timestamp(std::string_view text) {
  absl::Time parsed;
  // The library knows words for infinity, and takes blanks.
  if (text.empty() || !is_digit(text.front()) || is_blank(text.back())
      || !absl::ParseTime(absl::RFC3339_full, absl::string_view{text.data(), text.size()}, &parsed,
                          nullptr))
    return std::nullopt;
  if (parsed < absl::UnixEpoch()
      || parsed > absl::FromUnixNanos(std::numeric_limits<std::int64_t>::max() / 2))
    return std::nullopt;
  return absl::ToUnixNanos(parsed);
}

std::optional<double> parse_requests(std::string_view text) {
  double value = 0;
  const auto* last = text.data() + text.size();
  if (text.empty() || !is_digit(text.front()))
    return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc{} || end != last || !(value >= 0 && value <= max_bucket_requests))
    return std::nullopt;
  return value;
}

std::string shown(std::string_view text) {
  std::string result{"\""};
  for (const auto x : text.substr(0, longest_shown))
    result.push_back(x >= 0x20 && x < 0x7f ? x : '?');
  return result + (text.size() > longest_shown ? "...\"" : "\"");
}

} // namespace spillover
