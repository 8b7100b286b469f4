#include "report/why_words.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

event made(std::string entity, payload what) {
  return {{1, 1}, {}, run_start, std::move(entity), std::move(what)};
}

std::string all_of(const event_words& x) {
  auto result = x.sentence;
  for (const auto& line : x.numbers)
    result += "\n" + line;
  return result;
}

/// An event, and how it is said.
struct saying {
  const char* why = "";
  event what;
  const char* expected = "";
};

void expect_said(std::initializer_list<saying> cases) {
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(all_of(words_of(x.what)), x.expected);
  }
}

TEST(WhyWords, SayWhatKnativeDecided) {
  expect_said({
    {"from one to eight in panic",
     made("us/shop/web", scaling_decided{"knative_kpa",
                                         1,
                                         8,
                                         1,
                                         0,
                                         "PANIC",
                                         {{"ready", 1},
                                          {"stable_milli", 50'000},
                                          {"panic_milli", 52'500},
                                          {"target_milli", 7'000},
                                          {"stable_pods", 8},
                                          {"panic_pods", 8},
                                          {"panicking", 1},
                                          {"rate_min", 0},
                                          {"rate_max", 1'000},
                                          {"desired", 8},
                                          {"excess_burst_capacity", -254},
                                          {"min", 0},
                                          {"max", 0}}}),
     "us/shop/web wants 8 instances, 1 before\n"
     "knative_kpa, driver PANIC: desired 8: stable 50 / 7 -> 8, panic 52.5 / 7 -> 8, in panic\n"
     "1 ready, so at least 0 and at most 1000\n"
     "min 0, max none; excess burst capacity -254\n"
     "1 running, 0 starting"},
    {"the activator comes", made("us/shop/web", path_changed{true, -1}),
     "requests to us/shop/web go through the activator\nexcess burst capacity -1"},
    {"and goes", made("us/shop/web", path_changed{false, 0}),
     "requests to us/shop/web go past the activator\nexcess burst capacity 0"},
  });
}

TEST(WhyWords, SayWhatBefallsInstancesAndLinks) {
  using enum instance_state;
  expect_said({
    {"a fault without a name",
     made("director", fault_started{0, "instances us-east1/checkout/web: 50 % silent", "x"}),
     "fault sets in: instances us-east1/checkout/web: 50 % silent"},
    {"a fault with a name", made("director", fault_started{0, "link a -> b: cut", "x", "fibre"}),
     "fault fibre sets in: link a -> b: cut"},
    {"its end", made("director", fault_ended{0, "link a -> b: cut", "x"}),
     "the fault is over: link a -> b: cut"},
    {"a fault takes hold of instances",
     made("us-east1/checkout/web", fault_applied{0, true, 5, 10, "silent"}),
     "5 of 10 of us-east1/checkout/web are silent"},
    {"and lets go", made("us-east1/checkout/web", fault_applied{0, false, 1, 10, "silent"}),
     "1 of 10 of us-east1/checkout/web is no longer silent"},
    {"a fault takes hold of a link", made("a/link/b", fault_applied{0, true, 1, 1, "cut"}),
     "the link a -> b is cut"},
    {"an instance falls ill",
     made("us-east1/checkout/web/7", instance_afflicted{0, true, "silent"}),
     "us-east1/checkout/web/7 becomes silent"},
    {"an instance recovers", made("us-east1/checkout/web/7", instance_afflicted{0, false, "slow"}),
     "us-east1/checkout/web/7 is no longer slow"},
    {"the first process of an instance",
     made("us-east1/checkout/web/7", instance_changed{starting, ready, 1, "started"}),
     "us-east1/checkout/web/7 is ready, starting before\nstarted"},
    {"a later process, in a zone",
     made("us-east1/checkout/web/7", instance_changed{crashed, starting, 2, "restarted", "a"}),
     "us-east1/checkout/web/7 is starting, crashed before\nrestarted, process 2, zone a"},
    {"a readiness probe that fails",
     made("us-east1/checkout/web/7",
          readiness_changed{false, "readiness probe failed 3 times in a row"}),
     "us-east1/checkout/web/7 takes no new requests for now\n"
     "readiness probe failed 3 times in a row"},
    {"and passes again",
     made("us-east1/checkout/web/7", readiness_changed{true, "readiness probe passed 1 time"}),
     "us-east1/checkout/web/7 takes new requests again\nreadiness probe passed 1 time"},
    {"auto-healing finds one that does not work",
     made("us-east1/checkout/web/7",
          auto_healing_judged{health::healthy, health::unhealthy, true, "5 s x 2, timeout 5 s"}),
     "auto-healing finds us-east1/checkout/web/7 UNHEALTHY, HEALTHY before\n"
     "5 s x 2, timeout 5 s; it is made anew"},
    {"and waits no longer for it",
     made("us-east1/checkout/web/7", auto_healing_judged{health::unhealthy, health::unhealthy, true,
                                                         "initial delay of 60 s is over"}),
     "auto-healing still finds us-east1/checkout/web/7 UNHEALTHY\n"
     "initial delay of 60 s is over; it is made anew"},
    {"Cloud Run's service health",
     made("us-east1/checkout/service_health",
          composite_changed{health::healthy, health::unhealthy, 2}),
     "service health of us-east1/checkout turns UNHEALTHY, HEALTHY before\ngeneration 2"},
    {"a quota", made("us-east1/checkout/web", start_denied{3, 1, "2 starts in 60 s"}),
     "us-east1/checkout/web may start 1 of 3 instances\n2 starts in 60 s"},
    {"a queue", made("us-east1/checkout/web", queue_changed{1}),
     "requests begin to wait at us-east1/checkout/web"},
    {"no queue", made("us-east1/checkout/web", queue_changed{0}),
     "no request waits at us-east1/checkout/web any more"},
    {"what has no words of its own", made("c/lb", attempt_sample{"a", 3, {}}),
     "c/lb: attempt sample\nregion=a sent=3 ended={}"},
  });
}

TEST(WhyWords, SayWhatHealthChecksAndConsumersMakeOfIt) {
  using enum health;
  expect_said({
    {"an endpoint",
     made("us-east1/checkout/web/7",
          endpoint_changed{healthy, unhealthy, 2, 3, "5 s x 2, timeout 5 s"}),
     "probers find us-east1/checkout/web/7 UNHEALTHY, HEALTHY before\n"
     "2 of 3 probers agree; 5 s x 2, timeout 5 s"},
    {"a source", made("us-east1/checkout/web/source", source_changed{healthy, unhealthy, 5, 10, 6}),
     "source us-east1/checkout/web turns UNHEALTHY, HEALTHY before\n"
     "5 of 10 endpoints healthy, 6 needed"},
    {"a composite",
     made("us-east1/checkout/composite",
          composite_changed{healthy, unhealthy, 2, "web=UNHEALTHY api=HEALTHY"}),
     "composite of us-east1/checkout turns UNHEALTHY, HEALTHY before\n"
     "generation 2; sources: web=UNHEALTHY api=HEALTHY"},
    {"a consumer learns",
     made("clients-east/lb", neg_changed{"us-east1", healthy, unhealthy, 2, 2'300'000'000}),
     "clients-east learns that us-east1 is UNHEALTHY, HEALTHY before\n"
     "generation 2, 2.3 s old by the sites' clocks"},
    {"endpoints",
     made("clients-east/lb",
          endpoints_seen{"us-east1", 5, 7, 1, "a=3/3 b=2/4+1?", 4, 2'300'000'000}),
     "clients-east learns that 5 of 7 endpoints of us-east1 are healthy\n"
     "by zone: a=3/3 b=2/4+1?; generation 4; 1 without a state yet, 2.3 s old by the sites' clocks"},
    {"one endpoint", made("c/lb", endpoints_seen{"a", 1, 1, 0, "a=1/1", 2, 0}),
     "c learns that 1 of 1 endpoint of a is healthy\nby zone: a=1/1; generation 2"},
    {"a route",
     made("clients-east/lb", routing_changed{"us-east1", "us-west1", false, 317'800'000'000,
                                             "us-east1=UNHEALTHY us-west1=HEALTHY"}),
     "clients-east/lb prefers us-west1, us-east1 before\n"
     "takes them for us-east1=UNHEALTHY us-west1=HEALTHY\n"
     "last request to us-east1 at 317.800 s"},
    {"no route", made("c/lb", routing_changed{"a", "", false, -1, "a=0/4"}),
     "c/lb has nowhere to send requests to, a before\ntakes them for a=0/4"},
    {"a route that stays, told for what holds a region",
     made("c/lb", routing_changed{"a", "a", false, -1, "a=UNHEALTHY(kept until 70s) b=HEALTHY"}),
     "c/lb prefers a, as before\ntakes them for a=UNHEALTHY(kept until 70s) b=HEALTHY"},
    {"a route by capacity",
     made("c/lb", routing_changed{"a", "a+b", false, -1,
                                  "a=8/10,load:100/100,drained:1/3,sheds(71%) "
                                  "b=10/10,load:41/?(29%) d=2/2,load:0/0,isolated"}),
     "c/lb prefers a+b, a before\n"
     "a: 8 of 10 endpoints healthy, load 100 of a capacity of 100, 1 of 3 backends drained, sheds load "
     "because too few endpoints of a backend are healthy, 71 % of the requests\n"
     "b: 10 of 10 endpoints healthy, load 41 of a capacity that is not known yet, 29 % of the requests\n"
     "d: 2 of 2 endpoints healthy, load 0 of a capacity of 0, kept out because the consumer is isolated "
     "from it"},
    {"a route by capacity, with an ejection",
     made("c/lb",
          routing_changed{"a", "b", false, -1, "a=2/2,load:0/0(ejected:1/2) b=1/1,load:5/9"}),
     "c/lb prefers b, a before\n"
     "a: 2 of 2 endpoints healthy, load 0 of a capacity of 0, ejected by 1 of 2 proxies\n"
     "b: 1 of 1 endpoints healthy, load 5 of a capacity of 9"},
    {"the first route, and failing open", made("c/lb", routing_changed{"", "a+b", true, -1, ""}),
     "c/lb prefers a+b, the first time\nevery region is unhealthy, so all of them are used"},
  });
}

TEST(WhyWords, SayWhatBecameOfAConnection) {
  using enum connectivity;
  const auto of = [](connectivity before, connectivity after, connection_reason why,
                     std::uint32_t address, const char* in_use) {
    return made("c/lb", connection_changed{2, "a", before, after, why, address, in_use});
  };
  using enum connection_reason;
  expect_said({
    {"a priority is tried", of(idle, connecting, started, 1, "a"),
     "c/lb, channel 2, to a turns CONNECTING, IDLE before\n"
     "the priority is tried; address 1\nin use is a"},
    {"the next address", of(connecting, connecting, timed_out, 2, "a"),
     "c/lb, channel 2, to a is still CONNECTING\n"
     "the attempt had no answer in its time; address 2\nin use is a"},
    {"the failover timer", of(connecting, connecting, failover_timeout, 2, "b"),
     "c/lb, channel 2, to a is still CONNECTING\n"
     "its failover timer is over; the next priority is tried as well; address 2\nin use is b"},
    {"a lost connection", of(ready, idle, keepalive, 1, "a"),
     "c/lb, channel 2, to a turns IDLE, READY before\n"
     "a keepalive ping had no answer\nin use is a"},
    {"nothing is left", of(ready, idle, unused, 1, ""),
     "c/lb, channel 2, to a turns IDLE, READY before\n"
     "nobody used the priority for 15 minutes\nno region is in use"},
  });
}

TEST(WhyWords, SayWhatAProxyMadeOfARegion) {
  outlier_changed row{2,
                      "us-east1",
                      outlier_action::ejected,
                      ejection_type::consecutive_5xx,
                      "",
                      361'200'000'000,
                      {{"consecutive", 5},
                       {"threshold", 5},
                       {"ejected", 0},
                       {"regions", 2},
                       {"most_ejected", 1},
                       {"multiplier", 2},
                       {"base_ejection_time_ns", 30'000'000'000},
                       {"max_ejection_time_ns", 300'000'000'000},
                       {"jitter_ns", 1'200'000'000}}};
  auto gateway = row;
  gateway.action = outlier_action::spared;
  gateway.detector = ejection_type::consecutive_gateway_failure;
  gateway.reason = "max_ejection_percent 10 of 2 allows 1 ejected at a time";
  auto rate = gateway;
  rate.detector = ejection_type::success_rate;
  rate.inputs = {{"requests", 200},
                 {"success_rate_milli", 51'849},
                 {"mean_milli", 90'370},
                 {"stdev_milli", 19'260},
                 {"threshold_milli", 53'776}};
  auto percentage = gateway;
  percentage.detector = ejection_type::failure_percentage;
  percentage.inputs = {{"requests", 200}, {"failures", 171}, {"threshold", 85}};
  const outlier_changed back{2,
                             "us-east1",
                             outlier_action::returned,
                             ejection_type::success_rate,
                             "",
                             -1,
                             {{"ejected", 0}, {"regions", 2}, {"multiplier", 2}}};
  expect_said({
    {"errors in a row", made("c/lb", row),
     "c/lb, proxy 2, ejects us-east1\n"
     "consecutive_5xx: 5 errors in a row\n"
     "ejection 2 in a row: 30 s x 2, at most 300 s, and jitter 1.2 s; back at the first sweep from 361.200 s on\n"
     "0 of 2 regions were ejected, at most 1 may be"},
    {"what a cap spared", made("c/lb", gateway),
     "c/lb, proxy 2, would eject us-east1 and does not\n"
     "consecutive_gateway_failure: 5 gateway errors in a row\n"
     "max_ejection_percent 10 of 2 allows 1 ejected at a time"},
    {"a success rate", made("c/lb", rate),
     "c/lb, proxy 2, would eject us-east1 and does not\n"
     "success_rate: success rate 51.8 % of 200 requests is below mean 90.4 % less standard deviations, "
     "53.8 %\n"
     "max_ejection_percent 10 of 2 allows 1 ejected at a time"},
    {"a failure percentage", made("c/lb", percentage),
     "c/lb, proxy 2, would eject us-east1 and does not\n"
     "failure_percentage: 171 of 200 requests failed, 85 % are enough\n"
     "max_ejection_percent 10 of 2 allows 1 ejected at a time"},
    {"a return", made("c/lb", back),
     "c/lb, proxy 2, takes us-east1 back\n"
     "its time is over; success_rate had ejected it\n0 of 2 regions are ejected now"},
    {"a route that failed open",
     made("c/lb", routing_changed{"b", "a+b", true, -1, "a=HEALTHY(ejected:1/1) b=UNHEALTHY"}),
     "c/lb prefers a+b, b before\nevery region is unhealthy or ejected, so all of them are used\n"
     "takes them for a=HEALTHY(ejected:1/1) b=UNHEALTHY"},
  });
}

/// @returns a decision of us-west1/checkout/web in words.
std::string said(std::uint32_t before, std::uint32_t after, const char* policy, const char* driver,
                 std::vector<std::pair<std::string, std::int64_t>> inputs) {
  return all_of(
    words_of(made("us-west1/checkout/web",
                  scaling_decided{policy, before, after, before, 1, driver, std::move(inputs)})));
}

TEST(WhyWords, ComputeADecisionAsThePolicyDoes) {
  EXPECT_EQ(said(12, 14, "cloud_run", "CONCURRENCY",
                 {{"n", 12},
                  {"cpu_avg60_milli", 5100},
                  {"cpu_raw_milli", 8500},
                  {"cpu_count", 9},
                  {"concurrency_avg60_milli", 632000},
                  {"concurrency_avg600_milli", 400000},
                  {"concurrency_raw_milli", 13167},
                  {"concurrency_count", 14},
                  {"cpu_target_milli", 600},
                  {"concurrency_target_milli", 600},
                  {"cpu_capacity_milli", 1000},
                  {"concurrency_limit", 80},
                  {"dead_band", 1},
                  {"min", 10},
                  {"max", 50}}),
            "us-west1/checkout/web wants 14 instances, 12 before\n"
            "cloud_run, driver CONCURRENCY: CPU 5.1 / (1 x 0.6) = 8.5 -> 9\n"
            "CONCURRENCY max(632, 400) / (80 x 0.6) = 13.167 -> 14\n"
            "min 10, max 50\n"
            "12 running, 1 starting");
}

TEST(WhyWords, SayThatTheDeadBandHoldsADriver) {
  EXPECT_EQ(said(5, 8, "cloud_run", "CONCURRENCY",
                 {{"n", 5},
                  {"cpu_avg60_milli", 3250},
                  {"cpu_raw_milli", 5417},
                  {"cpu_count", 5},
                  {"cpu_target_milli", 600},
                  {"min", 1},
                  {"max", 8}}),
            "us-west1/checkout/web wants 8 instances, 5 before\n"
            "cloud_run, driver CONCURRENCY: CPU 3.25 / 0.6 = 5.417 -> 5 (dead band: stays)\n"
            "min 1, max 8\n"
            "5 running, 1 starting");
}

TEST(WhyWords, SayWhatARequestWithoutASlotWasTold) {
  EXPECT_EQ(
    said(4, 5, "cloud_run", "ON_DEMAND",
         {{"members", 4},
          {"max", 50},
          {"queue", 612},
          {"wait_coming_ms", -1},
          {"wait_existing_ms", 2236},
          {"cold_start_ms", 2235},
          {"overdue", 0}}),
    "us-west1/checkout/web wants 5 instances, 4 before\n"
    "cloud_run, driver ON_DEMAND: no slot is free, 612 requests waiting; 4 of at most 50 "
    "instances\n"
    "wait for a slot of the present ones 2.2 s, for one that starts already none, for a new "
    "one 2.2 s\n"
    "4 running, 1 starting");
}

TEST(WhyWords, SayInputsOfAPolicyToComeByTheirNames) {
  EXPECT_EQ(
    said(1, 2, "novel", "PANIC",
         {{"stable_window_ns", 60'000'000'000},
          {"stable_milli", 1250},
          {"lag_ms", 1500},
          {"drift_milli", -5},
          {"ready", 1}}),
    "us-west1/checkout/web wants 2 instances, 1 before\n"
    "novel, driver PANIC: stable window 60 s, stable 1.25, lag 1.5 s, drift -0.005, ready 1\n"
    "1 running, 1 starting");
  EXPECT_EQ(said(1, 2, "mute", "MIN", {}), "us-west1/checkout/web wants 2 instances, 1 before\n"
                                           "mute, driver MIN: 1 running, 1 starting");
}

} // namespace
