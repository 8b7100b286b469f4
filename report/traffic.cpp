#include "report/traffic.hpp"

#include <algorithm>

namespace spillover {

namespace {

void add_once(std::vector<std::string_view>& to, std::string_view x) {
  if (std::find(to.begin(), to.end(), x) == to.end())
    to.push_back(x);
}

/// Services without a composite health check count as well, which only their revisions tell of.
bool is_only_service(const event_index& index, std::string_view composite) {
  const auto is_other = [service = parent_of(composite)](const event* x) {
    return first_part(x->entity) == first_part(service) && !is_within(x->entity, service);
  };
  const auto composites = index.all<composite_changed>();
  const auto revisions = index.all<revision_sample>();
  return std::none_of(composites.begin(), composites.end(), is_other)
         && std::none_of(revisions.begin(), revisions.end(), is_other);
}

/// @returns the load balancers that have a PSC NEG of the composite's service: those that ever
///          learned its state, those that the service's books name, and, where the region has but one
///          service, those that send there.
std::vector<std::string_view> balancers_of(const event_index& index, std::string_view composite) {
  std::vector<std::string_view> result;
  for (const auto* x : index.all<neg_changed>()) {
    const auto* cause = index.cause_of(*x);
    if (cause != nullptr && cause->entity == composite)
      add_once(result, x->entity);
  }
  for (const auto* x : index.all<books_closed>()) {
    const auto& books = payload_of<books_closed>(x);
    if (books.account != "service" || x->entity != parent_of(composite))
      continue;
    // Every balancer tells where it sends requests first.
    for (const auto* route : index.all<routing_changed>())
      if (first_part(route->entity) == books.counterpart)
        add_once(result, route->entity);
  }
  if (!is_only_service(index, composite))
    return result;
  for (const auto* x : index.all<attempt_sample>()) {
    if (payload_of<attempt_sample>(x).region == first_part(composite))
      add_once(result, x->entity);
  }
  return result;
}

/// @returns whether the balancer's route led to the region at `at`; without a route so far, whether
///          it sent anything there.
bool uses_region(const event_index& index, std::string_view balancer, std::string_view region,
                 instant at) {
  const routing_changed* last = nullptr;
  for (const auto* x : index.all<routing_changed>()) {
    if (x->entity == balancer && x->at <= at)
      last = &payload_of<routing_changed>(x);
  }
  // Failing open spreads requests over all regions because none is healthy: nobody is back then.
  if (last != nullptr)
    return !last->fail_open && route_uses(last->after, region);
  const auto samples = index.all<attempt_sample>();
  return std::any_of(samples.begin(), samples.end(), [&](const event* x) {
    const auto& sample = payload_of<attempt_sample>(x);
    return x->entity == balancer && x->at <= at && sample.region == region && sample.sent > 0;
  });
}

/// @returns the change that took the balancer's traffic away: the one that the news caused, or, when
///          that one failed open, a later one before the region is healthy again.
const event* departure_after(const event_index& index, const event& knows,
                             std::string_view region) {
  auto until = never;
  for (const auto* x : index.all<neg_changed>()) {
    const auto& neg = payload_of<neg_changed>(x);
    if (x->entity == knows.entity && neg.region == region && x->at > knows.at
        && neg.after != health::unhealthy)
      until = std::min(until, x->at);
  }
  for (const auto* x : index.all<routing_changed>()) {
    const auto& change = payload_of<routing_changed>(x);
    if (x->entity == knows.entity && (x->cause == knows.id || (x->at > knows.at && x->at < until))
        && route_uses(change.before, region) && !route_uses(change.after, region))
      return x;
  }
  return nullptr;
}

departure departure_of(const event_index& index, const event& composite,
                       std::string_view balancer) {
  const auto region = first_part(composite.entity);
  departure result;
  result.balancer = balancer;
  for (const auto* x : index.effects_of(composite.id)) {
    if (result.knows == nullptr && x->entity == balancer
        && std::holds_alternative<neg_changed>(x->what))
      result.knows = x;
  }
  if (result.knows != nullptr) {
    result.used = uses_region(index, balancer, region, result.knows->at);
    result.left = departure_after(index, *result.knows, region);
    return result;
  }
  for (const auto* x : index.all<neg_changed>()) {
    const auto& neg = payload_of<neg_changed>(x);
    if (x->entity == balancer && neg.region == region && x->at <= composite.at)
      result.knew = neg.after == health::unhealthy;
  }
  return result;
}

std::string consumer_of(const departure& x) {
  return std::string{first_part(x.balancer)};
}

} // namespace

std::vector<departure> departures(const event_index& index, const event& composite) {
  std::vector<departure> result;
  for (const auto balancer : balancers_of(index, composite.entity))
    result.push_back(departure_of(index, composite, balancer));
  return result;
}

clock_reading read_propagate(const std::vector<departure>& all, instant since) {
  clock_reading result;
  const departure* last = nullptr;
  for (const auto& x : all) {
    if (x.knows == nullptr && !x.knew) {
      result.detail = "consumer " + consumer_of(x) + " never knew";
      return result;
    }
    if (x.knows != nullptr && (last == nullptr || x.knows->at > last->knows->at))
      last = &x;
  }
  if (all.empty()) {
    result.detail = "no consumer is connected";
    return result;
  }
  if (last == nullptr) {
    result.span = duration::zero();
    result.detail = "every consumer knew already";
    return result;
  }
  result.span = std::max(duration::zero(), last->knows->at - since);
  result.by = last->knows->id;
  result.detail = all.size() == 1 ? "consumer " + consumer_of(*last) + " knows"
                                  : std::to_string(all.size()) + " consumers know, "
                                      + consumer_of(*last) + " last";
  return result;
}

clock_reading read_route(const std::vector<departure>& all, std::string_view region,
                         instant since) {
  clock_reading result;
  const departure* last = nullptr;
  const auto sent = [](const departure& x) {
    return payload_of<routing_changed>(x.left).last_sent_ns;
  };
  for (const auto& x : all) {
    if (x.used && x.left == nullptr) {
      result.detail = "consumer " + consumer_of(x) + " went on using " + std::string{region};
      return result;
    }
    if (x.left != nullptr && (last == nullptr || sent(x) > sent(*last)))
      last = &x;
  }
  result.span = duration::zero();
  if (last == nullptr) {
    result.detail = "no consumer was using " + std::string{region};
    return result;
  }
  result.span = std::max(duration::zero(), run_start + duration{sent(*last)} - since);
  result.by = last->left->id;
  result.detail = sent(*last) < 0 ? "no request ever went to " + std::string{region}
                                  : "last request to " + std::string{region};
  if (all.size() > 1)
    result.basis = "by " + consumer_of(*last);
  return result;
}

clock_reading read_failback(const event_index& index, const std::vector<departure>& all,
                            std::string_view region, std::optional<instant> fault_end) {
  clock_reading result;
  const auto left = std::any_of(all.begin(), all.end(), [](const auto& x) { return x.left; });
  if (!left || !fault_end) {
    result.detail = left ? "the fault did not end" : "no consumer had left";
    return result;
  }
  const event* last = nullptr;
  for (const auto& x : all) {
    if (x.left == nullptr
        || (x.left->at <= *fault_end && uses_region(index, x.balancer, region, *fault_end)))
      continue;
    const auto since = std::max(*fault_end, x.left->at);
    const auto requests = index.all<first_request>();
    const auto back = std::find_if(requests.begin(), requests.end(), [&](const event* request) {
      return request->entity == x.balancer && request->at >= since
             && payload_of<first_request>(request).region == region
             && uses_region(index, x.balancer, region, request->at);
    });
    if (back == requests.end()) {
      result.detail = "consumer " + consumer_of(x) + " was not back";
      return result;
    }
    if (last == nullptr || (*back)->at > last->at)
      last = *back;
  }
  if (last == nullptr) {
    result.span = duration::zero();
    result.detail = "was back before the fault ended";
    return result;
  }
  result.span = last->at - *fault_end;
  result.by = last->id;
  result.detail = "first request back to " + std::string{region};
  if (all.size() > 1)
    result.basis = "by " + std::string{first_part(last->entity)};
  return result;
}

std::string successors(const std::vector<departure>& all, std::string_view region) {
  std::vector<std::string_view> regions;
  for (const auto& x : all) {
    if (x.left == nullptr)
      continue;
    for (const auto other : regions_of(payload_of<routing_changed>(x.left).after)) {
      if (other != region)
        add_once(regions, other);
    }
  }
  std::string result;
  for (const auto x : regions) {
    if (!result.empty())
      result += '+';
    result += x;
  }
  return result;
}

} // namespace spillover
