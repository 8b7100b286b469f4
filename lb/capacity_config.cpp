#include "lb/capacity_config.hpp"

#include <algorithm>

namespace spillover {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t highest_target_milli = 1'000'000'000'000;

} // namespace

std::vector<std::string> validate(const capacity_config& x) {
  std::vector<std::string> result;
  const auto refuse = [&result](const char* problem) { result.emplace_back(problem); };
  if (x.algorithm == distribution_algorithm::waterfall_by_zone && x.groups != group_extent::zonal)
    refuse("groups: waterfall_by_zone needs backends of one zone each");
  if (x.regions.empty())
    refuse("backends: must not be empty");
  for (const auto& y : x.regions) {
    if (y.target_milli == 0 || y.target_milli > highest_target_milli)
      refuse("target: must be from 0.001 to 1000000000");
    if (x.mode == balancing_mode::utilization && (y.target_milli > 1000 || !y.per_endpoint))
      refuse("max_utilization: must be from 0.001 to 1");
    if (y.scaler_milli != 0 && (y.scaler_milli < 100 || y.scaler_milli > 1000))
      refuse("capacity_scaler: must be 0, or from 0.1 to 1");
  }
  if (!x.regions.empty() && std::all_of(x.regions.begin(), x.regions.end(), [](const auto& y) {
        return y.scaler_milli == 0;
      }))
    refuse("capacity_scaler: must not be 0 for every region");
  if (x.failover_health_threshold < 1 || x.failover_health_threshold > 99)
    refuse("failover_health_threshold: must be from 1 to 99");
  if (x.measured_over < seconds{1} || x.measured_over > seconds{600})
    refuse("measured_over: must be from 1s to 600s");
  if (x.recomputed_every < milliseconds{100} || x.recomputed_every > seconds{60})
    refuse("recomputed_every: must be from 100ms to 60s");
  if (x.recomputed_every > x.measured_over)
    refuse("recomputed_every: must be at most measured_over");
  return result;
}

} // namespace spillover
