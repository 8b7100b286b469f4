#include "actors/revision_shell.hpp"

// What instances tell of their probes, and what comes of those that watch them.

namespace spillover {

void revision_shell::on_failed(const container_failed& x) {
  auto& p = processes_[x.index];
  // One that ended in the meantime has been dealt with.
  if (!p.who || p.incarnation != x.incarnation)
    return;
  cause_ = site_.reason_to_fail(p.path);
  if (x.at_start)
    p.latest = cause_;
  for (const auto fault : afflictions_.ended(x.index))
    site_.heal(p.path, fault);
  const auto number = p.revision;
  const auto index = p.index;
  const auto& config = setup_.config.revisions[number].config.instance.restart_backoff;
  const auto wait = p.backoff.fail(now(), config);
  auto& out = members_[number];
  out.stop(index);
  if (x.at_start)
    service_.at(number).on_start_failed(now(), index, out);
  else
    service_.at(number).on_liveness_failed(now(), index, out);
  // A deployment may give the revision up for this: then there is nothing to start again.
  if (x.at_start)
    service_.on_start_failed(now(), number, *this);
  restart_after(x.index, wait);
  tell_ended(x.index);
  follow();
  arm();
}

void revision_shell::on_readiness(const instance_readiness& x) {
  auto& p = processes_[x.index];
  const auto& probe = setup_.config.revisions[p.revision].config.instance.readiness_probe;
  if (!p.who || p.incarnation != x.incarnation || !probe)
    return;
  if (x.takes_requests)
    turn_readiness(p, *x.takes_requests, *probe);
  if (x.counts)
    count_readiness(p, *x.counts, *probe);
  arm();
}

namespace {

std::string results_text(bool passed, std::uint32_t results) {
  return std::string{"readiness probe "}
    .append(passed ? "passed " : "failed ")
    .append(std::to_string(results))
    .append(results == 1 ? " time" : " times in a row");
}

} // namespace

void revision_shell::turn_readiness(process& p, bool takes_requests,
                                    const readiness_probe_config& probe) {
  const auto cause = takes_requests ? site_.log().latest(p.path) : site_.reason_to_fail(p.path);
  const auto results = takes_requests ? probe.success_threshold : probe.failure_threshold;
  p.latest = site_.record_event(
    p.path, cause, readiness_changed{takes_requests, results_text(takes_requests, results)});
  service_.at(p.revision).on_readiness(now(), p.index, takes_requests, members_[p.revision]);
}

// Tells who counts by readiness what a probe found (B-68). An endpoint's change as probers would have
// found it, only that none of them was asked.
void revision_shell::count_readiness(process& p, health state,
                                     const readiness_probe_config& probe) {
  const auto is = service_.at(p.revision).state(p.index);
  if (!watchers_.readiness || (is != instance_state::ready && is != instance_state::deprioritised))
    return;
  using step = endpoint_report::step;
  const auto first = !p.counted;
  const auto passes = state == health::healthy;
  const auto results = first ? 1 : passes ? probe.success_threshold : probe.failure_threshold;
  const auto before = p.counted.value_or(health::unknown);
  const auto cause = passes ? site_.log().latest(p.path) : site_.reason_to_fail(p.path);
  p.latest = site_.record_event(
    p.path, cause, endpoint_changed{before, state, 0, 0, results_text(passes, results)});
  send(watchers_.readiness,
       endpoint_report{first ? step::added : step::changed, before, state, p.latest});
  p.counted = state;
}

// It counts no longer: it does not serve, or a process of its own ended.
void revision_shell::forget_readiness(process& p) {
  if (!watchers_.readiness || !p.counted)
    return;
  send(watchers_.readiness,
       endpoint_report{endpoint_report::step::removed, *p.counted, *p.counted, p.latest});
  p.counted.reset();
}

// Nobody probes what counts by its own readiness: a serverless NEG has no health check (B-68).
void revision_shell::tell_started(const endpoint_added& x, bool first) {
  const auto probed = !watchers_.readiness;
  if (!first) {
    const endpoint_replaced again{x.index, x.who};
    if (probed)
      send(watchers_.probers, again);
    if (watchers_.healers)
      send(watchers_.healers, again);
    return;
  }
  auto watched = x;
  if (gate_)
    watched.group = caf::actor_cast<revision_actor>(this);
  if (probed)
    send(watchers_.probers, watched);
  if (!watchers_.healers)
    return;
  watched.initial = health::unknown;
  watched.group = caf::actor_cast<revision_actor>(this);
  send(watchers_.healers, watched);
}

void revision_shell::tell_left(std::uint32_t index, event_id cause) {
  if (!watchers_.readiness)
    send(watchers_.probers, endpoint_removed{index, cause});
  if (watchers_.healers)
    send(watchers_.healers, endpoint_removed{index, cause});
}

// What does not start again at once cannot be made anew either (B-67).
void revision_shell::tell_ended(std::uint32_t index) {
  const auto& p = processes_[index];
  if (!p.who && p.endpoint && watchers_.healers)
    send(watchers_.healers, endpoint_replaced{index, {}});
}

// Comes as a message, when no revision is in the middle of anything.
void revision_shell::on_judged(const endpoint_judged& x) {
  follow_gate(x.left ? gate_->remove(x.index) : gate_->set(x.index, x.state));
  arm();
}

void revision_shell::follow_gate(const std::vector<endpoint_gate::change>& changes) {
  taken_ = gate_->refusal() ? nobody : id();
  for (const auto& x : changes) {
    const auto& p = processes_[x.index];
    service_.at(p.revision).avoid(now(), p.index, x.avoided, members_[p.revision]);
  }
}

void revision_shell::on_order(const recreate_order& x) {
  auto& p = processes_[x.index];
  // One that ended in the meantime starts anyway.
  if (!p.who || p.who != x.who)
    return;
  cause_ = p.latest = x.cause;
  for (const auto fault : afflictions_.ended(x.index))
    site_.heal(p.path, fault);
  const auto number = p.revision;
  const auto index = p.index;
  auto& out = members_[number];
  out.stop(index);
  service_.at(number).on_recreated(now(), index, out);
  restart_after(x.index, {});
  tell_ended(x.index);
  follow();
  arm();
}

} // namespace spillover
