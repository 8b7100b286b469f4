#include "actors/director_shell.hpp"

#include "model/pulses.hpp"

#include <utility>
#include <variant>

namespace spillover {

namespace {

std::string effect_of(const clock_fault& x) {
  return x.ahead < duration::zero() ? to_string(-x.ahead) + " behind"
                                    : to_string(x.ahead) + " ahead";
}

} // namespace

director_shell::director_shell(caf::actor_config& config, site& where, setup with)
  : shell(config, where, actor_kind::director, nobody, with.path),
    setup_(std::move(with)),
    started_(setup_.faults.size()),
    lies_(setup_.faults.size()) {}

director_shell::behavior_type director_shell::make_behavior() {
  for (std::uint32_t i = 0; i < setup_.faults.size(); ++i)
    delayed_send(this, setup_.faults[i].at - now(), fault_due{i, true});
  for (std::uint32_t i = 0; i < setup_.actions.size(); ++i)
    delayed_send(this, setup_.actions[i].at - now(), action_due{i});
  return {
    [this](const fault_due& x) { carry_out(x); },
    [this](const fault_pulse& x) {
      lay_or_take_off({x.fault, x.active}, started_[x.fault]);
    },
    [this](const action_due& x) {
      const auto& what = setup_.actions[x.index];
      const auto found = setup_.revisions.find(what.of);
      SPILLOVER_CHECK(found != setup_.revisions.end());
      send(found->second, action_order{x.index, what});
    },
  };
}

void director_shell::carry_out(const fault_due& x) {
  const auto& f = setup_.faults[x.fault];
  event_id cause;
  if (x.active) {
    cause = record_event({}, fault_started{x.fault, to_string(f), target_of(f), f.name});
    started_[x.fault] = cause;
    if (f.lasts)
      delayed_send(this, *f.lasts, fault_due{x.fault, false});
  } else {
    cause = record_event(started_[x.fault], fault_ended{x.fault, to_string(f), target_of(f)});
    // One that flaps may be off already.
    if (!lies_[x.fault])
      return;
  }
  lay_or_take_off(x, cause);
}

void director_shell::lay_or_take_off(const fault_due& x, event_id cause) {
  const auto& f = setup_.faults[x.fault];
  lies_[x.fault] = x.active;
  std::visit([&](const auto& what) { order(x, what, cause); }, f.what);
  if (const auto next = next_pulse(f, now(), x.active))
    delayed_send(this, *next - now(), fault_pulse{x.fault, !x.active});
}

void director_shell::order(const fault_due& x, const instance_fault& what, event_id cause) {
  const auto found = setup_.revisions.find(what.of);
  SPILLOVER_CHECK(found != setup_.revisions.end());
  send(found->second, instance_order{x.fault, x.active, what, {}, cause});
}

template <class Fault>
void director_shell::order_everyone(const fault_due& x, const Fault& what, fault_scope where,
                                    event_id cause) {
  for (const auto& [path, revision] : setup_.revisions) {
    if (!path.starts_with(what.region + "/"))
      continue;
    const instance_fault all{
      .of = path, .suffer = {.become = what.become}, .restart_jitter = what.restart_jitter};
    send(revision, instance_order{x.fault, x.active, all, where, cause});
  }
}

void director_shell::order(const fault_due& x, const region_fault& what, event_id cause) {
  order_everyone(x, what, {.everyone = true}, cause);
  for (const auto& l : setup_.links) {
    if (l.from != what.region && l.to != what.region)
      continue;
    link_fault cut;
    cut.from = l.from;
    cut.to = l.to;
    send(l.who, link_order{x.fault, x.active, cut, cause});
  }
}

void director_shell::order(const fault_due& x, const zone_fault& what, event_id cause) {
  order_everyone(x, what, {.everyone = true, .zone = zone_number(what.zone)}, cause);
}

void director_shell::order(const fault_due& x, const quota_fault& what, event_id cause) {
  const auto found = setup_.revisions.find(what.of);
  SPILLOVER_CHECK(found != setup_.revisions.end());
  send(found->second, quota_order{x.fault, x.active, what, cause});
}

void director_shell::order(const fault_due& x, const link_fault& what, event_id cause) {
  for (const auto& l : setup_.links) {
    const auto forth = l.from == what.from && l.to == what.to;
    const auto back = what.both && l.from == what.to && l.to == what.from;
    if (forth || back)
      send(l.who, link_order{x.fault, x.active, what, cause});
  }
}

void director_shell::order(const fault_due& x, const prober_fault& what, event_id cause) {
  const auto found = setup_.probers.find(what.of);
  SPILLOVER_CHECK(found != setup_.probers.end());
  send(found->second, prober_order{x.fault, x.active, what, cause});
}

void director_shell::order(const fault_due& x, const consumer_fault& what, event_id cause) {
  for (const auto& l : setup_.links) {
    if (l.from != what.consumer && l.to != what.consumer)
      continue;
    link_fault cut;
    cut.from = l.from;
    cut.to = l.to;
    cut.health = true;
    send(l.who, link_order{x.fault, x.active, cut, cause});
  }
}

void director_shell::order(const fault_due& x, const clock_fault& what, event_id cause) {
  if (x.active)
    site_.set_wrong(what.site, x.fault, what.ahead);
  else
    site_.set_right(what.site, x.fault);
  // No instances: a clock is the whole site's.
  site_.record_event(what.site, cause, fault_applied{x.fault, x.active, 0, 0, effect_of(what)});
}

void director_shell::order(const fault_due& x, const balancer_fault& what, event_id cause) {
  const auto found = setup_.balancers.find(what.consumer);
  SPILLOVER_CHECK(found != setup_.balancers.end());
  send(found->second, balancer_order{x.fault, x.active, what, cause});
}

void director_shell::on_exit() {
  shell::on_exit();
  setup_.revisions.clear();
  setup_.links.clear();
  setup_.probers.clear();
  setup_.balancers.clear();
}

} // namespace spillover
