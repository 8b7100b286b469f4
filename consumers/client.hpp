#pragma once

#include "consumers/arrivals.hpp"
#include "consumers/push_subscription.hpp"
#include "consumers/trace_arrivals.hpp"
#include "model/books.hpp"
#include "model/deadline_queue.hpp"
#include "model/distribution.hpp"
#include "model/histogram.hpp"
#include "model/outcome_set.hpp"
#include "model/random.hpp"
#include "model/slot_table.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover {

/// Clients that wait for the answer, think, and ask again.
struct closed_loop_config {
  /// 1..1,000,000.
  std::uint32_t clients = 1;

  /// From the answer to a client's next request, and before its first, so that not all begin at once.
  distribution think_time = constant_distribution{};

  /// The first client begins to think then, the others one after the other, evenly over `ramp_up`; all
  /// ask no more from `to` on, or without it to the end of the run.
  instant from = run_start;
  duration ramp_up{};
  std::optional<instant> to = std::nullopt;

  friend bool operator==(const closed_loop_config&, const closed_loop_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const closed_loop_config& x);

using load_config =
  std::variant<open_loop_config, closed_loop_config, push_subscription_config, trace_config>;

/// How clients behave when an answer is late or bad.
struct client_config {
  /// One try of the client, its load balancer's retries included; none waits for ever.
  std::optional<duration> timeout = std::nullopt;

  /// Further tries after the first, 0..25.
  std::uint32_t retries = 0;

  /// Wait before try n + 1: min(max, base x 2^(n - 1)), times a uniform factor in [1 - jitter, 1].
  duration backoff_base = std::chrono::milliseconds{100};
  duration backoff_max = std::chrono::seconds{10};
  double backoff_jitter = 1;

  /// Outcomes that are tried again.
  std::vector<outcome> retry_on{outcome::too_many_requests, outcome::bad_gateway,
                                outcome::unavailable, outcome::client_timeout};

  friend bool operator==(const client_config&, const client_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const client_config& x);

/// A request that ended, as its client saw it.
struct ended_request {
  std::uint64_t number = 0;
  instant intended{};
  outcome how = outcome::ok;
  /// Tries of the client; those of its load balancer are not seen here.
  std::uint16_t tries = 1;
};

/// What clients ask of the world around them.
class client_effects {
public:
  virtual ~client_effects() = default;

  /// Sends one try of a request.
  /// @param key the clients' key, which the answer brings back together with `request`, `attempt`
  virtual void send(std::uint64_t request, std::uint32_t key, std::uint16_t attempt,
                    instant intended) = 0;

  /// Asks for `clients::on_timer(what, key)` at `due`.
  virtual void wake(instant due, std::uint8_t what, std::uint32_t key) = 0;

  /// Tells that a try ended so, and that the next one is due then.
  virtual void will_retry(std::uint64_t request, outcome how, instant due) {
    static_cast<void>(request), static_cast<void>(how), static_cast<void>(due);
  }

  /// Tells that a request ended.
  virtual void ended(const ended_request& x) { static_cast<void>(x); }
};

/// All clients behind one load balancer: open loops, traces, closed loops and push subscriptions, their
/// retries, and the account of what they saw.
///
/// Each push is a request that begins when it is sent; its deadline is its subscription's, and it has
/// one try, because the subscription itself delivers again.
///
/// Latency counts from the intended start: when an arrival is due, whatever happens then, so that
/// an overloaded system cannot hide its delay (coordinated omission).
class clients {
public:
  /// What the clients saw in one second, or the whole run.
  struct account {
    std::uint64_t started = 0;
    std::uint64_t retried = 0;
    std::array<std::uint64_t, outcome_count> ended{};
    latency_histogram latency; // of those that ended `ok`
  };

  /// @param loads valid ones
  /// @param path the consumer's, which the names of its random streams begin with
  clients(const std::vector<load_config>& loads, const client_config& config, std::uint64_t seed,
          std::string_view path);

