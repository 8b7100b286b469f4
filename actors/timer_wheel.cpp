#include "actors/timer_wheel.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace spillover {

void timer_wheel::push(key x) {
  ++size_;
  if (static_cast<std::uint64_t>(due_of(x)) < cursor_)
    push_near(x);
  else
    put(x);
}

void timer_wheel::push_near(key x) {
  near_.push_back(x);
  std::push_heap(near_.begin(), near_.end(), std::greater<>{});
}

void timer_wheel::pop() {
  if (near_.empty())
    advance();
  if (near_.size() > 1)
    std::pop_heap(near_.begin(), near_.end(), std::greater<>{});
  near_.pop_back();
  --size_;
}

void timer_wheel::put(key x) {
  // The level is that of the highest bit in which the key's time differs from the cursor's: all
  // coarser positions are the cursor's own.
  const auto due = static_cast<std::uint64_t>(due_of(x));
  const auto differs = (due ^ cursor_) >> shift_of(1);
  const auto at = (static_cast<unsigned>(std::bit_width(differs)) + level_bits - 1) / level_bits;
  SPILLOVER_CHECK(at < levels);
  auto& l = levels_[at];
  const auto bucket = static_cast<unsigned>(due >> shift_of(at)) % bucket_count;
  l.buckets[bucket].push_back(x);
  l.used[bucket / 64] |= std::uint64_t{1} << bucket % 64;
}

unsigned timer_wheel::next_used(const level& x, unsigned from) noexcept {
  for (auto word = from / 64; word < x.used.size(); ++word) {
    const auto mask = word == from / 64 ? ~std::uint64_t{0} << from % 64 : ~std::uint64_t{0};
    if (const auto bits = x.used[word] & mask)
      return word * 64 + static_cast<unsigned>(std::countr_zero(bits));
  }
  return bucket_count;
}

void timer_wheel::advance() {
  SPILLOVER_CHECK(size_ != 0);
  while (near_.empty()) {
    unsigned at = 0;
    unsigned bucket = 0;
    for (;; ++at) {
      SPILLOVER_CHECK(at < levels);
      const auto here = static_cast<unsigned>(cursor_ >> shift_of(at)) % bucket_count;
      bucket = next_used(levels_[at], here);
      if (bucket != bucket_count)
        break;
    }
    const auto above = cursor_ >> shift_of(at + 1) << shift_of(at + 1);
    const auto start = above | static_cast<std::uint64_t>(bucket) << shift_of(at);
    if (at > 0) {
      move_cursor(start);
      continue;
    }
    auto& keys = levels_[0].buckets[bucket];
    levels_[0].used[bucket / 64] &= ~(std::uint64_t{1} << bucket % 64);
    near_.swap(keys);
    fresh_ = true;
    std::make_heap(near_.begin(), near_.end(), std::greater<>{});
    move_cursor(start + (std::uint64_t{1} << first_shift));
  }
}

void timer_wheel::move_cursor(std::uint64_t to) {
  cursor_ = to;
  // Where the cursor enters a coarser bucket, that bucket's keys now belong to finer levels.
  unsigned top = 0;
  while (top + 1 < levels && to % (std::uint64_t{1} << shift_of(top + 1)) == 0)
    ++top;
  for (auto at = top; at > 0; --at)
    spread(at, static_cast<unsigned>(to >> shift_of(at)) % bucket_count);
}

void timer_wheel::spread(unsigned at, unsigned bucket) {
  auto& l = levels_[at];
  const auto bit = std::uint64_t{1} << bucket % 64;
  if ((l.used[bucket / 64] & bit) == 0)
    return;
  l.used[bucket / 64] &= ~bit;
  // By way of a vector of our own, because a bucket must not grow while it is read; swapping keeps
  // the memory of both.
  spreading_.swap(l.buckets[bucket]);
  for (const auto x : spreading_)
    put(x);
  spreading_.clear();
}

std::vector<timer_wheel::key> timer_wheel::take_all() {
  auto result = std::move(near_);
  near_.clear();
  for (auto& l : levels_) {
    for (auto& bucket : l.buckets) {
      result.insert(result.end(), bucket.begin(), bucket.end());
      bucket.clear();
    }
    l.used.fill(0);
  }
  size_ = 0;
  return result;
}

} // namespace spillover
