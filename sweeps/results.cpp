#include "sweeps/results.hpp"

#include "scenario/load.hpp"

#include <algorithm>
#include <iterator>
#include <set>

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
  const auto base = parse_scenario(identity.scenario, "scenario of the sweep");
  if (const auto* x = std::get_if<scenario>(&base))
    result.name = x->name;
  result.settings = std::move(identity.settings);
  result.varied = variations_of(result.settings);
  std::set<std::uint64_t> seeds;
  for (std::uint32_t i = 0; i < result.settings.size(); ++i) {
    auto runs = store.runs_of(i);
    for (const auto& x : runs)
      seeds.insert(x.key.seed);
    result.runs.insert(result.runs.end(), std::make_move_iterator(runs.begin()),
                       std::make_move_iterator(runs.end()));
  }
  result.seeds = seeds.size();
  return result;
}

} // namespace spillover
