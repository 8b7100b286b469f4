#include "producers/affliction_book.hpp"

#include "model/check.hpp"
#include "producers/stretched.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spillover {

namespace {

using indices = std::vector<std::uint32_t>;

bool holds(const indices& x, std::uint32_t index) noexcept {
  return std::binary_search(x.begin(), x.end(), index);
}

void insert(indices& into, std::uint32_t index) {
  into.insert(std::lower_bound(into.begin(), into.end(), index), index);
}

/// @returns whether it was there.
bool remove(indices& from, std::uint32_t index) {
  const auto found = std::lower_bound(from.begin(), from.end(), index);
  if (found == from.end() || *found != index)
    return false;
  from.erase(found);
  return true;
}

bool is_of_process(ailment x) noexcept {
  return x != ailment::crashed && !is_of_starts(x);
}

} // namespace

probe_bearing bearing_of(const symptom& x) noexcept {
  if (x.affects == affected_part::requests)
    return probe_bearing::none;
  switch (x.become) {
    case ailment::crashed:
    case ailment::silent:
    case ailment::hung:
    case ailment::unstartable: return probe_bearing::whole;
    case ailment::failing:
      return x.error_fraction == 1 ? probe_bearing::whole : probe_bearing::part;
    // What is still starting refuses probes.
    case ailment::slow_starting: return probe_bearing::part;
    // Probes need neither CPU nor what the instance waits for.
    case ailment::slow:
    case ailment::waiting:
    case ailment::leaking: break;
  }
  return probe_bearing::none;
}

std::uint32_t victims_among(const instance_fault& x, std::uint32_t running) noexcept {
  if (x.count)
    return std::min(*x.count, running);
  // An exact product must not be rounded up by the last bit of the fraction.
  const auto share = std::ceil(x.fraction * running - 1e-9);
  return std::min(std::max(1U, static_cast<std::uint32_t>(share)), running);
}

duration cold_start_under(const start_terms& x, duration drawn) noexcept {
  return std::max(x.factor == 1 ? drawn : stretched(drawn, x.factor), x.least);
}

affliction_book::affliction_book(std::uint64_t seed, std::string path)
  : seed_(seed), path_(std::move(path)) {}

affliction_book::entry& affliction_book::open(std::uint32_t fault, const instance_fault& what,
                                              const fault_scope& where) {
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), fault,
                                      [](const entry& x, std::uint32_t y) { return x.fault < y; });
  if (place != entries_.end() && place->fault == fault)
    return *place;
  const auto name = path_ + "/fault/" + std::to_string(fault);
  return *entries_.insert(place, {.fault = fault,
                                  .what = what,
                                  .where = where,
                                  .choice = random_stream{seed_, name},
                                  .restarts = random_stream{seed_, name + "/restart"}});
}

std::vector<std::uint32_t> affliction_book::lay(std::uint32_t fault, const instance_fault& what,
                                                const fault_scope& where,
                                                std::span<const candidate> present) {
  const auto known = entries_.size();
  auto& x = open(fault, what, where);
  const auto first = entries_.size() != known;
  SPILLOVER_CHECK(!x.lies);
  x.lies = true;
  if (is_of_starts(what.suffer.become))
    return {};
  // One that is down already cannot become anything else, but it can be kept down.
  const auto can_be_hit = [&what](const candidate& y) {
    return y.runs || what.suffer.become == ailment::crashed;
  };
  if (where.everyone) {
    for (const auto& y : present)
      if (can_be_hit(y) && (!where.zone || *where.zone == y.zone))
        x.victims.push_back(y.index);
  } else {
    if (first)
      choose(x, present);
    for (const auto& y : present)
      if (can_be_hit(y) && holds(x.chosen, y.index))
        x.victims.push_back(y.index);
  }
  return x.victims;
}

void affliction_book::choose(entry& x, std::span<const candidate> present) {
  indices rest;
  for (const auto& y : present)
    if (y.runs)
      rest.push_back(y.index);
  for (auto left = victims_among(x.what, static_cast<std::uint32_t>(rest.size())); left > 0;
       --left) {
    const auto at = static_cast<std::ptrdiff_t>(x.choice.below(rest.size()));
    insert(x.chosen, rest[static_cast<std::size_t>(at)]);
    rest.erase(rest.begin() + at);
  }
}

std::vector<std::uint32_t> affliction_book::take_off(std::uint32_t fault) {
  for (auto& x : entries_)
    if (x.fault == fault) {
      x.lies = false;
      return std::exchange(x.victims, {});
    }
  return {};
}

bool affliction_book::meets_start(entry& x, std::uint32_t zone) {
  if (!is_of_starts(x.what.suffer.become))
    return x.where.everyone && (!x.where.zone || *x.where.zone == zone);
  const auto meets = x.what.count ? x.starts < *x.what.count : x.choice.unit() < x.what.fraction;
  x.starts += meets ? 1 : 0;
  return meets;
}

std::vector<affliction_book::hit> affliction_book::start(std::uint32_t index, std::uint32_t zone) {
  std::vector<hit> result;
  for (auto& x : entries_) {
    if (!x.lies)
      continue;
    if (holds(x.victims, index)) {
      result.push_back({x.fault, false});
    } else if (meets_start(x, zone)) {
      insert(x.victims, index);
      result.push_back({x.fault, true});
    }
  }
  return result;
}

start_terms affliction_book::terms(std::uint32_t index) const {
  start_terms result;
  for (const auto& x : entries_) {
    if (!holds(x.victims, index))
      continue;
    if (x.what.suffer.become == ailment::slow_starting)
      result.factor *= x.what.suffer.factor;
    // A start that fails in no time would be tried again without end in one instant.
    if (x.what.suffer.become == ailment::unstartable)
      result.least = std::chrono::seconds{1};
  }
  return result;
}

std::vector<std::uint32_t> affliction_book::started(std::uint32_t index) {
  indices result;
  for (auto& x : entries_)
    if (is_of_starts(x.what.suffer.become) && remove(x.victims, index))
      result.push_back(x.fault);
  return result;
}

std::vector<std::uint32_t> affliction_book::ended(std::uint32_t index) {
  indices result;
  for (auto& x : entries_)
    if (is_of_process(x.what.suffer.become) && remove(x.victims, index))
      result.push_back(x.fault);
  return result;
}

void affliction_book::stopped(std::uint32_t index) {
  for (auto& x : entries_) {
    remove(x.victims, index);
    remove(x.chosen, index);
  }
}

bool affliction_book::held_down(std::uint32_t index) const noexcept {
  return std::any_of(entries_.begin(), entries_.end(), [index](const entry& x) {
    return x.what.suffer.become == ailment::crashed && holds(x.victims, index);
  });
}

zone_set affliction_book::lost_zones() const noexcept {
  zone_set result = 0;
  for (const auto& x : entries_)
    if (x.lies && x.where.zone)
      result |= zone_set{1} << *x.where.zone;
  return result;
}

duration affliction_book::restart_delay(std::uint32_t fault) {
  for (auto& x : entries_)
    if (x.fault == fault && x.what.restart_jitter > duration::zero()) {
      const auto choices = static_cast<std::uint64_t>(x.what.restart_jitter.count()) + 1;
      return duration{static_cast<duration::rep>(x.restarts.below(choices))};
    }
  return {};
}

const instance_fault& affliction_book::of(std::uint32_t fault) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [fault](const entry& x) { return x.fault == fault; });
  SPILLOVER_CHECK(found != entries_.end());
  return found->what;
}

} // namespace spillover
