#pragma once

#include "report/event_index.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// An event in words, without its log.
struct told_event {
  /// E.g. "us-east1#42".
  std::string id;
  instant at{};
  std::string entity;
  std::string_view kind;
  std::string sentence;
  /// The numbers that went into it, in lines; may be empty.
  std::vector<std::string> numbers = {};
  /// Of a step of a chain that no event names as its cause: why it is taken for it.
  std::string by_time = {};
};

/// What one of two runs did where they part.
struct parting_side {
  /// Nothing when this run did nothing of the kind until its end.
  std::optional<told_event> what;
  /// It happened later than the parting, as this run's counterpart of what the other one did.
  bool later = false;
  /// What led to it, the nearest first.
  std::vector<told_event> causes = {};
};

/// Where the logs of two runs part.
struct parting {
  instant at{};
  parting_side a;
  parting_side b;
};

/// @returns the first event, of whatever kind, that the two logs do not have in common, by its place: a
///          second's numbers count as well. Nothing when they are alike to the last byte; the first
///          event, which holds the scenario's name and seed, is left out.
std::optional<parting> first_difference(const event_index& a, const event_index& b);

/// Which decisions count.
enum class decision_kind : std::uint8_t {
  any,
  /// States of sources, composites and PSC NEGs, and what load balancers made of them.
  health,
};

/// @returns the first instant at which the two runs decide differently: only states and decisions count,
///          neither the numbers behind them, nor single instances, nor decisions that change nothing. Of
///          several events of that instant each side tells the one that says most; a side that has none
///          of its own tells its next event of the same kind and entity, and what led to it unless it
///          came much later.
/// @param since decisions before count for nothing
std::optional<parting> first_decision_apart(const event_index& a, const event_index& b,
                                            decision_kind which = decision_kind::any,
                                            instant since = run_start);

} // namespace spillover
