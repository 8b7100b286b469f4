#include "sweeps/report.hpp"

#include "model/check.hpp"
#include "sweeps/pareto.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace spillover {

namespace {

constexpr std::size_t most_draws = 1'000;
constexpr std::size_t least_draws = 100;
/// Some ten seconds of drawing.
constexpr std::size_t most_drawn_runs = 200'000'000;

using runs_of_setting = std::vector<const run_outcome*>;

/// @returns for each setting its runs, by seed, without those that are no result.
std::vector<runs_of_setting> by_setting(const sweep_results& x) {
  std::vector<runs_of_setting> result(x.settings.size());
  for (const auto& run : x.runs) {
    if (run.end != run_end::failed)
      result[run.key.setting].push_back(&run);
  }
  for (auto& runs : result)
    std::sort(runs.begin(), runs.end(),
              [](const auto* a, const auto* b) { return a->key.seed < b->key.seed; });
  return result;
}

/// @returns the same without those that have nothing to be measured.
runs_of_setting measured(const quantity& of, const runs_of_setting& runs) {
  runs_of_setting result;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(result),
               [&of](const auto* run) { return of.applies_to(*run); });
  return result;
}

std::vector<double> values_of(const quantity& of, const runs_of_setting& runs) {
  std::vector<double> result;
  for (const auto* run : runs)
    result.push_back(of.of(*run));
  return result;
}

distribution_row row_of(const quantity& of, std::size_t place, const runs_of_setting& results) {
  const auto runs = measured(of, results);
  distribution_row result;
  result.setting = place;
  result.runs = runs.size();
  result.without_failover = results.size() - runs.size();
  if (runs.empty())
    return result;
  const auto values = values_of(of, runs);
  const auto worst = std::max_element(values.begin(), values.end());
  const sample all{values};
  result.censored = all.censored();
  result.median = all.quantile(0.5);
  result.median_interval = all.quantile_interval(0.5);
  result.p95 = all.quantile(0.95);
  result.p95_interval = all.quantile_interval(0.95);
  result.mean = all.mean();
  result.mean_interval = all.mean_interval();
  result.worst = *worst;
  result.worst_seed = runs[static_cast<std::size_t>(worst - values.begin())]->key.seed;
  return result;
}

distribution_table table_of(const quantity& of, const std::vector<runs_of_setting>& all) {
  distribution_table result{&of, {}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].empty())
      result.rows.push_back(row_of(of, i, all[i]));
  }
  return result;
}

bool is_known(const quantity& x, const sweep_results& of) {
  return std::any_of(of.runs.begin(), of.runs.end(),
                     [&x](const auto& run) { return x.known_of(run); });
}

/// @returns only the settings that have runs, and only the runs of seeds that all of those have.
std::vector<std::pair<std::size_t, runs_of_setting>>
common_runs(const std::vector<runs_of_setting>& all) {
  const auto with_runs = static_cast<std::size_t>(
    std::count_if(all.begin(), all.end(), [](const auto& x) { return !x.empty(); }));
  std::map<std::uint64_t, std::size_t> settings_of;
  for (const auto& runs : all) {
    for (const auto* run : runs)
      ++settings_of[run->key.seed];
  }
  std::vector<std::pair<std::size_t, runs_of_setting>> result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].empty())
      continue;
    auto& kept = result.emplace_back(i, runs_of_setting{}).second;
    std::copy_if(all[i].begin(), all[i].end(), std::back_inserter(kept),
                 [&](const auto* run) { return settings_of[run->key.seed] == with_runs; });
  }
  return result;
}

/// @returns what is varied, over the settings that are there.
std::vector<sweep_factor>
factors_of(const sweep_results& x,
           const std::vector<std::pair<std::size_t, runs_of_setting>>& common) {
  std::vector<sweep_factor> result;
  for (std::size_t i = 0; i < x.varied.size(); ++i) {
    const auto& varied = x.varied[i];
    auto& factor = result.emplace_back(sweep_factor{varied.path, varied.values, {}});
    for (const auto& [place, runs] : common) {
      const auto& values = varied.values;
      const auto at = std::find(values.begin(), values.end(), x.settings[place].at(i).text);
      SPILLOVER_CHECK(at != values.end());
      factor.value_of.push_back(static_cast<std::size_t>(at - values.begin()));
    }
  }
  return result;
}

void add_effect(sweep_report& result, const sweep_results& x, const quantity& of,
                const std::vector<std::pair<std::size_t, runs_of_setting>>& common) {
  if (!is_known(of, x) || common.empty() || common.front().second.empty())
    return;
  std::vector<std::vector<double>> values;
  values.reserve(common.size());
  for (const auto& [place, runs] : common)
    values.push_back(values_of(of, runs));
  auto table = main_effects(factors_of(x, common), values);
  if (!table.paths.empty())
    result.effects.push_back({&of, common.front().second.size(), std::move(table)});
}

/// Says of each setting how often it is on the front; the seeds are drawn for all settings alike.
void add_front_shares(sweep_report& result,
                      const std::vector<std::pair<std::size_t, runs_of_setting>>& common) {
  std::vector<paired_runs> runs;
  runs.reserve(common.size());
  for (const auto& [place, of_setting] : common)
    runs.push_back({values_of(*result.time, of_setting), values_of(*result.cost, of_setting)});
  const auto shares = front_shares(runs, result.quantile, result.front_draws);
  for (std::size_t i = 0; i < common.size(); ++i) {
    result.trade_offs[i].front_share = shares[i];
  }
}

