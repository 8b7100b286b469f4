#pragma once

#include "model/distribution.hpp"
#include "producers/health/liveness.hpp"
#include "producers/restart_backoff.hpp"
#include "producers/startup.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// A container beside the one that serves. What it uses is not modelled; its limit belongs to the
/// instance's allocation.
struct sidecar_config {
  /// Its limit in vCPUs, above 0 and at most 64.
  double cpu = 1;
  friend bool operator==(const sidecar_config&, const sidecar_config&) = default;
};

/// What one instance of a backend service is made of.
struct instance_config {
  /// vCPUs of the container that serves, above 0 and at most 64.
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

  /// At most 9.
  std::vector<sidecar_config> sidecars = {};

  /// Gives an instance more CPU while it starts and for 10 s after. What a start takes stays as
  /// drawn: no source says how much faster it is.
  bool startup_cpu_boost = false;

  /// How the end of a start is found out; without it exactly when the instance can serve.
  std::optional<startup_probe_config> startup_probe = std::nullopt;

  /// Restarts an instance that does not answer.
  std::optional<liveness_probe_config> liveness_probe = std::nullopt;

  /// Keeps new requests from an instance that cannot take them.
  std::optional<readiness_probe_config> readiness_probe = std::nullopt;

  /// How fast containers start anew that a startup or liveness probe ended.
  restart_backoff_config restart_backoff = {};

  friend bool operator==(const instance_config&, const instance_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const instance_config& x);

/// @returns vCPUs that all containers may use together, sidecars included: what a utilisation is a
///          share of, also while there is a boost (A-5; the last is inferred).
double total_cpu(const instance_config& x) noexcept;

/// @returns the same while a startup boost holds, if there is one: it is all containers'.
double total_boosted_cpu(const instance_config& x) noexcept;

/// @returns how long a start takes whose cold start is the mean one, as the startup probe sees it; one
///          that this fails takes the mean itself.
duration mean_start(const instance_config& x);

} // namespace spillover
