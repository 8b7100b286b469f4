#include "actors/instance_shell.hpp"
#include "actors/revision_shell.hpp"

#include <algorithm>

// What a revision does to the world: its instances, its requests, its events.

namespace spillover {

namespace {

instance_blueprint blueprint_of(const revision_config& x) {
  const auto where = platform_of(x.autoscaling, x.instance);
  auto instance = x.instance;
  if (where.start_time)
    instance.cold_start = constant_distribution{*where.start_time};
  return instance_blueprint{instance, where.limit};
}

} // namespace

revision_shell::member::member(revision_shell& of, std::uint32_t number, std::string path,
                               const revision_config& config)
  : shell_(of), number_(number), path_(std::move(path)), blueprint_(blueprint_of(config)) {}

void revision_shell::member::dispatch(std::uint32_t index, std::uint32_t key, std::uint64_t serial,
                                      const record& request) {
  record x = request;
  x.to = ids_[index];
  x.arg = key;
  x.request = serial;
  if (auto* tracer = shell_.site_.tracer()) [[unlikely]]
    tracer->dispatch({request.reply_to, request.request}, {x.to, serial},
                     {shell_.now(), request_step::dispatched, request.attempt,
                      shell_.processes_[places_[index]].path});
  shell_.events().post(x);
}

void revision_shell::member::answer(const record& request, outcome how) {
  record x = request;
  x.to = shell_.setup_.service_id;
  x.what = op::response;
  x.status = how;
  shell_.events().post(x);
}

void revision_shell::member::start(std::uint32_t index) {
  ids_.resize(std::max<std::size_t>(ids_.size(), index + 1));
  const auto place = places_[index]; // made when its state changed to starting
  auto& x = shell_.processes_[place];
  const auto first = x.incarnation == 0;
  ++x.incarnation;
  ids_[index] = shell_.events().allocate();
  const auto hits = shell_.afflictions_.start(place, x.zone);
  x.who = shell_.spawn<instance_shell, caf::monitored>(
    shell_.site_,
    instance_shell::setup{ids_[index], x.path, place, x.incarnation, shell_.id(), &blueprint_,
                          shell_.warm_, shell_.afflictions_.terms(place),
                          shell_.watchers_.readiness != nullptr},
    caf::actor_cast<revision_actor>(&shell_));
  shell_.tell_started({place, x.path, x.who, shell_.warm_ ? health::unknown : health::unhealthy,
                       x.latest, zone_name(x.zone)},
                      first);
  x.endpoint = true;
  for (const auto& y : hits)
    shell_.fall_ill(place, y.fault, y.fresh);
}

void revision_shell::member::stop(std::uint32_t index) {
  auto& x = shell_.processes_[places_[index]];
  if (!x.who)
    return;
  shell_.demonitor(x.who.address());
  shell_.send_exit(x.who, caf::exit_reason::user_shutdown);
  x.who = nullptr;
  shell_.tell_lost(places_[index], true);
}

void revision_shell::member::changed(const fleet::change& x) {
  if (x.index >= places_.size()) {
    places_.push_back(static_cast<std::uint32_t>(shell_.processes_.size()));
    process fresh;
    fresh.path = path_ + "/" + std::to_string(x.index);
    fresh.zone = shell_.zones_.place(shell_.afflictions_.lost_zones());
    fresh.revision = number_;
    fresh.index = x.index;
    shell_.processes_.push_back(std::move(fresh));
  }
  const auto place = places_[x.index];
  auto& p = shell_.processes_[place];
  // `start` comes after this and counts the incarnation.
  const auto incarnation = p.incarnation + (x.after == instance_state::starting ? 1 : 0);
  // What an instance does by itself follows from its own last step, the rest from a decision.
  const auto by_itself = x.after == instance_state::stopped ? x.before == instance_state::draining
                         : x.after == instance_state::draining
                           ? x.before == instance_state::deprioritised
                           : x.before == instance_state::starting;
  p.latest = shell_.site_.record_event(
    p.path, by_itself ? p.latest : shell_.cause_,
    instance_changed{x.before, x.after, incarnation, std::string{x.reason}, zone_name(p.zone)});
  if (x.after == instance_state::stopped)
    shell_.afflictions_.stopped(place);
  if (x.after != instance_state::ready && x.after != instance_state::deprioritised)
    shell_.forget_readiness(p);
  const auto leaves = x.after == instance_state::draining || x.after == instance_state::stopped;
  if (leaves && p.endpoint) {
    p.endpoint = false;
    shell_.zones_.leave(p.zone);
    shell_.tell_left(place, p.latest);
  }
}

void revision_shell::member::decided(std::string_view policy, std::uint32_t before,
                                     const recommendation& x, const fleet_size& size) {
  shell_.cause_ =
    shell_.site_.record_event(path_, shell_.order_,
                              scaling_decided{std::string{policy}, before, x.count, size.running,
                                              size.starting, std::string{x.driver}, x.inputs});
}

void revision_shell::member::queue_changed(std::uint32_t length) {
  shell_.site_.record_event(path_, {}, spillover::queue_changed{length});
}

void revision_shell::member::path_changed(bool activator, std::int64_t excess_burst_capacity) {
  shell_.site_.record_event(path_, {}, spillover::path_changed{activator, excess_burst_capacity});
}

void revision_shell::member::denied(std::uint32_t wanted, const start_quota::answer& x) {
  shell_.site_.record_event(path_, shell_.applied_[x.fault],
                            start_denied{wanted, x.granted, x.reason});
}

void revision_shell::rollout_stepped(std::uint32_t revision, rollout_step step,
                                     std::uint32_t instances, std::uint32_t needed,
                                     std::string_view why) {
  const auto id = site_.record_event(
    members_[revision].path(), rollout_,
    spillover::rollout_stepped{std::string{to_string(step)}, instances, needed, std::string{why}});
  // What supersedes a rollout does not follow from its end, but both from the action.
  if (step != rollout_step::superseded)
    rollout_ = order_ = id;
}

void revision_shell::traffic_changed(
  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& shares,
  const std::vector<std::pair<std::string, std::uint32_t>>& tags, std::string_view why) {
  spillover::traffic_changed x;
  serving_.clear();
  for (const auto& [number, percent] : shares) {
    x.shares.emplace_back(service_.name_of(number), percent);
    serving_.push_back(number);
  }
  for (const auto& [tag, number] : tags)
    x.tags.append(x.tags.empty() ? "" : " ")
      .append(tag)
      .append("=")
      .append(service_.name_of(number));
  x.reason = why;
  // The rollout's next step follows from its last one, what the revisions do now from the traffic.
  order_ = record_event(rollout_, std::move(x));
}

void revision_shell::close() {
  record_books("revision", "", service_.requests());
  const auto milli = [](std::chrono::microseconds x) {
    return static_cast<std::uint64_t>(x.count() / 1000);
  };
  for (std::uint32_t i = 0; i < service_.size(); ++i) {
    if (!service_.exists(i))
      continue;
    const auto& how = setup_.config.revisions[i].config.billing;
    const auto x = service_.at(i).bill(now());
    site_.record_event(
      members_[i].path(), {},
      bill_closed{std::string{to_string(how.how)}, std::string{to_string(how.rule)}, x.instances,
                  milli(x.active.time), milli(x.active.vcpu_time), milli(x.idle_minimum.time),
                  milli(x.idle_minimum.vcpu_time), milli(x.life.time), milli(x.life.vcpu_time)});
  }
}

void revision_shell::sampled(std::uint32_t revision, const revision_sample& x) {
  site_.record_event(members_[revision].path(), {},
                     share_sample{x.arrivals, x.completions, x.failures, x.queue, x.queue_peak,
                                  x.recommended, x.starting, x.ready, x.deprioritised, x.draining,
                                  x.crashed});
}

namespace {

/// Whether an action is possible.
struct refusals {
  const service& of;
  const std::vector<std::uint32_t>& serving;

