#include "actors/lane.hpp"

#include <algorithm>
#include <stdexcept>

namespace spillover {

namespace {

// A cancelled timer keeps its place in the queue; its record goes to nobody.
constexpr std::size_t least_dead_to_rebuild = 1024;

} // namespace

lane::lane(entity_id planned)
  : fifo_(1024), fifo_mask_(fifo_.size() - 1), entities_(planned, &graveyard_), next_id_(planned) {
  SPILLOVER_CHECK(planned >= 1);
}

void lane::grow_fifo() {
  std::vector<record> larger(fifo_.size() * 2);
  const auto count = posted_ - taken_;
  for (std::size_t i = 0; i < count; ++i)
    larger[i] = fifo_[(taken_ + i) & fifo_mask_];
  fifo_ = std::move(larger);
  fifo_mask_ = fifo_.size() - 1;
  taken_ = 0;
  posted_ = count;
}

timer_id lane::at(instant due, const record& x) {
  SPILLOVER_CHECK(x.to != nobody);
  SPILLOVER_CHECK(order_ < (std::uint64_t{1} << (64 - slot_bits)));
  const auto index = take_slot();
  slots_[index].what = x;
  timers_.push(timer_wheel::make_key(std::max(due, now_).time_since_epoch().count(),
                                     order_++ << slot_bits | index));
  return {index, slots_[index].generation};
}

bool lane::cancel(timer_id x) {
  if (x.slot >= slots_.size() || slots_[x.slot].generation != x.generation)
    return false;
  // The queue still names this slot, so the slot is freed when its key comes out.
  slots_[x.slot].what.to = nobody;
  ++slots_[x.slot].generation;
  if (++dead_ > least_dead_to_rebuild && dead_ > timers_.size() / 2)
    rebuild();
  return true;
}

entity_id lane::allocate() {
  entities_.push_back(&graveyard_);
  return next_id_++;
}

void lane::bind(entity_id id, entity& who) {
  SPILLOVER_CHECK(id != nobody && id < entities_.size());
  entities_[id] = &who;
}

void lane::bury(entity_id id) {
  SPILLOVER_CHECK(id < entities_.size());
  entities_[id] = &graveyard_;
}

instant lane::next_due() {
  drop_dead();
  return timers_.empty() ? never : instant{duration{timer_wheel::due_of(timers_.top())}};
}

void lane::deliver_timer() {
  drop_dead();
  SPILLOVER_CHECK(!timers_.empty());
  const auto first = timers_.top();
  timers_.pop();
  const auto index = static_cast<std::uint32_t>(timer_wheel::rest_of(first)) & slot_mask;
  const auto x = slots_[index].what;
  ++slots_[index].generation;
  free_slot(index);
  now_ = instant{duration{timer_wheel::due_of(first)}};
  fetch_ahead();
  deliver(x);
}

void lane::fetch_ahead() {
  if (timers_.take_fresh()) {
    for (const auto x : timers_.near())
      __builtin_prefetch(&record_of(x));
    for (const auto x : timers_.near())
      fetch(record_of(x).to);
  }
  timers_.peek([this](timer_wheel::key x) {
    const auto& next = record_of(x);
    entities_[next.to]->fetch(next);
  });
}

void lane::drop_dead() {
  while (dead_ > 0 && !timers_.empty()) {
    const auto index = static_cast<std::uint32_t>(timer_wheel::rest_of(timers_.top())) & slot_mask;
    if (slots_[index].what.to != nobody)
      return;
    timers_.pop();
    free_slot(index);
    --dead_;
  }
}

void lane::rebuild() {
  for (const auto key : timers_.take_all()) {
    const auto index = static_cast<std::uint32_t>(timer_wheel::rest_of(key)) & slot_mask;
    if (slots_[index].what.to == nobody)
      free_slot(index);
    else
      timers_.push(key);
  }
  dead_ = 0;
}

std::uint32_t lane::take_slot() {
  if (free_ == slot_mask) {
    if (slots_.size() == slot_mask)
      throw std::runtime_error("more than 16,777,215 things are under way at a time");
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const auto index = free_;
  free_ = slots_[index].next_free;
  return index;
}

void lane::free_slot(std::uint32_t index) noexcept {
  slots_[index].what.to = nobody;
  slots_[index].next_free = free_;
  free_ = index;
}

} // namespace spillover
