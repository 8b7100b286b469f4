#pragma once

#include "model/distribution.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace spillover {

/// What one instance of a backend service is made of.
struct instance_config {
  /// vCPUs of all its containers together, above 0 and at most 64.
  double cpu = 1;

  /// Requests it serves at a time (A-2 `maxInstanceRequestConcurrency`, C-3 `containerConcurrency`),
  /// 0..1000; 0 is no limit, and means nothing where a pending queue counts slots.
  std::uint32_t concurrency = 80;

  /// From its start to the moment it can serve.
  distribution cold_start = constant_distribution{std::chrono::seconds{2}};

  /// Time a request takes on an idle instance, its CPU part included.
  distribution service_time = constant_distribution{std::chrono::milliseconds{50}};

  /// CPU part of a request: min(this, its service time). Overload stretches this part only.
  duration cpu_per_request{};

  friend bool operator==(const instance_config&, const instance_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const instance_config& x);

} // namespace spillover
