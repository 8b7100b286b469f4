#pragma once

#include "model/time.hpp"
#include "report/json_text.hpp"

#include <charconv>
#include <concepts>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace spillover {

/// Writes JSON piece by piece, so that a large file never stands in memory as a whole.
class json_stream {
public:
  explicit json_stream(std::ostream& out) : out_(out) {}

  /// Adds what is JSON already.
  json_stream& text(std::string_view x) {
    text_ += x;
    if (text_.size() > block)
      end();
    return *this;
  }

  json_stream& string(std::string_view x) {
    append_json_string(text_, x);
    return *this;
  }

  template <std::integral T>
  json_stream& integer(T x) {
    append_integer(text_, x);
    return *this;
  }

  /// Adds a finite number with as many digits as lead back to it.
  json_stream& number(double x) {
    char buffer[32];
    const auto result = std::to_chars(buffer, buffer + sizeof(buffer), x, std::chars_format::fixed);
    text_.append(buffer, result.ptr);
    return *this;
  }

  /// Adds a 64-bit number as Protobuf's JSON has it: as a string.
  template <std::integral T>
  json_stream& quoted(T x) {
    text_ += '"';
    append_integer(text_, x);
    text_ += '"';
    return *this;
  }

  /// Adds the bytes of numbers in hexadecimal, as a string.
  json_stream& hex(std::initializer_list<std::uint64_t> x) {
    text_ += '"';
    for (const auto number : x)
      for (auto shift = 60; shift >= 0; shift -= 4)
        text_ += "0123456789abcdef"[number >> shift & 15];
    text_ += '"';
    return *this;
  }

  /// Hands everything on.
  void end() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

private:
  static constexpr std::size_t block = 1 << 16;

  std::ostream& out_;
  std::string text_;
};

} // namespace spillover
