#include "tests/producers/instance_world.hpp"

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::instance_world;
using test::lines;
using test::serves;

TEST(InstanceLimit, C_30_WorksOnSoManyAndLetsSoManyWait) {
  struct {
    const char* why;
    own_limit limit = {};
    lines answers = {};
  } const cases[] = {
    {"no limit of its own", {}, {"#1 ok 50ms", "#2 ok 50ms", "#3 ok 50ms", "#4 ok 50ms"}},
    {"one at a time, all wait",
     {1, 10},
     {"#1 ok 50ms", "#2 ok 100ms", "#3 ok 150ms", "#4 ok 200ms"}},
    {"two at a time", {2, 10}, {"#1 ok 50ms", "#2 ok 50ms", "#3 ok 100ms", "#4 ok 100ms"}},
    {"one waits, the others are refused at once",
     {1, 1},
     {"#3 unavailable 0s", "#4 unavailable 0s", "#1 ok 50ms", "#2 ok 100ms"}},
    {"nobody waits",
     {2, 0},
     {"#3 unavailable 0s", "#4 unavailable 0s", "#1 ok 50ms", "#2 ok 50ms"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    instance_world world{serves(0ms), x.limit};
    for (std::uint64_t i = 1; i <= 4; ++i)
      world.request(i);
    EXPECT_EQ(world.pass(1s), x.answers);
    EXPECT_EQ(world.subject.size(), 0u);
  }
}

TEST(InstanceLimit, AWaitingRequestUsesNoCpu) {
  instance_world world{serves(50ms), {1, 10}};
  world.request(1);
  world.request(2);
  EXPECT_EQ(world.subject.size(), 2u);
  EXPECT_EQ(world.pass(60ms), (lines{"#1 ok 50ms"})) << "alone on the CPU";
  EXPECT_EQ(world.pass(60ms), (lines{"#2 ok 100ms"}));
}

TEST(InstanceLimit, KeepsTheOrderOfManyThatWait) {
  instance_world world{serves(0ms), {1, 100}};
  for (std::uint64_t i = 1; i <= 50; ++i)
    world.request(i);
  EXPECT_EQ(world.pass(1s).size(), 20u);
  for (std::uint64_t i = 51; i <= 60; ++i)
    world.request(i);
  const auto answers = world.pass(2s);
  ASSERT_EQ(answers.size(), 40u);
  for (std::size_t i = 0; i < answers.size(); ++i)
    EXPECT_EQ(answers[i].substr(0, 3), "#" + std::to_string(i + 21));
}

TEST(InstanceLimit, SilenceHoldsThoseThatWaitAndHealingDropsThem) {
  instance_world world{serves(0ms), {1, 2}};
  world.request(1);
  world.silence(7);
  world.request(2);
  world.request(3);
  world.request(4);
  EXPECT_EQ(world.pass(10s), lines{}) << "it refuses nobody either";
  world.heal(7);
  EXPECT_EQ(world.pass(1s), (lines{"#1 lost 10s", "#2 lost 10s", "#3 lost 10s", "#4 lost 10s"}));
  world.request(5);
  EXPECT_EQ(world.pass(1s), (lines{"#5 ok 11050ms"}));
}

} // namespace
} // namespace spillover
