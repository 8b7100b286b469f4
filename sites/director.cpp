#include "sites/director.hpp"

#include "actors/world_part.hpp"
#include "report/event_reader.hpp"
#include "scenario/plan.hpp"
#include "sites/live_faults.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

using std::chrono::milliseconds;
using real = std::chrono::steady_clock;

/// From the order to begin until the run begins, in real time: the order must reach everybody before.
constexpr milliseconds ahead{500};

constexpr std::chrono::seconds impatience{10};

net::operator_desk_config desk_of(const station& at, const station_options& x) {
  net::operator_desk_config result;
  result.listen = at.address_after(director::desk_offset);
  result.keys = x.keys;
  result.insecure = !x.keys;
  insist_on(net::validate(result));
  return result;
}

} // namespace

director::director(const scenario& spec, options with, std::function<void(const event&)> seen)
  : spec_(spec),
    options_(std::move(with)),
    journal_(options_.journal, plan_sites(spec), hash_of(spec)),
    station_(spec,
             [this] {
               auto x = options_.station;
               for (const auto& [site, lines] : journal_.before().lines)
                 if (const auto known = journal_.before().processes.find(site);
                     known != journal_.before().processes.end())
                   x.collected[site] = {known->second.start, lines};
               return x;
             }()),
    seen_(std::move(seen)),
    desk_(desk_of(station_, options_.station), {[this] { station_.ring(); }, options_.station.log}),
    speed_(options_.speed),
    end_(run_start + spec.lasts),
    watch_(spec.stop_if, spec.consumers.size(), spec.warm_up),
    view_(spec) {
  for (const auto& name : station_.sites())
    members_.push_back({.name = name});
  members_.front().joined = members_.front().met = members_.front().finished = true;
  auto& before = journal_.before();
  faults_ = before.faults;
  lifted_ = before.lifted;
  for (auto& x : members_)
    if (const auto known = before.processes.find(x.name); known != before.processes.end())
      x.process = known->second;
  for (auto& [site, lines] : before.lines)
    for (auto& x : members_)
      if (x.name == site)
        x.lines = lines;
  if (before.start) {
    start_real_ = before.start;
    speed_ = before.speed;
    phase_ = phase::running;
  }
  if (before.stopped) {
    end_ = before.stopped->at;
    stop_reason_ = before.stopped->reason;
    stop_cause_ = before.stopped->cause;
  }
  replaying_ = true;
  for (auto& x : std::exchange(before.events, {}))
    take_event(std::move(x));
  replaying_ = false;
}

director::~director() {
  // Before the world goes: the transport's thread asks it.
  station_.wake(nullptr);
}

director::conclusion director::run() {
  if (phase_ == phase::gathering && !gather())
    return {event_log{station_.sites()},
            {},
            failed_.empty() ? "stopped before the run began: " + stop_reason_ : failed_,
            {}};
  build_world();
  live();
  finish();
  return conclude();
}

void director::say(const std::string& text) const {
  if (options_.station.log)
    options_.station.log(text);
}

wall_clock director::clock() const {
  return {real::now() + std::chrono::nanoseconds{*start_real_ - real_now()}, speed_};
}

bool director::gather() {
  const auto until = real::now() + options_.patience;
  const auto wait_for = [&](bool member::*what, const std::string& problem) {
    while (!all(what) && failed_.empty() && stop_reason_.empty()) {
      station_.wait(milliseconds{100});
      exchange();
      if (real::now() > until)
        failed_ = problem + names_without(what);
    }
    return all(what) && failed_.empty();
  };
  if (!wait_for(&member::joined, "these sites did not come: "))
    return false;
  phase_ = phase::planning;
  for (std::size_t i = 1; i < members_.size(); ++i)
    plan_for(i);
  if (!wait_for(&member::met, "these sites did not take the plan: "))
    return false;
  start_real_ = real_now() + std::chrono::nanoseconds{ahead}.count();
  journal_.started(*start_real_, speed_);
  journal_.flush();
  phase_ = phase::running;
  order_all(command_kind::start, write_number(*start_real_));
  return true;
}

