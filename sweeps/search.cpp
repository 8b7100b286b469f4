#include "sweeps/search.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace spillover {

namespace {

bool are_all_zero(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double y) { return y == 0; });
}

/// @returns how a condition looks in these marks, of which there is at least one.
/// @param bound_is_good for a mean: whether it may be the bound itself
condition_finding judge(const std::vector<double>& marks, std::optional<double> share,
                        bool bound_is_good) {
  condition_finding result;
  if (!share) {
    std::vector<double> negated;
    negated.reserve(marks.size());
    for (const auto x : marks)
      negated.push_back(-x);
    // Few runs that are all the same do not prove that others are never different: no surer than a sign test.
    const auto least =
      std::ldexp(1.0, -static_cast<int>(std::min<std::size_t>(marks.size(), 1000)));
    const auto on_good_bound = bound_is_good && are_all_zero(marks);
    result.luck = on_good_bound ? least : std::max(least, chance_that_mean_is_not_below(marks, 0));
    result.bad_luck = std::max(least, chance_that_mean_is_not_below(negated, 0));
    return result;
  }
  const auto held = static_cast<std::size_t>(std::accumulate(marks.begin(), marks.end(), 0.0));
  result.held = held;
  result.luck = chance_of_at_least(held, marks.size(), *share);
  result.bad_luck = chance_of_at_most(held, marks.size(), *share);
  return result;
}

/// @returns whether the runs themselves meet the condition.
bool is_met(const condition_finding& x, const std::vector<double>& marks,
            std::optional<double> share, bool bound_is_good) {
  if (!x.held) {
    const auto sum = std::accumulate(marks.begin(), marks.end(), 0.0);
    return sum < 0 || (bound_is_good && sum == 0);
  }
  const auto needed = *share * static_cast<double>(marks.size());
  return static_cast<double>(*x.held) >= needed * (1 - 1e-12);
}

/// @returns how many runs that all meet the condition make sure enough of it.
std::size_t runs_to_show(double share, double doubt) {
  return static_cast<std::size_t>(std::ceil(std::log(doubt) / std::log(share)));
}

bool is_cheaper(const candidate_finding& x, const candidate_finding& y) {
  return std::pair{x.cost, x.setting} < std::pair{y.cost, y.setting};
}

} // namespace

search_facts facts_of(std::span<const condition> conditions, const quantity& minimised,
                      const run_outcome& x) {
  search_facts result;
  for (const auto& y : conditions) {
    if (y.share) {
      result.marks.push_back(y.holds_in(x) ? 1 : 0);
      continue;
    }
    const auto above = y.of->of(x) - y.bound;
    const auto wants_much = y.how == comparison::above || y.how == comparison::at_least;
    // What never ended is bad either way.
    result.marks.push_back(wants_much && std::isfinite(above) ? -above : above);
  }
  if (x.end != run_end::failed)
    result.cost = minimised.of(x);
  return result;
}

/// How far a search came.
struct halving_search::progress {
  std::vector<search_run> missing;
  /// Still in the race; then those that got all seeds.
  std::vector<candidate_finding> kept;
  /// Given up because others are cheaper.
  std::vector<candidate_finding> dropped;
  std::size_t seeds = 0;
};

halving_search::halving_search(search_plan plan) : plan_{std::move(plan)}, runs_(plan_.settings) {
  SPILLOVER_CHECK(plan_.settings > 0 && plan_.seeds > 0 && plan_.first_seeds > 0);
  for (auto& x : runs_)
    x.resize(plan_.seeds);
  const auto doubt = (1 - plan_.confidence) / static_cast<double>(plan_.settings);
  for (const auto& share : plan_.shares) {
    // No mean is surer than a sign test; see `judge`.
    const auto needed = runs_to_show(share.value_or(0.5), doubt);
    if (needed > plan_.seeds)
      seeds_needed_ = std::max(needed, seeds_needed_.value_or(0));
  }
}

