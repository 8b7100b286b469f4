#include "tests/producers/instance_world.hpp"

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::instance_world;
using test::lines;
using test::serves;

TEST(Instance, ServesTheCpuPartFirstAndThenTheRest) {
  struct {
    const char* why;
    duration cpu_per_request;
    duration used_after_5ms;
    duration used;
  } const cases[] = {
    {"a part is CPU", 10ms, 5ms, 10ms},
    {"no CPU at all", 0ms, 0ms, 0ms},
    {"all of it is CPU", 50ms, 5ms, 50ms},
    {"the CPU part is at most the whole", 1s, 5ms, 50ms},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    instance_world world{serves(x.cpu_per_request)};
    world.request(1);
    EXPECT_EQ(world.subject.size(), 1u);
    EXPECT_EQ(world.pass(5ms), lines{});
    EXPECT_EQ(world.subject.take_cpu(world.now), x.used_after_5ms);
    EXPECT_EQ(world.pass(45ms - 1ns), lines{});
    EXPECT_EQ(world.pass(1ns), (lines{"#1 ok 50ms"}));
    EXPECT_EQ(world.subject.take_cpu(world.now), x.used - x.used_after_5ms);
    EXPECT_EQ(world.subject.size(), 0u);
  }
}

TEST(Instance, AServiceTimeOfZeroIsAnsweredAtOnce) {
  instance_world world{{.service_time = constant_distribution{0ms}, .cpu_per_request = 10ms}};
  world.request(1);
  EXPECT_EQ(world.pass(0ms), (lines{"#1 ok 0s"}));
}

