#pragma once

#include "report/anatomy.hpp"
#include "report/event_index.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// How one consumer took the news that a region's composite is unhealthy.
struct departure {
  /// Its load balancer, e.g. "clients-east/lb".
  std::string_view balancer;
  /// The `neg_changed` that the news caused; nullptr when it never came.
  const event* knows = nullptr;
  /// It took the region for unhealthy already and had nothing to learn.
  bool knew = false;
  /// Its route led to the region when the news came.
  bool used = false;
  /// The `routing_changed` that took it away; nullptr when none did.
  const event* left = nullptr;
};

/// @returns how each consumer of the service took it, in the order of the log.
std::vector<departure> departures(const event_index& index, const event& composite);

/// Reads the clock from the composite's change to its arrival at the last consumer.
/// @param since when the clock starts
clock_reading read_propagate(const std::vector<departure>& all, instant since);

/// Reads the clock from then to the last request to the region.
clock_reading read_route(const std::vector<departure>& all, std::string_view region, instant since);

/// Reads the clock from the fault's end to the return of the last consumer that was away then.
clock_reading read_failback(const event_index& index, const std::vector<departure>& all,
                            std::string_view region, std::optional<instant> fault_end);

/// @returns the regions that took over, joined by '+'; "" when nobody left.
std::string successors(const std::vector<departure>& all, std::string_view region);

} // namespace spillover
