#include "scenario/yaml_tree.hpp"

#include <algorithm>

namespace spillover {

namespace {

// A text of a megabyte has 16,384 marks then, and a place costs at most 64 steps.
constexpr std::size_t marks_distance = 64;

// Length of the UTF-8 sequence at the start of `x`, or 0 when it is malformed.
std::size_t sequence_length(std::string_view x) noexcept {
  const auto byte = [&x](std::size_t i) { return static_cast<unsigned char>(x[i]); };
  const auto first = byte(0);
  if (first < 0x80)
    return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || x.size() < length)
    return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  const auto second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool too_large = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

} // namespace

void advance(mark& at, std::string_view text, std::size_t position) noexcept {
  const auto x = text[position];
  if (x == '\n' || (x == '\r' && text.substr(position + 1, 1) != "\n")) {
    ++at.line;
    at.column = 1;
  } else if (x != '\r' && (static_cast<unsigned char>(x) & 0xc0) != 0x80) {
    ++at.column;
  }
}

text_places::text_places(std::string_view text) : text_(text) {
  mark at;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % marks_distance == 0)
      marks_.push_back(at);
    advance(at, text, i);
  }
}

mark text_places::at(std::size_t position) const noexcept {
  if (marks_.empty())
    return {};
  const auto last = std::min(position, text_.size());
  const auto known = std::min(last / marks_distance, marks_.size() - 1);
  auto result = marks_[known];
  for (auto i = known * marks_distance; i < last; ++i)
    advance(result, text_, i);
  return result;
}

std::optional<std::size_t> find_binary(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    const auto x = static_cast<unsigned char>(text[i]);
    if ((x < 0x20 && x != '\t' && x != '\n' && x != '\r') || x == 0x7f)
      return i;
    const auto length = sequence_length(text.substr(i));
    if (length == 0)
      return i;
    // U+0080 to U+009F steer terminals; among them only the line break U+0085 has a place in texts.
    if (x == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0 && text[i + 1] != '\x85')
      return i;
    i += length;
  }
  return std::nullopt;
}

} // namespace spillover
