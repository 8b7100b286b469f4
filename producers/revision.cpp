#include "producers/revision.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

// Weight of the latest request in the mean time that requests hold a slot.
constexpr double hold_weight = 1.0 / 64;

scale_in_config scale_in_of(const revision_config& x) {
  auto result = x.scale_in;
  result.drain_deadline = std::max(result.drain_deadline, x.request_timeout);
  return result;
}

} // namespace

revision::revision(const revision_config& config)
  : config_(config),
    scaler_(make_autoscaler(config.autoscaling, config.instance)),
    fleet_(scale_in_of(config)),
    router_(config.instance.concurrency),
    cold_start_(mean_of(config.instance.cold_start)),
    hold_ns_(static_cast<double>(mean_of(config.instance.service_time).count())) {}

void revision::begin(instant now, std::uint32_t count, revision_effects& out) {
  apply(now, fleet_.recommend(count, now), out);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto index = start_instance(now, out);
    std::erase(starting_, index);
    out.changed(fleet_.became_ready(index, now));
    router_.add(index, instance_router::tier::ready);
  }
}

void revision::on_request(instant now, const record& request, revision_effects& out) {
  books_.take();
  ++sample_.arrivals;
  const auto key = requests_.add({request, ++serial_, now, no_instance, false});
  timeouts_.push(now + config_.request_timeout, key);
  // While requests wait no slot is free.
  if (queue_.empty()) {
    if (const auto index = router_.dispatch()) {
      assign(now, key, *index, out);
      return;
    }
  }
  enqueue(now, key, out);
}

void revision::count_busy(instant now, std::uint32_t index) noexcept {
  auto& x = activity_[index];
  x.busy += (now - x.counted).count() * router_.in_flight(index);
  x.counted = now;
}

void revision::assign(instant now, std::uint32_t key, std::uint32_t index, revision_effects& out) {
  auto& x = activity_[index];
  const auto before = router_.in_flight(index) - 1; // dispatch has counted it in
  x.busy += (now - x.counted).count() * before;
  x.counted = now;
  if (before == 0)
    fleet_.busy(index, 1, now);
  auto& request = requests_.at(key);
  request.instance = index;
  request.dispatched = now;
  out.dispatch(index, key, request.serial, request.request);
}

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
  if (const auto busy = router_.in_flight(); busy > 0) {
    const auto ahead = static_cast<double>(queue_.unreserved() + 1);
    x.existing = duration{static_cast<duration::rep>(ahead * hold_ns_ / static_cast<double>(busy))};
  }
  x.cold_start = cold_start_.predict();
  x.count = fleet_.count().members();
  x.maximum = scaler_->bounds().max;
  return x;
}

void revision::enqueue(instant now, std::uint32_t key, revision_effects& out) {
  auto reserved = no_instance;
  if (scaler_->on_demand()) {
    const auto next = coming();
    auto wait = waits(now, next);
    auto choice = choose(wait);
    if (choice == on_demand_choice::start_new && grant(now, 1, denied_demand_, out) == 0) {
      wait.maximum = wait.count;
      choice = choose(wait);
    }
    if (choice == on_demand_choice::queue_coming)
      reserved = next;
    else if (choice == on_demand_choice::start_new)
      reserved = start_on_demand(now, "no_slot", out);
  }
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
    const auto index = router_.dispatch();
    if (!index)
      return;
    assign(now, queue_.pop()->request, *index, out);
  }
  out.queue_changed(0);
}

void revision::on_response(instant now, std::uint32_t key, std::uint64_t serial, outcome how,
                           revision_effects& out) {
  const auto* found = requests_.find(key);
  if (!found || found->serial != serial) {
    ++books_.late;
    return;
  }
  const auto x = *found;
  hold_ns_ += (static_cast<double>((now - x.dispatched).count()) - hold_ns_) * hold_weight;
  if (x.answered)
    requests_.remove(key);
  else
    settle(key, how, out);
  release_instance(now, x, out);
}

void revision::release_instance(instant now, const pending& x, revision_effects& out) {
  count_busy(now, x.instance);
  router_.finish(x.instance);
  const auto left = router_.in_flight(x.instance);
  if (left == 0)
    fleet_.busy(x.instance, 0, now);
  if (left == 0 && fleet_.state(x.instance) == instance_state::draining)
    apply(now, fleet_.stop_drained(now), out);
  serve_queue(now, out);
}

