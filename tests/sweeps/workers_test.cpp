#include "sweeps/workers.hpp"

#include "tests/sweeps/outcomes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <stdexcept>
#include <thread>

namespace spillover {
namespace {

std::vector<run_key> some_keys(std::uint64_t count) {
  std::vector<run_key> result;
  for (std::uint64_t seed = 1; seed <= count; ++seed)
    result.push_back({static_cast<std::uint32_t>(seed % 3), seed});
  return result;
}

std::map<run_key, run_outcome> outcomes_of(const std::vector<run_key>& keys, std::uint32_t jobs,
                                           const std::function<run_outcome(run_key)>& run) {
  std::map<run_key, run_outcome> result;
  std::size_t told = 0;
  sweep_hooks hooks;
  hooks.ended = [&](const run_outcome& x) {
    ++told;
    result.emplace(x.key, x);
  };
  EXPECT_TRUE(run_in_processes(keys, jobs, run, hooks));
  EXPECT_EQ(told, keys.size()) << "each once";
  return result;
}

TEST(RunInProcesses, DoesEachRunOnceWhateverTheNumberOfProcesses) {
  for (const std::uint32_t jobs : {1U, 3U, 64U}) {
    SCOPED_TRACE(jobs);
    const auto keys = some_keys(40);
    const auto found = outcomes_of(keys, jobs, test::some_outcome);
    ASSERT_EQ(found.size(), keys.size());
    for (const auto& x : keys)
      EXPECT_TRUE(same_outcome(found.at(x), test::some_outcome(x)));
  }
}

TEST(RunInProcesses, HasNothingToDoWithoutKeys) {
  EXPECT_TRUE(outcomes_of({}, 2, test::some_outcome).empty());
}

TEST(RunInProcesses, LosesOnlyTheRunWhoseProcessEnds) {
  const auto found = outcomes_of(some_keys(12), 2, [](run_key key) {
    if (key.seed == 3)
      ::kill(::getpid(), SIGKILL);
    if (key.seed == 5)
      ::_exit(42);
    if (key.seed == 7)
      throw std::runtime_error{"no such thing"};
    return test::some_outcome(key);
  });
  ASSERT_EQ(found.size(), 12u);
  const std::map<std::uint64_t, std::string> expected{{3, "its process ended by signal 9 (Killed)"},
                                                      {5, "its process ended with exit code 42"},
                                                      {7, "no such thing"}};
  for (const auto& [key, x] : found) {
    const auto lost = expected.find(key.seed);
    EXPECT_EQ(x.end == run_end::failed, lost != expected.end()) << key.seed;
    EXPECT_EQ(x.trouble, lost == expected.end() ? "" : lost->second);
  }
}

TEST(RunInProcesses, GoesOnWhenEveryRunEndsItsProcess) {
  const auto found = outcomes_of(some_keys(9), 2, [](run_key) -> run_outcome { ::_exit(1); });
  EXPECT_EQ(found.size(), 9u);
}

TEST(RunInProcesses, TakesOutcomesOfAnySize) {
  const auto found = outcomes_of(some_keys(3), 2, [](run_key key) {
    auto x = test::some_outcome(key);
    x.trouble.assign(500'000, 'x');
    return x;
  });
  for (const auto& [key, x] : found)
    EXPECT_EQ(x.trouble.size(), 500'000u);
}

TEST(RunInProcesses, DropsWhatIsRunningWhenItIsStopped) {
  std::vector<run_key> done;
  sweep_hooks hooks;
  hooks.ended = [&done](const run_outcome& x) { done.push_back(x.key); };
  hooks.stop = [&done] { return !done.empty(); };
  // All but the first would never end.
  const auto run = [](run_key key) {
    if (key.seed != 1)
      ::pause();
    return test::some_outcome(key);
  };
  EXPECT_FALSE(run_in_processes(some_keys(6), 2, run, hooks));
  EXPECT_EQ(done, (std::vector<run_key>{{1, 1}}));
}

TEST(UsableProcessors, IsAtLeastOne) {
  EXPECT_GE(usable_processors(), 1u);
}

} // namespace
} // namespace spillover
