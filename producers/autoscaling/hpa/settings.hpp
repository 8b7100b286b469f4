#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillover::hpa {

/// Which state of Kubernetes' code is followed where its releases differ.
enum class generation : std::uint8_t {
  /// A tolerance for each direction (E-2); a period's start takes back what was added and what was
  /// removed in it (E-8); stabilisation never turns a direction around (E-9).
  newer,
  /// One tolerance as a distance from 1; a period's start takes back one direction only; a
  /// stabilised count may lie on the other side of the present one.
  older,
};

/// Where a metric comes from.
enum class metric_source : std::uint8_t {
  /// CPU, memory: of each pod, and compared with what it requests.
  resource,
  /// Any other number that each pod has.
  pods,
  /// One number of another object, such as an ingress.
  object,
  /// One number from outside of the cluster, such as the length of a queue.
  external,
};

/// What a target says.
enum class target_type : std::uint8_t {
  /// Percent of what the pods request; of resources only.
  utilization,
  /// Of each pod; what an object or the outside shows is divided by the number of pods.
  average_value,
  /// As it is; of objects and the outside only.
  value,
};

/// A metric and what it should be.
struct metric_spec {
  metric_source source = metric_source::resource;

  /// Not empty. A resource named "cpu" follows the rules of pods that start (E-5).
  std::string name = "cpu";

  target_type type = target_type::utilization;

  /// Percent of the request, 1..1000000, or thousandths of the metric's unit, 1..10^15.
  std::int64_t target = 80;

  friend bool operator==(const metric_spec&, const metric_spec&) = default;
};

/// What a policy counts in.
enum class policy_type : std::uint8_t { pods, percent };

/// One limit of how fast the number of replicas may change.
struct scaling_policy {
  policy_type type = policy_type::percent;

  /// Pods, or percent of the pods at the period's start; at least 1.
  std::int32_t value = 100;

  /// Whole seconds, 1s..30min.
  duration period = std::chrono::seconds{15};

  friend bool operator==(const scaling_policy&, const scaling_policy&) = default;
};

/// Which of several policies counts: the one that allows the largest change, the smallest, or none.
enum class select_policy : std::uint8_t { max, min, disabled };

/// How one direction behaves.
struct scaling_rules {
  /// Whole seconds, 0s..1h; nothing is the controller's: 0s up, `downscale_stabilization` down.
  std::optional<duration> stabilization_window = std::nullopt;

  select_policy select = select_policy::max;

  /// At least one.
  std::vector<scaling_policy> policies = {};

  /// 0..100; nothing is the controller's. The newer generation only.
  std::optional<double> tolerance = std::nullopt;

  friend bool operator==(const scaling_rules&, const scaling_rules&) = default;
};

/// @returns 4 pods or 100 % in 15 s, whichever is more, without stabilisation (E-7).
scaling_rules default_scale_up();

/// @returns 100 % in 15 s, stabilised as the controller says (E-7).
scaling_rules default_scale_down();

/// The field `behavior` of an autoscaler. One that is there but says nothing has these defaults.
struct scaling_behavior {
  scaling_rules scale_up = default_scale_up();
  scaling_rules scale_down = default_scale_down();

  friend bool operator==(const scaling_behavior&, const scaling_behavior&) = default;
};

/// Kubernetes' horizontal pod autoscaler (E-1..E-12): its object, and the flags of its controller.
struct settings {
  generation follows = generation::newer;

  /// At most `max_replicas`; 0 only with a metric of an object or the outside (E-12).
  std::int32_t min_replicas = 1;

  /// 1..10000. Kubernetes has no default.
  std::int32_t max_replicas = 100;

  /// At least one; the largest proposal wins (E-6).
  std::vector<metric_spec> metrics = {metric_spec{}};

  /// Nothing is other limits than one that says nothing (E-10).
  std::optional<scaling_behavior> behavior = std::nullopt;

  /// Time between decisions, whole seconds, 1s..10min (E-1).
  duration sync_period = std::chrono::seconds{15};

  /// Share by which a ratio may miss 1 without consequence, 0..100 (E-2).
  double tolerance = 0.1;

  /// How long a high proposal keeps the replicas up, whole seconds, 0s..1h (E-7, E-10).
  duration downscale_stabilization = std::chrono::minutes{5};

  /// How long from its start a pod's CPU counts only while it is ready, and was so for a whole window
  /// (E-5); 0s..24h.
  duration cpu_initialization_period = std::chrono::minutes{5};

  /// A pod that is not ready since less than this from its start was never ready (E-5); 0s..24h.
  duration initial_readiness_delay = std::chrono::seconds{30};

  /// Time between measurements of a pod's resources, and the window of each, whole seconds,
  /// 1s..5min. A setting of the metrics server, not of the autoscaler.
  duration metrics_resolution = std::chrono::seconds{15};

  friend bool operator==(const settings&, const settings&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const settings& x);

} // namespace spillover::hpa
