#pragma once

#include "report/comparison.hpp"
#include "report/event_index.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The parts of a comparison; what its users need is in report/comparison.hpp.

namespace spillover {

/// One run of a comparison, with its events by kind.
struct indexed_run {
  const compared_run& run;
  const event_index& index;
};

/// Items of two lists that stand for each other, by their places; nothing where one has no partner.
struct item_match {
  std::optional<std::size_t> a;
  std::optional<std::size_t> b;
};

/// Pairs items of two lists: for one rule after the other, each item that has no partner yet gets the first
/// of the other list by that rule.
/// @returns pairs and what is only in A in A's order, then what is only in B
template <class T, class... Rules>
std::vector<item_match> match(const std::vector<T>& a, const std::vector<T>& b,
                              const Rules&... rules) {
  std::vector<std::optional<std::size_t>> partner(a.size());
  std::vector<bool> taken(b.size());
  const auto apply = [&](const auto& rule) {
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size() && !partner[i]; ++j)
        if (!taken[j] && rule(a[i], b[j])) {
          partner[i] = j;
          taken[j] = true;
        }
  };
  (apply(rules), ...);
  std::vector<item_match> result;
  for (std::size_t i = 0; i < a.size(); ++i)
    result.push_back({i, partner[i]});
  for (std::size_t j = 0; j < b.size(); ++j)
    if (!taken[j])
      result.push_back({std::nullopt, j});
  return result;
}

/// @returns a row of two numbers of which the less is the better one.
/// @param change B less A for people, when they differ
compared_row less_is_better(std::string name, compared_value a, compared_value b,
                            std::string change);

/// @returns a row of two counts of which neither is the better one.
compared_row count_row(std::string name, std::uint64_t a, std::uint64_t b);

/// @returns the span that B took more, with its sign, e.g. "+2.1 s"; empty for none.
/// @param text how a span without a sign is shown
std::string change_text(duration by, std::string (*text)(duration));

/// Expectations: those that only one run met first, then those that only one has, then those that both
/// missed.
compared_section expectations_section(const verdict& a, const verdict& b);

/// The five clocks of each failover, with failback and cost.
std::vector<compared_section> failover_sections(const verdict& a, const verdict& b);

/// Requests by how they ended after the warm-up, as shares of all that ended then.
compared_section errors_section(const verdict& a, const verdict& b);

/// Quantiles of the latency of answers after the warm-up.
compared_section latency_section(const verdict& a, const verdict& b);

/// What each region was billed.
compared_section cost_section(const verdict& a, const verdict& b);

/// How often what was decided after the warm-up, by region and consumer, and the most instances that ran.
compared_section decisions_section(const event_index& a, const event_index& b);

/// @returns that all events are the same, though the runs are not known to be; empty when they are not.
std::string events_sentence(const comparison& x);

/// @returns a run's name, also when it has none.
std::string name_text(const run_outline& x);

/// @returns what matters most, a sentence each.
std::vector<std::string> headline_of(const comparison& x, const verdict& a, const verdict& b);

/// @returns what cannot be compared, and why, a sentence each.
std::vector<std::string> notes_of(const indexed_run& a, const indexed_run& b);

} // namespace spillover
