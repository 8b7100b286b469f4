#pragma once

#include "model/health.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace spillover {

/// How requests return to a region that is HEALTHY again.
enum class failback_mode : std::uint8_t {
  /// At once, as Google's load balancers do (B-29).
  immediate,
  /// Once it was HEALTHY without a break for a time.
  after,
  /// In equal steps over a time.
  over,
  /// When an operator says so.
  manual,
};

/// How requests leave a region that is UNHEALTHY.
enum class failover_mode : std::uint8_t {
  /// At once (B-29).
  automatic,
  /// Once it was UNHEALTHY without a break for a time.
  after,
  /// When an operator says so.
  manual,
};

/// What a load balancer makes of states that change, beyond what Google's do (B-29): damping and
/// operators' hands. The defaults change nothing.
struct failback_config {
  failback_mode back = failback_mode::immediate;

  /// Of `after` and `over`, 1ms..86400s.
  duration back_span = std::chrono::seconds{60};

  /// Of `over`: the share of a region grows so many times, 1..100, and is 100 % when the span is over.
  std::uint32_t steps = 10;

  failover_mode leave = failover_mode::automatic;

  /// Of `after`, 1ms..86400s.
  duration leave_span = std::chrono::seconds{60};

  friend bool operator==(const failback_config&, const failback_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const failback_config& x);

/// Stands between the states of regions and the router: says which of them the router is to see.
///
/// A region that is left, or not yet back, is shown as UNHEALTHY, one that is not left yet as HEALTHY.
/// Holding a region back is no reason to fail open: while no other region could be used, one that is
/// HEALTHY and merely waits is used all the same. UNKNOWN begins and ends nothing.
class failback_policy {
public:
  /// @param regions number of regions; all are in use at the start
  failback_policy(const failback_config& config, std::uint32_t regions);

  /// A region's state counts from now on.
  void set(instant now, std::uint32_t region, health state);

  /// Outlier detection took a region out of use, or no longer does: while it does, the region is none that
  /// could be used.
  void set_ejected(std::uint32_t region, bool ejected);

  /// Does what is due by `now`.
  void on_time(instant now);

  /// @returns when `on_time` has work next, or `never`.
  [[nodiscard]] instant next() const noexcept;

  /// Automatic failover and failback end, or begin again with the states as they are then. While off no
  /// region is left and none comes back by itself; one that comes back in steps goes on.
  void set_automatic(instant now, bool on);

  /// An operator takes a region out of use until `fail_back`, whatever its state.
  void fail_over(instant now, std::uint32_t region);

  /// An operator takes a region into use again, whole and at once.
  /// @returns false when it is UNHEALTHY and would be left again at once: it then comes back by the
  ///          policy, and an operator's failover is over
  bool fail_back(instant now, std::uint32_t region);

  /// @returns the state that the router is to see.
  [[nodiscard]] health shown(std::uint32_t region) const noexcept;

  /// @returns the share of a region's requests that it gets, 0..100; 100 unless it comes back in steps.
  [[nodiscard]] std::uint32_t share(std::uint32_t region) const noexcept;

  /// @returns what a region was last said to be.
  [[nodiscard]] health state(std::uint32_t region) const noexcept { return regions_[region].state; }

  /// @returns what it makes of a region beyond its state, e.g. "kept until 300s" or "drained";
  ///          empty when it makes nothing of it.
  [[nodiscard]] std::string remark(std::uint32_t region) const;

  /// @returns whether a region has a share between 0 and 100 %.
  [[nodiscard]] bool ramping() const noexcept { return ramping_; }

  /// @returns the regions that something became of in the last call, in the order in which it did; until
  ///          the next call of anything that is not const.
  [[nodiscard]] std::span<const std::uint32_t> changes() const noexcept { return changes_; }

private:
  struct region_state {
    health state = health::unknown;
    bool healthy = true; // by the last state that was not UNKNOWN
    bool used = true;
    bool drained = false;   // by an operator
    bool ejected = false;   // by outlier detection
    instant due = never;    // when it is left, or used again
    instant since = never;  // when it began to come back in steps
    std::uint32_t step = 0; // of those
    std::uint32_t share = 100;
  };

  void weigh(instant now, std::uint32_t region);
  void leave(std::uint32_t region);
  void begin_return(instant now, std::uint32_t region);
  void come_back(std::uint32_t region);
  void take_step(instant now, std::uint32_t region);
  [[nodiscard]] instant next_of(const region_state& x) const noexcept;
  [[nodiscard]] std::uint32_t share_at(std::uint32_t step) const noexcept;
  void note_unless_plain(std::uint32_t region);
  void refresh();

  failback_config config_;
  std::vector<region_state> regions_;
  bool automatic_;
  bool ramping_ = false;
  bool relaxed_ = false; // nothing but waiting regions is left, so that they are used
  std::vector<std::uint32_t> changes_;
};

} // namespace spillover
