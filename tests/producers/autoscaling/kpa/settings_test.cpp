#include "producers/autoscaling/kpa/settings.hpp"

#include "producers/autoscaling/kpa/read_text.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace spillover::kpa;
using namespace std::chrono_literals;

TEST(KpaSettings, GC_1_TakeTheTargetFromWhereItStands) {
  EXPECT_EQ(resolve({}).target, 70);
  EXPECT_EQ(resolve({}).total, 100);
  EXPECT_EQ(resolve({.annotations = {{"target", "10"}}}).target, 7);
  EXPECT_EQ(resolve({.annotations = {{"target", "10"}}}).total, 10);
  const texts capped{.annotations = {{"target", "10"}}, .container_concurrency = 1};
  EXPECT_EQ(resolve(capped).target, 0.7);
  EXPECT_EQ(resolve(capped).total, 1);
  EXPECT_EQ(resolve({.annotations = {{"metric", "rps"}}}).target, 140);
  EXPECT_EQ(resolve({.annotations = {{"metric", "rps"}}}).total, 200);
}

TEST(KpaSettings, ReadAPercentageOfAtMostOneAsAShare) {
  const auto with = [](const char* text) {
    return resolve({.config = {{"container-concurrency-target-percentage", text}}}).target;
  };
  EXPECT_EQ(with("70"), 70);
  EXPECT_EQ(with("0.7"), 70);
  EXPECT_EQ(with("1"), 100);
  EXPECT_EQ(with("1.5"), 1.5);
}

TEST(KpaSettings, GC_16_RoundThePanicWindowToSeconds) {
  struct {
    const char* stable;
    const char* percent;
    duration panic;
  } const cases[] = {
    {"60s", "10", 6s}, {"6s", "10", 1s}, {"60s", "1", 1s}, {"25s", "10", 3s}, {"1h", "10", 6min}};
  for (const auto& x : cases)
    EXPECT_EQ(
      resolve({.config = {{"stable-window", x.stable}, {"panic-window-percentage", x.percent}}})
        .panic_window,
      x.panic)
      << x.stable;
}

TEST(KpaSettings, ReadWhatCannotBeReadAsAbsent) {
  EXPECT_EQ(resolve({.annotations = {{"target", "ten"}, {"window", "1 minute"}}}), resolve({}));
}

// And one of each kind beside.
TEST(KpaSettings, GC_23_SayWhatKnativeWouldRefuse) {
  struct {
    const char* key;
    const char* value;
    const char* problem;
  } const cases[] = {
    {"stable-window", "5s", "config.stable-window: must be whole seconds from 6s to 1h"},
    {"stable-window", "6.5s", "config.stable-window: must be whole seconds from 6s to 1h"},
    {"max-scale-up-rate", "1", "config.max-scale-up-rate: must be above 1"},
    {"target-burst-capacity", "-2", "config.target-burst-capacity: must be -1 or at least 0"},
    {"container-concurrency-target-percentage", "0",
     "config.container-concurrency-target-percentage: must be above 0, at most 100"},
    {"initial-scale", "0",
     "config.initial-scale: must be at least 1 without allow-zero-initial-scale"},
    {"min-scale", "few", "config.min-scale: must be a whole number; got \"few\""},
    {"enable-scale-to-zero", "yes",
     "config.enable-scale-to-zero: must be true or false; got \"yes\""},
    {"scale-down-delay", "1.5s", "config.scale-down-delay: must be whole seconds from 0s to 24h"},
  };
  for (const auto& x : cases)
    EXPECT_EQ(validate({.config = {{x.key, x.value}}}), std::vector<std::string>{x.problem});
  EXPECT_EQ(validate({}), std::vector<std::string>{});
  EXPECT_EQ(
    validate({.annotations = {{"activation-scale", "5"}, {"max-scale", "3"}}}),
    std::vector<std::string>{"annotations.activation-scale: must be from min-scale to max-scale"});
}

TEST(KpaText, ReadsDurationsOfGo) {
  struct {
    const char* text;
    std::optional<duration> span;
  } const cases[] = {
    {"0", 0s},
    {"60s", 60s},
    {"1m1s500ms", 61s + 500ms},
    {"1.5h", 90min},
    {"-2s", -2s},
    {"10", std::nullopt},
    {"", std::nullopt},
    {"s", std::nullopt},
    {"1 s", std::nullopt},
    {"1d", std::nullopt},
    {"9999999999h", std::nullopt},
    {"100us", 100us},
  };
  for (const auto& x : cases)
    EXPECT_EQ(read_text<duration>(x.text), x.span) << x.text;
}

} // namespace
