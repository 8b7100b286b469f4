#pragma once

#include "producers/health/aggregation.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spillover {

/// What a PATCH of a health aggregation policy asks for; its update mask are the fields that are given.
struct policy_patch {
  /// Of the version that whoever asks has read.
  std::string fingerprint = {};
  std::optional<std::uint32_t> healthy_percent_threshold = {};
  std::optional<std::uint32_t> min_healthy_threshold = {};
};

/// How the API answers.
struct patch_answer {
  /// 200, 400 for a policy that cannot be, 412 for a version that is no longer the current one.
  std::uint32_t status = 200;
  /// The problem, e.g. "conditionNotMet"; empty when there is none.
  std::string reason = {};
  friend bool operator==(const patch_answer&, const patch_answer&) = default;
};

/// A health aggregation policy as several people change it: whoever asks for a change says by a fingerprint
/// which version it is meant for, and is refused when somebody else was faster (B-1, GB-9).
class policy_resource {
public:
  /// @param policy valid
  explicit policy_resource(const aggregation_policy& policy) : policy_(policy) {}

  [[nodiscard]] const aggregation_policy& policy() const noexcept { return policy_; }

  /// @returns what tells this version from every other; 16 hexadecimal digits. The product has it in
  ///          base64.
  [[nodiscard]] std::string fingerprint() const;

  /// Carries the change out whole, or not at all. A change that changes nothing makes a new version too
  /// (inferred).
  patch_answer patch(const policy_patch& x);

private:
  aggregation_policy policy_;
  std::uint64_t version_ = 1;
};

} // namespace spillover
