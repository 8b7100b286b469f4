#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillover {

/// What a revision used in one second, summed over its instances.
struct second_usage {
  /// End of the second.
  instant ended{};
  /// CPU time used, in vCPU seconds.
  double cpu = 0;
  /// Time average of the requests in flight on instances, without the pending queue.
  double concurrency = 0;
};

/// Instances as an autoscaler sees them.
struct fleet_size {
  /// The count recommended last (N).
  std::uint32_t recommended = 0;
  /// Able to serve, deprioritised ones included.
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
  std::string_view driver;

  /// Every number that went in or came out, by name, in a fixed order; thousandths as `_milli`.
  std::vector<std::pair<std::string, std::int64_t>> inputs;
};

/// Decides how many instances a revision should have. One file a policy.
class autoscaler {
public:
  virtual ~autoscaler() = default;

  /// Name in the scenario file, e.g. "cloud_run".
  [[nodiscard]] virtual std::string_view policy() const noexcept = 0;

  [[nodiscard]] virtual scaling_bounds bounds() const noexcept = 0;

  /// Time from one decision to the next, above 0; `duration::max()` for a policy that never decides.
  [[nodiscard]] virtual duration period() const noexcept = 0;

  /// May the revision start instances for queued requests?
  [[nodiscard]] virtual bool on_demand() const noexcept = 0;

  /// Takes one second into account; called for each second of the run, in order.
  virtual void observe(const second_usage& x) = 0;

  /// @param now never earlier than the last second observed
  virtual recommendation decide(instant now, const fleet_size& size) = 0;
};

} // namespace spillover
