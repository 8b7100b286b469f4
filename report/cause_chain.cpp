#include "report/cause_chain.hpp"

#include <algorithm>

namespace spillover {

namespace {

/// @returns the first fault that hit instances of the service and still lasts at `at`, or nullptr.
const event* fault_present(const event_index& index, std::string_view service, instant at) {
  for (const auto* fault : index.all<fault_started>()) {
    const auto end = end_of_fault(index, *fault);
    if (fault->at > at || (end && *end <= at))
      continue;
    for (const auto* effect : index.effects_of(fault->id)) {
      if (std::holds_alternative<fault_applied>(effect->what) && is_within(effect->entity, service))
        return fault;
    }
  }
  return nullptr;
}

/// @returns when the fault took hold of the entity that it took hold of, or let go of, here: what
///          lasted when it let go may be noticed only afterwards.
instant taken_hold(const event_index& index, const event& applied) {
  const auto& what = payload_of<fault_applied>(&applied);
  auto result = what.active ? applied.at : run_start;
  for (const auto* x : index.all<fault_applied>()) {
    const auto& other = payload_of<fault_applied>(x);
    if (x->at <= applied.at && other.active && other.index == what.index
        && x->entity == applied.entity)
      result = std::max(result, x->at);
  }
  return result;
}

} // namespace

cause_chain trace(const event_index& index, const event& composite) {
  cause_chain result;
  result.composite = &composite;
  // A log from a file may hold a circle; no honest chain has as many links as the log has events.
  auto steps = index.log().events().size();
  for (const auto* x = index.cause_of(composite); x != nullptr && steps > 0; --steps) {
    if (result.source != nullptr && result.trigger == nullptr)
      result.trigger = x;
    if (result.source == nullptr && std::holds_alternative<source_changed>(x->what))
      result.source = x;
    // Whatever lasts at the same time, it was an operator who changed what the source wants.
    if (result.trigger == x && std::holds_alternative<action_taken>(x->what)) {
      result.onset = x->at;
      return result;
    }
    if (std::holds_alternative<fault_applied>(x->what))
      result.onset = taken_hold(index, *x);
    if (std::holds_alternative<fault_started>(x->what)) {
      result.fault = x;
      result.onset = std::max(result.onset, x->at);
      return result;
    }
    x = index.cause_of(*x);
  }
  result.fault = fault_present(index, parent_of(composite.entity), composite.at);
  result.by_presence = true;
  result.onset = result.fault == nullptr ? composite.at : result.fault->at;
  return result;
}

std::optional<instant> end_of_fault(const event_index& index, const event& fault) {
  for (const auto* x : index.effects_of(fault.id)) {
    if (std::holds_alternative<fault_ended>(x->what))
      return x->at;
  }
  return std::nullopt;
}

std::string words_of_fault(const event_index& index, const event& fault) {
  const auto& started = payload_of<fault_started>(&fault);
  for (const auto* x : index.effects_of(fault.id)) {
    const auto* applied = std::get_if<fault_applied>(&x->what);
    if (applied != nullptr && x->entity == started.target && applied->present > 0)
      return "instances " + x->entity + ": " + std::to_string(applied->affected) + " of "
             + std::to_string(applied->present) + " " + applied->effect;
  }
  return started.what;
}

bool fault_hits(const event_index& index, const event& fault, std::string_view region) {
  const auto hits = [region](std::string_view path) {
    return first_part(path) == region
           || (last_part(parent_of(path)) == "link" && last_part(path) == region);
  };
  const auto effects = index.effects_of(fault.id);
  // What takes hold of a whole site is its clock, and takes nobody away.
  if (std::any_of(effects.begin(), effects.end(), [](const event* x) {
        return std::holds_alternative<fault_applied>(x->what)
               && x->entity.find('/') == std::string::npos;
      }))
    return false;
  return hits(payload_of<fault_started>(&fault).target)
         || std::any_of(effects.begin(), effects.end(), [&hits](const event* x) {
              return std::holds_alternative<fault_applied>(x->what) && hits(x->entity);
            });
}

} // namespace spillover
