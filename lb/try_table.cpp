#include "lb/try_table.hpp"

#include "model/check.hpp"

#include <algorithm>

namespace spillover {

try_table::request& try_table::request_at(std::uint32_t slot) {
  if (slot >= requests_.size())
    requests_.resize(slot + 1);
  return requests_[slot];
}

std::uint32_t try_table::add(const request_try& x) {
  auto& first = request_at(x.slot).first;
  return first = tries_.add({.what = x, .next = first});
}

void try_table::remove(std::uint32_t key) {
  auto* link = &requests_[at(key).slot].first;
  while (*link != key)
    link = &tries_.at(*link).next;
  *link = tries_.at(key).next;
  tries_.remove(key);
}

std::uint32_t try_table::find(std::uint32_t slot, std::uint32_t region,
                              std::uint16_t attempt) const {
  auto key = first_of(slot);
  for (; key != none; key = next_of(key))
    if (const auto& x = tries_.at(key).what; x.sent && x.region == region && x.attempt == attempt)
      break;
  return key;
}

// The earliest on top, and of two at the same time the one that began first.
bool try_table::later(const resting& x, const resting& y) noexcept {
  return x.until != y.until ? x.until > y.until : x.number > y.number;
}

void try_table::rest(std::uint32_t slot, instant until, outcome before) {
  SPILLOVER_CHECK(request_at(slot).pause == 0);
  requests_[slot].pause = ++pauses_;
  rests_.push_back({until, pauses_, {slot, before}});
  std::push_heap(rests_.begin(), rests_.end(), later);
}

bool try_table::stop_rest(std::uint32_t slot) {
  if (slot >= requests_.size() || requests_[slot].pause == 0)
    return false;
  requests_[slot].pause = 0;
  drop_stopped();
  return true;
}

// So that whoever is on top is due.
void try_table::drop_stopped() {
  while (!rests_.empty() && requests_[rests_.front().what.slot].pause != rests_.front().number) {
    std::pop_heap(rests_.begin(), rests_.end(), later);
    rests_.pop_back();
  }
}

std::optional<try_table::pause> try_table::pop_rest(instant now) {
  if (rests_.empty() || rests_.front().until > now)
    return std::nullopt;
  const auto result = rests_.front().what;
  stop_rest(result.slot);
  return result;
}

void try_table::enqueue(std::uint32_t place, std::uint32_t key) {
  auto& line = queues_[place];
  auto& x = tries_.at(key);
  x.ahead = line.tail;
  x.behind = none;
  (line.tail == none ? line.head : tries_.at(line.tail).behind) = key;
  line.tail = key;
  ++line.size;
}

void try_table::leave_queue(std::uint32_t place, std::uint32_t key) {
  auto& line = queues_[place];
  const auto& x = tries_.at(key);
  (x.ahead == none ? line.head : tries_.at(x.ahead).behind) = x.behind;
  (x.behind == none ? line.tail : tries_.at(x.behind).ahead) = x.ahead;
  --line.size;
}

void try_table::set_usable(std::uint32_t place, bool usable, instant until) {
  auto& x = drains_[place];
  if (x.usable == usable)
    return;
  x = {usable, usable ? never : until};
  next_drained_ = never;
  for (const auto& y : drains_)
    next_drained_ = std::min(next_drained_, y.until);
}

std::optional<std::uint32_t> try_table::pop_drained(instant now) {
  if (next_drained_ > now)
    return std::nullopt;
  std::optional<std::uint32_t> result;
  next_drained_ = never;
  for (std::uint32_t place = 0; place < drains_.size(); ++place) {
    auto& until = drains_[place].until;
    if (!result && until <= now) {
      result = place;
      until = never;
    }
    next_drained_ = std::min(next_drained_, until);
  }
  return result;
}

std::uint64_t try_table::going_on() const noexcept {
  const auto pauses = std::count_if(requests_.begin(), requests_.end(),
                                    [](const request& x) { return x.pause != 0; });
  return tries_.size() + static_cast<std::uint64_t>(pauses);
}

instant try_table::next() const noexcept {
  return std::min(
    {deadlines_.next(), next_drained_, rests_.empty() ? never : rests_.front().until});
}

} // namespace spillover
