#include "producers/cpu_sharing.hpp"

#include "model/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace spillover {
namespace {

using namespace std::chrono_literals;

using ends = std::vector<std::pair<std::uint32_t, instant>>;

/// Takes out everything that ends by `until`, at the time at which it ends.
ends run(cpu_sharing& x, instant until) {
  ends result;
  while (x.next_end() <= until) {
    const auto at = x.next_end();
    const auto job = x.take_ended(at);
    if (!job) {
      ADD_FAILURE() << "nothing ended at " << at.time_since_epoch().count();
      return result;
    }
    result.emplace_back(*job, at);
  }
  return result;
}

TEST(CpuSharing, JobsAloneEndExactlyWhenTheirWorkIsDone) {
  cpu_sharing x{1};
  EXPECT_EQ(x.next_end(), never);
  const auto t = run_start + 123'456'789ns;
  x.add(t, 7, 15ms);
  EXPECT_EQ(x.next_end(), t + 15ms);
  EXPECT_EQ(x.take_ended(t + 15ms - 1ns), std::nullopt);
  EXPECT_EQ(x.take_ended(t + 15ms), 7u);
  EXPECT_EQ(x.take_ended(t + 15ms), std::nullopt);
  EXPECT_EQ(x.next_end(), never);
  EXPECT_EQ(x.used(t + 1s), 15ms);
}

TEST(CpuSharing, SharesWhatThereIsEqually) {
  struct {
    const char* why;
    double cpu;
    std::vector<std::pair<duration, duration>> jobs; // when each comes, its work
    std::vector<std::pair<std::uint32_t, duration>> expected;
  } const cases[] = {
    {"two on one vCPU take twice as long", 1, {{0s, 10ms}, {0s, 10ms}}, {{0, 20ms}, {1, 20ms}}},
    {"two on two do not notice each other", 2, {{0s, 10ms}, {3ms, 20ms}}, {{0, 10ms}, {1, 23ms}}},
    {"a job runs on one vCPU at most", 4, {{0s, 10ms}}, {{0, 10ms}}},
    {"half a vCPU", 0.5, {{0s, 10ms}}, {{0, 20ms}}},
    {"a short job passes a long one", 1, {{0s, 10ms}, {4ms, 2ms}}, {{1, 8ms}, {0, 12ms}}},
    {"three on two", 2, {{0s, 10ms}, {0s, 10ms}, {0s, 10ms}}, {{0, 15ms}, {1, 15ms}, {2, 15ms}}},
    {"of equal ones the first that came ends first",
     1,
     {{0s, 6ms}, {2ms, 4ms}},
     {{0, 10ms}, {1, 10ms}}},
    {"no work at all", 1, {{0s, 6ms}, {2ms, 0ms}}, {{1, 2ms}, {0, 6ms}}},
    {"rounded up to a nanosecond",
     1,
     {{0s, 1ns}, {0s, 1ns}, {1ns, 1ns}},
     {{0, 3ns}, {1, 3ns}, {2, 4ns}}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    cpu_sharing sharing{x.cpu};
    ends result;
    for (std::uint32_t i = 0; i < x.jobs.size(); ++i) {
      const auto at = run_start + x.jobs[i].first;
      for (const auto& end : run(sharing, at - 1ns))
        result.push_back(end);
      sharing.add(at, i, x.jobs[i].second);
    }
    for (const auto& end : run(sharing, run_start + 1h))
      result.push_back(end);
    ends expected;
    for (const auto& [job, at] : x.expected)
      expected.emplace_back(job, run_start + at);
    EXPECT_EQ(result, expected);
  }
}

TEST(CpuSharing, LateCallersFindJobsEndedWhenTheyDid) {
  cpu_sharing x{1};
  x.add(run_start, 1, 10ms);
  x.add(run_start, 2, 20ms);
  EXPECT_EQ(x.used(run_start + 1s), 30ms) << "20 ms for the first, then the second had it alone";
  EXPECT_EQ(x.size(), 2u);
  EXPECT_EQ(x.next_end(), run_start + 20ms);
  x.add(run_start + 1s, 3, 5ms);
  EXPECT_EQ(x.take_ended(run_start + 1s), 1u);
  EXPECT_EQ(x.next_end(), run_start + 30ms);
  EXPECT_EQ(x.take_ended(run_start + 1s), 2u);
  EXPECT_EQ(x.take_ended(run_start + 1s), std::nullopt);
  EXPECT_EQ(x.next_end(), run_start + 1s + 5ms) << "the late ones do not slow it down";
  EXPECT_EQ(x.size(), 1u);
}

TEST(CpuSharing, ForgetsItsJobsButNotWhatTheyUsed) {
  cpu_sharing x{1};
  x.add(run_start, 1, 10ms);
  x.add(run_start, 2, 10ms);
  x.clear(run_start + 4ms);
  EXPECT_EQ(x.size(), 0u);
  EXPECT_EQ(x.next_end(), never);
  EXPECT_EQ(x.take_ended(run_start + 1s), std::nullopt);
  EXPECT_EQ(x.used(run_start + 1s), 4ms);
  x.add(run_start + 1s, 3, 10ms);
  EXPECT_EQ(x.next_end(), run_start + 1s + 10ms);
}

TEST(CpuSharing, CountsWhatIsUsedUpToAnyInstant) {
  cpu_sharing x{2};
  x.add(run_start, 1, 10ms);
  EXPECT_EQ(x.used(run_start + 4ms), 4ms) << "one job uses one vCPU";
  x.add(run_start + 4ms, 2, 10ms);
  x.add(run_start + 4ms, 3, 10ms);
  EXPECT_EQ(x.used(run_start + 7ms), 10ms) << "three use both";
}

/// The same by the smallest steps: nanosecond by nanosecond, each job on its own.
class small_steps {
public:
  explicit small_steps(double cpu) : cpu_(cpu) {}

  void add(std::uint32_t key, duration work) {
    jobs_.push_back({key, static_cast<double>(work.count())});
  }

  /// Takes out jobs that have no work left, or less than 1/256 of a nanosecond's, least first.
  std::vector<std::uint32_t> take() {
    std::vector<std::uint32_t> result;
    while (!jobs_.empty()) {
      const auto least = std::min_element(
        jobs_.begin(), jobs_.end(), [](const job& x, const job& y) { return x.left < y.left; });
      if (least->left > speed() / 256)
        break;
      work(least->left);
      result.push_back(least->key);
      jobs_.erase(least);
    }
    return result;
  }

  void step() {
    if (jobs_.empty())
      return;
    auto amount = speed();
    for (const auto& x : jobs_)
      amount = std::min(amount, x.left);
    work(amount);
  }

  void set_cpu(double cpu) { cpu_ = cpu; }

  [[nodiscard]] double used() const { return used_; }

private:
  struct job {
    std::uint32_t key;
    double left;
  };

  [[nodiscard]] double speed() const {
    return std::min(1.0, cpu_ / static_cast<double>(jobs_.size()));
  }

  void work(double amount) {
    for (auto& x : jobs_)
      x.left -= amount;
    used_ += amount * static_cast<double>(jobs_.size());
  }

  double cpu_;
  double used_ = 0;
  std::vector<job> jobs_;
};

TEST(CpuSharing, AgreesWithTheSmallestSteps) {
  random_stream random{1, "cpu_sharing"};
  for (const auto& [cpu, other] : {std::pair{0.25, 0.25},
                                   {1.0, 1.0},
                                   {2.0, 2.0},
                                   {3.5, 3.5},
                                   {8.0, 8.0},
                                   {2.0, 1.0},
                                   {4.0, 0.3}}) {
    SCOPED_TRACE(cpu);
    cpu_sharing sharing{cpu};
    small_steps reference{cpu};
    std::vector<std::pair<std::uint32_t, std::int64_t>> got;
    std::vector<std::pair<std::uint32_t, std::int64_t>> expected;
    std::uint32_t job = 0;
    for (std::int64_t t = 0; t < 200'000; ++t) {
      const auto now = run_start + duration{t};
      for (const auto& [ended, at] : run(sharing, now))
        got.emplace_back(ended, at.time_since_epoch().count());
      for (const auto ended : reference.take())
        expected.emplace_back(ended, t);
      if (other != cpu && random.below(500) == 0) {
        const auto now_there = random.below(2) == 0 ? cpu : other;
        sharing.set_cpu(now, now_there);
        reference.set_cpu(now_there);
      }
      if (random.below(300) == 0 && t < 150'000)
        for (auto n = random.below(6); n > 0; --n) {
          const duration work{1 + static_cast<duration::rep>(random.below(400))};
          sharing.add(now, job, work);
          reference.add(job++, work);
        }
      if (random.below(1000) == 0) {
        ASSERT_NEAR(static_cast<double>(sharing.used(now).count()), reference.used(), 1.001);
      }
      reference.step();
    }
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(got, expected);
    EXPECT_GT(got.size(), 100u);
  }
}

TEST(CpuSharing, LosesNoWorkOverHours) {
  random_stream random{2, "cpu_sharing"};
  cpu_sharing x{2};
  duration given{};
  duration done{};
  duration last{};
  std::vector<duration> works;
  // One long job, so that virtual work is large from the start and never set back for being idle.
  x.add(run_start, 0, 1000h);
  works.push_back(1000h);
  given += 1000h;
  auto now = run_start + 500h;
  while (now < run_start + 504h) {
    now += duration{static_cast<duration::rep>(random.below(200'000'000))};
    while (x.next_end() <= now)
      done += works[*x.take_ended(x.next_end())];
    const duration work{static_cast<duration::rep>(random.below(150'000'000))};
    x.add(now, static_cast<std::uint32_t>(works.size()), work);
    works.push_back(work);
    given += work;
    const auto used = x.used(now);
    ASSERT_GE(used, last);
    ASSERT_LE(used, 2 * (now - run_start));
    ASSERT_LE(done, used);
    ASSERT_LE(used, given);
    last = used;
  }
  while (x.size() > 0) {
    now = x.next_end();
    done += works[*x.take_ended(now)];
  }
  EXPECT_EQ(done, given);
  EXPECT_NEAR(static_cast<double>(x.used(now).count()), static_cast<double>(given.count()), 1);
}

TEST(CpuSharing, ALongLifeDoesNotBlurEnds) {
  random_stream random{4, "cpu_sharing"};
  cpu_sharing old{2};
  cpu_sharing fresh{2};
  old.add(run_start, 0, 1000h);
  auto now = run_start + 500h;
  fresh.add(now, 0, 500h);
  for (std::uint32_t i = 1; i < 5'000; ++i) {
    const duration work{static_cast<duration::rep>(random.below(150'000'000))};
    old.add(now, i, work);
    fresh.add(now, i, work);
    now += duration{static_cast<duration::rep>(random.below(90'000'000))};
    ASSERT_EQ(run(old, now), run(fresh, now));
  }
}

TEST(CpuSharing, StaysExactAfterHoursOfOverload) {
  random_stream random{3, "cpu_sharing"};
  cpu_sharing x{3};
  auto now = run_start;
  x.add(now, 0, 100h); // keeps it from being idle
  for (int i = 0; i < 30'000; ++i) {
    now += duration{static_cast<duration::rep>(random.below(100'000'000))};
    run(x, now);
    for (std::uint32_t n = 0; n < 5; ++n)
      x.add(now, 1 + n, duration{static_cast<duration::rep>(random.below(60'000'000))});
  }
  now += 1h;
  run(x, now);
  ASSERT_EQ(x.size(), 1u);
  for (int i = 0; i < 1000; ++i) {
    now += duration{static_cast<duration::rep>(random.below(1'000'000'000))};
    x.add(now, 9, 15ms);
    ASSERT_EQ(x.next_end(), now + 15ms);
    ASSERT_EQ(x.take_ended(now += 15ms), 9u);
  }
}

TEST(CpuSharing, JobsShareWhatTheBackgroundLeaves) {
  cpu_sharing x{2};
  x.set_background(run_start, 1.5);
  x.add(run_start, 1, 10ms);
  EXPECT_EQ(x.next_end(), run_start + 20ms);
  EXPECT_EQ(x.used(run_start + 10ms), 5ms + 15ms);
  // From here on a whole vCPU is left.
  x.set_background(run_start + 10ms, 1);
  EXPECT_EQ(x.next_end(), run_start + 15ms);
  EXPECT_EQ(x.take_ended(run_start + 15ms), 1u);
  EXPECT_EQ(x.used(run_start + 20ms), 10ms + 15ms + 10ms);
  x.clear(run_start + 20ms);
  EXPECT_EQ(x.used(run_start + 30ms), 10ms + 15ms + 20ms) << "it goes on without jobs";
}

TEST(CpuSharing, WithoutItsBackgroundItIsAsEver) {
  // Odd numbers, so that a last bit would show.
  random_stream random{1, "jobs"};
  cpu_sharing with{0.7};
  cpu_sharing without{0.7};
  with.set_background(run_start + 1s, 0.3);
  with.set_background(run_start + 2s, 0.1);
  with.set_background(run_start + 3s, 0);
  const auto leaked = with.used(run_start + 4s);
  EXPECT_EQ(leaked, 400ms);
  for (std::uint32_t i = 0; i < 200; ++i) {
    const auto at = run_start + 4s + i * 7'000'003ns;
    const duration work{static_cast<duration::rep>(random.below(9'000'000))};
    EXPECT_EQ(run(with, at), run(without, at));
    with.add(at, i, work);
    without.add(at, i, work);
    EXPECT_EQ(with.used(at), without.used(at) + leaked);
  }
  EXPECT_EQ(run(with, run_start + 1h), run(without, run_start + 1h));
}

} // namespace
} // namespace spillover
