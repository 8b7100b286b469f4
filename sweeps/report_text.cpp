#include "report/format.hpp"
#include "sweeps/report.hpp"
#include "sweeps/table_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace spillover {

namespace {

/// Longer names of settings stand in a list, and their numbers in the tables.
constexpr std::size_t short_name = 20;
constexpr std::size_t most_failures = 5;

std::string short_text(measure_unit unit, double value) {
  return std::isfinite(value) ? value_text(unit, value) : "never";
}

std::string end_text(measure_unit unit, const std::optional<double>& end) {
  return end ? short_text(unit, *end) : "?";
}

/// @returns e.g. "17.2 s .. 18.1 s"; the unit of the first end is left out where both have the same.
std::string interval_text(measure_unit unit, const confidence_interval& x) {
  auto low = end_text(unit, x.low);
  const auto high = end_text(unit, x.high);
  const auto unit_of = [](const std::string& text) {
    const auto blank = text.rfind(' ');
    return blank == std::string::npos ? std::string{} : text.substr(blank);
  };
  if (!unit_of(low).empty() && unit_of(low) == unit_of(high))
    low.erase(low.rfind(' '));
  return low + " .. " + high;
}

std::string percent(double share) {
  return value_text(measure_unit::ppm, std::floor(share * 1e4) * 1e2);
}

std::string whole_percent(double share) {
  return std::to_string(std::lround(share * 100)) + " %";
}

std::string quantile_text(double q) {
  if (q >= 1)
    return "worst";
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, "p%g", q * 100);
  return q == 0.5 ? "median" : buffer;
}

std::string title_of(const quantity& x) {
  auto result = x.name;
  if (!unit_text(x.unit).empty())
    result.append(" in ").append(unit_text(x.unit));
  return result + ": " + x.meaning;
}

/// @returns the shortest end of a path that no other path has too, as names of settings have it.
std::string short_path(const std::string& path, const std::vector<std::string>& all) {
  for (auto dot = path.rfind('.'); dot != std::string::npos && dot > 0;
       dot = path.rfind('.', dot - 1)) {
    const auto end = path.substr(dot);
    const auto has_it = [&end](const std::string& x) {
      return ("." + x).size() >= end.size()
             && ("." + x).compare(x.size() + 1 - end.size(), end.size(), end) == 0;
    };
    if (std::count_if(all.begin(), all.end(), has_it) == 1)
      return end.substr(1);
  }
  return path;
}

/// Names settings the same way in all tables.
class setting_names {
public:
  explicit setting_names(const sweep_report& x) : settings_{x.settings} {
    for (const auto& y : settings_)
      short_ = short_ && to_string(y).size() <= short_name;
  }

  /// @returns e.g. "3: interval=5s", or "3" where that is too long.
  [[nodiscard]] std::string operator()(std::size_t place) const {
    return short_ ? whole(place) : std::to_string(place);
  }

  [[nodiscard]] std::string whole(std::size_t place) const {
    return std::to_string(place) + ": " + to_string(settings_[place]);
  }

  [[nodiscard]] bool are_short() const { return short_; }

private:
  const std::vector<setting>& settings_;
  bool short_ = true;
};

text_table distribution_block(const distribution_table& x, const setting_names& names) {
  const auto unit = x.of->unit;
  text_table result;
  result.title = title_of(*x.of);
  result.header = {"setting", "runs",      "median", "95 % sure",
                   "p95",     "95 % sure", "worst",  "its seed"};
  auto unbounded = false;
  std::size_t censored = 0;
  std::size_t without = 0;
  for (const auto& row : x.rows) {
    censored += row.censored;
    without += row.without_failover;
    auto& cells = result.rows.emplace_back();
    cells = {names(row.setting), thousands(row.runs)};
    if (row.runs == 0) {
      cells.emplace_back("none");
      cells.resize(result.header.size());
      continue;
    }
    cells.insert(cells.end(),
                 {short_text(unit, row.median), interval_text(unit, row.median_interval),
                  short_text(unit, row.p95), interval_text(unit, row.p95_interval),
                  short_text(unit, row.worst), std::to_string(row.worst_seed)});
    for (const auto& end : {row.median_interval.low, row.median_interval.high, row.p95_interval.low,
                            row.p95_interval.high})
      unbounded = unbounded || !end;
  }
  if (without > 0)
    result.after.push_back("no failover began in " + counted(without, "run")
                           + ", so that they have nothing to be measured and are not counted here");
  if (censored > 0)
    result.after.push_back("never: not within the run (" + counted(censored, "run") + ")");
  if (unbounded)
    result.after.push_back("?: so few runs do not bound it; " + std::to_string(runs_to_bound(0.5))
                           + " runs bound a median, " + std::to_string(runs_to_bound(0.95))
                           + " a p95");
  return result;
}

