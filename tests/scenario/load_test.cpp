#include "tests/scenario/sample.hpp"

namespace spillover::test {

namespace {

using namespace std::chrono_literals;

const link_spec& link(const scenario& x, std::string_view from, std::string_view to) {
  for (const auto& y : x.links)
    if (y.from == from && y.to == to)
      return y;
  ADD_FAILURE() << "no link from " << from << " to " << to;
  return x.links.front();
}

const link_config& on(const link_spec& x, plane which) {
  return x.planes[static_cast<std::size_t>(which)];
}

TEST(ParseScenario, ReadsTheBrownoutAsTheDesignHasIt) {
  const auto text = read_file(SPILLOVER_SOURCE_DIR "/configs/us-east1-brownout.yaml");
  const auto x = valid(text);
  EXPECT_EQ(x.name, "us-east1-brownout");
  EXPECT_EQ(x.seed, 1u);
  EXPECT_EQ(x.lasts, 20min);
  EXPECT_EQ(x.warm_up, 3min);
  EXPECT_EQ(x.regions, (std::vector<std::string>{"us-east1", "us-west1"}));
  ASSERT_EQ(x.published_services.size(), 2u);
  const auto& east = x.published_services[0];
  EXPECT_EQ(east.path(), "us-east1/checkout");
  const auto& web = east.backend_services.at(0);
  EXPECT_EQ(web.instance.service_time, distribution(lognormal_distribution{40ms, 200ms}));
  EXPECT_EQ(web.instance.cpu_per_request, 15ms);
  EXPECT_EQ(web.autoscaling,
            autoscaling_config(cloud_run_config{.min_instances = 10, .max_instances = 50}));
  EXPECT_EQ(x.published_services[1].backend_services[0].autoscaling,
            autoscaling_config(cloud_run_config{.min_instances = 4, .max_instances = 50}));
  ASSERT_TRUE(east.composite_health);
  EXPECT_EQ(east.composite_health->sources, (std::vector<health_source_spec>{{"web", {60, 1}}}));
  ASSERT_EQ(x.consumers.size(), 1u);
  EXPECT_EQ(x.consumers[0].service, "checkout");
  EXPECT_EQ(std::get<open_loop_config>(x.consumers[0].traffic.at(0)).rate,
            (std::vector<rate_step>{{run_start, 300, false}, {run_start + 15min, 500, false}}));
  EXPECT_EQ(on(link(x, "us-west1", "clients-east"), plane::data), (link_config{62ms, 2ms, 0}));
  const fault silent{run_start + 5min, 6min,
                     instance_fault{.of = "us-east1/checkout/web", .fraction = 0.5}};
  EXPECT_EQ(x.faults, std::vector<fault>{silent});
  EXPECT_EQ(x.expectations,
            (std::vector<expectation>{
              expect_failover{"us-east1", 20s}, expect_capacity_recovered{"us-west1", 90s},
              expect_errors{run_start + 5min, run_start + 7min, 0.005},
              expect_failback{"us-east1", 30s}, expect_transitions{"us-east1/checkout", 2}}));
}

TEST(ParseScenario, WhatAFileLeavesOutIsAsInTheStructs) {
  const auto x =
    valid("{name: a, duration: 1m, producers: {b: {regions: [c], backend_services: {d: "
          "{}}}}, consumers: {e: {traffic: [{closed_loop: {}}]}}}");
  backend_service_spec plain;
  plain.name = "d";
  EXPECT_EQ(x.published_services.at(0).backend_services.at(0), plain);
  EXPECT_FALSE(x.published_services[0].composite_health);
  EXPECT_EQ(x.consumers.at(0).load_balancer, load_balancer_config{});
  EXPECT_EQ(x.consumers[0].client, client_config{});
  EXPECT_EQ(x.consumers[0].regions, std::vector<std::string>{"c"});
  EXPECT_EQ(x.consumers[0].traffic, std::vector<load_config>{closed_loop_config{}});
  EXPECT_EQ(x.recovery, recovery_rule{});
  EXPECT_EQ(x.warm_up, 0s);
  EXPECT_EQ(on(link(x, "e", "c"), plane::data), link_config{});
}

TEST(ParseScenario, TheLongestEjectionIsNoShorterThanTheFirst) {
  const auto longest = [](const char* keys) {
    const auto x = valid(edited("load_balancer: {", "load_balancer: {outlier_detection: {"
                                                      + std::string{keys} + "}, "));
    return x.consumers[0].load_balancer.outlier_detection.value().max_ejection_time;
  };
  EXPECT_EQ(longest(""), 300s);
  EXPECT_EQ(longest("base_ejection_time: 400s"), 400s);
  EXPECT_EQ(longest("base_ejection_time: 400s, max_ejection_time: 500s"), 500s);
}

TEST(ParseScenario, OverridesChangeOnlyWhatTheyName) {
  const auto x = valid(edited("web: {autoscaling: {min_instances: 1}}",
                              "web: {instance: {cpu: 4}, health_check: {probers: 5}}"));
  auto expected = x.published_services[0].backend_services[0];
  expected.instance.cpu = 4;
  expected.health_check.probers = 5;
  EXPECT_EQ(x.published_services[1].backend_services[0], expected);
  EXPECT_EQ(x.published_services[1].backend_services[1],
            x.published_services[0].backend_services[1]);
}

TEST(ParseScenario, AnOverrideWithAnotherPolicyReplacesTheSettings) {
  const auto x = valid(edited("{min_instances: 1}", "{policy: fixed, instances: 9}"));
  EXPECT_EQ(x.published_services[1].backend_services[0].autoscaling,
            autoscaling_config(fixed_config{9}));
}

TEST(ParseScenario, AnOverrideReplacesADistributionWhole) {
  const auto x =
    valid(edited("web: {autoscaling: {min_instances: 1}}", "web: {instance: {service_time: 5ms}}"));
  EXPECT_EQ(x.published_services[1].backend_services[0].instance.service_time,
            distribution(constant_distribution{5ms}));
}

TEST(ParseScenario, TheHealthPlaneIsPerfectUnlessALinkNamesIt) {
  const auto x = valid(sample);
  EXPECT_EQ(on(link(x, "shop", "us-east1"), plane::data), (link_config{8ms, 2ms, 0.001}));
  EXPECT_EQ(on(link(x, "us-east1", "shop"), plane::data), (link_config{8ms, 2ms, 0.001}));
  EXPECT_EQ(on(link(x, "us-east1", "shop"), plane::health), link_config{});
  // plane: all, one direction; what the entry leaves out stays.
  EXPECT_EQ(on(link(x, "us-west1", "shop"), plane::data), (link_config{70ms, 2ms, 0.001}));
  EXPECT_EQ(on(link(x, "us-west1", "shop"), plane::health), (link_config{70ms, 0ms, 0}));
  EXPECT_EQ(on(link(x, "shop", "us-west1"), plane::data), (link_config{30ms, 2ms, 0.001}));
}

TEST(ParseScenario, LaterLinkEntriesLieAboveEarlierOnes) {
  const auto x = valid(edited("- {from: us-west1, to: shop, plane: all, latency: 70ms}",
                              "- {from: us-east1, to: shop, loss: 50%}"));
  EXPECT_EQ(on(link(x, "us-east1", "shop"), plane::data), (link_config{8ms, 2ms, 0.5}));
  EXPECT_EQ(on(link(x, "shop", "us-east1"), plane::data), (link_config{8ms, 2ms, 0.001}));
}

TEST(ParseScenario, RegionsAreInOrderOfLatencyAndThenOfTheFile) {
  const auto ordered = [](std::string_view latency) {
    const auto x = valid(edited("latency: 8ms", "latency: " + std::string{latency}));
    return joined(x.consumers.at(0).regions);
  };
  // us-west1 is 30 ms away, and 70 ms back.
  EXPECT_EQ(ordered("49ms"), "us-east1\nus-west1");
  EXPECT_EQ(ordered("50ms"), "us-east1\nus-west1");
  EXPECT_EQ(ordered("51ms"), "us-west1\nus-east1");
}

TEST(ParseScenario, ReadsEveryKindOfFault) {
  const auto x =
    valid(edited("- {at: 4m, for: 1m, region: {name: us-east1}}",
                 "- {at: 4m, region: {name: us-east1}}\n"
                 "  - {at: 4m, instances: {of: us-west1/checkout/api, count: 2, become: "
                 "failing, error_fraction: 0.25, status: bad_gateway}}\n"
                 "  - {at: 5m, link: {from: us-east1, to: shop, plane: all, become: cut}}"));
  ASSERT_EQ(x.faults.size(), 5u);
  EXPECT_EQ(x.faults[1], (fault{run_start + 4min, std::nullopt, region_fault{"us-east1"}}));
  EXPECT_EQ(x.faults[2], (fault{run_start + 4min, std::nullopt,
                                instance_fault{.of = "us-west1/checkout/api",
                                               .suffer = {.become = ailment::failing,
                                                          .error_fraction = 0.25,
                                                          .status = outcome::bad_gateway},
                                               .count = 2}}));
  EXPECT_EQ(x.faults[3],
            (fault{run_start + 5min, std::nullopt,
                   link_fault{.from = "us-east1", .to = "shop", .data = true, .health = true}}));
  EXPECT_EQ(x.faults[4],
            (fault{run_start + 6min, 1min,
                   link_fault{.from = "shop",
                              .to = "us-west1",
                              .both = true,
                              .suffer = {.become = link_ailment::delayed, .by = 1s}}}));
}

// The fault that a file says in place of the sample's second one.
fault read_fault(std::string_view text) {
  const auto x =
    valid(edited("- {at: 4m, for: 1m, region: {name: us-east1}}", "- " + std::string{text}));
  return x.faults.size() > 1 ? x.faults[1] : fault{};
}

TEST(ParseScenario, ReadsWhatInstancesBecome) {
  const std::string web = "us-east1/checkout/web";
  struct {
    const char* text;
    instance_fault expected;
  } const cases[] = {
    {"become: crashed, restart_jitter: 30s",
     {.of = web, .suffer = {.become = ailment::crashed}, .restart_jitter = 30s}},
    {"affects: probes", {.of = web, .suffer = {.affects = affected_part::probes}}},
    {"become: failing, affects: requests",
     {.of = web, .suffer = {.become = ailment::failing, .affects = affected_part::requests}}},
    {"become: slow, factor: 2.5", {.of = web, .suffer = {.become = ailment::slow, .factor = 2.5}}},
    {"become: waiting, by: 200ms",
     {.of = web, .suffer = {.become = ailment::waiting, .by = 200ms}}},
    {"become: leaking, vcpu_per_minute: 0.1",
     {.of = web, .suffer = {.become = ailment::leaking, .vcpu_per_minute = 0.1}}},
    {"become: unstartable, fraction: 25%",
     {.of = web, .suffer = {.become = ailment::unstartable}, .fraction = 0.25}},
    {"become: slow_starting, factor: 4, count: 3",
     {.of = web, .suffer = {.become = ailment::slow_starting, .factor = 4}, .count = 3}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.text);
    EXPECT_EQ(
      read_fault("{at: 4m, instances: {of: us-east1/checkout/web, " + std::string{x.text} + "}}"),
      (fault{run_start + 4min, std::nullopt, x.expected}));
  }
}

TEST(ParseScenario, ReadsOutagesQuotasNamesAndFlapping) {
  EXPECT_EQ(read_fault("{at: 4m, zone: {region: us-east1, name: c}}"),
            (fault{run_start + 4min, std::nullopt, zone_fault{"us-east1", "c"}}));
  EXPECT_EQ(
    read_fault("{at: 4m, zone: {region: us-east1, name: a, become: crashed, restart_jitter: 1m}}"),
    (fault{run_start + 4min, std::nullopt, zone_fault{"us-east1", "a", ailment::crashed, 1min}}));
  EXPECT_EQ(
    read_fault("{at: 4m, region: {name: us-west1, become: crashed, restart_jitter: 1m}}"),
    (fault{run_start + 4min, std::nullopt, region_fault{"us-west1", ailment::crashed, 1min}}));
  EXPECT_EQ(
    read_fault("{at: 4m, quota: {of: us-west1/checkout/web, starts_per_minute: 0}}"),
    (fault{run_start + 4min, std::nullopt, quota_fault{"us-west1/checkout/web", 0, std::nullopt}}));
  EXPECT_EQ(read_fault("{at: 4m, name: tight, quota: {of: us-west1/checkout/web, instances: 9, "
                       "starts_per_minute: 2}}"),
            (fault{run_start + 4min, std::nullopt, quota_fault{"us-west1/checkout/web", 2, 9},
                   std::nullopt, "tight"}));
  EXPECT_EQ(read_fault("{at: 4m, flap: {period: 20s, down: 5s}, region: {name: us-west1}}"),
            (fault{run_start + 4min, std::nullopt, region_fault{"us-west1"}, flapping{20s, 5s}}));
}

TEST(ParseScenario, ReadsZonesOfABackendService) {
  const auto x = valid(edited("web: {autoscaling: {min_instances: 1}}", "web: {zones: 1}"));
  EXPECT_EQ(x.published_services[0].backend_services[0].zones, 3u);
  EXPECT_EQ(x.published_services[1].backend_services[0].zones, 1u);
}

TEST(ParseScenario, AliasesAndMergesSaveWriting) {
  const auto x = valid(edited("web: {autoscaling: {min_instances: 1}}",
                              "web: &less {autoscaling: {min_instances: 1}}\n"
                              "      us-east1:\n        web: {<<: *less, weight: 3}"));
  EXPECT_EQ(x.published_services[0].backend_services[0].weight, 3u);
  EXPECT_EQ(x.published_services[0].backend_services[0].autoscaling,
            x.published_services[1].backend_services[0].autoscaling);
}

TEST(ParseScenario, EachConsumerOfSeveralServicesNamesItsOwn) {
  auto text = edited("    load_balancer: {regions: [us-east1, us-west1]",
                     "    producer: checkout\n    load_balancer: {regions: [us-east1, us-west1]");
  const std::string_view producers = "producers:\n";
  text.insert(text.find(producers) + producers.size(),
              "  stock: {regions: [eu-west1, us-east1], backend_services: {web: {}}}\n");
  const auto x = valid(text);
  EXPECT_EQ(x.consumers[0].service, "checkout");
  EXPECT_EQ(joined(x.regions), "eu-west1\nus-east1\nus-west1");
}

} // namespace

} // namespace spillover::test
