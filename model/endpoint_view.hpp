#pragma once

#include "model/health.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// Endpoints, by what health checks say of them. The rest of `total` is unhealthy; no endpoint is
/// degraded here, because no health check says so.
struct endpoint_counts {
  std::uint32_t total = 0;
  std::uint32_t healthy = 0;
  /// Without a state yet.
  std::uint32_t unknown = 0;

  /// An endpoint with this state came.
  void add(health state) noexcept {
    ++total;
    healthy += state == health::healthy ? 1 : 0;
    unknown += state == health::unknown ? 1 : 0;
  }

  /// An endpoint with this state, which was counted, left.
  void remove(health state) noexcept {
    --total;
    healthy -= state == health::healthy ? 1 : 0;
    unknown -= state == health::unknown ? 1 : 0;
  }

  friend bool operator==(const endpoint_counts&, const endpoint_counts&) = default;
};

/// The endpoints of one zone of a region.
struct zone_endpoints {
  /// E.g. "a".
  std::string zone;
  endpoint_counts counts;
  friend bool operator==(const zone_endpoints&, const zone_endpoints&) = default;
};

/// The endpoints of a published service in its region, those of all its backend services together, as
/// a consumer's load balancer that balances over endpoints sees them.
struct endpoint_view {
  /// In the order of their names; a zone that lost all endpoints stays, with a total of 0.
  std::vector<zone_endpoints> zones;

  /// The mean CPU utilization of its instances in thousandths, where somebody asked for it.
  std::optional<std::uint32_t> utilization_milli = {};

  /// @returns the counts of a zone, made when there are none.
  endpoint_counts& at(std::string_view zone);

  /// @returns the sum over all zones.
  [[nodiscard]] endpoint_counts all() const noexcept;

  friend bool operator==(const endpoint_view&, const endpoint_view&) = default;
};

/// @returns the zones as "a=2/3 b=3/3", healthy of all, with "+1?" after those without a state,
///          and " cpu=45.1%" behind them where the utilization is known.
std::string to_string(const endpoint_view& x);

} // namespace spillover
