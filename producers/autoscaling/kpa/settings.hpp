#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace spillover::kpa {

/// What pods are counted by.
enum class metric : std::uint8_t { concurrency, rps };

/// How a window of samples becomes one number.
enum class aggregation : std::uint8_t { linear, weighted_exponential };

/// Whether a route leads to the revision; unknown counts as reachable.
enum class reachability : std::uint8_t { unknown, reachable, unreachable };

/// @returns every key of the ConfigMap `config-autoscaler` that counts here, with the value that it has
///          unless somebody sets another (C-1).
std::map<std::string, std::string, std::less<>> default_config();

/// What Knative is told, as it is told: texts by key. Keys that Knative does not know have no effect.
struct texts {
  /// Keys of the ConfigMap `config-autoscaler`.
  std::map<std::string, std::string, std::less<>> config = {};

  /// Annotations of the revision, without the prefix `autoscaling.knative.dev/`; `progress-deadline`
  /// without its prefix `serving.knative.dev/`. One that cannot be read is as if absent.
  std::map<std::string, std::string, std::less<>> annotations = {};

  /// Of the ConfigMap `config-deployment`.
  std::string progress_deadline = "600s";

  /// Of the revision, 0 (no limit) to 1000.
  std::uint32_t container_concurrency = 0;

  reachability reach = reachability::unknown;

  friend bool operator==(const texts&, const texts&) = default;
};

/// The numbers that those texts mean (C-1..C-5, C-15, C-23, C-24).
struct settings {
  metric by = metric::concurrency;

  /// Capacity of a pod, at least 0.01 x utilisation.
  double total = 100;

  /// What a pod should carry, max(0.01, total x utilisation) (C-5).
  double target = 70;

  /// Requests that must fit beside the present ones without new pods; -1 keeps the activator in the
  /// path always, 0 never (C-21).
  double burst_capacity = 211;

  /// Requests that one activator takes.
  double activator_capacity = 100;

  /// Above 1.
  double max_up_rate = 1000;
  double max_down_rate = 2;

  /// Pods wanted by the panic window, in ready pods, that begin a panic (C-17).
  double panic_threshold = 2;

  duration stable_window = std::chrono::seconds{60};
  duration panic_window = std::chrono::seconds{6};
  aggregation aggregate = aggregation::linear;
  duration scale_down_delay{};

  std::int32_t initial_scale = 1;
  /// 0 turns it off.
  std::int32_t activation_scale = 0;
  std::int32_t min_scale = 0;
  /// 0 is no limit.
  std::int32_t max_scale = 0;

  bool reachable = true;
  bool scale_to_zero = true;
  duration grace_period = std::chrono::seconds{30};
  duration pod_retention{};
  duration progress_deadline = std::chrono::seconds{600};

  friend bool operator==(const settings&, const settings&) = default;
};

/// @returns what the texts mean; a text that cannot be read leaves the default.
settings resolve(const texts& x);

/// Lists every reason why Knative would refuse the texts, each as `key: reason` (C-1); empty when it
/// would take them.
std::vector<std::string> validate(const texts& x);

} // namespace spillover::kpa
