#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace spillover {

/// @returns the text as it can stand in a cell of a table of Markdown: nothing in it is markup.
inline std::string markdown_cell(std::string_view x) {
  std::string result;
  for (const auto c : x) {
    if (std::string_view{"\\`*_[]<>|#"}.find(c) != std::string_view::npos)
      result += '\\';
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result;
}

/// Appends a row of a table.
inline void markdown_row(std::string& out, std::initializer_list<std::string_view> cells) {
  for (const auto x : cells)
    out.append("| ").append(x).append(" ");
  out += "|\n";
}

} // namespace spillover
