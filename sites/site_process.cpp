#include "sites/site_process.hpp"

#include "actors/world_part.hpp"
#include "report/event_log.hpp"
#include "scenario/plan.hpp"
#include "sites/live_faults.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using real = std::chrono::steady_clock;

/// After the end of the run records that are still on the way between processes may come for so long; in
/// real time.
constexpr milliseconds straggling{300};

} // namespace

site_process::site_process(const scenario& spec, options with)
  : spec_(spec),
    options_(std::move(with)),
    station_(spec, options_.station),
    gate_(station_.wire(), spec, station_.sites()),
    spoken_with_(site_gate::spoken_with(spec, station_.sites(), options_.station.site)),
    end_(run_start + spec.lasts),
    earlier_(options_.station.spills, options_.station.site, station_.start()) {
  earlier_.look();
}

site_process::~site_process() {
  // Before the world goes: the transport's thread asks it.
  station_.wake(nullptr);
}

site_end site_process::run() {
  if (!find_director())
    return failed_.empty() ? (stop_signalled() ? site_end::signalled : site_end::no_director)
                           : site_end::failed;
  prepare();
  if (!wait_for_start())
    return stop_signalled() ? site_end::signalled : site_end::no_director;
  live();
  if (stop_signalled())
    return site_end::signalled;
  return failed_.empty() ? finish() : site_end::failed;
}

void site_process::say(const std::string& text) const {
  if (options_.station.log)
    options_.station.log(text);
}

std::uint16_t site_process::number_of(const std::string& site) const {
  const auto& all = station_.sites();
  return static_cast<std::uint16_t>(std::find(all.begin(), all.end(), site) - all.begin());
}

void site_process::join() {
  station_.wire().order(0, std::string{command_kind::join},
                        write(join_message{station_.reached_at()}));
}

bool site_process::find_director() {
  if (const auto wrong = station_.wire().connect(0, options_.director)) {
    failed_ = *wrong;
    say("cannot connect to the director: " + *wrong);
    return false;
  }
  join();
  const auto found = wait_for(real::now() + options_.patience, milliseconds{200},
                              [this] { return plan_ || !failed_.empty() || stop_signalled(); });
  if (!found)
    say("the director does not answer");
  return plan_.has_value() && failed_.empty();
}

void site_process::prepare() {
  const auto& site = options_.station.site;
  const auto& sites = station_.sites();
  const world_part part{site, &gate_, plan_->incarnation, plan_->first_event, plan_->late};
  world_.emplace(spec_, part, [this, &sites](const event& x) {
    ++lines_;
    station_.wire().report(to_json(x, sites));
  });
  for (const auto& x : plan_->faults)
    add(x);
  for (const auto x : plan_->lifted)
    world_->lift_fault(x);
  gate_.attach(*world_);
  if (plan_->late && start_real_)
    // Catches up twice: the first time takes a while.
    for (int i = 0; i < 2; ++i)
      world_->run_until(std::clamp(clock().now(), world_->now(), end_));
}

wall_clock site_process::clock() const {
  const auto from_now = std::chrono::nanoseconds{*start_real_ - real_now()};
  return {real::now() + from_now, plan_->speed};
}

void site_process::add(const live_fault& x) {
  auto read = parse_live_fault(x.text, spec_);
  auto* what = std::get_if<fault>(&read);
  if (what == nullptr) {
    say("a fault cannot be added: " + x.text);
    return;
  }
  what->at = x.at;
  world_->add_fault(x.number, *what, x.cause);
}

void site_process::meet(const address_book& peers) {
  for (const auto& [site, at] : peers) {
    const auto number = number_of(site);
    if (number == 0 || !spoken_with_.contains(number))
      continue;
    auto to = at;
    to.telemetry.clear();
    if (const auto wrong = station_.wire().connect(number, std::move(to)))
      say("cannot connect to " + site + ": " + *wrong);
  }
}

void site_process::answer_plan_if_met() {
  if (!plan_to_answer_ || (!plan_->late && !world_))
    return;
  const auto met = std::all_of(spoken_with_.begin(), spoken_with_.end(), [this](auto x) {
    return !plan_->peers.contains(station_.sites()[x]) || gate_.reaches(x);
  });
  if (!met && real::now() < answer_plan_by_)
    return;
  station_.wire().answer(*std::exchange(plan_to_answer_, std::nullopt), "");
}

