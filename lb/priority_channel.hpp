#pragma once

#include "lb/grpc_config.hpp"
#include "model/books.hpp"
#include "model/connection.hpp"
#include "model/random.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace spillover {

/// What a channel asks of a region: a connection, or the answer to a keepalive ping.
struct connection_call {
  std::uint32_t region = 0;
  bool ping = false;
  /// Unique in its channel; the answer brings it back.
  std::uint64_t number = 0;
  /// Of a ping: whom the connection is with, as the answer to the attempt said.
  std::uint64_t peer = 0;
};

/// A connection's state changed, was reported once more, or had its time (`connection_changed`).
struct connection_change {
  std::uint32_t region = 0;
  connectivity before = connectivity::idle;
  connectivity after = connectivity::idle;
  connection_reason reason = connection_reason::started;
  std::uint32_t address = 0;
  /// The region in use afterwards, or `priority_channel::none`.
  std::uint32_t in_use = 0;

  friend bool operator==(const connection_change&, const connection_change&) = default;
};

/// One client that balances for itself (B-87): each region is a priority, the closest the best, and the channel
/// has a connection to each region that it needs. Which region is in use follows gRFC A56 (B-88).
///
/// Knows nothing of requests but that they are there. What it wants done, and what changed, waits in `calls` and
/// `changes` until `clear_news`. Times that it is given never go back. Once warm, nothing here allocates.
class priority_channel {
public:
  static constexpr std::uint32_t none = 0xffffffff;

  /// How long a priority that is not needed keeps its connection (B-88).
  static constexpr duration kept = std::chrono::minutes{15};

  /// @param regions 1..region_set::capacity; none of them is there until `set_present` says so
  priority_channel(const grpc_config& config, std::uint32_t regions, const random_stream& random);

  /// A region may be used, or may not.
  void set_present(instant now, std::uint32_t region, bool present);

  /// A request wants a connection: wakes the channel and what is idle. Each one that got a region is to be
  /// followed by `ended`.
  /// @returns the region whose connection it uses, or waits for; `none` when it fails at once
  std::uint32_t pick(instant now);

  /// A request is over.
  void ended() noexcept { --active_; }

  /// An answer to a call.
  /// @param number the call's
  /// @param peer whom the connection is with, when it was accepted
  /// @returns false when nobody waits for it any more
  bool on_answer(instant now, std::uint32_t region, std::uint64_t number, bool accepted,
                 std::uint64_t peer);

  /// The other end of connections to a region is no more.
  /// @param peer who that was
  /// @param in_order it was stopped, and did not break down
  void on_lost(instant now, std::uint32_t region, std::uint64_t peer, bool in_order);

  /// Does what is due by `now`.
  void on_time(instant now);

  /// @returns when `on_time` has work next, or `never`.
  [[nodiscard]] instant next() const noexcept { return next_; }

  /// @returns the region whose connection requests use or wait for; `none` when no region is there.
  [[nodiscard]] std::uint32_t in_use() const noexcept { return in_use_; }

  [[nodiscard]] connectivity state(std::uint32_t region) const noexcept {
    return children_[region].state;
  }

  /// @returns whether a request to a region goes at once.
  [[nodiscard]] bool ready(std::uint32_t region) const noexcept {
    return state(region) == connectivity::ready;
  }

  /// @returns whether requests use a region, or wait for it.
  [[nodiscard]] bool usable(std::uint32_t region) const noexcept {
    return region == in_use_ && region != none
           && (config_.wait_for_ready || state(region) != connectivity::transient_failure);
  }

  [[nodiscard]] bool has_news() const noexcept { return !calls_.empty() || !changes_.empty(); }
  [[nodiscard]] std::span<const connection_call> calls() const noexcept { return calls_; }
  [[nodiscard]] std::span<const connection_change> changes() const noexcept { return changes_; }
  void clear_news() noexcept {
    calls_.clear();
    changes_.clear();
  }

  /// @returns the calls to a region, by how they ended: `ok`, `unavailable` when refused, and `lb_timeout` when
  ///          given up.
  [[nodiscard]] const books& counted(std::uint32_t region) const noexcept {
    return children_[region].counted;
  }

private:
  /// What stands for a priority once it was tried.
  struct child {
    connectivity state = connectivity::idle;
    bool present = false;
    bool created = false;
    /// It failed later than it was READY or IDLE: it gets no time to connect.
    bool failed = false;
    instant failover_due = never;
    instant kept_until = never;
    // A round of attempts.
    std::uint32_t address = 0; // from 1
    std::uint32_t failures = 0;
    duration pause{};
    instant retry_at = never; // no earlier than this after it began
    bool rests = false;       // until `retry_at`
    // What is under way: an attempt, or a ping.
    std::uint64_t number = 0;
    instant due = never;
    // A connection.
    std::uint64_t peer = 0;
    instant ping_at = never;
    books counted = {};
  };

  class operation;

  void choose(instant now);
  void choose_awake(instant now);
  void use(instant now, std::uint32_t region, bool leave_lower);
  void begin_round(instant now, std::uint32_t region, connection_reason why);
  void attempt(instant now, std::uint32_t region, connection_reason why);
  void attempt_failed(instant now, std::uint32_t region, connection_reason why);
  void call(std::uint32_t region, bool ping);
  void end_call(child& x, outcome how) noexcept;
  void report(instant now, std::uint32_t region, connectivity after, connection_reason why);
  void note(std::uint32_t region, connectivity before, connection_reason why);
  void lose(instant now, std::uint32_t region, connection_reason why);
  void close(std::uint32_t region, connection_reason why);
  bool do_due(instant now, std::uint32_t region);
  void rest_if_idle(instant now);
  void find_next() noexcept;

  grpc_config config_;
  random_stream random_;
  std::vector<child> children_; // by region
  std::uint32_t in_use_ = none;
  bool awake_ = false;
  std::uint64_t active_ = 0;
  instant last_pick_{};
  instant idle_due_ = never;
  std::uint64_t numbers_ = 0;
  instant next_ = never;
  std::vector<connection_call> calls_;
  std::vector<connection_change> changes_;
};

} // namespace spillover
