#include "scenario/problem.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace spillover {

namespace {

// More is read by nobody, and most of it is the same again.
constexpr std::size_t most_problems = 100;

// Enough for every list of allowed keys; lists of a user's own names can be longer.
constexpr std::size_t longest_listing = 30;

// A typing slip: letters missing, added or changed, and neighbours swapped.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

// The nearest name, if it is near enough to be meant.
const std::string* nearest(std::string_view value, std::span<const std::string> names) {
  const std::string* best = nullptr;
  auto distance = std::min<std::size_t>(value.size() / 3 + 1, 3);
  // Names have at most 63 characters; anything much longer is near to none.
  if (value.size() > 80)
    return nullptr;
  for (const auto& x : names) {
    const auto found = edit_distance(value, x);
    if (found < distance || (found == distance && best == nullptr)) {
      distance = found;
      best = &x;
    }
  }
  return best;
}

} // namespace

std::string to_string(const problem& x) {
  if (x.line == 0)
    return x.file + ": " + x.message;
  return x.file + ":" + std::to_string(x.line) + ":" + std::to_string(x.column) + ": " + x.message;
}

std::uint32_t problem_list::add_file(std::string name) {
  files_.push_back(std::move(name));
  return static_cast<std::uint32_t>(files_.size() - 1);
}

void problem_list::add(mark at, std::string message) {
  // Names of the user's can hold line breaks; each problem is one line.
  std::replace_if(
    message.begin(), message.end(), [](char x) { return static_cast<unsigned char>(x) < 0x20; },
    ' ');
  found_.push_back({at, std::move(message)});
}

std::vector<problem> problem_list::take() {
  const auto place = [](const finding& x) { return std::tuple{x.at.file, x.at.line, x.at.column}; };
  std::stable_sort(found_.begin(), found_.end(),
                   [&place](const finding& a, const finding& b) { return place(a) < place(b); });
  // Rules over several keys are looked at again for each region that overrides one of them.
  std::vector<problem> result;
  std::size_t more = 0;
  std::size_t first = 0; // of those at the same place
  mark before;
  for (auto& [at, message] : found_) {
    if (at != before)
      first = result.size();
    before = at;
    const auto same_place = std::span{result}.subspan(first);
    if (std::any_of(same_place.begin(), same_place.end(),
                    [&text = message](const problem& x) { return x.message == text; }))
      continue;
    if (result.size() < most_problems)
      result.push_back({file_name(at), at.line, at.column, std::move(message)});
    else
      ++more;
  }
  found_.clear();
  if (more > 0)
    result.push_back(
      {files_.front(), 0, 0,
       "and " + std::to_string(more) + (more == 1 ? " more problem" : " more problems")});
  return result;
}

std::string listing(std::span<const std::string> names) {
  if (names.empty())
    return "none";
  std::string result;
  for (const auto& x : names.first(std::min(names.size(), longest_listing)))
    result += (result.empty() ? "" : ", ") + x;
  if (names.size() > longest_listing)
    result += ", ...";
  return result;
}

std::string suggestion(std::string_view value, std::span<const std::string> names,
                       std::string_view how) {
  std::string result = "; ";
  if (const auto* near = nearest(value, names))
    result += "did you mean \"" + *near + "\"? ";
  return result + std::string{how} + ": " + listing(names);
}

} // namespace spillover
