#include "report/event_pattern.hpp"

#include "report/event_index.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace spillover {

namespace {

/// Calls `f` with a payload of each kind, in the order of `payload`.
template <class F, std::size_t... I>
void for_each_kind(F&& f, std::index_sequence<I...>) {
  (f(std::variant_alternative_t<I, payload>{}), ...);
}

template <class F>
void for_each_kind(F&& f) {
  for_each_kind(std::forward<F>(f), std::make_index_sequence<std::variant_size_v<payload>>{});
}

/// @returns the names of an enumeration's values, in their order.
template <class T>
std::vector<std::string_view> names_of() {
  std::vector<std::string_view> result;
  for (int i = 0; to_string(static_cast<T>(i)) != "?"; ++i)
    result.push_back(to_string(static_cast<T>(i)));
  return result;
}

std::string refuse_unless_one_of(std::string_view value,
                                 const std::vector<std::string_view>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end())
    return {};
  std::string result = "must be one of ";
  for (const auto& x : allowed)
    result.append(x == allowed.front() ? "" : ", ").append(x);
  return result;
}

std::string refuse_unless_whole(std::string_view value) {
  std::int64_t number = 0;
  const auto* const end = value.data() + value.size();
  const auto read = std::from_chars(value.data(), end, number);
  return read.ec == std::errc{} && read.ptr == end ? "" : "must be a whole number";
}

/// @returns why a field like `x` cannot have a value; "" when it can.
template <class T>
std::string refusal(const T&, std::string_view value) {
  if constexpr (std::is_same_v<T, bool>)
    return refuse_unless_one_of(value, {"true", "false"});
  else if constexpr (std::is_enum_v<T>)
    return refuse_unless_one_of(value, names_of<T>());
  else if constexpr (std::is_integral_v<T> || std::is_same_v<T, duration>)
    return refuse_unless_whole(value);
  else
    return {};
}

} // namespace

bool matches(const event_pattern& pattern, const event& x) {
  if (kind_of(x) != pattern.kind || (!pattern.of.empty() && !is_within(x.entity, pattern.of)))
    return false;
  if (pattern.where.empty())
    return true;
  const auto fields = fields_of(x);
  return std::all_of(pattern.where.begin(), pattern.where.end(), [&fields](const auto& wanted) {
    return std::any_of(fields.begin(), fields.end(), [&wanted](const auto& y) {
      return y.first == wanted.first && y.second == wanted.second;
    });
  });
}

std::string to_string(const event_pattern& x) {
  auto result = x.kind;
  if (!x.of.empty())
    result += " of " + x.of;
  for (const auto& [field, value] : x.where) {
    result += &field == &x.where.front().first ? " with " : ", ";
    result.append(field).append("=").append(value);
  }
  return result;
}

const std::vector<std::string>& event_kinds() {
  static const auto result = [] {
    std::vector<std::string> kinds;
    for_each_kind([&kinds](const auto& x) { kinds.emplace_back(x.kind); });
    return kinds;
  }();
  return result;
}

std::vector<std::string> fields_of_kind(std::string_view kind) {
  std::vector<std::string> result;
  for_each_kind([&](const auto& x) {
    if (x.kind == kind)
      x.fields([&result](std::string_view name, const auto&) { result.emplace_back(name); }, x);
  });
  return result;
}

std::string problem_of_value(std::string_view kind, std::string_view field,
                             std::string_view value) {
  std::string result;
  for_each_kind([&](const auto& x) {
    if (x.kind == kind)
      x.fields(
        [&](std::string_view name, const auto& y) {
          if (name == field)
            result = refusal(y, value);
        },
        x);
  });
  return result;
}

} // namespace spillover
