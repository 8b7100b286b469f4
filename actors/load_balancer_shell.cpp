#include "actors/load_balancer_shell.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

/// From a request to the balancer's own answer, which no region has a part in (B-62, B-81; inferred): without
/// it clients who ask again at once would keep time from going on.
constexpr auto own_answer_time = std::chrono::milliseconds{1};

} // namespace

load_balancer_shell::load_balancer_shell(caf::actor_config& config, site& where, setup with)
  : shell(config, where, actor_kind::load_balancer, with.id, with.path),
    setup_(std::move(with)),
    balancer_(setup_.config, static_cast<std::uint32_t>(setup_.regions.size()),
              random_stream{where.seed(), path()}),
    deadline_alarm_(setup_.id, deadline_timer),
    route_alarm_(setup_.id, route_timer),
    negs_(setup_.regions.size()),
    ejections_(balancer_.proxies(), std::vector<event_id>(setup_.regions.size())),
    connections_(ejections_),
    channels_(balancer_.proxies()) {}

load_balancer_shell::behavior_type load_balancer_shell::make_behavior() {
  for (std::uint32_t i = 0; i < setup_.regions.size(); ++i)
    if (!setup_.regions[i].apply || setup_.config.distribution)
      balancer_.apply(now(), i, health::healthy);
  announce_route({});
  arm_route();
  record tick;
  tick.to = id();
  tick.attempt = second_timer;
  events().after(std::chrono::seconds{1}, tick);
  if (const auto due = balancer_.next_sweep(); due != never) {
    tick.attempt = sweep_timer;
    events().at(due, tick);
  }
  return {
    [this](const service_health& x) { learn(x); },
    [this](const apply_health& x) { apply(x); },
    [this](const service_endpoints& x) { learn(x); },
    [this](const apply_endpoints& x) { apply(x); },
    [this](const balancer_order& x) { obey(x); },
    [this](const close_books&) { close(); },
  };
}

void load_balancer_shell::on_record(const record& x) {
  if (x.what == op::request) {
    taking_ = true;
    balancer_.on_request(now(), x, *this);
    taking_ = false;
  } else if (x.what == op::response) {
    ++neg_at(x.reply_to).answers;
    if (site_.tracer()) [[unlikely]]
      trace(x);
    balancer_.on_response(now(), x.arg, x.attempt, x.request, x.status, *this);
  } else if (x.what == op::connected) {
    on_connected(x);
  } else if (x.attempt == deadline_timer) {
    deadline_alarm_.fired();
    balancer_.on_deadline(now(), *this);
  } else if (x.attempt == sweep_timer) {
    balancer_.on_sweep(now(), *this);
    events().at(balancer_.next_sweep(), x);
  } else if (x.attempt == route_timer) {
    on_route_due();
  } else if (x.attempt == answer_timer) {
    events().post(own_answers_.front());
    own_answers_.pop_front();
  } else {
    events().after(std::chrono::seconds{1}, x);
    close_second();
  }
  deadline_alarm_.set(events(), balancer_.next_deadline());
}

void load_balancer_shell::trace(const record& x) {
  const auto region = static_cast<std::size_t>(&neg_at(x.reply_to) - negs_.data());
  const auto in_time = balancer_.expects(x.arg, x.attempt, x.request);
  site_.tracer()->add({id(), x.request},
                      {now(), in_time ? request_step::balancer_got : request_step::balancer_late,
                       x.attempt, setup_.regions[region].name, x.status});
}

void load_balancer_shell::send(std::uint32_t region, std::uint32_t key, std::uint16_t attempt,
                               const record& request) {
  auto& n = negs_[region];
  if (!n.announced) {
    n.announced = true;
    record_event(n.announce, first_request{setup_.regions[region].name});
  }
  record x = request;
  x.reply_to = id();
  x.arg = key;
  x.attempt = attempt;
  if (auto* tracer = site_.tracer()) [[unlikely]]
    tracer->add({id(), x.request},
                {.at = now(),
                 .what = request_step::balancer_sent,
                 .attempt = attempt,
                 .who = setup_.regions[region].name,
                 .proxy = balancer_.proxies() > 1 ? balancer_.proxy_of(key) + 1 : 0});
  setup_.regions[region].service.send(events(), x);
}

