#include "producers/restart_backoff.hpp"

#include "tests/support/problem_fields.hpp"

#include <gtest/gtest.h>

namespace spillover {
namespace {

using namespace std::chrono_literals;

TEST(RestartBackoff, A_63_WaitsTwiceAsLongEachTimeUpToTheLongest) {
  struct {
    const char* why = "";
    restart_backoff_config config = {};
    std::vector<duration> expected = {};
  } const cases[] = {
    {"the defaults, Kubernetes' own", {}, {0s, 10s, 20s, 40s, 80s, 160s, 300s, 300s, 300s, 300s}},
    {"a longest time that is no multiple", {.base = 3s, .max = 7s}, {0s, 3s, 6s, 7s, 7s}},
    {"always the same", {.base = 5s, .max = 5s}, {0s, 5s, 5s, 5s}},
    {"too long to be doubled",
     {.base = duration::max() / 3 * 2, .max = duration::max()},
     {0s, duration::max() / 3 * 2, duration::max(), duration::max()}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    restart_backoff subject;
    std::vector<duration> waits;
    for (std::size_t i = 0; i < x.expected.size(); ++i)
      waits.push_back(subject.fail(run_start, x.config));
    EXPECT_EQ(waits, x.expected);
  }
}

TEST(RestartBackoff, A_63_BeginsAnewAfterALongService) {
  const restart_backoff_config config{.base = 1s, .max = 1min, .reset_after = 30s};
  struct {
    const char* why = "";
    std::optional<duration> served = std::nullopt; // before the third failure
    duration expected{};
  } const cases[] = {
    {"never served", std::nullopt, 2s},
    {"served, but not for long", 30s - 1ns, 2s},
    {"served for long", 30s, 0s},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    restart_backoff subject;
    EXPECT_EQ(subject.fail(run_start, config), 0s);
    EXPECT_EQ(subject.fail(run_start + 5s, config), 1s);
    if (x.served)
      subject.serves(run_start + 10s);
    EXPECT_EQ(subject.fail(run_start + 10s + x.served.value_or(1h), config), x.expected);
    EXPECT_EQ(subject.fail(run_start + 5h, config), x.expected == 0s ? 1s : 4s)
      << "what the one before served does not count for this one";
  }
}

TEST(RestartBackoffConfig, IsCheckedFieldByField) {
  struct {
    const char* why = "";
    restart_backoff_config config = {};
    std::vector<std::string> fields = {};
  } const cases[] = {
    {"defaults", {}, {}},
    {"no wait at all", {.base = 0s}, {"base"}},
    {"a longest wait below the first", {.base = 2s, .max = 1s}, {"max"}},
    {"equal ones", {.base = 1s, .max = 1s}, {}},
    {"always a new row", {.reset_after = 0s}, {"reset_after"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(test::problem_fields(validate(x.config)), x.fields);
  }
}

} // namespace
} // namespace spillover