void halving_search::take(search_run which, search_facts facts) {
  SPILLOVER_CHECK(!has(which) && facts.marks.size() == plan_.shares.size());
  runs_[which.setting][which.seed] = std::move(facts);
}

bool halving_search::has(search_run which) const {
  return runs_.at(which.setting).at(which.seed).has_value();
}

/// Adds what is missing of a setting's first seeds.
/// @returns whether nothing is
bool halving_search::demand(progress& x, std::size_t setting, std::size_t seeds) const {
  const auto before = x.missing.size();
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    if (!has({setting, seed}))
      x.missing.push_back({setting, seed});
  }
  return x.missing.size() == before;
}

bool halving_search::is_bound_good(std::size_t condition) const {
  return condition < plan_.bound_is_good.size() && plan_.bound_is_good[condition];
}

double halving_search::looks() const {
  double result = 1;
  for (auto seeds = plan_.first_seeds; seeds < plan_.seeds; seeds *= 2)
    ++result;
  return result;
}

candidate_finding halving_search::find(std::size_t setting, std::size_t seeds) const {
  candidate_finding result;
  result.setting = setting;
  result.runs = seeds;
  result.meets = true;
  // Both ways of being no rival, and every setting, condition and look, have their part of the doubt.
  const auto tests = 2 * looks() * static_cast<double>(plan_.settings * plan_.shares.size());
  for (std::size_t i = 0; i < plan_.shares.size(); ++i) {
    const auto marks = marks_of(setting, seeds, i);
    const auto& finding =
      result.conditions.emplace_back(judge(marks, plan_.shares[i], is_bound_good(i)));
    result.meets = result.meets && is_met(finding, marks, plan_.shares[i], is_bound_good(i));
    result.refuted = result.refuted || finding.bad_luck * tests <= 1 - plan_.confidence;
  }
  const auto costs = costs_of(setting, seeds);
  result.cost = costs.empty() ? never_ended : sample{costs}.mean();
  return result;
}

std::vector<double> halving_search::marks_of(std::size_t setting, std::size_t seeds,
                                             std::size_t condition) const {
  std::vector<double> result;
  result.reserve(seeds);
  for (std::size_t seed = 0; seed < seeds; ++seed)
    result.push_back(runs_[setting][seed]->marks[condition]);
  return result;
}

/// Of the runs that are a result.
std::vector<double> halving_search::costs_of(std::size_t setting, std::size_t seeds) const {
  std::vector<double> result;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    if (const auto& cost = runs_[setting][seed]->cost)
      result.push_back(*cost);
  }
  return result;
}

/// What only people ask for, and what takes longer than the rest.
void halving_search::add_intervals(candidate_finding& x) const {
  for (std::size_t i = 0; i < x.conditions.size(); ++i) {
    auto& y = x.conditions[i];
    y.interval = y.held ? share_interval(*y.held, x.runs)
                        : sample{marks_of(x.setting, x.runs, i)}.mean_interval();
  }
  x.cost_interval = sample{costs_of(x.setting, x.runs)}.mean_interval();
}

/// One round: all that are left get their seeds, then some are given up.
/// @returns whether there is a next round
bool halving_search::halve(progress& x) const {
  for (const auto& y : x.kept)
    (void)demand(x, y.setting, x.seeds);
  if (!x.missing.empty())
    return false;
  for (auto& y : x.kept)
    y = find(y.setting, x.seeds);
  std::erase_if(x.kept, [](const auto& y) { return y.refuted; });
  if (x.seeds == plan_.seeds || x.kept.empty())
    return false;
  std::sort(x.kept.begin(), x.kept.end(), is_cheaper);
  const auto half = x.kept.begin() + static_cast<std::ptrdiff_t>((x.kept.size() + 1) / 2);
  x.dropped.insert(x.dropped.end(), half, x.kept.end());
  x.kept.erase(half, x.kept.end());
  x.seeds = std::min(x.seeds * 2, plan_.seeds);
  return true;
}