void load_balancer_shell::answer(const record& request, outcome how) {
  record x = request;
  x.to = request.reply_to;
  x.what = op::response;
  x.status = how;
  if (auto* tracer = site_.tracer()) [[unlikely]]
    tracer->add({id(), x.request}, {now(), request_step::balancer_answered, 0, path(), how});
  if (!taking_) [[likely]] {
    events().post(x);
    return;
  }
  // Waits here, not on the way, where the books know of tries and their answers only.
  own_answers_.push_back(x);
  record tick;
  tick.to = id();
  tick.attempt = answer_timer;
  events().after(own_answer_time, tick);
}

void load_balancer_shell::try_noticed(std::uint32_t region, std::uint16_t attempt,
                                      const record& request, try_notice what) {
  auto* tracer = site_.tracer();
  if (tracer == nullptr)
    return;
  const auto step = [what] {
    switch (what) {
      case try_notice::queued: return request_step::try_queued;
      case try_notice::timed_out: return request_step::try_timed_out;
      case try_notice::overdue: return request_step::try_overdue;
      case try_notice::cut: break;
    }
    return request_step::try_cut;
  };
  tracer->add({id(), request.request}, {now(), step(), attempt, setup_.regions[region].name});
}

void load_balancer_shell::obey(const balancer_order& x) {
  if (x.active)
    balancer_.lay_fault(x.fault, x.what,
                        random_stream{site_.seed(), path() + "/fault/" + std::to_string(x.fault)});
  else
    balancer_.take_off_fault(x.fault);
  // No instances: it is the balancer itself.
  record_event(x.cause, fault_applied{x.fault, x.active, 0, 0, "failing"});
}

void load_balancer_shell::learn(const service_health& x) {
  // It reaches groups, and has no PSC NEG that would tell a composite state (B-33).
  if (setup_.config.distribution)
    return;
  const auto place = place_of(x.region);
  auto& n = negs_[place];
  if (std::pair{x.incarnation, x.generation} <= std::pair{n.incarnation, n.generation})
    return;
  n.incarnation = x.incarnation;
  n.generation = x.generation;
  const auto before = std::exchange(n.known, x.state);
  if (before == x.state)
    return;
  const auto age = site_.local_time(path()) - x.stamp;
  const auto cause =
    record_event(x.cause, neg_changed{x.region, before, x.state, x.generation, age.count()});
  delayed_send(this, *setup_.regions[place].apply, apply_health{place, x.state, cause});
}

void load_balancer_shell::apply(const apply_health& x) {
  if (balancer_.apply(now(), x.region, x.state))
    announce_route(x.cause);
  route_cause_ = negs_[x.region].applied = x.cause;
  arm_route();
}

void load_balancer_shell::learn(const service_endpoints& x) {
  const auto place = place_of(x.region);
  auto& known = negs_[place].endpoints;
  if (std::pair{x.incarnation, x.generation} <= std::pair{known.incarnation, known.generation})
    return;
  // The first counts are news even when there is nobody to count.
  const auto changed = known.generation == 0 || known.view != x.view;
  known = x;
  if (!changed)
    return;
  const auto counts = x.view.all();
  const auto age = site_.local_time(path()) - x.stamp;
  const auto cause =
    record_event(x.cause, endpoints_seen{x.region, counts.healthy, counts.total, counts.unknown,
                                         to_string(x.view), x.generation, age.count()});
  delayed_send(this, setup_.regions[place].apply_endpoints, apply_endpoints{place, x.view, cause});
}

void load_balancer_shell::apply(const apply_endpoints& x) {
  if (balancer_.apply(now(), x.region, x.view))
    announce_route(x.cause);
  route_cause_ = x.cause;
  arm_route();
}

void load_balancer_shell::on_route_due() {
  route_alarm_.fired();
  if (balancer_.on_route_due(now()))
    announce_route(cause_of_change());
  act();
  arm_route();
}

