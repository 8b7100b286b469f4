#include "producers/autoscaling/kpa/read_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace spillover::kpa {

namespace {

template <class T>
std::optional<T> read_number(std::string_view text) {
  // from_chars knows no plus sign, and would take a minus sign behind it.
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-'))
      return std::nullopt;
  }
  T result{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (text.empty() || problem != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return result;
}

struct unit {
  std::string_view name;
  double nanoseconds;
};

// The longer name first where one begins with another.
constexpr std::array<unit, 6> units{{
  {"ns", 1},
  {"us", 1e3},
  {"ms", 1e6},
  {"s", 1e9},
  {"m", 60e9},
  {"h", 3600e9},
}};

/// Takes the digits, with a decimal point, that a text begins with.
std::optional<double> take_number(std::string_view& text) {
  const auto size = std::min(text.size(), text.find_first_not_of("0123456789."));
  const auto result = read_number<double>(text.substr(0, size));
  text.remove_prefix(size);
  return result;
}

std::optional<double> take_unit(std::string_view& text) {
  for (const auto& x : units)
    if (text.starts_with(x.name)) {
      text.remove_prefix(x.name.size());
      return x.nanoseconds;
    }
  return std::nullopt;
}

} // namespace

template <>
std::optional<double> read_text<double>(std::string_view text) {
  const auto result = read_number<double>(text);
  return result && std::isfinite(*result) ? result : std::nullopt;
}

template <>
std::optional<std::int32_t> read_text<std::int32_t>(std::string_view text) {
  return read_number<std::int32_t>(text);
}

template <>
std::optional<bool> read_text<bool>(std::string_view text) {
  for (const auto* yes : {"1", "t", "T", "true", "TRUE", "True"})
    if (text == yes)
      return true;
  for (const auto* no : {"0", "f", "F", "false", "FALSE", "False"})
    if (text == no)
      return false;
  return std::nullopt;
}

template <>
std::optional<duration> read_text<duration>(std::string_view text) {
  if (text == "0")
    return duration::zero();
  const auto negative = text.starts_with('-');
  if (negative || text.starts_with('+'))
    text.remove_prefix(1);
  if (text.empty())
    return std::nullopt;
  double sum = 0;
  while (!text.empty()) {
    const auto number = take_number(text);
    const auto scale = take_unit(text);
    if (!number || !scale)
      return std::nullopt;
    sum += *number * *scale;
  }
  // Beyond this a span of nanoseconds has no 64 bits to stand in.
  if (!(sum < 9.2e18))
    return std::nullopt;
  const duration result{static_cast<duration::rep>(std::round(sum))};
  return negative ? -result : result;
}

template <>
std::optional<std::string> read_text<std::string>(std::string_view text) {
  return std::string{text};
}

} // namespace spillover::kpa
