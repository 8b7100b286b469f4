#include "scenario/write_capacity.hpp"

#include "scenario/names.hpp"
#include "scenario/values.hpp"

namespace spillover {

namespace {

using json = nlohmann::ordered_json;

const char* target_key(balancing_mode mode, bool per_endpoint) {
  switch (mode) {
    case balancing_mode::rate: return per_endpoint ? "max_rate_per_endpoint" : "max_rate";
    case balancing_mode::connection:
      return per_endpoint ? "max_connections_per_endpoint" : "max_connections";
    case balancing_mode::utilization: break;
  }
  return "max_utilization";
}

json write(const region_capacity& x, balancing_mode mode) {
  return {{target_key(mode, x.per_endpoint), static_cast<double>(x.target_milli) / 1000},
          {"capacity_scaler", x.scaler_milli / 1000.0},
          {"preference", x.preferred ? "preferred" : "default"}};
}

} // namespace

json write_capacity(const capacity_config& x, const std::vector<std::string>& regions) {
  json result = {{"balancing_mode", name_of(x.mode, balancing_modes)},
                 {"algorithm", name_of(x.algorithm, distribution_algorithms)},
                 {"groups", name_of(x.groups, group_extents)}};
  for (std::size_t i = 0; i < regions.size(); ++i)
    result["backends"][regions[i]] = write(x.regions[i], x.mode);
  result["auto_capacity_drain"] = x.auto_capacity_drain;
  result["failover_health_threshold"] = x.failover_health_threshold;
  result["isolation"] = name_of(x.isolation, isolation_modes);
  result["measured_over"] = to_string(x.measured_over);
  result["recomputed_every"] = to_string(x.recomputed_every);
  return result;
}

} // namespace spillover
