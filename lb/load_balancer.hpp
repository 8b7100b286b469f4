#pragma once

#include "lb/grpc_router.hpp"
#include "lb/load_balancer_config.hpp"
#include "lb/outlier_detection.hpp"
#include "lb/region_router.hpp"
#include "lb/try_table.hpp"
#include "model/books.hpp"
#include "model/deadline_queue.hpp"
#include "model/fault.hpp"
#include "model/outcome_set.hpp"
#include "model/slot_table.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spillover {

/// What circuit breakers kept from a region (B-81).
struct overflow_count {
  std::uint64_t requests = 0; // tries refused
  std::uint64_t retries = 0;  // retries not made

  friend bool operator==(const overflow_count&, const overflow_count&) = default;
};

/// Courses of requests: tries one after the other, with the pauses between them. Each request has one from
/// its beginning to its end; hedging begins more of them beside it (B-84).
struct course_count {
  /// By how they ended; one that was given up ends as `lb_timeout`, whatever for.
  books counted = {};
  /// Those that go on, counted one by one.
  std::uint64_t going_on = 0;
};

/// What a load balancer asks of the world around it.
class load_balancer_effects {
public:
  virtual ~load_balancer_effects() = default;

  /// Sends a try to a region.
  /// @param key the balancer's key, which the answer brings back together with `attempt`
  /// @param attempt counts the tries of a request, from 0 for its first; unique among all tries
  ///        with the request's number, those of a client that tries again included
  virtual void send(std::uint32_t region, std::uint32_t key, std::uint16_t attempt,
                    const record& request) = 0;

  /// Answers a request that came through `load_balancer::on_request`.
  /// @param request as it came
  virtual void answer(const record& request, outcome how) = 0;

  /// Something happened to a try that was sent to a region, or chosen to be.
  /// @param attempt as in `send`
  virtual void try_noticed(std::uint32_t region, std::uint16_t attempt, const record& request,
                           try_notice what) {
    static_cast<void>(region);
    static_cast<void>(attempt);
    static_cast<void>(request);
    static_cast<void>(what);
  }

  /// A proxy ejected a region, took it back, or found and kept it; `route` says what that led to. Comes
  /// in the midst of what caused it: a time to take note, and not to call the balancer for more.
  /// @param proxy from 0
  virtual void outlier_changed(std::uint32_t proxy, const outlier_change& x) {
    static_cast<void>(proxy);
    static_cast<void>(x);
  }

  /// Asks a region for a connection, or for the answer to a ping over one (B-87).
  /// @param key the balancer's key, which the answer brings back together with the call's number
  virtual void call(std::uint32_t key, const connection_call& x) {
    static_cast<void>(key);
    static_cast<void>(x);
  }

  /// The connection of a channel changed; `route` says what that led to. As with outliers, a time to take note.
  /// @param proxy the channel, from 0
  virtual void connection_changed(std::uint32_t proxy, const connection_change& x) {
    static_cast<void>(proxy);
    static_cast<void>(x);
  }
};

/// Sends each request to a region, tries again, and gives up in time.
///
/// Takes no part in choosing when a state arrives or is applied: `apply` is called when it counts.
/// In-flight requests of an unhealthy region finish there (B-32), unless draining has an end (B-86).
class load_balancer {
public:
  /// @param regions number of PSC NEGs, closest first, 1..region_set::capacity
  load_balancer(const load_balancer_config& config, std::uint32_t regions,
                const random_stream& random);

  /// Takes a request on and sends its first try.
  /// @param request its number and `attempt` together are unique
  void on_request(instant now, const record& request, load_balancer_effects& out);

  /// Takes an answer, which ends the request or makes another try of it; counts one that came too
  /// late, or that nobody asked for, as `late`.
  /// @param key what `send` gave
  void on_response(instant now, std::uint32_t key, std::uint16_t attempt, std::uint64_t request,
                   outcome how, load_balancer_effects& out);

