#include "report/subscriptions.hpp"
#include "tests/support/small_world.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using test::instances_become;
using test::small_world;
using test::whole_run;

/// Messages to workers near, 40 a second, beside nothing else; acknowledged within 55 ms or so.
scenario pushing_world(push_subscription_config jobs = {}) {
  auto x = small_world();
  x.lasts = 300s;
  jobs.publish.rate = {{run_start, 40, false}, {run_start + 240s, 0, false}};
  x.consumers[0].traffic = {jobs};
  x.consumers[0].load_balancer.timeout = 30s;
  x.consumers[0].load_balancer.retries = 0;
  return x;
}

std::vector<subscription_sample> seconds_of(const event_log& log) {
  std::vector<subscription_sample> result;
  for (const auto& x : log.events())
    if (const auto* second = std::get_if<subscription_sample>(&x.what))
      result.push_back(*second);
  return result;
}

subscription_summary summary_of(const event_log& log) {
  const auto all = summarise_subscriptions(event_index{log});
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? subscription_summary{} : all.front();
}

TEST(PushSubscriptionOfAWorld, KeepsUpWhileAllIsWell) {
  const auto log = whole_run(pushing_world()).log();
  EXPECT_EQ(audit(log), std::vector<std::string>{});
  const auto x = summary_of(log).books;
  EXPECT_GT(x.published, 9'000u);
  EXPECT_EQ(x.acked, x.published);
  EXPECT_EQ(x.pushes, x.published);
  const auto seconds = seconds_of(log);
  ASSERT_EQ(seconds.size(), 300u);
  EXPECT_EQ(seconds[200].backlog, 0u);
  EXPECT_GT(seconds[200].window, 1'000u) << "it grows with every acknowledged push";
}

TEST(PushSubscriptionOfAWorld, ABrownOutMakesMessagesWaitAndLosesNone) {
  auto x = pushing_world();
  // Nobody leaves, as half of the instances are enough for the composite; they fail every request.
  x.faults = {instances_become(ailment::failing, run_start + 60s, 60s, 1)};
  x.published_services[0].composite_health.reset();
  x.published_services[1].composite_health.reset();
  const auto log = whole_run(x).log();
  EXPECT_EQ(audit(log), std::vector<std::string>{});
  const auto all = summary_of(log);
  EXPECT_GT(all.peak, 2'000u) << "forty a second for a minute";
  EXPECT_LE(all.peak, 40u * 130);
  ASSERT_TRUE(all.peak_at && all.drained_at);
  EXPECT_GT(*all.peak_at, run_start + 110s);
  EXPECT_LT(*all.drained_at, run_start + 240s);
  EXPECT_EQ(all.books.acked, all.books.published);
  EXPECT_GT(all.books.redelivered, 0u);
  const auto seconds = seconds_of(log);
  EXPECT_LT(seconds[118].window, 10u);
  EXPECT_GT(seconds[110].oldest_age_ms, 30'000u);
  EXPECT_LT(seconds[238].oldest_age_ms, 1'000u);
}

TEST(PushSubscriptionOfAWorld, SilenceEndsAtTheDeadlineAndLateAnswersAreDuplicates) {
  auto x = pushing_world();
  fault slow = instances_become(ailment::waiting, run_start + 60s, 30s, 1);
  std::get<instance_fault>(slow.what).suffer.by = 12s;
  x.faults = {slow};
  const auto log = whole_run(x).log();
  EXPECT_EQ(audit(log), std::vector<std::string>{});
  const auto books = summary_of(log).books;
  EXPECT_GT(books.duplicates, 0u) << "the work was done, but too late";
  EXPECT_GE(books.redelivered, books.duplicates);
  EXPECT_EQ(books.acked, books.published);
}

TEST(PushSubscriptionOfAWorld, BooksBalanceInTheMiddleOfAnOutage) {
  push_subscription_config jobs;
  jobs.max_delivery_attempts = 5;
  jobs.window.longest_pause = {};
  for (const auto lasts : {61s, 70s, 100s}) {
    SCOPED_TRACE(to_string(lasts));
    auto x = pushing_world(jobs);
    x.lasts = lasts;
    x.faults = {instances_become(ailment::failing, run_start + 60s, 60s, 1)};
    const auto log = whole_run(x).log();
    EXPECT_EQ(audit(log), std::vector<std::string>{});
    const auto books = summary_of(log).books;
    EXPECT_GT(books.backlog + books.outstanding + books.dead_lettered, 0u);
  }
}

TEST(PushSubscriptionOfAWorld, SameSeedSameHistory) {
  auto x = pushing_world();
  x.faults = {instances_become(ailment::failing, run_start + 60s, 60s, 0.5)};
  const auto history = [](const scenario& of) {
    std::string result;
    const auto log = whole_run(of).log();
    for (const auto& e : log.events())
      append_event_line(result, e, log.sites());
    return result;
  };
  const auto first = history(x);
  EXPECT_EQ(first, history(x));
  x.seed = 2;
  EXPECT_NE(first, history(x));
}

} // namespace
} // namespace spillover
