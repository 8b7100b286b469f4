#include "producers/revision.hpp"

#include <algorithm>

// How requests wait for an instance, and instances start for requests (A-33..A-40).

namespace spillover {

std::uint32_t revision::coming() const noexcept {
  auto best = no_instance;
  for (const auto index : starting_)
    if (queue_.reserved_on(index) < config_.instance.concurrency
        && (best == no_instance || processes_[index].expected < processes_[best].expected))
      best = index;
  return best;
}

on_demand_waits revision::waits(instant now, std::uint32_t coming) const noexcept {
  on_demand_waits x;
  if (coming != no_instance)
    x.coming = std::max(duration::zero(), processes_[coming].expected - now);
  // A slot of the existing instances frees every hold / in flight; the request is behind all who
  // count on no starting instance.
  if (const auto busy = router_->in_flight(); busy > 0) {
    const auto ahead = static_cast<double>(queue_.unreserved() + 1);
    x.existing = duration{static_cast<duration::rep>(ahead * hold_ns_ / static_cast<double>(busy))};
  }
  x.cold_start = cold_start_.predict();
  x.count = fleet_.count().members();
  x.maximum = scaler_->bounds().max;
  return x;
}

bool revision::may_wait(const pending& x) const noexcept {
  switch (platform_.waits) {
    case waiting_room::pending_queue: return true;
    case waiting_room::activator: return x.proxied && queue_.size() < activator_depth;
    case waiting_room::nowhere: break;
  }
  return false;
}

std::uint32_t revision::reserve(instant now, revision_effects& out) {
  if (!may_start_on_demand())
    return no_instance;
  const auto next = coming();
  auto wait = waits(now, next);
  auto choice = choose(wait);
  if (choice == on_demand_choice::start_new && grant(now, 1, denied_demand_, out) == 0) {
    wait.maximum = wait.count;
    choice = choose(wait);
  }
  if (choice == on_demand_choice::start_new)
    return start_on_demand(now, "no_slot", out);
  return choice == on_demand_choice::queue_coming ? next : no_instance;
}

void revision::enqueue(instant now, std::uint32_t key, revision_effects& out) {
  if (!may_wait(requests_.at(key))) {
    settle(now, key, outcome::unavailable, out);
    return;
  }
  if (config_.routing.early_reject && saturated_
      && fleet_.count().members() >= scaler_->bounds().max) {
    settle(now, key, outcome::too_many_requests, out);
    return;
  }
  const auto reserved = reserve(now, out);
  const auto was_empty = queue_.empty();
  queue_.push(key, now, reserved);
  sample_.queue_peak = std::max(sample_.queue_peak, static_cast<std::uint32_t>(queue_.size()));
  if (was_empty)
    out.queue_changed(1);
}

void revision::serve_queue(instant now, revision_effects& out) {
  if (queue_.empty())
    return;
  while (!queue_.empty()) {
    const auto index = router_->dispatch();
    if (!index)
      return;
    assign(now, queue_.pop()->request, *index, out);
  }
  out.queue_changed(0);
}

std::uint32_t revision::grant(instant now, std::uint32_t wanted, denial& last,
                              revision_effects& out) {
  const auto answer = pool_.quota.ask(now, wanted, pool_.members());
  // Whoever asks starts all that is granted.
  for (std::uint32_t i = 0; i < answer.granted; ++i)
    pool_.quota.started(now);
  if (answer.granted == wanted) {
    last = {};
    return wanted;
  }
  if (const denial denied{wanted, answer.granted}; denied != last) {
    out.denied(wanted, answer);
    last = denied;
  }
  return answer.granted;
}

std::uint32_t revision::start_on_demand(instant now, std::string_view why, revision_effects& out) {
  // Every member is full, so all of them are needed, and one more.
  const auto before = fleet_.recommended();
  recommendation x;
  x.count = fleet_.count().members() + 1;
  x.driver = "ON_DEMAND";
  const auto w = waits(now, coming());
  const auto milliseconds = [](std::optional<duration> span) -> std::int64_t {
    return span ? span->count() / 1'000'000 : -1;
  };
  x.inputs = {{"members", fleet_.count().members()},
              {"max", w.maximum},
              {"queue", static_cast<std::int64_t>(queue_.size())},
              {"wait_coming_ms", milliseconds(w.coming)},
              {"wait_existing_ms", milliseconds(w.existing)},
              {"cold_start_ms", milliseconds(w.cold_start)},
              {"overdue", why == "overdue"}};
  out.decided(scaler_->policy(), before, x, size());
  const auto index = start_instance(now, out);
  apply(now, fleet_.recommend(fleet_.count().members(), now), out);
  return index;
}

duration revision::limit() const noexcept {
  return pending_limit(config_.pending, cold_start_.predict());
}

void revision::expire_pending(instant now, revision_effects& out) {
  const auto span = limit();
  for (;;) {
    // Since the limit fell, one that was extended just now may be beyond its second already.
    while (const auto late = queue_.pop_expired(now, span))
      settle(now, late->request, outcome::internal_error, out);
    const auto x = queue_.first_overdue(now, span);
    if (!x)
      return;
    const auto may_start =
      may_start_on_demand() && fleet_.count().members() < scaler_->bounds().max;
    if (const auto next = may_start ? coming() : no_instance; next != no_instance) {
      queue_.extend_first(next);
    } else if (may_start && grant(now, 1, denied_demand_, out) == 1) {
      queue_.extend_first(start_on_demand(now, "overdue", out));
    } else {
      queue_.remove(x->request);
      settle(now, x->request, outcome::too_many_requests, out);
    }
  }
}

} // namespace spillover
