#pragma once

#include "report/event_index.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// A question about a run: about one event by its id, or about what happened to somebody.
struct why_query {
  /// E.g. "us-east1#42"; when set, nothing else counts.
  std::string id;
  /// A site, or a path that begins with one, e.g. "us-east1/checkout/web/7".
  std::string entity;
  /// One of `why_verbs()`.
  std::string verb = "changed";
  /// Asks for the nearest event at or before, else for the first after; without it for the last.
  std::optional<instant> at;

  friend bool operator==(const why_query&, const why_query&) = default;
};

/// A word of the questions, and what it asks for.
struct why_verb {
  std::string_view name;
  std::string_view meaning;
};

/// @returns every verb, in the order in which `docs/why.md` explains them.
std::span<const why_verb> why_verbs() noexcept;

/// Reads "us-east1#42" or "ENTITY [VERB] [at TIME]"; words such as "was" may stand before the verb.
/// @param problem gets what is wrong and what is allowed, when something is
std::optional<why_query> parse_why_query(std::string_view text, std::string& problem);

/// What a question is about.
struct why_matches {
  /// nullptr when nothing matches.
  const event* best = nullptr;
  /// What matches as well: with a time the nearest first, else the latest first.
  std::vector<const event*> others;
};

/// Finds what a question is about. Of different kinds of events the one that says most wins, e.g. the
/// composite before an endpoint; the order is that of `docs/why.md`.
why_matches find_events(const event_index& index, const why_query& x);

/// @returns why nothing matches, and what there is instead, for people.
std::string suggest(const event_index& index, const why_query& x);

} // namespace spillover
