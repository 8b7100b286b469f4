#include "model/fault.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

constexpr const char* web = "us-east1/checkout/web";

instance_fault failing(double error_fraction) {
  return {.of = web,
          .suffer = {.become = ailment::failing,
                     .error_fraction = error_fraction,
                     .status = outcome::internal_error},
          .fraction = 0.25};
}

struct told {
  const char* words;
  const char* target;
  decltype(fault::what) what;
};

void expect_told(std::initializer_list<told> cases) {
  for (const auto& x : cases) {
    const fault subject{.at = run_start, .what = x.what};
    EXPECT_EQ(to_string(subject), x.words);
    EXPECT_EQ(target_of(subject), x.target);
  }
}

TEST(Fault, OfInstancesIsToldInWordsWithItsTarget) {
  expect_told({
    {"instances us-east1/checkout/web: 50 % silent", web,
     instance_fault{.of = web, .suffer = {.become = ailment::silent}, .fraction = 0.5}},
    {"instances us-east1/checkout/web: 33.3 % crashed", web,
     instance_fault{.of = web, .suffer = {.become = ailment::crashed}, .fraction = 0.333}},
    {"instances us-east1/checkout/web: 0.05 % crashed", web,
     instance_fault{.of = web, .suffer = {.become = ailment::crashed}, .fraction = 0.0005}},
    {"instances us-east1/checkout/web: 3 crashed", web,
     instance_fault{.of = web, .suffer = {.become = ailment::crashed}, .count = 3}},
    {"instances us-east1/checkout/web: 25 % failing (10 % internal_error)", web, failing(0.1)},
    {"instances us-east1/checkout/web: 100 % slow (x 2.5)", web,
     instance_fault{.of = web, .suffer = {.become = ailment::slow, .factor = 2.5}}},
    {"instances us-east1/checkout/web: 100 % waiting (+200ms)", web,
     instance_fault{.of = web, .suffer = {.become = ailment::waiting, .by = 200ms}}},
    {"instances us-east1/checkout/web: 100 % leaking (0.125 vCPU a minute)", web,
     instance_fault{.of = web, .suffer = {.become = ailment::leaking, .vcpu_per_minute = 0.125}}},
    {"instances us-east1/checkout/web: 100 % of starts unstartable", web,
     instance_fault{.of = web, .suffer = {.become = ailment::unstartable}}},
    {"instances us-east1/checkout/web: 2 of starts slow_starting (x 4)", web,
     instance_fault{
       .of = web, .suffer = {.become = ailment::slow_starting, .factor = 4}, .count = 2}},
    {"instances us-east1/checkout/web: 100 % silent to probes", web,
     instance_fault{.of = web, .suffer = {.affects = affected_part::probes}}},
  });
}

TEST(Fault, OfAnythingElseIsToldInWordsWithItsTarget) {
  expect_told({
    {"zone us-east1-b: crashed", "us-east1-b",
     zone_fault{.region = "us-east1", .zone = "b", .become = ailment::crashed}},
    {"region us-east1: out of reach", "us-east1", region_fault{"us-east1"}},
    {"region us-east1: crashed and out of reach", "us-east1",
     region_fault{.region = "us-east1", .become = ailment::crashed}},
    {"link a -> b: data jittery (up to +50ms)", "a -> b",
     link_fault{.from = "a", .to = "b", .suffer = {.become = link_ailment::jittery, .by = 50ms}}},
    {"link a -> b: data loses 12.5 %", "a -> b",
     link_fault{.from = "a", .to = "b", .suffer = {.become = link_ailment::lossy, .share = 0.125}}},
    {"link a -> b: data duplicates 1 %", "a -> b",
     link_fault{
       .from = "a", .to = "b", .suffer = {.become = link_ailment::duplicating, .share = 0.01}}},
    {"link a -> b: data holds back 5 % for 1s", "a -> b",
     link_fault{.from = "a",
                .to = "b",
                .suffer = {.become = link_ailment::reordering, .by = 1s, .share = 0.05}}},
    {"link a -> b: data limited to 100/s", "a -> b",
     link_fault{
       .from = "a", .to = "b", .suffer = {.become = link_ailment::limited, .per_second = 100}}},
    {"probers us-east1/checkout/web: 1 lost", web, prober_fault{.of = web, .count = 1}},
    {"probers us-east1/checkout/web: all cut off", web,
     prober_fault{.of = web, .become = prober_ailment::cut_off}},
    {"quota us-east1/checkout/web: at most 3 starts a minute, 20 instances", web,
     quota_fault{.of = web, .starts_per_minute = 3, .instances = 20}},
    {"quota us-east1/checkout/web: at most 20 instances", web,
     quota_fault{.of = web, .instances = 20}},
    {"consumer clients: cut off", "clients", consumer_fault{"clients"}},
    {"load balancer clients: 60 % of requests end as bad_gateway", "clients",
     balancer_fault{"clients", 0.6}},
    {"clock us-east1: 3s ahead", "us-east1", clock_fault{"us-east1", 3s}},
    {"clock us-east1: 1s behind", "us-east1", clock_fault{"us-east1", -1s}},
    {"link a -> b: data cut", "a -> b", link_fault{.from = "a", .to = "b"}},
    {"link a <-> b: data and health +50ms", "a <-> b",
     link_fault{.from = "a",
                .to = "b",
                .both = true,
                .health = true,
                .suffer = {.become = link_ailment::delayed, .by = 50ms}}},
    {"link a -> b: health cut", "a -> b",
     link_fault{.from = "a", .to = "b", .data = false, .health = true}},
  });
}

TEST(Fault, ThatFlapsSaysHow) {
  const fault subject{.at = run_start, .what = region_fault{"us-east1"}, .flap = flapping{20s, 5s}};
  EXPECT_EQ(to_string(subject), "region us-east1: out of reach, 5s of every 20s");
}

} // namespace
