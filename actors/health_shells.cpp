#include "actors/health_shells.hpp"

#include <utility>

namespace spillover {

health_source_shell::health_source_shell(caf::actor_config& config, site& where, setup with,
                                         composite_actor composite)
  : shell(config, where, actor_kind::health_source, nobody, with.path),
    setup_(std::move(with)),
    composite_(std::move(composite)),
    source_(setup_.policy, run_start + setup_.timing.warm_up),
    policy_(setup_.policy),
    fingerprints_{{run_start, policy_.fingerprint()}} {
  random_stream random{where.seed(), path() + "/phase"};
  phase_ = duration{static_cast<duration::rep>(
    random.below(static_cast<std::uint64_t>(setup_.timing.aggregation_tick.count())))};
}

health_source_shell::behavior_type health_source_shell::make_behavior() {
  // When the warm-up is over a source without all states makes up its mind.
  delayed_send(this, until_tick_after(run_start + setup_.timing.warm_up), caf::tick_atom::value);
  return {
    [this](const endpoint_report& x) { take(x); },
    [this](const action_order& x) { patch(x); },
    [this](const policy_due& x) { follow(x); },
    [this](caf::tick_atom) { judge(); },
  };
}

void health_source_shell::take(const endpoint_report& x) {
  switch (x.what) {
    case endpoint_report::step::added: source_.add(x.after); break;
    case endpoint_report::step::changed: source_.change(x.before, x.after); break;
    case endpoint_report::step::removed: source_.remove(x.before); break;
  }
  expect_verdict(x.cause);
}

// Several reports may come before the next tick: the cause is the one that turned the balance.
void health_source_shell::expect_verdict(event_id cause) {
  const auto would_say = source_.verdict(now());
  if (would_say != pending_) {
    pending_ = would_say;
    cause_ = cause;
  }
  wake_at_next_tick();
}

void health_source_shell::patch(const action_order& x) {
  const auto& what = std::get<patch_policy_action>(x.what.what);
  const auto answer = policy_.patch({read_at(what.read_at.value_or(now())),
                                     what.healthy_percent_threshold, what.min_healthy_threshold});
  auto words = to_string(x.what);
  if (answer.reason.empty()) {
    fingerprints_.emplace_back(now(), policy_.fingerprint());
    words.append(" (version ").append(std::to_string(fingerprints_.size()));
    words.append(", fingerprint ").append(fingerprints_.back().second).append(")");
  }
  const auto refused =
    answer.reason.empty() ? std::string{} : std::to_string(answer.status) + " " + answer.reason;
  const auto cause = site_.record_event(
    x.what.of, {}, action_taken{x.index, std::move(words), x.what.name, refused});
  if (!answer.reason.empty())
    return;
  const policy_due due{policy_.policy(), fingerprints_.size(), cause};
  if (what.takes_effect_after > duration::zero())
    delayed_send(this, what.takes_effect_after, due);
  else
    follow(due);
}

void health_source_shell::follow(const policy_due& x) {
  if (x.version < followed_)
    return;
  followed_ = x.version;
  source_.set_policy(x.policy);
  expect_verdict(x.cause);
}

// The fingerprint of the version that was the current one at a time.
const std::string& health_source_shell::read_at(instant when) const {
  auto found = fingerprints_.size() - 1;
  while (found > 0 && fingerprints_[found].first > when)
    --found;
  return fingerprints_[found].second;
}

void health_source_shell::wake_at_next_tick() {
  if (awake_)
    return;
  awake_ = true;
  delayed_send(this, until_tick_after(now()), caf::tick_atom::value);
}

duration health_source_shell::until_tick_after(instant when) const noexcept {
  const auto tick = setup_.timing.aggregation_tick;
  const auto since = when - run_start - phase_;
  const auto passed = since < duration::zero() ? duration::zero() : (since / tick + 1) * tick;
  return run_start + phase_ + passed - now();
}

void health_source_shell::judge() {
  awake_ = false;
  const auto change = source_.judge(now());
  if (!change)
    return;
  const auto cause =
    record_event(cause_, source_changed{change->before, change->after, change->healthy,
                                        change->total, change->needed});
  send(composite_, source_report{setup_.place, change->after, cause});
}

void health_source_shell::on_exit() {
  shell::on_exit();
  composite_ = nullptr;
}

composite_shell::composite_shell(caf::actor_config& config, site& where, setup with,
                                 published_service_actor destination)
  : shell(config, where, actor_kind::composite_health_check, nobody, with.path),
    setup_(std::move(with)),
    destination_(std::move(destination)),
    sources_(setup_.sources.size(), health::unknown) {}

composite_shell::behavior_type composite_shell::make_behavior() {
  return {
    [this](const source_report& x) { take(x); },
  };
}

void composite_shell::take(const source_report& x) {
  sources_[x.source] = x.state;
  const auto after = conjunction(sources_);
  if (after == state_)
    return;
  const auto before = std::exchange(state_, after);
  std::string said;
  for (std::size_t i = 0; i < sources_.size(); ++i)
    said.append(i == 0 ? "" : " ")
      .append(setup_.sources[i])
      .append("=")
      .append(to_string(sources_[i]));
  const auto cause =
    record_event(x.cause, composite_changed{before, after, ++generation_, std::move(said)});
  send(destination_,
       service_health{setup_.region, after, 1, generation_, cause, site_.local_time(path())});
}

void composite_shell::on_exit() {
  shell::on_exit();
  destination_ = nullptr;
}

} // namespace spillover
