#include "producers/start_quota.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using answer = start_quota::answer;

TEST(StartQuota, GrantsWhatEveryLimitLeaves) {
  const auto rate = [](std::uint32_t x) { return quota_fault{"", x, std::nullopt}; };
  const auto most = [](std::uint32_t x) { return quota_fault{"", std::nullopt, x}; };
  struct {
    const char* why;
    std::vector<quota_fault> quotas;
    std::vector<duration> starts; // before now, which is 100 s
    std::uint32_t wanted;
    std::uint32_t members;
    answer expected;
  } const cases[] = {
    {"no quota, no limit", {}, {100s, 100s}, 7, 1'000, {7}},
    {"a part of what is wanted", {rate(3)}, {}, 5, 0, {3, "quota of 3 starts a minute"}},
    {"all that is wanted", {rate(3)}, {}, 3, 0, {3}},
    {"earlier starts count", {rate(3)}, {41s, 99s}, 2, 0, {1, "quota of 3 starts a minute"}},
    {"one 60 s ago is out", {rate(2)}, {40s, 41s}, 2, 0, {1, "quota of 2 starts a minute"}},
    {"more than the rate were started before",
     {rate(1)},
     {90s, 91s, 92s},
     1,
     0,
     {0, "quota of 1 starts a minute"}},
    {"a rate of 0", {rate(0)}, {}, 1, 0, {0, "quota of 0 starts a minute"}},
    {"up to the members", {most(10)}, {}, 5, 8, {2, "quota of 10 instances"}},
    {"more members than that stay", {most(10)}, {}, 1, 12, {0, "quota of 10 instances"}},
    {"room enough", {most(10)}, {}, 2, 8, {2}},
    {"the tighter of two in one", {{"", 4, 10}}, {}, 5, 8, {2, "quota of 10 instances"}},
    {"the tighter of two faults",
     {rate(3), rate(2)},
     {},
     5,
     0,
     {2, "quota of 2 starts a minute", 1}},
    {"the first of two equal ones",
     {rate(2), rate(2)},
     {},
     5,
     0,
     {2, "quota of 2 starts a minute", 0}},
    {"nothing wanted, nothing denied", {rate(0), most(0)}, {}, 0, 5, {0}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    start_quota subject;
    for (const auto at : x.starts)
      subject.started(run_start + at);
    for (std::uint32_t i = 0; i < x.quotas.size(); ++i)
      subject.lay(i, x.quotas[i]);
    EXPECT_EQ(subject.ask(run_start + 100s, x.wanted, x.members), x.expected);
  }
}

TEST(StartQuota, IsGoneWhenItsFaultIsOver) {
  start_quota subject;
  subject.lay(1, {"", 2, std::nullopt});
  subject.lay(2, {"", 0, std::nullopt});
  EXPECT_EQ(subject.ask(run_start, 5, 0).granted, 0u);
  subject.take_off(2);
  EXPECT_EQ(subject.ask(run_start, 5, 0).granted, 2u);
  subject.take_off(7); // nobody knows it
  subject.take_off(1);
  EXPECT_EQ(subject.ask(run_start, 5, 0), (answer{5}));
}

TEST(StartQuota, TheWindowSlides) {
  start_quota subject;
  subject.lay(0, {"", 2, std::nullopt});
  std::vector<int> granted;
  for (int second = 0; second < 130; second += 10) {
    const auto now = run_start + std::chrono::seconds{second};
    granted.push_back(static_cast<int>(subject.ask(now, 1, 0).granted));
    if (granted.back() != 0)
      subject.started(now);
  }
  // Two at 0 s and 10 s; the next when these are 60 s old.
  EXPECT_EQ(granted, (std::vector<int>{1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1}));
}

} // namespace
} // namespace spillover
