#include "producers/cpu_sharing.hpp"
#include "tests/producers/instance_world.hpp"

#include <gtest/gtest.h>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::instance_world;
using test::lines;
using test::serves;

TEST(CpuSharing, GoesOnWithOtherVcpusFromWhatWasDone) {
  struct {
    const char* why = "";
    double before = 1;
    double after = 1;
    std::uint32_t jobs = 0; // of 10 ms each, from the start on
    duration at{};          // of the change
    duration expected{};    // when all end
  } const cases[] = {
    {"half as many: 5 ms are done, 5 ms take 10", 2, 1, 2, 5ms, 15ms},
    {"twice as many: 2.5 ms are done, 7.5 ms take as long", 1, 2, 2, 5ms, 12'500us},
    {"one job needs one only", 2, 1, 1, 5ms, 10ms},
    {"more than all of them need", 2, 8, 4, 10ms, 15ms},
    {"at the start", 2, 1, 2, 0ms, 20ms},
    {"when they end", 2, 1, 2, 10ms, 10ms},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    cpu_sharing subject{x.before};
    for (std::uint32_t i = 0; i < x.jobs; ++i)
      subject.add(run_start, i, 10ms);
    subject.set_cpu(run_start + x.at, x.after);
    EXPECT_EQ(subject.next_end(), run_start + x.expected);
    EXPECT_EQ(subject.used(run_start + 1s), x.jobs * 10ms) << "the work is the same";
  }
}

TEST(CpuSharing, KeepsWhatBurnsInTheBackgroundWhenItsVcpusChange) {
  cpu_sharing subject{2};
  subject.set_background(run_start, 1);
  subject.add(run_start, 0, 10ms);
  subject.add(run_start, 1, 10ms);
  subject.set_cpu(run_start, 3);
  EXPECT_EQ(subject.next_end(), run_start + 10ms) << "two are left of three";
  EXPECT_EQ(subject.used(run_start + 10ms), 30ms);
}

TEST(Instance, A_66_ServesWithTheBoostWhileItHolds) {
  instance_world world{serves(50ms)};
  world.subject.set_cpu(world.now, boosted_cpu(1), world);
  world.request(1);
  world.request(2);
  EXPECT_EQ(world.pass(50ms), (lines{"#1 ok 50ms", "#2 ok 50ms"})) << "two vCPUs";
  world.request(3);
  world.request(4);
  EXPECT_EQ(world.pass(25ms), (lines{}));
  world.subject.set_cpu(world.now, 1, world);
  EXPECT_EQ(world.pass(50ms), (lines{"#3 ok 125ms", "#4 ok 125ms"})) << "half of it on one";
}

TEST(Instance, A_66_IsBoostedByItsBlueprintOnly) {
  auto config = serves(0ms, 2);
  EXPECT_EQ(instance_blueprint{config}.boosted_cpu, 2);
  config.startup_cpu_boost = true;
  EXPECT_EQ(instance_blueprint{config}.boosted_cpu, 4);
}

} // namespace
} // namespace spillover
