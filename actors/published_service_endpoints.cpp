#include "actors/published_service_shell.hpp"

#include <utility>

namespace spillover {

// What the probers of the service's backend services report, for consumers that balance over endpoints.

void published_service_shell::count(const endpoint_report& x) {
  auto& zone = endpoints_.view.at(x.zone);
  if (x.what != endpoint_report::step::added)
    zone.remove(x.before);
  if (x.what != endpoint_report::step::removed)
    zone.add(x.after);
  endpoints_.cause = x.cause;
  from_zero_ =
    endpoints_.view.all().total == 0
    || (from_zero_ && (x.what == endpoint_report::step::removed || x.after == health::unhealthy));
  tell_at_next_tick();
}

void published_service_shell::measure(const utilization_report& x) {
  const auto told = meter_.observe(x.backend, x.used_milli, x.there_milli);
  if (!told)
    return;
  endpoints_.view.utilization_milli = told;
  // Load has no event that it follows from.
  if (!telling_)
    endpoints_.cause = {};
  tell_at_next_tick();
}

void published_service_shell::tell_at_next_tick() {
  if (telling_)
    return;
  telling_ = true;
  // Changes of one tick are told together, so that a region that is lost is not told endpoint by
  // endpoint.
  const auto tick = setup_.endpoint_timing.aggregation_tick;
  delayed_send(this, tick - (now() - run_start) % tick, publish_endpoints{});
}

// What requests can start from zero has an address that takes them, whatever instances there are: one
// endpoint, until one of those that were started since is healthy.
endpoint_view published_service_shell::seen_by_consumers() const {
  if (!setup_.answers_from_zero || !from_zero_)
    return endpoints_.view;
  endpoint_view result;
  result.at("a") = {.total = 1, .healthy = 1};
  result.utilization_milli = endpoints_.view.utilization_milli;
  return result;
}

void published_service_shell::tell_endpoints(const publish_endpoints& x) {
  const auto& timing = setup_.endpoint_timing;
  if (x.again) {
    delayed_send(this, timing.resend, publish_endpoints{true});
  } else {
    telling_ = false;
    const auto first = endpoints_.generation == 0;
    auto view = seen_by_consumers();
    if (view == told_ && !first)
      return;
    if (first)
      delayed_send(this, timing.resend, publish_endpoints{true});
    told_ = std::move(view);
    told_cause_ = endpoints_.cause;
    ++endpoints_.generation;
    endpoints_.stamp = site_.local_time(path());
  }
  auto state = endpoints_;
  // Not what came since.
  state.view = told_;
  state.cause = told_cause_;
  const auto spread = static_cast<std::uint64_t>(timing.propagation_jitter.count());
  for (std::uint32_t i = 0; i < consumers_.size(); ++i) {
    if (!consumers_[i].wants_endpoints)
      continue;
    const auto jitter = duration{static_cast<duration::rep>(endpoint_jitter_[i].below(spread + 1))};
    delayed_send(this, timing.propagation + jitter, propagate_endpoints{i, state});
  }
}

} // namespace spillover
