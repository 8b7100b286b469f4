#include "actors/prober_group_shell.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

std::string seconds_text(duration x) {
  const auto ms = x.count() / 1'000'000;
  if (ms % 1000 == 0)
    return std::to_string(ms / 1000) + " s";
  return std::to_string(ms) + " ms";
}

} // namespace

prober_group_shell::prober_group_shell(caf::actor_config& config, site& where, setup with,
                                       health_source_actor source, published_service_actor service)
  : shell(config, where, actor_kind::prober_group, with.id, with.path),
    setup_(std::move(with)),
    source_(std::move(source)),
    service_(std::move(service)),
    phases_(where.seed(), path() + "/phases"),
    roster_(setup_.config.probers),
    paced_(is_paced(setup_.config)) {
  if (setup_.healing)
    healing_.emplace(*setup_.healing);
}

prober_group_shell::behavior_type prober_group_shell::make_behavior() {
  return {
    [this](const endpoint_added& x) { add(x); },
    [this](const endpoint_replaced& x) { replace(x); },
    [this](const endpoint_removed& x) { remove(x); },
    [this](const traffic_began&) { traffic_ = true; },
    [this](const prober_order& x) { obey(x); },
    [this](const action_order& x) { update(x); },
  };
}

void prober_group_shell::add(const endpoint_added& x) {
  if (x.index >= endpoints_.size())
    endpoints_.resize(x.index + 1);
  auto& e = endpoints_[x.index];
  const auto& c = setup_.config;
  e.who = x.who;
  e.path = x.path;
  e.zone = x.zone;
  e.tracker.emplace(c, x.initial);
  e.unheard.assign(c.probers, {});
  e.wronged = false;
  report(e, endpoint_report::step::added, x.initial, x.initial, x.cause);
  auto wait = duration::zero();
  // Those that the run begins with have been there for long.
  if (now() > run_start) {
    wait = c.initial_delay;
    e.lag_until = now() + c.network_lag;
    e.refusals.assign(c.probers, false);
  }
  for (std::uint32_t prober = 0; prober < c.probers; ++prober) {
    const auto phase = phases_.below(static_cast<std::uint64_t>(c.interval.count()));
    set_timer(probe_timer, wait + duration{static_cast<duration::rep>(phase)}, x.index, prober, {});
  }
  group_ = x.group;
  if (healing_)
    watch_start(x.index);
  else if (group_)
    send(group_, endpoint_judged{x.index, x.initial});
}

void prober_group_shell::replace(const endpoint_replaced& x) {
  auto& e = endpoints_[x.index];
  // Probes go on to meet the process that ended, and are refused.
  if (!x.who) {
    if (healing_)
      healing_->ended(x.index);
    return;
  }
  e.who = x.who;
  if (!healing_)
    return;
  // What is made anew begins anew.
  e.tracker.emplace(setup_.config, health::unknown);
  watch_start(x.index);
}

void prober_group_shell::watch_start(std::uint32_t index) {
  if (const auto until = healing_->begins(index, now()); until > now())
    set_timer(delay_timer, until - now(), index, 0, {});
}

void prober_group_shell::remove(const endpoint_removed& x) {
  auto& e = endpoints_[x.index];
  if (!e.who)
    return;
  e.who = nullptr;
  const auto state = e.tracker->state();
  e.tracker.reset();
  report(e, endpoint_report::step::removed, state, state, x.cause);
  if (group_ && !healing_)
    send(group_, endpoint_judged{x.index, state, true});
}

void prober_group_shell::on_record(const record& x) {
  // An endpoint that left takes its timers with it.
  if (!endpoints_[x.arg].who)
    return;
  const auto prober = static_cast<std::uint32_t>(x.request);
  switch (x.attempt) {
    case probe_timer:
      // Also while the prober is lost, so that it goes on at the instants it would have had.
      if (!paced_ || !roster_.probes(prober))
        events().after(setup_.config.interval, x);
      if (roster_.probes(prober))
        begin_probe(x.arg, prober);
      break;
    case success_timer:
      hear(x.arg, prober, probe_result::answered, run_start + duration{x.sent});
      break;
    case delay_timer: end_delay(x.arg); break;
    default: finish_probe(x.arg, prober, probe_result::silent, endpoints_[x.arg].unheard[prober]);
  }
}

void prober_group_shell::set_timer(timer what, duration span, std::uint32_t index,
                                   std::uint32_t prober, instant due) {
  record r;
  r.to = id();
  r.attempt = what;
  r.arg = index;
  r.request = prober;
  r.sent = due.time_since_epoch().count();
  events().after(span, r);
}

void prober_group_shell::begin_probe(std::uint32_t index, std::uint32_t prober) {
  const auto& c = setup_.config;
  auto& e = endpoints_[index];
  if (now() < e.lag_until) {
    e.refusals[prober] = !e.refusals[prober];
    if (e.refusals[prober]) {
      finish_probe(index, prober, probe_result::refused);
      return;
    }
  }
  const auto due = now() + c.timeout;
  request(e.who, c.timeout, probe{c.protocol == probe_protocol::tcp})
    .then(
      [this, index, prober, due](const probe_answer& x) {
        const auto met = judged_by(setup_.config, x.met);
        if (met == probe_result::answered)
          set_timer(success_timer, setup_.config.response_time, index, prober, due);
        else
          hear(index, prober, met, due);
      },
      // Silence until the timeout and a process that is not there both mean failure.
      [this, index, prober, due](const caf::error&) {
        hear(index, prober, probe_result::refused, due);
      });
}

