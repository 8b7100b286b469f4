#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace spillover {

/// @returns the length of the UTF-8 sequence at the beginning of `x`, or 0 when there is none:
///          neither overlong forms nor surrogates count (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view x) noexcept;

/// Appends a string in quotes, escaped as JSON asks; each byte that is no part of valid UTF-8
/// becomes U+FFFD.
void append_json_string(std::string& out, std::string_view x);

/// Appends a number in decimal.
template <std::integral T>
void append_integer(std::string& out, T x) {
  char buffer[24];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), x);
  static_cast<void>(error); // 24 characters hold every 64-bit number
  out.append(buffer, end);
}

} // namespace spillover
