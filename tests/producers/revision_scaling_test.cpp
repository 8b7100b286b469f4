#include "tests/producers/revision_world.hpp"

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::lines;

class RevisionScaling : public test::revision_test {
protected:
  /// Three instances with a request each, of which one is enough: 2 drains after the window, with
  /// request 3 on it.
  void drain_with_a_request(const revision_config& config) {
    make(config, 3);
    EXPECT_EQ(requests(1, 3), (lines{"dispatch 0 #1", "dispatch 1 #2", "dispatch 2 #3"}));
    EXPECT_EQ(pass(5s), (lines{"decided cloud_run 3->1 CONCURRENCY",
                               "changed 2 ready->deprioritised more than recommended",
                               "changed 1 ready->deprioritised more than recommended"}));
    EXPECT_EQ(pass(55s - 1ns), lines{});
    EXPECT_EQ(pass(1ns), (lines{"changed 2 deprioritised->draining low utilisation"}));
  }
};

TEST_F(RevisionScaling, A_24_ADeprioritisedInstanceServesOnlyWhenAllReadyOnesAreFull) {
  make(scaling(1, 5, 2), 2);
  EXPECT_EQ(pass(5s), (lines{"decided cloud_run 2->1 MIN",
                             "changed 1 ready->deprioritised more than recommended"}));
  EXPECT_EQ(requests(1, 5),
            (lines{"dispatch 0 #1", "dispatch 0 #2", "dispatch 1 #3", "dispatch 1 #4", "queue 1"}));
  EXPECT_EQ(respond(1), (lines{"answer #1 ok", "dispatch 0 #5", "queue 0"}));
  respond(3);
  respond(4);
  respond(2);
  EXPECT_EQ(requests(6, 7), (lines{"dispatch 0 #6", "dispatch 1 #7"}));
}

TEST_F(RevisionScaling, OnDemandRecommendsAllMembersThenAndOneMore) {
  auto config = scaling(1, 5, 2);
  config.instance.service_time = constant_distribution{60s};
  make(config, 2);
  EXPECT_EQ(pass(5s).front(), "decided cloud_run 2->1 MIN");
  EXPECT_EQ(requests(1, 5),
            (lines{"dispatch 0 #1", "dispatch 0 #2", "dispatch 1 #3", "dispatch 1 #4",
                   "decided cloud_run 1->3 ON_DEMAND", "changed 2 stopped->starting started",
                   "start 2", "changed 1 deprioritised->ready needed again", "queue 1"}));
  EXPECT_EQ(subject_->count().members(), 3u);
  pass(1s);
  EXPECT_EQ(sample_.recommended, 3u);
}

TEST_F(RevisionScaling, A_10_DecidesAtTheMultiplesOfTheEvaluationPeriod) {
  for (const auto period : {1s, 5s, 7s}) {
    SCOPED_TRACE(period.count());
    make(basic(10, cloud_run_config{.min_instances = 2, .evaluation = period}), 2);
    requests(1, 20);
    EXPECT_EQ(pass(period - 1ns), lines{});
    // 20 in flight are 3.3 times 6.
    EXPECT_EQ(pass(1ns),
              (lines{"decided cloud_run 2->4 CONCURRENCY", "changed 2 stopped->starting started",
                     "start 2", "changed 3 stopped->starting started", "start 3"}));
    EXPECT_EQ(pass(3 * period), lines{});
    for (std::uint64_t i = 1; i <= 15; ++i)
      respond(i);
    EXPECT_EQ(pass(period - 1ns), lines{});
  }
}

TEST_F(RevisionScaling, A_5_SumsUpTheCpuTimeThatInstancesTold) {
  make(scaling(1, 10, 10), 2);
  for (int second = 0; second < 5; ++second) {
    subject_->on_usage(0, 900ms);
    subject_->on_usage(1, 700ms);
    const auto written = pass(1s);
    EXPECT_EQ(sample_.cpu_milli, 1600u);
    // 1.6 vCPU of 0.6 each
    EXPECT_EQ(written, second < 4 ? lines{}
                                  : (lines{"decided cloud_run 2->3 CPU",
                                           "changed 2 stopped->starting started", "start 2"}));
  }
}

