#pragma once

#include "model/health.hpp"
#include "model/time.hpp"
#include "producers/health/health_check.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace spillover {

/// A managed instance group makes instances anew that a health check of its own finds unhealthy (B-67).
struct auto_healing_config {
  /// For this long after the start of an instance the group ignores failures, or until the check first
  /// finds it healthy; whole seconds, 0s..3600s.
  duration initial_delay{};

  /// Apart from the one that load balancers and health sources look at.
  health_check_config health_check;

  friend bool operator==(const auto_healing_config&, const auto_healing_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const auto_healing_config& x);

/// Decides which instances of a group are made anew, each at most once for each of its starts (B-67).
class auto_healing {
public:
  explicit auto_healing(duration initial_delay) noexcept : initial_delay_(initial_delay) {}

  /// A process of an instance starts: a new one, or again.
  /// @returns when its initial delay is over
  instant begins(std::uint32_t index, instant now);

  /// A process of an instance ended by itself, and the next one does not start yet: until that begins
  /// there is nothing to make anew.
  void ended(std::uint32_t index);

  /// The check found another state of an instance.
  /// @returns whether it is made anew now
  bool judged(std::uint32_t index, instant now, health state);

  /// The initial delay of an instance may be over.
  /// @returns whether it is made anew now, because it was found unhealthy meanwhile
  bool delay_ended(std::uint32_t index, instant now);

private:
  struct watched {
    instant delay_until{};
    bool unhealthy = false;
    bool ordered = false; // to be made anew, or gone by itself
  };
  [[nodiscard]] static bool order(watched& x, instant now) noexcept;

  duration initial_delay_;
  std::vector<watched> instances_; // by index
};

} // namespace spillover
