#include "producers/revision.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

// Weight of the latest request in the mean time that requests hold a slot.
constexpr double hold_weight = 1.0 / 64;

scale_in_config scale_in_of(const revision_config& x, const platform& where) {
  auto result = x.scale_in;
  result.drain_deadline =
    where.drain_deadline.value_or(std::max(result.drain_deadline, x.request_timeout));
  return result;
}

duration mean_start_of(const revision_config& x, const platform& where) {
  return where.start_time.value_or(mean_start(x.instance));
}

} // namespace

std::uint32_t start_pool::members() const noexcept {
  std::uint32_t sum = 0;
  for (const auto* x : fleets)
    sum += x->count().members();
  return sum;
}

revision::revision(const revision_config& config, start_pool& pool)
  : config_(config),
    platform_(platform_of(config.autoscaling, config.instance)),
    scaler_(
      make_autoscaler(config.autoscaling, config.instance, config.seed, config.path, config.began)),
    watcher_(scaler_->watcher()),
    per_instance_(scaler_->wants_instances()),
    fleet_(scale_in_of(config, platform_), platform_.unneeded),
    router_(make_router(config, platform_)),
    packer_(platform_.packs() ? static_cast<instance_router*>(router_.get()) : nullptr),
    pods_(platform_.packs() ? nullptr : static_cast<pod_router*>(router_.get())),
    cores_(total_cpu(config.instance)),
    cold_start_(mean_start_of(config, platform_)),
    tally_(config.billing, {cores_, total_boosted_cpu(config.instance)}),
    pool_(pool),
    serial_(std::uint64_t{config.number} << serial_bits),
    hold_ns_(static_cast<double>(mean_of(config.instance.service_time).count())) {
  pool_.fleets.push_back(&fleet_);
  if (packer_ && config.routing.affinity)
    sessions_.emplace(*config.routing.affinity);
  if (platform_.probed)
    finder_ = std::make_unique<pod_finder>(
      *platform_.probed, random_stream{config.seed, config.path + "/activator_probes"});
  if (pods_)
    pods_->follow(platform_.routing, 0);
}

std::unique_ptr<request_router> revision::make_router(const revision_config& x,
                                                      const platform& where) {
  if (where.packs())
    return std::make_unique<instance_router>(x.instance.concurrency);
  return std::make_unique<pod_router>(random_stream{x.seed, x.path + "/routing"});
}

void revision::begin(instant now, std::uint32_t count, revision_effects& out) {
  tally_.keep(now, scaler_->bounds().min);
  apply(now, fleet_.recommend(count, now), out);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto index = start_instance(now, out);
    std::erase(starting_, index);
    tally_.warm(now, index);
    out.changed(fleet_.became_ready(index, now));
    become_ready(now, index, instance_state::ready);
  }
  seen_running_ = count;
  follow_path(out);
}

void revision::on_request(instant now, const record& request, revision_effects& out) {
  books_.take();
  ++sample_.arrivals;
  const auto key = requests_.add({request, ++serial_, now, no_instance, false, proxied_});
  timeouts_.push(now + config_.request_timeout, key);
  if (proxied_ && watcher_->came(now)) {
    evaluate(now, out);
    look_at_changes(now, out);
  }
  // While requests wait no slot is free; past the activator nobody waits.
  if (queue_.empty() || (watcher_ && !proxied_)) {
    if (const auto index = dispatch(now, request)) {
      assign(now, key, *index, out);
      return;
    }
  }
  enqueue(now, key, out);
}

std::optional<std::uint32_t> revision::dispatch(instant now, const record& request) {
  if (sessions_) [[unlikely]]
    if (const auto index = sessions_->find(now, request);
        index && !processes_[*index].saturated && packer_->dispatch_to(*index))
      return index;
  return router_->dispatch();
}

void revision::become_ready(instant now, std::uint32_t index, instance_state state) {
  processes_[index].ready_changed = now;
  processes_[index].unseen = finder_ && proxied_ && now > config_.began;
  if (processes_[index].unseen)
    finder_->watch(now, index);
  else
    route_to(index, state);
  if (platform_.tunes) {
    // A new process begins at the ceiling.
    const adaptive_concurrency fresh{{}, config_.instance.concurrency};
    tuned_.resize(std::max<std::size_t>(tuned_.size(), index + 1), fresh);
    tuned_[index] = fresh;
  }
  if (watcher_)
    watcher_->serves(now, index);
}

