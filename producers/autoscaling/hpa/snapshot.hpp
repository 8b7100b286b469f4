#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace spillover::hpa {

/// How far a pod has come.
enum class pod_phase : std::uint8_t {
  /// Not all of its containers run yet.
  pending,
  running,
  /// All containers ended, one of them badly.
  failed,
};

/// A pod of the scaled object.
struct pod {
  pod_phase phase = pod_phase::running;

  /// It was told to stop; it does not count any more.
  bool terminating = false;

  /// When its node took it on; nothing before.
  std::optional<instant> started = std::nullopt;

  bool ready = false;

  /// When `ready` last changed; that it is not ready is known from `started` on.
  instant ready_changed{};
};

/// What a metric shows of one pod.
struct pod_sample {
  /// Nothing is known of it.
  bool missing = false;

  /// Thousandths of the metric's unit, at least 0.
  std::int64_t value = 0;

  /// Thousandths, in the same unit: what the pod requests of a resource, also when `missing`. 0 is no
  /// request, without which nothing can be said of any pod's utilisation.
  std::int64_t request = 0;

  /// End of the window that was measured, and its length.
  instant at{};
  duration window{};
};

/// What a metric shows.
struct metric_reading {
  /// False when whoever keeps it does not answer.
  bool available = true;

  /// Of resources and pods: one for each pod of the snapshot, in its order.
  std::span<const pod_sample> samples = {};

  /// Of objects and the outside: thousandths of the metric's unit, at least 0.
  std::int64_t value = 0;
};

/// What the autoscaler sees when it decides.
struct snapshot {
  /// Replicas asked for last, at least 0.
  std::int32_t spec_replicas = 0;

  /// Replicas that there are, at least 0.
  std::int32_t status_replicas = 0;

  std::span<const pod> pods = {};

  /// One for each metric of the settings, in their order.
  std::span<const metric_reading> readings = {};
};

} // namespace spillover::hpa
