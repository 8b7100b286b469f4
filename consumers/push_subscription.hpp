#pragma once

#include "consumers/arrivals.hpp"
#include "consumers/push_window.hpp"
#include "model/deadline_queue.hpp"
#include "model/record.hpp"
#include "model/slot_table.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <vector>

namespace spillover {

/// When a message that was not acknowledged is pushed again: after its n-th push
/// min(max_backoff, min_backoff x 2^(n - 1)) later.
struct push_retry {
  /// Both 0s..600s.
  duration min_backoff = std::chrono::seconds{10};
  duration max_backoff = std::chrono::seconds{600};
  friend bool operator==(const push_retry&, const push_retry&) = default;
};

/// A push subscription of Pub/Sub: each message comes as a request of its own, and comes again until
/// one is answered well in time.
struct push_subscription_config {
  /// Messages published: their rate, as that of an open loop's requests.
  open_loop_config publish;

  /// From a push to when its answer no longer counts, 10s..600s.
  duration ack_deadline = std::chrono::seconds{10};

  /// Without it a message is due again at once.
  std::optional<push_retry> retry = std::nullopt;

  /// From publication; a message that is not acknowledged by then is dropped. 10 minutes to 31 days.
  duration retention = std::chrono::hours{7 * 24};

  /// After so many pushes that failed, 5..100, a message is forwarded to a dead letter topic; without it
  /// none is.
  std::optional<std::uint32_t> max_delivery_attempts = std::nullopt;

  push_window_config window = {};

  friend bool operator==(const push_subscription_config&,
                         const push_subscription_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const push_subscription_config& x);

/// What a push subscription asks of the world around it.
class push_effects {
public:
  virtual ~push_effects() = default;

  /// Sends a push.
  /// @param key what its answer brings back
  /// @returns the number of its request, by which the answer is told from a late one
  virtual std::uint64_t push(std::uint32_t key) = 0;

  /// Tells that a push is over: answered, or `client_timeout` at its deadline.
  virtual void ended(std::uint64_t request, instant sent, outcome how) = 0;

  /// Asks for `push_subscription::on_wake` at `due`; an earlier wish is not taken back.
  virtual void wake(instant due) = 0;
};

/// Messages of a subscription, counted: published = acked + dead_lettered + expired + those that wait
/// + those under way.
struct push_counts {
  std::uint64_t published = 0;
  std::uint64_t pushes = 0;
  /// Pushes after a message's first.
  std::uint64_t redelivered = 0;
  std::uint64_t acked = 0;
  /// Pushes answered well after their deadline: the subscriber did the work, and gets the message again.
  std::uint64_t duplicates = 0;
  std::uint64_t dead_lettered = 0;
  /// Dropped at the end of their retention.
  std::uint64_t expired = 0;
  friend bool operator==(const push_counts&, const push_counts&) = default;
};

/// Delivers messages at least once, as many at a time as its window allows.
///
/// Messages are pushed in the order in which they become due, first in first out; one that comes again
/// waits behind those that wait already.
class push_subscription {
public:
  /// @param config a valid one
  push_subscription(const push_subscription_config& config, const random_stream& random);

  /// Begins to publish, at the start of the run.
  void start(push_effects& out);

  /// A time that `wake` asked for has come.
  void on_wake(instant now, push_effects& out);

  /// Takes the answer to a push.
  /// @param key, request as `push_effects::push` had them; they may be of a push that is over
  /// @returns false when the answer came after the push's deadline
  bool on_response(instant now, std::uint32_t key, std::uint64_t request, outcome how,
                   push_effects& out);

  /// @returns what was counted since the run's start.
  [[nodiscard]] const push_counts& counts() const noexcept { return counts_; }

  /// @returns what was counted since the last call.
  push_counts take_second() noexcept;

  /// @returns messages that wait to be pushed, for the first time or again.
  [[nodiscard]] std::uint64_t backlog() const noexcept { return waiting_; }

  /// @returns pushes under way.
  [[nodiscard]] std::uint64_t outstanding() const noexcept { return outstanding_.size(); }

  [[nodiscard]] std::uint32_t window() const noexcept { return window_.size(); }

  /// @returns the age of the oldest message that waits or is under way, 0 when there is none.
  [[nodiscard]] duration oldest_age(instant now) const noexcept;

private:
  enum class state : std::uint8_t { waiting, outstanding, done };

  struct message {
    instant published{};
    std::uint32_t pushes = 0;
    state is = state::waiting;
  };

  /// A push under way.
  struct push {
    std::uint64_t request = 0;
    std::uint64_t message = 0;
    instant sent{};
  };

  /// A message that waits for its time to come.
  struct delayed {
    instant due{};
    std::uint64_t order = 0;
    std::uint64_t message = 0;
    friend bool operator>(const delayed& x, const delayed& y) noexcept {
      return x.due != y.due ? x.due > y.due : x.order > y.order;
    }
  };

  [[nodiscard]] message& at(std::uint64_t id) noexcept { return messages_[id - first_]; }
  [[nodiscard]] bool waits(std::uint64_t id) const noexcept {
    return id >= first_ && messages_[id - first_].is == state::waiting;
  }
  void publish(instant at);
  void end(instant now, std::uint32_t key, outcome how, push_effects& out);
  void return_message(instant now, const push& failed);
  void forget(std::uint64_t id);
  void expire(instant now);
  void send(instant now, push_effects& out);
  void wake_when_due(instant now, push_effects& out);
  [[nodiscard]] duration backoff(std::uint32_t pushes) const noexcept;

  push_subscription_config config_;
  arrivals publications_;
  instant next_publication_ = never;
  push_window window_;

  // All that are not done, and done ones between them, in order of publication; their ids count up.
  std::deque<message> messages_;
  std::uint64_t first_ = 0;       // id of the first of them
  std::uint64_t expires_ = 0;     // the first whose retention is not over
  std::deque<std::uint64_t> due_; // may hold some that are done
  std::priority_queue<delayed, std::vector<delayed>, std::greater<>> delayed_;
  std::uint64_t order_ = 0;
  std::uint64_t waiting_ = 0;

  slot_table<push> outstanding_;
  deadline_queue deadlines_;
  instant wake_ = never; // the earliest that is asked for
  push_counts counts_;
  push_counts told_; // up to the last second
};

} // namespace spillover
