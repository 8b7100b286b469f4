#include "regions/link_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

link_model link(const link_config& config) {
  return {config, 1, "a/b/data"};
}

TEST(LinkModel, DelaysByItsLatencyAndItsJitter) {
  auto subject = link({.latency = 10ms, .jitter = 2ms});
  auto least = duration::max();
  auto most = duration::zero();
  for (int i = 0; i < 100'000; ++i) {
    const auto delay = subject.decide(run_start).first;
    ASSERT_TRUE(delay);
    least = std::min(least, *delay);
    most = std::max(most, *delay);
  }
  EXPECT_GE(least, 10ms);
  EXPECT_LT(least, 10ms + 1us);
  EXPECT_LE(most, 12ms);
  EXPECT_GT(most, 12ms - 1us);
  EXPECT_EQ(subject.taken(), 100'000u);
  EXPECT_EQ(subject.lost(), 0u);
}

TEST(LinkModel, LosesItsShareAndCountsIt) {
  auto subject = link({.loss = 0.1});
  std::uint64_t lost = 0;
  for (int i = 0; i < 100'000; ++i)
    lost += subject.decide(run_start).first ? 0 : 1;
  EXPECT_NEAR(static_cast<double>(lost), 10'000, 4 * 95);
  EXPECT_EQ(subject.lost(), lost);
  EXPECT_EQ(subject.taken(), 100'000u);
}

TEST(LinkModel, LosesNothingOrEverythingAtTheEndsOfTheShare) {
  auto none = link({.loss = 0});
  auto all = link({.loss = 1});
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(none.decide(run_start).first);
    EXPECT_FALSE(all.decide(run_start).first);
  }
}

TEST(LinkModel, AFaultDoesNotChangeWhatLaterMessagesMeet) {
  const link_config config{.latency = 10ms, .jitter = 5ms, .loss = 0.3};
  auto calm = link(config);
  auto troubled = link(config);
  for (int i = 0; i < 3000; ++i) {
    if (i == 1000)
      troubled.add_fault(0, {});
    if (i == 1500)
      troubled.add_fault(1, {.become = link_ailment::delayed, .by = 40ms});
    if (i == 2000)
      troubled.remove_fault(0);
    if (i == 2500)
      troubled.remove_fault(1);
    const auto expected = calm.decide(run_start).first;
    const auto actual = troubled.decide(run_start).first;
    const auto cut = i >= 1000 && i < 2000;
    const auto delay = i >= 2000 && i < 2500 ? 40ms : 0ms;
    ASSERT_EQ(actual, cut || !expected ? std::nullopt : std::optional{*expected + delay});
  }
}

// One step of a sequence: '+' or '-' and the number of a fault; 0 and 1 cut, 2 adds 5 ms, 3 adds
// 70 ms, 4 cuts and adds 300 ms.
void apply(link_model& subject, char sign, char digit) {
  const auto number = static_cast<std::uint32_t>(digit - '0');
  if (sign == '-')
    return subject.remove_fault(number);
  constexpr duration delays[] = {0ms, 0ms, 5ms, 70ms, 300ms};
  subject.add_fault(number,
                    number < 2 || number == 4
                      ? link_symptom{}
                      : link_symptom{.become = link_ailment::delayed, .by = delays[number]});
}

TEST(LinkModel, FaultsStackAndComeOffInAnyOrder) {
  struct {
    const char* why;
    std::string steps;
    std::optional<duration> expected;
  } const cases[] = {
    {"nothing laid on", "", 1ms},
    {"delays add up", "+2+3", 76ms},
    {"the first delay comes off first", "+2+3-2", 71ms},
    {"the last delay comes off first", "+2+3-3", 6ms},
    {"any cut cuts", "+2+0+3", std::nullopt},
    {"one of two cuts is enough", "+0+1-0", std::nullopt},
    {"both cuts off", "+0+1-0-1", 1ms},
    {"a cut stays while another comes off", "+4+0-0", std::nullopt},
    {"a cut with a delay comes off whole", "+4+2-4", 6ms},
    {"taking off what is not there does nothing", "-0+2-3-0", 6ms},
    {"the same fault may come again", "+2-2+2", 6ms},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto subject = link({.latency = 1ms});
    for (std::size_t i = 0; i < x.steps.size(); i += 2)
      apply(subject, x.steps[i], x.steps[i + 1]);
    EXPECT_EQ(subject.decide(run_start).first, x.expected);
  }
}

TEST(LinkModel, IsAsBeforeWhenAllFaultsAreOffInWhateverOrder) {
  std::string order = "01234";
  do {
    auto subject = link({.latency = 1ms});
    for (const auto number : {'0', '1', '2', '3', '4'})
      apply(subject, '+', number);
    for (const auto number : order)
      apply(subject, '-', number);
    ASSERT_EQ(subject.decide(run_start).first, 1ms) << order;
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(LinkModelDeath, LayingAFaultOnTwiceIsABug) {
  auto subject = link({});
  subject.add_fault(3, {});
  EXPECT_DEATH(subject.add_fault(3, {}), "check failed");
}

TEST(LinkConfig, ProblemsAreNamedByField) {
  using problems = std::vector<std::string>;
  EXPECT_EQ(validate(link_config{}), problems{});
  EXPECT_EQ(validate({.latency = 1ms, .jitter = 1ms, .loss = 1}), problems{});
  EXPECT_EQ(validate({.latency = -1ns, .jitter = -1ns, .loss = 1.01}),
            (problems{"latency: must be at least 0s", "jitter: must be at least 0s",
                      "loss: must be from 0 to 1"}));
  EXPECT_EQ(validate({.loss = std::numeric_limits<double>::quiet_NaN()}),
            problems{"loss: must be from 0 to 1"});
}

} // namespace