void revision::settle(std::uint32_t key, outcome how, revision_effects& out) {
  const auto request = requests_.at(key).request;
  timeouts_.settle(key);
  requests_.remove(key);
  books_.end(how);
  ++sample_.completions;
  sample_.failures += how != outcome::ok;
  out.answer(request, how);
}

std::uint32_t revision::start_instance(instant now, revision_effects& out) {
  const auto index = fleet_.start(now);
  if (index >= activity_.size()) {
    activity_.resize(index + 1);
    processes_.resize(index + 1);
  }
  activity_[index] = {now, 0};
  processes_[index] = {0, now, now + cold_start_.predict()};
  present_.push_back(index);
  starting_.push_back(index);
  out.changed({index, instance_state::stopped, instance_state::starting, "started"});
  out.start(index);
  return index;
}

std::uint32_t revision::grant(instant now, std::uint32_t wanted, denial& last,
                              revision_effects& out) {
  const auto answer = quota_.ask(now, wanted, fleet_.count().members());
  // Whoever asks starts all that is granted.
  for (std::uint32_t i = 0; i < answer.granted; ++i)
    quota_.started(now);
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

void revision::apply(instant now, const std::vector<fleet::change>& changes,
                     revision_effects& out) {
  for (const auto& x : changes) {
    std::vector<std::uint32_t> held;
    switch (x.after) {
      case instance_state::ready: router_.move(x.index, instance_router::tier::ready); break;
      case instance_state::deprioritised:
        router_.move(x.index, instance_router::tier::deprioritised);
        break;
      case instance_state::draining: router_.remove(x.index); break;
      case instance_state::stopped:
        // At the drain deadline it may still hold some.
        held = take_held(now, x.index);
        leave(x.index);
        break;
      case instance_state::starting:
      case instance_state::crashed: break;
    }
    out.changed(x);
    if (x.after == instance_state::stopped)
      out.stop(x.index);
    fail(held, out);
  }
}

void revision::leave(std::uint32_t index) {
  departed_busy_ += std::exchange(activity_[index].busy, 0);
  std::erase(present_, index);
  std::erase(starting_, index);
  queue_.release(index);
}

void revision::on_ready(instant now, std::uint32_t index, revision_effects& out) {
  if (fleet_.state(index) != instance_state::starting)
    return;
  cold_start_.observe(now - processes_[index].started);
  std::erase(starting_, index);
  queue_.release(index);
  const auto change = fleet_.became_ready(index, now);
  activity_[index].counted = now;
  router_.add(index, change.after == instance_state::ready ? instance_router::tier::ready
                                                           : instance_router::tier::deprioritised);
  out.changed(change);
  serve_queue(now, out);
}

void revision::on_down(instant now, std::uint32_t index, revision_effects& out) {
  const auto state = fleet_.state(index);
  if (state == instance_state::stopped || state == instance_state::crashed)
    return;
  if (state == instance_state::ready || state == instance_state::deprioritised)
    router_.remove(index);
  std::erase(starting_, index);
  queue_.release(index);
  const auto held = take_held(now, index);
  const auto change = fleet_.crash(index, now);
  if (change.after == instance_state::stopped)
    leave(index);
  out.changed(change);
  fail(held, out);
}

std::vector<std::uint32_t> revision::take_held(instant now, std::uint32_t index) {
  std::vector<std::uint32_t> held;
  if (router_.in_flight(index) == 0)
    return held;
  count_busy(now, index);
  requests_.for_each([&](std::uint32_t key, const pending& x) {
    if (x.instance == index)
      held.push_back(key);
  });
  router_.forget(index);
  fleet_.busy(index, 0, now);
  return held;
}

void revision::fail(const std::vector<std::uint32_t>& held, revision_effects& out) {
  for (const auto key : held) {
    if (requests_.at(key).answered)
      requests_.remove(key);
    else
      settle(key, outcome::bad_gateway, out);
  }
}

void revision::restart(instant now, std::uint32_t index, revision_effects& out) {
  if (fleet_.state(index) != instance_state::crashed)
    return;
  out.changed(fleet_.restart(index, now));
  activity_[index].counted = now;
  processes_[index] = {processes_[index].cpu, now, now + cold_start_.predict()};
  starting_.push_back(index);
  out.start(index);
}

void revision::on_usage(std::uint32_t index, duration cpu) noexcept {
  processes_[index].cpu += cpu.count();
}

fleet_size revision::size() const noexcept {
  const auto& n = fleet_.count();
  return {fleet_.recommended(), n.ready + n.deprioritised, n.starting,
          router_.in_flight() > 0 || !queue_.empty()};
}

revision_sample revision::on_second(instant now, revision_effects& out) {
  utilisation_.assign(fleet_.size(), 0);
  std::int64_t cpu = 0;
  auto busy = std::exchange(departed_busy_, 0);
  const auto slots = static_cast<double>(config_.instance.concurrency) * 1e9;
  const auto cores = config_.instance.cpu * 1e9;
  for (const auto index : present_) {
    count_busy(now, index);
    auto& used = processes_[index].cpu;
    auto& x = activity_[index];
    const auto share =
      std::max(static_cast<double>(used) / cores, static_cast<double>(x.busy) / slots);
    utilisation_[index] = static_cast<std::uint32_t>(share * 1000 + 0.5);
    cpu += std::exchange(used, 0);
    busy += std::exchange(x.busy, 0);
  }
  scaler_->observe({now, static_cast<double>(cpu) * 1e-9, static_cast<double>(busy) * 1e-9});
  apply(now, fleet_.observe(now, utilisation_), out);
  apply(now, fleet_.stop_drained(now), out);
  ++seconds_;
  const auto period = scaler_->period();
  if (period != duration::max() && seconds_ % (period / std::chrono::seconds{1}) == 0)
    evaluate(now, out);

  auto result = std::exchange(sample_, {});
  const auto& n = fleet_.count();
  result.queue = static_cast<std::uint32_t>(queue_.size());
  sample_.queue_peak = result.queue;
  result.concurrency_milli = static_cast<std::uint64_t>(busy / 1'000'000);
  result.cpu_milli = static_cast<std::uint64_t>(cpu / 1'000'000);
  result.recommended = fleet_.recommended();
  result.starting = n.starting;
  result.ready = n.ready;
  result.deprioritised = n.deprioritised;
  result.draining = n.draining;
  result.crashed = n.crashed;
  return result;
}

void revision::evaluate(instant now, revision_effects& out) {
  const auto before = fleet_.recommended();
  const auto x = scaler_->decide(now, size());
  if (x.count != before)
    out.decided(scaler_->policy(), before, x, size());
  apply(now, fleet_.recommend(x.count, now), out);
  if (const auto missing = fleet_.missing(); missing > 0)
    for (auto granted = grant(now, missing, denied_evaluation_, out); granted > 0; --granted)
      start_instance(now, out);
  serve_queue(now, out);
}

duration revision::limit() const noexcept {
  return pending_limit(config_.pending, cold_start_.predict());
}

instant revision::next_deadline() const noexcept {
  return std::min(timeouts_.next(), queue_.next_due(limit()));
}

void revision::on_deadline(instant now, revision_effects& out) {
  const auto was_empty = queue_.empty();
  expire_pending(now, out);
  while (const auto key = timeouts_.pop_due(now)) {
    auto& x = requests_.at(*key);
    books_.end(outcome::gateway_timeout);
    ++sample_.completions;
    ++sample_.failures;
    out.answer(x.request, outcome::gateway_timeout);
    // The instance is not told and goes on working; its slot stays taken until it ends.
    if (x.instance != no_instance) {
      x.answered = true;
    } else {
      queue_.remove(*key);
      requests_.remove(*key);
    }
  }
  if (!was_empty && queue_.empty())
    out.queue_changed(0);
}

void revision::expire_pending(instant now, revision_effects& out) {
  const auto span = limit();
  while (const auto x = queue_.pop_expired(now, span))
    settle(x->request, outcome::internal_error, out);
  while (const auto x = queue_.first_overdue(now, span)) {
    const auto may_start = scaler_->on_demand() && fleet_.count().members() < scaler_->bounds().max;
    if (const auto next = may_start ? coming() : no_instance; next != no_instance) {
      queue_.extend_first(next);
    } else if (may_start && grant(now, 1, denied_demand_, out) == 1) {
      queue_.extend_first(start_on_demand(now, "overdue", out));
    } else {
      queue_.remove(x->request);
      settle(x->request, outcome::too_many_requests, out);
    }
  }
}

} // namespace spillover
