#include "sites/director.hpp"

#include "actors/world_part.hpp"
#include "net/telemetry.hpp"
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

/// In the end answers have so long to leave; in real time.
constexpr milliseconds linger{200};

/// An operator who looked so recently looks again, and is waited for so long in the end; in real time.
constexpr std::chrono::seconds watcher_memory{3};
constexpr milliseconds watcher_patience{1'500};

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
    roster_(station_.sites()),
    speed_(options_.speed),
    end_(run_start + spec.lasts),
    watch_(spec.stop_if, spec.consumers.size(), spec.warm_up),
    view_(spec) {
  auto& before = journal_.before();
  faults_ = before.faults;
  lifted_ = before.lifted;
  for (const auto& [site, process] : before.processes)
    roster_.restore(site, process, before.lines[site], before.earlier[site]);
  if (before.start) {
    start_real_ = before.start;
    speed_ = before.speed;
    roster_.enter(phase::running);
  }
  if (before.stopped) {
    end_ = before.stopped->at;
    stop_reason_ = before.stopped->reason;
    stop_cause_ = before.stopped->cause;
    roster_.stop();
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
  if (roster_.now() == phase::gathering && !gather())
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
  const auto come_all = [&](bool roster::member::*what, const std::string& problem) {
    const auto over = [&] {
      return roster_.all(what) || !failed_.empty() || !stop_reason_.empty();
    };
    if (!wait_for(until, milliseconds{100}, over))
      failed_ = problem + roster_.names_without(what);
    return roster_.all(what) && failed_.empty();
  };
  if (!come_all(&roster::member::joined, "these sites did not come: "))
    return false;
  carry_out(roster_.enter(phase::planning));
  if (!come_all(&roster::member::met, "these sites did not take the plan: "))
    return false;
  start_real_ = real_now() + std::chrono::nanoseconds{ahead}.count();
  journal_.started(*start_real_, speed_);
  journal_.flush();
  roster_.enter(phase::running);
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
  carry_out(roster_.enter(phase::finishing));
  // Whoever asked for the end by a signal does not want to wait for a site that does not answer.
  const auto patience =
    stop_signalled() ? std::min(options_.patience, impatience) : options_.patience;
  wait_for(real::now() + patience, milliseconds{20},
           [this] { return roster_.all_settled() || !failed_.empty(); });
  for (const auto& x : roster_.members())
    if (!x.settled())
      flaws_.push_back("events are missing: " + x.name + " did not tell the rest");
  ended_ = true;
  // The last answers leave, so that nobody waits for them.
  const auto nothing = [] { return false; };
  wait_for(real::now() + linger, milliseconds{20}, nothing);
  // Whoever watches learns that the run is over, and does not take us for lost.
  const auto looked = watched_;
  if (looked && real::now() - *looked < watcher_memory
      && wait_for(real::now() + watcher_patience, milliseconds{20},
                  [&] { return watched_ != looked; }))
    wait_for(real::now() + linger, milliseconds{20}, nothing);
}

bool director::wait_for(real::time_point until, milliseconds step,
                        const std::function<bool()>& done) {
  return station_.wait_for(
    until, step, [this] { exchange(); }, done);
}

director::conclusion director::conclude() {
  auto log = join_events(station_.sites(), std::move(events_));
  if (!stop_reason_.empty())
    log.record(end_, station_.sites().front(), stop_cause_, run_stopped{stop_reason_});
  std::uint64_t on_the_way = 0;
  for (const auto& x : roster_.members())
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
  for (const auto& x : roster_.members())
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
  if (roster_.now() == phase::running)
    ask_clocks();
  if (stop_signalled() && stop_reason_.empty())
    stop("by a signal");
  // In the end processes of sites end as they should: nobody is to look after them.
  if (!ended_)
    for (const auto& f : idle_)
      f();
  journal_.flush();
}

void director::take_line(std::size_t site, std::uint64_t number, const std::string& line,
                         std::optional<std::uint64_t> earlier) {
  const auto& from = roster_.members()[site].name;
  if (earlier)
    roster_.told_of(site, *earlier, number);
  else
    roster_.told(site, number);
  std::string problem;
  auto read = parse_event(line, station_.sites(), problem);
  if (!read || read->id.site != site) {
    flaws_.push_back("an event of " + from + " cannot be read: " + problem);
    return;
  }
  if (earlier)
    journal_.remains(from, *earlier, number, line);
  else
    journal_.line(from, number, line);
  take_event(std::move(*read), earlier.has_value());
}

void director::miss(std::size_t site, std::uint64_t lines) {
  if (lines > 0)
    flaws_.push_back("events are missing: " + std::to_string(lines) + " of "
                     + roster_.members()[site].name + " found no room");
}

void director::take(const net::telemetry_arrival& x) {
  if (roster_.members()[x.from].process.start != x.incarnation)
    return; // a process that has not joined yet tells nothing
  miss(x.from, x.gone);
  auto number = x.first;
  for (const auto& line : x.lines)
    take_line(x.from, number++, line);
}

void director::take_remains(const net::command_arrival& x) {
  const auto message = read_remains(x.what.body);
  const auto process = message ? message->process : 0;
  const auto known = roster_.known_of(x.from, process);
  if (!known)
    return station_.wire().answer(x, "of no earlier process of this site in this run");
  if (const auto& batch = message->batch; !batch.lines.empty()) {
    const auto verdict = net::telemetry_receiver{{}, *known}.judge(batch);
    if (verdict.take)
      miss(x.from, verdict.gone);
    for (auto i = verdict.known; verdict.take && i < batch.lines.size(); ++i)
      take_line(x.from, batch.first + i, batch.lines[i], process);
  }
  // What is acknowledged outlives this process.
  journal_.flush();
  station_.wire().answer(
    x, "", write_number(static_cast<std::int64_t>(roster_.known_of(x.from, process).value_or(0))));
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

void director::take_event(event x, bool late) {
  roster_.knows(x, replaying_);
  if (x.id.site == 0 && !own_.insert(x.id).second)
    return;
  if (late)
    view_.see_late(x);
  else
    view_.see(x);
  if (seen_ && !late)
    seen_(x);
  check_stop(x);
  events_.push_back(std::move(x));
}

void director::take(const net::command_arrival& x) {
  if (x.what.kind == command_kind::join) {
    join(x);
  } else if (x.what.kind == command_kind::kept) {
    auto more = read_kept(x.what.body);
    if (more)
      for (auto& y : *more)
        if (y.what.consumer < spec_.consumers.size()
            && spec_.consumers[y.what.consumer].name == station_.sites()[x.from])
          kept_.push_back(y);
    station_.wire().answer(x, more ? "" : "cannot be read");
  } else if (x.what.kind == command_kind::remains) {
    take_remains(x);
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
  const auto& site = station_.sites()[x.to];
  if (!x.answered) {
    if (order.kind == command_kind::finish)
      carry_out(roster_.unanswered_finish(x.to));
    return;
  }
  if (!x.refused.empty()) {
    say(site + " refused " + order.kind + ": " + x.refused);
    return;
  }
  if (order.kind == command_kind::plan) {
    roster_.met(x.to);
  } else if (order.kind == command_kind::finish) {
    if (auto done = read_finished(x.body))
      roster_.finished(x.to, std::move(*done));
  } else if (order.kind == command_kind::clock) {
    const auto there = read_number(x.body);
    const auto now = real_now();
    if (there && world_)
      note(clock_sample{site, *there - (order.given + (now - order.given) / 2),
                        static_cast<std::uint64_t>(now - order.given)});
  }
}

void director::take(const net::peer_change& x) {
  if (x.step == net::peer_step::lost)
    carry_out(roster_.silent(x.peer, "no sign of life for "
                                       + to_string(duration{options_.station.lost_after})
                                       + " or more"));
  else if (x.step == net::peer_step::back)
    carry_out(roster_.heard(x.peer, x.incarnation));
}

event_id director::note(payload what, event_id cause) {
  return world_->note(station_.sites().front(), cause, std::move(what));
}

void director::process_ended(const std::string& site, const std::string& how) {
  carry_out(roster_.ended(site, how));
}

void director::stop(const std::string& reason) {
  if (!stop_reason_.empty() || roster_.now() == phase::finishing)
    return;
  stop_reason_ = reason;
  if (!world_)
    return;
  // So that the order reaches everybody before.
  const auto margin = duration{static_cast<duration::rep>(
    static_cast<double>(std::chrono::nanoseconds{ahead}.count()) * speed_)};
  end_ = std::min(end_, world_->now() + margin);
  journal_.stopped({end_, stop_reason_, stop_cause_});
  carry_out(roster_.stop());
  world_->interrupt();
}

} // namespace spillover
