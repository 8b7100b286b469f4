#pragma once

#include "producers/autoscaling/autoscaler.hpp"
#include "producers/autoscaling/kpa/settings.hpp"
#include "producers/pod_finder.hpp"
#include "producers/pod_router.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// Knative's pod autoscaler, with the activator and the queue-proxies (C-1..C-30).
struct knative_kpa_config {
  /// Name in the scenario file.
  static constexpr std::string_view policy = "knative_kpa";

  /// What Knative itself is told. `container_concurrency` there is not read: the instance's counts.
  kpa::texts knative = {.config = kpa::default_config()};

  /// The revision is deployed when it begins, and starts its initial scale from nothing. Otherwise it
  /// has existed for long: it rests at its minimum scale, its initial scale was reached, and its
  /// autoscaler remembers no load.
  bool deployed_at_start = false;

  /// Reports and scrapes come this much after every whole second, below 1s; the default puts what
  /// happens in a second into that second's bucket. Decisions come this much after every second whole
  /// second, below 2s. Knative's own tickers begin whenever their owners do (C-4).
  duration report_offset = std::chrono::milliseconds{500};
  duration tick_offset{};

  /// How requests spread over pods while the activator is out of the path; Knative leaves it to the
  /// ingress.
  spread routing = spread::round_robin;

  /// What lies between the activator and the pods; by default nothing, and it knows a pod as soon as
  /// that is ready.
  activator_way way = {};

  /// Count all pods, or as many of them as Knative scrapes, drawn at random (C-9).
  bool scrape_sample = false;

  friend bool operator==(const knative_kpa_config&, const knative_kpa_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
/// @param concurrency of an instance, as Knative's `containerConcurrency`; 0 is no limit
std::vector<std::string> validate(const knative_kpa_config& x, std::uint32_t concurrency);

/// @param seed, path name the random stream of the scrapes
/// @param began when the revision begins to exist in the run; its tickers count from the run's start
std::unique_ptr<autoscaler> make_knative_kpa(const knative_kpa_config& x, std::uint32_t concurrency,
                                             std::uint64_t seed, std::string_view path,
                                             instant began = run_start);

/// @returns the bounds that `x` keeps; without a maximum scale Knative's is that of 32 bits.
scaling_bounds bounds_of(const knative_kpa_config& x);

} // namespace spillover
