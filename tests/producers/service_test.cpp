#include "tests/producers/service_world.hpp"

// Traffic and bounds of a service with several revisions.

namespace spillover::test {
namespace {

using namespace std::chrono_literals;

using ServiceTest = service_test;

TEST_F(ServiceTest, ASplitHoldsByTheHundred) {
  make({.revisions = {{"v1", cloud_run(1, 1000)}, {"v2", cloud_run(1, 1000)}},
        .traffic = {{"v1", 90}, {"v2", 10}}});
  std::vector<int> taken(2);
  for (int i = 0; i < 10'000; ++i)
    ++taken[request()];
  EXPECT_NEAR(taken[1], 1000, 100); // three deviations and a little
  EXPECT_EQ(subject_->requests().taken, 10'000u);
}

TEST_F(ServiceTest, ATagReachesOneRevisionOnly) {
  make({.revisions = {{"v1", cloud_run(1, 9)}, {"v2", cloud_run(2, 9)}},
        .traffic = {{"v1", 100}, {"v2", 0, "canary"}}});
  EXPECT_EQ(subject_->tagged("canary"), 1u);
  EXPECT_EQ(subject_->tagged("other"), std::nullopt);
  EXPECT_EQ(request(), 0u);
  // Its own minimum is kept warm for the tag.
  EXPECT_EQ(running(1), 2u);
}

TEST_F(ServiceTest, ARequestToNoTagIsOnTheBooks) {
  make({.revisions = {{"v1", cloud_run(1, 9)}, {"v2", cloud_run(2, 9)}}});
  subject_->refuse();
  EXPECT_EQ(subject_->requests().taken, 1u);
  EXPECT_EQ(subject_->requests().ended[static_cast<std::size_t>(outcome::unavailable)], 1u);
}

TEST_F(ServiceTest, WithoutTrafficNoMinimumIsKept) {
  make({.revisions = {{"v1", cloud_run(3, 9)}, {"v2", cloud_run(2, 9)}},
        .traffic = {{"v1", 50}, {"v2", 50}}});
  EXPECT_EQ(running(0), 3u);
  EXPECT_EQ(running(1), 2u);
  subject_->split(now_, {{"v1", 100}}, *this);
  EXPECT_EQ(take(), (lines{"split v1=100", "v2 2->0 CONCURRENCY"}));
  pass(20min);
  EXPECT_EQ(running(0), 3u);
  EXPECT_EQ(running(1), 0u);
  subject_->split(now_, {{"v1", 50}, {"v2", 50}}, *this);
  EXPECT_EQ(take(), (lines{"split v1=50 v2=50", "v2 0->2 MIN"}));
}

TEST_F(ServiceTest, TheServicesMinimumIsDividedByTraffic) {
  make({.revisions = {{"v1", cloud_run(0, 9)}, {"v2", cloud_run(2, 9)}},
        .traffic = {{"v1", 80}, {"v2", 20}},
        .scaling = {.min_instances = 5}});
  EXPECT_EQ(running(0), 4u);
  EXPECT_EQ(running(1), 2u); // its own is above its share of 1
  subject_->split(now_, {{"v1", 20}, {"v2", 80}}, *this);
  EXPECT_EQ(subject_->at(0).recommended(), 1u);
  EXPECT_EQ(subject_->at(1).recommended(), 4u);
}

TEST_F(ServiceTest, TheServicesMaximumHoldsAtOnce) {
  make({.revisions = {{"v1", cloud_run(0, 9, 1)}, {"v2", cloud_run(0, 9, 1)}},
        .traffic = {{"v1", 100}, {"v2", 0, "canary"}}});
  requests(20);
  pass(60s);
  EXPECT_EQ(subject_->at(0).recommended(), 9u);
  subject_->scale(now_, {.max_instances = 4}, *this);
  EXPECT_EQ(subject_->at(0).recommended(), 4u);
  EXPECT_EQ(take().back(), "v1 9->4 MAX");
}

TEST_F(ServiceTest, ManualScalingTurnsTheAutoscalerOff) {
  make({.revisions = {{"v1", cloud_run(0, 9, 1)}, {"v2", cloud_run(0, 9, 1)}},
        .traffic = {{"v1", 67}, {"v2", 33}},
        .scaling = {.manual_instances = 3}});
  EXPECT_EQ(running(0), 2u);
  EXPECT_EQ(running(1), 1u);
  requests(200);
  pass(60s);
  EXPECT_EQ(running(0), 2u);
  EXPECT_EQ(running(1), 1u);
  subject_->scale(now_, {.manual_instances = 6}, *this);
  pass(2s);
  EXPECT_EQ(running(0), 4u);
  EXPECT_EQ(running(1), 2u);
  // Bounds turn it on again.
  subject_->scale(now_, {.max_instances = 6}, *this);
  pass(60s);
  EXPECT_GE(running(0), 4u);
}

TEST_F(ServiceTest, A_61_WhatHasRequestsHasAnInstance) {
  make({.revisions = {{"v1", cloud_run(0, 9)}, {"v2", cloud_run(0, 9)}, {"v3", cloud_run(0, 9)}},
        .traffic = {{"v1", 99}, {"v2", 1}, {"v3", 0, "canary"}},
        .scaling = {.manual_instances = 2}});
  EXPECT_EQ(running(0), 2u);
  EXPECT_EQ(running(1), 1u);
  EXPECT_EQ(running(2), 1u);
}

TEST_F(ServiceTest, QuotasCountTheInstancesOfAllRevisions) {
  make({.revisions = {{"v1", cloud_run(2, 9, 1)}, {"v2", cloud_run(2, 9, 1)}},
        .traffic = {{"v1", 50}, {"v2", 50}}});
  subject_->lay_quota(0, {"", std::nullopt, 5});
  requests(400);
  EXPECT_EQ(subject_->at(0).count().members() + subject_->at(1).count().members(), 5u);
  subject_->take_off_quota(0);
  pass(10s);
  EXPECT_GT(subject_->at(0).count().members() + subject_->at(1).count().members(), 5u);
}

TEST(ServiceScaling, IsChecked) {
  using problems = std::vector<std::string>;
  EXPECT_EQ(validate(service_scaling{}), problems{});
  EXPECT_EQ(validate(service_scaling{.min_instances = 3, .max_instances = 3}), problems{});
  EXPECT_EQ(validate(service_scaling{.min_instances = 4, .max_instances = 3}),
            problems{"min_instances: must be at most max_instances"});
  EXPECT_EQ(validate(service_scaling{.max_instances = 0}),
            problems{"max_instances: must be within 1..10000"});
  EXPECT_EQ(validate(service_scaling{.min_instances = 10'001}),
            problems{"min_instances: must be within 0..10000"});
  EXPECT_EQ(validate(service_scaling{.manual_instances = 0}),
            problems{"manual_instances: must be within 1..10000"});
  EXPECT_EQ(validate(service_scaling{.min_instances = 1, .manual_instances = 1}).size(), 1u);
}

TEST(ServiceScaling, BoundsAndAFixedNumberTakeEachOthersPlace) {
  const struct {
    const char* why = "";
    service_scaling before = {};
    service_scaling order = {};
    service_scaling after = {};
  } cases[] = {
    {"what is left out stays",
     {.min_instances = 2, .max_instances = 9},
     {.min_instances = 4},
     {.min_instances = 4, .max_instances = 9}},
    {"nothing changes nothing", {.manual_instances = 5}, {}, {.manual_instances = 5}},
    {"no autoscaler, hence no bounds",
     {.min_instances = 2, .max_instances = 9},
     {.manual_instances = 5},
     {.manual_instances = 5}},
    {"bounds bring it back", {.manual_instances = 5}, {.max_instances = 9}, {.max_instances = 9}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(scaled(x.before, x.order), x.after);
  }
}

TEST_F(ServiceTest, TellsTheSecondsOfRevisionsThatHaveANameAndAreThere) {
  const struct {
    const char* why = "";
    service_config config = {};
    std::vector<std::uint32_t> expected = {};
  } cases[] = {
    {"without a name there is the service's own", {.revisions = {{"", cloud_run(1, 9)}}}, {}},
    {"one with a name", {.revisions = {{"v1", cloud_run(1, 9)}}}, {0}},
    {"v2 is not deployed", {.revisions = {{"v1", cloud_run(1, 9)}, {"v2", cloud_run(1, 9)}}}, {0}},
    {"each of two",
     {.revisions = {{"v1", cloud_run(1, 9)}, {"v2", cloud_run(1, 9)}},
      .traffic = {{"v1", 50}, {"v2", 50}}},
     {0, 1}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    make(x.config);
    sampled_.clear();
    pass(1s);
    EXPECT_EQ(sampled_, x.expected);
  }
}

} // namespace
} // namespace spillover::test