void revision::retire(instant now, std::uint32_t index) {
  if (is_routed_to(index))
    router_->remove(index);
  if (std::exchange(processes_[index].unseen, false))
    finder_->forget(index);
  processes_[index].ready_changed = now;
  if (watcher_ && !processes_[index].set_aside)
    watcher_->retired(index);
  set_aside_ -= std::exchange(processes_[index].set_aside, false) ? 1 : 0;
}

void revision::move_to(std::uint32_t index, request_router::tier where) {
  if (is_routed_to(index))
    router_->move(index, where);
}

void revision::route_to(std::uint32_t index, instance_state state) {
  router_->add(index, tier_of(state));
}

request_router::tier revision::tier_of(instance_state state) const noexcept {
  const auto alike =
    config_.routing.spread_over_minimum && fleet_.recommended() <= scaler_->bounds().min;
  return state == instance_state::ready || alike ? request_router::tier::ready
                                                 : request_router::tier::deprioritised;
}

void revision::count_busy(instant now, std::uint32_t index) noexcept {
  tally_.count_slots(now, index, router_->in_flight(index));
}

void revision::assign(instant now, std::uint32_t key, std::uint32_t index, revision_effects& out) {
  const auto before = router_->in_flight(index) - 1; // dispatch has counted it in
  tally_.count_slots(now, index, before);
  if (before == 0) {
    fleet_.busy(index, 1, now);
    tally_.request_begins(now, index);
  }
  auto& request = requests_.at(key);
  request.instance = index;
  request.dispatched = now;
  if (watcher_)
    watcher_->began(now, index, request.proxied);
  if (per_instance_)
    ++processes_[index].requests;
  if (platform_.tunes && before + 1 >= tuned_[index].limit())
    processes_[index].reached_limit = true;
  if (sessions_) [[unlikely]]
    sessions_->remember(now, request.request, index);
  out.dispatch(index, key, request.serial, request.request);
}

void revision::on_response(instant now, std::uint32_t key, std::uint64_t serial, outcome how,
                           revision_effects& out) {
  const auto* found = requests_.find(key);
  if (!found || found->serial != serial) {
    ++books_.late;
    return;
  }
  const auto x = *found;
  tally_.fetch(x.instance);
  fleet_.fetch(x.instance);
  hold_ns_ += (static_cast<double>((now - x.dispatched).count()) - hold_ns_) * hold_weight;
  if (x.answered)
    requests_.remove(key);
  else
    settle(now, key, how, out);
  release_instance(now, x, out);
}

void revision::release_instance(instant now, const pending& x, revision_effects& out) {
  count_busy(now, x.instance);
  router_->finish(x.instance);
  if (watcher_)
    watcher_->ended(now, x.instance, x.proxied);
  const auto left = router_->in_flight(x.instance);
  if (left == 0) {
    fleet_.busy(x.instance, 0, now);
    tally_.request_ends(now, x.instance);
  }
  if (left == 0 && fleet_.state(x.instance) == instance_state::draining)
    apply(now, fleet_.stop_drained(now), out);
  serve_queue(now, out);
}

void revision::settle(instant now, std::uint32_t key, outcome how, revision_effects& out) {
  const auto request = requests_.at(key).request;
  if (requests_.at(key).proxied)
    watcher_->left(now);
  timeouts_.settle(key);
  requests_.remove(key);
  books_.end(how);
  ++sample_.completions;
  sample_.failures += how != outcome::ok;
  out.answer(request, how);
}

std::uint32_t revision::start_instance(instant now, revision_effects& out) {
  const auto index = fleet_.start(now);
  if (index >= processes_.size())
    processes_.resize(index + 1);
  processes_[index] = {
    .started = now, .expected = now + cold_start_.predict(), .ready_changed = now};
  present_.push_back(index);
  starting_.push_back(index);
  tell(now, {index, instance_state::stopped, instance_state::starting, "started"}, out);
  out.start(index);
  return index;
}

void revision::apply(instant now, const std::vector<fleet::change>& changes,
                     revision_effects& out) {
  for (const auto& x : changes) {
    std::vector<std::uint32_t> held;
    switch (x.after) {
      case instance_state::ready:
      case instance_state::deprioritised: move_to(x.index, tier_of(x.after)); break;
      case instance_state::draining: retire(now, x.index); break;
      case instance_state::stopped:
        // At the drain deadline it may still hold some.
        held = take_held(now, x.index);
        leave(x.index);
        break;
      case instance_state::starting:
      case instance_state::crashed: break;
    }
    tell(now, x, out);
    if (x.after == instance_state::stopped)
      out.stop(x.index);
    fail(now, held, outcome::bad_gateway, out);
  }
}