/// @param compared settings with the runs that they are compared by
void add_trade_offs(sweep_report& result,
                    const std::vector<std::pair<std::size_t, runs_of_setting>>& compared) {
  std::vector<trade_off> points;
  for (const auto& [place, runs] : compared) {
    const sample times{values_of(*result.time, runs)};
    const sample costs{values_of(*result.cost, runs)};
    auto& row = result.trade_offs.emplace_back();
    row.setting = place;
    row.time = times.quantile(result.quantile);
    if (result.quantile < 1)
      row.time_interval = times.quantile_interval(result.quantile);
    row.cost = costs.mean();
    row.cost_interval = costs.mean_interval();
    points.push_back({row.time, row.cost});
  }
  for (const auto place : pareto_front(points))
    result.trade_offs[place].on_front = true;
}

void count_results(sweep_report& result, const std::vector<runs_of_setting>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].empty()) {
      ++result.without_runs;
    } else if (!result.scarcest || all[i].size() < result.scarcest_runs) {
      result.scarcest = i;
      result.scarcest_runs = all[i].size();
    }
  }
}

void add_notable_runs(sweep_report& result, const std::vector<runs_of_setting>& all,
                      const sweep_results& x) {
  const auto known = is_known(*result.time, x);
  for (const auto& runs : all) {
    for (const auto* run : runs) {
      if (!known || !result.time->applies_to(*run))
        continue;
      const auto value = result.time->of(*run);
      if (!result.worst || value > result.worst->value)
        result.worst = notable_run{run->key, value, {}};
    }
  }
  for (const auto& run : x.runs) {
    if (run.end == run_end::failed)
      result.failures.push_back({run.key, never_ended, run.trouble});
  }
  std::sort(result.failures.begin(), result.failures.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
}

std::vector<const quantity*> usual_quantities(const sweep_report_options& options,
                                              const sweep_results& x) {
  std::vector<const quantity*> result;
  for (const auto* of : {options.time, find_quantity("capacity"), find_quantity("errors"),
                         find_quantity("latency_p99"), options.cost}) {
    if (of != nullptr && is_known(*of, x)
        && std::find(result.begin(), result.end(), of) == result.end())
      result.push_back(of);
  }
  return result;
}

} // namespace

sweep_report report_on(const sweep_results& x, const sweep_report_options& options) {
  sweep_report result;
  result.name = x.name;
  result.settings = x.settings;
  for (const auto& varied : x.varied)
    result.paths.push_back(varied.path);
  result.seeds = x.seeds;
  result.runs = x.runs.size();
  for (const auto& run : x.runs)
    ++(run.end == run_end::met      ? result.met
       : run.end == run_end::missed ? result.missed
                                    : result.failed);
  result.time = options.time;
  result.cost = options.cost;
  result.quantile = options.quantile;

  const auto all = by_setting(x);
  const auto shown = options.shown.empty() ? usual_quantities(options, x) : options.shown;
  for (const auto* of : shown) {
    if (is_known(*of, x))
      result.distributions.push_back(table_of(*of, all));
    else
      result.absent.push_back(of);
  }
  count_results(result, all);
  const auto common = common_runs(all);
  result.common_seeds = common.empty() ? 0 : common.front().second.size();
  std::vector<runs_of_setting> with_time;
  for (const auto& runs : all) {
    with_time.push_back(measured(*result.time, runs));
    result.without_failover += runs.size() - with_time.back().size();
  }
  const auto timed = common_runs(with_time);
  result.time_seeds = timed.empty() ? 0 : timed.front().second.size();
  if (result.time_seeds > 0) {
    add_trade_offs(result, timed);
    const auto draws = std::min(most_draws, most_drawn_runs / (timed.size() * result.time_seeds));
    if (draws >= least_draws) {
      result.front_draws = draws;
      add_front_shares(result, timed);
    }
  }
  add_effect(result, x, *result.time, timed);
  add_effect(result, x, *result.cost, common);
  std::stable_sort(result.trade_offs.begin(), result.trade_offs.end(),
                   [](const auto& a, const auto& b) {
                     return std::pair{a.time, a.cost} < std::pair{b.time, b.cost};
                   });
  add_notable_runs(result, all, x);
  return result;
}

namespace {

/// @returns the text as a shell reads it as one word.
std::string shell_word(const std::string& x) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
           || std::string_view{"._/-+"}.find(c) != std::string_view::npos;
  };
  if (!x.empty() && x.front() != '-' && std::all_of(x.begin(), x.end(), plain))
    return x;
  std::string result = "'";
  for (const auto c : x)
    result += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return result + "'";
}

} // namespace

std::string sweep_source::command_for(run_key key) const {
  const auto file = "setting" + std::to_string(key.setting) + "-seed" + std::to_string(key.seed);
  const auto [way, scenario] = traces ? std::pair{" --out " + file, file + "/scenario.yaml"}
                                      : std::pair{" > " + file + ".yaml", file + ".yaml"};
  return "spillover sweep scenario " + shell_word(store) + " --setting "
         + std::to_string(key.setting) + " --seed " + std::to_string(key.seed) + way
         + " && spillover run " + scenario;
}

} // namespace spillover
