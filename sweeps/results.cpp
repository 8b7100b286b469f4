#include "sweeps/results.hpp"

#include <algorithm>
#include <iterator>

namespace spillover {

std::vector<variation> variations_of(const std::vector<setting>& settings) {
  std::vector<variation> result;
  for (const auto& x : settings) {
    for (const auto& y : x) {
      auto known = std::find_if(result.begin(), result.end(),
                                [&y](const auto& z) { return z.path == y.path; });
      if (known == result.end())
        known = result.insert(known, {y.path, {}});
      auto& values = known->values;
      if (std::find(values.begin(), values.end(), y.text) == values.end())
        values.push_back(y.text);
    }
  }
  return result;
}

sweep_results results_of(const sweep_store& store) {
  auto identity = store.identity();
  sweep_results result;
  result.name = identity.name;
  result.settings = std::move(identity.settings);
  result.varied = variations_of(result.settings);
  for (std::uint32_t i = 0; i < result.settings.size(); ++i) {
    auto runs = store.runs_of(i);
    result.runs.insert(result.runs.end(), std::make_move_iterator(runs.begin()),
                       std::make_move_iterator(runs.end()));
  }
  result.seeds = store.seeds().size();
  return result;
}

} // namespace spillover
