#pragma once

#include "producers/autoscaling/autoscaler.hpp"
#include "producers/autoscaling/hpa/settings.hpp"
#include "producers/pod_router.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// Kubernetes' horizontal pod autoscaler in front of a deployment (E-1..E-12).
struct hpa_config {
  /// Name in the scenario file.
  static constexpr std::string_view policy = "hpa";

  /// Of metrics the emulator has: the resource cpu, which pods request as much of as they have;
  /// concurrency and requests_per_second, of pods, or summed over the revision as an object's or from
  /// outside.
  hpa::settings kubernetes;

  /// How requests spread over the pods that are ready.
  spread routing = spread::round_robin;

  friend bool operator==(const hpa_config&, const hpa_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const hpa_config& x);

/// @param cpu vCPUs of one pod, above 0; also what it requests
std::unique_ptr<autoscaler> make_hpa(const hpa_config& x, double cpu);

} // namespace spillover
