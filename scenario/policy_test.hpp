#pragma once

#include "lb/failback_policy.hpp"
#include "producers/health/policy_replay.hpp"
#include "report/event_log.hpp"
#include "scenario/problem.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover {

/// Limits for what a candidate does to each region; absent ones hold.
struct policy_limits {
  std::optional<std::uint32_t> transitions;
  std::optional<std::uint32_t> flaps;
  std::optional<duration> unhealthy;
  std::optional<duration> unnoticed;
  /// Shares of the time, 0..1.
  std::optional<double> avoided_though_fine;
  std::optional<double> used_though_not_fine;
  friend bool operator==(const policy_limits&, const policy_limits&) = default;
};

/// A candidate whole: what producers judge, and what consumers make of it.
struct tested_policy {
  policy_candidate producer;
  failback_config consumer = {};
  policy_limits limits = {};
  /// Where the file names each of the sources that have thresholds of their own.
  std::map<std::string, mark> source_places = {};
  friend bool operator==(const tested_policy&, const tested_policy&) = default;
};

/// What `spillover policy-test` is to compare.
struct policy_test {
  std::vector<tested_policy> policies = {};

  /// A region is fine while so many percent, 0..100, of the endpoints of each source answer.
  double fine = 0.5;

  /// A transition that is taken back within this time is a flap.
  duration flap_within = std::chrono::seconds{60};

  friend bool operator==(const policy_test&, const policy_test&) = default;
};

/// The endpoints of a published service in one region.
struct region_timeline {
  std::string region;
  /// Those whose health counts.
  std::vector<backend_history> sources;
  friend bool operator==(const region_timeline&, const region_timeline&) = default;
};

/// A published service and its regions.
struct service_timeline {
  std::string service;
  std::vector<region_timeline> regions;
  friend bool operator==(const service_timeline&, const service_timeline&) = default;
};

/// States of endpoints over time, recorded by a run or invented.
struct endpoint_timeline {
  std::string name;
  duration lasts{};
  /// Nothing is judged before.
  duration warm_up{};
  /// Of all randomness: phases of probers and ticks.
  std::uint64_t seed = 1;
  /// It holds what a run's probers found.
  bool recorded = false;
  std::vector<service_timeline> services = {};
  friend bool operator==(const endpoint_timeline&, const endpoint_timeline&) = default;
};

/// Adds a backend service to the service and the region that its path names.
void add_backend(endpoint_timeline& into, backend_history x);

/// Reads candidates from YAML; docs/policy-test.md has the keys.
/// @param name what problems call the file
/// @returns them, or every problem in the order of the file
std::variant<policy_test, std::vector<problem>> parse_policy_test(std::string_view text,
                                                                  const std::string& name);

/// @param name what problems call the file of the candidates
/// @returns a problem for each source that a candidate names and no service of the timeline has, which
///          says what there is.
std::vector<problem> unknown_sources(const policy_test& test, const endpoint_timeline& over,
                                     const std::string& name);

/// Reads an invented timeline from YAML, or from comma-separated values with the columns at, of,
/// endpoints and are, whose last row is its end.
/// @param name what problems call the file
std::variant<endpoint_timeline, std::vector<problem>>
parse_endpoint_timeline(std::string_view text, const std::string& name, bool comma_separated);

/// @returns whether a YAML text is an invented timeline, and no scenario: it has the key `endpoints`.
bool is_endpoint_timeline(std::string_view text);

/// Takes the states of endpoints from a run's events: what each instance would have answered to probes,
/// by its own states and the faults that lay on it, and what probers agreed on.
///
/// Only the backend services count that a health source watched, or all when there is none.
/// @returns nothing when the log tells of no instance
std::optional<endpoint_timeline> timeline_of(const event_log& log);

} // namespace spillover
