#pragma once

#include "report/event_index.hpp"
#include "report/verdict.hpp"
#include "report/why_query.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace spillover {

/// How a step of an explanation hangs on the one before, which is its effect.
enum class why_link : std::uint8_t {
  /// The first step, which is what was asked about.
  asked,
  /// The event names it as its cause.
  cause,
  /// No event is its cause; this one is the likely one by its time and place.
  time,
};

/// One step from an effect to its cause.
struct why_step {
  const event* what = nullptr;
  why_link how = why_link::asked;
  /// Of a link by time: why this event, e.g. "the last change of route towards us-west1, 58.5 s before".
  std::string reason;
};

/// Steps from an effect back to the fault, or to where the log knows no more.
struct why_chain {
  std::vector<why_step> steps;
  /// Why it ends where it ends, unless it ends at a fault.
  std::string end;
};

/// How far back a change of route is taken for what brought (or took away) the load that a decision
/// answers to: as long as the longest mean that an autoscaler looks at.
inline constexpr duration load_window = std::chrono::minutes{10};

/// Follows an event back to what led to it.
///
/// Causes are followed as events name them. A decision of an autoscaler and the filling of a queue have
/// no single cause: they are put down to the last change of route towards their region (of fewer
/// instances: away from it) within `load_window`, or to a later split of the requests that gave their
/// revision more (fewer: less) of them, else to the first fault that lies on their service; a denied start
/// to the last decision of its revision.
why_chain explain(const event_index& index, const event& x);

/// One part of the answer to why a run came out as it did.
struct why_part {
  /// E.g. "FAIL failover from us-east1 within 20s: 25.1 s".
  std::string title;
  /// What is known beside, in lines.
  std::vector<std::string> notes;
  std::vector<why_chain> chains;
};

/// Explains a verdict: each expectation that failed or, when all are met, each failover.
/// @param x of the same log
std::vector<why_part> explain_verdict(const event_index& index, const verdict& x);

/// @returns the answer to a question for people; of the other matches it names the nearest five.
std::string to_text(const event_index& index, const why_matches& matches);

/// @returns the same for machines; see `docs/why.md`.
std::string to_json(const event_index& index, const why_matches& matches);

/// @returns the explanation of a verdict for people. A step that came before is not explained again.
std::string to_text(const event_index& index, const std::vector<why_part>& parts);

/// @returns the same for machines.
std::string to_json(const event_index& index, const std::vector<why_part>& parts);

} // namespace spillover