bool site_process::wait_for(real::time_point until, milliseconds step,
                            const std::function<bool()>& done) {
  return station_.wait_for(
    until, step, [this] { exchange(); }, done);
}

bool site_process::wait_for_start() {
  const auto over = wait_for(real::now() + options_.patience, milliseconds{50}, [this] {
    return start_real_ || !failed_.empty() || stop_signalled();
  });
  if (!over)
    say("the director does not start the run");
  return start_real_.has_value();
}

void site_process::exchange() {
  const auto& in = station_.receive();
  if (!in.failed.empty()) {
    failed_ = in.failed;
    if (world_)
      world_->interrupt();
  }
  gate_.take(in);
  for (const auto& x : in.commands)
    obey(x);
  // A director that was restarted, or was not there yet, must learn where we are.
  for (const auto& x : in.peers)
    if (x.peer == 0 && (x.step == net::peer_step::restarted || x.step == net::peer_step::back))
      join();
  if (!plan_)
    for (const auto& x : in.results)
      if (!x.answered)
        join();
  answer_plan_if_met();
  for (const auto& x : in.results)
    if (x.to == 0 && x.id == remains_order_)
      take_remains_answer(x);
  hand_on_remains();
}

void site_process::take_remains_answer(const net::command_result& x) {
  const auto through = read_number(x.body);
  if (!x.answered)
    earlier_.unanswered();
  else if (x.refused.empty() && through)
    earlier_.answered(static_cast<std::uint64_t>(*through));
  else
    earlier_.refused();
}

// Not before the director knows us: it takes the word of nobody else.
void site_process::hand_on_remains() {
  if (!plan_)
    return;
  if (const auto x = earlier_.next()) {
    remains_order_ = station_.wire().order(0, std::string{command_kind::remains}, write(*x));
    if (remains_order_ == 0)
      earlier_.unanswered();
  }
}

void site_process::obey(const net::command_arrival& x) {
  const auto& [id, kind, body] = x.what;
  auto& wire = station_.wire();
  if (x.from != 0)
    return wire.answer(x, "only the director gives commands");
  const auto number = read_number(body);
  if (kind == command_kind::plan)
    return obey_plan(x);
  if (kind == command_kind::clock)
    return wire.answer(x, "", write_number(real_now()));
  if (kind == command_kind::start && number) {
    if (!start_real_)
      start_real_ = number;
    return wire.answer(x, "");
  }
  if (kind == command_kind::peers) {
    if (const auto peers = read_peers(body))
      meet(*peers);
    return wire.answer(x, "");
  }
  if (kind == command_kind::finish && number) {
    // Once more, by a director that did not get the answer.
    if (done_)
      return wire.answer(x, "", write(*done_));
    end_ = std::min(end_, instant{duration{*number}});
    finish_to_answer_ = x;
    if (world_)
      world_->interrupt();
    return;
  }
  if (kind == command_kind::fault && plan_) {
    if (const auto what = read_fault(body)) {
      plan_->faults.push_back(*what);
      if (world_)
        add(*what);
    }
    return wire.answer(x, "");
  }
  if (kind == command_kind::lift && plan_ && number) {
    plan_->lifted.insert(static_cast<std::uint32_t>(*number));
    if (world_)
      world_->lift_fault(static_cast<std::uint32_t>(*number));
    return wire.answer(x, "");
  }
  wire.answer(x, "cannot be obeyed now");
}

void site_process::obey_plan(const net::command_arrival& x) {
  auto plan = read_plan(x.what.body);
  if (!plan || plan->speed <= 0 || plan->process != station_.start())
    return station_.wire().answer(x, "no plan for this process");
  meet(plan->peers);
  // A director that was restarted gives it again, and one that could not reach us for a while.
  if (plan_) {
    catch_up(*plan);
    return station_.wire().answer(x, "");
  }
  plan_ = std::move(plan);
  if (plan_->start_real > 0)
    start_real_ = plan_->start_real;
  plan_to_answer_ = x;
  answer_plan_by_ = real::now() + seconds{5};
}