/// Gives those that were given up for their cost the rest of their seeds, until one is good.
void halving_search::revive(progress& x) const {
  std::sort(x.dropped.begin(), x.dropped.end(), is_cheaper);
  for (const auto& y : x.dropped) {
    auto finding = y;
    while (!finding.refuted && finding.runs < plan_.seeds) {
      const auto seeds = std::min(finding.runs * 2, plan_.seeds);
      if (!demand(x, y.setting, seeds))
        return;
      finding = find(y.setting, seeds);
    }
    if (finding.refuted)
      continue;
    x.kept.push_back(finding);
    if (is_good(finding))
      return;
  }
}

halving_search::progress halving_search::walk() const {
  progress result;
  result.kept.resize(plan_.settings);
  for (std::size_t i = 0; i < plan_.settings; ++i)
    result.kept[i].setting = i;
  result.seeds = std::min(plan_.first_seeds, plan_.seeds);
  while (halve(result)) {}
  if (result.missing.empty()
      && std::none_of(result.kept.begin(), result.kept.end(),
                      [this](const auto& x) { return is_good(x); }))
    revive(result);
  return result;
}

std::vector<search_run> halving_search::next() const {
  return walk().missing;
}

double halving_search::sure_to_meet(const candidate_finding& x) const {
  double luck = 0;
  for (const auto& y : x.conditions)
    luck = std::max(luck, y.luck);
  return std::max(0.0, 1 - luck * static_cast<double>(plan_.settings));
}

/// @returns whether the search may end with it. What so few seeds can never make sure is not waited for.
bool halving_search::is_good(const candidate_finding& x) const {
  return x.meets && (seeds_needed_ || sure_to_meet(x) >= plan_.confidence);
}

double halving_search::chance_that_it_is_better(const candidate_finding& winner,
                                                const candidate_finding& other) const {
  double misses = 1;
  for (const auto& x : other.conditions)
    misses = std::min(misses, x.bad_luck);
  misses *= static_cast<double>(plan_.shares.size());
  std::vector<double> differences;
  for (std::size_t seed = 0; seed < std::min(winner.runs, other.runs); ++seed) {
    const auto& own = runs_[winner.setting][seed]->cost;
    const auto& its = runs_[other.setting][seed]->cost;
    if (own && its)
      differences.push_back(*own - *its);
  }
  auto cheaper = chance_that_mean_is_not_below(differences, 0);
  // Costs that are equal at every seed do not make the other one cheaper.
  if (!differences.empty()
      && std::all_of(differences.begin(), differences.end(), [](double x) { return x == 0; }))
    cheaper = 0;
  return std::min(1.0, 2 * looks() * std::min(misses, cheaper));
}

search_answer halving_search::answer() const {
  search_answer result;
  for (std::size_t setting = 0; setting < plan_.settings; ++setting) {
    const auto& runs = runs_[setting];
    const auto first_missing =
      std::find_if(runs.begin(), runs.end(), [](const auto& x) { return !x.has_value(); });
    const auto seeds = static_cast<std::size_t>(first_missing - runs.begin());
    if (seeds > 0) {
      result.candidates.push_back(find(setting, seeds));
      add_intervals(result.candidates.back());
    }
    result.runs += static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [](const auto& x) { return x.has_value(); }));
  }
  const auto rank = [this](const candidate_finding& x) {
    return sure_to_meet(x) >= plan_.confidence ? 0 : 1;
  };
  const auto& all = result.candidates;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].meets || all[i].runs < plan_.seeds)
      continue;
    if (!result.winner
        || std::pair{rank(all[i]), all[i].cost}
             < std::pair{rank(all[*result.winner]), all[*result.winner].cost})
      result.winner = i;
  }
  result.seeds_needed = seeds_needed_;
  if (!result.winner)
    return result;
  result.sure_to_meet = sure_to_meet(all[*result.winner]);
  double doubt = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != *result.winner)
      doubt += chance_that_it_is_better(all[*result.winner], all[i]);
  }
  result.sure_cheapest = std::max(0.0, 1 - doubt);
  return result;
}

} // namespace spillover
