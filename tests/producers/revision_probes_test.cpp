#include "tests/producers/revision_world.hpp"

#include <algorithm>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::lines;

/// A revision whose instances tell what their probes found.
class RevisionProbes : public test::revision_test {
protected:
  lines start_failed(std::uint32_t index) {
    subject_->on_start_failed(now_, index, out_);
    return take();
  }

  lines liveness_failed(std::uint32_t index) {
    subject_->on_liveness_failed(now_, index, out_);
    return take();
  }

  /// Of three instances with a request each 2, which is not ready if so said, drains.
  void drain_one_of_three(bool not_ready = false) {
    make(scaling(0, 5, 20), 3);
    requests(1, 3);
    if (not_ready)
      readiness(2, false);
    pass(60s);
    ASSERT_EQ(subject_->state(2), instance_state::draining);
  }

  lines readiness(std::uint32_t index, bool takes_requests) {
    subject_->on_readiness(now_, index, takes_requests, out_);
    return take();
  }

  lines avoid(std::uint32_t index, bool avoided) {
    subject_->avoid(now_, index, avoided, out_);
    return take();
  }
};

TEST_F(RevisionProbes, A_63_AStartThatFailedIsTriedAgainWhileItIsWanted) {
  make(scaling(0, 3, 1), 0);
  EXPECT_EQ(request(1).back(), "queue 1");
  EXPECT_EQ(start_failed(0), (lines{"changed 0 starting->crashed startup probe failed"}));
  EXPECT_EQ(restart(0), (lines{"changed 0 crashed->starting restarted", "start 0"}));
  EXPECT_EQ(ready(0), (lines{"changed 0 starting->ready started", "dispatch 0 #1", "queue 0"}));
  EXPECT_EQ(start_failed(0), (lines{})) << "it is no start any more";
}

TEST_F(RevisionProbes, A_63_AStartThatFailedIsNotTriedAgainWhenNothingIsWanted) {
  auto config = scaling(0, 3, 1);
  config.request_timeout = 20s;
  make(config, 0);
  request(1);
  start_failed(0);
  pass(100s);
  EXPECT_EQ(subject_->state(0), instance_state::stopped);
  EXPECT_EQ(restart(0), (lines{}));
}

TEST_F(RevisionProbes, A_41_WhatAnInstanceHeldThatIsNoLongerAliveEndsWith503) {
  make(fixed_at(2, 2), 2);
  requests(1, 4);
  EXPECT_EQ(request(5), (lines{"queue 1"}));
  EXPECT_EQ(liveness_failed(0), (lines{"changed 0 ready->crashed liveness probe failed",
                                       "answer #1 unavailable", "answer #3 unavailable"}));
  EXPECT_EQ(respond(2), (lines{"answer #2 ok", "dispatch 1 #5", "queue 0"}));
  EXPECT_EQ(liveness_failed(0), (lines{})) << "it is not there";
  EXPECT_EQ(respond(1), (lines{})) << "too late";
  EXPECT_EQ(ended(outcome::unavailable), 2u);
}

TEST_F(RevisionProbes, ADrainingInstanceThatIsNoLongerAliveStops) {
  drain_one_of_three();
  EXPECT_EQ(liveness_failed(2),
            (lines{"changed 2 draining->stopped liveness probe failed", "answer #3 unavailable"}));
  EXPECT_EQ(restart(2), (lines{}));
}

TEST_F(RevisionProbes, A_63_OneThatIsNotReadyFinishesWhatItHasAndGetsNothingNew) {
  make(fixed_at(2, 2), 2);
  requests(1, 2);
  EXPECT_EQ(readiness(0, false), (lines{}));
  EXPECT_EQ(requests(3, 5), (lines{"dispatch 1 #3", "queue 1"}));
  EXPECT_EQ(respond(1), (lines{"answer #1 ok"})) << "its free slots are nobody's";
  EXPECT_EQ(readiness(0, true), (lines{"dispatch 0 #4", "dispatch 0 #5", "queue 0"}));
  EXPECT_EQ(readiness(0, true), (lines{})) << "no news";
}

TEST_F(RevisionProbes, B_69_OneThatTheLoadBalancerAvoidsFinishesWhatItHasAndGetsNothingNew) {
  make(fixed_at(2, 2), 2);
  requests(1, 2);
  EXPECT_EQ(avoid(0, true), (lines{}));
  EXPECT_EQ(avoid(0, true), (lines{})) << "no news";
  EXPECT_EQ(requests(3, 5), (lines{"dispatch 1 #3", "queue 1"}));
  EXPECT_EQ(respond(1), (lines{"answer #1 ok"})) << "its free slots are nobody's";
  EXPECT_EQ(readiness(0, false), (lines{}));
  EXPECT_EQ(avoid(0, false), (lines{})) << "its readiness probe keeps it away still";
  EXPECT_EQ(readiness(0, true), (lines{"dispatch 0 #4", "dispatch 0 #5", "queue 0"}));
}