TEST_F(RevisionScaling, KeepsBetweenMinimumAndMaximum) {
  make(scaling(2, 3, 1, 0.6), 2);
  requests(1, 2); // they want 3.3 instances
  EXPECT_EQ(pass(5s), (lines{"decided cloud_run 2->3 MAX", "changed 2 stopped->starting started",
                             "start 2"}));
  EXPECT_EQ(ready(2), (lines{"changed 2 starting->ready started"}));
  request(3);
  EXPECT_EQ(pass(60s), lines{});
  for (std::uint64_t i = 1; i <= 3; ++i)
    respond(i);
  EXPECT_EQ(pass(600s), (lines{"decided cloud_run 3->2 CONCURRENCY",
                               "changed 2 ready->deprioritised more than recommended",
                               "changed 2 deprioritised->draining low utilisation",
                               "changed 2 draining->stopped drained", "stop 2"}));
  EXPECT_EQ(subject_->count().members(), 2u);
  EXPECT_EQ(pass(1h), lines{});
}

TEST_F(RevisionScaling, A_30_ScalesToZeroOnceTheLastInstanceHasNoRequest) {
  make(scaling(0, 3, 20), 1);
  request(1);
  EXPECT_EQ(pass(300s - 1ns), lines{});
  respond(1);
  // The mean over 600 s is above 0 for a long time; by then only this one leads to 0.
  const auto written = pass(901s);
  EXPECT_EQ(written, (lines{"decided cloud_run 1->0 CPU",
                            "changed 0 ready->deprioritised more than recommended",
                            "changed 0 deprioritised->draining low utilisation",
                            "changed 0 draining->stopped drained", "stop 0"}));
  EXPECT_TRUE(subject_->present().empty());
  EXPECT_EQ(request(2), (lines{"decided cloud_run 0->1 ON_DEMAND",
                               "changed 1 stopped->starting started", "start 1", "queue 1"}));
}

TEST_F(RevisionScaling, A_25_GroupOneLeavesAfterTheWindowAndGroupTwoAfterTheIdleTimeout) {
  make(scaling(1, 10, 10), 3);
  EXPECT_EQ(pass(5s), (lines{"decided cloud_run 3->1 MIN",
                             "changed 2 ready->deprioritised more than recommended",
                             "changed 1 ready->deprioritised more than recommended"}));
  EXPECT_EQ(pass(55s - 1ns), lines{});
  EXPECT_EQ(pass(1ns), (lines{"changed 2 deprioritised->draining low utilisation",
                              "changed 2 draining->stopped drained", "stop 2"}));
  EXPECT_EQ(pass(840s - 1ns), lines{});
  EXPECT_EQ(pass(1ns), (lines{"changed 1 deprioritised->draining idle timeout",
                              "changed 1 draining->stopped drained", "stop 1"}));
  EXPECT_EQ(subject_->present(), (std::vector<std::uint32_t>{0}));
}

TEST_F(RevisionScaling, ADrainingInstanceFinishesWhatItHasAndTakesNothingNew) {
  drain_with_a_request(scaling(0, 5, 20));
  EXPECT_EQ(requests(4, 41).size(), 38u);
  for (std::uint64_t i = 4; i <= 41; ++i)
    EXPECT_NE(out_.tickets.at(i).instance, 2u);
  EXPECT_EQ(respond(3), (lines{"answer #3 ok", "changed 2 draining->stopped drained", "stop 2"}));
  EXPECT_EQ(subject_->requests().open(), 40u);
}

TEST_F(RevisionScaling, A_55_StopsADrainingInstanceAfterTheDeadlineOrTheRequestTimeout) {
  struct {
    const char* why;
    duration deadline;
    duration timeout;
    duration left; // from the requests' ends to the instance's
  } const cases[] = {
    {"the deadline is longer", 100s, 70s, 90s},
    {"the timeout is longer", 30s, 70s, 60s},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto config = scaling(0, 5, 20);
    config.scale_in.drain_deadline = x.deadline;
    config.request_timeout = x.timeout;
    drain_with_a_request(config);
    EXPECT_EQ(pass(10s), (lines{"answer #1 gateway_timeout", "answer #2 gateway_timeout",
                                "answer #3 gateway_timeout"}));
    EXPECT_EQ(pass(x.left - 1ns), lines{});
    // What it holds was answered, and is not again.
    EXPECT_EQ(pass(1ns), (lines{"changed 2 draining->stopped drain deadline", "stop 2"}));
    EXPECT_EQ(subject_->requests().open(), 0u);
    EXPECT_EQ(respond(3), lines{});
    EXPECT_EQ(subject_->requests().late, 1u);
  }
}

