#include "tests/producers/revision_world.hpp"

#include <gmock/gmock.h>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::lines;
using testing::ElementsAre;
using testing::IsEmpty;

/// A Knative revision whose pods serve two seconds after their start.
class RevisionKnative : public test::revision_test {
protected:
  using annotations = std::map<std::string, std::string, std::less<>>;

  static knative_kpa_config knative(annotations x) {
    knative_kpa_config result;
    result.knative.annotations = std::move(x);
    return result;
  }

  void make_knative(const knative_kpa_config& x, std::uint32_t concurrency = 0) {
    make(basic(concurrency, x), instances_at_start(x));
  }

  /// Lets time pass in tenths of seconds.
  /// @returns what was decided and done to pods, each with the second
  lines live(duration span) {
    lines result;
    for (const auto until = now_ + span; now_ < until;) {
      for (const auto& x : pass(100ms))
        note(x, result);
      while (!starts_.empty() && starts_.front().first <= now_) {
        const auto index = starts_.front().second;
        starts_.erase(starts_.begin());
        for (const auto& x : ready(index))
          note(x, result);
      }
    }
    return result;
  }

  /// Sends a request, and notes what it starts.
  lines ask(std::uint64_t number) {
    lines result;
    for (const auto& x : request(number))
      note(x, result);
    return result;
  }

  void ask(std::uint64_t first, std::uint64_t last) {
    for (auto i = first; i <= last; ++i)
      ask(i);
  }

  void answer(std::uint64_t first, std::uint64_t last) {
    for (auto i = first; i <= last; ++i)
      respond(i);
  }

private:
  void note(const std::string& x, lines& result) {
    if (x.starts_with("start "))
      starts_.emplace_back(now_ + 2s, static_cast<std::uint32_t>(std::stoul(x.substr(6))));
    else if (x.starts_with("decided") || x.starts_with("path"))
      result.push_back(to_string(now_.time_since_epoch()) + " " + x);
  }

  std::vector<std::pair<instant, std::uint32_t>> starts_;
};

TEST_F(RevisionKnative, C_16_ARequestToNothingStartsAPodAtOnceAndWaitsForIt) {
  make_knative(knative({}));
  EXPECT_EQ(live(10s), lines{});
  EXPECT_EQ(request(1), (lines{"decided knative_kpa 0->1 STABLE",
                               "changed 0 stopped->starting started", "start 0", "queue 1"}));
  EXPECT_EQ(request(2), lines{}) << "waits behind";
  EXPECT_EQ(ready(0), (lines{"changed 0 starting->ready started", "dispatch 0 #1", "dispatch 0 #2",
                             "queue 0"}));
}

TEST_F(RevisionKnative, C_25_GoesToZeroInTwoSteps) {
  make_knative(knative({{"target", "10"}}));
  live(10s);
  ask(1);
  live(3s);
  answer(1, 1);
  // Empty for a stable window after 12 s at the latest, active for one since 12 s; then inactive, and
  // three seconds later, with the activator in the path all the while, no pod.
  EXPECT_THAT(live(3min), ElementsAre("77s decided knative_kpa 1->0 ZERO"));
  EXPECT_EQ(subject_->count().members(), 0u);
  EXPECT_EQ(subject_->requests().ended[0], 1u);
}

TEST_F(RevisionKnative, C_25_WithoutScalingToZeroOnePodRests) {
  auto x = knative({});
  x.knative.config["enable-scale-to-zero"] = "false";
  EXPECT_EQ(instances_at_start(x), 1u);
  EXPECT_EQ(bounds_of(autoscaling_config{x}).min, 1u);
  make_knative(x);
  EXPECT_EQ(live(5min), lines{});
  EXPECT_EQ(subject_->count().ready, 1u);
}

TEST_F(RevisionKnative, TakesNoScaleThatNoRunCouldHold) {
  for (const auto* key : {"min-scale", "initial-scale", "activation-scale"}) {
    EXPECT_TRUE(validate(knative({{key, "10000"}}), 0).empty()) << key;
    EXPECT_EQ(validate(knative({{key, "10001"}}), 0).size(), 1u) << key;
  }
}

TEST_F(RevisionKnative, C_33_AWarmPodAndFiftyRequestsAtATimeWithAMaximumOfThree) {
  make_knative(knative({{"target", "10"}, {"min-scale", "1"}, {"max-scale", "3"}}));
  EXPECT_EQ(live(59s), lines{});
  ask(1, 50);
  EXPECT_THAT(live(30s),
              ElementsAre("1m decided knative_kpa 1->2 PANIC", "62s decided knative_kpa 2->3 MAX"));
  answer(1, 50);
  EXPECT_THAT(live(5min), ElementsAre("152s decided knative_kpa 3->1 STABLE"));
}

TEST_F(RevisionKnative, C_17_APodWhoseReadinessProbeFailsIsNotReady) {
  // Twenty at a time call for three pods: 1.5 times as many as two are, three times as many as one.
  for (const auto both : {true, false}) {
    now_ = run_start;
    out_ = {};
    make_knative(knative({{"target", "10"}, {"min-scale", "2"}}));
    live(59s);
    if (!both)
      subject_->on_readiness(now_, 1, false, out_);
    ask(1, 20);
    EXPECT_EQ(live(20s), both ? lines{} : lines{"64s decided knative_kpa 2->3 PANIC"});
    EXPECT_EQ(subject_->count().ready, both ? 2u : 3u) << "a member that is not ready stays one";
  }
}

