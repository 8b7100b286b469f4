#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace spillover {

/// Text of lines of a bounded width, without blanks at their ends, and without empty ones unless asked for.
class text_lines {
public:
  /// @param width most characters of a line, above the columns that are used
  explicit text_lines(std::size_t width) noexcept : width_(width) {}

  /// Begins a new line.
  void line(std::string_view text) {
    end();
    line_ = text;
  }

  /// Begins a new line with a label, and goes on at a column.
  void label(std::string_view label, std::size_t column, std::string_view value) {
    line(label);
    pad(column);
    append(value, column, 0);
  }

  /// Ends the line, and leaves one empty.
  void blank() {
    end();
    text_ += '\n';
  }

  /// Goes on at a column, or two blanks after what stands there.
  /// @param indent where what does not fit goes on, in further lines
  void at(std::size_t column, std::string_view text, std::size_t indent) {
    append(text, indent, std::max(column, line_.size() + 2) - line_.size());
  }

  /// Goes on after some blanks; what does not fit goes on in lines that begin at `indent`.
  void append(std::string_view text, std::size_t indent, std::size_t blanks) {
    if (text.empty())
      return;
    const auto column = line_.size() + blanks;
    if (column + text.size() > width_ && column > indent)
      line({});
    pad(line_.empty() ? indent : column);
    while (line_.size() + text.size() > width_) {
      const auto room = width_ - line_.size();
      const auto blank = text.rfind(' ', room);
      auto cut = blank == std::string_view::npos || blank == 0 ? room : blank;
      // Not within a character of several bytes.
      while (cut > 1 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80)
        --cut;
      line_ += text.substr(0, cut);
      text.remove_prefix(text[cut] == ' ' ? cut + 1 : cut);
      line({});
      pad(indent);
    }
    line_ += text;
  }

  /// @returns all lines, and forgets them.
  [[nodiscard]] std::string take() {
    end();
    return std::exchange(text_, {});
  }

private:
  void pad(std::size_t column) { line_.append(column - std::min(column, line_.size()), ' '); }

  void end() {
    line_.erase(line_.find_last_not_of(' ') + 1);
    if (!line_.empty())
      text_ += line_ + '\n';
    line_.clear();
  }

  std::size_t width_;
  std::string text_;
  std::string line_;
};

} // namespace spillover
