#pragma once

#include "producers/billing/interval_sum.hpp"

#include <cstdint>
#include <string_view>

namespace spillover::billing {

/// What an instance is charged for.
enum class mode : std::uint8_t {
  /// While it starts, shuts down or has a request, and otherwise as a minimum instance.
  request_based,
  /// Its whole life.
  instance_based,
};

/// @returns the name used in files, e.g. "request_based".
constexpr std::string_view to_string(mode x) noexcept {
  return x == mode::request_based ? "request_based" : "instance_based";
}

/// @returns the name used in files, e.g. "interval".
constexpr std::string_view to_string(rounding x) noexcept {
  return x == rounding::interval ? "interval" : "total";
}

/// How a backend service is billed.
struct config {
  mode how = mode::request_based;

  /// What is rounded up to whole units.
  rounding rule = rounding::interval;

  friend bool operator==(const config&, const config&) = default;
};

} // namespace spillover::billing
