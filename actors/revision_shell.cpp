#include "actors/revision_shell.hpp"

#include "actors/instance_shell.hpp"

#include <algorithm>
#include <cmath>

namespace spillover {

namespace {

constexpr std::chrono::seconds one_second{1};

} // namespace

revision_shell::revision_shell(caf::actor_config& config, site& where, setup with,
                               prober_group_actor probers)
  : shell(config, where, actor_kind::revision, with.id, with.path),
    setup_(std::move(with)),
    probers_(std::move(probers)),
    revision_(setup_.config),
    blueprint_(setup_.config.instance),
    deadline_alarm_(setup_.id, deadline_timer) {
  set_down_handler([this](caf::scheduled_actor*, caf::down_msg& x) { on_down(x); });
}

revision_shell::behavior_type revision_shell::make_behavior() {
  warm_ = true;
  revision_.begin(now(), setup_.initial_instances, *this);
  warm_ = false;
  record tick;
  tick.to = id();
  tick.attempt = second_timer;
  events().after(one_second, tick);
  return {
    [this](const instance_ready& x) {
      if (processes_[x.index].incarnation == x.incarnation)
        revision_.on_ready(now(), x.index, *this);
      // The predicted cold start, and with it the pending limit, may be shorter now.
      deadline_alarm_.set(events(), revision_.next_deadline());
    },
    [this](const instance_order& x) { on_order(x); },
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
  x.who = spawn<instance_shell, caf::monitored>(site_,
                                                instance_shell::setup{entity_ids_[index], x.path,
                                                                      index, x.incarnation, id(),
                                                                      &blueprint_, warm_},
                                                caf::actor_cast<revision_actor>(this));
  if (first)
    send(probers_, endpoint_added{index, x.path, x.who, warm_ ? health::unknown : health::unhealthy,
                                  x.latest});
  else
    send(probers_, endpoint_replaced{index, x.who});
  x.endpoint = true;
  for (auto& fault : faults_) {
    if (!fault.order.future)
      continue;
    if (std::find(fault.victims.begin(), fault.victims.end(), index) == fault.victims.end())
      fault.victims.push_back(index);
    afflict(index, fault, true);
  }
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
  if (p.path.empty())
    p.path = path() + "/" + std::to_string(x.index);
  // `start` comes after this and counts the incarnation.
  const auto incarnation = p.incarnation + (x.after == instance_state::starting ? 1 : 0);
  // What an instance does by itself follows from its own last step, the rest from a decision.
  const auto by_itself = x.before == instance_state::starting || x.after == instance_state::draining
                         || x.after == instance_state::stopped;
  p.latest =
    site_.record_event(p.path, by_itself ? p.latest : cause_,
                       instance_changed{x.before, x.after, incarnation, std::string{x.reason}});
  const auto leaves = x.after == instance_state::draining || x.after == instance_state::stopped;
  if (leaves && p.endpoint) {
    p.endpoint = false;
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

void revision_shell::on_order(const instance_order& x) {
  if (x.active)
    lay(x);
  else
    take_off(x);
  deadline_alarm_.set(events(), revision_.next_deadline());
}

std::vector<std::uint32_t> revision_shell::choose_victims(const instance_order& x) const {
  auto rest = revision_.present();
  std::erase_if(rest, [this](std::uint32_t index) { return !processes_[index].who; });
  // An exact product must not be rounded up by the last bit of the fraction.
  const auto share = x.what.fraction * static_cast<double>(rest.size());
  const auto wanted = x.what.count
                        ? *x.what.count
                        : std::max(1U, static_cast<std::uint32_t>(std::ceil(share - 1e-9)));
  const auto count = std::min<std::size_t>(wanted, rest.size());
  random_stream random{site_.seed(), path() + "/fault/" + std::to_string(x.fault)};
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(random.below(rest.size()));
    result.push_back(rest[static_cast<std::size_t>(at)]);
    rest.erase(rest.begin() + at);
  }
  std::sort(result.begin(), result.end());
  return result;
}

void revision_shell::lay(const instance_order& x) {
  laid fault{x, choose_victims(x), {}};
  fault.applied = record_event(
    x.cause, fault_applied{x.fault, true, static_cast<std::uint32_t>(fault.victims.size()),
                           running(), std::string{to_string(x.what.suffer.become)}});
  faults_.push_back(fault);
  for (const auto index : fault.victims)
    afflict(index, fault, true);
}

void revision_shell::take_off(const instance_order& x) {
  const auto found = std::find_if(faults_.begin(), faults_.end(),
                                  [&](const laid& y) { return y.order.fault == x.fault; });
  if (found == faults_.end())
    return;
  auto fault = *found;
  faults_.erase(found);
  std::erase_if(fault.victims, [this](std::uint32_t index) {
    return revision_.state(index) == instance_state::stopped;
  });
  fault.applied = record_event(
    x.cause, fault_applied{x.fault, false, static_cast<std::uint32_t>(fault.victims.size()),
                           running(), std::string{to_string(x.what.suffer.become)}});
  for (const auto index : fault.victims)
    afflict(index, fault, false);
}

std::uint32_t revision_shell::running() const noexcept {
  return static_cast<std::uint32_t>(std::count_if(
    processes_.begin(), processes_.end(), [](const process& p) { return p.who != nullptr; }));
}

bool revision_shell::held_down(std::uint32_t index) const noexcept {
  return std::any_of(faults_.begin(), faults_.end(), [index](const laid& x) {
    return x.order.what.suffer.become == ailment::crashed
           && std::find(x.victims.begin(), x.victims.end(), index) != x.victims.end();
  });
}

void revision_shell::afflict(std::uint32_t index, const laid& x, bool active) {
  auto& p = processes_[index];
  const auto& what = x.order.what.suffer;
  p.latest = site_.record_event(
    p.path, x.applied,
    instance_afflicted{x.order.fault, active, std::string{to_string(what.become)}});
  if (active)
    site_.afflict(p.path, x.order.fault,
                  what.become != ailment::failing || what.error_fraction == 1, p.latest);
  else
    site_.heal(p.path, x.order.fault);
  if (what.become != ailment::crashed) {
    if (p.who)
      send(p.who, affliction{x.order.fault, active, what, p.latest});
  } else if (active) {
    // The process dies as a real one would: nobody inside is asked. `on_down` does the rest.
    if (p.who)
      send_exit(p.who, caf::exit_reason::kill);
  } else if (!held_down(index)) {
    cause_ = p.latest;
    revision_.restart(now(), index, *this);
  }
}

void revision_shell::on_down(const caf::down_msg& x) {
  const auto found = std::find_if(processes_.begin(), processes_.end(), [&](const process& p) {
    return p.who && p.who.address() == x.source;
  });
  if (found == processes_.end())
    return;
  found->who = nullptr;
  const auto index = static_cast<std::uint32_t>(found - processes_.begin());
  cause_ = found->latest;
  revision_.on_down(now(), index, *this);
  if (!held_down(index))
    revision_.restart(now(), index, *this);
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
