#include "tests/producers/instance_world.hpp"

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::instance_world;
using test::lines;
using test::serves;

TEST(InstanceAilments, WhatAFaultAffectsIsToldApart) {
  using answer = probe_result;
  const auto silent = [](affected_part x) { return symptom{ailment::silent, x}; };
  const auto failing = [](affected_part x) { return symptom{ailment::failing, x}; };
  constexpr auto both = affected_part::both;
  constexpr auto requests = affected_part::requests;
  constexpr auto probes = affected_part::probes;
  struct {
    const char* why;
    std::vector<symptom> faults;
    const char* request; // how it ends within a second, "" when it gets no answer
    answer probe;
  } const cases[] = {
    {"well", {}, "ok 50ms", answer::answered},
    {"silent", {silent(both)}, "", answer::silent},
    {"probes say well, data does not work", {silent(requests)}, "", answer::answered},
    {"probes say ill, data works", {silent(probes)}, "ok 50ms", answer::silent},
    {"failing", {failing(both)}, "unavailable 0s", answer::failed},
    {"errors for requests only", {failing(requests)}, "unavailable 0s", answer::answered},
    {"errors for probes only", {failing(probes)}, "ok 50ms", answer::failed},
    {"two halves make a whole", {silent(requests), failing(probes)}, "", answer::failed},
    {"and the other way round",
     {failing(requests), silent(probes)},
     "unavailable 0s",
     answer::silent},
    {"silence hides errors", {failing(both), silent(probes)}, "unavailable 0s", answer::silent},
    {"no other ailment touches probes",
     {{.become = ailment::slow, .factor = 2}, {.become = ailment::waiting, .by = 1ms}},
     "ok 101ms",
     answer::answered},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    instance_world world{serves(10ms)};
    for (std::uint32_t i = 0; i < x.faults.size(); ++i)
      world.suffer(i, x.faults[i]);
    world.request(1);
    EXPECT_EQ(world.subject.probe(), x.probe);
    const std::string expected{x.request};
    EXPECT_EQ(world.pass(1s), expected.empty() ? lines{} : lines{"#1 " + expected});
    for (std::uint32_t i = 0; i < x.faults.size(); ++i)
      world.heal(i);
    world.pass(0s);
    world.request(2);
    EXPECT_EQ(world.subject.probe(), answer::answered);
    EXPECT_EQ(world.pass(1s), (lines{"#2 ok 1050ms"}));
  }
}

TEST(InstanceAilments, SlowAndWaitingStretchWhatComesMeanwhile) {
  struct {
    const char* why;
    std::vector<symptom> faults;
    const char* answer; // of a request of 10 ms CPU and 40 ms waiting
    duration used;
  } const cases[] = {
    {"slow takes longer in both parts", {{.become = ailment::slow, .factor = 3}}, "150ms", 30ms},
    {"factors multiply",
     {{.become = ailment::slow, .factor = 2}, {.become = ailment::slow, .factor = 1.5}},
     "150ms",
     30ms},
    {"waiting leaves the CPU alone", {{.become = ailment::waiting, .by = 25ms}}, "75ms", 10ms},
    {"waits add up",
     {{.become = ailment::waiting, .by = 25ms}, {.become = ailment::waiting, .by = 5ms}},
     "80ms",
     10ms},
    {"what it waits for is not slow itself",
     {{.become = ailment::waiting, .by = 25ms}, {.become = ailment::slow, .factor = 2}},
     "125ms",
     20ms},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    instance_world world{serves(10ms)};
    world.request(1);
    for (std::uint32_t i = 0; i < x.faults.size(); ++i)
      world.suffer(i, x.faults[i]);
    EXPECT_EQ(world.pass(1s), (lines{"#1 ok 50ms"})) << "it came before";
    instance_world later{serves(10ms)};
    for (std::uint32_t i = 0; i < x.faults.size(); ++i)
      later.suffer(i, x.faults[i]);
    later.request(2);
    for (std::uint32_t i = 0; i < x.faults.size(); ++i)
      later.heal(i);
    EXPECT_EQ(later.pass(1s), (lines{"#2 ok " + std::string{x.answer}})) << "it came meanwhile";
    EXPECT_EQ(later.subject.take_cpu(later.now), x.used);
  }
}

