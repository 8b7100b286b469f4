#include "actors/prober_group_shell.hpp"

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
                                       health_source_actor source)
  : shell(config, where, actor_kind::prober_group, with.id, with.path),
    setup_(std::move(with)),
    source_(std::move(source)),
    phases_(where.seed(), path() + "/phases") {}

prober_group_shell::behavior_type prober_group_shell::make_behavior() {
  return {
    [this](const endpoint_added& x) { add(x); },
    [this](const endpoint_replaced& x) { endpoints_[x.index].who = x.who; },
    [this](const endpoint_removed& x) { remove(x); },
  };
}

void prober_group_shell::add(const endpoint_added& x) {
  if (x.index >= endpoints_.size())
    endpoints_.resize(x.index + 1);
  auto& e = endpoints_[x.index];
  e.who = x.who;
  e.path = x.path;
  e.tracker.emplace(setup_.config, x.initial);
  report(endpoint_report::step::added, x.initial, x.initial, x.cause);
  record r;
  r.to = id();
  r.arg = x.index;
  r.attempt = probe_timer;
  for (std::uint32_t prober = 0; prober < setup_.config.probers; ++prober) {
    const auto phase = phases_.below(static_cast<std::uint64_t>(setup_.config.interval.count()));
    r.request = prober;
    events().after(duration{static_cast<duration::rep>(phase)}, r);
  }
}

void prober_group_shell::remove(const endpoint_removed& x) {
  auto& e = endpoints_[x.index];
  if (!e.who)
    return;
  e.who = nullptr;
  const auto state = e.tracker->state();
  e.tracker.reset();
  report(endpoint_report::step::removed, state, state, x.cause);
}

void prober_group_shell::on_record(const record& x) {
  // An endpoint that left takes its timers with it.
  if (!endpoints_[x.arg].who)
    return;
  const auto prober = static_cast<std::uint32_t>(x.request);
  if (x.attempt == success_timer) {
    finish_probe(x.arg, prober, true);
    return;
  }
  events().after(setup_.config.interval, x);
  begin_probe(x.arg, prober);
}

void prober_group_shell::begin_probe(std::uint32_t index, std::uint32_t prober) {
  request(endpoints_[index].who, setup_.config.timeout, probe{})
    .then(
      [this, index, prober](const probe_answer& x) {
        if (!x.healthy) {
          finish_probe(index, prober, false);
          return;
        }
        record r;
        r.to = id();
        r.arg = index;
        r.attempt = success_timer;
        r.request = prober;
        events().after(setup_.config.response_time, r);
      },
      // Silence until the timeout and a process that is not there both mean failure.
      [this, index, prober](const caf::error&) { finish_probe(index, prober, false); });
}

void prober_group_shell::finish_probe(std::uint32_t index, std::uint32_t prober, bool success) {
  auto& e = endpoints_[index];
  if (!e.tracker)
    return;
  const auto change = e.tracker->observe(prober, success);
  if (!change)
    return;
  const auto& c = setup_.config;
  const auto threshold =
    change->after == health::healthy ? c.healthy_threshold : c.unhealthy_threshold;
  const auto cause = site_.record_event(
    e.path,
    change->after == health::unhealthy ? site_.reason_to_fail(e.path) : site_.log().latest(e.path),
    endpoint_changed{change->before, change->after, change->agreeing, c.probers,
                     seconds_text(c.interval) + " x " + std::to_string(threshold) + ", timeout "
                       + seconds_text(c.timeout)});
  report(endpoint_report::step::changed, change->before, change->after, cause);
}

void prober_group_shell::report(endpoint_report::step what, health before, health after,
                                event_id cause) {
  if (source_)
    send(source_, endpoint_report{what, before, after, cause});
}

void prober_group_shell::on_exit() {
  shell::on_exit();
  source_ = nullptr;
  endpoints_.clear();
}

} // namespace spillover
