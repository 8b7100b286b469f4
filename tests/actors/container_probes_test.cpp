#include "report/event_log.hpp"
#include "report/verdict.hpp"
#include "tests/support/small_world.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::instances_become;
using test::small_world;
using test::whole_run;

constexpr auto web = "near/shop/web";

/// The small world with instances of near so made.
scenario with(const instance_config& made, std::vector<fault> faults, std::uint32_t instances = 4) {
  auto x = small_world(instances);
  auto& own = x.published_services[0].backend_services[0].instance;
  const auto plain = own;
  own = made;
  own.service_time = plain.service_time;
  if (made.cpu_per_request == 0s)
    own.cpu_per_request = plain.cpu_per_request;
  x.consumers[0].load_balancer.timeout = 5s;
  x.faults = std::move(faults);
  return x;
}

template <class T>
struct entry {
  const event* whole;
  T what;
};

template <class T>
std::vector<entry<T>> all(const event_log& log, const std::string& under) {
  std::vector<entry<T>> result;
  for (const auto& x : log.events())
    if (const auto* what = std::get_if<T>(&x.what); what && x.entity.starts_with(under))
      result.push_back({&x, *what});
  return result;
}

/// @returns what happened to instances from `from` on: "second instance before->after reason #process".
std::vector<std::string> changes(const event_log& log, instant from,
                                 const std::string& under = web) {
  std::vector<std::string> result;
  for (const auto& x : all<instance_changed>(log, under))
    if (x.whole->at >= from)
      result.push_back(to_string(x.whole->at - run_start)
                         .append(" ")
                         .append(x.whole->entity.substr(x.whole->entity.rfind('/') + 1))
                         .append(" ")
                         .append(to_string(x.what.before))
                         .append("->")
                         .append(to_string(x.what.after))
                         .append(" ")
                         .append(x.what.reason)
                         .append(" #")
                         .append(std::to_string(x.what.incarnation)));
  return result;
}

/// @returns when instances began to start again.
std::vector<duration> restarts(const event_log& log, const std::string& under) {
  std::vector<duration> result;
  for (const auto& x : all<instance_changed>(log, under))
    if (x.what.before == instance_state::crashed && x.what.after == instance_state::starting)
      result.push_back(x.whole->at - run_start);
  return result;
}

/// @returns requests that ended so at the revision of near.
std::uint64_t ended(const event_log& log, outcome how) {
  for (const auto& x : all<books_closed>(log, web))
    if (x.what.account == "revision")
      return x.what.ended[static_cast<std::size_t>(how)];
  return 0;
}

/// @returns requests of the clients that were not answered `ok`, in seconds that end within.
std::uint64_t failures(const event_log& log, duration from, duration to) {
  std::uint64_t result = 0;
  for (const auto& x : all<client_sample>(log, "clients"))
    if (x.whole->at > run_start + from && x.whole->at <= run_start + to)
      for (std::size_t how = 1; how < outcome_count; ++how)
        result += x.what.ended[how];
  return result;
}

void expect_sound(const whole_run& run) {
  EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
  EXPECT_EQ(run.ended().casualties(), std::vector<std::string>{});
}

bool follows_from_a_fault(const event_log& log, const event& x) {
  for (const auto* y = &x; y != nullptr; y = log.find(y->cause))
    if (std::holds_alternative<fault_started>(y->what))
      return true;
  return false;
}

const fault silence = {run_start + 20'500ms, std::nullopt,
                       instance_fault{.of = web, .suffer = {}, .count = 1}};

TEST(ContainerProbesWorld, A_41_ASilentInstanceIsRestartedAndItsRequestsEndWith503) {
  const whole_run run{with({.liveness_probe = liveness_probe_config{}}, {silence})};
  expect_sound(run);
  // Probes of 30, 40 and 50 s fail when their timeout of 1 s is over.
  const auto seen = changes(run.log(), run_start + 1s);
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].substr(0, 4), "51s ");
  EXPECT_EQ(seen[0].substr(5), " ready->crashed liveness probe failed #1");
  EXPECT_EQ(seen[1].substr(5), " crashed->starting restarted #2");
  EXPECT_EQ(seen[2].substr(0, 4), "53s ");
  EXPECT_EQ(seen[2].substr(5), " starting->ready started #2");
  for (const auto& x : all<instance_changed>(run.log(), web))
    if (x.what.after == instance_state::crashed) {
      EXPECT_TRUE(follows_from_a_fault(run.log(), *x.whole));
    }
  // As long as it answers nothing it keeps what it has, and others have less in flight.
  EXPECT_GT(ended(run.log(), outcome::unavailable), 0u);
  EXPECT_EQ(failures(run.log(), 57s, 120s), 0u) << "the new process is well";
}

