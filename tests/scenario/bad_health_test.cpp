#include "tests/scenario/bad_files.hpp"

namespace spillover::test {

namespace {

using namespace std::chrono_literals;

constexpr auto check = "{interval: 4s, timeout: 3s, probers: 3}";

/// @returns web of us-east1 of the sample, with this health check.
backend_service_spec with_check(const std::string& keys) {
  const auto x = valid(edited(check, "{interval: 4s, timeout: 3s, " + keys + "}"));
  return x.published_services[0].backend_services[0];
}

TEST(ParseScenario, ReadsWhatAHealthCheckSpeaks) {
  const auto http = with_check("path: /healthz, path_status: 204, expected_statuses: [200, 204]");
  EXPECT_EQ(http.health_check.path, "/healthz");
  EXPECT_EQ(http.health_check.path_status, 204u);
  EXPECT_EQ(http.health_check.expected_statuses, (std::vector<std::uint32_t>{200, 204}));
  EXPECT_EQ(with_check("protocol: grpc").health_check.protocol, probe_protocol::grpc);
  const auto envoy = with_check("no_traffic_interval: 60s, unhealthy_interval: 1s, "
                                "unhealthy_edge_interval: 2s, healthy_edge_interval: 3s, "
                                "first_result_decides: true, error_decides: true")
                       .health_check;
  EXPECT_EQ(envoy.no_traffic_interval, 60s);
  EXPECT_EQ(envoy.unhealthy_interval, 1s);
  EXPECT_EQ(envoy.unhealthy_edge_interval, 2s);
  EXPECT_EQ(envoy.healthy_edge_interval, 3s);
  EXPECT_TRUE(envoy.first_result_decides && envoy.error_decides);
}

TEST(ParseScenario, ReadsAutoHealingAndWhatStandsInFront) {
  const auto healed = valid(edited(
    "      api:\n",
    "      api:\n        auto_healing: {initial_delay: 30s, health_check: {interval: 9s}}\n"));
  const auto& backends = healed.published_services[0].backend_services;
  EXPECT_FALSE(backends[0].auto_healing);
  ASSERT_TRUE(backends[1].auto_healing);
  EXPECT_EQ(backends[1].auto_healing->initial_delay, 30s);
  EXPECT_EQ(backends[1].auto_healing->health_check.interval, 9s);

  const auto off =
    valid(edited("        web: {autoscaling: {min_instances: 1}}",
                 "        web: {auto_healing: off}\n        api: {auto_healing: {}}"));
  EXPECT_FALSE(off.published_services[1].backend_services[0].auto_healing);
  EXPECT_TRUE(off.published_services[1].backend_services[1].auto_healing);

  const auto balanced = valid(edited("    composite_health:\n",
                                     "    load_balancer: {kind: internal_passthrough_network, "
                                     "drop_traffic_if_unhealthy: true}\n    composite_health:\n"));
  for (const auto& x : balanced.published_services)
    EXPECT_EQ(x.load_balancer,
              (producer_balancer_config{producer_balancer::internal_passthrough_network, true}));
}

TEST(ParseScenario, SaysWhatAHealthCheckCannotBe) {
  const bad_file cases[] = {
    {"a path of TCP", check, "{protocol: tcp, path: /x}",
     "s:17:45: path: has no meaning with protocol tcp; allowed with http, https and http2"},
    {"statuses of gRPC", check, "{protocol: grpc, expected_statuses: [200]}",
     "s:17:59: expected_statuses: has no meaning with protocol grpc; allowed with http, https and "
     "http2"},
    {"an unknown protocol", check, "{protocol: udp}",
     "s:17:34: protocol: unknown value \"udp\"; did you mean \"tcp\"? allowed: http, https, http2, grpc, tcp"},
    {"a status beyond all", check, "{path_status: 600}",
     "s:17:37: path_status: must be between 100 and 599; got 600"},
    {"no success at all", check, "{expected_statuses: []}",
     "s:17:43: expected_statuses: must have at least 1 entry; got 0"},
    {"a status twice", check, "{expected_statuses: [200, 204, 200]}",
     "s:17:54: expected_statuses: 200 stands here twice"},
    {"a path that is none", check, "{path: healthz}",
     "s:17:30: path: must be a path that begins with / and has at most 1024 characters, no spaces "
     "among them; got \"healthz\""},
    {"too short a pause", check, "{unhealthy_interval: 0s}",
     "s:17:44: unhealthy_interval: must be at least 1ms; got 0s"},
    {"a group that is none", "      api:\n",
     "      api:\n        backends: network_endpoint_group\n        auto_healing: {}\n",
     "s:20:23: auto_healing: has no meaning with backends network_endpoint_group; an instance_group "
     "makes its instances anew"},
    {"auto-healing's own check", "      api:\n",
     "      api:\n        auto_healing: {health_check: {interval: 2s, timeout: 3s}}\n",
     "s:19:62: timeout: must be at most interval (2s); got 3s"},
    {"half a second of delay", "      api:\n",
     "      api:\n        auto_healing: {initial_delay: 500ms}\n",
     "s:19:39: initial_delay: must be whole seconds; got 500ms"},
    {"what a proxy cannot do", "    composite_health:\n",
     "    load_balancer: {kind: regional_internal_application, drop_traffic_if_unhealthy: true}\n"
     "    composite_health:\n",
     "s:20:85: drop_traffic_if_unhealthy: has no meaning with kind regional_internal_application, "
     "which answers 503; allowed with internal_passthrough_network"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhatServiceHealthCannotBe) {
  const bad_file cases[] = {
    {"beside a composite", "    composite_health:\n",
     "    service_health: {}\n    composite_health:\n",
     "s:20:21: service_health: cannot stand beside composite_health: consumers follow one of the two; "
     "allowed: either"},
    {"C37: a health check of a serverless NEG, and no readiness probes",
     "    composite_health:\n      sources:\n        - {backend_service: web, "
     "healthy_percent_threshold: 60, min_healthy_threshold: 1}\n",
     "    service_health: {}\n",
     "s:17:23: health_check: has no meaning with service_health: a serverless NEG has no health check; "
     "outlier_detection of consumers works\n"
     "s:20:21: service_health: needs a readiness_probe of the instances of us-east1/checkout/web\n"
     "s:20:21: service_health: needs a readiness_probe of the instances of us-east1/checkout/api\n"
     "s:20:21: service_health: needs a readiness_probe of the instances of us-west1/checkout/web\n"
     "s:20:21: service_health: needs a readiness_probe of the instances of us-west1/checkout/api"},
  };
  expect_problems(cases);
}

} // namespace

} // namespace spillover::test
