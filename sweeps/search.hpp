#pragma once

#include "sweeps/condition.hpp"
#include "sweeps/statistics.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace spillover {

/// A run that a search wants: places of a setting and of a seed.
struct search_run {
  std::size_t setting = 0;
  std::size_t seed = 0;
  friend auto operator<=>(const search_run&, const search_run&) = default;
};

/// What a search is told of a run.
struct search_facts {
  /// By condition: 1 or 0 for one that must hold in a share of runs, else how much the value lies above the
  /// bound (below it, where much is wanted): a negative mean is good.
  std::vector<double> marks;
  /// What is minimised; `never_ended` when the run has none, nothing when it is no result.
  std::optional<double> cost;
};

/// @returns what the run says to these conditions.
search_facts facts_of(std::span<const condition> conditions, const quantity& minimised,
                      const run_outcome& x);

struct search_plan {
  /// By condition: in which share of runs it must hold; nothing: for the mean.
  std::vector<std::optional<double>> shares;
  /// By condition: whether a mean may be the bound itself, as `<=` and `>=` say; false where this is shorter.
  std::vector<bool> bound_is_good = {};
  std::size_t settings = 0;
  std::size_t seeds = 0;
  /// How sure the answer must be, within (0, 1).
  double confidence = usual_confidence;
  /// With how many seeds every setting is tried; at least 1.
  std::size_t first_seeds = 8;
};

/// How a condition looks for one setting.
struct condition_finding {
  /// In how many runs it holds; for a condition of a mean nothing.
  std::optional<std::size_t> held;
  /// Of the share of runs in which it holds, or of the mean's distance from the bound; 95 % sure.
  confidence_interval interval;
  /// How unlikely so good runs are if the setting does not meet the condition.
  double luck = 1;
  /// How unlikely so bad runs are if it does.
  double bad_luck = 1;
};

struct candidate_finding {
  std::size_t setting = 0;
  std::size_t runs = 0;
  std::vector<condition_finding> conditions;
  /// The runs themselves meet all conditions, sure or not.
  bool meets = false;
  /// Sure not to meet them; the search went no further with it.
  bool refuted = false;
  double cost = 0;
  confidence_interval cost_interval;
};

struct search_answer {
  /// Place in `candidates`: the cheapest one that is sure to meet the conditions, else the cheapest one whose
  /// runs meet them; nothing when no setting's do.
  std::optional<std::size_t> winner;
  /// That it meets every condition, after allowing for how many settings were tried (Bonferroni).
  double sure_to_meet = 0;
  /// That no other setting meets them all and has a lower mean cost.
  double sure_cheapest = 0;
  /// How many seeds it takes to be as sure as asked for; nothing when there were enough.
  std::optional<std::size_t> seeds_needed;
  /// In the order of settings.
  std::vector<candidate_finding> candidates;
  std::size_t runs = 0;
};

/// Looks for the cheapest setting that meets conditions, with fewer runs than trying all settings with all
/// seeds.
///
/// Successive halving (Karnin, Koren and Somekh 2013; Jamieson and Talwalkar 2016): every setting gets a few
/// seeds; those that surely miss a condition are given up, the cheaper half of the others gets twice the
/// seeds, and so on. All settings get the same seeds, so that costs are compared seed by seed. If in the end
/// none that is left meets the conditions, those given up for their cost come back, the cheapest first.
/// What to do next follows from the runs alone, so that an interrupted search goes on where it was.
class halving_search {
public:
  explicit halving_search(search_plan plan);

  /// Takes a run in; one that nobody asked for is welcome, a second time is not.
  void take(search_run which, search_facts facts);

  [[nodiscard]] bool has(search_run which) const;

  /// @returns the runs to do next, all of which may go on at once; none: the search is over.
  [[nodiscard]] std::vector<search_run> next() const;

  /// @returns what is known so far; call it when `next` is empty.
  [[nodiscard]] search_answer answer() const;

private:
  struct progress;

  [[nodiscard]] progress walk() const;
  [[nodiscard]] bool demand(progress& x, std::size_t setting, std::size_t seeds) const;
  [[nodiscard]] bool halve(progress& x) const;
  void revive(progress& x) const;
  [[nodiscard]] candidate_finding find(std::size_t setting, std::size_t seeds) const;
  [[nodiscard]] std::vector<double> marks_of(std::size_t setting, std::size_t seeds,
                                             std::size_t condition) const;
  [[nodiscard]] std::vector<double> costs_of(std::size_t setting, std::size_t seeds) const;
  void add_intervals(candidate_finding& x) const;
  [[nodiscard]] double sure_to_meet(const candidate_finding& x) const;
  [[nodiscard]] bool is_good(const candidate_finding& x) const;
  [[nodiscard]] double chance_that_it_is_better(const candidate_finding& winner,
                                                const candidate_finding& other) const;
  [[nodiscard]] double looks() const;
  [[nodiscard]] bool is_bound_good(std::size_t condition) const;

  search_plan plan_;
  std::vector<std::vector<std::optional<search_facts>>> runs_;
  std::optional<std::size_t> seeds_needed_;
};

} // namespace spillover
