#include "tests/scenario/bad_files.hpp"

namespace spillover::test {
namespace {

// All of "    load_balancer: " of the sample.
constexpr const char* whole = "{regions: [us-east1, us-west1], retry_on: [unavailable]}";

TEST(ParseScenario, SaysWhatADistributionCannotBe) {
  const bad_file cases[] = {
    {"a kind that has its own", whole, "{kind: envoy, distribution: {max_rate: 5}}",
     "s:28:48: distribution: has no meaning with kind envoy, which does not distribute by capacity"},
    {"no target", whole, "{distribution: {}}",
     "s:28:35: the backends of us-east1 have no target: balancing_mode rate needs "
     "max_rate_per_endpoint or max_rate, here or below backends\n"
     "s:28:35: the backends of us-west1 have no target: balancing_mode rate needs "
     "max_rate_per_endpoint or max_rate, here or below backends"},
    {"no target of one region", whole,
     "{kind: internal_proxy_network, distribution: {backends: {us-west1: {max_connections: 5}}}}",
     "s:28:65: the backends of us-east1 have no target: balancing_mode connection needs "
     "max_connections_per_endpoint or max_connections, here or below backends"},
    {"two targets", whole, "{distribution: {max_rate: 5, max_rate_per_endpoint: 1}}",
     "s:28:46: max_rate: must not stand beside max_rate_per_endpoint: a backend has one target"},
    {"a target of another mode", whole,
     "{distribution: {max_rate: 5, backends: {us-west1: {max_utilization: 0.5}}}}",
     "s:28:88: max_utilization: has no meaning with balancing_mode rate; only utilization has it"},
    {"no connections are seen", whole,
     "{distribution: {balancing_mode: connection, max_connections: 5}}",
     "s:28:52: balancing_mode: connection has no meaning with kind global_external_application, "
     "which balances requests; allowed: rate, utilization"},
    {"no requests are seen", whole,
     "{kind: internal_proxy_network, distribution: {balancing_mode: rate, max_rate: 5}}",
     "s:28:82: balancing_mode: rate has no meaning with kind internal_proxy_network, which sees "
     "connections, not requests; allowed: connection, utilization"},
    {"a scaler of almost nothing", whole,
     "{distribution: {max_rate: 5, backends: {us-west1: {capacity_scaler: 0.05}}}}",
     "s:28:88: capacity_scaler: must be 0, which drains, or from 0.1 to 1"},
    {"everybody drained", whole,
     "{distribution: {max_rate: 5, backends: {us-east1: {capacity_scaler: 0}, "
     "us-west1: {capacity_scaler: 0}}}}",
     "s:28:59: backends: capacity_scaler must not be 0 for every region: nobody would be left"},
    {"a region that it does not have", whole,
     "{distribution: {max_rate: 5, backends: {us-west2: {}}}}",
     "s:28:60: \"us-west2\" is not among the regions of this load balancer; did you mean "
     "\"us-west1\"? known: us-east1, us-west1"},
    {"zones of backends that have none", whole,
     "{distribution: {max_rate: 5, algorithm: waterfall_by_zone, groups: regional}}",
     "s:28:87: groups: waterfall_by_zone fills zone by zone, and needs backends that are zonal"},
    {"less often than it is measured", whole,
     "{distribution: {max_rate: 5, measured_over: 5s, recomputed_every: 6s}}",
     "s:28:86: recomputed_every: must be at most measured_over (5s); got 6s"},
    {"a threshold of everybody", whole,
     "{distribution: {max_rate: 5, failover_health_threshold: 100}}",
     "s:28:76: failover_health_threshold: must be between 1 and 99; got 100"},
    {"a rate of nothing", whole, "{distribution: {max_rate: 0}}",
     "s:28:46: max_rate: must be between 0.001 and 1000000000; got 0"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, ExplainsThatGroupsAreNoPscNegs) {
  const bad_file cases[] = {
    {"no state of a PSC NEG to come back from", whole,
     "{distribution: {max_rate: 5}, failback: manual}",
     "s:28:60: failback: has no meaning with distribution, which reaches the groups themselves and "
     "goes by the health of their endpoints: a PSC NEG is one endpoint and has no capacity (B-33)"},
    {"nor to leave for", whole, "{distribution: {max_rate: 5}, failover: manual}",
     "s:28:60: failover: has no meaning with distribution, which reaches the groups themselves and "
     "goes by the health of their endpoints: a PSC NEG is one endpoint and has no capacity (B-33)"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, WantsInstanceGroupsThatTellTheirUtilization) {
  auto text = edited(whole, "{distribution: {balancing_mode: utilization}}");
  EXPECT_EQ(joined(problems_of(parse_scenario(text, "s"))), "");
  constexpr std::string_view api = "      api:\n";
  text.insert(text.find(api) + api.size(), "        backends: network_endpoint_group\n");
  const auto result = parse_scenario(text, "s");
  EXPECT_EQ(joined(problems_of(result)),
            "s:29:52: balancing_mode: utilization needs instance groups, and "
            "us-east1/checkout/api is a network_endpoint_group");
}

// The order of the regions is that of their latency, and targets go with them.
TEST(ParseScenario, KeepsATargetWithItsRegion) {
  const auto text = edited(whole, "{regions: [us-west1, us-east1], distribution: {max_rate: 5, "
                                  "backends: {us-west1: {max_rate_per_endpoint: 0.25, "
                                  "capacity_scaler: 0.5, preference: preferred}}}}");
  const auto result = parse_scenario(text, "s");
  ASSERT_EQ(joined(problems_of(result)), "");
  const auto& consumer = std::get<scenario>(result).consumers.front();
  ASSERT_EQ(consumer.regions, (std::vector<std::string>{"us-east1", "us-west1"}));
  const std::vector<region_capacity> expected{{5'000, false, 1000, false}, {250, true, 500, true}};
  EXPECT_EQ(consumer.load_balancer.distribution->regions, expected);
}

} // namespace
} // namespace spillover::test
