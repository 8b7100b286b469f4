#pragma once

#include "actors/timer_wheel.hpp"
#include "model/check.hpp"
#include "model/record.hpp"
#include "model/time.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spillover {

/// Somebody who takes records from a lane.
class entity {
public:
  /// Takes one record; the lane's time is that at which it is due.
  virtual void on_record(const record& x) = 0;

  /// Lets the processor fetch what `on_record(x)` will touch: it is the next record or the one after
  /// that. With thousands of requests under way that is in no cache.
  virtual void fetch(const record&) const noexcept {}

protected:
  ~entity() = default;
};

/// Names a timer that was set; stays harmless after the timer fired.
struct timer_id {
  std::uint32_t slot = 0xffffffff;
  std::uint32_t generation = 0;
};

/// Carries the hot events of a site: a FIFO for this instant, a timing wheel for later ones, and a
/// table of who is who.
///
/// Records bypass CAF's mailboxes, which would cost ten times as much. The lane knows no thread and
/// no clock of its own: whoever owns it (in virtual time the coordinator) moves it on. Timers that
/// are due at the same instant fire in the order in which they were set.
class lane {
public:
  /// @param planned ids below this are for `bind`; `allocate` gives out those from it on
  explicit lane(entity_id planned = 1);

  lane(const lane&) = delete;
  lane& operator=(const lane&) = delete;

  [[nodiscard]] instant now() const noexcept { return now_; }

  /// Delivers `x` at this instant, after all that was posted before.
  void post(const record& x) {
    if (posted_ - taken_ == fifo_.size())
      grow_fifo();
    fifo_[posted_++ & fifo_mask_] = x;
  }

  /// Delivers `x` at `due`; a time that has passed counts as this instant.
  /// @throws std::runtime_error when more than 16,777,215 timers are pending
  timer_id at(instant due, const record& x);

  /// Delivers `x` after a span, which is at least 0.
  timer_id after(duration span, const record& x) { return at(now_ + span, x); }

  /// Drops a timer that has not fired yet.
  /// @returns false when it has, or was dropped before
  bool cancel(timer_id x);

  /// @returns an id that nobody had before.
  entity_id allocate();

  /// Makes `who` the receiver of records for `id`, until `bury`.
  void bind(entity_id id, entity& who);

  /// Records for `id` go to the graveyard from now on, which counts them.
  void bury(entity_id id);

  /// Records that came for somebody who is no more.
  [[nodiscard]] std::uint64_t buried() const noexcept { return graveyard_.records; }

  // For the owner alone.

  /// Delivers the oldest posted record.
  /// @returns false when none is left at this instant
  bool deliver_posted() {
    if (taken_ == posted_)
      return false;
    const auto x = fifo_[taken_++ & fifo_mask_];
    deliver(x);
    return true;
  }

  /// @returns when the next timer is due, or `never`.
  [[nodiscard]] instant next_due();

  /// Moves to the next timer's time and delivers its record.
  void deliver_timer();

  /// Moves on to `to` without delivering anything; no timer is due before.
  void advance(instant to) noexcept {
    SPILLOVER_CHECK(to >= now_);
    now_ = to;
  }

  /// @returns how many timers are pending whose record satisfies `condition`.
  template <class F>
  [[nodiscard]] std::uint64_t pending(F&& condition) const;

  /// Records delivered so far.
  [[nodiscard]] std::uint64_t delivered() const noexcept { return delivered_; }

private:
  static constexpr unsigned slot_bits = 24;
  static constexpr std::uint32_t slot_mask = (1U << slot_bits) - 1;

  struct slot {
    record what;
    std::uint32_t generation = 0;
    std::uint32_t next_free = 0;
  };

  // Final, and nobody deletes it as an entity.
  // NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor)
  struct graveyard final : entity {
    void on_record(const record&) override { ++records; }
    std::uint64_t records = 0;
  };

  void deliver(const record& x) {
    ++delivered_;
    entities_[x.to]->on_record(x);
  }
  [[nodiscard]] const record& record_of(timer_wheel::key x) const noexcept {
    return slots_[static_cast<std::uint32_t>(timer_wheel::rest_of(x)) & slot_mask].what;
  }
  /// Lets the processor fetch what every record of an entity touches.
  void fetch(entity_id id) const noexcept {
    const auto* who = reinterpret_cast<const char*>(entities_[id]);
    for (std::size_t offset = 0; offset < 256; offset += 64)
      __builtin_prefetch(who + offset);
  }
  void grow_fifo();
  void drop_dead();
  void fetch_ahead();
  void rebuild();
  std::uint32_t take_slot();
  void free_slot(std::uint32_t index) noexcept;

  instant now_{};
  std::vector<record> fifo_;
  std::size_t fifo_mask_ = 0;
  std::size_t posted_ = 0;
  std::size_t taken_ = 0;

  timer_wheel timers_; // keys: due time, order of setting, slot
  std::vector<slot> slots_;
  std::uint32_t free_ = slot_mask;
  std::size_t dead_ = 0;
  std::uint64_t order_ = 0;
  std::uint64_t delivered_ = 0;

  graveyard graveyard_;
  std::vector<entity*> entities_;
  entity_id next_id_;
};

template <class F>
std::uint64_t lane::pending(F&& condition) const {
  std::uint64_t count = 0;
  for (const auto& x : slots_)
    count += x.what.to != nobody && condition(x.what);
  return count;
}

} // namespace spillover
