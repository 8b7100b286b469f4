#include "report/cause_chain.hpp"
#include "report/format.hpp"
#include "report/why.hpp"
#include "report/why_decisions.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace spillover {

namespace {

/// @returns the last change of route towards (or away from) a region before `x`, within the window.
const event* route_before(const event_index& index, const event& x, std::string_view region,
                          bool towards) {
  const event* result = nullptr;
  for (const auto* y : index.all<routing_changed>()) {
    if (y->at > x.at)
      break;
    const auto& route = payload_of<routing_changed>(y);
    const auto used = route_uses(route.before, region);
    const auto uses = route_uses(route.after, region);
    // The first route of a run moves no load from anywhere.
    if (!route.before.empty() && used != uses && uses == towards && x.at - y->at <= load_window)
      result = y;
  }
  return result;
}

std::int64_t share_of(const traffic_changed& x, std::string_view revision) {
  for (const auto& [name, percent] : x.shares)
    if (name == revision)
      return percent;
  return 0;
}

/// @returns the last split before `x` that gave its revision more (or less) of the requests, within the
///          window; nullptr for one that has no name.
const event* split_before(const event_index& index, const event& x, bool more) {
  const event* result = nullptr;
  const event* last = nullptr;
  const auto backend = parent_of(x.entity);
  const auto revision = last_part(x.entity);
  for (const auto* y : index.all<traffic_changed>()) {
    if (y->at > x.at)
      break;
    if (y->entity != backend)
      continue;
    // That of the run's start moves no load from anywhere.
    const auto* before = std::exchange(last, y);
    if (before == nullptr || x.at - y->at > load_window)
      continue;
    const auto had = share_of(payload_of<traffic_changed>(before), revision);
    const auto has = share_of(payload_of<traffic_changed>(y), revision);
    if (more ? has > had : has < had)
      result = y;
  }
  return result;
}

/// @returns the first fault that hit the service (path) and still lasts.
const event* fault_on(const event_index& index, std::string_view service, instant at) {
  for (const auto* fault : index.all<fault_started>()) {
    const auto end = end_of_fault(index, *fault);
    if (fault->at > at || (end && *end <= at))
      continue;
    const auto effects = index.effects_of(fault->id);
    if (std::any_of(effects.begin(), effects.end(), [service](const event* x) {
          return std::holds_alternative<fault_applied>(x->what) && is_within(x->entity, service);
        }))
      return fault;
  }
  return nullptr;
}

std::optional<why_step> by_load(const event_index& index, const event& x, bool more) {
  const std::string region{first_part(x.entity)};
  const auto* route = route_before(index, x, region, more);
  const auto* split = split_before(index, x, more);
  if (split != nullptr && (route == nullptr || route->at <= split->at))
    return why_step{split, why_link::time,
                    "the last time that its share of the requests "
                      + std::string{more ? "grew, " : "shrank, "} + clock_text(x.at - split->at)
                      + " before"};
  if (route != nullptr)
    return why_step{route, why_link::time,
                    "the last change of route " + std::string{more ? "towards " : "away from "}
                      + region + ", " + clock_text(x.at - route->at) + " before"};
  if (const auto* fault = fault_on(index, parent_of(x.entity), x.at))
    return why_step{fault, why_link::time, "this fault lies on the service"};
  return std::nullopt;
}

/// @returns the first fault that hit something of the region, or a link of it, and still lasts.
std::optional<why_step> by_fault_in(const event_index& index, const event& x,
                                    std::string_view region) {
  for (const auto* fault : index.all<fault_started>()) {
    const auto end = end_of_fault(index, *fault);
    if (fault->at <= x.at && (!end || *end > x.at) && fault_hits(index, *fault, region))
      return why_step{fault, why_link::time, "this fault lies on " + std::string{region}};
  }
  return std::nullopt;
}

/// @returns the last decision of the same revision before `x`.
const event* decision_before(const event_index& index, const event& x) {
  const event* result = nullptr;
  for (const auto* y : index.all<scaling_decided>()) {
    if (y == &x)
      break;
    if (y->entity == x.entity && y->at <= x.at)
      result = y;
  }
  return result;
}

std::optional<why_step> by_decision(const event_index& index, const event& x) {
  const auto& scaling = payload_of<scaling_decided>(&x);
  const decision_inputs inputs{scaling};
  if (is_later_step(scaling)) {
    const auto* before = decision_before(index, x);
    return before == nullptr ? std::nullopt
                             : std::optional{why_step{
                               before, why_link::time,
                               "the step before it, " + clock_text(x.at - before->at) + " before"}};
  }
  // The first step of a scale-in names its node, and leaves the count until that is drained.
  const auto fewer = scaling.after < scaling.before
                     || (scaling.after == scaling.before && inputs.find("node").has_value());
  return by_load(index, x, !fewer);
}

std::optional<why_step> by_time(const event_index& index, const event& x) {
  if (const auto* outlier = std::get_if<outlier_changed>(&x.what))
    return by_fault_in(index, x, outlier->region);
  if (const auto* connection = std::get_if<connection_changed>(&x.what))
    return by_fault_in(index, x, connection->region);
  if (std::holds_alternative<scaling_decided>(x.what))
    return by_decision(index, x);
  if (const auto* queue = std::get_if<queue_changed>(&x.what);
      queue != nullptr && queue->length > 0)
    return by_load(index, x, true);
  if (!std::holds_alternative<start_denied>(x.what))
    return std::nullopt;
  const auto* decision = decision_before(index, x);
  if (decision == nullptr)
    return std::nullopt;
  return why_step{decision, why_link::time, "the last decision of " + x.entity};
}

std::string end_of(const event& x) {
  if (std::holds_alternative<fault_started>(x.what) || std::holds_alternative<action_taken>(x.what))
    return {};
  if (std::holds_alternative<scaling_decided>(x.what)
      || std::holds_alternative<queue_changed>(x.what))
    return "no change of route within " + std::to_string(load_window / std::chrono::minutes{1})
           + " min and no fault: the load itself changed";
  return x.at == run_start ? "as the run began" : "the log names no cause";
}

} // namespace

why_chain explain(const event_index& index, const event& x) {
  why_chain result;
  result.steps.push_back({&x, why_link::asked, {}});
  // A log from a file may hold a circle; no honest chain has as many links as the log has events.
  for (auto left = index.log().events().size(); left > 0; --left) {
    const auto& last = *result.steps.back().what;
    if (const auto* cause = index.cause_of(last)) {
      result.steps.push_back({cause, why_link::cause, {}});
      continue;
    }
    auto next = by_time(index, last);
    if (!next)
      break;
    result.steps.push_back(std::move(*next));
  }
  result.end = end_of(*result.steps.back().what);
  return result;
}

} // namespace spillover
