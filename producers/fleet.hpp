#pragma once

#include "model/instance.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace spillover {

/// How instances that are no longer needed go away (A-24..A-32).
struct scale_in_config {
  /// Group 1 leaves when its mean utilisation over `window` is below this, within (0, 1].
  double low_utilisation = 0.1;

  /// Whole seconds, 1s..1h.
  duration window = std::chrono::seconds{60};

  /// Group 2 leaves after this long without a request.
  duration idle_timeout = std::chrono::minutes{15};

  /// A draining instance is stopped at last after this long, or the request timeout if that is longer
  ///
  duration drain_deadline = std::chrono::minutes{15};

  friend bool operator==(const scale_in_config&, const scale_in_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const scale_in_config& x);

/// What becomes of instances beyond the recommended count.
enum class surplus : std::uint8_t {
  /// They are deprioritised, and leave when they have little to do (A-24..A-30).
  deprioritised,
  /// They leave at once, as replicas that Kubernetes removes: starting ones first, then crashed ones,
  /// then the ready ones, in each case the youngest first; a ready one drains.
  removed,
};

/// The instances of a revision: which of them are ready, deprioritised, draining, and when the
/// surplus leaves. Knows nothing of requests but how many each instance has.
///
/// Running instances are the ready and the deprioritised ones. What runs beyond the recommended count
/// is deprioritised and only that may drain: neither a starting nor a crashed instance makes
/// one that runs superfluous. With `surplus::removed` nothing is ever deprioritised: all members count,
/// and the surplus among them leaves at once.
class fleet {
public:
  /// One step of one instance.
  struct change {
    std::uint32_t index = 0;
    instance_state before = instance_state::starting;
    instance_state after = instance_state::starting;
    std::string_view reason;
    friend bool operator==(const change&, const change&) = default;
  };

  struct counts {
    std::uint32_t starting = 0;
    std::uint32_t ready = 0;
    std::uint32_t deprioritised = 0;
    std::uint32_t draining = 0;
    std::uint32_t crashed = 0;

    /// Those that count toward the maximum: all but draining ones.
    [[nodiscard]] std::uint32_t members() const noexcept {
      return starting + ready + deprioritised + crashed;
    }
  };

  explicit fleet(const scale_in_config& config, surplus what = surplus::deprioritised);

  /// Adds an instance. Indices count up from 0 and are never used again.
  std::uint32_t start(instant now);

  /// A starting instance can serve now: it becomes ready, or deprioritised when there are enough.
  change became_ready(std::uint32_t index, instant now);

  /// An instance's process ended against its will; it stays a member until it is started again. A
  /// draining one stops instead.
  /// @param reason of the change; outlives it
  change crash(std::uint32_t index, instant now, std::string_view reason = "crashed");

  /// A crashed instance starts again.
  change restart(std::uint32_t index, instant now);

  /// Sets the recommended count, again and again even if it is the same.
  ///
  /// When members are more than that, crashed ones among the surplus stop, the youngest first; of
  /// the running ones the youngest surplus becomes deprioritised, the first half of it (rounded up)
  /// in group 1, the rest in group 2 (A-25, inferred; whoever comes later keeps the groups
  /// balanced); starting ones are left to start and are deprioritised then. When it grows, or
  /// when ready ones crashed, deprioritised ones become ready again, the oldest first.
  /// At 0 the last ready instance is deprioritised only while it has no request.
  /// For `surplus::removed` see there.
  /// @returns what changed; how many to start in addition is `missing()`
  std::vector<change> recommend(std::uint32_t count, instant now);

  /// Recommends none, and lets all members go as if what is not needed were removed, whatever the fleet
  /// does otherwise: starting and crashed ones stop, those that run drain.
  std::vector<change> remove_all(instant now);

  /// Instances to start so that members reach the recommended count.
  [[nodiscard]] std::uint32_t missing() const noexcept;

  /// Tells that an instance got its first request, or that its last one left; `in_flight` is what it
  /// has then.
  void busy(std::uint32_t index, std::uint32_t in_flight, instant now) noexcept;

  /// Lets the processor fetch what `busy` of an instance touches.
  void fetch(std::uint32_t index) const noexcept {
    __builtin_prefetch(&slots_[instances_[index].slot], 1);
  }

  /// Takes one second into account.
  /// @param utilisation of each instance by index, max(CPU share, concurrency / limit), in
  ///        thousandths; instances beyond its end count as 0, those that do not run not at all
  /// @returns instances that start draining, the youngest first: group 1 by utilisation over a whole
  ///          window, group 2 by idle time, never more than run beyond the recommended count, and
  ///          never the last one that runs while it has a request
  std::vector<change> observe(instant now, std::span<const std::uint32_t> utilisation);

  /// Draining instances that are empty, or whose deadline has come: they stop.
  std::vector<change> stop_drained(instant now);

  [[nodiscard]] instance_state state(std::uint32_t index) const noexcept;
  [[nodiscard]] const counts& count() const noexcept { return counts_; }
  [[nodiscard]] std::uint32_t recommended() const noexcept { return recommended_; }

  /// Number of indices given out so far.
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(instances_.size());
  }

private:
  /// What remains known of every instance.
  struct instance {
    instance_state state = instance_state::starting;
    std::uint32_t slot = 0;
  };

  /// What is known of one that is not stopped; used again for a later one.
  struct slot {
    std::uint32_t in_flight = 0;
    std::uint32_t samples = 0; // seconds in the window
    std::uint64_t sum = 0;     // of utilisation over the window, in thousandths
    std::uint32_t group = 0;   // 1 or 2 when deprioritised
    instant idle_since{};      // when its last request ended, or it began to run
    instant drain_until{};
  };

  change pass(std::uint32_t index, instance_state after, std::string_view reason);
  std::uint32_t& count_of(instance_state x) noexcept;
  [[nodiscard]] std::uint32_t running() const noexcept;
  void begin_to_run(slot& x, std::uint32_t number, instant now);
  void sample(slot& x, std::uint32_t number, std::uint32_t utilisation) noexcept;
  [[nodiscard]] std::string_view reason_to_leave(const slot& x, instant now) const noexcept;
  void stop_surplus(instance_state which, std::vector<change>& changes);
  std::vector<change> remove_surplus(instant now);
  void promote(std::uint32_t count, std::vector<change>& changes);
  void demote(std::uint32_t count, std::vector<change>& changes);
  void forget_stopped();

  scale_in_config config_;
  surplus surplus_;
  std::uint32_t window_;  // seconds
  std::uint64_t low_sum_; // a window's sum below which group 1 leaves
  counts counts_;
  std::uint32_t recommended_ = 0;
  std::uint32_t groups_[3]{};        // deprioritised instances by group; the first is not used
  std::vector<instance> instances_;  // by index
  std::vector<std::uint32_t> alive_; // indices of those that are not stopped, ascending
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint16_t> utilisation_; // a row of `window_` seconds for each slot
  std::uint32_t second_ = 0;               // the place in every row that is written next
};

} // namespace spillover
