#pragma once

#include "model/time.hpp"
#include "scenario/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillover {

/// What a line of a trace may have at most; results with bodies of answers can be long.
inline constexpr std::size_t max_trace_line = std::size_t{16} << 20U;

/// What became of the lines of a trace: each is one of these.
struct trace_lines {
  std::uint64_t all = 0;
  /// A header, or a comment.
  std::uint64_t head = 0;
  /// Says when requests came.
  std::uint64_t used = 0;
  /// Well formed, and about something else, such as another metric.
  std::uint64_t other = 0;
  /// At the end of the file.
  std::uint64_t empty = 0;
  /// Reported as a problem.
  std::uint64_t malformed = 0;
};

/// Reads a text line by line, in pieces, so that no file is in memory whole.
class line_reader {
public:
  explicit line_reader(std::istream& in) : in_(in), buffer_(std::size_t{1} << 16U, '\0') {}

  /// Reads a line without its end, \n or \r\n; of a longer one than `max_trace_line` the beginning.
  /// @returns false when there is none
  bool next(std::string& line);

private:
  bool refill();

  std::istream& in_;
  std::string buffer_;
  std::string_view rest_; // of the buffer
};

/// Takes down what is wrong with the lines of a trace, and counts all of them.
///
/// Of many malformed lines the first 20 are shown, and how many more there are.
class trace_report {
public:
  trace_report(problem_list& problems, std::uint32_t file) : problems_(problems) {
    at_.file = file;
  }

  /// Goes on to the next line, which is one without use until somebody says so.
  void begin(std::string_view line);

  // What the line at hand is.
  void is_head() noexcept { kind_ = &trace_lines::head; }
  void is_used() noexcept { kind_ = &trace_lines::used; }
  void is_other() noexcept { kind_ = &trace_lines::other; }
  void is_empty() noexcept { kind_ = &trace_lines::empty; }

  /// @param position of the first byte that is wrong, in the line at hand
  /// @param message what is wrong and what is allowed
  void fail(std::size_t position, std::string message);

  /// Like `fail`; no further line can be understood, and none is read.
  void give_up(std::size_t position, std::string message);

  /// Whether the line before the one at hand was empty.
  [[nodiscard]] bool was_empty() const noexcept { return was_empty_; }

  /// Reports that empty line, and those before it in a row.
  void fail_before(std::string message);

  /// Something is wrong with all lines together.
  void fail_whole(std::string message);

  /// The same, and it shows at a line.
  void fail_line(std::uint64_t line, std::string message);

  /// Whatever gives up before a line is of use says this, too, e.g. that the format was guessed.
  void set_hint(std::string hint) { hint_ = std::move(hint); }

  /// Says how many malformed lines were not shown; after the last line.
  void end();

  [[nodiscard]] bool given_up() const noexcept { return given_up_; }
  [[nodiscard]] bool good() const noexcept { return good_; }
  [[nodiscard]] const trace_lines& lines() const noexcept { return lines_; }

private:
  void settle();

  problem_list& problems_;
  mark at_;
  std::string_view line_;
  trace_lines lines_;
  std::uint64_t trace_lines::*kind_ = nullptr;
  std::string hint_;
  bool good_ = true;
  bool given_up_ = false;
  bool was_empty_ = false;
};

/// A cell of a line of comma-separated values.
struct trace_cell {
  /// Without the quotes around it and the blanks around those.
  std::string_view text;
  /// Of its first byte in the line.
  std::size_t position = 0;
};

/// Splits a line at its commas, those within quotes left out. Quotes within a quoted cell stay doubled.
/// @returns false, having reported it, when a quote does not end or something follows it
bool split_cells(std::string_view line, std::vector<trace_cell>& into, trace_report& report);

/// @returns a number such as 12 or 0.25 times `unit`, digits below a nanosecond cut off; nothing when it is
///          none, is below 0, or does not fit.
std::optional<std::int64_t> parse_nanoseconds(std::string_view text, duration unit);

/// @returns nanoseconds since 1970 of a time as RFC 3339 writes it; nothing when it is none.
std::optional<std::int64_t> parse_timestamp(std::string_view text);

/// @returns a number from 0 to `max_bucket_requests`, or nothing.
std::optional<double> parse_requests(std::string_view text);

/// @returns a text in quotes, made short and printable.
std::string shown(std::string_view text);

} // namespace spillover
