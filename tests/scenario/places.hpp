#pragma once

#include "scenario/problem.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace spillover::test {

// The characters of each line, the last one included, which may be empty.
inline std::vector<std::size_t> lengths_of_lines(std::string_view text) {
  std::vector<std::size_t> result{0};
  while (!text.empty()) {
    const auto x = text.front();
    const std::size_t size = text.starts_with("\r\n") ? 2 : 1;
    if (x == '\n' || x == '\r')
      result.push_back(0);
    else if ((static_cast<unsigned char>(x) & 0xc0) != 0x80)
      ++result.back();
    text.remove_prefix(size);
  }
  return result;
}

// Whether a problem is at a character of the text, or just behind the last one of a line.
inline bool stands_within(std::string_view text, const problem& x) {
  if (text.starts_with("\xef\xbb\xbf"))
    text.remove_prefix(3);
  const auto lines = lengths_of_lines(text);
  return x.line >= 1 && x.line <= lines.size() && x.column >= 1
         && x.column <= lines[x.line - 1] + 1;
}

} // namespace spillover::test