TEST(Instance, RequestsShareTheCpuExactly) {
  struct {
    const char* why;
    double cpu;
    std::vector<duration> arrivals;
    lines expected;
  } const cases[] = {
    {"two at once", 1, {0ms, 0ms}, {"#1 ok 60ms", "#2 ok 60ms"}},
    {"alone for 4 ms, then half each", 1, {0ms, 4ms}, {"#1 ok 56ms", "#2 ok 60ms"}},
    {"one nanosecond apart", 1, {0ms, 1ns}, {"#1 ok 59999999ns", "#2 ok 60ms"}},
    {"one after the other", 1, {0ms, 10ms}, {"#1 ok 50ms", "#2 ok 60ms"}},
    {"a vCPU for each", 2, {0ms, 0ms}, {"#1 ok 50ms", "#2 ok 50ms"}},
    {"three on two", 2, {0ms, 0ms, 0ms}, {"#1 ok 55ms", "#2 ok 55ms", "#3 ok 55ms"}},
    {"half a vCPU", 0.5, {0ms}, {"#1 ok 60ms"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    instance_world world{serves(10ms, x.cpu)};
    for (std::uint64_t i = 0; i < x.arrivals.size(); ++i) {
      EXPECT_EQ(world.pass(run_start + x.arrivals[i] - world.now), lines{});
      world.request(i + 1);
    }
    EXPECT_EQ(world.pass(1s), x.expected);
    EXPECT_EQ(world.subject.take_cpu(world.now), 10ms * x.arrivals.size());
  }
}

TEST(Instance, SilenceHoldsRequestsInAnyPhaseAndHealingDropsThemAsLost) {
  instance_world world{serves(10ms)};
  world.request(1);
  EXPECT_EQ(world.pass(15ms), lines{}); // 1 waits
  world.request(2);
  EXPECT_EQ(world.pass(5ms), lines{}); // 2 computes
  world.silence(7);
  world.request(3);
  EXPECT_EQ(world.subject.take_cpu(world.now), 15ms);
  // Timers come and do nothing.
  EXPECT_EQ(world.pass(980ms), lines{});
  EXPECT_EQ(world.subject.size(), 3u);
  EXPECT_EQ(world.subject.take_cpu(world.now), 0ms);
  world.heal(7);
  EXPECT_EQ(world.pass(0ms), (lines{"#1 lost 1s", "#2 lost 1s", "#3 lost 1s"}));
  EXPECT_EQ(world.subject.size(), 0u);
  world.request(4);
  EXPECT_EQ(world.pass(1s), (lines{"#4 ok 1050ms"}));
}

TEST(Instance, TimersFromBeforeASilenceDoNotReachLaterRequests) {
  instance_world world{serves(10ms)};
  world.request(1);
  world.pass(12ms); // it waits until 50 ms
  world.silence(7);
  world.heal(7);
  EXPECT_EQ(world.pass(8ms), (lines{"#1 lost 12ms"}));
  // Gets the slot of the first, whose timer is still set.
  world.request(2);
  EXPECT_EQ(world.pass(50ms - 1ns), lines{});
  EXPECT_EQ(world.pass(1ns), (lines{"#2 ok 70ms"}));
  // The same with a timer of the CPU.
  world.request(3);
  world.pass(2ms);
  world.silence(8);
  world.heal(8);
  world.request(4);
  EXPECT_EQ(world.pass(1s), (lines{"#3 lost 72ms", "#4 ok 122ms"}));
}

TEST(Instance, StaysSilentUntilTheLastSilenceEnds) {
  for (const auto first_healed : {1u, 2u}) {
    instance_world world{serves(0ms)};
    world.silence(1);
    world.request(1);
    world.pass(10ms);
    world.silence(2);
    world.request(2);
    world.heal(first_healed);
    EXPECT_EQ(world.subject.probe(), probe_result::silent);
    world.request(3);
    EXPECT_EQ(world.pass(10ms), lines{});
    world.heal(first_healed); // again: nothing
    EXPECT_EQ(world.pass(0ms), lines{});
    world.heal(3 - first_healed);
    EXPECT_EQ(world.pass(0ms), (lines{"#1 lost 20ms", "#2 lost 20ms", "#3 lost 20ms"}));
    EXPECT_EQ(world.subject.probe(), probe_result::answered);
  }
}

TEST(Instance, FailsAsTheLatestFaultSaysInWhateverOrderTheyAreTakenOff) {
  // Which status each fault gives, and what is seen while it is the latest of those left.
  const std::map<std::uint32_t, outcome> faults{
    {1, outcome::internal_error}, {2, outcome::bad_gateway}, {3, outcome::unavailable}};
  std::vector<std::uint32_t> order{1, 2, 3};
  do {
    SCOPED_TRACE(std::to_string(order[0]) + std::to_string(order[1]) + std::to_string(order[2]));
    instance_world world{serves(10ms)};
    for (const auto& [fault, status] : faults)
      world.fail(fault, 1, status);
    auto left = faults;
    for (const auto fault : order) {
      world.request(1);
      EXPECT_EQ(world.answers.size(), 1u);
      EXPECT_EQ(world.pass(0ms),
                (lines{"#1 " + std::string{to_string(left.rbegin()->second)} + " 0s"}));
      EXPECT_EQ(world.subject.probe(), probe_result::failed);
      world.heal(fault);
      left.erase(fault);
    }
    world.request(2);
    EXPECT_EQ(world.subject.probe(), probe_result::answered);
    EXPECT_EQ(world.pass(1s), (lines{"#2 ok 50ms"}));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Instance, SilenceHidesAFailureUntilItEnds) {
  instance_world world{serves(0ms)};
  world.silence(1);
  world.fail(2, 1, outcome::bad_gateway);
  world.request(1);
  EXPECT_EQ(world.pass(1s), lines{});
  EXPECT_EQ(world.subject.probe(), probe_result::silent);
  world.heal(1);
  world.request(2);
  EXPECT_EQ(world.pass(1s), (lines{"#1 lost 1s", "#2 bad_gateway 1s"}));
  EXPECT_EQ(world.subject.probe(), probe_result::failed);
  world.heal(17); // nobody knows it
  world.heal(2);
  EXPECT_EQ(world.subject.probe(), probe_result::answered);
}

TEST(Instance, AFailureLeavesWhatIsUnderWayAlone) {
  instance_world world{serves(10ms)};
  world.request(1);
  world.fail(1, 1, outcome::unavailable);
  world.request(2);
  EXPECT_EQ(world.pass(1s), (lines{"#2 unavailable 0s", "#1 ok 50ms"}));
}

TEST(Instance, FailsAShareOfRequestsAndOfProbes) {
  instance_world world{serves(0ms)};
  world.fail(1, 0.25, outcome::unavailable);
  int errors = 0;
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    world.request(i);
    errors += world.subject.probe() == probe_result::failed;
  }
  const auto answers = world.pass(1s);
  EXPECT_EQ(answers.size(), 10'000u);
  const auto failed = std::count_if(answers.begin(), answers.end(), [](const std::string& x) {
    return x.find("unavailable 0s") != std::string::npos;
  });
  // Four standard deviations of 43
  EXPECT_NEAR(static_cast<double>(failed), 2500, 173);
  EXPECT_NEAR(errors, 2500, 173);
}

symptom any_symptom(random_stream& random) {
  const auto affects = static_cast<affected_part>(random.below(3));
  switch (random.below(6)) {
    case 0: return {.become = ailment::silent, .affects = affects};
    case 1:
      return {.become = ailment::failing, .affects = affects, .error_fraction = random.unit()};
    case 2: return {.become = ailment::slow, .factor = 1 + 3 * random.unit()};
    case 3: return {.become = ailment::waiting, .by = 17ms};
    case 4: return {.become = ailment::leaking, .vcpu_per_minute = 64 * random.unit()};
    default: return {.become = ailment::slow_starting, .factor = 2};
  }
}

/// Lets 40 requests meet faults that come and go, or none; then no fault is left.
/// @returns the answers to 40 later requests with their times, and the CPU that these used
lines answers_after(bool faults, std::uint64_t seed) {
  random_stream random{seed, "faults"};
  instance_world world{
    {.service_time = lognormal_distribution{40ms, 200ms}, .cpu_per_request = 10ms}};
  std::vector<std::uint32_t> laid;
  for (std::uint32_t i = 1; i <= 40; ++i) {
    if (faults && random.below(3) == 0) {
      laid.push_back(i);
      world.suffer(i, any_symptom(random));
    }
    world.request(i);
    if (faults)
      world.subject.probe();
    world.pass(duration{static_cast<duration::rep>(random.below(100'000'000))});
    world.subject.take_cpu(world.now);
    if (!laid.empty() && random.below(3) == 0) {
      const auto at = laid.begin() + static_cast<std::ptrdiff_t>(random.below(laid.size()));
      world.heal(*at);
      laid.erase(at);
    }
  }
  while (!laid.empty()) {
    const auto at = laid.begin() + static_cast<std::ptrdiff_t>(random.below(laid.size()));
    world.heal(*at);
    laid.erase(at);
  }
  world.pass(run_start + 1h - world.now);
  lines result;
  world.subject.take_cpu(world.now);
  for (std::uint64_t i = 41; i <= 80; ++i) {
    world.request(i);
    // Two at a time, so that they share the CPU.
    if (i % 2 == 0)
      for (auto& x : world.pass(1min))
        result.push_back(std::move(x));
  }
  result.push_back("cpu " + to_string(world.subject.take_cpu(world.now)));
  return result;
}

TEST(Instance, IsAfterFaultsAsWithoutAnyToTheLastNanosecond) {
  const auto expected = answers_after(false, 1);
  EXPECT_EQ(expected.size(), 41u);
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(answers_after(true, seed), expected);
  }
}

} // namespace
} // namespace spillover
