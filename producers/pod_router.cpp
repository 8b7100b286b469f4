#include "producers/pod_router.hpp"

#include "model/check.hpp"

#include <bit>
#include <cstddef>

namespace spillover {

namespace {

constexpr std::uint64_t bit(std::uint32_t place) noexcept {
  return std::uint64_t{1} << (place & 63);
}

} // namespace

void pod_router::follow(spread how, std::uint32_t limit) {
  how_ = how;
  if (limit == limit_)
    return;
  limit_ = limit;
  mark_all();
}

void pod_router::add(std::uint32_t index, tier) {
  if (index >= pods_.size())
    pods_.resize(std::size_t{index} + 1);
  auto& x = pods_[index];
  SPILLOVER_CHECK(x.place == none);
  x.place = size();
  ready_.push_back(index);
  if (open_.size() * 64 < ready_.size())
    open_.push_back(0);
  mark(x.place, may_have_more(index));
}

void pod_router::move(std::uint32_t, tier) {}

void pod_router::remove(std::uint32_t index) {
  auto& x = pods_[index];
  SPILLOVER_CHECK(x.place != none);
  ready_.erase(ready_.begin() + x.place);
  // Whoever's turn it is keeps it.
  if (next_ > x.place)
    --next_;
  x.place = none;
  for (std::uint32_t i = 0; i < size(); ++i)
    pods_[ready_[i]].place = i;
  mark_all();
}

std::optional<std::uint32_t> pod_router::dispatch() {
  if (open_count_ == 0)
    return std::nullopt;
  const auto place = choose();
  const auto index = ready_[place];
  next_ = place + 1;
  ++pods_[index].in_flight;
  ++total_;
  if (!may_have_more(index))
    mark(place, false);
  return index;
}

std::uint32_t pod_router::choose() noexcept {
  switch (how_) {
    case spread::round_robin: return open_from(next_);
    case spread::random: return open_from(static_cast<std::uint32_t>(random_.below(size())));
    case spread::two_random: return open_from(draw_two());
    case spread::first_available: break;
  }
  return open_from(0);
}

std::uint32_t pod_router::draw_two() noexcept {
  if (size() == 1)
    return 0;
  const auto first = static_cast<std::uint32_t>(random_.below(size()));
  auto second = static_cast<std::uint32_t>(random_.below(size() - 1));
  second += second >= first ? 1 : 0;
  return pods_[ready_[second]].in_flight < pods_[ready_[first]].in_flight ? second : first;
}

void pod_router::finish(std::uint32_t index) {
  auto& x = pods_[index];
  SPILLOVER_CHECK(x.in_flight > 0);
  --x.in_flight;
  --total_;
  if (x.place != none && may_have_more(index))
    mark(x.place, true);
}

void pod_router::forget(std::uint32_t index) {
  if (index >= pods_.size())
    return;
  auto& x = pods_[index];
  SPILLOVER_CHECK(x.place == none);
  total_ -= x.in_flight;
  x.in_flight = 0;
}

std::uint32_t pod_router::in_flight(std::uint32_t index) const noexcept {
  return index < pods_.size() ? pods_[index].in_flight : 0;
}

bool pod_router::may_have_more(std::uint32_t index) const noexcept {
  return limit_ == 0 || pods_[index].in_flight < limit_;
}

bool pod_router::is_open(std::uint32_t place) const noexcept {
  return (open_[place >> 6] & bit(place)) != 0;
}

void pod_router::mark(std::uint32_t place, bool open) noexcept {
  if (is_open(place) == open)
    return;
  open_[place >> 6] ^= bit(place);
  if (open)
    ++open_count_;
  else
    --open_count_;
}

void pod_router::mark_all() {
  open_count_ = 0;
  open_.assign((ready_.size() + 63) / 64, 0);
  for (std::uint32_t i = 0; i < size(); ++i)
    mark(i, may_have_more(ready_[i]));
}

std::uint32_t pod_router::open_from(std::uint32_t place) const noexcept {
  if (place >= size())
    place = 0;
  const auto words = static_cast<std::uint32_t>(open_.size());
  auto word = place >> 6;
  // The first word is looked at twice: from `place` on, and at last as a whole.
  auto bits = open_[word] & ~(bit(place) - 1);
  while (bits == 0) {
    word = word + 1 == words ? 0 : word + 1;
    bits = open_[word];
  }
  return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
}

} // namespace spillover
