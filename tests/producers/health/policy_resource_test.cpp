#include "producers/health/policy_resource.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace spillover {
namespace {

TEST(PolicyResource, GB_9_RefusesAPatchWithAStaleFingerprint) {
  policy_resource subject{{}};
  const auto first = subject.fingerprint();
  EXPECT_EQ(subject.patch({first, 75, {}}), patch_answer{});
  const auto second = subject.fingerprint();
  EXPECT_NE(first, second);
  const aggregation_policy changed{.healthy_percent_threshold = 75, .min_healthy_threshold = 1};
  struct {
    const char* why = "";
    policy_patch asked = {};
    patch_answer expected = {};
    aggregation_policy after = {};
  } const cases[] = {
    {"the one before", {first, 50, {}}, {412, "conditionNotMet"}, changed},
    {"none", {"", 50, {}}, {412, "conditionNotMet"}, changed},
    {"nobody's", {"0123456789abcdef", 50, {}}, {412, "conditionNotMet"}, changed},
    {"stale and wrong: the version is looked at first",
     {first, 101, {}},
     {412, "conditionNotMet"},
     changed},
    {"101 %", {second, 101, 3}, {400, "healthy_percent_threshold: must be within 0..100"}, changed},
    {"no instance", {second, {}, 0}, {400, "min_healthy_threshold: must be at least 1"}, changed},
    {"the current one, after all of these", {second, {}, 3}, {200, ""}, {75, 3}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(subject.patch(x.asked), x.expected);
    EXPECT_EQ(subject.policy(), x.after);
  }
}

TEST(PolicyResource, NoTwoVersionsHaveTheSameFingerprint) {
  policy_resource subject{{}};
  std::set<std::string> seen;
  // There and back again: the same thresholds are another version.
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    EXPECT_TRUE(seen.insert(subject.fingerprint()).second) << i;
    EXPECT_EQ(subject.patch({subject.fingerprint(), i % 2 == 0 ? 50 : 60, {}}).status, 200u);
  }
  EXPECT_EQ(subject.fingerprint().size(), 16u);
}

} // namespace
} // namespace spillover
