#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace spillover {

/// A queue of what is due when, for times that only move forward.
///
/// A hierarchical timing wheel (Varghese and Lauck) in front of a small heap: later keys wait unsorted
/// in buckets, six levels of 256, each level 256 times as coarse; a bucket is spread over the level
/// below when its time comes, and only keys of the next 16 us are sorted. A key is therefore moved
/// about three times, and sorted among few, where one heap of everything would sort it among all: at
/// 10,000 instances that heap is the largest cost of a request.
class timer_wheel {
public:
  /// Due time (nanoseconds, at least 0) in the upper half, what the owner likes in the lower: keys of
  /// the same time come out in the order of the lower half.
  __extension__ using key = unsigned __int128;

  static constexpr key make_key(std::int64_t due, std::uint64_t rest) noexcept {
    return static_cast<key>(due) << 64 | rest;
  }
  static constexpr std::int64_t due_of(key x) noexcept {
    return static_cast<std::int64_t>(x >> 64);
  }
  static constexpr std::uint64_t rest_of(key x) noexcept { return static_cast<std::uint64_t>(x); }

  /// @param x due not before the last key that was popped
  void push(key x);

  /// @returns the first key; call only when not empty.
  [[nodiscard]] key top() {
    if (near_.empty())
      advance();
    return near_.front();
  }

  /// Takes out the first key.
  void pop();

  /// Calls `f(key)` for the keys, two at most, of which one comes after the first.
  template <class F>
  void peek(F&& f) const {
    for (std::size_t i = 1; i < 3 && i < near_.size(); ++i)
      f(near_[i]);
  }

  /// The keys that come soon, in no particular order but for the first.
  [[nodiscard]] const std::vector<key>& near() const noexcept { return near_; }

  /// @returns whether a bucket came near since the last call.
  bool take_fresh() noexcept { return std::exchange(fresh_, false); }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Takes out all keys, in no particular order.
  std::vector<key> take_all();

private:
  static constexpr unsigned levels = 6;
  static constexpr unsigned level_bits = 8;
  static constexpr unsigned bucket_count = 1U << level_bits;
  static constexpr unsigned first_shift = 14; // a bucket of the finest level is 2^14 ns long

  struct level {
    std::array<std::vector<key>, bucket_count> buckets;
    std::array<std::uint64_t, bucket_count / 64> used{}; // a bit for each bucket that holds a key
  };

  static constexpr unsigned shift_of(unsigned at) noexcept { return first_shift + level_bits * at; }
  void push_near(key x);
  void put(key x);
  void advance();
  void move_cursor(std::uint64_t to);
  void spread(unsigned at, unsigned bucket);
  [[nodiscard]] static unsigned next_used(const level& x, unsigned from) noexcept;

  std::vector<key> near_;    // a heap: all keys due before `cursor_`
  std::uint64_t cursor_ = 0; // a multiple of the finest bucket's length
  std::array<level, levels> levels_;
  std::vector<key> spreading_;
  std::size_t size_ = 0;
  bool fresh_ = false; // a bucket came near since `take_fresh`
};

} // namespace spillover
