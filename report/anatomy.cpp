#include "report/anatomy.hpp"

#include "report/cause_chain.hpp"
#include "report/format.hpp"
#include "report/recovery.hpp"
#include "report/traffic.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace spillover {

namespace {

/// @returns how many endpoints below `parent` are unhealthy after each of their changes in
///          [since, until], the last first; endpoints that were unhealthy before do not count.
std::vector<std::size_t> unhealthy_counts(const event_index& index, std::string_view parent,
                                          instant since, const event* until) {
  std::vector<std::size_t> result;
  std::map<std::string_view, bool> unhealthy;
  for (const auto* x : index.all<endpoint_changed>()) {
    if (until != nullptr && x > until)
      break;
    if (x->at < since || !is_within(x->entity, parent))
      continue;
    if (payload_of<endpoint_changed>(x).after == health::unhealthy)
      unhealthy[x->entity] = true;
    else
      unhealthy.erase(x->entity);
    result.push_back(unhealthy.size());
  }
  std::reverse(result.begin(), result.end());
  return result;
}

std::string joined(std::string a, std::string_view separator, const std::string& b) {
  if (!a.empty() && !b.empty())
    a += separator;
  return a + b;
}

clock_reading read_detect(const event_index& index, const cause_chain& chain, instant since) {
  clock_reading result;
  const auto* stop = chain.trigger != nullptr  ? chain.trigger
                     : chain.source != nullptr ? chain.source
                                               : chain.composite;
  result.span = std::max(duration::zero(), stop->at - since);
  result.by = stop->id;
  if (const auto* endpoint = std::get_if<endpoint_changed>(&stop->what)) {
    const auto counts = unhealthy_counts(index, parent_of(stop->entity), since, stop);
    // An instance that counts by its own readiness probe has no probers (B-68).
    const auto probers = endpoint->probers == 0
                           ? std::string{}
                           : std::to_string(endpoint->agreeing) + " of "
                               + std::to_string(endpoint->probers) + " probers";
    if (endpoint->after == health::unhealthy && !counts.empty())
      result.detail = ordinal(counts.front()) + " endpoint unhealthy";
    else
      result.detail = "endpoint " + stop->entity + " " + std::string{to_string(endpoint->after)};
    result.basis = joined(endpoint->reason, ", ", probers);
  } else if (const auto* readiness = std::get_if<readiness_changed>(&stop->what)) {
    result.detail = "instance " + stop->entity
                    + (readiness->takes_requests ? " takes requests" : " takes no requests");
    result.basis = readiness->reason;
  } else if (const auto* instance = std::get_if<instance_changed>(&stop->what)) {
    result.detail = "instance " + stop->entity + " " + std::string{to_string(instance->after)};
    result.basis = instance->reason;
  } else {
    result.detail = std::string{kind_of(*stop)} + " of " + stop->entity;
  }
  if (chain.by_presence)
    result.basis = joined(std::move(result.basis), "; ", "while the fault lasted");
  return result;
}

clock_reading read_aggregate(const cause_chain& chain, instant since) {
  clock_reading result;
  result.span = std::max(duration::zero(), chain.composite->at - since);
  result.by = chain.composite->id;
  const auto composite = "composite " + std::string{to_string(health::unhealthy)};
  if (chain.source == nullptr) {
    result.detail = composite;
    return result;
  }
  const auto& source = payload_of<source_changed>(chain.source);
  result.detail = std::to_string(source.healthy) + " of " + std::to_string(source.total)
                  + " healthy, " + std::to_string(source.needed) + " needed";
  result.basis = "source " + std::string{last_part(parent_of(chain.source->entity))} + " "
                 + std::string{to_string(source.after)} + " -> " + composite;
  return result;
}

/// Fills in what is known of the fault.
void describe_fault(const event_index& index, const event& fault, failover_anatomy& to) {
  to.fault_index = payload_of<fault_started>(&fault).index;
  to.fault = fault.id;
  to.fault_at = fault.at;
  to.fault_end = end_of_fault(index, fault);
  to.fault_detail = words_of_fault(index, fault);
}

failover_anatomy take_apart(const event_index& index, const cause_chain& chain,
                            const recovery_rule& rule) {
  failover_anatomy result;
  const auto path = parent_of(chain.composite->entity);
  result.service = last_part(path);
  result.from = first_part(path);
  describe_fault(index, *chain.fault, result);
  result.fault_at = chain.onset;
  const auto travellers = departures(index, *chain.composite);
  result.to = successors(travellers, result.from);
  result.failback = read_failback(index, travellers, result.from, result.fault_end);

  auto at = result.fault_at;
  result.detect = read_detect(index, chain, at);
  at += *result.detect.span;
  result.aggregate = read_aggregate(chain, at);
  at += *result.aggregate.span;
  result.propagate = read_propagate(travellers, at);
  if (!result.propagate.span)
    return result;
  at += *result.propagate.span;
  result.route = read_route(travellers, result.from, at);
  if (!result.route.span)
    return result;
  at += *result.route.span;
  result.failover = at - result.fault_at;
  if (result.to.empty())
    result.capacity.detail = "no region took over";
  else
    result.capacity = read_capacity(index, result.service, regions_of(result.to), at, rule);
  return result;
}

} // namespace

std::vector<failover_anatomy> dissect(const event_log& log, const recovery_rule& rule) {
  const event_index index{log};
  std::vector<failover_anatomy> result;
  for (const auto* x : index.all<composite_changed>()) {
    if (payload_of<composite_changed>(x).after != health::unhealthy || x->at < index.warm_up_end())
      continue;
    const auto chain = trace(index, *x);
    if (chain.fault != nullptr)
      result.push_back(take_apart(index, chain, rule));
  }
  return result;
}

std::optional<failover_anatomy> missed_failover(const event_log& log, std::string_view region) {
  const event_index index{log};
  for (const auto* fault : index.all<fault_started>()) {
    if (fault->at < index.warm_up_end() || !fault_hits(index, *fault, region))
      continue;
    failover_anatomy result;
    result.from = region;
    describe_fault(index, *fault, result);
    const auto counts = unhealthy_counts(index, region, fault->at, nullptr);
    const auto most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    result.detect.detail =
      most == 0 ? "no endpoint turned unhealthy" : counted(most, "endpoint") + " unhealthy at most";
    result.aggregate.detail = "no composite turned UNHEALTHY";
    return result;
  }
  return std::nullopt;
}

} // namespace spillover
