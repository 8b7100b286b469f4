#include "tests/producers/revision_world.hpp"

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::lines;

class Revision : public test::revision_test {};

TEST_F(Revision, BeginsWithInstancesThatServe) {
  subject_.emplace(fixed_at(2, 1), pool_);
  subject_->begin(run_start, 2, out_);
  EXPECT_EQ(
    take(),
    (lines{"changed 0 stopped->starting started", "start 0", "changed 0 starting->ready started",
           "changed 1 stopped->starting started", "start 1", "changed 1 starting->ready started"}));
  EXPECT_EQ(subject_->present(), (std::vector<std::uint32_t>{0, 1}));
}

TEST_F(Revision, A_48_GivesARequestToTheLeastBusyAndOfEqualOnesToTheOldest) {
  make(fixed_at(3, 2), 3);
  EXPECT_EQ(requests(1, 5), (lines{"dispatch 0 #1", "dispatch 1 #2", "dispatch 2 #3",
                                   "dispatch 0 #4", "dispatch 1 #5"}));
  EXPECT_EQ(respond(2), (lines{"answer #2 ok"}));
  EXPECT_EQ(request(6), (lines{"dispatch 1 #6"}));
  EXPECT_EQ(respond(1), (lines{"answer #1 ok"}));
  EXPECT_EQ(respond(4, outcome::unavailable), (lines{"answer #4 unavailable"}));
  EXPECT_EQ(requests(7, 9), (lines{"dispatch 0 #7", "dispatch 0 #8", "dispatch 2 #9"}));
}

TEST_F(Revision, A_39_QueuesInTheOrderOfArrival) {
  make(fixed_at(1, 2), 1);
  EXPECT_EQ(requests(1, 5), (lines{"dispatch 0 #1", "dispatch 0 #2", "queue 1"}));
  EXPECT_EQ(respond(1), (lines{"answer #1 ok", "dispatch 0 #3"}));
  EXPECT_EQ(respond(3), (lines{"answer #3 ok", "dispatch 0 #4"}));
  EXPECT_EQ(respond(2), (lines{"answer #2 ok", "dispatch 0 #5", "queue 0"}));
  EXPECT_EQ(subject_->requests().open(), 2u);
}

TEST_F(Revision, A_33_StartsOnDemandFromZeroAndOneInstanceIsEnoughForItsConcurrency) {
  make(scaling(0, 3, 2), 0);
  EXPECT_EQ(request(1), (lines{"decided cloud_run 0->1 ON_DEMAND",
                               "changed 0 stopped->starting started", "start 0", "queue 1"}));
  EXPECT_EQ(request(2), lines{});
  EXPECT_EQ(request(3), (lines{"decided cloud_run 1->2 ON_DEMAND",
                               "changed 1 stopped->starting started", "start 1"}));
  EXPECT_EQ(request(4), lines{});
  now_ += 2s;
  EXPECT_EQ(ready(0),
            (lines{"changed 0 starting->ready started", "dispatch 0 #1", "dispatch 0 #2"}));
  EXPECT_EQ(ready(1), (lines{"changed 1 starting->ready started", "dispatch 1 #3", "dispatch 1 #4",
                             "queue 0"}));
}

