#include "report/request_keeper.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

request_end ended(std::uint64_t number, duration latency, outcome how = outcome::ok,
                  duration at = 100s) {
  return {0, number, run_start + at - latency, run_start + at, how, 1};
}

/// @returns numbers that no sample takes, from 1 on.
std::vector<std::uint64_t> unsampled(std::size_t count) {
  std::vector<std::uint64_t> result;
  for (std::uint64_t i = 1; result.size() < count; ++i)
    if (!request_keeper::is_sampled(i))
      result.push_back(i);
  return result;
}

std::size_t count_if_kept(const request_keeper& x, bool kept_request::*reason) {
  const auto all = x.kept();
  return static_cast<std::size_t>(
    std::count_if(all.begin(), all.end(), [reason](const kept_request& y) { return y.*reason; }));
}

TEST(RequestKeeper, KeepsTheFirstFailuresUpToItsLimit) {
  request_keeper x{run_start};
  for (std::uint64_t i = 1; i <= request_keeper::most_failed + 5; ++i)
    x.add(ended(i, 1ms, outcome::lb_timeout));
  EXPECT_EQ(count_if_kept(x, &kept_request::failed), request_keeper::most_failed);
  EXPECT_EQ(count_if_kept(x, &kept_request::slow), 0u) << "a failure is not slow";
  const auto all = x.kept();
  EXPECT_EQ(all.front().what, ended(1, 1ms, outcome::lb_timeout));
  EXPECT_FALSE(std::any_of(all.begin(), all.end(), [](const kept_request& y) {
    return y.failed && y.what.number > request_keeper::most_failed;
  }));
}

TEST(RequestKeeper, KeepsTheSlowestInWhateverOrderTheyCome) {
  const auto numbers = unsampled(3 * request_keeper::most_slow);
  request_keeper x{run_start};
  // Latencies go up and down again: 1, 3, 5, ..., 6, 4, 2 ms.
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto up = i < numbers.size() / 2;
    const auto ms = up ? 2 * i + 1 : 2 * (numbers.size() - i);
    x.add(ended(numbers[i], std::chrono::milliseconds{ms}));
  }
  const auto all = x.kept();
  ASSERT_EQ(all.size(), request_keeper::most_slow);
  for (const auto& y : all) {
    EXPECT_TRUE(y.slow);
    EXPECT_GT(y.what.latency(), std::chrono::milliseconds{2 * request_keeper::most_slow});
  }
}

TEST(RequestKeeper, OfEquallySlowOnesTheFirstStay) {
  const auto numbers = unsampled(request_keeper::most_slow + 10);
  request_keeper x{run_start};
  for (const auto number : numbers)
    x.add(ended(number, 5ms));
  EXPECT_EQ(x.kept().back().what.number, numbers[request_keeper::most_slow - 1]);
}

TEST(RequestKeeper, LeavesTheWarmUpOutOfTheSlowest) {
  request_keeper x{run_start + 60s};
  const auto numbers = unsampled(3);
  x.add(ended(numbers[0], 9s, outcome::ok, 60s));
  x.add(ended(numbers[1], 1s, outcome::ok, 60s + 1ns));
  x.add(ended(numbers[2], 1s, outcome::unavailable, 10s));
  const auto all = x.kept();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].what.number, numbers[1]);
  EXPECT_TRUE(all[1].failed) << "failures count in the warm-up too";
}

TEST(RequestKeeper, SamplesOneInAThousandByNumber) {
  std::size_t sampled = 0;
  std::uint64_t last = 0, longest = 0;
  for (std::uint64_t i = 1; i <= 1'000'000; ++i) {
    if (!request_keeper::is_sampled(i))
      continue;
    ++sampled;
    longest = std::max(longest, i - last);
    last = i;
  }
  EXPECT_NEAR(static_cast<double>(sampled), 1'000, 10);
  EXPECT_LT(longest, 3'000u) << "they are spread evenly";
}

TEST(RequestKeeper, OneRequestMayBeKeptForSeveralReasons) {
  request_keeper x{run_start};
  std::uint64_t number = 1;
  while (!request_keeper::is_sampled(number))
    ++number;
  x.add(ended(number, 5ms));
  const auto all = x.kept();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(reasons_of(all[0]), "slow+sample");
}

TEST(RequestsKept, AreReadAsTheyWereWritten) {
  kept_requests x{{"clients-east", "clients-west"},
                  {{ended(7, 1500ns), false, true, true},
                   {ended(8, 2s, outcome::client_timeout), true, false, false}}};
  x.requests.push_back(x.requests[0]);
  x.requests[2].what.consumer = 1;
  x.requests[2].what.tries = 3;
  const auto text = to_csv(x);
  EXPECT_EQ(text, "consumer,request,intended_ns,ended_ns,latency_ns,outcome,tries,kept_as\n"
                  "clients-east,7,99999998500,100000000000,1500,ok,1,slow+sample\n"
                  "clients-east,8,98000000000,100000000000,2000000000,client_timeout,1,failed\n"
                  "clients-west,7,99999998500,100000000000,1500,ok,3,slow+sample\n");
  std::string problem;
  const auto read = read_kept_requests(text, problem);
  ASSERT_TRUE(read) << problem;
  EXPECT_EQ(*read, x);
}

TEST(RequestsKept, SaysInWhichLineAFileIsWrong) {
  const std::string head =
    "consumer,request,intended_ns,ended_ns,latency_ns,outcome,tries,kept_as\n";
  const struct {
    const char* why;
    std::string text;
    const char* problem;
  } cases[] = {
    {"another file", "second,level\n", "line 1: not the head of requests_kept.csv"},
    {"too few columns", head + "c,1,0,5,5,ok,1\n", "line 2: not a kept request"},
    {"too many columns", head + "c,1,0,5,5,ok,1,slow,\n", "line 2: not a kept request"},
    {"no number", head + "c,x,0,5,5,ok,1,slow\n", "line 2: not a kept request"},
    {"no outcome", head + "c,1,0,5,5,fine,1,slow\n", "line 2: not a kept request"},
    {"no reason", head + "c,1,0,5,5,ok,1,\n", "line 2: not a kept request"},
    {"a reason that there is not", head + "c,1,0,5,5,ok,1,slow+odd\n",
     "line 2: not a kept request"},
    {"a latency that does not add up", head + "c,1,0,5,4,ok,1,slow\n",
     "line 2: not a kept request"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    std::string problem;
    EXPECT_FALSE(read_kept_requests(x.text, problem));
    EXPECT_EQ(problem, x.problem);
  }
}

} // namespace
