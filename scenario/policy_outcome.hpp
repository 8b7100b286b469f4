#pragma once

#include "scenario/policy_test.hpp"

#include <string>
#include <vector>

namespace spillover {

/// A change of a composite, and why.
struct composite_step {
  instant at{};
  health before = health::unknown;
  health after = health::unknown;
  /// What the sources that changed counted, e.g. "web 5 of 10 healthy, 6 needed".
  std::string why;
  /// It is taken back within the time that makes it a flap.
  bool flap = false;
  friend bool operator==(const composite_step&, const composite_step&) = default;
};

/// What a policy would have done to one service in one region. Times and counts are of what comes after
/// the warm-up.
struct region_outcome {
  std::string region;
  std::vector<composite_step> steps;
  /// Between HEALTHY and UNHEALTHY.
  std::uint32_t transitions = 0;
  std::uint32_t flaps = 0;
  duration unhealthy{};
  /// The longest time in which consumers used it although it was not fine, and since when.
  duration unnoticed{};
  instant unnoticed_from{};
  /// Time in which consumers avoided it although it was fine; a share that was kept from it counts in
  /// proportion.
  duration avoided_though_fine{};
  duration used_though_not_fine{};
  /// Limits of the candidate that do not hold, in words.
  std::vector<std::string> broken;
  friend bool operator==(const region_outcome&, const region_outcome&) = default;
};

struct service_outcome {
  std::string service;
  std::vector<region_outcome> regions;
  friend bool operator==(const service_outcome&, const service_outcome&) = default;
};

struct policy_outcome {
  std::string policy;
  std::vector<service_outcome> services;

  /// @returns whether every limit holds.
  [[nodiscard]] bool met() const noexcept;
  friend bool operator==(const policy_outcome&, const policy_outcome&) = default;
};

/// Replays a timeline under each candidate, with the deciders of a run.
///
/// Consumers learn a state `propagation` and half of `propagation_jitter` after the composite's change,
/// and `apply` later it counts.
std::vector<policy_outcome> try_policies(const endpoint_timeline& timeline,
                                         const policy_test& test);

} // namespace spillover
