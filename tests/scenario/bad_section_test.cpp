#include "tests/scenario/bad_files.hpp"

namespace spillover::test {

namespace {

TEST(ParseScenario, SaysWhatANetworkCannotBe) {
  const bad_file cases[] = {
    {"an unknown key of the network", "network:\n", "network:\n  delay: 1s\n",
     "s:6:3: unknown key \"delay\"; allowed: default, links"},
    {"an unknown key of the default", "jitter: 2ms,", "jiter: 2ms,",
     "s:6:28: unknown key \"jiter\"; did you mean \"jitter\"? allowed: jitter, latency, loss"},
    {"latency that is a number", "latency: 30ms", "latency: 30",
     "s:6:22: latency: must be a duration such as 5s, 250ms, 1m30s or 1.5h; got 30"},
    {"jitter of a second too many", "jitter: 2ms", "jitter: 8761h",
     "s:6:36: jitter: must be at most 8760h; got 8761h"},
    {"loss that is a word", "loss: 0.1%", "loss: some",
     "s:6:47: loss: must be a share such as 50% or 0.5; got \"some\""},
    {"loss below nothing", "loss: 0.1%", "loss: -0.1",
     "s:6:47: loss: must be between 0 and 1; got -0.1"},
    {"an unknown plane", "plane: all", "plane: control",
     "s:9:41: plane: unknown value \"control\"; allowed: data, health, all"},
    {"links by name", "  links:\n    - {between: [shop, us-east1], latency: 8ms}\n    - {from",
     "  links: {a: {between: [shop, us-east1]}}\n  l:\n    - {from",
     "s:7:10: links: must be a list; got a mapping\n"
     "s:8:3: unknown key \"l\"; allowed: default, links"},
    {"one end only", "{from: us-west1, to: shop,", "{from: us-west1,",
     "s:9:7: links[1]: needs exactly one of: between; from and to"},
    {"between one site", "between: [shop, us-east1], latency", "between: [shop], latency",
     "s:8:17: between: must have at least 2 entries; got 1"},
    {"between three", "between: [shop, us-east1], latency",
     "between: [shop, us-east1, us-west1], latency",
     "s:8:17: between: must have at most 2 entries; got 3"},
    {"a link from nowhere", "{from: us-west1, to: shop,", "{from: us-west2, to: shop,",
     "s:9:14: from: unknown region or consumer \"us-west2\"; did you mean \"us-west1\"? known: us-east1, us-west1, shop"},
    {"a link to nowhere", "{from: us-west1, to: shop,", "{from: us-west1, to: shp,",
     "s:9:28: to: unknown region or consumer \"shp\"; did you mean \"shop\"? known: us-east1, us-west1, shop"},
    {"a link without a name", "{from: us-west1, to: shop,", "{from: , to: shop,",
     "s:9:8: from: must be a text; got nothing"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhatABackendServiceCannotBe) {
  const bad_file cases[] = {
    {"an unknown key", "      api:\n", "      api:\n        cpu: 1\n",
     "s:19:9: unknown key \"cpu\"; allowed: auto_healing, autoscaling, backends, billing, health_check, instance, pending, request_timeout, revisions, routing, scale_in, scaling, traffic, weight, zones"},
    {"no backend service at all", "producers:\n",
     "producers:\n  other: {regions: [us-east1], backend_services: {}}\n",
     "s:11:50: backend_services: must have at least 1 entry\n"
     "s:29:5: the key producer is missing, and there is more than one: other, checkout"},
    {"an unknown kind of backends", "        instance: {cpu: 2,",
     "        backends: serverless\n        instance: {cpu: 2,",
     "s:15:19: backends: unknown value \"serverless\"; allowed: instance_group, network_endpoint_group"},
    {"no weight", "        instance: {cpu: 2,", "        weight: 0\n        instance: {cpu: 2,",
     "s:15:17: weight: must be between 1 and 1000; got 0"},
    {"too much weight", "        instance: {cpu: 2,",
     "        weight: 1001\n        instance: {cpu: 2,",
     "s:15:17: weight: must be between 1 and 1000; got 1001"},
    {"a request timeout beyond an hour", "        instance: {cpu: 2,",
     "        request_timeout: 3601s\n        instance: {cpu: 2,",
     "s:15:26: request_timeout: must be at most 1h; got 3601s"},
    {"an unknown way of billing", "        instance: {cpu: 2,",
     "        billing: {mode: by_request}\n        instance: {cpu: 2,",
     "s:15:25: mode: unknown value \"by_request\"; allowed: request_based, instance_based"},
    {"requests that nobody pays for", "autoscaling: {policy: fixed,",
     "billing: {mode: request_based}\n        autoscaling: {policy: fixed,",
     "s:19:25: mode: policy fixed has no instances that are paid for by the request; allowed: "
     "instance_based"},
    {"more CPU than there is", "cpu: 2", "cpu: 64.5",
     "s:15:25: cpu: must be above 0 and at most 64; got 64.5"},
    {"CPU with a unit", "cpu: 2", "cpu: 2000m", "s:15:25: cpu: must be a number; got \"2000m\""},
    {"a cold start of nothing in the mean", "cpu: 2,",
     "cpu: 2, cold_start: {exponential: {mean: 0s}},", "s:15:61: mean: must be above 0s; got 0s"},
    {"a cold start without its mean", "cpu: 2,", "cpu: 2, cold_start: {exponential: {}},",
     "s:15:40: cold_start: mean must be above 0\n"
     "s:15:54: exponential: the key mean is missing"},
    {"a lognormal without its p99", ", p99: 200ms", "",
     "s:15:59: service_time: p99 must be at least the median\n"
     "s:15:71: lognormal: the key p99 is missing"},
    {"a lognormal with a mean", ", p99: 200ms", ", mean: 50ms",
     "s:15:71: lognormal: the key p99 is missing\n"
     "s:15:86: unknown key \"mean\"; did you mean \"median\"? allowed: median, p99"},
    {"values that are none", "cpu: 2,", "cpu: 2, cold_start: {empirical: []},",
     "s:15:52: empirical: must have at least 1 entry; got 0"},
    {"a value that is none", "cpu: 2,", "cpu: 2, cold_start: {empirical: [1s, 2]},",
     "s:15:57: empirical[1]: must be a duration such as 5s, 250ms, 1m30s or 1.5h; got 2"},
    {"CPU of a request as a share", "cpu: 2,", "cpu: 2, cpu_per_request: 50%,",
     "s:15:45: cpu_per_request: must be a duration such as 5s, 250ms, 1m30s or 1.5h; got \"50%\""},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhatScalingProbesAndOverridesCannotBe) {
  const bad_file cases[] = {
    {"more instances than the emulator holds", "max_instances: 20", "max_instances: 10001",
     "s:16:75: max_instances: must be between 1 and 10000; got 10001"},
    {"fewer instances than none", "min_instances: 2,", "min_instances: -1,",
     "s:16:57: min_instances: must be between 0 and 10000; got -1"},
    {"evaluated less than once a minute", "min_instances: 2,", "evaluation: 61s,",
     "s:16:54: evaluation: must be at most 1m; got 61s"},
    {"a target of 5 %", "min_instances: 2,", "concurrency_target: 5%,",
     "s:16:62: concurrency_target: must be between 10% and 95%, or 0 to turn the driver off; got 5%"},
    {"a pending limit of nothing", "        autoscaling: {policy: cloud_run",
     "        pending: {floor: 0s}\n        autoscaling: {policy: cloud_run",
     "s:16:26: floor: must be above 0s; got 0s"},
    {"a pending limit of no cold start", "        autoscaling: {policy: cloud_run",
     "        pending: {cold_start_factor: 0}\n        autoscaling: {policy: cloud_run",
     "s:16:38: cold_start_factor: must be above 0 and at most 1000; got 0"},
    {"a scale-in of what is idle at nothing", "        autoscaling: {policy: cloud_run",
     "        scale_in: {low_utilisation: 0}\n        autoscaling: {policy: cloud_run",
     "s:16:37: low_utilisation: must be above 0 and at most 1; got 0"},
    {"a scale-in window of half a second", "        autoscaling: {policy: cloud_run",
     "        scale_in: {window: 1500ms}\n        autoscaling: {policy: cloud_run",
     "s:16:28: window: must be whole seconds; got 1500ms"},
    {"more probers than allowed", "probers: 3", "probers: 33",
     "s:17:60: probers: must be between 1 and 32; got 33"},
    {"a threshold of no failure", "probers: 3", "unhealthy_threshold: 0",
     "s:17:72: unhealthy_threshold: must be between 1 and 10; got 0"},
    {"a threshold of eleven", "probers: 3", "healthy_threshold: 11",
     "s:17:70: healthy_threshold: must be between 1 and 10; got 11"},
    {"a timeout of nothing", "timeout: 3s", "timeout: 0s",
     "s:17:47: timeout: must be above 0s; got 0s"},
    {"no region at all", "regions: [us-east1, us-west1]\n    backend", "regions: []\n    backend",
     "s:12:14: regions: must have at least 1 entry; got 0"},
    {"a region without a name", "regions: [us-east1, us-west1]\n    backend",
     "regions: [us-east1, ~]\n    backend",
     "s:12:25: regions[1]: must be a name of a-z, 0-9 and -, that starts with a letter, does not end with - and has at most 63 characters (RFC 1035); got nothing"},
    {"the director as a region", "regions: [us-east1, us-west1]\n    backend",
     "regions: [us-east1, us-west1, director]\n    backend",
     "s:12:35: regions: \"director\" is the name of a site of its own"},
    {"an override that is a number", "{min_instances: 1}}", "5}",
     "s:25:28: autoscaling: must be a mapping; got 5"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhatACompositeCannotBe) {
  const bad_file cases[] = {
    {"no sources", "      sources:\n", "      source:\n",
     "s:21:7: unknown key \"source\"; did you mean \"sources\"? allowed: propagation, sources\n"
     "s:21:7: composite_health: the key sources is missing"},
    {"a source without a backend service", "{backend_service: web,", "{",
     "s:22:11: sources[0]: the key backend_service is missing"},
    {"a share for a number of percent", "healthy_percent_threshold: 60",
     "healthy_percent_threshold: 60%",
     "s:22:61: healthy_percent_threshold: must be a whole number; got \"60%\""},
    {"a fraction of a percent", "healthy_percent_threshold: 60", "healthy_percent_threshold: 66.7",
     "s:22:61: healthy_percent_threshold: must be a whole number; got 66.7"},
    {"a tick of nothing", "      sources:\n",
     "      propagation: {aggregation_tick: 0s}\n      sources:\n",
     "s:21:39: aggregation_tick: must be at least 1ms; got 0s"},
    {"a tick beyond a minute", "      sources:\n",
     "      propagation: {aggregation_tick: 2m}\n      sources:\n",
     "s:21:39: aggregation_tick: must be at most 1m; got 2m"},
    {"sent again too often", "      sources:\n",
     "      propagation: {resend: 500ms}\n      sources:\n",
     "s:21:29: resend: must be at least 1s; got 500ms"},
    {"an unknown delay", "      sources:\n", "      propagation: {delay: 1s}\n      sources:\n",
     "s:21:21: unknown key \"delay\"; allowed: aggregation_tick, apply, propagation, propagation_jitter, resend, warm_up"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhatAConsumerCannotBe) {
  const bad_file cases[] = {
    {"an unknown key", "    client: {retries", "    clients: {retries",
     "s:32:5: unknown key \"clients\"; did you mean \"client\"? allowed: client, load_balancer, producer, tag, traffic"},
    {"no traffic key", "    traffic:\n      - open_loop", "    other:\n      - open_loop",
     "s:28:5: shop: the key traffic is missing\n"
     "s:29:5: unknown key \"other\"; allowed: client, load_balancer, producer, tag, traffic"},
    {"no load", "    traffic:\n      - open_loop",
     "    traffic: []\n    client2:\n      - open_loop",
     "s:29:14: traffic: must have at least 1 entry; got 0\n"
     "s:30:5: unknown key \"client2\"; did you mean \"client\"? allowed: client, load_balancer, producer, tag, traffic"},
    {"no region", "{regions: [us-east1, us-west1], retry", "{regions: [], retry",
     "s:28:30: regions: must have at least 1 entry; got 0"},
    {"a region twice", "{regions: [us-east1, us-west1], retry",
     "{regions: [us-east1, us-east1], retry", "s:28:41: regions: \"us-east1\" stands here twice"},
    {"a timeout of nothing", "load_balancer: {", "load_balancer: {timeout: 0s, ",
     "s:28:30: timeout: must be at least 1ms; got 0s"},
    {"a timeout beyond a day", "load_balancer: {", "load_balancer: {timeout: 25h, ",
     "s:28:30: timeout: must be at most 24h; got 25h"},
    {"26 retries", "load_balancer: {", "load_balancer: {retries: 26, ",
     "s:28:30: retries: must be between 0 and 25; got 26"},
    {"an unknown policy for UNKNOWN", "load_balancer: {",
     "load_balancer: {unknown_policy: healthy, ",
     "s:28:37: unknown_policy: unknown value \"healthy\"; did you mean \"as_healthy\"? allowed: as_healthy, as_unhealthy, last_known"},
    {"no clients", "clients: 10", "clients: 0",
     "s:31:32: clients: must be between 1 and 1000000; got 0"},
    {"too many clients", "clients: 10", "clients: 1000001",
     "s:31:32: clients: must be between 1 and 1000000; got 1000001"},
    {"a negative rate", "rate: [{at: 0s, rps: 100}, {at: 5m, rps: 200}]", "rate: -1",
     "s:30:27: rate: must be between 0 and 10000000; got -1"},
    {"more than ten million a second", "rps: 200", "rps: 10000001",
     "s:30:62: rps: must be between 0 and 10000000; got 10000001"},
    {"a rate with a unit", "rate: [{at: 0s, rps: 100}, {at: 5m, rps: 200}]", "rate: 100rps",
     "s:30:27: rate: must be a number of requests a second, or a list of steps {at, rps}; got \"100rps\""},
    {"a rate without steps", "rate: [{at: 0s, rps: 100}, {at: 5m, rps: 200}]", "rate: []",
     "s:30:27: rate: must have at least 1 entry; got 0"},
    {"a step without its rate", "{at: 5m, rps: 200}", "{at: 5m}",
     "s:30:48: rate[1]: the key rps is missing"},
    {"a step without its time", "{at: 5m, rps: 200}", "{rps: 200}",
     "s:30:48: rate[1]: the key at is missing\n"
     "s:30:48: rate[1].at: must be later than that of the entry before"},
    {"a ramp that is a duration", "{at: 5m, rps: 200}", "{at: 5m, rps: 200, ramp: 1m}",
     "s:30:73: ramp: must be true or false; got \"1m\""},
    {"a wave without a period", "open_loop: {", "open_loop: {waves: [{amplitude: 5}], ",
     "s:30:29: waves[0]: the key period is missing\n"
     "s:30:29: waves[0].period: must be at least 1s"},
    {"a wave faster than a second", "open_loop: {",
     "open_loop: {waves: [{amplitude: 5, period: 999ms}], ",
     "s:30:52: period: must be at least 1s; got 999ms"},
    {"an unknown process", "open_loop: {", "open_loop: {arrivals: pareto, ",
     "s:30:31: arrivals: unknown value \"pareto\"; allowed: poisson, uniform"},
    {"jitter above 1", "base: 1s", "jitter: 110%",
     "s:32:44: jitter: must be between 0 and 1; got 110%"},
    {"an outcome that nobody tries again", "client: {retries: 1,",
     "client: {retry_on: [ok], retries: 1,",
     "s:32:25: retry_on[0]: unknown value \"ok\"; allowed: too_many_requests, internal_error, bad_gateway, unavailable, gateway_timeout, lb_timeout, client_timeout"},
    {"a producer that is a list", "load_balancer: {regions",
     "producer: [checkout]\n    load_balancer: {regions",
     "s:28:15: producer: must be a text; got a list"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhatOutlierDetectionCannotBe) {
  const bad_file cases[] = {
    {"no proxy", "load_balancer: {", "load_balancer: {proxies: 0, ",
     "s:28:30: proxies: must be between 1 and 1000; got 0"},
    {"an interval of nothing", "load_balancer: {",
     "load_balancer: {outlier_detection: {interval: 0s}, ",
     "s:28:51: interval: must be at least 1ms; got 0s"},
    {"more than all may be ejected", "load_balancer: {",
     "load_balancer: {outlier_detection: {max_ejection_percent: 101}, ",
     "s:28:63: max_ejection_percent: must be between 0 and 100; got 101"},
    {"a longest time below the first", "load_balancer: {",
     "load_balancer: {outlier_detection: {max_ejection_time: 20s}, ",
     "s:28:60: max_ejection_time: must be at least base_ejection_time (30s); got 20s"},
    {"a misspelt detector", "load_balancer: {",
     "load_balancer: {outlier_detection: {consecutive_5x: 3}, ",
     "s:28:41: unknown key \"consecutive_5x\"; did you mean \"consecutive_5xx\"? allowed: "
     "always_eject_one_host, base_ejection_time, consecutive_5xx, consecutive_gateway_failure, "
     "consecutive_local_origin_failure, enforcing_consecutive_5xx, "
     "enforcing_consecutive_gateway_failure, enforcing_consecutive_local_origin_failure, "
     "enforcing_failure_percentage, enforcing_failure_percentage_local_origin, "
     "enforcing_local_origin_success_rate, enforcing_success_rate, failure_percentage_minimum_hosts, "
     "failure_percentage_request_volume, failure_percentage_threshold, interval, "
     "max_ejection_percent, max_ejection_time, max_ejection_time_jitter, "
     "split_external_local_origin_errors, success_rate_minimum_hosts, success_rate_request_volume, "
     "success_rate_stdev_factor"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhatAFaultCannotBe) {
  const bad_file cases[] = {
    {"no time", "{at: 4m, for: 1m, region", "{for: 1m, region",
     "s:35:5: faults[1]: the key at is missing"},
    {"a time that is a number", "at: 4m", "at: 240",
     "s:35:10: at: must be a duration such as 5s, 250ms, 1m30s or 1.5h; got 240"},
    {"for nothing", "{at: 4m, for: 1m, region", "{at: 4m, for: 0s, region",
     "s:35:19: for: must be above 0s; got 0s"},
    {"no backend service", "{of: us-east1/checkout/web, fraction", "{fraction",
     "s:34:34: instances: the key of is missing"},
    {"no instances", "fraction: 50%", "count: 0",
     "s:34:69: count: must be between 1 and 10000; got 0"},
    {"half an instance", "fraction: 50%", "count: 1.5",
     "s:34:69: count: must be a whole number; got 1.5"},
    {"more than all", "fraction: 50%", "fraction: 101%",
     "s:34:72: fraction: must be above 0 and at most 1; got 101%"},
    {"a share without its sign", "fraction: 50%", "fraction: 50",
     "s:34:72: fraction: must be above 0 and at most 1; got 50"},
    {"a region without a name", "region: {name: us-east1}", "region: {}",
     "s:35:31: region: the key name is missing"},
    {"a region by its name alone", "region: {name: us-east1}", "region: us-east1",
     "s:35:31: region: must be a mapping; got \"us-east1\""},
    {"faults by name", "faults:\n  - {at: 2m", "faults:\n  first: {at: 2m",
     "s:35:3: not valid YAML: did not find expected key"},
    {"a link that does not exist in one direction", "link: {between: [shop, us-west1], become",
     "link: {from: us-east1, to: us-west1, become",
     "s:36:50: to: us-east1 has no link with \"us-west1\"; its links are with: shop"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhatAnExpectationCannotBe) {
  const bad_file cases[] = {
    {"no time allowed", "{from: us-east1, within: 20s}", "{from: us-east1}",
     "s:38:15: failover: the key within is missing"},
    {"no region", "{from: us-east1, within: 20s}", "{within: 20s}",
     "s:38:15: failover: the key from is missing"},
    {"a failover to somewhere", "{from: us-east1, within: 20s}", "{to: us-east1, within: 20s}",
     "s:38:15: failover: the key from is missing\n"
     "s:38:16: unknown key \"to\"; allowed: from, which, within"},
    {"a failback to nowhere", "- failover: {from: us-east1, within: 20s}",
     "- failback: {to: us-east3, within: 20s}",
     "s:38:20: to: unknown region \"us-east3\"; did you mean \"us-east1\"? known: us-east1, us-west1"},
    {"capacity of nowhere", "- failover: {from: us-east1, within: 20s}",
     "- capacity_recovered: {in: shop, within: 20s}",
     "s:38:30: in: unknown region \"shop\"; known: us-east1, us-west1"},
    {"errors without an end", "{from: 2m, to: 4m,", "{from: 2m,",
     "s:39:13: errors: the key to is missing"},
    {"errors without a bound", ", at_most: 1%}", "}", "s:39:13: needs at_least, at_most or both"},
    {"more errors than may be", "at_most: 1%", "at_least: 2%, at_most: 1%",
     "s:39:42: at_least: must be at most at_most (1%); got 2%"},
    {"more than all errors", "at_most: 1%", "at_most: 101%",
     "s:39:41: at_most: must be between 0 and 1; got 101%"},
    {"errors at a time of day", "{from: 2m, to: 4m", "{from: 12:02, to: 4m",
     "s:39:20: from: must be a duration such as 5s, 250ms, 1m30s or 1.5h; got \"12:02\""},
    {"a window of nothing", "{from: 2m, to: 4m", "{from: 4m, to: 4m",
     "s:39:28: to: must be after from (4m); got 4m"},
    {"half a transition", "at_most: 2", "at_most: 0.5",
     "s:40:51: at_most: must be a whole number; got 0.5"},
    {"less than no transition", "at_most: 2", "at_most: -1",
     "s:40:51: at_most: must be between 0 and 1000000; got -1"},
    {"transitions of a region", "{of: us-east1/checkout, at_most: 2}", "{of: us-east1, at_most: 2}",
     "s:40:23: of: unknown published service \"us-east1\"; known: us-east1/checkout, us-west1/checkout"},
    {"an expectation that is a text", "- failover: {from: us-east1, within: 20s}", "- failover",
     "s:38:5: expect[0]: must be a mapping; got \"failover\""},
    {"a recovery that keeps up with nothing", "seed: 7", "recovery: {keep_up: 0}",
     "s:2:21: keep_up: must be above 0 and at most 1; got 0"},
    {"a recovery over two hours", "seed: 7", "recovery: {window: 2h}",
     "s:2:20: window: must be at most 1h; got 2h"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysHowMuchIsTooMuch) {
  const auto repeated = [](std::string_view text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i)
      result += text;
    return result;
  };
  std::string regions;
  for (int i = 0; i < 129; ++i)
    regions += (i == 0 ? "r" : ", r") + std::to_string(i);
  std::string services;
  for (int i = 0; i < 101; ++i)
    services += "  s" + std::to_string(i) + ": {regions: [a], backend_services: {w: {}}}\n";
  struct {
    const char* why;
    std::string text;
    const char* expected;
  } const cases[] = {
    {"1001 expectations",
     edited("expect:\n",
            "expect:\n" + repeated("  - errors: {from: 2m, to: 4m, at_most: 1%}\n", 998)),
     "s:38:3: expect: must have at most 1000 entries; got 1001"},
    {"20001 faults",
     edited("faults:\n", "faults:\n" + repeated("  - {at: 1m, consumer: {name: shop}}\n", 19'998)),
     "s:34:3: faults: must have at most 20000 entries; got 20001"},
    {"101 loads",
     edited("    traffic:\n", "    traffic:\n" + repeated("      - closed_loop: {}\n", 99)),
     "s:30:7: traffic: must have at most 100 entries; got 101"},
    {"129 regions",
     edited("regions: [us-east1, us-west1]\n    backend",
            "regions: [" + regions + "]\n    backend"),
     "s:12:14: regions: must have at most 128 entries; got 129"},
    {"101 services", edited("producers:\n", "producers:\n" + services),
     "s:11:3: producers: must have at most 100 entries; got 102"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto problems = problems_of(parse_scenario(x.text, "s"));
    EXPECT_EQ(problems.empty() ? "" : problems.front(), x.expected);
  }
}

} // namespace

} // namespace spillover::test