TEST_F(RevisionScaling, A_55_TheDrainDeadlineFailsWhatIsHeld) {
  auto config = scaling(1, 2, 2);
  config.scale_in.drain_deadline = 30s;
  config.request_timeout = 30s;
  make(config, 2);
  EXPECT_EQ(pass(5s).front(), "decided cloud_run 2->1 MIN");
  EXPECT_EQ(pass(55s - 1ns), lines{});
  // Requests come just before the second ends, so that both time limits end together.
  now_ += 1ns;
  EXPECT_EQ(requests(1, 3), (lines{"dispatch 0 #1", "dispatch 0 #2", "dispatch 1 #3"}));
  end_second();
  EXPECT_EQ(take(), (lines{"changed 1 deprioritised->draining low utilisation"}));
  EXPECT_EQ(pass(30s - 1ns), lines{});
  now_ += 1ns;
  end_second();
  EXPECT_EQ(take(), (lines{"changed 1 draining->stopped drain deadline", "stop 1",
                           "answer #3 bad_gateway"}));
  EXPECT_EQ(respond(3), lines{});
  EXPECT_EQ(subject_->requests().late, 1u);
  EXPECT_EQ(subject_->requests().open(), 2u);
  EXPECT_EQ(pass(0s), (lines{"answer #1 gateway_timeout", "answer #2 gateway_timeout"}));
  EXPECT_EQ(subject_->requests().open(), 0u);
}

TEST_F(RevisionScaling, ADrainingInstanceThatCrashesIsGone) {
  drain_with_a_request(scaling(0, 5, 20));
  EXPECT_EQ(down(2),
            (lines{"changed 2 draining->stopped crashed while draining", "answer #3 bad_gateway"}));
  EXPECT_EQ(subject_->present(), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(restart(2), lines{});
  EXPECT_EQ(down(2), lines{});
  EXPECT_EQ(respond(3), lines{});
}

TEST_F(RevisionScaling, AnInstanceThatIsNoLongerNeededWhenItIsReadyIsDeprioritised) {
  make(scaling(0, 5, 2), 0);
  requests(1, 3);
  pass(2s);
  ready(0);
  EXPECT_EQ(respond(1), (lines{"answer #1 ok", "dispatch 0 #3", "queue 0"}));
  respond(2);
  EXPECT_EQ(pass(3s), (lines{"decided cloud_run 2->1 CONCURRENCY"}));
  EXPECT_EQ(ready(1), (lines{"changed 1 starting->deprioritised started, but not needed"}));
}

TEST_F(RevisionScaling, TellsTheNumbersOfASecond) {
  make(fixed_at(2, 1), 2);
  requests(1, 4);
  pass(250ms);
  respond(1);
  pass(250ms);
  respond(2, outcome::unavailable);
  respond(3);
  subject_->on_usage(0, 30ms);
  subject_->on_usage(1, 12ms);
  pass(500ms);
  EXPECT_EQ(sample_.arrivals, 4u);
  EXPECT_EQ(sample_.completions, 3u);
  EXPECT_EQ(sample_.failures, 1u);
  EXPECT_EQ(sample_.queue, 0u);
  EXPECT_EQ(sample_.queue_peak, 2u);
  // 0 had one for 0.5 s, 1 for the whole second.
  EXPECT_EQ(sample_.concurrency_milli, 1500u);
  EXPECT_EQ(sample_.cpu_milli, 42u);
  EXPECT_EQ(sample_.recommended, 2u);
  EXPECT_EQ(sample_.ready, 2u);
  pass(1s);
  EXPECT_EQ(sample_.arrivals, 0u);
  EXPECT_EQ(sample_.queue_peak, 0u);
  EXPECT_EQ(sample_.concurrency_milli, 1000u);
  EXPECT_EQ(sample_.cpu_milli, 0u);
}

TEST_F(RevisionScaling, AQueueThatOnlyDrainsInASecondHasItsPeakAtTheBegin) {
  make(fixed_at(1, 1), 1);
  requests(1, 3);
  pass(1s);
  EXPECT_EQ(sample_.queue, 2u);
  respond(1);
  respond(2);
  pass(1s);
  EXPECT_EQ(sample_.queue, 0u);
  EXPECT_EQ(sample_.queue_peak, 2u);
}

TEST_F(RevisionScaling, A_7_TheConcurrencyOfASecondIncludesInstancesThatEndedInIt) {
  struct {
    const char* why;
    bool restarted;
  } const cases[] = {{"crashed", false}, {"crashed and restarted at once", true}};
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    make(fixed_at(1, 1), 1);
    request(1);
    pass(750ms);
    down(0);
    if (x.restarted)
      restart(0);
    pass(250ms);
    EXPECT_EQ(sample_.concurrency_milli, 750u);
  }
}

TEST_F(RevisionScaling, A_7_TheConcurrencyOfASecondIncludesADrainedInstance) {
  drain_with_a_request(scaling(0, 5, 20));
  pass(750ms);
  EXPECT_EQ(respond(3).back(), "stop 2");
  pass(250ms);
  EXPECT_EQ(sample_.concurrency_milli, 2750u);
}

} // namespace
} // namespace spillover
