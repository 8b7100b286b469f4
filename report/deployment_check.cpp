#include "report/deployment_check.hpp"

#include "report/format.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <utility>

namespace spillover {

namespace {

/// When a site was lost, and until when: it was heard of again, another process came, or the run ended.
struct absence {
  std::string_view site;
  instant from{};
  instant to{};
};

std::vector<absence> absences(const event_index& index) {
  std::vector<absence> result;
  for (const auto* x : index.all<site_lost>())
    result.push_back({payload_of<site_lost>(x).site, x->at, index.run_end()});
  const auto back = [&result](std::string_view site, instant at) {
    for (auto& x : result)
      if (x.site == site && x.from <= at && at < x.to)
        x.to = at;
  };
  for (const auto* x : index.all<site_returned>())
    back(payload_of<site_returned>(x).site, x->at);
  for (const auto* x : index.all<site_joined>())
    back(x->entity, x->at);
  return result;
}

/// What one process says of what it handed to another, and got from there.
using wire_books = std::map<std::pair<std::string_view, std::string_view>, const books_closed*>;

wire_books all_wires(const event_index& index) {
  wire_books result;
  for (const auto* x : index.all<books_closed>())
    if (const auto& books = payload_of<books_closed>(x); books.account == "wire")
      result[{first_part(x->entity), books.counterpart}] = &books;
  return result;
}

std::uint64_t of(const books_closed& x, outcome how) {
  return x.ended[static_cast<std::size_t>(how)];
}

std::string ms_text(std::int64_t ns) {
  return std::to_string(ns / 1'000'000) + "." + std::to_string(std::abs(ns) / 100'000 % 10) + " ms";
}

} // namespace

std::set<std::string_view> incomplete_sites(const event_index& index) {
  std::set<std::string_view> closed;
  for (const auto* x : index.all<books_closed>())
    closed.insert(first_part(x->entity));
  std::set<std::string_view> result;
  for (const auto* x : index.all<site_lost>())
    if (const auto& site = payload_of<site_lost>(x).site; !closed.contains(site))
      result.insert(site);
  for (const auto* x : index.all<site_joined>())
    // A director keeps no books.
    if (x->id.site != 0 && payload_of<site_joined>(x).late)
      result.insert(x->entity);
  return result;
}

wire_totals total_wire(const event_index& index) {
  const auto wires = all_wires(index);
  wire_totals result;
  for (const auto& [way, books] : wires) {
    result.refused += of(*books, outcome::unavailable);
    result.dropped += of(*books, outcome::lost);
    const auto there = wires.find({way.second, way.first});
    const auto came = there == wires.end() ? 0 : there->second->late;
    result.lost += books->in_flight - std::min(came, books->in_flight);
  }
  return result;
}

std::uint64_t refused_by_wire(const event_index& index, std::string_view consumer,
                              std::string_view region) {
  const auto wires = all_wires(index);
  const auto found = wires.find({consumer, region});
  return found == wires.end() ? 0 : of(*found->second, outcome::unavailable);
}

std::vector<std::string> spoiled_clocks(const event_index& index,
                                        const std::vector<failover_anatomy>& failovers) {
  const auto away = absences(index);
  const auto excused = [&away](std::string_view site, instant from, instant to) {
    return std::any_of(away.begin(), away.end(), [&](const absence& x) {
      // What was due while it was away is handled when it is back.
      return x.site == site && from <= x.to && x.from <= to;
    });
  };
  std::vector<std::string> result;
  const auto check = [&](std::string_view name, const failover_anatomy& whose, instant from,
                         duration span) {
    const auto limit = std::max<duration>(late_floor, span * late_percent / 100);
    const event* worst = nullptr;
    for (const auto* x : index.all<pace_sample>()) {
      const auto& pace = payload_of<pace_sample>(x);
      const auto begin = x->at - duration{static_cast<duration::rep>(pace.span_ns)};
      if (x->at < from || begin > from + span || excused(x->entity, begin, x->at)
          || duration{static_cast<duration::rep>(pace.late_most_ns)} <= limit)
        continue;
      if (worst == nullptr || payload_of<pace_sample>(worst).late_most_ns < pace.late_most_ns)
        worst = x;
    }
    if (worst == nullptr)
      return;
    const duration late{static_cast<duration::rep>(payload_of<pace_sample>(worst).late_most_ns)};
    result.push_back("clock " + std::string{name} + " of " + whose.from + " (" + clock_text(span)
                     + ") is spoiled: the process of " + worst->entity + " was " + clock_text(late)
                     + " late meanwhile, more than " + clock_text(limit)
                     + "; use a lower speed or fewer sites a core");
  };
  for (const auto& x : failovers) {
    auto at = x.fault_at;
    const std::array<std::pair<std::string_view, const clock_reading*>, 5> clocks{
      {{"detect", &x.detect},
       {"aggregate", &x.aggregate},
       {"propagate", &x.propagate},
       {"route", &x.route},
       {"capacity recovered", &x.capacity}}};
    for (const auto& [name, clock] : clocks) {
      if (!clock->span)
        break;
      check(name, x, at, *clock->span);
      at += *clock->span;
    }
  }
  return result;
}

std::vector<std::string> deployment_notes(const event_index& index) {
  std::vector<std::string> result;
  for (const auto& x : absences(index)) {
    auto& text = result.emplace_back("the site " + std::string{x.site} + " was lost at "
                                     + instant_text(x.from));
    text +=
      x.to < index.run_end() ? ", and back at " + instant_text(x.to) : ", and did not come back";
  }
  const auto incomplete = incomplete_sites(index);
  for (const auto site : incomplete)
    result.push_back(
      "the books of " + std::string{site}
      + " miss what its lost process did not tell; they are not compared with others");
  const auto wire = total_wire(index);
  if (incomplete.empty() && wire.lost + wire.dropped > 0)
    result.push_back(thousands(wire.lost + wire.dropped)
                     + " requests or answers were lost between processes");
  if (wire.refused > 0)
    result.push_back(thousands(wire.refused)
                     + " requests were refused at once: the process of their region was gone");
  const event* worst = nullptr;
  for (const auto* x : index.all<clock_sample>()) {
    const auto size = [](const event* y) {
      const auto& sample = payload_of<clock_sample>(y);
      return std::abs(sample.offset_ns) - static_cast<std::int64_t>(sample.round_trip_ns / 2);
    };
    if (size(x) > 0 && (worst == nullptr || size(x) > size(worst)))
      worst = x;
  }
  if (worst != nullptr) {
    const auto& sample = payload_of<clock_sample>(worst);
    result.push_back("clocks of machines differ: that of " + sample.site + " by up to "
                     + ms_text(sample.offset_ns) + " in real time (round trip "
                     + ms_text(static_cast<std::int64_t>(sample.round_trip_ns)) + ")");
  }
  return result;
}

} // namespace spillover