void load_balancer_shell::act() {
  const auto& actions = setup_.config.actions;
  for (; acted_ < actions.size() && actions[acted_].at <= now(); ++acted_) {
    const auto& x = actions[acted_];
    const auto refused = balancer_.act(now(), x.step, x.region.empty() ? 0 : place_of(x.region));
    route_cause_ =
      record_event({}, action_taken{static_cast<std::uint32_t>(acted_), to_string(x), {}, refused});
    for (std::uint32_t i = 0; i < negs_.size(); ++i)
      if (x.region.empty() || setup_.regions[i].name == x.region)
        negs_[i].applied = route_cause_;
    if (balancer_.route() != announced_ || !balancer_.failback_changes().empty())
      announce_route(route_cause_);
  }
}

event_id load_balancer_shell::cause_of_change() const {
  // A load that was measured follows from no event.
  if (setup_.config.distribution)
    return {};
  const auto changes = balancer_.failback_changes();
  return changes.empty() ? route_cause_ : negs_[changes.front()].applied;
}

void load_balancer_shell::arm_route() {
  const auto& actions = setup_.config.actions;
  const auto next = acted_ < actions.size() ? actions[acted_].at : never;
  route_alarm_.set(events(), std::min(next, balancer_.next_route_due()));
  // A region that may not be used any more may have to be left in time.
  deadline_alarm_.set(events(), balancer_.next_deadline());
}

std::uint32_t load_balancer_shell::place_of(const std::string& region) const {
  const auto found = std::find_if(setup_.regions.begin(), setup_.regions.end(),
                                  [&](const backend& x) { return x.name == region; });
  SPILLOVER_CHECK(found != setup_.regions.end());
  return static_cast<std::uint32_t>(found - setup_.regions.begin());
}

void load_balancer_shell::outlier_changed(std::uint32_t proxy, const outlier_change& x) {
  const auto out = x.action == outlier_action::ejected;
  auto& ejection = ejections_[proxy][x.host];
  const auto cause = x.action == outlier_action::returned ? ejection : event_id{};
  const auto id = record_event(
    cause,
    spillover::outlier_changed{proxy + 1, setup_.regions[x.host].name, x.action, x.detector,
                               x.reason, out ? x.until.time_since_epoch().count() : -1, x.inputs});
  if (x.action == outlier_action::spared)
    return;
  ejection = out ? id : event_id{};
  if (balancer_.route() != announced_)
    announce_route(id);
}

std::string load_balancer_shell::route_name(const region_route& x) const {
  std::string result;
  for (const auto i : x.regions)
    result += (result.empty() ? "" : "+") + setup_.regions[i].name;
  return result;
}

void load_balancer_shell::append_share(std::string& to, std::uint32_t region) const {
  const auto& [regions, shares, fail_open] = balancer_.route();
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (regions[i] == region)
      to.append("(").append(std::to_string(shares[i])).append("%)");
}

std::string load_balancer_shell::states_text() const {
  std::string result;
  for (std::uint32_t i = 0; i < setup_.regions.size(); ++i) {
    result.append(i == 0 ? "" : " ")
      .append(setup_.regions[i].name)
      .append("=")
      .append(balancer_.described(i));
    if (const auto by = balancer_.ejected_by(i); by > 0)
      result.append("(ejected:")
        .append(std::to_string(by))
        .append("/")
        .append(std::to_string(balancer_.proxies()))
        .append(")");
    append_share(result, i);
  }
  return result;
}

void load_balancer_shell::announce_route(event_id cause) {
  const auto before = std::exchange(announced_, balancer_.route());
  const auto& after = announced_;
  const auto in = [](const region_route& x, std::uint32_t place) {
    return std::find(x.regions.begin(), x.regions.end(), place) != x.regions.end();
  };
  routing_changed change{route_name(before), route_name(after), after.fail_open, -1, states_text()};
  for (const auto i : before.regions)
    if (!in(after, i))
      change.last_sent_ns = std::max<std::int64_t>(
        change.last_sent_ns, balancer_.last_sent(i).time_since_epoch().count());
  const auto id = record_event(cause, change);
  for (const auto i : after.regions)
    // Failing open uses every region because none is healthy; only afterwards somebody is back.
    if (!in(before, i) || (before.fail_open && !after.fail_open)) {
      negs_[i].announced = false;
      negs_[i].announce = id;
    }
}

