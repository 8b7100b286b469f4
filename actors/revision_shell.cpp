#include "actors/revision_shell.hpp"

#include "scenario/plan.hpp"

#include <algorithm>

namespace spillover {

namespace {

constexpr std::chrono::seconds one_second{1};

} // namespace

revision_shell::revision_shell(caf::actor_config& config, site& where, setup with, watchers by)
  : shell(config, where, actor_kind::revision, with.id, with.path),
    setup_(std::move(with)),
    watchers_(std::move(by)),
    taken_(setup_.id),
    service_(setup_.config),
    deadline_alarm_(setup_.id, deadline_timer),
    zones_(setup_.zones),
    afflictions_(where.seed(), path()) {
  if (setup_.balancer)
    gate_.emplace(*setup_.balancer);
  const auto& revisions = setup_.config.revisions;
  members_.reserve(revisions.size());
  for (std::uint32_t i = 0; i < revisions.size(); ++i)
    members_.emplace_back(*this, i, revision_path(path(), revisions[i].name), revisions[i].config);
  for (const auto& [tag, address] : setup_.tags)
    events().bind(address, *this);
  set_down_handler([this](caf::scheduled_actor*, caf::down_msg& x) { on_down(x); });
}

revision_shell::behavior_type revision_shell::make_behavior() {
  warm_ = true;
  service_.begin(now(), *this);
  warm_ = false;
  order_ = {};
  arm();
  record tick;
  tick.to = id();
  tick.attempt = second_timer;
  events().after(one_second, tick);
  return {
    [this](const instance_ready& x) { on_ready(x); },
    [this](const container_failed& x) { on_failed(x); },
    [this](const instance_readiness& x) { on_readiness(x); },
    [this](const endpoint_judged& x) { on_judged(x); },
    [this](const recreate_order& x) { on_order(x); },
    [this](const instance_order& x) { on_order(x); },
    [this](const quota_order& x) { on_order(x); },
    [this](const action_order& x) { on_order(x); },
    [this](const close_books&) { close(); },
  };
}

void revision_shell::on_record(const record& x) {
  switch (x.what) {
    case op::request: on_request(x); break;
    case op::response: {
      const auto number = service::number_of(x.request);
      service_.at(number).on_response(now(), x.arg, x.request, x.status, members_[number]);
      break;
    }
    case op::usage: {
      const auto& p = processes_[x.arg];
      service_.at(p.revision).on_usage(p.index, duration{static_cast<duration::rep>(x.request)});
      return;
    }
    case op::timer: on_timer(x); break;
    case op::connect: on_connect(x); return;
    case op::connected: on_connected(x); return;
    case op::sample: SPILLOVER_CHECK_NEVER("not for a revision");
  }
  arm();
}

void revision_shell::on_request(const record& x) {
  if (x.to != taken_) [[unlikely]] {
    on_other_request(x);
    return;
  }
  const auto number = service_.choose();
  if (site_.tracer()) [[unlikely]]
    trace(x, members_[number].path());
  service_.at(number).on_request(now(), x, members_[number]);
}

void revision_shell::on_other_request(const record& x) {
  if (const auto how = gate_ ? gate_->refusal() : std::nullopt) {
    service_.refuse(*how);
    members_[0].answer(x, *how);
    return;
  }
  const auto tag = std::find_if(setup_.tags.begin(), setup_.tags.end(),
                                [&x](const auto& y) { return y.second == x.to; });
  SPILLOVER_CHECK(tag != setup_.tags.end());
  const auto number = service_.tagged(tag->first);
  if (site_.tracer())
    trace(x, number ? members_[*number].path() : path());
  if (number) {
    service_.at(*number).on_request(now(), x, members_[*number]);
    return;
  }
  service_.refuse();
  members_[0].answer(x, outcome::unavailable);
}

void revision_shell::trace(const record& x, const std::string& where) {
  site_.tracer()->add({x.reply_to, x.request},
                      {now(), request_step::revision_took, x.attempt, where});
}

void revision_shell::on_timer(const record& x) {
  switch (static_cast<timer>(x.attempt)) {
    case second_timer:
      ask_usage();
      events().after(one_second, x);
      break;
    case deadline_timer:
      deadline_alarm_.fired();
      service_.on_deadline(now(), *this);
      break;
    case close_step: post_step(settled_step); break;
    case settled_step: {
      const auto sample = service_.on_second(now(), *this);
      record_event({}, sample);
      tell_utilization(sample);
      if (setup_.tells_traffic && sample.arrivals > 0) {
        setup_.tells_traffic = false;
        send(watchers_.probers, traffic_began{});
        if (watchers_.healers)
          send(watchers_.healers, traffic_began{});
      }
      break;
    }
    case restart_timer:
      if (processes_[x.arg].restarts == x.request)
        restart(x.arg);
      break;
  }
  order_ = {};
}

void revision_shell::tell_utilization(const revision_sample& x) {
  if (!watchers_.utilization)
    return;
  const auto running = x.ready + x.deprioritised + x.draining;
  send(watchers_.utilization,
       utilization_report{setup_.place, x.cpu_milli,
                          static_cast<std::uint64_t>(running * setup_.cores * 1000)});
}

void revision_shell::ask_usage() {
  record x;
  x.what = op::sample;
  for (std::uint32_t i = 0; i < service_.size(); ++i) {
    if (!service_.exists(i))
      continue;
    for (const auto index : service_.at(i).present()) {
      x.to = members_[i].entity_of(index);
      events().post(x);
    }
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

void revision_shell::on_ready(const instance_ready& x) {
  const auto& p = processes_[x.index];
  if (p.incarnation == x.incarnation) {
    for (const auto fault : afflictions_.started(x.index))
      recover(x.index, fault);
    processes_[x.index].backoff.serves(now());
    service_.at(p.revision).on_ready(now(), p.index, members_[p.revision]);
    follow();
  }
  // The predicted cold start, and with it the pending limit, may be shorter now.
  arm();
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
  arm();
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
    service_.lay_quota(x.fault, x.what);
  else
    service_.take_off_quota(x.fault);
  applied_[x.fault] = record_event(x.cause, fault_applied{x.fault, x.active, 0, 0, "quota"});
}

std::vector<affliction_book::candidate> revision_shell::candidates() const {
  std::vector<affliction_book::candidate> result;
  for (std::uint32_t i = 0; i < service_.size(); ++i) {
    if (!service_.exists(i))
      continue;
    for (const auto index : service_.at(i).present()) {
      const auto place = members_[i].place_of(index);
      result.push_back({place, processes_[place].zone, processes_[place].who != nullptr});
    }
  }
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
  const auto& p = processes_[index];
  cause_ = p.latest;
  service_.at(p.revision).restart(now(), p.index, members_[p.revision]);
}

void revision_shell::on_down(const caf::down_msg& x) {
  const auto found = std::find_if(processes_.begin(), processes_.end(), [&](const process& p) {
    return p.who && p.who.address() == x.source;
  });
  if (found == processes_.end())
    return;
  found->who = nullptr;
  tell_lost(static_cast<std::size_t>(found - processes_.begin()), false);
  const auto index = static_cast<std::uint32_t>(found - processes_.begin());
  for (const auto fault : afflictions_.ended(index))
    site_.heal(found->path, fault);
  cause_ = found->latest;
  const auto number = found->revision;
  auto& revision = service_.at(number);
  const auto failed_to_start = revision.state(found->index) == instance_state::starting;
  revision.on_down(now(), found->index, members_[number]);
  restart_after(index, {});
  tell_ended(index);
  if (failed_to_start)
    service_.on_start_failed(now(), number, *this);
  follow();
  arm();
}

void revision_shell::on_exit() {
  shell::on_exit();
  for (const auto& [tag, address] : setup_.tags)
    events().bury(address);
  for (auto& x : processes_) {
    if (x.who)
      send_exit(x.who, caf::exit_reason::user_shutdown);
    x.who = nullptr;
  }
  watchers_ = {};
}

} // namespace spillover