void site_process::catch_up(const plan_message& newer) {
  const auto known = [this](std::uint32_t number) {
    return std::any_of(plan_->faults.begin(), plan_->faults.end(),
                       [number](const live_fault& x) { return x.number == number; });
  };
  for (const auto& x : newer.faults) {
    if (known(x.number))
      continue;
    plan_->faults.push_back(x);
    if (world_)
      add(x);
  }
  for (const auto x : newer.lifted)
    if (plan_->lifted.insert(x).second && world_)
      world_->lift_fault(x);
}

void site_process::live() {
  auto& w = *world_;
  w.pace(clock(), {[this] { exchange(); },
                   [this] {
                     gate_.flush();
                     sample_pace();
                     if (stop_signalled())
                       world_->interrupt();
                   },
                   [this](duration most, int file) { return station_.wire().drive(most, file); },
                   [this] { station_.wire().leave(); }});
  station_.wake(&w);
  sampled_ = real::now();
  sampled_at_ = w.now();
  w.go_live();
  w.note(options_.station.site, {}, site_joined{plan_->incarnation, plan_->late});
  std::optional<real::time_point> patience;
  while (failed_.empty() && !stop_signalled()) {
    w.run_until(end_);
    if (w.now() < end_) {
      patience.reset();
      continue;
    }
    if (finish_to_answer_)
      break;
    // Counted from the end, however long the run was.
    if (!patience)
      patience = real::now() + options_.patience;
    if (real::now() > *patience) {
      failed_ = "the director did not end the run";
      say(failed_);
    }
    station_.wait(milliseconds{50});
  }
}

void site_process::sample_pace() {
  const auto now = real::now();
  if (now - sampled_ < seconds{1} || world_->now() <= sampled_at_)
    return;
  sampled_ = now;
  const auto late = world_->take_lateness();
  const auto emulated = [&](double quantile) {
    return static_cast<std::uint64_t>(static_cast<double>(late.quantile(quantile).count())
                                      * plan_->speed);
  };
  pace_sample x;
  x.span_ns = static_cast<std::uint64_t>((world_->now() - sampled_at_).count());
  x.timers = late.count();
  x.late_p99_ns = late.count() == 0 ? 0 : emulated(0.99);
  x.late_most_ns = late.count() == 0 ? 0 : emulated(1);
  sampled_at_ = world_->now();
  world_->note(options_.station.site, {}, x);
}

site_end site_process::finish() {
  auto& w = *world_;
  station_.wait_for(
    real::now() + straggling, milliseconds{20}, [&] { w.run_until(end_); }, [] { return false; });
  for (const auto x : spoken_with_)
    w.note(options_.station.site + "/wire/" + station_.sites()[x], {}, gate_.books(x));
  finished_message done;
  done.on_the_way = w.close_part();
  done.lines = lines_;
  done.casualties = w.casualties();
  report_kept();
  deliver_remains();
  done_ = done;
  station_.wire().answer(*finish_to_answer_, "", write(done));
  wait_for(real::now() + options_.patience, milliseconds{20},
           [this] { return station_.wire().all_reported() || stop_signalled(); });
  if (!station_.wire().all_reported())
    return stop_signalled() ? site_end::signalled : site_end::no_director;
  // The answer leaves, too; it is repeated until the director has it.
  wait_for(real::now() + seconds{1}, milliseconds{50}, stop_signalled);
  return site_end::finished;
}

// Also of a process that seemed to live when this one began.
void site_process::deliver_remains() {
  earlier_.look();
  const auto delivered = wait_for(real::now() + options_.patience / 2, milliseconds{20},
                                  [this] { return earlier_.empty() || stop_signalled(); });
  if (!delivered)
    say("events of an earlier process of this site could not be delivered");
}

void site_process::report_kept() {
  auto all = world_->kept().requests;
  for (std::size_t i = 0; i < all.size(); i += most_kept_at_once) {
    const auto end = std::min(all.size(), i + most_kept_at_once);
    station_.wire().order(
      0, std::string{command_kind::kept},
      write(std::vector<kept_request>(all.begin() + static_cast<std::ptrdiff_t>(i),
                                      all.begin() + static_cast<std::ptrdiff_t>(end))));
  }
}

} // namespace spillover