TEST_F(RevisionKnative, C_29_TheActivatorLetsTenThousandWait) {
  make_knative(knative({}));
  ask(1, 10'000);
  EXPECT_EQ(subject_->requests().ended[static_cast<std::size_t>(outcome::unavailable)], 0u);
  EXPECT_EQ(request(10'001), (lines{"answer #10001 unavailable"}));
  live(3s);
  EXPECT_EQ(out_.tickets.size(), 10'000u);
  EXPECT_EQ(ended(outcome::unavailable), 1u);
}

TEST_F(RevisionKnative, ARequestThatWaitsForTooLongIsUnavailableOneInAPodTimesOut) {
  auto config = basic(1, knative({{"max-scale", "1"}, {"min-scale", "1"}}));
  config.request_timeout = 5s;
  make(config, 1);
  live(1s);
  request(1);
  request(2);
  EXPECT_EQ(pass(5s - 1ns), lines{});
  EXPECT_EQ(pass(1ns), (lines{"answer #1 gateway_timeout", "answer #2 unavailable", "queue 0"}));
  EXPECT_EQ(respond(1), lines{}) << "the pod works on it all the same";
}

TEST_F(RevisionKnative, C_29_TheActivatorFillsPodsByTheirLimit) {
  struct {
    std::uint32_t concurrency;
    std::vector<std::uint32_t> pods; // of the first requests, in their order
  } const cases[] = {
    {1, {0, 1}},
    {2, {0, 0, 1, 1}},
    {3, {0, 0, 0, 1, 1, 1}},
    {4, {0, 1, 0, 1, 0, 1, 0, 1}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.concurrency);
    make_knative(knative({{"min-scale", "2"}, {"max-scale", "2"}}), x.concurrency);
    for (std::uint64_t i = 0; i < x.pods.size(); ++i) {
      request(i);
      ASSERT_TRUE(out_.tickets.contains(i));
      EXPECT_EQ(out_.tickets.at(i).instance, x.pods[i]) << i;
    }
    EXPECT_EQ(request(99), (lines{"queue 1"})) << "all pods are full";
  }
}

TEST_F(RevisionKnative, C_27_WithoutABurstCapacityRequestsGoPastTheActivator) {
  auto x = knative({{"target-burst-capacity", "0"}, {"min-scale", "2"}, {"max-scale", "2"}});
  make_knative(x, 1);
  live(4s);
  for (std::uint64_t i = 0; i < 4; ++i)
    EXPECT_EQ(request(i), (lines{"dispatch " + std::to_string(i % 2) + " #" + std::to_string(i)}))
      << "whatever the pods have already: they count for themselves";
  down(0);
  EXPECT_THAT(down(1), testing::Contains("path activator")) << "nobody else is there";
  EXPECT_EQ(request(9), (lines{"queue 1"}));
}

TEST_F(RevisionKnative, C_27_TheActivatorLeavesThePathWhenABurstFits) {
  // Three pods hold 300; 211 for a burst leave 89.
  make_knative(knative({{"min-scale", "3"}}));
  EXPECT_THAT(out_.written, IsEmpty());
  live(10s);
  ask(1, 89);
  EXPECT_THAT(live(10s), IsEmpty());
  ask(90, 91);
  EXPECT_THAT(live(10s), ElementsAre("22s path activator"));
  answer(1, 50);
  EXPECT_THAT(live(20s), ElementsAre("32s path pods"));
}

TEST_F(RevisionKnative, C_10_WithTheActivatorAlwaysInThePathItAloneTellsTheLoad) {
  make_knative(knative({{"target-burst-capacity", "-1"}, {"target", "10"}}));
  live(10s);
  ask(1, 20);
  const auto decided = live(20s);
  EXPECT_EQ(decided.back().substr(decided.back().find("decided")),
            "decided knative_kpa 1->3 PANIC");
  answer(1, 20);
  EXPECT_FALSE(live(5min).empty());
  EXPECT_EQ(subject_->count().members(), 0u) << "no data is a load of 0";
}

TEST_F(RevisionKnative, StartsItsInitialScaleWhenItIsDeployedWithTheRun) {
  auto x = knative({{"initial-scale", "3"}});
  x.deployed_at_start = true;
  make_knative(x);
  EXPECT_THAT(live(100ms), ElementsAre("100ms decided knative_kpa 0->3 INITIAL"));
  live(2s);
  EXPECT_EQ(subject_->count().ready, 3u);
  // Three fit a burst beside them, one does not; it is active for a window first.
  EXPECT_THAT(live(5min), ElementsAre("4s decided knative_kpa 3->1 STABLE", "6s path activator",
                                      "65s decided knative_kpa 1->0 ZERO"));
  EXPECT_EQ(subject_->count().members(), 0u);
}

TEST_F(RevisionKnative, ADrainingPodFinishesWhatItHasAndGetsNoMore) {
  auto x = knative({{"target", "10"}, {"target-burst-capacity", "0"}, {"initial-scale", "3"}});
  x.deployed_at_start = true;
  make_knative(x);
  live(2500ms);
  ask(1, 3);
  ASSERT_EQ(out_.tickets.at(3).instance, 2u);
  answer(1, 2);
  EXPECT_THAT(live(10s), ElementsAre("4s decided knative_kpa 3->1 STABLE"));
  EXPECT_EQ(subject_->state(1), instance_state::stopped) << "it had nothing to finish";
  EXPECT_EQ(subject_->state(2), instance_state::draining);
  ask(4, 9);
  for (std::uint64_t i = 4; i <= 9; ++i)
    EXPECT_EQ(out_.tickets.at(i).instance, 0u);
  EXPECT_THAT(respond(3), ElementsAre("answer #3 ok", testing::HasSubstr("drained"), "stop 2"));
}

} // namespace
} // namespace spillover
