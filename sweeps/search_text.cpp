#include "sweeps/search_text.hpp"

#include "report/format.hpp"
#include "sweeps/table_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace spillover {

namespace {

constexpr std::size_t most_rows = 20;

/// @returns the probability cut to a tenth of a percent, so that it never says more than is known; nothing that
///          was found by runs is ever 100 % sure.
std::string sure_text(double x) {
  const auto tenths = static_cast<std::uint64_t>(std::min(999.0, std::floor(x * 1000 + 1e-9)));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " % sure";
}

std::string conditions_text(const search_question& asked) {
  std::string result;
  for (const auto& x : asked.conditions)
    result.append(result.empty() ? "" : " and ").append(x.text);
  return result;
}

std::string share_range(const confidence_interval& x) {
  return value_text(measure_unit::ppm, *x.low * 1e6) + " .. "
         + value_text(measure_unit::ppm, *x.high * 1e6);
}

/// @returns e.g. "failover<15s: in 198 of 200 runs, 95 % needed; 95 % sure: 96.43 % .. 99.88 %".
std::string finding_text(const condition& x, const condition_finding& found, std::size_t runs) {
  if (!found.held) {
    if (!found.interval.low || !found.interval.high)
      return x.text
             + (runs < 2 ? ": how sure its mean is, one run does not say"
                         : ": the mean is not known");
    // Marks of conditions that want much are negated distances.
    const auto wants_much = x.how == comparison::above || x.how == comparison::at_least;
    const auto low = wants_much ? -*found.interval.high : *found.interval.low;
    const auto high = wants_much ? -*found.interval.low : *found.interval.high;
    return x.text + ": the mean is, 95 % sure, " + value_text(x.of->unit, x.bound + low) + " .. "
           + value_text(x.of->unit, x.bound + high);
  }
  return x.text + ": in " + thousands(*found.held) + " of " + counted(runs, "run") + ", "
         + percent_text(*x.share) + " needed; 95 % sure: " + share_range(found.interval);
}

std::string cell_text(const condition& x, const condition_finding& found, std::size_t runs) {
  if (found.held)
    return share_text(*found.held, runs);
  if (!found.interval.low || !found.interval.high)
    return runs < 2 ? "?" : "never";
  const auto middle = (*found.interval.low + *found.interval.high) / 2;
  const auto wants_much = x.how == comparison::above || x.how == comparison::at_least;
  return value_text(x.of->unit, x.bound + (wants_much ? -middle : middle));
}

std::string state_text(const candidate_finding& x, const search_question& asked) {
  if (x.refuted)
    return "misses";
  if (x.runs < asked.seeds.size())
    return "given up: dearer";
  return x.meets ? "meets" : "may miss";
}

/// The winner first, then those that got the most runs, then the cheaper ones.
std::vector<const candidate_finding*> ranked(const search_answer& x) {
  std::vector<const candidate_finding*> result;
  for (const auto& y : x.candidates)
    result.push_back(&y);
  const auto* winner = x.winner ? &x.candidates[*x.winner] : nullptr;
  std::stable_sort(result.begin(), result.end(), [winner](const auto* a, const auto* b) {
    return std::tuple{a != winner, a->refuted, b->runs, a->cost}
           < std::tuple{b != winner, b->refuted, a->runs, b->cost};
  });
  return result;
}

std::string candidates_text(const search_question& asked, const search_answer& x) {
  text_table table;
  table.title = "settings";
  table.header = {"setting", "runs"};
  for (const auto& y : asked.conditions)
    table.header.push_back(y.text);
  table.header.push_back("mean " + asked.minimised->name);
  table.header.emplace_back("");
  const auto all = ranked(x);
  for (std::size_t i = 0; i < std::min(all.size(), most_rows); ++i) {
    const auto& y = *all[i];
    auto& row = table.rows.emplace_back();
    row = {std::to_string(y.setting) + ": " + to_string(asked.settings[y.setting]),
           thousands(y.runs)};
    for (std::size_t k = 0; k < asked.conditions.size(); ++k)
      row.push_back(cell_text(asked.conditions[k], y.conditions[k], y.runs));
    row.push_back(std::isfinite(y.cost) ? value_text(asked.minimised->unit, y.cost) : "never");
    row.push_back(state_text(y, asked));
  }
  if (all.size() > most_rows)
    table.after.push_back("and " + counted(all.size() - most_rows, "setting") + " more");
  return to_text(table);
}

std::string winner_text(const search_question& asked, const search_answer& x) {
  const auto& winner = x.candidates[*x.winner];
  auto result = "found setting " + std::to_string(winner.setting) + ": "
                + to_string(asked.settings[winner.setting]) + "\n";
  result += "  " + sure_text(x.sure_to_meet) + " that it meets "
            + (asked.conditions.size() > 1 ? "all conditions" : "the condition");
  if (x.sure_to_meet < asked.confidence)
    result += ", less than the " + percent_text(asked.confidence) + " asked for";
  result += "\n  " + sure_text(x.sure_cheapest) + " that no other setting meets "
            + (asked.conditions.size() > 1 ? "them" : "it") + " with a lower mean "
            + asked.minimised->name + "\n";
  for (std::size_t i = 0; i < asked.conditions.size(); ++i)
    result +=
      wrapped("  " + finding_text(asked.conditions[i], winner.conditions[i], winner.runs), 4);
  result +=
    "  mean " + asked.minimised->name + ": " + value_text(asked.minimised->unit, winner.cost);
  const auto& sure = winner.cost_interval;
  if (sure.low && sure.high)
    result += ", 95 % sure: " + value_text(asked.minimised->unit, *sure.low) + " .. "
              + value_text(asked.minimised->unit, *sure.high);
  return result + "\n";
}

nlohmann::ordered_json number_json(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json("never");
}

nlohmann::ordered_json end_json(const std::optional<double>& x) {
  return x ? number_json(*x) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json candidate_json(const search_question& asked, const candidate_finding& x) {
  auto values = nlohmann::ordered_json::object();
  for (const auto& y : asked.settings[x.setting])
    values[y.path] = y.text;
  auto conditions = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < x.conditions.size(); ++i) {
    const auto& y = x.conditions[i];
    conditions.push_back(
      {{"condition", asked.conditions[i].text},
       {"held", y.held ? nlohmann::ordered_json(*y.held) : nlohmann::ordered_json(nullptr)},
       {"low", end_json(y.interval.low)},
       {"high", end_json(y.interval.high)}});
  }
  return {{"setting", x.setting},
          {"values", std::move(values)},
          {"runs", x.runs},
          {"state", state_text(x, asked)},
          {"conditions", std::move(conditions)},
          {"mean", number_json(x.cost)},
          {"mean_low", end_json(x.cost_interval.low)},
          {"mean_high", end_json(x.cost_interval.high)}};
}

} // namespace

