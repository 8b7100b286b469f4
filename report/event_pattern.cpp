#include "report/event_pattern.hpp"

#include "report/event_index.hpp"

#include <algorithm>
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

} // namespace spillover
