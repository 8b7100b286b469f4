#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// A table with a title and sentences around it, which reads as text and as Markdown.
struct text_table {
  std::string title;
  /// Sentences before the table.
  std::vector<std::string> before = {};
  std::vector<std::string> header = {};
  /// Each as long as the header; the first column is aligned to the left, the others to the right.
  std::vector<std::vector<std::string>> rows = {};
  /// Sentences after it.
  std::vector<std::string> after = {};
};

/// @returns the table with a blank line before it; sentences are broken at 100 columns.
std::string to_text(const text_table& x);

/// @returns the table as Markdown, in which nothing that a scenario says is markup.
std::string to_markdown(const text_table& x);

/// @returns the text broken into lines of at most 100 columns at blanks, each but the first indented.
std::string wrapped(std::string_view text, std::size_t indent);

/// @returns the text as it can stand in Markdown: nothing in it is markup.
std::string markdown_text(std::string_view x);

} // namespace spillover
