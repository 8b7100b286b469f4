#pragma once

#include "producers/service.hpp"

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

/// What an operator does to one backend service in one region at a time.
struct service_action {
  instant at{};

  /// Path of the backend service.
  std::string of;

  std::variant<deploy_action, split_action, roll_back_action, scale_action> what;

  /// What people call it; may be empty.
  std::string name = {};

  friend bool operator==(const service_action&, const service_action&) = default;
};

/// @returns the action in words, e.g. "deploy v2".
std::string to_string(const service_action& x);

} // namespace spillover