  /// Takes the answer to a call.
  /// @param key what `call` gave
  /// @param accepted the connection is there, or still there
  /// @param peer whom it is with
  /// @returns false when nobody waits for it any more
  bool on_connection(instant now, std::uint32_t key, std::uint64_t number, bool accepted,
                     std::uint64_t peer, load_balancer_effects& out);

  /// A process at the other end of connections is no more.
  /// @param peer who that was
  /// @param in_order it was stopped, and did not break down
  void on_connection_lost(instant now, std::uint32_t region, std::uint64_t peer, bool in_order,
                          load_balancer_effects& out);

  /// @returns the calls to a region, by how they ended (`priority_channel::counted`).
  [[nodiscard]] books connections(std::uint32_t region) const;

  /// @returns whether an answer would be in time; otherwise `on_response` counts it as late.
  [[nodiscard]] bool expects(std::uint32_t key, std::uint16_t attempt, std::uint64_t request) const;

  /// Makes the balancer itself fail: it answers a share of requests with an error and asks no region.
  /// Several such faults are asked one after the other, as they were laid.
  /// @param random the fault's own
  void lay_fault(std::uint32_t fault, const balancer_fault& what, const random_stream& random);

  /// It fails no longer for that reason.
  void take_off_fault(std::uint32_t fault);

  /// Does what is due by `now`: gives up on requests and tries whose time is over, begins retries after their
  /// pause, and cuts off what drained for long enough.
  void on_deadline(instant now, load_balancer_effects& out);

  /// @returns when `on_deadline` has work next, or `never`.
  [[nodiscard]] instant next_deadline() const noexcept;

  /// A PSC NEG's state counts from now on.
  /// @returns true when the route of new requests changed, or what a failback policy makes of the region
  bool apply(instant now, std::uint32_t region, health state);

  /// The endpoints of a region count from now on.
  /// @returns true when the route of new requests changed
  bool apply(instant now, std::uint32_t region, const endpoint_view& x);

  /// Lets routers and the failback policy do what is due by `now`.
  /// @returns true when the route of new requests changed, or what the failback policy makes of a region
  bool on_route_due(instant now);

  /// @returns the regions that the failback policy did something with in the last call, in the order in
  ///          which it did.
  [[nodiscard]] std::span<const std::uint32_t> failback_changes() const noexcept {
    return failback_ ? failback_->changes() : std::span<const std::uint32_t>{};
  }

  /// @returns when `on_route_due` has work next, or `never`.
  [[nodiscard]] instant next_route_due() const noexcept;

  /// Carries out what an operator does.
  /// @param region place of the region that the action names, if it names one
  /// @returns why it was refused; empty when it was not
  std::string act(instant now, balancer_step step, std::uint32_t region);

  /// Carries out the sweeps of outlier detection that are due by `now`.
  void on_sweep(instant now, load_balancer_effects& out);

  /// @returns when `on_sweep` has work next; `never` without outlier detection.
  [[nodiscard]] instant next_sweep() const noexcept;

  [[nodiscard]] health state(std::uint32_t region) const noexcept {
    return proxies_.front().router->state(region);
  }

  /// @returns what a region is taken for, e.g. "UNHEALTHY", by the first of the proxies.
  /// What a failback policy makes of it follows in parentheses, e.g. "UNHEALTHY(kept until 300s)".
  [[nodiscard]] std::string described(std::uint32_t region) const;

  /// @returns the proxies that ejected a region.
  [[nodiscard]] std::uint32_t ejected_by(std::uint32_t region) const noexcept;

  /// @returns the proxies that decide apart from each other: one without outlier detection.
  [[nodiscard]] std::uint32_t proxies() const noexcept {
    return static_cast<std::uint32_t>(proxies_.size());
  }

  /// @returns what one of the proxies knows of the regions, and makes of it.
  /// @param proxy from 0
  [[nodiscard]] const region_router& router(std::uint32_t proxy) const {
    return *proxies_.at(proxy).router;
  }

  /// @returns which of the proxies, from 0, a try belongs to whose answer is awaited, or that is being sent.
  /// @param key what `send` gave
  [[nodiscard]] std::uint32_t proxy_of(std::uint32_t key) const {
    return pending_.at(key & slot_mask).proxy;
  }

