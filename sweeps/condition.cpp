#include "sweeps/condition.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace spillover {

namespace {

std::string_view trimmed(std::string_view x) {
  const auto first = x.find_first_not_of(" \t\n");
  if (first == std::string_view::npos)
    return {};
  return x.substr(first, x.find_last_not_of(" \t\n") - first + 1);
}

/// @returns what stands between commas and the word "and".
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> result;
  for (;;) {
    const auto comma = text.find(',');
    const auto word = text.find(" and ");
    const auto end = std::min(comma, word);
    result.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos)
      return result;
    text.remove_prefix(end + (end == comma ? 1 : 5));
  }
}

struct operation {
  std::string_view text;
  comparison how = comparison::below;
};

// The longer ones first, since the others are their beginnings.
constexpr std::array<operation, 4> operations{{
  {"<=", comparison::at_most},
  {">=", comparison::at_least},
  {"<", comparison::below},
  {">", comparison::above},
}};

bool wants_little(comparison x) {
  return x == comparison::below || x == comparison::at_most;
}

/// @returns the quantile that a function's name says, e.g. 0.95 for "p95" and 0.5 for "median".
std::optional<double> quantile_named(std::string_view name) {
  if (name == "median")
    return 0.5;
  if (name.size() < 2 || name.front() != 'p')
    return std::nullopt;
  double percent = 0;
  const auto* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + 1, end, percent);
  if (error != std::errc{} || rest != end || !(percent > 0 && percent < 100))
    return std::nullopt;
  return percent / 100;
}

/// Reads the left side, e.g. "p95(failover)".
/// @returns what is wrong, or nothing
std::string read_subject(std::string_view text, condition& result) {
  const auto bracket = text.find('(');
  auto name = text;
  if (bracket != std::string_view::npos) {
    const auto function = trimmed(text.substr(0, bracket));
    const auto quantile = quantile_named(function);
    if (text.back() != ')' || (!quantile && function != "mean"))
      return "'" + std::string{text}
             + "' is no function of a quantity; choose p1(...) to p99.9(...), median(...) or "
               "mean(...)";
    name = trimmed(text.substr(bracket + 1, text.size() - bracket - 2));
    result.share = quantile;
    // That the 5 % point lies above a bound is something that 95 % of runs do.
    if (quantile && !wants_little(result.how))
      result.share = 1 - *quantile;
  }
  result.of = find_quantity(name);
  if (result.of == nullptr)
    return "there is no '" + std::string{name} + "'; choose " + quantity_names();
  return {};
}

std::variant<condition, std::string> parse_condition(std::string_view text, double usual_share) {
  condition result;
  result.text = text;
  result.share = usual_share;
  if (text == "met")
    return result;
  for (const auto& [sign, how] : operations) {
    const auto at = text.find(sign);
    if (at == std::string_view::npos)
      continue;
    result.how = how;
    if (auto wrong = read_subject(trimmed(text.substr(0, at)), result); !wrong.empty())
      return wrong;
    const auto bound = parse_value(result.of->unit, trimmed(text.substr(at + sign.size())));
    if (const auto* wrong = std::get_if<std::string>(&bound))
      return result.of->name + " " + *wrong;
    result.bound = std::get<double>(bound);
    return result;
  }
  return "'" + std::string{text}
         + "' is no condition; write for example failover<15s, p95(failover)<15s, errors<0.5% or "
           "met";
}

} // namespace

bool condition::holds_in(const run_outcome& x) const {
  if (of == nullptr)
    return x.end == run_end::met;
  if (!of->known_of(x))
    return false;
  const auto value = of->of(x);
  switch (how) {
    case comparison::below: return value < bound;
    case comparison::at_most: return value <= bound;
    case comparison::above: return value > bound;
    case comparison::at_least: return value >= bound;
  }
  return false;
}

std::variant<std::vector<condition>, std::string> parse_conditions(std::string_view text,
                                                                   double usual_share) {
  std::vector<condition> result;
  for (const auto part : parts_of(text)) {
    auto parsed = parse_condition(part, usual_share);
    if (auto* wrong = std::get_if<std::string>(&parsed))
      return std::move(*wrong);
    result.push_back(std::get<condition>(std::move(parsed)));
  }
  return result;
}

} // namespace spillover
