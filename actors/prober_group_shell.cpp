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
    roster_(setup_.config.probers) {}

prober_group_shell::behavior_type prober_group_shell::make_behavior() {
  return {
    [this](const endpoint_added& x) { add(x); },
    [this](const endpoint_replaced& x) { endpoints_[x.index].who = x.who; },
    [this](const endpoint_removed& x) { remove(x); },
    [this](const prober_order& x) { obey(x); },
  };
}

void prober_group_shell::add(const endpoint_added& x) {
  if (x.index >= endpoints_.size())
    endpoints_.resize(x.index + 1);
  auto& e = endpoints_[x.index];
  e.who = x.who;
  e.path = x.path;
  e.zone = x.zone;
  e.tracker.emplace(setup_.config, x.initial);
  e.unheard.assign(setup_.config.probers, {});
  e.wronged = false;
  report(e, endpoint_report::step::added, x.initial, x.initial, x.cause);
  for (std::uint32_t prober = 0; prober < setup_.config.probers; ++prober) {
    const auto phase = phases_.below(static_cast<std::uint64_t>(setup_.config.interval.count()));
    set_timer(probe_timer, duration{static_cast<duration::rep>(phase)}, x.index, prober, {});
  }
}

void prober_group_shell::remove(const endpoint_removed& x) {
  auto& e = endpoints_[x.index];
  if (!e.who)
    return;
  e.who = nullptr;
  const auto state = e.tracker->state();
  e.tracker.reset();
  report(e, endpoint_report::step::removed, state, state, x.cause);
}

void prober_group_shell::on_record(const record& x) {
  // An endpoint that left takes its timers with it.
  if (!endpoints_[x.arg].who)
    return;
  const auto prober = static_cast<std::uint32_t>(x.request);
  switch (x.attempt) {
    case probe_timer:
      // Also while the prober is lost, so that it goes on at the instants it would have had.
      events().after(setup_.config.interval, x);
      if (roster_.probes(prober))
        begin_probe(x.arg, prober);
      break;
    case success_timer: hear(x.arg, prober, true, run_start + duration{x.sent}); break;
    default: finish_probe(x.arg, prober, false, endpoints_[x.arg].unheard[prober]);
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
  const auto due = now() + setup_.config.timeout;
  request(endpoints_[index].who, setup_.config.timeout, probe{})
    .then(
      [this, index, prober, due](const probe_answer& x) {
        if (x.healthy)
          set_timer(success_timer, setup_.config.response_time, index, prober, due);
        else
          hear(index, prober, false, due);
      },
      // Silence until the timeout and a process that is not there both mean failure.
      [this, index, prober, due](const caf::error&) { hear(index, prober, false, due); });
}

// What the endpoint said, or did not say by `due`, reaches the prober now, unless it is cut off: then
// the probe fails when its time is over.
void prober_group_shell::hear(std::uint32_t index, std::uint32_t prober, bool success,
                              instant due) {
  auto& e = endpoints_[index];
  const auto unheard = roster_.cut_off_by(prober);
  if (!unheard || now() >= due || !e.tracker) {
    finish_probe(index, prober, success);
    return;
  }
  e.unheard[prober] = *unheard;
  set_timer(silence_timer, due - now(), index, prober, due);
}

void prober_group_shell::finish_probe(std::uint32_t index, std::uint32_t prober, bool success,
                                      event_id unheard) {
  auto& e = endpoints_[index];
  if (!e.tracker || !roster_.probes(prober))
    return;
  const auto& c = setup_.config;
  const auto change = e.tracker->observe(prober, success, roster_.probing() >= quorum_of(c));
  if (!change)
    return;
  const auto threshold =
    change->after == health::healthy ? c.healthy_threshold : c.unhealthy_threshold;
  const auto cause =
    site_.record_event(e.path, take_cause(e, change->after, unheard),
                       endpoint_changed{change->before, change->after, change->agreeing, c.probers,
                                        seconds_text(c.interval) + " x " + std::to_string(threshold)
                                          + ", timeout " + seconds_text(c.timeout)});
  report(e, endpoint_report::step::changed, change->before, change->after, cause);
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
  endpoints_.clear();
}

} // namespace spillover
