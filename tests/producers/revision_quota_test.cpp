#include "tests/producers/revision_world.hpp"

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::lines;

class RevisionQuota : public test::revision_test {
protected:
  /// Requests hold their slot for a minute, so that only a new instance helps.
  static revision_config busy(std::uint32_t max) {
    auto x = scaling(1, max, 1);
    x.instance.service_time = constant_distribution{60s};
    return x;
  }
};

TEST_F(RevisionQuota, ADeniedStartIsWantedAgainAtTheNextEvaluation) {
  make(basic(10, cloud_run_config{.min_instances = 2}), 2);
  lay_quota(0, {"", 1, std::nullopt});
  requests(1, 20); // of 2 x 10 slots: 4 instances would have 60 % in use
  EXPECT_EQ(pass(5s), (lines{"decided cloud_run 2->4 CONCURRENCY",
                             "denied 1 of 2: quota of 1 starts a minute",
                             "changed 2 stopped->starting started", "start 2"}));
  EXPECT_EQ(pass(5s), (lines{"denied 0 of 1: quota of 1 starts a minute"}));
  EXPECT_EQ(pass(55s - 1ns), lines{}) << "told once, and the first start is less than 60 s ago";
  EXPECT_EQ(pass(1ns), (lines{"changed 3 stopped->starting started", "start 3"}));
}

TEST_F(RevisionQuota, ADeniedStartOnDemandLeavesTheRequestInTheQueue) {
  make(busy(5), 1);
  lay_quota(7, {"", std::nullopt, 1});
  EXPECT_EQ(requests(1, 3),
            (lines{"dispatch 0 #1", "denied 0 of 1: quota of 1 instances", "queue 1"}));
  take_off_quota(7);
  EXPECT_EQ(request(4), (lines{"decided cloud_run 1->2 ON_DEMAND",
                               "changed 1 stopped->starting started", "start 1"}));
}

TEST_F(RevisionQuota, AnOverdueRequestThatMayStartNoInstanceFailsAsAtTheMaximum) {
  make(busy(5), 1);
  lay_quota(7, {"", std::nullopt, 1});
  requests(1, 2);
  EXPECT_EQ(pass(10s - 1ns), lines{});
  EXPECT_EQ(pass(1ns), (lines{"answer #2 too_many_requests", "queue 0"}));
  EXPECT_EQ(ended(outcome::too_many_requests), 1u);
}

TEST_F(RevisionQuota, NeitherTheFirstInstancesNorRestartsCount) {
  make(busy(5), 3);
  lay_quota(1, {"", 1, std::nullopt});
  down(2);
  EXPECT_EQ(restart(2), (lines{"changed 2 crashed->starting restarted", "start 2"}));
  down(1);
  EXPECT_EQ(restart(1), (lines{"changed 1 crashed->starting restarted", "start 1"}));
  requests(1, 3);
  // 0 serves, 1 and 2 are awaited; the fourth wants a new one, and may have it.
  EXPECT_EQ(request(4), (lines{"decided cloud_run 3->4 ON_DEMAND",
                               "changed 3 stopped->starting started", "start 3"}));
  EXPECT_EQ(request(5), (lines{"denied 0 of 1: quota of 1 starts a minute"}));
}

TEST_F(RevisionQuota, RequestsAndEvaluationsTellApart) {
  auto config = scaling(1, 5, 1, 0.5);
  config.instance.service_time = constant_distribution{60s};
  make(config, 2);
  lay_quota(1, {"", 0, std::nullopt});
  EXPECT_EQ(requests(1, 3).at(2), "denied 0 of 1: quota of 0 starts a minute");
  // 2 of 2 slots are in use, and 4 instances would have 50 % in use.
  EXPECT_EQ(pass(5s).at(1), "denied 0 of 2: quota of 0 starts a minute");
  EXPECT_EQ(request(4), lines{}) << "no other request was granted one";
  EXPECT_EQ(pass(5s - 1ns), lines{}) << "nor the evaluation";
}

TEST_F(RevisionQuota, WhatWasDeniedIsToldAgainAfterAllWasGranted) {
  make(busy(5), 1);
  lay_quota(1, {"", 0, std::nullopt});
  EXPECT_EQ(requests(1, 2).at(1), "denied 0 of 1: quota of 0 starts a minute");
  EXPECT_EQ(request(3), lines{});
  take_off_quota(1);
  EXPECT_EQ(request(4).at(0), "decided cloud_run 1->2 ON_DEMAND");
  lay_quota(1, {"", 0, std::nullopt});
  EXPECT_EQ(request(5), (lines{"denied 0 of 1: quota of 0 starts a minute"}));
}

} // namespace
} // namespace spillover
