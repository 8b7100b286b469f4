#include "model/endpoint_view.hpp"

#include <algorithm>

namespace spillover {

endpoint_counts& endpoint_view::at(std::string_view zone) {
  const auto found =
    std::lower_bound(zones.begin(), zones.end(), zone,
                     [](const zone_endpoints& x, std::string_view y) { return x.zone < y; });
  if (found != zones.end() && found->zone == zone)
    return found->counts;
  return zones.insert(found, {std::string{zone}, {}})->counts;
}

endpoint_counts endpoint_view::all() const noexcept {
  endpoint_counts result;
  for (const auto& x : zones) {
    result.total += x.counts.total;
    result.healthy += x.counts.healthy;
    result.unknown += x.counts.unknown;
  }
  return result;
}

std::string to_string(const endpoint_view& x) {
  std::string result;
  for (const auto& [zone, counts] : x.zones) {
    result.append(result.empty() ? "" : " ").append(zone).append("=");
    result.append(std::to_string(counts.healthy)).append("/").append(std::to_string(counts.total));
    if (counts.unknown > 0)
      result.append("+").append(std::to_string(counts.unknown)).append("?");
  }
  if (x.utilization_milli)
    result.append(" cpu=")
      .append(std::to_string(*x.utilization_milli / 10))
      .append(".")
      .append(std::to_string(*x.utilization_milli % 10))
      .append("%");
  return result;
}

} // namespace spillover
