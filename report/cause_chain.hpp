#pragma once

#include "report/event_index.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace spillover {

/// What led to a composite's change, from the last step to the first; each may be missing.
struct cause_chain {
  const event* composite = nullptr;
  /// Of the source whose change changed the composite.
  const event* source = nullptr;
  /// What tipped that source: an endpoint's change or an instance's start.
  const event* trigger = nullptr;
  /// The `fault_started` at the beginning.
  const event* fault = nullptr;
  /// When the fault took hold: its start, or the pulse of one that flaps.
  instant onset{};
  /// The causes do not lead to `fault`, but it hit the same service and still lasted.
  bool by_presence = false;
};

/// Follows the causes of a `composite_changed` back to a fault.
cause_chain trace(const event_index& index, const event& composite);

/// @returns the end of the fault, if it ended within the run.
std::optional<instant> end_of_fault(const event_index& index, const event& fault);

/// @returns the fault in words: with numbers, e.g. "instances us-east1/checkout/web: 5 of 10
///          silent", when its target is a backend service, else as its event says it.
std::string words_of_fault(const event_index& index, const event& fault);

/// @returns whether a fault hit something of the region: instances, probers, or a link from or to it;
///          its clock is nothing of that.
bool fault_hits(const event_index& index, const event& fault, std::string_view region);

} // namespace spillover