TEST(InstanceAilments, FactorsGiveTheSameInWhateverOrderTheyCome) {
  const double factors[] = {1.1, 1.7, 2.3};
  std::vector<std::uint32_t> order{0, 1, 2};
  lines first;
  do {
    instance_world world{serves(0ms)};
    for (const auto i : order)
      world.suffer(i, {.become = ailment::slow, .factor = factors[i]});
    world.request(1);
    const auto answers = world.pass(1s);
    ASSERT_EQ(answers.size(), 1u);
    first = first.empty() ? answers : first;
    EXPECT_EQ(answers, first);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(InstanceAilments, ALeakTakesCpuThatRequestsThenLack) {
  struct {
    const char* why;
    double cpu;
    std::vector<double> rates; // vCPUs a minute
    duration after;
    const char* answer; // of a request of 10 ms CPU and 40 ms waiting that comes then
    duration burnt;     // in the second before it
  } const cases[] = {
    {"not yet grown", 1, {30}, 0s, "50ms", 0ms},
    {"half of it is gone after a second", 1, {30}, 1s, "60ms", 0ms},
    {"which counts as used in the next", 1, {15}, 2s, "60ms", 250ms},
    {"leaks add up", 1, {15, 7.5, 7.5}, 1s, "60ms", 0ms},
    {"a second vCPU has room for it", 2, {30}, 2s, "50ms", 500ms},
    {"until that is full as well", 2, {30}, 3s, "60ms", 1000ms},
    {"a hundredth is left", 1, {60}, 1h, "1040ms", 990ms},
    {"of all that there is", 4, {64}, 1h, "290ms", 3960ms},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    instance_world world{serves(10ms, x.cpu)};
    world.pass(7s);
    for (std::uint32_t i = 0; i < x.rates.size(); ++i)
      world.suffer(i, {.become = ailment::leaking, .vcpu_per_minute = x.rates[i]});
    duration burnt{};
    for (auto left = x.after; left > 0s; left -= 1s) {
      world.pass(1s);
      burnt = world.subject.take_cpu(world.now);
    }
    EXPECT_EQ(burnt, x.burnt);
    const auto start = world.now;
    world.request(1);
    // Two seconds at most, in which the leak does not grow because nobody asks.
    for (int i = 0; i < 2'000 && world.answers.empty(); ++i) {
      const auto seen = world.pass(1ms);
      if (!seen.empty()) {
        EXPECT_EQ(to_string(world.now - start), x.answer);
        break;
      }
    }
    EXPECT_EQ(world.subject.size(), 0u);
    for (std::uint32_t i = 0; i < x.rates.size(); ++i)
      world.heal(i);
    world.subject.take_cpu(world.now);
    world.pass(1s);
    EXPECT_EQ(world.subject.take_cpu(world.now), 0s) << "it is freed";
  }
}

TEST(InstanceAilments, ARequestUnderWayFeelsALeakGrowAndGo) {
  instance_world world{serves(50ms)};
  world.suffer(1, {.become = ailment::leaking, .vcpu_per_minute = 30});
  EXPECT_EQ(world.pass(1s - 20ms), lines{});
  world.request(1);
  EXPECT_EQ(world.pass(20ms), lines{});
  world.subject.take_cpu(world.now); // from here on half a vCPU is left
  EXPECT_EQ(world.pass(20ms), lines{});
  world.heal(1); // and from here on a whole one, for 20 ms of work
  EXPECT_EQ(world.pass(1s), (lines{"#1 ok 1040ms"}));
}

TEST(InstanceAilments, ALeakGrowsOnTheSecondWhateverElseBefallsIt) {
  for (const auto other : {false, true}) {
    instance_world world{serves(10ms)};
    world.pass(500ms);
    world.suffer(1, {.become = ailment::leaking, .vcpu_per_minute = 30});
    world.pass(500ms);
    world.subject.take_cpu(world.now);
    world.pass(600ms); // it is a second old since 100 ms
    if (other)
      world.suffer(2, {.become = ailment::silent});
    world.pass(400ms);
    EXPECT_EQ(world.subject.take_cpu(world.now), 0s);
    world.pass(1s);
    EXPECT_EQ(world.subject.take_cpu(world.now), 500ms);
  }
}

TEST(InstanceAilments, ProbesDoNotChangeWhichRequestsFail) {
  const auto answers = [](bool probed) {
    instance_world world{serves(10ms)};
    world.suffer(1, {.become = ailment::failing, .error_fraction = 0.5});
    std::string result;
    for (std::uint32_t i = 1; i <= 40; ++i) {
      if (probed)
        world.subject.probe();
      world.request(i);
      result += world.pass(1s).at(0).find("ok") == std::string::npos ? 'x' : '.';
    }
    return result;
  };
  const auto alone = answers(false);
  EXPECT_NE(alone.find('x'), std::string::npos);
  EXPECT_NE(alone.find('.'), std::string::npos);
  EXPECT_EQ(answers(true), alone);
}

TEST(InstanceAilments, CanStartOnceNothingKeepsItFromStarting) {
  instance_world world{serves(10ms)};
  EXPECT_TRUE(world.subject.startable());
  world.suffer(1, {.become = ailment::unstartable});
  world.suffer(2, {.become = ailment::unstartable});
  world.suffer(3, {.become = ailment::silent});
  world.heal(1);
  EXPECT_FALSE(world.subject.startable());
  world.heal(2);
  EXPECT_TRUE(world.subject.startable());
}

} // namespace
} // namespace spillover
