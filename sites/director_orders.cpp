#include "sites/director.hpp"
#include "sites/live_faults.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

// What the director has others do, and what operators have it do.

namespace spillover {

namespace {

using std::chrono::seconds;
using real = std::chrono::steady_clock;

/// Time between two looks at a site's clock, in real time.
constexpr seconds clock_interval{5};

/// From the order of a fault to its onset, in real time: it must reach everybody before.
constexpr std::chrono::milliseconds fault_ahead{300};

/// Characters of a fault as operators write it; so the plan of a site holds all that there can be.
constexpr std::size_t longest_fault = 400;

} // namespace

address_book director::addresses() const {
  address_book result;
  for (const auto& x : roster_.members())
    if (x.joined && &x != &roster_.members().front())
      result[x.name] = x.process.at;
  return result;
}

void director::order(std::size_t to, std::string_view kind, std::string body) {
  const auto id = unsent_.empty() ? station_.wire().order(to, std::string{kind}, body) : 0;
  if (id != 0)
    orders_[{to, id}] = {to, std::string{kind}, real_now()};
  else
    unsent_.push_back({to, {std::string{kind}, std::move(body)}});
}

void director::send_unsent() {
  auto sent = unsent_.begin();
  for (; sent != unsent_.end(); ++sent) {
    const auto& [to, what] = *sent;
    const auto id = station_.wire().order(to, what.first, what.second);
    if (id == 0)
      break;
    orders_[{to, id}] = {to, what.first, real_now()};
  }
  unsent_.erase(unsent_.begin(), sent);
}

// Of a director that was restarted: sites that live join it within seconds.
void director::give_up_absent() {
  if (world_ && journal_.before().directors > 0
      && real::now() - begun_ >= 3 * options_.station.lost_after + seconds{5})
    carry_out(roster_.give_up_absent());
}

void director::order_all(std::string_view kind, const std::string& body) {
  for (std::size_t i = 1; i < roster_.members().size(); ++i)
    if (roster_.takes_part(i))
      order(i, kind, body);
}

void director::join(const net::command_arrival& x) {
  const auto message = read_join(x.what.body);
  if (!message || x.from == 0)
    return station_.wire().answer(x, "cannot be read");
  if (const auto wrong = station_.wire().connect(x.from, message->at))
    return station_.wire().answer(x, *wrong);
  const auto before = roster_.members()[x.from].process;
  const auto effects = roster_.join(x.from, x.incarnation, message->at);
  const auto& who = roster_.members()[x.from];
  if (before.incarnation != 0 && before.start != who.process.start)
    say(who.name + " joins again, as process " + std::to_string(who.process.incarnation));
  carry_out(effects, &x);
}

void director::carry_out(const roster_effects& all, const net::command_arrival* joining) {
  using kind = roster_effect::kind;
  for (const auto& x : all) {
    const auto& who = roster_.members()[x.site];
    switch (x.what) {
      case kind::plan: plan_for(x.site); break;
      case kind::peers: order(x.site, command_kind::peers, write(addresses())); break;
      case kind::finish:
        order(x.site, command_kind::finish, write_number((end_ - run_start).count()));
        break;
      case kind::remember:
        journal_.joined(who.name, who.process);
        // Before it is told so: what was promised outlives this process.
        journal_.flush();
        break;
      case kind::accept: station_.wire().answer(*joining, ""); break;
      case kind::lost: note(site_lost{who.name, x.why}); break;
      case kind::returned: note(site_returned{who.name}); break;
      case kind::fail:
        failed_.assign("the process of ").append(who.name).append(" ended: ").append(x.why);
        break;
    }
  }
}

void director::plan_for(std::size_t number) {
  const auto& who = roster_.members()[number];
  plan_message plan;
  plan.process = who.process.start;
  plan.peers = addresses();
  plan.peers.erase(who.name);
  plan.speed = speed_;
  plan.incarnation = who.process.incarnation;
  plan.first_event = who.process.first_event;
  plan.late = start_real_.has_value();
  plan.start_real = start_real_.value_or(0);
  plan.faults = faults_;
  plan.lifted = lifted_;
  order(number, command_kind::plan, write(plan));
}

void director::ask_clocks() {
  if (real::now() - asked_clocks_ < clock_interval)
    return;
  asked_clocks_ = real::now();
  order_all(command_kind::clock, "");
}

void director::check_stop(const event& x) {
  if (roster_.now() != phase::running || replaying_ || watch_.idle())
    return;
  if (auto reason = watch_.see(x)) {
    stop_cause_ = x.id;
    stop(*reason);
  }
}

obeyed director::obey(std::string_view kind, const std::string& body, const std::string& who) {
  if (kind == "status") {
    watched_ = real::now();
    return {"", view_.to_json({now(), speed_, end_, ended_})};
  }
  if (kind == "fault list")
    return list_faults();
  if (roster_.now() != phase::running || !world_)
    return {"the run has not begun, or is over"};
  if (kind == "fault add")
    return add_fault(body, who);
  if (kind == "fault remove")
    return lift_fault(body, who);
  if (kind == "fault clear")
    return clear_faults(who);
  if (kind == "stop") {
    note(operator_acted{who, "stop"});
    stop("by an operator");
    return {"", "{}"};
  }
  return {"there is no command " + std::string{kind}};
}

obeyed director::add_fault(const std::string& text, const std::string& who) {
  if (text.size() > longest_fault)
    return {"a fault may have " + std::to_string(longest_fault) + " characters at most"};
  auto read = parse_live_fault(text, spec_);
  if (const auto* wrong = std::get_if<std::vector<std::string>>(&read)) {
    std::string all;
    for (const auto& x : *wrong)
      all += (all.empty() ? "" : "\n") + x;
    return {all};
  }
  if (faults_.size() >= most_live_faults)
    return {"at most " + std::to_string(most_live_faults) + " faults can be added to a run"};
  live_fault x;
  x.number = static_cast<std::uint32_t>(spec_.faults.size() + faults_.size());
  x.text = text;
  // To the millisecond, so that people can read it.
  x.at = std::chrono::ceil<std::chrono::milliseconds>(
    now()
    + duration{static_cast<duration::rep>(
      static_cast<double>(std::chrono::nanoseconds{fault_ahead}.count()) * speed_)});
  x.cause = note(operator_acted{who, "fault add " + text});
  faults_.push_back(x);
  journal_.added(x);
  auto& what = std::get<fault>(read);
  what.at = x.at;
  world_->add_fault(x.number, what, x.cause);
  order_all(command_kind::fault, write(x));
  return {"", nlohmann::json{{"fault", x.number},
                             {"at", to_string(x.at - run_start)},
                             {"what", to_string(what)}}
                .dump()};
}

obeyed director::lift_fault(const std::string& number, const std::string& who) {
  const auto wanted = read_number(number);
  const auto known = wanted && *wanted >= 0
                     && static_cast<std::uint64_t>(*wanted) < spec_.faults.size() + faults_.size();
  if (!known)
    return {"there is no fault " + number + "; `fault list` tells which there are"};
  const auto which = static_cast<std::uint32_t>(*wanted);
  note(operator_acted{who, "fault remove " + number});
  lifted_.insert(which);
  journal_.lifted(which);
  world_->lift_fault(which);
  order_all(command_kind::lift, write_number(which));
  return {"", nlohmann::json{{"fault", which}}.dump()};
}

obeyed director::clear_faults(const std::string& who) {
  for (const auto& x : std::vector{faults_})
    if (!lifted_.contains(x.number))
      lift_fault(std::to_string(x.number), who);
  return {"", "{}"};
}

obeyed director::list_faults() const {
  auto result = nlohmann::json::array();
  const auto add = [&](std::uint32_t number, const fault& x, bool added) {
    const auto over = lifted_.contains(number) || (x.lasts && x.at + *x.lasts <= now());
    result.push_back({{"fault", number},
                      {"what", to_string(x)},
                      {"at", to_string(x.at - run_start)},
                      {"for", x.lasts ? to_string(*x.lasts) : ""},
                      {"state", over            ? "over"
                                : x.at <= now() ? "active"
                                                : "to come"},
                      {"added", added}});
  };
  for (std::uint32_t i = 0; i < spec_.faults.size(); ++i)
    add(i, spec_.faults[i], false);
  for (const auto& x : faults_) {
    auto read = parse_live_fault(x.text, spec_);
    if (auto* what = std::get_if<fault>(&read)) {
      what->at = x.at;
      add(x.number, *what, true);
    }
  }
  return {"", result.dump()};
}

} // namespace spillover
