#pragma once

#include "model/check.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace spillover {

/// Deadlines that all lie the same span ahead, hence due in the order in which they were set: one
/// timer at the head serves them all.
///
/// A list threaded through an array that is indexed by the caller's keys (those of a `slot_table`),
/// so that setting and settling cost a few operations each and memory grows with what is open at a
/// time, not with what was ever asked. Settle each key before it is used again.
class deadline_queue {
public:
  /// @param due not earlier than that of any entry before
  /// @param key has no deadline here at the moment
  void push(instant due, std::uint32_t key) {
    SPILLOVER_CHECK(tail_ == none || entries_[tail_].due <= due);
    if (key >= entries_.size())
      entries_.resize(key + 1);
    entries_[key] = {due, tail_, none};
    (tail_ == none ? head_ : entries_[tail_].next) = key;
    tail_ = key;
  }

  /// Forgets the deadline of `key`, which has one.
  void settle(std::uint32_t key) noexcept {
    const auto& x = entries_[key];
    (x.previous == none ? head_ : entries_[x.previous].next) = x.next;
    (x.next == none ? tail_ : entries_[x.next].previous) = x.previous;
  }

  /// Takes out the first key whose deadline has come by `now`.
  std::optional<std::uint32_t> pop_due(instant now) noexcept {
    if (head_ == none || entries_[head_].due > now)
      return std::nullopt;
    const auto key = head_;
    settle(key);
    return key;
  }

  /// @returns when the first deadline comes, or `never`.
  [[nodiscard]] instant next() const noexcept {
    return head_ == none ? never : entries_[head_].due;
  }

private:
  static constexpr std::uint32_t none = 0xffffffff;
  struct entry {
    instant due{};
    std::uint32_t previous = none;
    std::uint32_t next = none;
  };
  std::vector<entry> entries_;
  std::uint32_t head_ = none;
  std::uint32_t tail_ = none;
};

} // namespace spillover
