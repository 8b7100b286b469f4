#pragma once

#include "model/deadline_queue.hpp"
#include "model/record.hpp"
#include "model/slot_table.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace spillover {

/// What happened to tries between their sending and their answer, in one region (B-83, B-84, B-86).
struct try_count {
  std::uint64_t timed_out = 0; // tries whose `per_try_timeout` ended
  std::uint64_t hedged = 0;    // tries begun while another one of their request went on
  std::uint64_t cancelled = 0; // tries given up because another one brought the answer
  std::uint64_t cut = 0;       // tries cut off at the end of draining
  std::uint64_t queued = 0;    // tries that had to wait for a connection
  std::uint64_t overflow = 0;  // tries refused, because too many waited already

  friend bool operator==(const try_count&, const try_count&) = default;
};

/// What the books need beside `try_count`, so that every try of one region is accounted for.
struct try_fate_count {
  std::uint64_t overdue = 0;   // of `timed_out`: those that went on
  std::uint64_t given_up = 0;  // tries given up because the time of their request was over
  std::uint64_t connected = 0; // of `queued`: those that got a connection
  std::uint64_t left = 0;      // of `queued`: those that went away without one
  std::uint64_t waiting = 0;   // of `queued`: those that wait still

  friend bool operator==(const try_fate_count&, const try_fate_count&) = default;
};

/// What happens to a single try between its sending and its answer.
enum class try_notice : std::uint8_t {
  /// It waits for a connection (B-83).
  queued,
  /// Its time is over, and it is given up (B-84).
  timed_out,
  /// Its time is over, and it goes on, beside another one if there is one left.
  overdue,
  /// It was cut off at the end of draining (B-86).
  cut,
};

/// A try, from the choice of its region to its end.
struct request_try {
  /// Its request, at the load balancer.
  std::uint32_t slot = 0;
  std::uint32_t region = 0;
  std::uint16_t proxy = 0;
  /// Its number, as regions see it.
  std::uint16_t attempt = 0;
  /// How the request would end without it.
  outcome before = outcome::unavailable;
  /// It is not its request's first.
  bool again = false;
  /// Otherwise it waits for a connection.
  bool sent = false;
  /// It goes on though its time is over; no deadline waits for it any more.
  bool timed_out = false;
  /// Another one was made in its place.
  bool replaced = false;
};

/// The tries of all open requests of a load balancer, one by one, their pauses, and their waiting for
/// connections: lists and clocks only. What is done when, the balancer decides.
///
/// Keys of requests are the balancer's slots, keys of tries are this table's. Once warm, nothing here
/// allocates.
class try_table {
public:
  /// What `next_of` and others return at the end.
  static constexpr std::uint32_t none = 0xffffffff;

  /// A pause that is over.
  struct pause {
    std::uint32_t slot = 0;
    outcome before = outcome::unavailable;
  };

  /// @param places pairs of proxy and region, each of which has a queue and can drain
  explicit try_table(std::uint32_t places) : queues_(places), drains_(places) {}

  std::uint32_t add(const request_try& x);
  void remove(std::uint32_t key);
  request_try& at(std::uint32_t key) { return tries_.at(key).what; }

  /// @returns the first of a request's tries, and the one after another; the newest comes first.
  [[nodiscard]] std::uint32_t first_of(std::uint32_t slot) const noexcept {
    return slot < requests_.size() ? requests_[slot].first : none;
  }
  [[nodiscard]] std::uint32_t next_of(std::uint32_t key) const { return tries_.at(key).next; }

  /// @returns the try that was sent to a region with a number, or `none`.
  [[nodiscard]] std::uint32_t find(std::uint32_t slot, std::uint32_t region,
                                   std::uint16_t attempt) const;

  /// @returns whether anything goes on for a request: a try, or a pause before one.
  [[nodiscard]] bool busy(std::uint32_t slot) const noexcept {
    return slot < requests_.size() && (requests_[slot].first != none || requests_[slot].pause != 0);
  }

  /// Lets a request, which does not pause, pause until a time.
  void rest(std::uint32_t slot, instant until, outcome before);
  /// @returns whether it paused.
  bool stop_rest(std::uint32_t slot);

  /// Takes out a pause that is over by `now`.
  std::optional<pause> pop_rest(instant now);

  /// Lets a try wait for a connection, behind the others at a place.
  void enqueue(std::uint32_t place, std::uint32_t key);
  void leave_queue(std::uint32_t place, std::uint32_t key);
  [[nodiscard]] std::uint32_t waiting(std::uint32_t place) const { return queues_[place].size; }
  [[nodiscard]] std::uint32_t front(std::uint32_t place) const { return queues_[place].head; }

  /// Places where a connection may have come free, for the balancer to look at.
  std::vector<std::uint32_t>& freed() noexcept { return freed_; }

  /// Tries by the end of their `per_try_timeout`.
  deadline_queue& deadlines() noexcept { return deadlines_; }

  /// A place may not be used, or may be again. One that may not drains until `until`.
  void set_usable(std::uint32_t place, bool usable, instant until);

  /// Takes out a place whose draining is over by `now`.
  std::optional<std::uint32_t> pop_drained(instant now);

  /// @returns when a deadline, a pause or a draining ends next, or `never`.
  [[nodiscard]] instant next() const noexcept;

  /// @returns how much goes on for all requests: tries, and pauses before one.
  [[nodiscard]] std::uint64_t going_on() const noexcept;

  /// Calls `f(key, what)` for each try.
  template <class F>
  void for_each(F&& f) {
    tries_.for_each([&f](std::uint32_t key, entry& x) { f(key, x.what); });
  }

private:
  struct entry {
    request_try what;
    std::uint32_t next = none;   // of the request
    std::uint32_t behind = none; // in the queue
    std::uint32_t ahead = none;
  };

  struct request {
    std::uint32_t first = none;
    std::uint64_t pause = 0; // its number; 0 for none
  };

  /// One that was stopped stays until it comes up: its number is then not its request's.
  struct resting {
    instant until{};
    std::uint64_t number = 0;
    pause what = {};
  };

  struct queue {
    std::uint32_t head = none;
    std::uint32_t tail = none;
    std::uint32_t size = 0;
  };

  struct drain {
    bool usable = true;
    instant until = never;
  };

  request& request_at(std::uint32_t slot);
  static bool later(const resting& x, const resting& y) noexcept;
  void drop_stopped();

  slot_table<entry> tries_;
  std::vector<request> requests_; // by slot; empty ones are those of slots without a try
  std::vector<resting> rests_;    // a heap
  std::uint64_t pauses_ = 0;
  std::vector<queue> queues_;
  std::vector<std::uint32_t> freed_;
  deadline_queue deadlines_;
  std::vector<drain> drains_;
  instant next_drained_ = never;
};

} // namespace spillover