// What the endpoint said, or did not say by `due`, reaches the prober now, unless it is cut off: then
// the probe fails when its time is over.
void prober_group_shell::hear(std::uint32_t index, std::uint32_t prober, probe_result result,
                              instant due) {
  auto& e = endpoints_[index];
  const auto unheard = roster_.cut_off_by(prober);
  if (!unheard || now() >= due || !e.tracker) {
    finish_probe(index, prober, result);
    return;
  }
  e.unheard[prober] = *unheard;
  set_timer(silence_timer, due - now(), index, prober, due);
}

void prober_group_shell::finish_probe(std::uint32_t index, std::uint32_t prober,
                                      probe_result result, event_id unheard) {
  auto& e = endpoints_[index];
  if (!e.tracker)
    return;
  const auto& c = setup_.config;
  std::optional<endpoint_tracker::transition> change;
  if (roster_.probes(prober))
    change = e.tracker->observe(prober, result, roster_.probing() >= quorum_of(c));
  if (paced_)
    set_timer(
      probe_timer,
      pause_after(c, result == probe_result::answered, e.tracker->is_pending(prober), traffic_),
      index, prober, {});
  if (change)
    tell(index, *change, take_cause(e, change->after, unheard));
}

void prober_group_shell::tell(std::uint32_t index, const endpoint_tracker::transition& x,
                              event_id cause) {
  const auto& path = endpoints_[index].path;
  if (healing_) {
    const auto recreates = healing_->judged(index, now(), x.after);
    const auto judged = site_.record_event(
      path, cause, auto_healing_judged{x.before, x.after, recreates, words(x.after)});
    if (recreates)
      make_anew(index, judged);
    return;
  }
  const auto changed = site_.record_event(
    path, cause,
    endpoint_changed{x.before, x.after, x.agreeing, setup_.config.probers, words(x.after)});
  report(endpoints_[index], endpoint_report::step::changed, x.before, x.after, changed);
  if (group_)
    send(group_, endpoint_judged{index, x.after});
}

void prober_group_shell::end_delay(std::uint32_t index) {
  if (!healing_->delay_ended(index, now()))
    return;
  const auto& path = endpoints_[index].path;
  const auto reason = "initial delay of " + seconds_text(*setup_.healing) + " is over";
  make_anew(index, site_.record_event(
                     path, site_.log().latest(path),
                     auto_healing_judged{health::unhealthy, health::unhealthy, true, reason}));
}

void prober_group_shell::make_anew(std::uint32_t index, event_id cause) {
  send(group_, recreate_order{index, endpoints_[index].who, cause});
}

// The health check as far as it decides on `after`.
std::string prober_group_shell::words(health after) const {
  const auto& c = setup_.config;
  const auto threshold = after == health::healthy ? c.healthy_threshold : c.unhealthy_threshold;
  auto result = seconds_text(c.interval) + " x " + std::to_string(threshold) + ", timeout "
                + seconds_text(c.timeout);
  if (c.protocol != probe_protocol::http)
    result.append(", ").append(to_string(c.protocol));
  return result;
}

// The event that an endpoint's change follows from: of the instance, or of the probers when it was
// they who heard nothing, and who hear again.
event_id prober_group_shell::take_cause(endpoint& e, health after, event_id unheard) {
  const auto wronged = std::exchange(e.wronged, after == health::unhealthy && unheard);
  if (after == health::unhealthy) {
    e.lift_before = last_lift_;
    return unheard ? unheard : site_.reason_to_fail(e.path);
  }
  // A lift from before it was wronged has not brought it back.
  return wronged && last_lift_ != e.lift_before ? last_lift_ : site_.log().latest(e.path);
}

// Probes under way end as they began; their probers go on at the new interval.
void prober_group_shell::update(const action_order& x) {
  auto& c = setup_.config;
  c = updated(c, std::get<update_check_action>(x.what.what));
  for (auto& e : endpoints_)
    if (e.tracker)
      e.tracker->set_thresholds(c.healthy_threshold, c.unhealthy_threshold);
  site_.record_event(x.what.of, {}, action_taken{x.index, to_string(x.what), x.what.name, {}});
}

void prober_group_shell::obey(const prober_order& x) {
  const auto record_step = [&](std::uint32_t hit) {
    return record_event(x.cause, fault_applied{x.fault, x.active, hit, roster_.size(),
                                               std::string{to_string(x.what.become)}});
  };
  if (!x.active) {
    last_lift_ = record_step(roster_.lift(x.fault));
    return;
  }
  const auto hit = std::min(x.what.count.value_or(roster_.size()), roster_.size());
  roster_.lay(x.fault, x.what.become, x.what.count, record_step(hit));
}

void prober_group_shell::report(const endpoint& of, endpoint_report::step what, health before,
                                health after, event_id cause) {
  const endpoint_report x{what, before, after, cause, of.zone};
  if (source_)
    send(source_, x);
  if (service_)
    send(service_, x);
}

void prober_group_shell::on_exit() {
  shell::on_exit();
  source_ = nullptr;
  service_ = nullptr;
  group_ = nullptr;
  endpoints_.clear();
}

} // namespace spillover
