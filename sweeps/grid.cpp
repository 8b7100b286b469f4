#include "sweeps/grid.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace spillover {

namespace {

constexpr auto npos = std::string_view::npos;

/// Walks over a text and knows whether it is within quotes or brackets, as YAML's flow style has them.
class nesting {
public:
  void take(char x) noexcept {
    if (quote_ != 0) {
      const auto escaped = escaped_;
      escaped_ = quote_ == '"' && x == '\\' && !escaped;
      if (x == quote_ && !escaped)
        quote_ = 0;
    } else if (x == '"' || x == '\'') {
      quote_ = x;
    } else if (x == '[' || x == '{') {
      ++depth_;
    } else if ((x == ']' || x == '}') && depth_ > 0) {
      --depth_;
    }
  }

  [[nodiscard]] bool outside() const noexcept { return quote_ == 0 && depth_ == 0; }

private:
  char quote_ = 0;
  bool escaped_ = false;
  std::size_t depth_ = 0;
};

/// @returns the first place of `what` outside of quotes and brackets.
std::size_t find_outside(std::string_view text, char what) {
  nesting where;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == what && where.outside())
      return i;
    where.take(text[i]);
  }
  return npos;
}

std::vector<std::string_view> split_outside(std::string_view text, char separator) {
  std::vector<std::string_view> result;
  for (;;) {
    const auto end = find_outside(text, separator);
    result.push_back(text.substr(0, end));
    if (end == npos)
      return result;
    text.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view x) {
  const auto first = x.find_first_not_of(" \t");
  return first == npos ? std::string_view{}
                       : x.substr(first, x.find_last_not_of(" \t") - first + 1);
}

/// @returns the last `count` parts of a path.
std::string_view end_of_path(std::string_view path, std::size_t count) {
  const auto parts = split_outside(path, '.');
  if (count >= parts.size())
    return path;
  return path.substr(static_cast<std::size_t>(parts[parts.size() - count].data() - path.data()));
}

/// @returns how a value of a setting is called: the end of its path that no other has.
std::string_view label_of(const setting& all, const setting_value& x) {
  const auto parts = split_outside(x.path, '.').size();
  for (std::size_t count = 1; count < parts; ++count) {
    const auto label = end_of_path(x.path, count);
    const auto shared = std::count_if(
      all.begin(), all.end(), [&](const auto& y) { return end_of_path(y.path, count) == label; });
    if (shared == 1)
      return label;
  }
  return x.path;
}

std::optional<std::uint64_t> parse_seed_number(std::string_view text) {
  std::int64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || value < 0)
    return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

/// Appends the seeds of a number or a range.
/// @returns what is wrong with the text; empty when nothing is
std::string add_seeds(std::string_view text, std::vector<std::uint64_t>& to) {
  const auto dots = text.find("..");
  const auto first = parse_seed_number(trimmed(text.substr(0, dots)));
  const auto last = dots == npos ? first : parse_seed_number(trimmed(text.substr(dots + 2)));
  if (!first || !last)
    return "must be seeds from 0 to 9223372036854775807 as in 1..200 or 1..10,42; got "
           + std::string{text};
  if (*last < *first)
    return "a range of seeds begins with the smaller one; got " + std::string{text};
  if (*last - *first >= max_seeds || to.size() + (*last - *first) >= max_seeds)
    return "more than " + std::to_string(max_seeds) + " seeds";
  for (auto x = *first; x < *last; ++x)
    to.push_back(x);
  to.push_back(*last);
  return {};
}

} // namespace

std::variant<variation, std::string> parse_variation(std::string_view text) {
  const auto equals = find_outside(text, '=');
  if (equals == npos)
    return "must be PATH=VALUE,VALUE,...; got " + std::string{text};
  variation result;
  result.path = trimmed(text.substr(0, equals));
  if (result.path.empty())
    return "has no path before the =; got " + std::string{text};
  for (const auto value : split_outside(text.substr(equals + 1), ',')) {
    std::string known{trimmed(value)};
    if (known.empty())
      return "has an empty value in " + std::string{text} + "; write '' for an empty text";
    if (std::find(result.values.begin(), result.values.end(), known) != result.values.end())
      return "names the value " + known + " twice";
    result.values.push_back(std::move(known));
  }
  return result;
}

std::uint64_t count_settings(std::span<const variation> all) noexcept {
  std::uint64_t result = 1;
  for (const auto& x : all) {
    if (x.values.size() > max_settings / result)
      return max_settings + 1;
    result *= x.values.size();
  }
  return result;
}

std::vector<setting> full_factorial(std::span<const variation> all) {
  std::vector<setting> result{setting{}};
  for (const auto& x : all) {
    std::vector<setting> longer;
    longer.reserve(result.size() * x.values.size());
    for (const auto& begun : result)
      for (const auto& value : x.values) {
        longer.push_back(begun);
        longer.back().push_back({x.path, value});
      }
    result = std::move(longer);
  }
  return result;
}

std::string to_string(const setting& x) {
  if (x.empty())
    return "as it is";
  std::string result;
  for (const auto& value : x) {
    if (!result.empty())
      result += ' ';
    result.append(label_of(x, value)).append("=").append(value.text);
  }
  return result;
}

std::variant<std::vector<std::uint64_t>, std::string> parse_seeds(std::string_view text) {
  std::vector<std::uint64_t> result;
  for (const auto part : split_outside(text, ','))
    if (auto wrong = add_seeds(trimmed(part), result); !wrong.empty())
      return wrong;
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::string seeds_text(std::span<const std::uint64_t> seeds) {
  std::string result;
  for (std::size_t i = 0; i < seeds.size();) {
    auto last = i;
    while (last + 1 < seeds.size() && seeds[last + 1] == seeds[last] + 1)
      ++last;
    result.append(result.empty() ? "" : ",").append(std::to_string(seeds[i]));
    if (last > i)
      result.append("..").append(std::to_string(seeds[last]));
    i = last + 1;
  }
  return result;
}

} // namespace spillover