load_balancer_shell::neg& load_balancer_shell::neg_at(entity_id service) {
  const auto found = std::find_if(setup_.regions.begin(), setup_.regions.end(),
                                  [service](const backend& x) { return x.service.to == service; });
  SPILLOVER_CHECK(found != setup_.regions.end());
  return negs_[static_cast<std::size_t>(found - setup_.regions.begin())];
}

void load_balancer_shell::close() {
  record_books("balancer", "", balancer_.requests());
  if (wants_try_table(setup_.config))
    close_tries();
  if (balancer_.refused().taken > 0)
    record_books("attempts", "", balancer_.refused());
  for (std::uint32_t i = 0; i < negs_.size(); ++i) {
    auto x = balancer_.attempts(i);
    // A try that was given up has no answer yet; every other end is an answer.
    const auto in_time = x.ended_total() - x.ended[static_cast<std::size_t>(outcome::lb_timeout)];
    x.late = negs_[i].answers - in_time;
    record_books("attempts", setup_.regions[i].name, x);
    // So that every log of such a balancer has one.
    if (wants_try_table(setup_.config))
      tell_tries(i, true);
  }
  if (makes_connections(setup_.config))
    close_connections();
}

// Courses, and by region tries without an answer and the queue for connections, each with what goes on counted
// apart from the rest, so that whoever adds up learns something.
void load_balancer_shell::close_tries() {
  const auto [counted, going_on] = balancer_.courses();
  record_event({}, books_closed{"courses", "", counted.taken, counted.ended, going_on});
  const auto at = [](books& x, outcome how) -> std::uint64_t& {
    return x.ended[static_cast<std::size_t>(how)];
  };
  for (std::uint32_t i = 0; i < negs_.size(); ++i) {
    const auto& region = setup_.regions[i].name;
    const auto x = balancer_.tries(i);
    const auto y = balancer_.fates(i);
    auto sent = balancer_.attempts(i);
    books unanswered;
    at(unanswered, outcome::gateway_timeout) = x.timed_out - y.overdue;
    at(unanswered, outcome::lb_timeout) = y.given_up;
    at(unanswered, outcome::client_timeout) = x.cancelled;
    at(unanswered, outcome::bad_gateway) = x.cut;
    record_event(
      {}, books_closed{"unanswered", region, at(sent, outcome::lb_timeout), unanswered.ended, 0});
    books queue;
    at(queue, outcome::ok) = y.connected;
    at(queue, outcome::unavailable) = y.left;
    record_event({}, books_closed{"queue", region, x.queued, queue.ended, y.waiting});
  }
}

void load_balancer_shell::close_second() {
  for (std::uint32_t i = 0; i < negs_.size(); ++i) {
    const auto& total = balancer_.attempts(i);
    auto& counted = negs_[i].counted;
    attempt_sample x;
    x.region = setup_.regions[i].name;
    x.sent = static_cast<std::uint32_t>(total.taken - counted.taken);
    for (std::size_t how = 0; how < outcome_count; ++how)
      x.ended[how] = static_cast<std::uint32_t>(total.ended[how] - counted.ended[how]);
    counted = total;
    record_event({}, std::move(x));
    const auto& over = balancer_.overflow(i);
    if (const auto before = std::exchange(negs_[i].overflow, over); before != over)
      record_event({}, overflow_sample{setup_.regions[i].name,
                                       static_cast<std::uint32_t>(over.requests - before.requests),
                                       static_cast<std::uint32_t>(over.retries - before.retries)});
    tell_tries(i, false);
  }
}

void load_balancer_shell::tell_tries(std::uint32_t region, bool always) {
  const auto x = balancer_.tries(region);
  const auto before = std::exchange(negs_[region].tries, x);
  if (before == x && !always)
    return;
  const auto since = [](std::uint64_t then, std::uint64_t until) {
    return static_cast<std::uint32_t>(until - then);
  };
  record_event({}, try_sample{setup_.regions[region].name, since(before.timed_out, x.timed_out),
                              since(before.hedged, x.hedged), since(before.cancelled, x.cancelled),
                              since(before.cut, x.cut), since(before.queued, x.queued),
                              since(before.overflow, x.overflow)});
}

} // namespace spillover
