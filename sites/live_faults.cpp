#include "sites/live_faults.hpp"

#include "scenario/load.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

constexpr std::string_view whitespace = " \t\r\n";

std::string_view trimmed(std::string_view x) {
  x.remove_prefix(std::min(x.find_first_not_of(whitespace), x.size()));
  return x.substr(0, x.find_last_not_of(whitespace) + 1);
}

} // namespace

std::variant<fault, std::vector<std::string>> parse_live_fault(std::string_view text,
                                                               const scenario& spec) {
  using problems = std::vector<std::string>;
  const auto entry = trimmed(text);
  if (!entry.starts_with('{') || !entry.ends_with('}')
      || entry.find('\n') != std::string_view::npos)
    return problems{"a fault must be one entry of a scenario's list of faults, on one line and in "
                    "braces, e.g. {for: 2m, region: {name: us-east1, become: silent}}"};
  // The scenario's own reader checks it, beside everything that it may name.
  auto without = spec;
  without.faults.clear();
  // No fault names a load, and the file of a trace may be gone.
  for (auto& consumer : without.consumers)
    for (auto& load : consumer.traffic)
      if (std::holds_alternative<trace_config>(load))
        load = open_loop_config{.rate = {{.rps = 1}}};
  auto whole = to_yaml(without);
  constexpr std::string_view none = "\nfaults: []\n";
  if (const auto at = whole.find(none); at != std::string::npos)
    whole.erase(at, none.size() - 1);
  whole += "\nfaults:\n  - {at: 0s, ";
  whole += entry.substr(1);
  whole += '\n';
  auto read = parse_scenario(whole, "fault");
  if (auto* wrong = std::get_if<std::vector<problem>>(&read)) {
    problems result;
    for (const auto& x : *wrong)
      result.push_back(x.message);
    return result;
  }
  auto& faults = std::get<scenario>(read).faults;
  if (faults.size() != 1)
    return problems{"must be one fault; got " + std::to_string(faults.size())};
  return std::move(faults.front());
}

} // namespace spillover
