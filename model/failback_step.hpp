#pragma once

#include <cstdint>
#include <string_view>

namespace spillover {

/// What a load balancer's failback policy made of a region.
enum class failback_step : std::uint8_t {
  /// UNHEALTHY, and still used until a hold is over.
  leave_held,
  /// HEALTHY again before that.
  kept,
  /// No longer used.
  left,
  /// HEALTHY again, and not used until a hold is over.
  return_held,
  /// HEALTHY again, and not used until an operator says so.
  return_waits,
  /// UNHEALTHY again before it was used whole.
  return_ended,
  /// Gets a share of its requests.
  returning,
  /// Gets all of its requests again.
  returned,
  /// Taken out of use by an operator.
  failed_over,
  /// Taken into use by an operator.
  failed_back,
};

constexpr std::string_view to_string(failback_step x) noexcept {
  switch (x) {
    case failback_step::leave_held: return "leave_held";
    case failback_step::kept: return "kept";
    case failback_step::left: return "left";
    case failback_step::return_held: return "return_held";
    case failback_step::return_waits: return "return_waits";
    case failback_step::return_ended: return "return_ended";
    case failback_step::returning: return "returning";
    case failback_step::returned: return "returned";
    case failback_step::failed_over: return "failed_over";
    case failback_step::failed_back: return "failed_back";
  }
  return "?";
}

} // namespace spillover
