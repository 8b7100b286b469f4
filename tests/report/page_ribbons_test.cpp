#include "report/page_parts.hpp"
#include "tests/report/log_builder.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace std::chrono_literals;
using test::log_builder;

constexpr const char* web = "us-west1/checkout/web/";

void instance_turns(log_builder& to, duration at, const std::string& number, instance_state before,
                    instance_state after) {
  to.add(at, web + number, {}, instance_changed{before, after, 1, "x"});
}

void endpoint_turns(log_builder& to, duration at, const std::string& number, health before,
                    health after) {
  to.add(at, web + number, {}, endpoint_changed{before, after, 2, 3, "x"});
}

TEST(PageRibbons, TellFromWhenOnWhoWasInWhichState) {
  using enum instance_state;
  using enum health;
  struct ribbon_case {
    const char* why = "";
    void (*write)(log_builder&) = nullptr;
    const char* expected = "";
  };
  const ribbon_case cases[] = {
    {"what it was before it changed holds from the start",
     [](log_builder& to) { endpoint_turns(to, 5s, "0", unknown, healthy); },
     R"([[0,"UNKNOWN",""],[5000000,"HEALTHY","us-west1#1"]])"},
    {"an endpoint is not there before its instance",
     [](log_builder& to) {
       instance_turns(to, 3s, "0", stopped, starting);
       endpoint_turns(to, 5s, "0", unhealthy, healthy);
     },
     R"([[3000000,"UNHEALTHY",""],[5000000,"HEALTHY","us-west1#2"]])"},
    {"nor after it",
     [](log_builder& to) {
       endpoint_turns(to, 5s, "0", unknown, healthy);
       instance_turns(to, 9s, "0", draining, stopped);
     },
     R"([[0,"UNKNOWN",""],[5000000,"HEALTHY","us-west1#1"],[9000000,"","us-west1#2"]])"},
    {"an instance whose endpoint never changed has no row",
     [](log_builder& to) {
       instance_turns(to, 3s, "1", stopped, starting);
       instance_turns(to, 4s, "1", starting, stopped);
       endpoint_turns(to, 5s, "0", unknown, healthy);
     },
     R"([[0,"UNKNOWN",""],[5000000,"HEALTHY","us-west1#3"]])"},
    {"what lasted no time is not shown",
     [](log_builder& to) {
       endpoint_turns(to, 5s, "0", unknown, healthy);
       endpoint_turns(to, 5s, "0", healthy, unhealthy);
     },
     R"([[0,"UNKNOWN",""],[5000000,"UNHEALTHY","us-west1#2"]])"},
    {"what changes at the start was nothing before",
     [](log_builder& to) { endpoint_turns(to, 0s, "0", unknown, healthy); },
     R"([[0,"HEALTHY","us-west1#1"]])"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    log_builder to;
    x.write(to);
    const event_index index{to.log};
    const auto rows = ribbons_json(index);
    ASSERT_EQ(rows.size(), 1u) << rows.dump();
    EXPECT_EQ(rows[0]["group"], "us-west1/checkout");
    EXPECT_EQ(rows[0]["kind"], "endpoint");
    EXPECT_EQ(rows[0]["runs"].dump(), x.expected);
  }
}

TEST(PageRibbons, StandWhereOneLooksForThem) {
  log_builder to;
  for (const auto* number : {"10", "9", "0"})
    endpoint_turns(to, 5s, number, health::unknown, health::healthy);
  const auto fault = to.half_falls_silent();
  const auto composite = to.region_turns_unhealthy(fault);
  to.consumer_learns(316s, composite, "clients-east", health::unhealthy);
  to.route_turns(317s, {}, "clients-east", "us-east1", "us-west1", 316s);
  const event_index index{to.log};
  std::vector<std::string> rows;
  for (const auto& x : ribbons_json(index))
    rows.push_back(x["kind"].get<std::string>() + " " + x["entity"].get<std::string>());
  EXPECT_EQ(rows, (std::vector<std::string>{
                    "route clients-east/lb", "neg clients-east/lb us-east1",
                    "composite us-east1/checkout/composite", "source us-east1/checkout/web/source",
                    "endpoint us-east1/checkout/web/0", "endpoint us-east1/checkout/web/1",
                    "endpoint us-east1/checkout/web/2", "endpoint us-east1/checkout/web/3",
                    "endpoint us-east1/checkout/web/4", "endpoint us-west1/checkout/web/0",
                    "endpoint us-west1/checkout/web/9", "endpoint us-west1/checkout/web/10"}));
}

TEST(PageFaults, LastUntilTheyEndOrTheRunDoes) {
  log_builder to;
  const auto first = to.half_falls_silent();
  to.fault_ends(360s, first);
  to.fault_starts(400s, "region us-west1 gone", "us-west1");
  const event_index index{to.log};
  const auto faults = faults_json(index);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0]["from_us"], 300'000'000);
  EXPECT_EQ(faults[0]["to_us"], 360'000'000);
  EXPECT_EQ(faults[0]["words"], "instances us-east1/checkout/web: 5 of 10 silent");
  EXPECT_EQ(faults[0]["event"], "director#2");
  EXPECT_EQ(faults[1]["from_us"], 400'000'000);
  EXPECT_TRUE(faults[1]["to_us"].is_null());
}

} // namespace