TEST_F(Revision, A_34_TellsWhatADecisionOnDemandCompared) {
  auto config = scaling(0, 3, 1);
  config.instance.service_time = constant_distribution{10s};
  make(config, 1);
  request(1);
  request(2);
  using inputs = std::vector<std::pair<std::string, std::int64_t>>;
  EXPECT_EQ(out_.inputs, (inputs{{"members", 1},
                                 {"max", 3},
                                 {"queue", 0},
                                 {"wait_coming_ms", -1},
                                 {"wait_existing_ms", 10'000},
                                 {"cold_start_ms", 2'000},
                                 {"overdue", 0}}));
}

TEST_F(Revision, A_34_WaitsForAnExistingInstanceWhileThatIsNoLongerThanAColdStart) {
  auto config = scaling(0, 4, 2);
  config.instance.service_time = constant_distribution{2s};
  make(config, 1);
  EXPECT_EQ(requests(1, 2), (lines{"dispatch 0 #1", "dispatch 0 #2"}));
  // Two in flight of 2 s each free a slot every second.
  EXPECT_EQ(request(3), (lines{"queue 1"}));
  EXPECT_EQ(request(4), lines{});
  EXPECT_EQ(request(5), (lines{"decided cloud_run 1->2 ON_DEMAND",
                               "changed 1 stopped->starting started", "start 1"}));
  // The new one has a slot left, and comes sooner than the third slot of the existing one.
  EXPECT_EQ(request(6), lines{});
  EXPECT_EQ(request(7), (lines{"decided cloud_run 2->3 ON_DEMAND",
                               "changed 2 stopped->starting started", "start 2"}));
}

TEST_F(Revision, A_34_ReservesOnTheInstanceThatComesFirst) {
  make(scaling(0, 4, 2), 0);
  requests(1, 3);
  now_ += 500ms;
  // 0 is full; 1 has a slot. Then a third is started half a second later.
  EXPECT_EQ(request(4), lines{});
  EXPECT_EQ(request(5), (lines{"decided cloud_run 2->3 ON_DEMAND",
                               "changed 2 stopped->starting started", "start 2"}));
  // 1 fails; nobody counts on it any more, so that the next but one needs another.
  EXPECT_EQ(down(1), (lines{"changed 1 starting->crashed crashed"}));
  EXPECT_EQ(request(6), lines{});
  EXPECT_EQ(request(7), (lines{"decided cloud_run 3->4 ON_DEMAND",
                               "changed 3 stopped->starting started", "start 3"}));
  // Once it starts again it has both slots, but comes after the others.
  now_ += 100ms;
  EXPECT_EQ(restart(1), (lines{"changed 1 crashed->starting restarted", "start 1"}));
  EXPECT_EQ(requests(8, 10), lines{});
}

TEST_F(Revision, A_36_FailsWith429AtTheMaximumExactlyAtThePendingLimit) {
  struct {
    const char* why;
    duration cold_start;
    duration limit;
  } const cases[] = {
    {"10 s is more than three and a half times 2 s", 2s, 10s},
    {"three and a half times 4 s", 4s, 14s},
    {"just above the break-even", 2'857'142'858ns, 10'000'000'003ns},
  };
  for (const auto& x : cases) {
    for (const auto& with : {scaling(0, 1, 1), fixed_at(1, 1)}) {
      SCOPED_TRACE(x.why);
      auto config = with;
      config.instance.cold_start = constant_distribution{x.cold_start};
      make(config, 1);
      EXPECT_EQ(requests(1, 2), (lines{"dispatch 0 #1", "queue 1"}));
      EXPECT_EQ(pass(x.limit / 2), lines{});
      EXPECT_EQ(request(3), lines{});
      EXPECT_EQ(pass(x.limit - x.limit / 2 - 1ns), lines{});
      EXPECT_EQ(pass(1ns), (lines{"answer #2 too_many_requests"}));
      EXPECT_EQ(pass(x.limit / 2 - 1ns), lines{});
      EXPECT_EQ(pass(1ns), (lines{"answer #3 too_many_requests", "queue 0"}));
      EXPECT_EQ(subject_->requests().open(), 1u);
    }
  }
}

TEST_F(Revision, A_35_TheLimitFollowsTheColdStartsSeen) {
  make(scaling(0, 1, 1), 0);
  request(1);
  now_ += 8s;
  EXPECT_EQ(ready(0), (lines{"changed 0 starting->ready started", "dispatch 0 #1", "queue 0"}));
  request(2);
  EXPECT_EQ(subject_->next_deadline(), run_start + 8s + 28s);
}

TEST_F(Revision, A_36_BelowTheMaximumTheLimitStartsAnInstanceAndTheSecondLimitFailsWith500) {
  make(scaling(0, 3, 2), 1);
  EXPECT_EQ(requests(1, 4), (lines{"dispatch 0 #1", "dispatch 0 #2", "queue 1"}));
  EXPECT_EQ(pass(10s - 1ns), lines{});
  // The second one that is overdue counts on the instance that the first one started.
  EXPECT_EQ(pass(1ns), (lines{"decided cloud_run 1->2 ON_DEMAND",
                              "changed 1 stopped->starting started", "start 1"}));
  EXPECT_EQ(out_.inputs.back(), (std::pair<std::string, std::int64_t>{"overdue", 1}));
  EXPECT_EQ(pass(10s - 1ns), lines{});
  EXPECT_EQ(pass(1ns), (lines{"answer #3 internal_error", "answer #4 internal_error", "queue 0"}));
  EXPECT_EQ(ended(outcome::internal_error), 2u);
}

TEST_F(Revision, A_36_AnOverdueRequestIsServedWhenItsInstanceComes) {
  make(scaling(0, 3, 2), 1);
  requests(1, 3);
  EXPECT_EQ(pass(12s).size(), 3u);
  EXPECT_EQ(ready(1), (lines{"changed 1 starting->ready started", "dispatch 1 #3", "queue 0"}));
  EXPECT_EQ(pass(10s), lines{});
}

TEST_F(Revision, A_36_AtTheMaximumAnInstanceThatStillStartsDoesNotMoveTheLimit) {
  make(scaling(0, 1, 2), 0);
  pass(1s);
  EXPECT_EQ(request(1).back(), "queue 1");
  EXPECT_EQ(pass(10s - 1ns), lines{});
  EXPECT_EQ(pass(1ns), (lines{"answer #1 too_many_requests", "queue 0"}));
}

TEST_F(Revision, A_67_EndsWith504AtTheRequestTimeoutWhereverTheRequestIs) {
  auto config = fixed_at(1, 1);
  config.request_timeout = 3s;
  make(config, 1);
  EXPECT_EQ(request(1), (lines{"dispatch 0 #1"}));
  pass(1s);
  EXPECT_EQ(request(2), (lines{"queue 1"}));
  EXPECT_EQ(pass(2s - 1ns), lines{});
  EXPECT_EQ(pass(1ns), (lines{"answer #1 gateway_timeout"}));
  EXPECT_EQ(pass(1s - 1ns), lines{});
  EXPECT_EQ(pass(1ns), (lines{"answer #2 gateway_timeout", "queue 0"}));
  EXPECT_EQ(subject_->requests().open(), 0u);
  // The instance goes on: its slot stays taken until it ends, which is not answered again.
  EXPECT_EQ(request(3), (lines{"queue 1"}));
  EXPECT_EQ(respond(1), (lines{"dispatch 0 #3", "queue 0"}));
  EXPECT_EQ(subject_->requests().late, 0u);
  EXPECT_EQ(respond(1), lines{});
  EXPECT_EQ(subject_->requests().late, 1u);
  EXPECT_EQ(respond(3), (lines{"answer #3 ok"}));
  EXPECT_EQ(subject_->next_deadline(), never);
}

TEST_F(Revision, A_67_TheTimeoutIncludesTheColdStart) {
  auto config = scaling(0, 1, 1);
  config.request_timeout = 3s;
  make(config, 0);
  request(1);
  EXPECT_EQ(pass(2s), lines{});
  EXPECT_EQ(ready(0), (lines{"changed 0 starting->ready started", "dispatch 0 #1", "queue 0"}));
  EXPECT_EQ(pass(1s - 1ns), lines{});
  EXPECT_EQ(pass(1ns), (lines{"answer #1 gateway_timeout"}));
}

TEST_F(Revision, FailsWhatACrashedInstanceHeldAndServesAgainAfterTheRestart) {
  make(fixed_at(2, 2), 2);
  requests(1, 5);
  EXPECT_EQ(down(0), (lines{"changed 0 ready->crashed crashed", "answer #1 bad_gateway",
                            "answer #3 bad_gateway"}));
  EXPECT_EQ(down(0), lines{});
  EXPECT_EQ(ready(0), lines{});
  // Its keys are used again; what comes late is for nobody.
  EXPECT_EQ(requests(6, 7), lines{});
  EXPECT_EQ(respond(1), lines{});
  EXPECT_EQ(respond(3), lines{});
  EXPECT_EQ(subject_->requests().late, 2u);
  EXPECT_EQ(subject_->requests().open(), 5u);
  EXPECT_EQ(restart(0), (lines{"changed 0 crashed->starting restarted", "start 0"}));
  EXPECT_EQ(restart(0), lines{});
  EXPECT_EQ(ready(0),
            (lines{"changed 0 starting->ready started", "dispatch 0 #5", "dispatch 0 #6"}));
  EXPECT_EQ(respond(2), (lines{"answer #2 ok", "dispatch 1 #7", "queue 0"}));
}

TEST_F(Revision, ACrashSettlesOnlyWhatWasNotAnsweredYet) {
  auto config = fixed_at(1, 2);
  config.request_timeout = 3s;
  make(config, 1);
  request(1);
  pass(1s);
  request(2);
  EXPECT_EQ(pass(2s), (lines{"answer #1 gateway_timeout"}));
  EXPECT_EQ(down(0), (lines{"changed 0 ready->crashed crashed", "answer #2 bad_gateway"}));
  EXPECT_EQ(subject_->requests().open(), 0u);
  EXPECT_EQ(respond(1), lines{});
  EXPECT_EQ(pass(10s), lines{});
}

TEST_F(Revision, ARequestThatASilentInstanceDroppedIsOffTheBooks) {
  make(fixed_at(1, 1), 1);
  requests(1, 2);
  EXPECT_EQ(respond(1, outcome::lost), (lines{"answer #1 lost", "dispatch 0 #2", "queue 0"}));
  EXPECT_EQ(ended(outcome::lost), 1u);
  EXPECT_EQ(subject_->requests().open(), 1u);
}

} // namespace
} // namespace spillover