void director::build_world() {
  world_part part{station_.sites().front(), nullptr};
  part.incarnation = journal_.before().directors + 1;
  part.late = journal_.before().start.has_value();
  std::uint64_t used = 0;
  for (const auto& x : own_)
    used = std::max(used, x.number);
  part.first_event = used + 1;
  world_.emplace(spec_, part, [this](const event& x) {
    if (own_.contains(x.id))
      return;
    journal_.line(station_.sites().front(), own_.size() + 1, to_json(x, station_.sites()));
    take_event(x);
  });
  for (const auto& x : faults_) {
    auto read = parse_live_fault(x.text, spec_);
    if (auto* what = std::get_if<fault>(&read)) {
      what->at = x.at;
      world_->add_fault(x.number, *what, x.cause);
    }
  }
  for (const auto x : lifted_)
    world_->lift_fault(x);
  if (part.late)
    world_->run_until(std::clamp(clock().now(), run_start, end_));
}

void director::live() {
  begun_ = real::now();
  world_->pace(clock(), {[this] { exchange(); }, [] {}});
  station_.wake(&*world_);
  world_->go_live();
  if (journal_.before().directors > 0)
    world_->note(station_.sites().front(), {}, site_joined{journal_.before().directors + 1, true});
  while (world_->now() < end_ && failed_.empty())
    world_->run_until(end_);
}

void director::finish() {
  phase_ = phase::finishing;
  for (std::size_t i = 1; i < members_.size(); ++i)
    order_finish(i);
  const auto settled = [](const member& x) {
    return x.lost || (x.finished && x.lines >= x.done.lines);
  };
  // Whoever asked for the end by a signal does not want to wait for a site that does not answer.
  const auto until =
    real::now() + (stop_signalled() ? std::min(options_.patience, impatience) : options_.patience);
  while (!std::all_of(members_.begin(), members_.end(), settled) && real::now() < until
         && failed_.empty()) {
    station_.wait(milliseconds{20});
    exchange();
  }
  for (const auto& x : members_)
    if (!settled(x))
      flaws_.push_back("events are missing: " + x.name + " did not tell the rest");
  // The last answers leave, so that nobody waits for them.
  const auto left = real::now() + milliseconds{200};
  while (real::now() < left) {
    station_.wait(milliseconds{20});
    exchange();
  }
}

director::conclusion director::conclude() {
  auto log = join_events(station_.sites(), std::move(events_));
  if (!stop_reason_.empty())
    log.record(end_, station_.sites().front(), stop_cause_, run_stopped{stop_reason_});
  std::uint64_t on_the_way = 0;
  for (const auto& x : members_)
    on_the_way += x.done.on_the_way;
  log.record(end_, station_.sites().front(), {}, run_ended{on_the_way});
  kept_requests kept;
  for (const auto& x : spec_.consumers)
    kept.consumers.push_back(x.name);
  std::sort(kept_.begin(), kept_.end(), [](const kept_request& x, const kept_request& y) {
    return std::pair{x.what.consumer, x.what.number} < std::pair{y.what.consumer, y.what.number};
  });
  kept.requests = std::move(kept_);
  for (const auto& x : world_->casualties())
    flaws_.push_back("an actor of the director ended by itself: " + x);
  for (const auto& x : members_)
    for (const auto& casualty : x.done.casualties)
      flaws_.push_back("an actor of " + x.name + " ended by itself: " + casualty);
  return {std::move(log), std::move(kept), failed_, std::move(flaws_)};
}

void director::exchange() {
  const auto& in = station_.receive();
  if (!in.failed.empty()) {
    failed_ = "the transport failed: " + in.failed;
    if (world_)
      world_->interrupt();
  }
  for (const auto& x : in.peers)
    take(x);
  // Before commands: a process may join whose predecessor told its last just now.
  for (const auto& x : in.telemetry)
    take(x);
  for (const auto& x : in.commands)
    take(x);
  for (const auto& x : in.results)
    take(x);
  take_calls();
  send_unsent();
  give_up_absent();
  if (phase_ == phase::running)
    ask_clocks();
  if (stop_signalled() && stop_reason_.empty())
    stop("by a signal");
  for (const auto& f : idle_)
    f();
  journal_.flush();
}

void director::take(const net::telemetry_arrival& x) {
  auto& from = members_[x.from];
  if (from.process.start != x.incarnation)
    return; // a process that has not joined yet tells nothing
  if (x.gone > 0)
    flaws_.push_back("events are missing: " + std::to_string(x.gone) + " of " + from.name
                     + " found no room");
  std::string problem;
  auto number = x.first;
  for (const auto& line : x.lines) {
    auto read = parse_event(line, station_.sites(), problem);
    from.lines = std::max(from.lines, number);
    if (read && read->id.site == x.from) {
      journal_.line(from.name, number, line);
      take_event(std::move(*read));
    } else {
      flaws_.push_back("an event of " + from.name + " cannot be read: " + problem);
    }
    ++number;
  }
}

