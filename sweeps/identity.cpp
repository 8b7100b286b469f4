#include "sweeps/store.hpp"

#include <algorithm>
#include <string_view>

namespace spillover {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    result.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string_view trimmed(std::string_view x) {
  return x.substr(std::min(x.find_first_not_of(' '), x.size()));
}

/// @returns the first line that differs, from both.
std::string first_difference(std::string_view known, std::string_view asked) {
  const auto a = lines_of(known);
  const auto b = lines_of(asked);
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i])
    ++i;
  const auto line = [i](const auto& x) {
    return i < x.size() ? "\"" + std::string{trimmed(x[i])} + "\"" : std::string{"nothing"};
  };
  return line(a) + " there and " + line(b) + " here";
}

std::string settings_difference(const std::vector<setting>& known,
                                const std::vector<setting>& asked) {
  if (known.size() != asked.size())
    return std::to_string(known.size()) + " settings there and " + std::to_string(asked.size())
           + " here";
  const auto [a, b] = std::mismatch(known.begin(), known.end(), asked.begin());
  return "setting " + std::to_string(a - known.begin()) + " is \"" + to_string(*a)
         + "\" there and \"" + to_string(*b) + "\" here";
}

/// @returns what has become of traces that both play, by file; "" when they are what they were.
std::string traces_difference(const std::vector<stored_trace>& known,
                              const std::vector<stored_trace>& asked) {
  std::string result;
  for (const auto& x : asked) {
    const auto before =
      std::find_if(known.begin(), known.end(), [&x](const auto& y) { return y.file == x.file; });
    if (before != known.end() && before->digest != x.digest)
      result.append(result.empty() ? "" : "; ")
        .append("the trace " + x.source + " has changed: its digest is " + before->digest
                + " there and " + x.digest + " here");
  }
  return result;
}

} // namespace

std::string difference(const sweep_identity& known, const sweep_identity& asked) {
  std::string result;
  const auto add = [&result](const std::string& x) {
    result.append(result.empty() ? "" : "; ").append(x);
  };
  if (known.program != asked.program)
    add("it was made by " + known.program + ", and this is " + asked.program);
  const auto changed = traces_difference(known.traces, asked.traces);
  if (!changed.empty())
    add(changed);
  // What a scenario says of a trace is its digest, too.
  else if (known.scenario != asked.scenario)
    add("the scenario says " + first_difference(known.scenario, asked.scenario));
  if (known.settings != asked.settings)
    add("the grid has " + settings_difference(known.settings, asked.settings));
  else if (changed.empty() && !known.scenarios.empty() && !asked.scenarios.empty()
           && known.scenarios != asked.scenarios)
    add("the settings make other scenarios of it");
  return result;
}

std::vector<stored_expectation>
expectations_of(const std::vector<std::vector<expectation>>& scenarios) {
  std::vector<stored_expectation> result;
  for (std::size_t i = 0; i < scenarios.size(); ++i)
    for (std::size_t k = 0; k < scenarios[i].size(); ++k) {
      const auto words = words_of(scenarios[i][k]);
      result.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k),
                        scenarios[i][k].name, words.what, std::string{words.unit}, words.at_least,
                        words.at_most});
    }
  return result;
}

} // namespace spillover
