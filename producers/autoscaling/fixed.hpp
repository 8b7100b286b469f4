#pragma once

#include "producers/autoscaling/autoscaler.hpp"

#include <memory>

namespace spillover {

/// A number of instances that never changes.
struct fixed_config {
  /// Name in the scenario file.
  static constexpr std::string_view policy = "fixed";

  /// 1..10000.
  std::uint32_t instances = 1;
  friend bool operator==(const fixed_config&, const fixed_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const fixed_config& x);

std::unique_ptr<autoscaler> make_fixed(const fixed_config& x);

} // namespace spillover