void director::take_calls() {
  desk_.receive(calls_);
  for (const auto& x : calls_) {
    auto done = obey(x.kind, x.body, x.who);
    // What was promised outlives this process.
    journal_.flush();
    desk_.answer(x.handle, std::move(done.refused), std::move(done.body));
  }
}

void director::take_event(event x) {
  auto& from = members_[x.id.site];
  from.last_event = std::max(from.last_event, x.id.number);
  if (x.id.site == 0 && !own_.insert(x.id).second)
    return;
  view_.see(x);
  if (seen_)
    seen_(x);
  check_stop(x);
  events_.push_back(std::move(x));
}

void director::take(const net::command_arrival& x) {
  auto& from = members_[x.from];
  if (x.what.kind == command_kind::join) {
    join(from, x.from, x);
  } else if (x.what.kind == command_kind::kept) {
    auto more = read_kept(x.what.body);
    if (more)
      for (auto& y : *more)
        if (y.what.consumer < spec_.consumers.size()
            && spec_.consumers[y.what.consumer].name == from.name)
          kept_.push_back(y);
    station_.wire().answer(x, more ? "" : "cannot be read");
  } else {
    station_.wire().answer(x, "no such command");
  }
}

void director::take(const net::command_result& x) {
  const auto found = orders_.find({x.to, x.id});
  if (found == orders_.end())
    return;
  const auto order = found->second;
  orders_.erase(found);
  auto& from = members_[x.to];
  if (!x.answered) {
    if (order.kind == command_kind::finish) {
      from.told_to_finish = false;
      order_finish(x.to);
    }
    return;
  }
  if (!x.refused.empty()) {
    say(from.name + " refused " + order.kind + ": " + x.refused);
    return;
  }
  if (order.kind == command_kind::plan) {
    from.met = true;
  } else if (order.kind == command_kind::finish) {
    if (const auto done = read_finished(x.body)) {
      from.done = *done;
      from.finished = true;
    }
  } else if (order.kind == command_kind::clock) {
    const auto there = read_number(x.body);
    const auto now = real_now();
    if (there && world_)
      note(clock_sample{from.name, *there - (order.given + (now - order.given) / 2),
                        static_cast<std::uint64_t>(now - order.given)});
  }
}

void director::take(const net::peer_change& x) {
  auto& who = members_[x.peer];
  if (x.peer == 0 || !world_)
    return;
  if (x.step == net::peer_step::lost && !who.lost && !who.finished) {
    who.lost = true;
    note(site_lost{who.name, "no sign of life for "
                               + to_string(duration{options_.station.lost_after}) + " or more"});
  } else if (x.step == net::peer_step::back && who.lost && x.incarnation == who.process.start) {
    come_back(x.peer);
  }
}

// The same process, which was silent for a while.
void director::come_back(std::size_t number) {
  auto& who = members_[number];
  who.lost = false;
  note(site_returned{who.name});
  // What it could not be told.
  plan_for(number);
  if (std::exchange(who.told_to_finish, false) || !stop_reason_.empty()
      || phase_ == phase::finishing)
    order_finish(number);
}

event_id director::note(payload what, event_id cause) {
  return world_->note(station_.sites().front(), cause, std::move(what));
}

void director::process_ended(const std::string& site, const std::string& how) {
  for (auto& x : members_) {
    if (x.name != site)
      continue;
    if (phase_ == phase::gathering || phase_ == phase::planning)
      failed_.assign("the process of ").append(site).append(" ended: ").append(how);
    else if (!x.lost && !x.finished && world_) {
      x.lost = true;
      note(site_lost{site, how});
    }
  }
}

void director::stop(const std::string& reason) {
  if (!stop_reason_.empty() || phase_ == phase::finishing)
    return;
  stop_reason_ = reason;
  if (!world_)
    return;
  // So that the order reaches everybody before.
  const auto margin = duration{static_cast<duration::rep>(
    static_cast<double>(std::chrono::nanoseconds{ahead}.count()) * speed_)};
  end_ = std::min(end_, world_->now() + margin);
  journal_.stopped({end_, stop_reason_, stop_cause_});
  for (std::size_t i = 1; i < members_.size(); ++i)
    order_finish(i);
  world_->interrupt();
}

} // namespace spillover
