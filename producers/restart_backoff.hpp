#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace spillover {

/// How fast a container starts anew that its probes ended again and again. The product limits the rate
/// of such restarts, and no source says how: this is what Kubernetes does (inferred).
struct restart_backoff_config {
  /// Between the second failure in a row and its restart, above 0; the first restart follows at once,
  /// and each one later waits twice as long as the one before.
  duration base = std::chrono::seconds{10};

  /// No wait is longer; at least `base`.
  duration max = std::chrono::seconds{300};

  /// A container that served for so long before it failed has begun a row of its own, above 0.
  duration reset_after = std::chrono::minutes{10};

  friend bool operator==(const restart_backoff_config&, const restart_backoff_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const restart_backoff_config& x);

/// Counts the failures of one instance's containers.
class restart_backoff {
public:
  /// The start of a container is over: it serves from now on.
  void serves(instant now) noexcept { serves_since_ = now; }

  /// A probe ended the container.
  /// @param x valid
  /// @returns how long until the next one starts: 0 for the first failure in a row, then `base`, twice
  ///          that, and so on up to `max` (A-63, inferred)
  duration fail(instant now, const restart_backoff_config& x) noexcept;

private:
  instant serves_since_ = never;
  std::uint32_t failures_ = 0; // in a row
};

} // namespace spillover