  /// Begins all loops: at the start of the run, or later, when a process takes the place of one that
  /// was lost. What was due before is never asked then, but for messages of push subscriptions, which
  /// have waited.
  void start(client_effects& out, instant now = run_start);

  /// Lets requests be numbered from above `last`; before `start`.
  void number_after(std::uint64_t last) noexcept { last_number_ = last; }

  /// A time that `wake` asked for has come.
  void on_timer(instant now, std::uint8_t what, std::uint32_t key, client_effects& out);

  /// An answer came; late ones are counted and otherwise ignored.
  void on_response(instant now, std::uint32_t key, std::uint64_t request, std::uint16_t attempt,
                   outcome how, client_effects& out);

  /// @returns what was seen since the last call.
  account take_second();

  /// A push subscription among the loads.
  struct subscription {
    /// Its place among them.
    std::uint32_t load = 0;
    push_subscription is;
  };
  [[nodiscard]] std::vector<subscription>& subscriptions() noexcept { return subscriptions_; }

  /// Requests, not tries.
  [[nodiscard]] const books& requests() const noexcept { return books_; }

  /// Lets the processor fetch what a response or retry with `key` will touch.
  void fetch(std::uint32_t key) const noexcept { pending_.fetch(key); }

private:
  /// What a timer is for, and what its key means.
  enum class timer : std::uint8_t {
    arrival, // the place of an open loop or a trace among the loads
    think,   // the place of a client among all clients of closed loops
    timeout, // 0: there is one timer at most, at the earliest deadline
    retry,   // a request's key
    push,    // the place of a push subscription among them
  };

  static constexpr std::uint32_t no_client = 0xffffffff;

  struct open_loop {
    std::variant<arrivals, trace_arrivals> process;
    instant due{};

    instant next() {
      return std::visit([](auto& x) { return x.next(); }, process);
    }
  };

  struct closed_loop {
    sampler think_time;
    instant to = never;
  };

  /// Its place among the push subscriptions.
  struct pushing {
    std::uint32_t subscription = 0;
  };

  struct client {
    random_stream random;
    instant due{};          // of its next request; at first when it begins
    std::uint32_t loop = 0; // its place among the loads
  };

  struct pending {
    std::uint64_t number = 0;
    instant intended{};
    std::uint32_t client = no_client;
    std::uint16_t attempt = 0;
    bool waiting = false; // for its next try
  };

  void add_clients(const closed_loop_config& x, std::uint32_t loop, std::uint64_t seed,
                   const std::string& path);
  // Joins a subscription to whoever asks it something; in client_pushes.cpp.
  class push_port;
  void start_pushes(client_effects& out);
  void on_push_timer(instant now, std::uint32_t place, client_effects& out);
  bool on_push_response(instant now, std::uint32_t key, std::uint64_t request, outcome how,
                        client_effects& out);
  void on_arrival(instant now, std::uint32_t load, client_effects& out);
  void on_deadlines(instant now, client_effects& out);
  void on_retry(instant now, std::uint32_t key, client_effects& out);
  void think(instant from, std::uint32_t place, duration least, client_effects& out);
  void begin(instant now, instant intended, std::uint32_t place, client_effects& out);
  void send(instant now, std::uint32_t key, client_effects& out);
  void end_try(instant now, std::uint32_t key, outcome how, client_effects& out);
  void finish(instant now, std::uint32_t key, outcome how, client_effects& out);
  void wake_at_deadline(client_effects& out);
  duration back_off(std::uint32_t tries) noexcept;

  client_config config_;
  outcome_set retry_on_;
  std::vector<std::variant<open_loop, closed_loop, pushing>> loops_;
  std::vector<subscription> subscriptions_;
  std::vector<client> clients_;
  random_stream back_off_random_;
  slot_table<pending> pending_;
  deadline_queue deadlines_;
  bool wake_is_set_ = false; // for the earliest deadline
  std::uint64_t last_number_ = 0;
  account second_;
  books books_;
};

} // namespace spillover