  /// @returns every region that some proxy sends new requests to, and the means of their shares; failing
  ///          open when all of them do.
  [[nodiscard]] const region_route& route() const noexcept { return route_; }

  /// Tries sent to a region, by how they ended; one given up ends as `lb_timeout`, whatever for.
  [[nodiscard]] const books& attempts(std::uint32_t region) const noexcept {
    return attempts_[region];
  }

  /// Tries that went nowhere, because no region may be used, or because a circuit breaker kept them from
  /// theirs, which end as `unavailable` at once, or because the balancer itself fails.
  [[nodiscard]] const books& refused() const noexcept { return refused_; }

  /// @returns what circuit breakers kept from a region so far.
  [[nodiscard]] const overflow_count& overflow(std::uint32_t region) const noexcept {
    return overflow_[region];
  }

  /// @returns what happened to tries in a region so far; zeros where `wants_try_table` says no.
  [[nodiscard]] try_count tries(std::uint32_t region) const noexcept {
    return keeper_ ? keeper_->counts[region] : try_count{};
  }

  /// @returns what became of these; zeros where `wants_try_table` says no.
  [[nodiscard]] try_fate_count fates(std::uint32_t region) const;

  /// @returns courses of requests; one for each where `wants_try_table` says no.
  [[nodiscard]] course_count courses() const noexcept;

  /// Requests, by how they ended.
  [[nodiscard]] const books& requests() const noexcept { return requests_; }

  /// When the last try went to a region; before the run's start when none did.
  [[nodiscard]] instant last_sent(std::uint32_t region) const noexcept {
    return last_sent_[region];
  }

  /// Lets the processor fetch what a response to the try of `slot` will touch.
  void fetch(std::uint32_t slot) const noexcept { pending_.fetch(slot); }

private:
  /// A fault of the balancer itself.
  struct failing {
    std::uint32_t fault = 0;
    balancer_fault what;
    random_stream random;
  };

  struct pending {
    record request;
    region_set tried = {};
    instant due{};
    std::uint32_t region = region_router::nowhere; // of the last try, without a table of them
    std::uint16_t tries = 0;
    std::uint16_t proxy = 0;
  };

  /// Tries in flight.
  struct flow {
    std::uint32_t requests = 0;
    std::uint32_t retries = 0; // of these
  };

  /// One of the processes.
  struct proxy_state {
    std::unique_ptr<region_router> router;
    std::optional<outlier_detector> detector;
    std::vector<flow> flows;     // by region; none without circuit breakers
    grpc_router* grpc = nullptr; // the router, if it is one
  };

  /// What knows tries one by one, where something happens to them on their way.
  struct keeper {
    keeper(std::uint32_t proxies, std::uint32_t regions, const random_stream& random)
      : table(proxies * regions), counts(regions), fates(regions), pauses(random) {}

    try_table table;
    std::vector<try_count> counts;     // by region
    std::vector<try_fate_count> fates; // as well, but for `waiting`
    random_stream pauses;
    books beside = {}; // courses beside those that requests have anyway
  };

  // The key that a region sees holds the slot and, above it, the region: an answer that comes when its slot
  // has been used again still tells whose it is.
  static constexpr std::uint32_t slot_bits = 25;
  static constexpr std::uint32_t slot_mask = (std::uint32_t{1} << slot_bits) - 1;
  // Regions stand in what the slot leaves.
  static_assert(region_set::capacity <= std::uint32_t{1} << (32 - slot_bits));

  static constexpr std::uint32_t key_of(std::uint32_t slot, std::uint32_t region) noexcept {
    return slot | region << slot_bits;
  }

