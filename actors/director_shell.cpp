#include "actors/director_shell.hpp"

#include "model/pulses.hpp"

#include <algorithm>
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
    ordered_(setup_.faults.size()),
    lies_(setup_.faults.size()),
    over_(setup_.faults.size()) {}

director_shell::behavior_type director_shell::make_behavior() {
  for (std::uint32_t i = 0; i < setup_.faults.size(); ++i)
    delayed_send(this, setup_.faults[i].at - now(), fault_due{i, true});
  for (std::uint32_t i = 0; i < setup_.actions.size(); ++i)
    delayed_send(this, setup_.actions[i].at - now(), action_due{i});
  return {
    [this](const fault_due& x) { carry_out(x); },
    [this](const fault_pulse& x) {
      if (!over_[x.fault])
        lay_or_take_off({x.fault, x.active}, started_[x.fault]);
    },
    [this](const action_due& x) { carry_out(x); },
    [this](const fault_added& x) { add(x); },
  };
}

void director_shell::add(const fault_added& x) {
  // It may be told twice.
  if (x.fault < over_.size() && (started_[x.fault] || over_[x.fault]))
    return;
  const auto size = std::max<std::size_t>(setup_.faults.size(), x.fault + std::size_t{1});
  setup_.faults.resize(size);
  started_.resize(size);
  ordered_.resize(size);
  lies_.resize(size);
  over_.resize(size);
  setup_.faults[x.fault] = x.what;
  ordered_[x.fault] = x.cause;
  delayed_send(this, std::max(x.what.at - now(), duration::zero()), fault_due{x.fault, true});
}

void director_shell::carry_out(const fault_due& x) {
  // Operators may lift a fault before its time, or before it began.
  if (x.fault >= over_.size() || over_[x.fault] || (x.active && started_[x.fault]))
    return;
  const auto& f = setup_.faults[x.fault];
  over_[x.fault] = !x.active;
  event_id cause;
  if (x.active) {
    cause =
      announce(x, ordered_[x.fault], fault_started{x.fault, to_string(f), target_of(f), f.name});
    started_[x.fault] = cause;
    if (f.lasts)
      delayed_send(this, *f.lasts, fault_due{x.fault, false});
  } else {
    if (!started_[x.fault])
      return;
    cause = announce(x, started_[x.fault], fault_ended{x.fault, to_string(f), target_of(f)});
    // One that flaps may be off already.
    if (!lies_[x.fault])
      return;
  }
  lay_or_take_off(x, cause);
}

void director_shell::carry_out(const action_due& x) {
  const auto& action = setup_.actions[x.index];
  const action_order what{x.index, action};
  if (std::holds_alternative<patch_policy_action>(action.what))
    order(setup_.sources, action.of, what);
  else if (std::holds_alternative<update_check_action>(action.what))
    order(setup_.probers, action.of, what);
  else
    order(setup_.revisions, action.of, what);
}

event_id director_shell::announce(const fault_due& x, event_id cause, payload what) {
  if (!setup_.part)
    return record_event(cause, std::move(what));
  const auto id = timeline_event(x.fault, x.active);
  if (setup_.part->directs())
    site_.record_event_as(id, path(), cause, std::move(what));
  return id;
}

template <class Handle, class Order>
void director_shell::order(const std::map<std::string, Handle>& from, const std::string& whom,
                           const Order& what) {
  if (const auto found = from.find(whom); found != from.end())
    send(found->second, what);
  else
    SPILLOVER_CHECK(setup_.part);
}

void director_shell::lay_or_take_off(const fault_due& x, event_id cause) {
  const auto& f = setup_.faults[x.fault];
  lies_[x.fault] = x.active;
  std::visit([&](const auto& what) { order(x, what, cause); }, f.what);
  if (const auto next = next_pulse(f, now(), x.active))
    delayed_send(this, *next - now(), fault_pulse{x.fault, !x.active});
}

void director_shell::order(const fault_due& x, const instance_fault& what, event_id cause) {
  order(setup_.revisions, what.of, instance_order{x.fault, x.active, what, {}, cause});
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
  order(setup_.revisions, what.of, quota_order{x.fault, x.active, what, cause});
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
  order(setup_.probers, what.of, prober_order{x.fault, x.active, what, cause});
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
  if (setup_.part && setup_.part->site != what.site)
    return;
  if (x.active)
    site_.set_wrong(what.site, x.fault, what.ahead);
  else
    site_.set_right(what.site, x.fault);
  // No instances: a clock is the whole site's.
  site_.record_event(what.site, cause, fault_applied{x.fault, x.active, 0, 0, effect_of(what)});
}

void director_shell::order(const fault_due& x, const balancer_fault& what, event_id cause) {
  order(setup_.balancers, what.consumer, balancer_order{x.fault, x.active, what, cause});
}

void director_shell::on_exit() {
  shell::on_exit();
  setup_.revisions.clear();
  setup_.links.clear();
  setup_.probers.clear();
  setup_.sources.clear();
  setup_.balancers.clear();
}

} // namespace spillover
