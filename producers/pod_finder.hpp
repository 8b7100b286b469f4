#pragma once

#include "model/distribution.hpp"
#include "model/random.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace spillover {

/// The way from Knative's activator to pods, as its probes meet it.
struct activator_way {
  /// One way, at least 0.
  duration latency{};

  /// How long a pod takes to answer a probe, without the way.
  distribution response_time = constant_distribution{};

  /// @returns whether probes take any time at all.
  [[nodiscard]] bool takes_time() const {
    return latency > duration::zero() || mean_of(response_time) > duration::zero();
  }

  friend bool operator==(const activator_way&, const activator_way&) = default;
};

/// How Knative's activator finds the pods that it may send requests to: it probes each one that became
/// ready until one of the probes succeeds.
///
/// A probe has 300 ms, and the next one begins at the next multiple of 200 ms after one has failed, as
/// in the activator (knative.dev/serving, pkg/activator/net/revision_backends.go). Each opens a
/// connection and asks, which is four times the way (inferred).
class pod_finder {
public:
  static constexpr duration timeout = std::chrono::milliseconds{300};
  static constexpr duration frequency = std::chrono::milliseconds{200};

  /// @param random what response times are drawn from
  pod_finder(const activator_way& x, random_stream random);

  /// A pod became ready, that is not watched yet: the first probe begins.
  void watch(instant now, std::uint32_t index);

  /// It is found otherwise, or gone; does nothing when it is not watched.
  void forget(std::uint32_t index);

  /// @returns all that are watched, in the order in which they became ready, and forgets them.
  std::vector<std::uint32_t> take_all();

  /// @returns when `found` has something to do next, or `never`.
  [[nodiscard]] instant next() const noexcept { return next_; }

  /// Takes the probes into account that end by `now`.
  /// @returns a pod whose probe succeeded, which is forgotten; nothing when there is none any more
  std::optional<std::uint32_t> found(instant now);

private:
  struct probe {
    std::uint32_t index = 0;
    instant due{}; // when it succeeds, or the next one begins
    bool succeeds = false;
  };

  void begin(probe& x, instant now);
  void set_next() noexcept;

  duration way_;
  sampler response_time_;
  random_stream random_;
  std::vector<probe> probes_;
  instant next_ = never;
};

} // namespace spillover
