#include "report/billing.hpp"

#include "report/format.hpp"
#include "report/verdict.hpp"
#include "tests/report/log_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::log_builder;

const std::string east = "us-east1/checkout/web";
const std::string west = "us-west1/checkout/web";

/// One second of a backend service.
void bill_second(log_builder& to, duration at, std::string_view of, std::uint64_t full,
                 std::uint64_t idle = 0) {
  revision_sample x;
  x.billed_milli = full;
  x.billed_idle_milli = idle;
  to.add(at, of, {}, x);
}

void bill_seconds(log_builder& to, duration from, duration until, std::string_view of,
                  std::uint64_t full, std::uint64_t idle = 0) {
  for (auto at = from + 1s; at <= until; at += 1s)
    bill_second(to, at, of, full, idle);
}

failover_cost cost_in(const log_builder& run, const failover_anatomy& x) {
  return cost_of(event_index{run.log}, x);
}

failover_anatomy failover_at(instant at, std::optional<duration> end = std::nullopt,
                             std::optional<duration> failback = std::nullopt) {
  failover_anatomy x;
  x.service = "checkout";
  x.from = "us-east1";
  x.fault_at = at;
  if (end)
    x.fault_end = run_start + *end;
  x.failback.span = failback;
  return x;
}

// Before the fault both regions cost 3 vCPUs and one that idles; since then 4 and 0.5.
TEST(FailoverCost, IsWhatTheFaultAddsInAllRegions) {
  log_builder run;
  bill_seconds(run, 0s, 180s, east, 99'000);
  for (const auto& [from, to] : {std::pair{180s, 300s}, {300s, 1200s}}) {
    bill_seconds(run, from, to, east, from < 300s ? 2'000 : 1'000);
    bill_seconds(run, from, to, west, from < 300s ? 1'000 : 3'000, from < 300s ? 1'000 : 500);
    bill_seconds(run, from, to, "us-west1/search/web", from < 300s ? 1'000 : 7'000);
  }
  run.end();
  const auto x = cost_in(run, failover_at(run_start + 300s, 400s, 10'500ms));
  EXPECT_EQ(x.to, run_start + 410'500ms);
  EXPECT_TRUE(x.back);
  EXPECT_EQ(x.seconds, 111u) << "the second in which failback ends counts";
  EXPECT_EQ(x.seconds_before, 120u);
  EXPECT_EQ(x.spent, (vcpu_cost{111 * 4'000, 111 * 500}));
  EXPECT_EQ(x.usual, (vcpu_cost{111 * 3'000, 111 * 1'000}));
  EXPECT_EQ(x.extra(), (vcpu_cost{111'000, -55'500}));
  EXPECT_EQ(x.missing, "");
}

TEST(FailoverCost, GoesOnToTheEndOfTheRunWithoutFailback) {
  log_builder run;
  bill_seconds(run, 180s, 1200s, west, 1'000);
  run.end();
  const failover_anatomy cases[] = {failover_at(run_start + 300s),
                                    failover_at(run_start + 300s, 400s)};
  for (const auto& anatomy : cases) {
    const auto x = cost_in(run, anatomy);
    EXPECT_EQ(x.to, run_start + 1200s);
    EXPECT_FALSE(x.back);
    EXPECT_EQ(x.seconds, 900u);
    EXPECT_EQ(x.extra(), vcpu_cost{});
  }
}

TEST(FailoverCost, RoundsTheRateBeforeOnce) {
  log_builder run;
  bill_seconds(run, 180s, 182s, west, 0);
  bill_second(run, 183s, west, 1'000);
  bill_seconds(run, 183s, 185s, west, 0);
  run.end();
  // A third of 1.000 in two seconds: 666.7 thousandths.
  EXPECT_EQ(cost_in(run, failover_at(run_start + 183s)).usual.full, 667);
}

TEST(FailoverCost, SaysWhyThereIsNothingToCompare) {
  log_builder run;
  bill_seconds(run, 180s, 200s, east, 0);
  bill_seconds(run, 180s, 200s, "us-west1/search/web", 1'000);
  run.end();
  EXPECT_EQ(cost_in(run, failover_at(run_start + 180s)).missing,
            "no second lies between the warm-up and the fault");
  EXPECT_EQ(cost_in(run, failover_at(run_start + 200s)).missing, "no second lies after the fault");
  auto x = failover_at(run_start + 190s);
  EXPECT_EQ(cost_in(run, x).missing, "nothing was billed before or since");
  x.service.clear(); // of every service
  EXPECT_EQ(cost_in(run, x).spent.full, 10'000);
}

TEST(Charged, IsWhatTheModeSays) {
  bill_closed x{"request_based", "interval", 3, 10, 20, 30, 60, 100, 200};
  EXPECT_EQ(charged(x).instances_milli, 40u);
  EXPECT_EQ(charged(x).cost, (vcpu_cost{20, 60}));
  x.mode = "instance_based";
  EXPECT_EQ(charged(x).instances_milli, 100u);
  EXPECT_EQ(charged(x).cost, (vcpu_cost{200, 0}));
}

bill_closed life_of(std::uint64_t milli) {
  return {"instance_based", "interval", 1, 0, 0, 0, 0, milli, milli};
}

TEST(Bills, AreAddedUpByRegion) {
  log_builder run;
  run.add(1200s, east + "/v1", {}, life_of(1'000));
  run.add(1200s, west, {}, life_of(20));
  run.add(1200s, east + "/v2", {}, life_of(300));
  const auto bills = bills_by_region(event_index{run.log});
  ASSERT_EQ(bills.size(), 2u);
  EXPECT_EQ(bills[0].region, "us-east1");
  EXPECT_EQ(bills[0].billed.cost.full, 1'300);
  EXPECT_EQ(bills[1].region, "us-west1");
  EXPECT_EQ(bills[1].billed.instances_milli, 20u);
}

TEST(Bills, AreAllocatedToConsumersByTheirTries) {
  log_builder run;
  run.add(1200s, east, {}, life_of(100));
  run.add(1200s, "us-east1/checkout/api", {}, life_of(1));
  run.add(1200s, "us-east1/checkout2/web", {}, life_of(5'000));
  const auto took = [&run](std::string_view service, const char* consumer, std::uint64_t tries) {
    books x;
    x.taken = tries;
    run.close_books(service, "service", consumer, x, tries);
  };
  took("us-east1/checkout", "a", 1);
  took("us-east1/checkout", "b", 1);
  took("us-east1/checkout", "c", 1);
  took("us-east1/checkout", "d", 0);
  took("us-east1/checkout2", "a", 7);
  const auto bills = bills_by_consumer(event_index{run.log});
  ASSERT_EQ(bills.size(), 4u);
  EXPECT_EQ(bills[0].of_tries, 3u);
  // Thirds of 101, that add up to it.
  EXPECT_EQ(bills[0].cost.full, 33);
  EXPECT_EQ(bills[1].cost.full, 34);
  EXPECT_EQ(bills[2].cost.full, 34);
  EXPECT_EQ(bills[3].consumer, "a");
  EXPECT_EQ(bills[3].service, "us-east1/checkout2");
  EXPECT_EQ(bills[3].cost.full, 5'000);
}

TEST(Audit, HoldsSecondsAgainstBills) {
  using testing::IsEmpty;
  struct {
    const char* why;
    std::uint64_t billed;
    std::vector<std::string> expected;
  } const cases[] = {
    {"exactly", 8'000, {}},
    {"a part of a second after the last sample", 8'500, {}},
    {"more than the bill",
     7'999,
     {"bill us-west1/checkout/web: 8,000 thousandths of vCPU seconds in its samples, more than "
      "7,999 in its bills"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    log_builder run;
    run.survivor_second(1s, 0, 0, 8);
    run.close_bill(west, x.billed);
    test::close_balanced_books(run);
    EXPECT_EQ(audit(run.log), x.expected);
  }
}

TEST(VcpuSeconds, AreShownInTenths) {
  struct {
    std::int64_t milli;
    const char* expected;
    const char* extra;
  } const cases[] = {
    {0, "0.0", "+0.0 vCPU-s"},
    {49, "0.0", "+0.0 vCPU-s"},
    {50, "0.1", "+0.1 vCPU-s"},
    {-49, "0.0", "+0.0 vCPU-s"},
    {-50, "-0.1", "-0.1 vCPU-s"},
    {1'530'249, "1,530.2", "+1,530.2 vCPU-s"},
    {-999'950, "-1,000.0", "-1,000.0 vCPU-s"},
  };
  for (const auto& x : cases) {
    EXPECT_EQ(vcpu_seconds_text(x.milli), x.expected);
    EXPECT_EQ(extra_vcpu_text(x.milli), x.extra);
  }
}

} // namespace