text_table trade_off_block(const sweep_report& x, const setting_names& names) {
  text_table result;
  const auto time = quantile_text(x.quantile) + " of " + x.time->name;
  result.title = time + " against mean " + x.cost->name + ": what nothing else beats in both";
  result.header = {"setting",   time,          "95 % sure", "mean " + x.cost->name,
                   "95 % sure", "on the front"};
  std::size_t beaten = 0;
  for (const auto& row : x.trade_offs) {
    if (!row.on_front) {
      ++beaten;
      continue;
    }
    result.rows.push_back({names(row.setting), short_text(x.time->unit, row.time),
                           interval_text(x.time->unit, row.time_interval),
                           short_text(x.cost->unit, row.cost),
                           interval_text(x.cost->unit, row.cost_interval),
                           row.front_share ? whole_percent(*row.front_share) : "?"});
  }
  if (result.rows.empty())
    result.before.emplace_back("no setting: in each of them one of both is not known");
  else
    result.after.push_back(
      (x.front_draws > 0 ? "on the front: in so many of " + thousands(x.front_draws)
                             + " draws of the same seeds for all settings; "
                         : std::string{})
      + "runs of " + counted(x.time_seeds, "common seed") + "; " + counted(beaten, "setting")
      + (beaten == 1 ? " is" : " are") + " beaten");
  return result;
}

/// The values of each path, with their differences to its first one; where some never ended there are none.
void add_effect_rows(text_table& result, const effect_section& of, const path_effect& path) {
  const auto unit = of.of->unit;
  for (const auto& x : path.values) {
    auto& row = result.rows.emplace_back();
    row = {"  " + x.value, "", short_text(unit, x.median)};
    if (of.table.of_ranks) {
      row.push_back(thousands(x.runs));
      row.push_back(thousands(x.censored));
      continue;
    }
    row.push_back(value_text(unit, x.mean));
    row.push_back(x.difference ? difference_text(unit, *x.difference) : "");
    row.push_back(x.difference ? interval_text(unit, x.difference_interval) : "");
  }
}

text_table effect_block(const sweep_report& x, const effect_section& section) {
  const auto& table = section.table;
  text_table result;
  result.title =
    "what matters for " + section.of->name
    + (unit_text(section.of->unit).empty() ? ""
                                           : " in " + std::string{unit_text(section.of->unit)});
  if (table.no_variance) {
    result.before.emplace_back("nothing: all runs have the same value");
    return result;
  }
  result.header = {"path, value", "explains", "median", "mean", "more than first", "95 % sure"};
  if (table.of_ranks)
    result.header = {"path, value", "explains", "median", "runs", "never"};
  const auto add_share = [&](const std::string& what, double share) {
    result.rows.push_back({what, table.is_incomplete ? "" : percent(share)});
    result.rows.back().resize(result.header.size());
  };
  for (const auto& path : table.paths) {
    add_share(short_path(path.path, x.paths), path.share);
    add_effect_rows(result, section, path);
  }
  const auto seeds =
    "runs of " + counted(section.seeds, "seed") + " that all settings have, compared seed by seed";
  if (table.is_incomplete) {
    result.after.push_back(
      "combinations are missing: what goes with one path goes with others too, so nobody can tell what each of "
      "them explains; differences are over settings that differ in nothing else; "
      + seeds);
    return result;
  }
  if (table.paths.size() > 1)
    add_share("combinations", table.combinations);
  add_share("seeds", table.seeds);
  add_share("the rest", table.rest);
  result.after.push_back(
    "explains: share of the variance"
    + std::string{table.of_ranks ? " of the runs' ranks, since some never ended" : ""} + "; "
    + seeds);
  return result;
}

text_table setting_block(const sweep_report& x, const setting_names& names) {
  text_table result;
  result.title = "settings";
  for (std::size_t i = 0; i < x.settings.size(); ++i)
    result.before.push_back(names.whole(i));
  return result;
}

text_table missing_block(const sweep_report& x) {
  text_table result;
  result.title = "not measured";
  for (const auto* y : x.absent)
    result.before.push_back(y->name + ": no run has it");
  return result;
}

