#include "sweeps/table_text.hpp"

#include <algorithm>
#include <numeric>

namespace spillover {

namespace {

constexpr std::size_t width = 100;

/// @returns how many columns the text takes: bytes that go on with a character take none.
std::size_t columns_of(std::string_view x) {
  return static_cast<std::size_t>(std::count_if(
    x.begin(), x.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// @returns the row with each column as wide as it must be.
std::string aligned(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string result;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - columns_of(cells[i]), ' ');
    if (i == 0)
      result.append("  ").append(cells[i]).append(padding);
    else
      result.append("  ").append(padding).append(cells[i]);
  }
  result.erase(result.find_last_not_of(' ') + 1);
  return result + '\n';
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string result = "|";
  for (const auto& x : cells)
    result.append(" ").append(markdown_text(x)).append(" |");
  return result + '\n';
}

} // namespace

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  while (text.size() > width - (result.empty() ? 0 : indent)) {
    const auto room = width - (result.empty() ? 0 : indent);
    auto cut = text.rfind(' ', room);
    // A word longer than a line, such as a path, stays whole: people copy it.
    if (cut == std::string_view::npos || cut == 0)
      cut = text.find(' ');
    if (cut == std::string_view::npos)
      break;
    result.append(text.substr(0, cut)).append("\n").append(indent, ' ');
    text.remove_prefix(cut + 1);
  }
  return result.append(text).append("\n");
}

std::string to_text(const text_table& x) {
  auto result = "\n" + wrapped(x.title, 2);
  for (const auto& sentence : x.before)
    result += wrapped("  " + sentence, 2);
  if (!x.rows.empty()) {
    std::vector<std::size_t> widths(x.header.size());
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = columns_of(x.header[i]);
      for (const auto& row : x.rows)
        widths[i] = std::max(widths[i], columns_of(row[i]));
    }
    result += aligned(x.header, widths);
    for (const auto& row : x.rows)
      result += aligned(row, widths);
  }
  for (const auto& sentence : x.after)
    result += wrapped("  " + sentence, 2);
  return result;
}

std::string to_markdown(const text_table& x) {
  auto result = "\n### " + markdown_text(x.title) + "\n";
  for (const auto& sentence : x.before)
    result += "\n" + markdown_text(sentence) + "\n";
  if (!x.rows.empty()) {
    result += '\n' + markdown_row(x.header) + "| --- |";
    for (std::size_t i = 1; i < x.header.size(); ++i)
      result += " ---: |";
    result += '\n';
    for (const auto& row : x.rows)
      result += markdown_row(row);
  }
  for (const auto& sentence : x.after)
    result += "\n" + markdown_text(sentence) + "\n";
  return result;
}

std::string markdown_text(std::string_view x) {
  std::string result;
  for (const auto c : x) {
    if (std::string_view{"\\`*_[]<>|#"}.find(c) != std::string_view::npos)
      result += '\\';
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result;
}

} // namespace spillover
