#include "report/json_text.hpp"

namespace spillover {

namespace {

void append_control(std::string& out, char x) {
  switch (x) {
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  constexpr std::string_view digits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(x);
  out += "\\u00";
  out += digits[value >> 4];
  out += digits[value & 15];
}

} // namespace

std::size_t utf8_length(std::string_view x) noexcept {
  const auto byte = [x](std::size_t i) {
    return i < x.size() ? static_cast<unsigned char>(x[i]) : static_cast<unsigned char>(0);
  };
  const auto within = [](unsigned char c, unsigned low, unsigned high) {
    return c >= low && c <= high;
  };
  const auto first = byte(0);
  if (first < 0x80)
    return 1;
  if (within(first, 0xC2, 0xDF))
    return within(byte(1), 0x80, 0xBF) ? 2 : 0;
  if (within(first, 0xE0, 0xEF)) {
    const auto low = first == 0xE0 ? 0xA0u : 0x80u;
    const auto high = first == 0xED ? 0x9Fu : 0xBFu;
    return within(byte(1), low, high) && within(byte(2), 0x80, 0xBF) ? 3 : 0;
  }
  if (within(first, 0xF0, 0xF4)) {
    const auto low = first == 0xF0 ? 0x90u : 0x80u;
    const auto high = first == 0xF4 ? 0x8Fu : 0xBFu;
    const auto rest = within(byte(2), 0x80, 0xBF) && within(byte(3), 0x80, 0xBF);
    return within(byte(1), low, high) && rest ? 4 : 0;
  }
  return 0;
}

void append_json_string(std::string& out, std::string_view x) {
  out += '"';
  while (!x.empty()) {
    const auto length = utf8_length(x);
    if (length == 0)
      out += "\xEF\xBF\xBD";
    else if (static_cast<unsigned char>(x[0]) < 0x20)
      append_control(out, x[0]);
    else {
      if (x[0] == '"' || x[0] == '\\')
        out += '\\';
      out += x.substr(0, length);
    }
    x.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

} // namespace spillover
