#include "actors/revision_shell.hpp"

#include "actors/instance_shell.hpp"

#include <algorithm>

namespace spillover {

namespace {

constexpr std::chrono::seconds one_second{1};

instance_blueprint blueprint_of(const revision_config& x) {
  const auto where = platform_of(x.autoscaling, x.instance);
  auto instance = x.instance;
  if (where.start_time)
    instance.cold_start = constant_distribution{*where.start_time};
  return instance_blueprint{instance, where.limit};
}

} // namespace

revision_shell::revision_shell(caf::actor_config& config, site& where, setup with,
                               prober_group_actor probers)
  : shell(config, where, actor_kind::revision, with.id, with.path),
    setup_(std::move(with)),
    probers_(std::move(probers)),
    revision_(setup_.config),
    blueprint_(blueprint_of(setup_.config)),
    deadline_alarm_(setup_.id, deadline_timer),
    zones_(setup_.zones),
    afflictions_(where.seed(), path()) {
  set_down_handler([this](caf::scheduled_actor*, caf::down_msg& x) { on_down(x); });
}

revision_shell::behavior_type revision_shell::make_behavior() {
  warm_ = true;
  revision_.begin(now(), setup_.initial_instances, *this);
  warm_ = false;
  deadline_alarm_.set(events(), revision_.next_deadline());
  record tick;
  tick.to = id();
  tick.attempt = second_timer;
  events().after(one_second, tick);
  return {
    [this](const instance_ready& x) { on_ready(x); },
    [this](const container_failed& x) { on_failed(x); },
    [this](const instance_readiness& x) { on_readiness(x); },
    [this](const instance_order& x) { on_order(x); },
    [this](const quota_order& x) { on_order(x); },
    [this](const close_books&) { record_books("revision", "", revision_.requests()); },
  };
}

void revision_shell::on_record(const record& x) {
  switch (x.what) {
    case op::request:
      if (site_.tracer()) [[unlikely]]
        trace(x);
      revision_.on_request(now(), x, *this);
      break;
    case op::response: revision_.on_response(now(), x.arg, x.request, x.status, *this); break;
    case op::usage:
      revision_.on_usage(x.arg, duration{static_cast<duration::rep>(x.request)});
      return;
    case op::timer: on_timer(x); break;
    case op::sample: SPILLOVER_CHECK_NEVER("not for a revision");
  }
  deadline_alarm_.set(events(), revision_.next_deadline());
}

void revision_shell::trace(const record& x) {
  site_.tracer()->add({x.reply_to, x.request},
                      {now(), request_step::revision_took, x.attempt, path()});
}

void revision_shell::on_timer(const record& x) {
  switch (static_cast<timer>(x.attempt)) {
    case second_timer:
      ask_usage();
      events().after(one_second, x);
      break;
    case deadline_timer:
      deadline_alarm_.fired();
      revision_.on_deadline(now(), *this);
      break;
    case close_step: post_step(settled_step); break;
    case settled_step: record_event({}, revision_.on_second(now(), *this)); break;
    case restart_timer:
      if (processes_[x.arg].restarts == x.request)
        restart(x.arg);
      break;
  }
}

void revision_shell::ask_usage() {
  record x;
  x.what = op::sample;
  for (const auto index : revision_.present()) {
    x.to = entity_ids_[index];
    events().post(x);
  }
  // Posted records keep their order: the instances see the question before this step comes back, and
  // their answers come before the step after it.
  post_step(close_step);
}

void revision_shell::post_step(timer what) {
  record x;
  x.to = id();
  x.attempt = what;
  events().post(x);
}

void revision_shell::dispatch(std::uint32_t index, std::uint32_t key, std::uint64_t serial,
                              const record& request) {
  record x = request;
  x.to = entity_ids_[index];
  x.arg = key;
  x.request = serial;
  if (auto* tracer = site_.tracer()) [[unlikely]]
    tracer->dispatch({request.reply_to, request.request}, {x.to, serial},
                     {now(), request_step::dispatched, request.attempt, processes_[index].path});
  events().post(x);
}

void revision_shell::answer(const record& request, outcome how) {
  record x = request;
  x.to = setup_.service_id;
  x.what = op::response;
  x.status = how;
  events().post(x);
}

void revision_shell::start(std::uint32_t index) {
  if (index >= entity_ids_.size())
    entity_ids_.resize(index + 1);
  auto& x = processes_[index]; // made when its state changed to starting
  const auto first = x.incarnation == 0;
  ++x.incarnation;
  entity_ids_[index] = events().allocate();
  const auto hits = afflictions_.start(index, x.zone);
  x.who = spawn<instance_shell, caf::monitored>(
    site_,
    instance_shell::setup{entity_ids_[index], x.path, index, x.incarnation, id(), &blueprint_,
                          warm_, afflictions_.terms(index)},
    caf::actor_cast<revision_actor>(this));
  if (first)
    send(probers_, endpoint_added{index, x.path, x.who, warm_ ? health::unknown : health::unhealthy,
                                  x.latest});
  else
    send(probers_, endpoint_replaced{index, x.who});
  x.endpoint = true;
  for (const auto& y : hits)
    fall_ill(index, y.fault, y.fresh);
}

void revision_shell::stop(std::uint32_t index) {
  auto& x = processes_[index];
  if (!x.who)
    return;
  demonitor(x.who.address());
  send_exit(x.who, caf::exit_reason::user_shutdown);
  x.who = nullptr;
}

void revision_shell::changed(const fleet::change& x) {
  if (x.index >= processes_.size())
    processes_.resize(x.index + 1);
  auto& p = processes_[x.index];
  if (p.path.empty()) {
    p.path = path() + "/" + std::to_string(x.index);
    p.zone = zones_.place(afflictions_.lost_zones());
  }
  // `start` comes after this and counts the incarnation.
  const auto incarnation = p.incarnation + (x.after == instance_state::starting ? 1 : 0);
  // What an instance does by itself follows from its own last step, the rest from a decision.
  const auto by_itself = x.after == instance_state::stopped ? x.before == instance_state::draining
                         : x.after == instance_state::draining
                           ? x.before == instance_state::deprioritised
                           : x.before == instance_state::starting;
  p.latest = site_.record_event(
    p.path, by_itself ? p.latest : cause_,
    instance_changed{x.before, x.after, incarnation, std::string{x.reason}, zone_name(p.zone)});
  if (x.after == instance_state::stopped)
    afflictions_.stopped(x.index);
  const auto leaves = x.after == instance_state::draining || x.after == instance_state::stopped;
  if (leaves && p.endpoint) {
    p.endpoint = false;
    zones_.leave(p.zone);
    send(probers_, endpoint_removed{x.index, p.latest});
  }
}

void revision_shell::decided(std::string_view policy, std::uint32_t before, const recommendation& x,
                             const fleet_size& size) {
  cause_ = record_event({}, scaling_decided{std::string{policy}, before, x.count, size.running,
                                            size.starting, std::string{x.driver}, x.inputs});
}

void revision_shell::queue_changed(std::uint32_t length) {
  record_event({}, spillover::queue_changed{length});
}

void revision_shell::path_changed(bool activator, std::int64_t excess_burst_capacity) {
  record_event({}, spillover::path_changed{activator, excess_burst_capacity});
}

void revision_shell::denied(std::uint32_t wanted, const start_quota::answer& x) {
  record_event(applied_[x.fault], start_denied{wanted, x.granted, x.reason});
}

void revision_shell::on_ready(const instance_ready& x) {
  if (processes_[x.index].incarnation == x.incarnation) {
    for (const auto fault : afflictions_.started(x.index))
      recover(x.index, fault);
    processes_[x.index].backoff.serves(now());
    revision_.on_ready(now(), x.index, *this);
  }
  // The predicted cold start, and with it the pending limit, may be shorter now.
  deadline_alarm_.set(events(), revision_.next_deadline());
}

void revision_shell::on_order(const instance_order& x) {
  if (x.where.zone.value_or(0) >= setup_.zones)
    return;
  if (x.active) {
    const auto victims = afflictions_.lay(x.fault, x.what, x.where, candidates());
    announce(x, victims.size());
    for (const auto index : victims)
      fall_ill(index, x.fault, true);
  } else {
    const auto left = afflictions_.take_off(x.fault);
    announce(x, left.size());
    for (const auto index : left)
      recover(index, x.fault);
  }
  deadline_alarm_.set(events(), revision_.next_deadline());
}

void revision_shell::announce(const instance_order& x, std::size_t affected) {
  const auto become = x.what.suffer.become;
  // Those that are there say nothing about a fault of starts.
  const auto present = is_of_starts(become) ? 0 : running();
  applied_[x.fault] =
    record_event(x.cause, fault_applied{x.fault, x.active, static_cast<std::uint32_t>(affected),
                                        present, std::string{to_string(become)}});
}

void revision_shell::on_order(const quota_order& x) {
  if (x.active)
    revision_.lay_quota(x.fault, x.what);
  else
    revision_.take_off_quota(x.fault);
  applied_[x.fault] = record_event(x.cause, fault_applied{x.fault, x.active, 0, 0, "quota"});
}

std::vector<affliction_book::candidate> revision_shell::candidates() const {
  std::vector<affliction_book::candidate> result;
  for (const auto index : revision_.present())
    result.push_back({index, processes_[index].zone, processes_[index].who != nullptr});
  return result;
}

std::uint32_t revision_shell::running() const noexcept {
  return static_cast<std::uint32_t>(std::count_if(
    processes_.begin(), processes_.end(), [](const process& p) { return p.who != nullptr; }));
}

void revision_shell::fall_ill(std::uint32_t index, std::uint32_t fault, bool fresh) {
  auto& p = processes_[index];
  const auto& what = afflictions_.of(fault).suffer;
  if (fresh) {
    p.latest =
      site_.record_event(p.path, applied_[fault],
                         instance_afflicted{fault, true, std::string{to_string(what.become)}});
    site_.afflict(p.path, fault, bearing_of(what), p.latest);
  }
  if (!p.who)
    return;
  // The process dies as a real one would: nobody inside is asked. `on_down` does the rest.
  if (what.become == ailment::crashed)
    send_exit(p.who, caf::exit_reason::kill);
  else
    send(p.who, affliction{fault, true, what, p.latest});
}

void revision_shell::recover(std::uint32_t index, std::uint32_t fault) {
  auto& p = processes_[index];
  const auto& what = afflictions_.of(fault).suffer;
  p.latest = site_.record_event(
    p.path, applied_[fault], instance_afflicted{fault, false, std::string{to_string(what.become)}});
  site_.heal(p.path, fault);
  if (what.become == ailment::crashed)
    restart_after(index, afflictions_.restart_delay(fault));
  else if (p.who)
    send(p.who, affliction{fault, false, what, p.latest});
}

void revision_shell::restart_after(std::uint32_t index, duration delay) {
  const auto number = ++processes_[index].restarts;
  if (delay == duration::zero()) {
    restart(index);
    return;
  }
  record x;
  x.to = id();
  x.attempt = restart_timer;
  x.arg = index;
  x.request = number;
  events().after(delay, x);
}

void revision_shell::restart(std::uint32_t index) {
  if (afflictions_.held_down(index))
    return;
  cause_ = processes_[index].latest;
  revision_.restart(now(), index, *this);
}

void revision_shell::on_down(const caf::down_msg& x) {
  const auto found = std::find_if(processes_.begin(), processes_.end(), [&](const process& p) {
    return p.who && p.who.address() == x.source;
  });
  if (found == processes_.end())
    return;
  found->who = nullptr;
  const auto index = static_cast<std::uint32_t>(found - processes_.begin());
  for (const auto fault : afflictions_.ended(index))
    site_.heal(found->path, fault);
  cause_ = found->latest;
  revision_.on_down(now(), index, *this);
  restart_after(index, {});
  deadline_alarm_.set(events(), revision_.next_deadline());
}

void revision_shell::on_exit() {
  shell::on_exit();
  for (auto& x : processes_) {
    if (x.who)
      send_exit(x.who, caf::exit_reason::user_shutdown);
    x.who = nullptr;
  }
  probers_ = nullptr;
}

} // namespace spillover
