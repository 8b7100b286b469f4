#include "producers/health/policy_resource.hpp"

#include "model/hash.hpp"

namespace spillover {

std::string policy_resource::fingerprint() const {
  constexpr std::string_view digits = "0123456789abcdef";
  auto hash = splitmix64{version_}() ^ policy_.healthy_percent_threshold;
  hash = splitmix64{hash}() ^ policy_.min_healthy_threshold;
  hash = splitmix64{hash}();
  std::string result;
  for (int shift = 60; shift >= 0; shift -= 4)
    result += digits[hash >> shift & 15];
  return result;
}

patch_answer policy_resource::patch(const policy_patch& x) {
  // Before anything else: what is asked for was meant for another version (inferred).
  if (x.fingerprint != fingerprint())
    return {412, "conditionNotMet"};
  auto changed = policy_;
  changed.healthy_percent_threshold =
    x.healthy_percent_threshold.value_or(changed.healthy_percent_threshold);
  changed.min_healthy_threshold = x.min_healthy_threshold.value_or(changed.min_healthy_threshold);
  if (const auto problems = validate(changed); !problems.empty())
    return {400, problems.front()};
  policy_ = changed;
  ++version_;
  return {};
}

} // namespace spillover
