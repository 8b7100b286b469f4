#include "report/why_decisions.hpp"

#include "report/format.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace spillover {

namespace {

/// @returns one input of a policy that is not known here, e.g. "cpu 2.5" for cpu_milli 2500.
std::string input_text(std::string_view name, std::int64_t value) {
  const auto ends = [&name](std::string_view end) {
    if (!name.ends_with(end))
      return false;
    name.remove_suffix(end.size());
    return true;
  };
  std::string text;
  if (ends("_milli"))
    text = milli_text(value);
  else if (value < 0 && ends("_ns"))
    text = "none";
  else if (value >= 0 && ends("_ns"))
    text = exact_text(duration{value});
  else if (value >= 0 && ends("_ms"))
    text = exact_text(std::chrono::milliseconds{value});
  else
    text = std::to_string(value);
  std::string words{name};
  std::replace(words.begin(), words.end(), '_', ' ');
  return words + " " + text;
}

std::vector<std::string> by_name(const scaling_decided& x) {
  std::string line;
  for (const auto& [name, value] : x.inputs)
    line.append(line.empty() ? "" : ", ").append(input_text(name, value));
  return line.empty() ? std::vector<std::string>{} : std::vector{line};
}

std::vector<std::string> fixed_words(const scaling_decided& x) {
  const auto count = decision_inputs{x}.find("instances");
  return count ? std::vector{"always " + counted(static_cast<std::uint64_t>(*count), "instance")}
               : std::vector<std::string>{};
}

/// @returns whether a revision was held at a number by its service, whatever its policy says.
bool is_hold(std::string_view driver) noexcept {
  constexpr std::array<std::string_view, 6> drivers{"DEPLOY",  "TAKEN_UP", "MANUAL",
                                                    "RETIRED", "FAILED",   "SUPERSEDED"};
  return std::find(drivers.begin(), drivers.end(), driver) != drivers.end();
}

std::vector<std::string> words_of_policy(const scaling_decided& x) {
  if (is_hold(x.driver))
    return {"held at " + counted(x.after, "instance")};
  if (x.driver == "ON_DEMAND")
    return on_demand_words(x);
  if (x.policy == "cloud_run")
    return cloud_run_words(x);
  if (x.policy == "knative_kpa")
    return knative_words(x);
  if (x.policy == "netscaler_adm")
    return netscaler_words(x);
  if (x.policy == "hpa")
    return hpa_words(x);
  return x.policy == "fixed" ? fixed_words(x) : std::vector<std::string>{};
}

} // namespace

std::optional<std::int64_t> decision_inputs::find(std::string_view name) const {
  const auto found =
    std::find_if(all_.begin(), all_.end(), [name](const auto& x) { return x.first == name; });
  return found == all_.end() ? std::nullopt : std::optional{found->second};
}

std::string milli_text(std::int64_t x) {
  const auto size = std::abs(x);
  auto fraction = std::to_string(size % 1000 + 1000).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return (x < 0 ? "-" : "") + std::to_string(size / 1000)
         + (fraction.empty() ? "" : "." + fraction);
}

std::string bounds_text(const decision_inputs& x, bool least, bool most, std::string_view no_most) {
  auto result = "min " + std::to_string(x.get("min")) + (least ? " (acts)" : "") + ", max ";
  if (x.is_set("max") || no_most.empty())
    result += std::to_string(x.get("max"));
  else
    result += no_most;
  return result.append(most ? " (acts)" : "");
}

std::vector<std::string> words_of_inputs(const scaling_decided& x) {
  auto words = words_of_policy(x);
  return words.empty() ? by_name(x) : words;
}

} // namespace spillover
