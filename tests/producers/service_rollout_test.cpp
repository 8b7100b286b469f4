#include "tests/producers/service_world.hpp"

// How a deployed revision takes over.

namespace spillover::test {
namespace {

using namespace std::chrono_literals;

using ServiceRollout = service_test;

service_config two(const revision_config& first, const revision_config& second) {
  return {.revisions = {{"v1", first}, {"v2", second}}};
}

TEST_F(ServiceRollout, EnoughInstancesComeBeforeTheTraffic) {
  make(two(service_test::cloud_run(0, 100), service_test::cloud_run(0, 100)));
  // 60 requests in flight at 10 an instance and a target of 60 %: 10 instances.
  requests(60);
  pass(3min);
  take();
  EXPECT_EQ(running(0), 10u);
  deploy(1);
  EXPECT_EQ(take(), (lines{"v2 0->10 DEPLOY", "v2 deploying 0 of 10"}));
  pass(1999ms);
  EXPECT_EQ(request(), 0u);
  pass(1ms);
  EXPECT_EQ(take(), (lines{"v2 ready 10 of 10", "roll out v2=100"}));
  EXPECT_EQ(request(), 1u);
  // Both together are above what one would need.
  EXPECT_EQ(running(0) + running(1), 20u);
  // What is in flight stays where it is, and then the old revision idles out.
  EXPECT_EQ(actors_[0].held.size(), 61u);
  answer(0);
  pass(20min);
  EXPECT_EQ(running(0), 0u);
}

TEST_F(ServiceRollout, EnoughIsByTheNewRevisionsOwnLimits) {
  struct {
    const char* why;
    revision_config next;
    const char* expected;
  } const cases[] = {
    {"twice the concurrency", cloud_run(0, 100, 20), "v2 deploying 0 of 5"},
    {"its maximum", cloud_run(0, 7), "v2 deploying 0 of 7"},
    {"its minimum", cloud_run(30, 100), "v2 deploying 0 of 30"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    make(two(cloud_run(0, 100), x.next));
    requests(60);
    pass(3min);
    take();
    deploy(1);
    EXPECT_EQ(take().back(), x.expected);
    answer(0);
  }
}

TEST_F(ServiceRollout, WithoutLoadOneInstanceShowsThatItStarts) {
  make(two(cloud_run(0, 100), cloud_run(0, 100)));
  deploy(1);
  EXPECT_EQ(take(), (lines{"v2 0->1 DEPLOY", "v2 deploying 0 of 1"}));
  pass(2s);
  EXPECT_EQ(take(), (lines{"v2 ready 1 of 1", "roll out v2=100"}));
}

TEST_F(ServiceRollout, AFailedStartLeavesTheTrafficAlone) {
  make(two(cloud_run(1, 100), cloud_run(3, 100)));
  deploy(1);
  take();
  broken_ = true;
  pass(2s);
  EXPECT_EQ(take(), (lines{"v2 failed 0 of 3: an instance failed to start", "v2 3->0 FAILED"}));
  EXPECT_EQ(request(), 0u);
  EXPECT_EQ(subject_->at(1).count().members(), 0u);
  EXPECT_EQ(subject_->refusal({{"v2", 100}}), "revision v2 was never ready");
  // It may be tried again.
  broken_ = false;
  deploy(1);
  pass(2s);
  EXPECT_EQ(request(), 1u);
}

TEST_F(ServiceRollout, AQuotaThatLastsFailsItAtTheDeadline) {
  make(two(cloud_run(1, 100), cloud_run(3, 100)));
  subject_->lay_quota(0, {"", std::nullopt, 3});
  deploy(1, {.deadline = 60s});
  pass(59s);
  EXPECT_EQ(take().back(), "v2 deploying 0 of 3");
  pass(1s);
  EXPECT_EQ(take(),
            (lines{"v2 failed 2 of 3: too few instances at its deadline", "v2 3->0 FAILED"}));
  EXPECT_EQ(request(), 0u);
}

TEST_F(ServiceRollout, StepByStep) {
  make(two(cloud_run(1, 100), cloud_run(1, 100)));
  deploy(1, {.steps = {10, 50, 100}, .every = 30s});
  pass(2s);
  EXPECT_EQ(take().back(), "roll out v1=90 v2=10");
  pass(29s);
  EXPECT_EQ(take(), lines{});
  pass(1s);
  EXPECT_EQ(take(), lines{"roll out v1=50 v2=50"});
  pass(30s);
  EXPECT_EQ(take(), (lines{"roll out v2=100", "v1 1->0 CONCURRENCY"})) << "the reason first";
  pass(10min);
  // The last step makes it the latest that all traffic goes to; the next one takes over as well.
  EXPECT_EQ(request(), 1u);
}

TEST_F(ServiceRollout, TheOthersGiveUpInProportion) {
  make({.revisions = {{"v1", cloud_run(1, 9)}, {"v2", cloud_run(1, 9)}, {"v3", cloud_run(1, 9)}},
        .traffic = {{"v1", 75}, {"v2", 25}, {"v2", 0, "old"}}});
  deploy(2, {.steps = {20}});
  pass(2s);
  EXPECT_EQ(take().back(), "roll out v1=60 v2=20 v3=20 old:v2");
}

TEST_F(ServiceRollout, APinnedSplitStaysForLaterDeployments) {
  make({.revisions = {{"v1", cloud_run(1, 9)}, {"v2", cloud_run(1, 9)}}, .traffic = {{"v1", 100}}});
  deploy(1);
  pass(2s);
  EXPECT_EQ(take(), (lines{"v2 0->1 DEPLOY", "v2 deploying 0 of 1", "v2 ready 1 of 1",
                           "v2 1->0 CONCURRENCY"}));
  EXPECT_EQ(request(), 0u);
  // Now it can have traffic.
  EXPECT_EQ(subject_->refusal({{"v2", 100}}), "");
  subject_->split(now_, {{"", 100}}, *this);
  EXPECT_EQ(request(), 1u);
}

TEST_F(ServiceRollout, RollsBackAtOnce) {
  make(two(cloud_run(2, 9), cloud_run(1, 9)));
  deploy(1);
  pass(2s);
  take();
  EXPECT_EQ(request(), 1u);
  subject_->roll_back(now_, 0, *this);
  EXPECT_EQ(take(), (lines{"roll back v1=100", "v1 0->2 MIN"}));
  EXPECT_EQ(request(), 0u);
}

TEST_F(ServiceRollout, AnotherOrderEndsIt) {
  make({.revisions = {{"v1", cloud_run(1, 9)}, {"v2", cloud_run(1, 9)}, {"v3", cloud_run(1, 9)}}});
  deploy(1);
  take();
  pass(1s);
  deploy(2);
  EXPECT_EQ(take(), (lines{"v2 superseded 0 of 1", "v2 1->0 SUPERSEDED", "v3 0->1 DEPLOY",
                           "v3 deploying 0 of 1"}));
  pass(5s);
  EXPECT_EQ(request(), 2u);
  EXPECT_EQ(subject_->at(1).count().members(), 0u);
}

TEST_F(ServiceRollout, KnativeStartsTheInitialScaleAndLetsTheOldOneGo) {
  make(two(knative("1", "10"), knative("3", "10")));
  EXPECT_EQ(running(0), 10u);
  deploy(1);
  // The minimum of the new one is above its initial scale: 20 pods while both are there.
  EXPECT_EQ(subject_->at(1).count().starting, 10u);
  pass(1999ms);
  EXPECT_EQ(running(0), 10u);
  EXPECT_EQ(request(), 0u);
  answer(0);
  pass(1ms);
  EXPECT_EQ(request(), 1u);
  answer(1);
  // Nothing reaches the old one any more, so its minimum does not count.
  pass(2min);
  EXPECT_EQ(running(0), 0u);
  EXPECT_EQ(running(1), 10u);
  subject_->roll_back(now_, 0, *this);
  pass(10s);
  EXPECT_EQ(running(0), 10u);
}

TEST_F(ServiceRollout, KnativesSecondTryStartsPodsAsWell) {
  make(two(knative("1", "1"), knative("3", "3")));
  broken_ = true;
  deploy(1, {.deadline = 5s});
  pass(5s);
  EXPECT_EQ(take().back(), "v2 3->0 FAILED");
  broken_ = false;
  deploy(1);
  EXPECT_EQ(request(), 0u);
  pass(3s);
  EXPECT_EQ(request(), 1u);
  EXPECT_EQ(running(1), 3u);
}

TEST_F(ServiceRollout, ARollbackTakesNothingFromWhoServes) {
  make(two(of_policy(fixed_config{6}), of_policy(fixed_config{2})));
  deploy(1, {.steps = {10, 100}, .every = 1h});
  pass(2s);
  EXPECT_EQ(take().back(), "roll out v1=90 v2=10");
  subject_->roll_back(now_, 0, *this);
  const auto told = take();
  EXPECT_EQ(told.back(), "v2 2->0 RETIRED");
  EXPECT_EQ(told[told.size() - 2], "roll out v1=100");
  EXPECT_EQ(running(0), 6u);
}

TEST_F(ServiceRollout, ATagOfTheLatestMovesWithIt) {
  make({.revisions = {{"v1", cloud_run(1, 9)}, {"v2", cloud_run(2, 9)}},
        .traffic = {{"v1", 100}, {"", 0, "canary"}}});
  deploy(1);
  pass(2s);
  EXPECT_EQ(take().back(), "roll out v1=100 canary:v2");
  EXPECT_EQ(subject_->tagged("canary"), 1u);
  pass(20min);
  EXPECT_EQ(running(1), 2u);
}

TEST_F(ServiceRollout, OthersAreReplacedWhenTheNewOnesRun) {
  make(two(of_policy(*default_policy("hpa")), of_policy(fixed_config{4})));
  deploy(1);
  pass(2s);
  EXPECT_EQ(request(), 1u);
  EXPECT_EQ(running(1), 4u);
  EXPECT_EQ(subject_->at(0).recommended(), 0u);
  EXPECT_EQ(running(0), 0u);
  // The way back takes as long as the way there.
  subject_->roll_back(now_, 0, *this);
  EXPECT_EQ(request(), 1u);
  pass(2s);
  EXPECT_EQ(request(), 0u);
  EXPECT_EQ(subject_->at(1).recommended(), 0u);
  // One with a request finishes it first.
  answer(1);
  EXPECT_EQ(running(1), 0u);
}

TEST(RolloutPlan, IsChecked) {
  using problems = std::vector<std::string>;
  EXPECT_EQ(validate(rollout_plan{}), problems{});
  EXPECT_EQ(validate(rollout_plan{.steps = {}}), problems{"steps: must have at least one share"});
  EXPECT_EQ(validate(rollout_plan{.steps = {10, 10}}),
            problems{"steps[1]: must be above the one before"});
  EXPECT_EQ(validate(rollout_plan{.steps = {101}}), problems{"steps[0]: must be within 1..100"});
  EXPECT_EQ(validate(rollout_plan{.every = 0s}), problems{"every: must be above 0s"});
  EXPECT_EQ(validate(rollout_plan{.deadline = 0s}), problems{"deadline: must be above 0s"});
}

} // namespace
} // namespace spillover::test