/// Says what comparisons between settings lack.
text_table scarce_block(const sweep_report& x, const setting_names& names) {
  text_table result;
  result.title = "fewer runs to compare by than there are seeds";
  if (x.settings.size() < 2 || x.runs == 0)
    return result;
  if (x.without_runs > 0)
    result.before.push_back(counted(x.without_runs, "setting")
                            + " without a result: left out of what follows");
  if (x.without_failover > 0)
    result.before.push_back("no failover began in " + counted(x.without_failover, "run")
                            + ": left out of what follows of " + x.time->name);
  if (!x.scarcest || x.common_seeds >= x.seeds)
    return result;
  result.before.push_back(
    (x.common_seeds == 0
       ? "no seed is one that all settings have a result of, so they are not compared"
       : "all settings have a result of only " + counted(x.common_seeds, "seed") + " of "
           + thousands(x.seeds))
    + "; the fewest, " + thousands(x.scarcest_runs) + ", has setting " + names(*x.scarcest));
  return result;
}

std::vector<text_table> blocks_of(const sweep_report& x) {
  const setting_names names{x};
  std::vector<text_table> result;
  if (!names.are_short())
    result.push_back(setting_block(x, names));
  for (const auto& y : x.distributions)
    result.push_back(distribution_block(y, names));
  if (!x.absent.empty())
    result.push_back(missing_block(x));
  if (const auto scarce = scarce_block(x, names); !scarce.before.empty())
    result.push_back(scarce);
  if (x.trade_offs.size() > 1)
    result.push_back(trade_off_block(x, names));
  for (const auto& y : x.effects)
    result.push_back(effect_block(x, y));
  return result;
}

std::string summary_of(const sweep_report& x) {
  auto result = counted(x.settings.size(), "setting") + " x " + counted(x.seeds, "seed") + ", "
                + counted(x.runs, "run");
  const auto wanted = x.settings.size() * x.seeds;
  if (x.runs < wanted)
    result += " of " + thousands(wanted);
  result += ": expectations met in " + thousands(x.met);
  if (const auto results = x.met + x.missed; results > 0) {
    const auto sure = share_interval(x.met, results);
    result += " (" + share_text(x.met, results);
    // Runs of one seed under several settings are not independent.
    if (x.settings.size() == 1)
      result +=
        ", 95 % sure: " + interval_text(measure_unit::ppm, {*sure.low * 1e6, *sure.high * 1e6});
    result += ")";
  }
  result += ", missed in " + thousands(x.missed);
  if (x.failed > 0)
    result += ", " + thousands(x.failed) + " failed and left out below";
  return result;
}

std::string where(run_key key) {
  return "setting " + std::to_string(key.setting) + ", seed " + std::to_string(key.seed);
}

} // namespace

std::string to_text(const sweep_report& x, const sweep_source& source) {
  auto result = wrapped("sweep of " + x.name + ": " + summary_of(x), 2);
  for (const auto& block : blocks_of(x))
    result += to_text(block);
  if (x.worst) {
    result += "\n"
              + wrapped("worst run: " + where(x.worst->key) + ", " + x.time->name + " "
                          + value_text(x.time->unit, x.worst->value),
                        2);
    // In one line, to be copied.
    result += "  " + source.command_for(x.worst->key) + "\n";
  }
  for (std::size_t i = 0; i < std::min(x.failures.size(), most_failures); ++i) {
    const auto& run = x.failures[i];
    result += "\n" + wrapped("failed run: " + where(run.key) + ", " + run.trouble, 2);
    result += "  " + source.command_for(run.key) + "\n";
  }
  if (x.failures.size() > most_failures)
    result += "and " + counted(x.failures.size() - most_failures, "failed run") + " more\n";
  return result;
}

std::string to_markdown(const sweep_report& x, const sweep_source& source) {
  auto result =
    "## Sweep of " + markdown_text(x.name) + "\n\n" + markdown_text(summary_of(x)) + "\n";
  for (const auto& block : blocks_of(x))
    result += to_markdown(block);
  const auto add_run = [&](const std::string& what, const notable_run& run) {
    result += "\n" + markdown_text(what) + ":\n\n```sh\n" + source.command_for(run.key) + "\n```\n";
  };
  if (x.worst)
    add_run("Worst run: " + where(x.worst->key) + ", " + x.time->name + " "
              + value_text(x.time->unit, x.worst->value),
            *x.worst);
  for (std::size_t i = 0; i < std::min(x.failures.size(), most_failures); ++i)
    add_run("Failed run: " + where(x.failures[i].key) + ", " + x.failures[i].trouble,
            x.failures[i]);
  return result;
}

} // namespace spillover
