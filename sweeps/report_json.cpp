#include "sweeps/report.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace spillover {

namespace {

using json = nlohmann::ordered_json;

json value_json(double x) {
  return std::isfinite(x) ? json(x) : json("never");
}

json value_json(const std::optional<double>& x) {
  return x ? value_json(*x) : json(nullptr);
}

json interval_json(const confidence_interval& x) {
  return {{"low", value_json(x.low)}, {"high", value_json(x.high)}};
}

json run_json(const notable_run& x, const sweep_source& source) {
  json result{{"setting", x.key.setting},
              {"seed", x.key.seed},
              {"value", value_json(x.value)},
              {"command", source.command_for(x.key)}};
  if (!x.trouble.empty())
    result["trouble"] = x.trouble;
  return result;
}

json distribution_json(const distribution_table& x) {
  auto rows = json::array();
  for (const auto& row : x.rows) {
    // Where nothing is measured there is no value.
    const auto of_runs = [&row](json value) {
      return row.runs > 0 ? std::move(value) : json(nullptr);
    };
    rows.push_back({{"setting", row.setting},
                    {"runs", row.runs},
                    {"no_failover", row.without_failover},
                    {"never", row.censored},
                    {"median", of_runs(value_json(row.median))},
                    {"median_interval", interval_json(row.median_interval)},
                    {"p95", of_runs(value_json(row.p95))},
                    {"p95_interval", interval_json(row.p95_interval)},
                    {"mean", of_runs(value_json(row.mean))},
                    {"mean_interval", interval_json(row.mean_interval)},
                    {"worst", of_runs(value_json(row.worst))},
                    {"worst_seed", of_runs(row.worst_seed)}});
  }
  return {{"quantity", x.of->name}, {"unit", to_string(x.of->unit)}, {"settings", std::move(rows)}};
}

json trade_offs_json(const sweep_report& x) {
  auto rows = json::array();
  for (const auto& row : x.trade_offs)
    rows.push_back({{"setting", row.setting},
                    {"time", value_json(row.time)},
                    {"time_interval", interval_json(row.time_interval)},
                    {"cost", value_json(row.cost)},
                    {"cost_interval", interval_json(row.cost_interval)},
                    {"on_front", row.on_front},
                    {"front_share", row.front_share ? json(*row.front_share) : json(nullptr)}});
  return {{"time", x.time->name},
          {"quantile", x.quantile},
          {"cost", x.cost->name},
          {"common_seeds", x.time_seeds},
          {"settings", std::move(rows)}};
}

json effects_json(const effect_section& x) {
  const auto share_json = [&x](double share) {
    return x.table.is_incomplete ? json(nullptr) : json(share);
  };
  auto paths = json::array();
  for (const auto& path : x.table.paths) {
    auto values = json::array();
    for (const auto& y : path.values)
      values.push_back({{"value", y.value},
                        {"runs", y.runs},
                        {"never", y.censored},
                        {"median", value_json(y.median)},
                        {"mean", value_json(y.mean)},
                        {"mean_interval", interval_json(y.mean_interval)},
                        {"difference", value_json(y.difference)},
                        {"difference_interval", interval_json(y.difference_interval)}});
    paths.push_back(
      {{"path", path.path}, {"share", share_json(path.share)}, {"values", std::move(values)}});
  }
  return {{"quantity", x.of->name},
          {"common_seeds", x.seeds},
          {"of_ranks", x.table.of_ranks},
          {"no_variance", x.table.no_variance},
          {"incomplete", x.table.is_incomplete},
          {"paths", std::move(paths)},
          {"combinations", share_json(x.table.combinations)},
          {"seeds", share_json(x.table.seeds)},
          {"rest", share_json(x.table.rest)}};
}

json settings_json(const sweep_report& x) {
  auto result = json::array();
  for (const auto& changes : x.settings) {
    auto values = json::object();
    for (const auto& y : changes)
      values[y.path] = y.text;
    result.push_back(std::move(values));
  }
  return result;
}

} // namespace

std::string to_json(const sweep_report& x, const sweep_source& source) {
  json result{{"version", 1},
              {"name", x.name},
              {"settings", settings_json(x)},
              {"seeds", x.seeds},
              {"runs", x.runs},
              {"met", x.met},
              {"missed", x.missed},
              {"failed", x.failed},
              {"common_seeds", x.common_seeds},
              {"no_failover", x.without_failover}};
  result["distributions"] = json::array();
  for (const auto& y : x.distributions)
    result["distributions"].push_back(distribution_json(y));
  result["absent"] = json::array();
  for (const auto* y : x.absent)
    result["absent"].push_back(y->name);
  result["trade_off"] = trade_offs_json(x);
  result["effects"] = json::array();
  for (const auto& y : x.effects)
    result["effects"].push_back(effects_json(y));
  result["worst"] = x.worst ? run_json(*x.worst, source) : json(nullptr);
  result["failures"] = json::array();
  for (const auto& y : x.failures)
    result["failures"].push_back(run_json(y, source));
  return result.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace spillover
