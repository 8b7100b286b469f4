#pragma once

#include "producers/autoscaling/hpa/settings.hpp"
#include "producers/autoscaling/hpa/snapshot.hpp"

#include <cstdint>
#include <string_view>

namespace spillover::hpa {

/// Why a metric proposes nothing.
enum class failure : std::uint8_t {
  none,
  /// Whoever keeps the metric does not answer.
  unavailable,
  no_pods,
  /// No pod has a sample that counts.
  no_samples,
  /// A pod requests nothing of the resource.
  no_requests,
};

std::string_view to_string(failure x) noexcept;

/// Why a metric proposes what there is already.
enum class hold : std::uint8_t {
  none,
  /// The ratio is close enough to 1 (E-2).
  tolerance,
  /// With pods that are unready or missing it would point the other way (E-4).
  direction,
};

std::string_view to_string(hold x) noexcept;

/// How many replicas one metric asks for, and why.
struct proposal {
  /// Without meaning when `failed`.
  std::int32_t replicas = 0;

  failure failed = failure::none;
  hold held = hold::none;

  /// What is compared with the target, in its unit: percent or thousandths.
  std::int64_t current = 0;

  /// What an object or the outside shows in all, in thousandths; 0 of pods.
  std::int64_t total = 0;

  /// `current` divided by the target, of the pods that count.
  double ratio = 0;

  /// The same with the assumptions about unready and missing pods, where there are any to make;
  /// else `ratio`.
  double adjusted_ratio = 0;

  /// Pods whose samples count; of objects and the outside, pods that are ready.
  std::int32_t ready = 0;
  std::int32_t unready = 0;
  std::int32_t missing = 0;
  /// Terminating or failed.
  std::int32_t ignored = 0;

  friend bool operator==(const proposal&, const proposal&) = default;
};

/// Shares by which a ratio may miss 1 without consequence.
struct tolerances {
  double up = 0.1;
  double down = 0.1;
};

/// @returns the tolerances of each direction.
tolerances tolerances_of(const settings& x) noexcept;

/// @returns whether nothing follows from `ratio` (E-2). Bounds belong to the band as doubles compare:
///          1.1 is within 0.1 for the newer generation, and outside for the older one.
bool within(double ratio, const tolerances& x, generation follows) noexcept;

/// What a pod's sample is good for (E-4).
enum class pod_use : std::uint8_t {
  counted,
  /// It is pending, or its CPU says nothing yet.
  unready,
  /// It runs, but has no sample.
  missing,
  /// It terminates or failed.
  ignored,
};

/// @returns whether a metric follows the rules of pods that start (E-5).
bool is_cpu(const metric_spec& x) noexcept;

/// @returns what a pod's sample is good for (E-4, E-5). By the time alone it changes once: when the
///          pod's `cpu_initialization_period` is over, and only for the CPU.
/// @param cpu see `is_cpu`
pod_use use_of(instant now, const settings& x, bool cpu, const pod& p,
               const pod_sample& sample) noexcept;

/// @returns what a pod that has no sample is taken to use on the way down (E-4), in thousandths.
/// @param request of that pod, in thousandths
wide assumed_usage(const settings& x, const metric_spec& metric, std::int64_t request) noexcept;

/// @returns what one metric asks for (E-1..E-5).
/// @param metric one of `x`
/// @param reading of that metric
proposal propose(const settings& x, const metric_spec& metric, const snapshot& seen,
                 const metric_reading& reading);

} // namespace spillover::hpa
