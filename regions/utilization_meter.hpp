#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace spillover {

/// The CPU utilization of a service in a region, as its backends' monitoring tells it: the mean over the latest
/// seconds and all backend services, told anew when it has moved (inferred).
class utilization_meter {
public:
  /// Seconds that count.
  static constexpr std::size_t seconds = 10;

  /// What it has to move by to be told anew, in thousandths.
  static constexpr std::uint32_t step = 10;

  /// @param backends number of backend services, at least 1
  explicit utilization_meter(std::size_t backends) : backends_(backends) {}

  /// Takes a second of a backend service into account.
  /// @param used CPU time, in any unit
  /// @param there CPU time that its instances had, in the same unit
  /// @returns the utilization in thousandths when it is to be told
  std::optional<std::uint32_t> observe(std::size_t backend, std::uint64_t used,
                                       std::uint64_t there);

private:
  struct second {
    std::uint64_t used = 0;
    std::uint64_t there = 0;
  };

  struct meter {
    std::vector<second> latest = {};
    std::size_t oldest = 0; // once there are enough
  };

  std::vector<meter> backends_;
  std::optional<std::uint32_t> told_;
};

} // namespace spillover
