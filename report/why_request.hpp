#pragma once

#include "report/event_index.hpp"
#include "report/request_tracer.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// One line of a request's story.
struct request_line {
  instant at{};
  /// From the line before.
  duration span{};
  std::string text;
  /// The fault or decision that lay on this hop, in words with its id; may be empty.
  std::string because;
  event_id because_of;
};

/// @returns what happened to a request, from its intended start to its end. The spans of all lines
///          add up to its latency.
/// @param x ended
/// @param index of the run that it is from
std::vector<request_line> explain(const event_index& index, const traced_request& x);

/// @returns the story of a request for people.
/// @param kept_as why it was kept, e.g. "slow"; may be empty
std::string to_text(const event_index& index, const traced_request& x, std::string_view kept_as);

/// @returns the stories for machines; see `docs/why.md`.
std::string to_json(const event_index& index, const std::vector<traced_request>& all);

} // namespace spillover
