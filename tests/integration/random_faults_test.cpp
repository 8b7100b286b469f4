#include "model/hash.hpp"
#include "report/verdict.hpp"
#include "scenario/load.hpp"
#include "tests/support/random_balancers.hpp"
#include "tests/support/random_revisions.hpp"
#include "tests/support/random_world.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

// Properties that hold whatever faults come: each seed is a world of its own with a fault schedule of
// its own. A failing one is printed with the command that runs it alone, and written as a scenario.

namespace spillover {
namespace {

// Sanitizers take several times as long; a different part of the seeds is their share.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t first_seed = 2'001;
constexpr std::uint64_t seeds = 60;
#else
constexpr std::uint64_t first_seed = 1;
constexpr std::uint64_t seeds = 1'000;
#endif

template <class Check>
void for_each_seed(std::uint64_t count, bool calm, Check check) {
  auto from = first_seed;
  if (const auto* only = std::getenv("SPILLOVER_SEED")) {
    from = std::strtoull(only, nullptr, 10);
    count = 1;
  }
  for (auto seed = from; seed < from + count; ++seed) {
    auto x = test::random_world(seed, calm);
    // Operators are at work in half of the worlds.
    if (!calm && seed % 2 == 1)
      test::add_revisions(x, seed);
    // And other kinds of load balancers in a quarter.
    if (!calm && seed % 4 >= 3)
      test::vary_balancers(x, seed);
    // And other fates of single tries in another, half of which is the same.
    if (!calm && seed % 8 >= 6)
      test::vary_tries(x, seed);
    // And connections that clients make in one of eight, half of which have revisions.
    if (!calm && seed % 16 >= 1 && seed % 16 <= 2)
      test::vary_channels(x, seed);
    check(x);
    if (!testing::Test::HasFailure())
      continue;
    const std::filesystem::path file = "build/failing/seed-" + std::to_string(seed) + ".yaml";
    std::filesystem::create_directories(file.parent_path());
    std::ofstream{file} << to_yaml(x);
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    FAIL() << "replay: SPILLOVER_SEED=" << seed << " build/release/tests/integration/"
           << "test_random_faults --gtest_filter=" << test->test_suite_name() << '.' << test->name()
           << "\nthe world: " << file.string();
  }
}

std::string history(const event_log& log) {
  std::ostringstream out;
  write_event_log(out, log);
  return std::move(out).str();
}

TEST(RandomFaults, TheBooksBalance) {
  for_each_seed(seeds, false, [](const scenario& x) {
    const test::whole_run run{x};
    EXPECT_EQ(audit(run.log()), std::vector<std::string>{});
    EXPECT_EQ(run.ended().casualties(), std::vector<std::string>{});
  });
}

TEST(RandomFaults, TimeNeverGoesBackAndCausesComeFirst) {
  for_each_seed(seeds, false, [](const scenario& x) {
    const test::whole_run run{x};
    const auto& log = run.log();
    auto last = run_start;
    for (const auto& e : log.events()) {
      ASSERT_GE(e.at, last);
      last = e.at;
      if (!e.cause)
        continue;
      const auto* cause = log.find(e.cause);
      ASSERT_NE(cause, nullptr);
      ASSERT_LT(cause, &e);
    }
  });
}

TEST(RandomFaults, TheSameWorldHasTheSameHistory) {
  for_each_seed(seeds, false, [](const scenario& x) {
    EXPECT_TRUE(history(test::whole_run{x}.log()) == history(test::whole_run{x}.log()));
  });
}

/// Of each entity the last event of a kind before `until`, as its `after` says.
template <class T, class State>
std::map<std::string, State> last_states(const event_log& log, instant until, State T::*after) {
  std::map<std::string, State> result;
  for (const auto& e : log.events())
    if (const auto* x = std::get_if<T>(&e.what); x != nullptr && e.at < until)
      result[e.entity] = x->*after;
  return result;
}

/// Faults that lie on something at the end: what was laid more often than it was taken off.
std::map<std::string, int> lying(const event_log& log) {
  std::map<std::string, int> result;
  for (const auto& e : log.events())
    if (const auto* x = std::get_if<fault_applied>(&e.what)) {
      auto& count = result[e.entity + " " + std::to_string(x->index)];
      count += x->active ? 1 : -1;
      EXPECT_TRUE(count == 0 || count == 1) << e.entity;
    }
  std::erase_if(result, [](const auto& entry) { return entry.second == 0; });
  return result;
}

// Reversible: once every fault is over and the health checks have caught up, nothing fails, everything
// is healthy, and everybody goes where he went before.
TEST(RandomFaults, WhatIsOverLeavesNoTrace) {
  for_each_seed(seeds, true, [](const scenario& x) {
    const test::whole_run run{x};
    const auto& log = run.log();
    EXPECT_EQ(audit(log), std::vector<std::string>{});
    EXPECT_EQ((lying(log)), (std::map<std::string, int>{}));
    for (const auto& [entity, state] :
         last_states(log, run_start + x.lasts, &composite_changed::after))
      EXPECT_EQ(state, health::healthy) << entity;
    auto before = x;
    before.faults.clear();
    const test::whole_run without{before};
    EXPECT_EQ(last_states(log, run_start + x.lasts, &routing_changed::after),
              last_states(without.log(), run_start + x.lasts, &routing_changed::after));
    for (const auto& e : log.events()) {
      const auto* second = std::get_if<client_sample>(&e.what);
      if (second == nullptr || e.at <= run_start + test::calm_again)
        continue;
      for (std::size_t how = 1; how < outcome_count; ++how)
        EXPECT_EQ(second->ended[how], 0u) << e.entity << " " << to_string(static_cast<outcome>(how))
                                          << " at " << to_string(e.at - run_start);
    }
  });
}

} // namespace
} // namespace spillover
