#include "producers/pending_queue.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

/// @returns `since` plus `span`, or `never` when that lies beyond time.
instant later(instant since, duration span) noexcept {
  return span < never - since ? since + span : never;
}

duration twice(duration x) noexcept {
  return x < duration::max() / 2 ? 2 * x : duration::max();
}

} // namespace

void pending_queue::push(std::uint32_t request, instant since, std::uint32_t reserved) {
  if (request >= numbers_.size())
    numbers_.resize(std::size_t{request} + 1);
  SPILLOVER_CHECK(numbers_[request] == 0);
  if (tail_ - head_ == ring_.size())
    make_room();
  auto& x = at(tail_);
  x = {{request, since, no_instance, false}, 0, true};
  numbers_[request] = ++tail_;
  ++waiting_;
  reserve(x, reserved);
}

std::optional<pending_queue::entry> pending_queue::pop() {
  if (empty())
    return std::nullopt;
  return take(head_);
}

std::optional<pending_queue::entry> pending_queue::remove(std::uint32_t request) {
  if (request >= numbers_.size() || numbers_[request] == 0)
    return std::nullopt;
  return take(numbers_[request] - 1);
}

instant pending_queue::next_due(duration limit) const noexcept {
  auto result = never;
  if (head_ < fresh_)
    result = later(at(head_).what.since, twice(limit));
  if (fresh_ < tail_)
    result = std::min(result, later(at(fresh_).what.since, limit));
  return result;
}

std::optional<pending_queue::entry> pending_queue::first_overdue(instant now,
                                                                 duration limit) const noexcept {
  if (fresh_ == tail_ || later(at(fresh_).what.since, limit) > now)
    return std::nullopt;
  return shown(at(fresh_));
}

void pending_queue::extend_first(std::uint32_t reserved) {
  SPILLOVER_CHECK(fresh_ < tail_);
  auto& x = at(fresh_);
  unreserve(x);
  reserve(x, reserved);
  x.what.extended = true;
  ++fresh_;
  tidy();
}

std::optional<pending_queue::entry> pending_queue::pop_expired(instant now, duration limit) {
  if (head_ == fresh_ || later(at(head_).what.since, twice(limit)) > now)
    return std::nullopt;
  return take(head_);
}

std::uint32_t pending_queue::reserved_on(std::uint32_t index) const noexcept {
  return index < promises_.size() ? promises_[index].count : 0;
}

void pending_queue::release(std::uint32_t index) {
  if (index >= promises_.size())
    return;
  reserved_ -= std::exchange(promises_[index].count, 0);
  ++promises_[index].round;
}

pending_queue::place& pending_queue::at(std::uint64_t number) noexcept {
  return ring_[number & (ring_.size() - 1)];
}

const pending_queue::place& pending_queue::at(std::uint64_t number) const noexcept {
  return ring_[number & (ring_.size() - 1)];
}

pending_queue::entry pending_queue::shown(const place& x) const noexcept {
  auto result = x.what;
  if (result.reserved != no_instance && promises_[result.reserved].round != x.round)
    result.reserved = no_instance;
  return result;
}

void pending_queue::reserve(place& x, std::uint32_t instance) {
  x.what.reserved = instance;
  if (instance == no_instance)
    return;
  if (instance >= promises_.size())
    promises_.resize(std::size_t{instance} + 1);
  x.round = promises_[instance].round;
  ++promises_[instance].count;
  ++reserved_;
}

void pending_queue::unreserve(place& x) noexcept {
  x.what = shown(x);
  if (x.what.reserved == no_instance)
    return;
  --promises_[x.what.reserved].count;
  --reserved_;
}

pending_queue::entry pending_queue::take(std::uint64_t number) {
  auto& x = at(number);
  const auto result = shown(x);
  unreserve(x);
  x.waits = false;
  numbers_[result.request] = 0;
  --waiting_;
  tidy();
  return result;
}

void pending_queue::tidy() noexcept {
  while (head_ < tail_ && !at(head_).waits)
    ++head_;
  fresh_ = std::max(fresh_, head_);
  while (fresh_ < tail_ && !at(fresh_).waits)
    ++fresh_;
}

void pending_queue::make_room() {
  close_gaps();
  // When most places were of removed requests, that is room enough.
  if (!ring_.empty() && waiting_ * 2 <= ring_.size())
    return;
  std::vector<place> ring(std::max(std::size_t{16}, ring_.size() * 2));
  for (auto number = head_; number < tail_; ++number)
    ring[number & (ring.size() - 1)] = at(number);
  ring_ = std::move(ring);
}

void pending_queue::close_gaps() noexcept {
  const auto fresh = fresh_;
  auto next = head_;
  for (auto number = head_; number < tail_; ++number) {
    if (number == fresh)
      fresh_ = next;
    if (!at(number).waits)
      continue;
    at(next) = at(number);
    numbers_[at(number).what.request] = next + 1;
    ++next;
  }
  if (fresh == tail_)
    fresh_ = next;
  tail_ = next;
}

} // namespace spillover
