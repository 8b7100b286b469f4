#pragma once

#include <cstdint>
#include <string_view>

namespace spillover {

/// State of an endpoint, a health source, a composite health check or a PSC NEG.
///
/// `unknown` means that the state is not available yet (B-19).
enum class health : std::uint8_t { unknown, healthy, unhealthy };

/// @returns the name as the public API spells it, e.g. "HEALTHY".
constexpr std::string_view to_string(health x) noexcept {
  switch (x) {
    case health::unknown: return "UNKNOWN";
    case health::healthy: return "HEALTHY";
    case health::unhealthy: return "UNHEALTHY";
  }
  return "?";
}

} // namespace spillover