  std::string operator()(const deploy_action& x) const {
    const auto number = of.find(x.revision);
    const auto serves =
      number && std::find(serving.begin(), serving.end(), *number) != serving.end();
    return serves ? "revision " + x.revision + " has traffic already" : std::string{};
  }
  std::string operator()(const split_action& x) const { return of.refusal(x.traffic); }
  std::string operator()(const roll_back_action& x) const {
    return of.refusal(std::vector<traffic_target>{{.revision = x.revision, .percent = 100}});
  }
  std::string operator()(const scale_action&) const { return {}; }
  // Of the health source, and of the probers.
  std::string operator()(const patch_policy_action&) const { return {}; }
  std::string operator()(const update_check_action&) const { return {}; }
};

} // namespace

void revision_shell::on_order(const action_order& x) {
  const auto refused = std::visit(refusals{service_, serving_}, x.what.what);
  // Told before what follows from it, since that names it as its cause.
  order_ = record_event({}, action_taken{x.index, to_string(x.what), x.what.name, refused});
  rollout_ = cause_ = order_;
  if (refused.empty())
    act(x.what);
  order_ = {};
  arm();
}

void revision_shell::act(const service_action& x) {
  const auto number = [this](const std::string& name) {
    const auto found = service_.find(name);
    SPILLOVER_CHECK(found);
    return *found;
  };
  if (const auto* deployed = std::get_if<deploy_action>(&x.what))
    service_.deploy(now(), number(deployed->revision), deployed->plan, *this);
  else if (const auto* split = std::get_if<split_action>(&x.what))
    service_.split(now(), split->traffic, *this);
  else if (const auto* back = std::get_if<roll_back_action>(&x.what))
    service_.roll_back(now(), number(back->revision), *this);
  else
    service_.scale(now(), std::get<scale_action>(x.what).scaling, *this);
}

} // namespace spillover
