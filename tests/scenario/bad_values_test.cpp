#include "tests/scenario/bad_files.hpp"

namespace spillover::test {

namespace {

TEST(ParseScenario, SaysWhichValuesAreAllowed) {
  const bad_file cases[] = {
    {"an unknown policy", "policy: cloud_run", "policy: cloudrun",
     "s:16:31: policy: unknown value \"cloudrun\"; did you mean \"cloud_run\"? allowed: "
     "cloud_run, fixed, hpa, knative_kpa, netscaler_adm"},
    {"what is no policy but a service's scaling", "policy: cloud_run", "policy: manual",
     "s:16:31: policy: \"manual\" is no policy; the backend service has scaling: "
     "{manual_instances: N} for it; allowed: cloud_run, fixed, hpa, knative_kpa, netscaler_adm"},
    {"a variant that is none", "policy: cloud_run", "variant: trigger9",
     "s:16:32: variant: unknown value \"trigger9\"; did you mean \"trigger90\"? allowed: "
     "tolerance10, trigger90, one_minute"},
    {"a variant without a band", "policy: cloud_run", "variant: one_minute, dead_band: false",
     "s:16:55: dead_band: has no meaning with this variant; only tolerance10 has a band"},
    {"an unknown balancer", "load_balancer: {", "load_balancer: {kind: haproxy, ",
     "s:28:27: kind: unknown value \"haproxy\"; allowed: "
     "global_external_application, cross_region_internal_application, "
     "internal_proxy_network, dns, envoy, grpc"},
    {"an unknown outcome", "retry_on: [unavailable]", "retry_on: [unavailble]",
     "s:28:63: retry_on[0]: unknown value \"unavailble\"; did you mean \"unavailable\"? "
     "allowed: too_many_requests, internal_error, bad_gateway, unavailable, "
     "gateway_timeout"},
    {"an outcome twice", "retry_on: [unavailable]", "retry_on: [unavailable, unavailable]",
     "s:28:76: retry_on: \"unavailable\" stands here twice"},
    {"a timeout is not retried", "retry_on: [unavailable]", "retry_on: [lb_timeout]",
     "s:28:63: retry_on[0]: unknown value \"lb_timeout\"; allowed: too_many_requests, "
     "internal_error, bad_gateway, unavailable, gateway_timeout"},
    {"below the range", "concurrency: 40", "concurrency: 0",
     "s:15:41: concurrency: must be at least 1 with policy cloud_run; got 0, which is no limit"},
    {"above the range", "concurrency: 40", "concurrency: 1001",
     "s:15:41: concurrency: must be between 0 and 1000; got 1001"},
    {"no CPU", "cpu: 2", "cpu: 0", "s:15:25: cpu: must be above 0 and at most 64; got 0"},
    {"a duration below its range", "interval: 4s", "interval: 500ms",
     "s:17:34: interval: must be at least 1s; got 500ms"},
    {"a duration above its range", "interval: 4s", "interval: 301s",
     "s:17:34: interval: must be at most 5m; got 301s"},
    {"a duration of nothing", "within: 20s", "within: 0s",
     "s:38:40: within: must be above 0s; got 0s"},
    {"a duration beyond the clock", "duration: 10m", "duration: 9999999999999h",
     "s:3:11: duration: must be at most 8760h; got 9999999999999h"},
    {"a window of half a second", "seed: 7", "recovery: {window: 1500ms}",
     "s:2:20: window: must be whole seconds; got 1500ms"},
    {"a share above 1", "loss: 0.1%", "loss: 150%",
     "s:6:47: loss: must be between 0 and 1; got 150%"},
    {"a share as a number above 1", "loss: 0.1%", "loss: 1.5",
     "s:6:47: loss: must be between 0 and 1; got 1.5"},
    {"a share of nothing", "fraction: 50%", "fraction: 0%",
     "s:34:72: fraction: must be above 0 and at most 1; got 0%"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, GB_7_GB_8_RefusesWhatACompositeCannotBe) {
  const bad_file cases[] = {
    {"threshold 101 (GB-7)", "healthy_percent_threshold: 60", "healthy_percent_threshold: 101",
     "s:22:61: healthy_percent_threshold: must be between 0 and 100; got 101"},
    {"min 0 (GB-7)", "min_healthy_threshold: 1", "min_healthy_threshold: 0",
     "s:22:88: min_healthy_threshold: must be between 1 and 10000; got 0"},
    {"no source (GB-7)",
     "\n"
     "        - {backend_service: web, healthy_percent_threshold: 60, "
     "min_healthy_threshold: 1}",
     " []", "s:21:16: sources: must have at least 1 entry; got 0"},
    {"eleven sources (GB-7)",
     "\n"
     "        - {backend_service: web, healthy_percent_threshold: 60, "
     "min_healthy_threshold: 1}",
     " [{backend_service: web}, {backend_service: web}, {backend_service: web}, "
     "{backend_service: web}, {backend_service: web}, {backend_service: web}, "
     "{backend_service: web}, {backend_service: web}, {backend_service: web}, "
     "{backend_service: web}, {backend_service: web}]",
     "s:21:16: sources: must have at most 10 entries; got 11"},
    {"a source with two backend services (GB-7)", "{backend_service: web,",
     "{backend_service: [web, api],", "s:22:29: backend_service: must be a text; got a list"},
    {"a source in another region (GB-8)", "{backend_service: web,",
     "{backend_service: us-east1/web,",
     "s:22:29: backend_service: \"us-east1/web\" is no backend service of checkout; "
     "known: web, api"},
    {"a composite as a source (GB-8)", "{backend_service: web,",
     "{backend_service: us-west1/checkout,",
     "s:22:29: backend_service: \"us-west1/checkout\" is a published service; a composite "
     "health check cannot be a source of another; known: web, api"},
    {"a composite as a source by its service's name (GB-8)", "{backend_service: web,",
     "{backend_service: checkout,",
     "s:22:29: backend_service: \"checkout\" is a published service; a composite health "
     "check cannot be a source of another; known: web, api"},
    {"a source in another project (GB-8)", "{backend_service: web,",
     "{project: other, backend_service: web,",
     "s:22:12: unknown key \"project\"; allowed: backend_service, "
     "healthy_percent_threshold, min_healthy_threshold"},
    {"a source twice", "min_healthy_threshold: 1}",
     "min_healthy_threshold: 1}\n"
     "        - {backend_service: web}",
     "s:23:29: backend_service: \"web\" is a source already"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhichNamesAreAllowed) {
  const bad_file cases[] = {
    {"a name with a capital", "name: sample", "name: Sample",
     "s:1:7: name: must be a name of a-z, 0-9 and -, that starts with a letter, does not "
     "end with - and has at most 63 characters (RFC 1035); got \"Sample\""},
    {"a name too long", "name: sample",
     "name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "s:1:7: name: must be a name of a-z, 0-9 and -, that starts with a letter, does not "
     "end with - and has at most 63 characters (RFC 1035); got "
     "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...\""},
    {"a service with a dot", "  checkout:\n", "  check.out:\n",
     "s:11:3: \"check.out\" must be a name of a-z, 0-9 and -, that starts with a letter, "
     "does not end with - and has at most 63 characters (RFC 1035)"},
    {"a region with an underscore",
     "regions: [us-east1, us-west1]\n"
     "    backend",
     "regions: [us_east1, us-west1]\n"
     "    backend",
     "s:12:15: regions[0]: must be a name of a-z, 0-9 and -, that starts with a letter, "
     "does not end with - and has at most 63 characters (RFC 1035); got \"us_east1\""},
    {"a region twice",
     "regions: [us-east1, us-west1]\n"
     "    backend",
     "regions: [us-east1, us-west1, us-east1]\n"
     "    backend",
     "s:12:35: regions: \"us-east1\" stands here twice"},
    {"a consumer like a region", "faults:\n",
     "  us-east1: {traffic: [{closed_loop: {}}]}\n"
     "faults:\n",
     "s:33:3: consumer \"us-east1\" has the name of a region; each site needs a name of "
     "its own"},
    {"a consumer like the director", "faults:\n",
     "  director: {traffic: [{closed_loop: {}}]}\n"
     "faults:\n",
     "s:33:3: consumer \"director\" has the name of a site of its own; each site needs a "
     "name of its own"},
    {"a service like the links", "  checkout:\n", "  link:\n",
     "s:11:3: a service cannot be named \"link\", which names links\n"
     "s:34:39: of: unknown backend service \"us-east1/checkout/web\"; known: "
     "us-east1/link/web, us-east1/link/api, us-west1/link/web, us-west1/link/api\n"
     "s:40:23: of: unknown published service \"us-east1/checkout\"; known: us-east1/link, "
     "us-west1/link"},
    {"a backend service like the composite", "      api:\n", "      composite:\n",
     "s:18:7: a backend service cannot be named \"composite\", which names the composite "
     "health check"},
  };
  expect_problems(cases);
}

} // namespace

} // namespace spillover::test
