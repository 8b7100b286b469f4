#include "tests/producers/revision_world.hpp"

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::lines;

/// A revision whose instances take 4 requests at a time, as long as their CPU bears it.
class RevisionTuning : public test::revision_test {
protected:
  void make_tuned(bool tuned, std::uint32_t instances) {
    auto config = scaling(instances, instances, 4);
    std::get<cloud_run_config>(config.autoscaling).adaptive_concurrency = tuned;
    make(config, instances);
  }

  /// A second in which instance 0 uses so much of its vCPU.
  lines second(duration cpu) {
    subject_->on_usage(0, cpu);
    return pass(1s);
  }
};

TEST_F(RevisionTuning, A_42_ABusyCpuLowersTheLimitAndWhatRunsGoesOn) {
  for (const auto tuned : {true, false}) {
    SCOPED_TRACE(tuned);
    make_tuned(tuned, 1);
    requests(1, 4);
    second(950ms);
    second(950ms);
    EXPECT_EQ(respond(1), (lines{"answer #1 ok"}));
    EXPECT_EQ(respond(2), (lines{"answer #2 ok"})) << "two are left, as many as the limit";
    EXPECT_EQ(request(5), tuned ? (lines{"queue 1"}) : (lines{"dispatch 0 #5"}));
    if (tuned) {
      EXPECT_EQ(respond(3), (lines{"answer #3 ok", "dispatch 0 #5", "queue 0"}));
    }
  }
}

TEST_F(RevisionTuning, A_43_ALimitThatWasReachedRisesAgainAndLetsTheNextOneIn) {
  make_tuned(true, 1);
  requests(1, 4);
  second(950ms);
  second(950ms);
  respond(1);
  respond(2);
  EXPECT_EQ(request(5), (lines{"queue 1"}));
  EXPECT_EQ(second(600ms), (lines{"dispatch 0 #5", "queue 0"})) << "3 are allowed now";
  respond(3);
  second(600ms);
  second(600ms);
  EXPECT_EQ(requests(6, 9), (lines{"dispatch 0 #6", "dispatch 0 #7", "queue 1"}))
    << "it was reached in one of the two seconds only: 4 are allowed, not more";
}

TEST_F(RevisionTuning, A_45_ANewProcessBeginsAtTheCeiling) {
  make_tuned(true, 1);
  requests(1, 4);
  second(950ms);
  second(950ms);
  down(0);
  restart(0);
  ready(0);
  EXPECT_EQ(requests(5, 8),
            (lines{"dispatch 0 #5", "dispatch 0 #6", "dispatch 0 #7", "dispatch 0 #8"}));
}

} // namespace
} // namespace spillover
