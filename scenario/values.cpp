#include "scenario/values.hpp"

#include <absl/strings/string_view.h>
#include <absl/time/time.h>

#include <array>
#include <charconv>

namespace spillover {

std::optional<duration> parse_duration(std::string_view text) {
  absl::Duration parsed;
  // A unit is required, which a plain "0" has not.
  if (text.empty() || text.back() < 'a'
      || !absl::ParseDuration(absl::string_view{text.data(), text.size()}, &parsed))
    return std::nullopt;
  if (parsed < absl::ZeroDuration() || parsed >= absl::Nanoseconds(duration::max().count()))
    return std::nullopt;
  return duration{absl::ToInt64Nanoseconds(parsed)};
}

std::optional<double> parse_percentage(std::string_view text) {
  if (text.empty() || text.back() != '%')
    return std::nullopt;
  double percent = 0;
  const auto* end = text.data() + text.size() - 1;
  const auto [rest, error] = std::from_chars(text.data(), end, percent);
  if (error != std::errc{} || rest != end)
    return std::nullopt;
  return percent / 100;
}

std::string format_number(double x) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
  return {buffer.data(), end};
}

} // namespace spillover
