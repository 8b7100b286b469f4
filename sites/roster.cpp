#include "sites/roster.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

using kind = roster_effect::kind;

roster::roster(const std::vector<std::string>& sites) {
  for (const auto& x : sites)
    members_.push_back({.name = x});
  auto& director = members_.front();
  director.joined = director.met = director.finished = true;
}

void roster::restore(const std::string& site, const known_process& x, std::uint64_t lines,
                     std::map<std::uint64_t, std::uint64_t> earlier) {
  for (auto& who : members_) {
    if (who.name != site)
      continue;
    who.process = x;
    who.lines = lines;
    who.earlier = std::move(earlier);
    return;
  }
}

roster_effects roster::enter(phase next) {
  phase_ = next;
  roster_effects result;
  if (next == phase::planning)
    for (std::size_t i = 1; i < members_.size(); ++i)
      result.push_back({kind::plan, i});
  if (next == phase::finishing)
    finish_all(result);
  return result;
}

roster_effects roster::stop() {
  stopping_ = true;
  roster_effects result;
  if (lives())
    finish_all(result);
  return result;
}

void roster::finish_all(roster_effects& to) {
  for (std::size_t i = 1; i < members_.size(); ++i)
    finish(i, to);
}

void roster::finish(std::size_t site, roster_effects& to) {
  if (takes_part(site) && !std::exchange(members_[site].told_to_finish, true))
    to.push_back({kind::finish, site});
}

// The same process, which was silent for a while.
void roster::come_back(std::size_t site, roster_effects& to) {
  auto& who = members_[site];
  who.lost = who.lost_before = false;
  to.push_back({kind::returned, site});
  // What it could not be told.
  to.push_back({kind::plan, site});
  if (std::exchange(who.told_to_finish, false) || stopping_ || phase_ == phase::finishing)
    finish(site, to);
}

roster_effects roster::join(std::size_t site, std::uint64_t start, const net::endpoints& at) {
  roster_effects result;
  auto& who = members_[site];
  who.process.at = at;
  const auto known = start == who.process.start;
  // It joins anew when it hears of us again, which may be before we take note of it.
  const auto returns = known && (who.lost || who.lost_before) && lives();
  if (!known) {
    const auto before = who.process.incarnation;
    if (before != 0)
      who.earlier[who.process.start] = who.lines;
    who.process.start = start;
    ++who.process.incarnation;
    // Also of a process that told nothing: others may name its events as causes.
    const auto used = std::max<std::uint64_t>(who.last_event / numbers_of_a_process + 1, before);
    who.process.first_event = before == 0 ? 1 : used * numbers_of_a_process + 1;
    who.lines = 0;
    who.finished = who.told_to_finish = who.met = false;
    who.done = {};
    who.lost = who.lost_before = false;
  }
  who.joined = true;
  result.push_back({kind::remember, site});
  result.push_back({kind::accept, site});
  if (returns)
    come_back(site, result);
  else if (phase_ != phase::gathering)
    result.push_back({kind::plan, site});
  if (phase_ == phase::gathering)
    return result;
  for (std::size_t i = 1; i < members_.size(); ++i)
    if (i != site && takes_part(i))
      result.push_back({kind::peers, i});
  if (phase_ == phase::finishing || (stopping_ && lives()))
    finish(site, result);
  return result;
}

roster_effects roster::silent(std::size_t site, std::string why) {
  auto& who = members_[site];
  if (site == 0 || !lives() || who.lost || who.finished)
    return {};
  who.lost = true;
  return {{kind::lost, site, std::move(why)}};
}

roster_effects roster::heard(std::size_t site, std::uint64_t start) {
  roster_effects result;
  const auto& who = members_[site];
  // One that did not join us yet does so when it hears of us.
  if (site != 0 && lives() && who.lost && who.joined && start == who.process.start)
    come_back(site, result);
  return result;
}

roster_effects roster::ended(std::string_view site, const std::string& how) {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [site](const member& x) { return x.name == site; });
  if (found == members_.end())
    return {};
  const auto number = static_cast<std::size_t>(found - members_.begin());
  return lives() ? silent(number, how) : roster_effects{{kind::fail, number, how}};
}

roster_effects roster::give_up_absent() {
  roster_effects result;
  for (std::size_t i = 1; i < members_.size(); ++i) {
    auto& who = members_[i];
    if (who.joined || who.lost)
      continue;
    who.lost = true;
    // What the director before has said is not said again.
    if (!std::exchange(who.lost_before, false))
      result.push_back({kind::lost, i, "it did not come to the next director"});
  }
  return result;
}

roster_effects roster::unanswered_finish(std::size_t site) {
  members_[site].told_to_finish = false;
  roster_effects result;
  finish(site, result);
  return result;
}

void roster::finished(std::size_t site, finished_message x) {
  members_[site].done = std::move(x);
  members_[site].finished = true;
}

void roster::told(std::size_t site, std::uint64_t line) {
  auto& lines = members_[site].lines;
  lines = std::max(lines, line);
}

void roster::told_of(std::size_t site, std::uint64_t process, std::uint64_t line) {
  auto& lines = members_[site].earlier[process];
  lines = std::max(lines, line);
}

std::optional<std::uint64_t> roster::known_of(std::size_t site, std::uint64_t process) const {
  const auto& earlier = members_[site].earlier;
  const auto found = earlier.find(process);
  return found == earlier.end() ? std::nullopt : std::optional{found->second};
}

void roster::knows(const event& x, bool earlier) {
  auto& from = members_[x.id.site];
  from.last_event = std::max(from.last_event, x.id.number);
  if (!earlier)
    return;
  const auto mark = [this](std::string_view site, bool lost) {
    for (auto& who : members_)
      if (who.name == site)
        who.lost_before = lost;
  };
  // Whom the director before had lost returns when it comes: nobody else would say so.
  if (const auto* lost = std::get_if<site_lost>(&x.what))
    mark(lost->site, true);
  else if (const auto* back = std::get_if<site_returned>(&x.what))
    mark(back->site, false);
  else if (std::holds_alternative<site_joined>(x.what))
    mark(from.name, false);
}

bool roster::all(bool member::*what) const {
  return std::all_of(members_.begin(), members_.end(), [what](const auto& x) { return x.*what; });
}

bool roster::all_settled() const {
  return std::all_of(members_.begin(), members_.end(), [](const member& x) { return x.settled(); });
}

std::string roster::names_without(bool member::*what) const {
  std::string result;
  for (const auto& x : members_)
    if (!(x.*what))
      result.append(result.empty() ? "" : ", ").append(x.name);
  return result;
}

std::string to_string(const roster_effect& x, const std::vector<std::string>& sites) {
  constexpr std::string_view words[] = {"plan",   "peers", "finish",   "remember",
                                        "accept", "lost",  "returned", "fail"};
  std::string result{words[static_cast<std::size_t>(x.what)]};
  result.append(" ").append(sites[x.site]);
  if (!x.why.empty())
    result.append(": ").append(x.why);
  return result;
}

} // namespace spillover