void revision::tell(instant now, const fleet::change& x, revision_effects& out) {
  tally_.change(now, x);
  out.changed(x);
}

void revision::leave(std::uint32_t index) {
  departed_busy_ += tally_.take_slot_time(index).count();
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
  become_ready(now, index, change.after);
  tell(now, change, out);
  serve_queue(now, out);
  look_at_changes(now, out);
}

void revision::on_down(instant now, std::uint32_t index, revision_effects& out) {
  end_process(now, index, "crashed", outcome::bad_gateway, out);
}

void revision::end_process(instant now, std::uint32_t index, std::string_view why, outcome how,
                           revision_effects& out) {
  const auto state = fleet_.state(index);
  if (state == instance_state::stopped || state == instance_state::crashed)
    return;
  if (state == instance_state::ready || state == instance_state::deprioritised)
    retire(now, index);
  std::erase(starting_, index);
  queue_.release(index);
  const auto held = take_held(now, index);
  const auto change = fleet_.crash(index, now, why);
  if (change.after == instance_state::stopped)
    leave(index);
  tell(now, change, out);
  fail(now, held, how, out);
  look_at_changes(now, out);
}

std::vector<std::uint32_t> revision::take_held(instant now, std::uint32_t index) {
  std::vector<std::uint32_t> held;
  if (router_->in_flight(index) == 0)
    return held;
  count_busy(now, index);
  requests_.for_each([&](std::uint32_t key, const pending& x) {
    if (x.instance == index)
      held.push_back(key);
  });
  router_->forget(index);
  fleet_.busy(index, 0, now);
  return held;
}

void revision::fail(instant now, const std::vector<std::uint32_t>& held, outcome how,
                    revision_effects& out) {
  for (const auto key : held) {
    if (requests_.at(key).answered)
      requests_.remove(key);
    else
      settle(now, key, how, out);
  }
}

void revision::restart(instant now, std::uint32_t index, revision_effects& out) {
  if (fleet_.state(index) != instance_state::crashed)
    return;
  tell(now, fleet_.restart(index, now), out);
  auto& own = processes_[index];
  own.started = now;
  own.expected = now + cold_start_.predict();
  own.ready_changed = now;
  starting_.push_back(index);
  out.start(index);
}

void revision::on_usage(std::uint32_t index, duration cpu) noexcept {
  processes_[index].cpu += cpu.count();
}

fleet_size revision::size() const noexcept {
  const auto& n = fleet_.count();
  const auto unready = platform_.packs() ? 0 : set_aside_;
  return {fleet_.recommended(), n.ready + n.deprioritised - unready, n.starting,
          router_->in_flight() > 0 || !queue_.empty()};
}

instant revision::next_deadline() const noexcept {
  auto next = std::min(timeouts_.next(), scaler_->next_look());
  if (finder_)
    next = std::min(next, finder_->next());
  return platform_.packs() ? std::min(next, queue_.next_due(limit())) : next;
}

void revision::on_deadline(instant now, revision_effects& out) {
  const auto was_empty = queue_.empty();
  if (platform_.packs())
    expire_pending(now, out);
  while (const auto key = timeouts_.pop_due(now))
    end_timed_out(now, *key, out);
  if (!was_empty && queue_.empty())
    out.queue_changed(0);
  if (finder_)
    find_pods(now, out);
  if (scaler_->next_look() <= now) {
    carry_out(now, scaler_->look(now, size()), out);
    look_at_changes(now, out);
  }
}

void revision::end_timed_out(instant now, std::uint32_t key, revision_effects& out) {
  auto& x = requests_.at(key);
  const auto how =
    x.proxied && x.instance == no_instance ? outcome::unavailable : outcome::gateway_timeout;
  if (x.proxied)
    watcher_->left(now);
  books_.end(how);
  ++sample_.completions;
  ++sample_.failures;
  out.answer(x.request, how);
  // The instance is not told and goes on working; its slot stays taken until it ends.
  if (x.instance != no_instance) {
    x.answered = true;
  } else {
    queue_.remove(key);
    requests_.remove(key);
  }
}

} // namespace spillover
