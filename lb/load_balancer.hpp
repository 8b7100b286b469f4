#pragma once

#include "lb/failover_router.hpp"
#include "lb/outlier_detection.hpp"
#include "model/books.hpp"
#include "model/deadline_queue.hpp"
#include "model/outcome_set.hpp"
#include "model/slot_table.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// Which product's balancer is meant; a label, which no rule asks.
enum class load_balancer_kind : std::uint8_t {
  global_external_application,
  cross_region_internal_application,
  internal_proxy_network,
};

/// A consumer's load balancer in front of one PSC NEG per region.
struct load_balancer_config {
  load_balancer_kind kind = load_balancer_kind::global_external_application;

  /// For a request with all its tries, 1ms..86400s (B-58).
  duration timeout = std::chrono::seconds{30};

  /// Further tries after the first, 0..25, each in a region not tried yet while there is one.
  std::uint32_t retries = 1;

  /// Outcomes that are tried again; the timeout never is.
  std::vector<outcome> retry_on{outcome::bad_gateway, outcome::unavailable,
                                outcome::gateway_timeout};

  unknown_policy unknown = unknown_policy::as_healthy;

  /// Processes that make it up, 1..1000; each request goes to any of them, and each detects outliers
  /// for itself (B-48). Without outlier detection they are all alike, and their number changes nothing.
  std::uint32_t proxies = 1;

  /// Leaves regions for what they answer (B-43..B-48); nothing: off.
  std::optional<outlier_detection_config> outlier_detection = {};

  friend bool operator==(const load_balancer_config&, const load_balancer_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const load_balancer_config& x);

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

  /// A proxy ejected a region, took it back, or found and kept it; `route` says what that led to. Comes
  /// in the midst of what caused it: a time to take note, and not to call the balancer for more.
  /// @param proxy from 0
  virtual void outlier_changed(std::uint32_t proxy, const outlier_change& x) {
    static_cast<void>(proxy);
    static_cast<void>(x);
  }
};

/// Sends each request to a region, tries again, and gives up in time.
///
/// Takes no part in choosing when a state arrives or is applied: `apply` is called when it counts.
/// In-flight requests of an unhealthy region finish there (B-32).
class load_balancer {
public:
  /// @param regions number of PSC NEGs, closest first, 1..64
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

  /// Gives up on requests whose time is over by `now`.
  void on_deadline(instant now, load_balancer_effects& out);

  /// @returns when `on_deadline` has work next, or `never`.
  [[nodiscard]] instant next_deadline() const noexcept;

  /// A PSC NEG's state counts from now on.
  /// @returns true when the route of new requests changed
  bool apply(std::uint32_t region, health state);

  /// Carries out the sweeps of outlier detection that are due by `now`.
  void on_sweep(instant now, load_balancer_effects& out);

  /// @returns when `on_sweep` has work next; `never` without outlier detection.
  [[nodiscard]] instant next_sweep() const noexcept;

  [[nodiscard]] health state(std::uint32_t region) const noexcept {
    return proxies_.front().router.state(region);
  }

  /// @returns the proxies that ejected a region.
  [[nodiscard]] std::uint32_t ejected_by(std::uint32_t region) const noexcept;

  /// @returns the proxies that decide apart from each other: one without outlier detection.
  [[nodiscard]] std::uint32_t proxies() const noexcept {
    return static_cast<std::uint32_t>(proxies_.size());
  }

  /// @returns every region that some proxy sends new requests to; failing open when all of them do.
  [[nodiscard]] const failover_router::route& route() const noexcept { return route_; }

  /// Tries sent to a region, by how they ended; a try given up ends with the reason of that.
  [[nodiscard]] const books& attempts(std::uint32_t region) const noexcept {
    return attempts_[region];
  }

  /// Requests, by how they ended.
  [[nodiscard]] const books& requests() const noexcept { return requests_; }

  /// When the last try went to a region; before the run's start when none did.
  [[nodiscard]] instant last_sent(std::uint32_t region) const noexcept {
    return last_sent_[region];
  }

  /// Lets the processor fetch what a response to the try of `slot` will touch.
  void fetch(std::uint32_t slot) const noexcept { pending_.fetch(slot); }

private:
  struct pending {
    record request;
    std::uint64_t tried = 0; // a bit for each region
    instant due{};
    std::uint32_t region = 0;
    std::uint16_t tries = 0;
    std::uint16_t proxy = 0;
  };

  /// One of the processes.
  struct proxy_state {
    failover_router router;
    std::optional<outlier_detector> detector;
  };

  [[nodiscard]] std::uint16_t attempt_of(const pending& x) const noexcept;
  void send(instant now, std::uint32_t slot, load_balancer_effects& out);
  // Apart from the code of every request: without outlier detection nobody comes here.
  void observe(instant now, std::uint32_t proxy, std::uint32_t region, outcome how,
               load_balancer_effects& out);
  void take(std::uint32_t proxy, std::span<const outlier_change> changes,
            load_balancer_effects& out);
  bool update_route();
  void finish(std::uint32_t slot, outcome how, load_balancer_effects& out);

  load_balancer_config config_;
  outcome_set retry_on_;
  random_stream random_;
  std::optional<random_stream> turns_; // chooses the proxy of a request, when there are several
  std::vector<proxy_state> proxies_;
  bool watches_ = false; // outlier detection is on
  failover_router::route route_;
  slot_table<pending> pending_;
  deadline_queue deadlines_;
  std::vector<books> attempts_;
  std::vector<instant> last_sent_;
  books requests_;
};

} // namespace spillover