search_plan search_question::plan() const {
  search_plan result;
  for (const auto& x : conditions) {
    result.shares.push_back(x.share);
    result.bound_is_good.push_back(x.how == comparison::at_most || x.how == comparison::at_least);
  }
  result.settings = settings.size();
  result.seeds = seeds.size();
  result.confidence = confidence;
  return result;
}

bool is_found(const search_question& asked, const search_answer& x) {
  return x.winner.has_value() && x.sure_to_meet >= asked.confidence;
}

std::string to_text(const search_question& asked, const search_answer& x,
                    const sweep_source& source) {
  auto result = wrapped("search for " + conditions_text(asked) + " with the least "
                          + asked.minimised->name + ": " + thousands(x.runs) + " of the "
                          + counted(asked.settings.size() * asked.seeds.size(), "run")
                          + " that all settings with all seeds take",
                        2);
  if (x.winner)
    result += winner_text(asked, x);
  else
    result += "found no setting whose runs meet "
              + std::string{asked.conditions.size() > 1 ? "all conditions" : "the condition"}
              + "\n";
  if (x.seeds_needed)
    result += "  " + counted(asked.seeds.size(), "seed") + " cannot make "
              + percent_text(asked.confidence) + " sure; " + thousands(*x.seeds_needed)
              + " could\n";
  result += candidates_text(asked, x);
  if (x.winner) {
    const auto place = static_cast<std::uint32_t>(x.candidates[*x.winner].setting);
    result += "\n  " + source.command_for({place, asked.seeds.front()}) + "\n";
  }
  return result;
}

std::string to_json(const search_question& asked, const search_answer& x,
                    const sweep_source& source) {
  auto candidates = nlohmann::ordered_json::array();
  for (const auto* y : ranked(x))
    candidates.push_back(candidate_json(asked, *y));
  nlohmann::ordered_json result{{"version", 1},
                                {"find", conditions_text(asked)},
                                {"minimise", asked.minimised->name},
                                {"unit", to_string(asked.minimised->unit)},
                                {"confidence", asked.confidence},
                                {"found", is_found(asked, x)},
                                {"setting", nullptr},
                                {"sure_to_meet", x.sure_to_meet},
                                {"sure_cheapest", x.sure_cheapest},
                                {"seeds_needed", nullptr},
                                {"runs", x.runs},
                                {"settings", std::move(candidates)}};
  if (x.winner) {
    const auto place = x.candidates[*x.winner].setting;
    result["setting"] = place;
    result["command"] =
      source.command_for({static_cast<std::uint32_t>(place), asked.seeds.front()});
  }
  if (x.seeds_needed)
    result["seeds_needed"] = *x.seeds_needed;
  return result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace spillover