  [[nodiscard]] std::uint16_t attempt_of(const pending& x) const noexcept;
  /// @param before how the try before ended, which stays the answer when there is to be no other
  void send(instant now, std::uint32_t slot, outcome before, load_balancer_effects& out);
  // Apart from the code of every request: without circuit breakers nobody comes here.
  [[nodiscard]] std::optional<outcome> break_circuit(const pending& x, std::uint32_t region,
                                                     outcome before);
  [[nodiscard]] bool hold_back(const pending& x, std::uint32_t region);
  [[nodiscard]] bool has_room(std::uint32_t proxy, std::uint32_t region);
  // Apart from the code of every request: without faults of the balancer nobody comes here.
  [[nodiscard]] std::optional<outcome> own_failure();
  void refuse(std::uint32_t slot, outcome how, load_balancer_effects& out);
  void try_ended(const pending& x) noexcept;
  // Apart from the code of every request: without outlier detection nobody comes here.
  void observe(instant now, std::uint32_t proxy, std::uint32_t region, outcome how,
               load_balancer_effects& out);
  void take(instant now, std::uint32_t proxy, std::span<const outlier_change> changes,
            load_balancer_effects& out);
  bool update_route(instant now);
  bool show_states(instant now);
  void follow_ejection(instant now, std::uint32_t region);
  void spread_ramps(region_route& x) const;
  [[nodiscard]] region_set left_out() noexcept;
  [[nodiscard]] region_route joint_route() const;
  void finish(std::uint32_t slot, outcome how, load_balancer_effects& out);

  // What follows is apart from the code of every request: nobody comes here unless `wants_try_table`.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t proxy, std::uint32_t region) const noexcept {
    return proxy * static_cast<std::uint32_t>(attempts_.size()) + region;
  }
  [[nodiscard]] bool waits_for_connections() const noexcept;
  void make_try(instant now, std::uint32_t slot, std::uint32_t region, outcome before,
                load_balancer_effects& out);
  void launch(instant now, std::uint32_t key, load_balancer_effects& out);
  bool take_answer(instant now, std::uint32_t slot, std::uint32_t region, std::uint16_t attempt,
                   outcome how, load_balancer_effects& out);
  void judge(instant now, const request_try& x, outcome counts_as, outcome how,
             load_balancer_effects& out);
  void retry(instant now, std::uint32_t slot, outcome before, load_balancer_effects& out);
  void end_try(std::uint32_t key, outcome how);
  void give_up(instant now, std::uint32_t slot, load_balancer_effects& out);
  void end_others(std::uint32_t slot);
  void end_try_in_time(instant now, std::uint32_t key, load_balancer_effects& out);
  void cut_off(instant now, std::uint32_t place, load_balancer_effects& out);
  void use_connections(instant now, load_balancer_effects& out);
  void on_due(instant now, load_balancer_effects& out);
  void note_usable(instant now);

  // What follows is for who makes connections: nobody else comes here.
  void add_channels(std::uint32_t regions, std::uint64_t seed);
  [[nodiscard]] bool waits_for_channel(std::uint16_t proxy, std::uint32_t region) const noexcept;
  [[nodiscard]] bool may_leave_queue(std::uint32_t place) const noexcept;
  void follow_channels(instant now, load_balancer_effects& out);
  void follow_channel(instant now, std::uint32_t proxy, load_balancer_effects& out);
  void note_channels() noexcept;

  load_balancer_config config_;
  outcome_set retry_on_;
  random_stream random_;
  std::optional<random_stream> turns_; // chooses the proxy of a request, when there are several
  std::vector<proxy_state> proxies_;
  std::optional<failback_policy> failback_; // what it shows is what the routers know
  std::optional<random_stream> ramps_;      // chooses who stays away from a region that comes back
  bool watches_ = false;                    // outlier detection is on
  bool guards_ = false;                     // circuit breakers are
  bool checks_ = false;   // these or the table of tries: something comes before a try
  bool connects_ = false; // it makes connections
  region_route route_;
  slot_table<pending> pending_;
  deadline_queue deadlines_;
  std::vector<books> attempts_;
  std::vector<instant> last_sent_;
  books requests_;
  books refused_;
  std::vector<overflow_count> overflow_; // by region
  std::vector<failing> faults_;          // of the balancer itself, as they were laid
  std::unique_ptr<keeper> keeper_;       // where `wants_try_table` says so
  instant next_channel_ = never;         // when a channel has something to do, or to tell
  std::vector<connection_change> told_;  // by one of them, while that is carried out
};

} // namespace spillover
