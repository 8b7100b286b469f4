#include "report/scenario_changes.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace spillover {

namespace {

using json = nlohmann::ordered_json;

/// More pairs of items than this are compared by their places only: lists of so many are recorded rates.
constexpr std::size_t most_pairs = 4'000'000;

/// A pair of items that stand for each other; nothing where one has no partner.
struct item_pair {
  std::optional<std::size_t> a;
  std::optional<std::size_t> b;
};

/// @returns whether two items of lists can be one that was changed.
bool akin(const json& a, const json& b) {
  if (!a.is_object() || !b.is_object())
    return a.type() == b.type();
  const auto shared = static_cast<std::size_t>(std::count_if(
    a.items().begin(), a.items().end(), [&b](const auto& x) { return b.contains(x.key()); }));
  return shared * 2 >= std::max(a.size(), b.size());
}

/// Pairs items that lie between two that are equal: those that are akin, in their order.
void pair_between(const json& a, std::pair<std::size_t, std::size_t> of_a, const json& b,
                  std::pair<std::size_t, std::size_t> of_b, std::vector<item_pair>& to) {
  auto next = of_b.first;
  for (auto i = of_a.first; i < of_a.second; ++i) {
    auto found = next;
    while (found < of_b.second && !akin(a[i], b[found]))
      ++found;
    if (found == of_b.second) {
      to.push_back({i, std::nullopt});
      continue;
    }
    for (; next < found; ++next)
      to.push_back({std::nullopt, next});
    to.push_back({i, next++});
  }
  for (; next < of_b.second; ++next)
    to.push_back({std::nullopt, next});
}

/// @returns the longest common subsequence of two lists, as pairs of places.
std::vector<std::pair<std::size_t, std::size_t>> common_items(const json& a, const json& b) {
  std::vector<std::pair<std::size_t, std::size_t>> result;
  const auto rows = a.size();
  const auto columns = b.size();
  if (rows * columns > most_pairs) {
    for (std::size_t i = 0; i < std::min(rows, columns); ++i)
      if (a[i] == b[i])
        result.emplace_back(i, i);
    return result;
  }
  // longest[i][j]: of what follows these places.
  std::vector<std::vector<std::uint32_t>> longest(rows + 1,
                                                  std::vector<std::uint32_t>(columns + 1));
  for (auto i = rows; i-- > 0;)
    for (auto j = columns; j-- > 0;)
      longest[i][j] =
        a[i] == b[j] ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
  for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
    if (a[i] == b[j])
      result.emplace_back(i++, j++);
    else if (longest[i + 1][j] >= longest[i][j + 1])
      ++i;
    else
      ++j;
  }
  return result;
}

std::vector<item_pair> pair_items(const json& a, const json& b) {
  std::vector<item_pair> result;
  std::size_t at_a = 0;
  std::size_t at_b = 0;
  for (const auto& [i, j] : common_items(a, b)) {
    pair_between(a, {at_a, i}, b, {at_b, j}, result);
    at_a = i + 1;
    at_b = j + 1;
  }
  pair_between(a, {at_a, a.size()}, b, {at_b, b.size()}, result);
  return result;
}

class comparer {
public:
  void compare(const std::string& path, const json& a, const json& b) {
    if (a == b)
      return;
    if (a.is_object() && b.is_object())
      compare_objects(path, a, b);
    else if (a.is_array() && b.is_array())
      compare_lists(path, a, b);
    else
      changes_.push_back({path, flow_text(a), flow_text(b), false, false, a, b});
  }

  [[nodiscard]] std::vector<scenario_change> take() { return std::move(changes_); }

private:
  void compare_objects(const std::string& path, const json& a, const json& b) {
    const auto below = [&path](const std::string& key) {
      return path.empty() ? key : path + "." + key;
    };
    for (const auto& [key, value] : a.items()) {
      const auto other = b.find(key);
      if (other == b.end())
        only_in_a(below(key), value);
      else
        compare(below(key), value, *other);
    }
    for (const auto& [key, value] : b.items())
      if (!a.contains(key))
        only_in_b(below(key), value);
  }

  void compare_lists(const std::string& path, const json& a, const json& b) {
    const auto item = [&path](std::size_t i) { return path + "[" + std::to_string(i) + "]"; };
    for (const auto& x : pair_items(a, b)) {
      if (!x.b)
        only_in_a(item(*x.a), a[*x.a]);
      else if (!x.a)
        only_in_b(item(*x.b), b[*x.b]);
      else
        compare(item(*x.a), a[*x.a], b[*x.b]);
    }
  }

  void only_in_a(const std::string& path, const json& x) {
    changes_.push_back({path, flow_text(x), {}, true, false, x, nullptr});
  }

  void only_in_b(const std::string& path, const json& x) {
    changes_.push_back({path, {}, flow_text(x), false, true, nullptr, x});
  }

  std::vector<scenario_change> changes_;
};

} // namespace

std::string flow_text(const json& x) {
  if (x.is_string())
    return x.get<std::string>();
  if (!x.is_structured())
    return x.dump();
  std::string result;
  for (const auto& [key, value] : x.items()) {
    result += result.empty() ? "" : ", ";
    if (x.is_object())
      result.append(key).append(": ");
    result += flow_text(value);
  }
  return x.is_object() ? "{" + result + "}" : "[" + result + "]";
}

std::vector<scenario_change> scenario_changes(const json& a, const json& b) {
  comparer all;
  all.compare("", a, b);
  return all.take();
}

} // namespace spillover
