#pragma once

#include "model/instance.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillover {

/// What one instance that has a process did in one second.
struct instance_usage {
  std::uint32_t index = 0;
  instance_state state = instance_state::starting;
  /// Its process began then, and since then it takes requests, or none.
  instant started{};
  instant ready_changed{};
  /// Its readiness probe, if it has one, lets it take requests.
  bool passes_readiness = true;
  /// CPU time used, in vCPU seconds.
  double cpu = 0;
  /// Time average of its requests in flight.
  double concurrency = 0;
  /// Requests that it got.
  std::uint32_t requests = 0;
};

/// What a revision used in one second, summed over its instances.
struct second_usage {
  /// End of the second.
  instant ended{};
  /// CPU time used, in vCPU seconds.
  double cpu = 0;
  /// Time average of the requests in flight on instances, without the pending queue.
  double concurrency = 0;
  /// Requests that an instance may have at a time, on average over those that serve; 0 where nothing
  /// tunes it.
  double mean_limit = 0;
  /// Each instance; only for a policy that `wants_instances`, and only during the call.
  std::span<const instance_usage> instances = {};
};

/// Instances as an autoscaler sees them.
struct fleet_size {
  /// The count recommended last (N).
  std::uint32_t recommended = 0;
  /// Able to serve, deprioritised ones included. Where pods are counted, without those whose readiness
  /// probe fails (C-17); Cloud Run counts them.
  std::uint32_t running = 0;
  std::uint32_t starting = 0;
  /// A request is in flight or waits.
  bool busy = false;
};

/// The bounds within which an autoscaler moves.
struct scaling_bounds {
  std::uint32_t min = 0;
  std::uint32_t max = 0;
};

/// What an autoscaler decided, and why.
struct recommendation {
  std::uint32_t count = 0;

  /// The driver that won, e.g. "CPU", "CONCURRENCY", "MIN", "MAX".
  std::string_view driver = {};

  /// Every number that went in or came out, by name, in a fixed order; thousandths as `_milli`.
  std::vector<std::pair<std::string, std::int64_t>> inputs = {};

  /// It is a step worth telling even when the count stays, e.g. that a node was added.
  bool step = false;
};

/// What a policy that counts requests itself hears of each: Knative's, whose activator and
/// queue-proxies do (C-7).
class request_watcher {
public:
  virtual ~request_watcher() = default;

  /// @returns whether requests that come now go through the activator (C-27).
  [[nodiscard]] virtual bool proxies() const noexcept = 0;

  /// Requests that still fit beside those that are there and a burst (C-21).
  [[nodiscard]] virtual std::int64_t excess_burst_capacity() const noexcept = 0;

  /// A request came to the activator.
  /// @returns whether that asks for a decision at once (C-16)
  virtual bool came(instant now) = 0;

  /// A request left the activator, answered or not.
  virtual void left(instant now) = 0;

  /// An instance got a request, and is done with one.
  /// @param proxied it came through the activator
  virtual void began(instant now, std::uint32_t index, bool proxied) = 0;
  virtual void ended(instant now, std::uint32_t index, bool proxied) = 0;

  /// An instance serves from now on, or no longer.
  virtual void serves(instant now, std::uint32_t index) = 0;
  virtual void retired(std::uint32_t index) = 0;
};

/// Decides how many instances a revision should have. One file a policy.
class autoscaler {
public:
  virtual ~autoscaler() = default;

  /// Name in the scenario file, e.g. "cloud_run".
  [[nodiscard]] virtual std::string_view policy() const noexcept = 0;

  [[nodiscard]] virtual scaling_bounds bounds() const noexcept = 0;

  /// Time from one decision to the next, whole seconds above 0; `duration::max()` for a policy that
  /// decides when it looks (`next_look`), or never.
  [[nodiscard]] virtual duration period() const noexcept = 0;

  /// May the revision start instances for queued requests?
  [[nodiscard]] virtual bool on_demand() const noexcept = 0;

  /// Does it look at single instances?
  [[nodiscard]] virtual bool wants_instances() const noexcept { return false; }

  /// @returns who wants to hear of every request, or nobody.
  [[nodiscard]] virtual request_watcher* watcher() noexcept { return nullptr; }

  /// Takes one second into account; called for each second of the run, in order.
  virtual void observe(const second_usage& x) = 0;

  /// @param now never earlier than the last second observed
  virtual recommendation decide(instant now, const fleet_size& size) = 0;

  /// @returns when it wants to look again between two decisions, or `never`.
  [[nodiscard]] virtual instant next_look() const noexcept { return never; }

  /// Does it want to look again whenever an instance began or ceased to run?
  [[nodiscard]] virtual bool looks_at_changes() const noexcept { return false; }

  /// Keeps other bounds from now on than those of its settings: a service's share of what is set for
  /// the whole service, or no minimum for a revision that gets no traffic. For policies
  /// of services that set such bounds; the others do nothing.
  virtual void set_bounds(const scaling_bounds&) {}

  /// Tells whether requests can reach the revision. Knative lets one that they cannot reach go to zero
  /// whatever its minimum; the others do nothing.
  virtual void set_reachable(instant, bool) {}

  /// Looks again, because it asked for it.
  virtual recommendation look(instant, const fleet_size& size) {
    return {.count = size.recommended};
  }
};

} // namespace spillover
