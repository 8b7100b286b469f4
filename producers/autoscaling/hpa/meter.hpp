#pragma once

#include "producers/autoscaling/hpa/snapshot.hpp"

#include <cstdint>

namespace spillover::hpa {

/// What the metrics server knows of one resource of one pod.
///
/// It measures at the multiples of its resolution from the run's start, and shows the mean of the time
/// since it measured last. A pod that was not there for the whole of that has no sample yet.
class meter {
public:
  /// @param resolution whole seconds, at least 1s
  explicit meter(duration resolution) noexcept : resolution_(resolution) {}

  /// Takes one second into account.
  /// @param ended the second's end, a whole second; one second after that of the last call
  /// @param value what was used on average in it, in thousandths of the unit, at least 0
  void observe(instant ended, std::int64_t value) noexcept;

  /// @returns what was measured last, without a request.
  [[nodiscard]] const pod_sample& sample() const noexcept { return sample_; }

private:
  duration resolution_;
  duration observed_{};
  std::int64_t sum_ = 0;
  pod_sample sample_{.missing = true};
};

} // namespace spillover::hpa
