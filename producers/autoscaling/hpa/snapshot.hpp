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

/// Wide enough for a hundred times any sum of what 64 bits hold.
__extension__ using wide = __int128;

/// Some of the pods, added up.
struct pod_share {
  std::int32_t pods = 0;
  /// Thousandths of the metric's unit.
  wide usage = 0;
  wide requests = 0;

  friend bool operator==(const pod_share&, const pod_share&) = default;
};

/// The pods by what their samples are good for, see `use_of`.
struct pod_tally {
  pod_share counted;
  /// Usage 0: of these only an assumption on the way up is made, that they use nothing.
  pod_share unready;
  /// Usage: what is assumed on the way down, see `assumed_usage`.
  pod_share missing;
  std::int32_t ignored = 0;
  /// None of them lacks a request.
  bool all_request = true;

  friend bool operator==(const pod_tally&, const pod_tally&) = default;
};

/// What a metric shows.
struct metric_reading {
  /// False when whoever keeps it does not answer.
  bool available = true;

  /// Of resources and pods: all pods of the snapshot.
  pod_tally pods = {};

  /// Of objects and the outside: thousandths of the metric's unit, at least 0.
  std::int64_t value = 0;
};

/// What the autoscaler sees when it decides.
struct snapshot {
  /// Replicas asked for last, at least 0.
  std::int32_t spec_replicas = 0;

  /// Replicas that there are, at least 0.
  std::int32_t status_replicas = 0;

  /// Pods that are known, also those that terminate, and of them those that run and are ready.
  std::int32_t pods = 0;
  std::int32_t ready = 0;

  /// One for each metric of the settings, in their order.
  std::span<const metric_reading> readings = {};
};

} // namespace spillover::hpa
