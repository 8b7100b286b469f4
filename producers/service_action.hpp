#pragma once

#include "producers/health/health_check.hpp"
#include "producers/service.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace spillover {

/// A revision is deployed, and takes over.
struct deploy_action {
  std::string revision;
  rollout_plan plan = {};
  friend bool operator==(const deploy_action&, const deploy_action&) = default;
};

/// The traffic is split anew, at once.
struct split_action {
  std::vector<traffic_target> traffic;
  friend bool operator==(const split_action&, const split_action&) = default;
};

/// All traffic goes back to an earlier revision.
struct roll_back_action {
  std::string revision;
  friend bool operator==(const roll_back_action&, const roll_back_action&) = default;
};

/// What is set for the whole service changes, at once.
struct scale_action {
  service_scaling scaling;
  friend bool operator==(const scale_action&, const scale_action&) = default;
};

/// The health aggregation policy of the backend service's health source is patched (B-1); what is left out
/// stays. Refused with 412 when somebody changed it since it was read (GB-9).
struct patch_policy_action {
  std::optional<std::uint32_t> healthy_percent_threshold = {}; // 0..100
  std::optional<std::uint32_t> min_healthy_threshold = {};     // at least 1

  /// When the operator read the policy, and with it its fingerprint; not after the action's time, which it
  /// is when absent.
  std::optional<instant> read_at = {};

  /// From the answer of the API until the source judges by the new policy, at least 0 (inferred).
  duration takes_effect_after{};

  friend bool operator==(const patch_policy_action&, const patch_policy_action&) = default;
};

/// The health check of the backend service is updated, at once (inferred); what is left out stays. Rows of
/// results count on, as far as the check before counted them.
struct update_check_action {
  std::optional<duration> interval = {};
  std::optional<duration> timeout = {};
  std::optional<std::uint32_t> healthy_threshold = {};
  std::optional<std::uint32_t> unhealthy_threshold = {};

  friend bool operator==(const update_check_action&, const update_check_action&) = default;
};

/// @returns a health check after an update; it need not be valid.
health_check_config updated(health_check_config x, const update_check_action& by);

/// What an operator does to one backend service in one region at a time.
struct service_action {
  instant at{};

  /// Path of the backend service.
  std::string of;

  std::variant<deploy_action, split_action, roll_back_action, scale_action, patch_policy_action,
               update_check_action>
    what;

  /// What people call it; may be empty.
  std::string name = {};

  friend bool operator==(const service_action&, const service_action&) = default;
};

/// @returns the action in words, e.g. "deploy v2".
std::string to_string(const service_action& x);

} // namespace spillover