TEST_F(RevisionProbes, B_69_AnAvoidedInstanceStaysAvoidedThroughARestart) {
  make(fixed_at(2, 2), 2);
  avoid(0, true);
  EXPECT_EQ(down(0), (lines{"changed 0 ready->crashed crashed"}));
  restart(0);
  ready(0);
  EXPECT_EQ(requests(1, 2), (lines{"dispatch 1 #1", "dispatch 1 #2"}));
  EXPECT_EQ(avoid(0, false), (lines{}));
  EXPECT_EQ(request(3), (lines{"dispatch 0 #3"}));
}

TEST_F(RevisionProbes, B_67_WhatAnInstanceHeldThatIsMadeAnewEndsWith502) {
  make(fixed_at(2, 2), 2);
  requests(1, 3);
  subject_->on_recreated(now_, 0, out_);
  EXPECT_EQ(take(), (lines{"changed 0 ready->crashed made anew by auto-healing",
                           "answer #1 bad_gateway", "answer #3 bad_gateway"}));
  EXPECT_EQ(ended(outcome::bad_gateway), 2u);
}

TEST_F(RevisionProbes, A_63_OneThatIsNotReadyKeepsWhatItHasCounted) {
  make(fixed_at(1, 2), 1);
  requests(1, 2);
  readiness(0, false);
  EXPECT_EQ(readiness(0, true), (lines{}));
  EXPECT_EQ(request(3), (lines{"queue 1"})) << "both slots are taken, as before";
  EXPECT_EQ(respond(1), (lines{"answer #1 ok", "dispatch 0 #3", "queue 0"}));
}

TEST_F(RevisionProbes, OneThatIsNotReadyPassesThroughItsOtherStates) {
  drain_one_of_three(true);
  EXPECT_EQ(readiness(2, true), (lines{})) << "it was deprioritised and drains, as any other";
  EXPECT_EQ(respond(3), (lines{"answer #3 ok", "changed 2 draining->stopped drained", "stop 2"}));

  make(fixed_at(2, 2), 2);
  readiness(0, false);
  EXPECT_EQ(down(0), (lines{"changed 0 ready->crashed crashed"}));
  restart(0);
  EXPECT_EQ(readiness(0, false), (lines{})) << "of an earlier process";
  ready(0);
  EXPECT_EQ(request(1), (lines{"dispatch 0 #1"})) << "A-64: a new one takes requests at once";
}

TEST_F(RevisionProbes, A_42_ALimitIsTunedWhileItsInstanceIsNotReady) {
  auto config = scaling(1, 1, 4);
  std::get<cloud_run_config>(config.autoscaling).adaptive_concurrency = true;
  make(config, 1);
  requests(1, 4);
  readiness(0, false);
  for (int i = 0; i < 2; ++i) {
    subject_->on_usage(0, 950ms);
    pass(1s);
  }
  readiness(0, true);
  respond(1);
  respond(2);
  EXPECT_EQ(request(5), (lines{"queue 1"})) << "two are left, as many as the limit is now";
}

TEST_F(RevisionProbes, A_65_WaitsAreThoseOfAStartAsItsProbeSeesIt) {
  auto config = scaling(0, 1, 1);
  config.instance.cold_start = constant_distribution{12s};
  config.instance.startup_probe = custom_startup_probe();
  make(config, 0);
  request(1);
  request(2);
  EXPECT_EQ(out_.inputs[5], (std::pair<std::string, std::int64_t>{"cold_start_ms", 20'000}));
  const auto early = pass(70s - 1ns);
  EXPECT_EQ(std::count(early.begin(), early.end(), "queue 0"), 0) << "3.5 x 20 s";
  const auto late = pass(1ns);
  EXPECT_EQ(std::count(late.begin(), late.end(), "queue 0"), 1);
}

TEST_F(RevisionProbes, A_5_AUtilisationIsAShareOfAllLimits) {
  for (const auto sidecars : {false, true}) {
    SCOPED_TRACE(sidecars);
    auto config = scaling(1, 10, 80);
    if (sidecars)
      config.instance.sidecars = {{0.5}};
    make(config, 1);
    for (int i = 0; i < 60; ++i) {
      request(static_cast<std::uint64_t>(i + 1));
      respond(static_cast<std::uint64_t>(i + 1));
      subject_->on_usage(0, 2700ms);
      pass(1s);
    }
    EXPECT_EQ(sample_.recommended, sidecars ? 3u : 5u) << "GA-13: 2.7 / (1.5 x 60 %), or / 60 %";
  }
}

} // namespace
} // namespace spillover