TEST(ContainerProbesWorld, WithoutProbesASilentInstanceStays) {
  const whole_run run{with({}, {silence})};
  expect_sound(run);
  EXPECT_EQ(changes(run.log(), run_start + 1s), std::vector<std::string>{});
  EXPECT_EQ(ended(run.log(), outcome::unavailable), 0u);
}

// A zone that stays silent makes every process ill that starts in it.
TEST(ContainerProbesWorld, A_63_RestartsInARowWaitLongerAndLonger) {
  const liveness_probe_config quick{.period = 1s, .timeout = 1s, .failure_threshold = 1};
  struct {
    const char* why = "";
    restart_backoff_config backoff = {};
    std::vector<duration> expected = {};
  } const cases[] = {
    // A probe begins at once when the start of 2 s is over, and fails 1 s later.
    {"at once, then 10 s, 20 s, 40 s later", {}, {22s, 35s, 58s, 101s}},
    {"at most 10 s", {.max = 10s}, {22s, 35s, 48s, 61s, 74s, 87s, 100s, 113s}},
    {"each a row of its own",
     {.reset_after = 1s},
     {22s, 25s, 28s, 31s, 34s, 37s, 40s, 43s, 46s, 49s,  52s,  55s,  58s,  61s,  64s,  67s, 70s,
      73s, 76s, 79s, 82s, 85s, 88s, 91s, 94s, 97s, 100s, 103s, 106s, 109s, 112s, 115s, 118s}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    auto x = with({.liveness_probe = quick, .restart_backoff = c.backoff},
                  {{run_start + 20'500ms, std::nullopt, zone_fault{"near", "a"}}});
    x.published_services[0].backend_services[0].zones = 1;
    const whole_run run{x};
    expect_sound(run);
    EXPECT_EQ(restarts(run.log(), "near/shop/web/0"), c.expected);
  }
}

// What answers at once, be it with an error, has the least in flight, and gets every request.
TEST(ContainerProbesWorld, A_63_OneThatIsNotReadyGetsNoNewRequests) {
  const readiness_probe_config probe{
    .period = 2s, .timeout = 1s, .failure_threshold = 2, .success_threshold = 2};
  const fault failing{
    run_start + 20'500ms, 30s,
    instance_fault{.of = web, .suffer = {.become = ailment::failing}, .count = 1}};
  for (const auto probed : {false, true}) {
    SCOPED_TRACE(probed);
    instance_config made;
    if (probed)
      made.readiness_probe = probe;
    auto x = with(made, {failing});
    x.consumers[0].load_balancer.retries = 0;
    const whole_run run{x};
    expect_sound(run);
    std::vector<std::string> seen;
    for (const auto& y : all<readiness_changed>(run.log(), web)) {
      seen.push_back(to_string(y.whole->at - run_start) + " " + y.what.reason);
      EXPECT_EQ(y.what.takes_requests, seen.size() == 2);
      EXPECT_TRUE(follows_from_a_fault(run.log(), *y.whole));
    }
    EXPECT_GT(failures(run.log(), 20s, 24s), 50u);
    if (!probed) {
      EXPECT_EQ(seen, std::vector<std::string>{});
      EXPECT_GT(failures(run.log(), 25s, 50s), 500u);
      continue;
    }
    // Probes of 22 and 24 s fail; those of 52 and 54 s succeed.
    EXPECT_EQ(seen, (std::vector<std::string>{"24s readiness probe failed 2 times in a row",
                                              "54s readiness probe passed 2 times in a row"}));
    EXPECT_EQ(failures(run.log(), 25s, 120s), 0u);
    EXPECT_EQ(changes(run.log(), run_start + 1s), std::vector<std::string>{})
      << "it is not stopped";
  }
}

TEST(ContainerProbesWorld, GA_31_AStartEndsWithTheProbeThatSeesIt) {
  struct {
    const char* why = "";
    std::optional<startup_probe_config> probe = std::nullopt;
    duration ready{};
  } const cases[] = {
    {"without a probe", std::nullopt, 33s},
    {"on TCP", startup_probe_config{}, 33s},
    {"custom, every 10 s", custom_startup_probe(), 41s},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    const whole_run run{with({.cold_start = constant_distribution{12s}, .startup_probe = c.probe},
                             {instances_become(ailment::crashed, run_start + 20s, 1s, 0.25)})};
    expect_sound(run);
    const auto seen = changes(run.log(), run_start + 22s);
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].substr(0, 4), to_string(c.ready) + " ");
  }
}

TEST(ContainerProbesWorld, A_63_AStartThatTakesTooLongIsTriedAgainWithDelays) {
  const whole_run run{
    with({.cold_start = constant_distribution{25s}, .startup_probe = custom_startup_probe()},
         {instances_become(ailment::crashed, run_start + 20s, 1s, 1)}, 1)};
  expect_sound(run);
  // Probes at 0, 10 and 20 s of each start; then restarts at once, after 10 s and after 20 s.
  EXPECT_EQ(
    changes(run.log(), run_start + 21s),
    (std::vector<std::string>{
      "21s 0 crashed->starting restarted #2", "41s 0 starting->crashed startup probe failed #2",
      "41s 0 crashed->starting restarted #3", "61s 0 starting->crashed startup probe failed #3",
      "71s 0 crashed->starting restarted #4", "91s 0 starting->crashed startup probe failed #4",
      "111s 0 crashed->starting restarted #5"}));
}

TEST(ContainerProbesWorld, AnUnstartableInstanceFailsItsStartupProbe) {
  auto probe = custom_startup_probe();
  probe.period = 2s;
  probe.failure_threshold = 4;
  const whole_run run{with({.startup_probe = probe},
                           {instances_become(ailment::crashed, run_start + 20s, 1s, 1),
                            instances_become(ailment::unstartable, run_start + 15s, 10s, 1)},
                           1)};
  expect_sound(run);
  EXPECT_EQ(changes(run.log(), run_start + 21s),
            (std::vector<std::string>{"21s 0 crashed->starting restarted #2",
                                      "27s 0 starting->crashed startup probe failed #2",
                                      "27s 0 crashed->starting restarted #3",
                                      "29s 0 starting->ready started #3"}));
}

TEST(ContainerProbesWorld, A_64_OnlyAContainerThatServesIsProbed) {
  // It would fail its only probe while it starts, and its first one follows the start.
  const liveness_probe_config probe{.period = 3s, .timeout = 1s, .failure_threshold = 1};
  const whole_run run{with({.cold_start = constant_distribution{10s}, .liveness_probe = probe},
                           {instances_become(ailment::crashed, run_start + 20s, 1s, 1),
                            instances_become(ailment::silent, run_start + 35'500ms, 1s, 1)},
                           1)};
  expect_sound(run);
  // Probes of 31, 34 and 37 s; those of the process before would have met the silence at 36 s.
  EXPECT_EQ(changes(run.log(), run_start + 21s),
            (std::vector<std::string>{"21s 0 crashed->starting restarted #2",
                                      "31s 0 starting->ready started #2"}));
}

TEST(ContainerProbesWorld, A_66_TheBoostHoldsForTenSecondsAfterTheStart) {
  for (const auto boost : {false, true}) {
    SCOPED_TRACE(boost);
    // 40 requests a second of 40 ms each want 1.6 vCPU.
    const whole_run run{with({.cpu_per_request = 40ms, .startup_cpu_boost = boost},
                             {instances_become(ailment::crashed, run_start + 20s, 1s, 1)}, 1)};
    expect_sound(run);
    for (const auto& x : all<revision_sample>(run.log(), web)) {
      const auto second = (x.whole->at - run_start) / 1s;
      SCOPED_TRACE(second);
      if (boost && second > 24 && second <= 33) {
        EXPECT_GT(x.what.cpu_milli, 1300u) << "ready at 23 s";
      } else if (second > 33 || second <= 20 || !boost) {
        EXPECT_LE(x.what.cpu_milli, 1000u);
      }
    }
  }
}

TEST(ContainerProbesWorld, ACrashInTheMiddleOfItAllIsSurvived) {
  const liveness_probe_config alive{.period = 1s, .timeout = 1s, .failure_threshold = 1};
  const readiness_probe_config ready{
    .period = 1s, .timeout = 1s, .failure_threshold = 1, .success_threshold = 1};
  auto startup = custom_startup_probe();
  startup.period = 1s;
  // Silent at 20.5 s, so that the probe of 21 s fails at 22 s: when the crash comes, or near it.
  for (const auto crash : {21'500ms, 22'000ms, 22'001ms, 23'000ms, 24'000ms, 30'000ms}) {
    SCOPED_TRACE(to_string(duration{crash}));
    auto silent = silence;
    silent.lasts = 20s;
    std::get<instance_fault>(silent.what).count = 4;
    const whole_run run{
      with({.startup_probe = startup, .liveness_probe = alive, .readiness_probe = ready},
           {silent, instances_become(ailment::crashed, run_start + crash, 5s, 1)})};
    expect_sound(run);
    const auto seen = changes(run.log(), run_start + 1s, "near/shop/web/2");
    ASSERT_FALSE(seen.empty());
    EXPECT_NE(seen.back().find("starting->ready started"), std::string::npos) << seen.back();
    EXPECT_EQ(failures(run.log(), 60s, 120s), 0u);
  }
}

} // namespace
} // namespace spillover
