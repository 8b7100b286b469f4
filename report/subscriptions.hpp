#pragma once

#include "report/event_index.hpp"
#include "report/verdict.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// @returns each push subscription of the run, by consumer and place among its loads.
std::vector<subscription_summary> summarise_subscriptions(const event_index& index);

/// @returns where the books of push subscriptions do not balance, each as a sentence: every one in
///          itself, against the requests of its consumer's clients, and against its seconds.
/// @param incomplete sites whose books miss something
std::vector<std::string> audit_subscriptions(const event_index& index,
                                             const std::set<std::string_view>& incomplete = {});

/// @returns it for people, e.g. "jobs: peak 12,340 messages at 6m20s, drained at 8m10s; ...".
std::string to_string(const subscription_summary& x);

} // namespace spillover
