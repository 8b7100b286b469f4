#pragma once

#include "model/event.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillover {

/// Tells which events are meant: by kind, by whom they happened to, and by their fields.
struct event_pattern {
  /// Kind, e.g. "composite_changed".
  std::string kind;

  /// The entity, or a path that it lies below; "" for any.
  std::string of = {};

  /// Fields and their values as `fields_of` gives them; all must be equal.
  std::vector<std::pair<std::string, std::string>> where = {};

  friend bool operator==(const event_pattern&, const event_pattern&) = default;
};

/// @returns the fields of an event's payload with their values as text: a text as it is, everything
///          else as in `events.jsonl`.
std::vector<std::pair<std::string_view, std::string>> fields_of(const event& x);

/// @returns whether an event is one of those that the pattern means.
bool matches(const event_pattern& pattern, const event& x);

/// @returns the pattern in words, e.g. "source_changed of us-east1 with after=UNHEALTHY".
std::string to_string(const event_pattern& x);

/// @returns the kinds that events have, in the order of `payload`.
const std::vector<std::string>& event_kinds();

/// @returns the names of the fields that events of a kind have; empty for an unknown kind.
std::vector<std::string> fields_of_kind(std::string_view kind);

/// @returns why no event of a kind can have a value in one of its fields, e.g. "must be one of UNKNOWN,
///          HEALTHY, UNHEALTHY"; "" when one can, or there is no such kind or field.
std::string problem_of_value(std::string_view kind, std::string_view field, std::string_view value);

} // namespace spillover
