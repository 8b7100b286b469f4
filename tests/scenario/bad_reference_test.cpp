#include "tests/scenario/bad_files.hpp"

namespace spillover::test {

namespace {

TEST(ParseScenario, SaysWhatExistsWhenANameRefersToNothing) {
  const bad_file cases[] = {
    {"an unknown region of a balancer", "{regions: [us-east1, us-west1], retry",
     "{regions: [us-east2, us-west1], retry",
     "s:28:31: regions: checkout is not published in \"us-east2\"; did you mean "
     "\"us-east1\"? known: us-east1, us-west1"},
    {"an unknown site of a link", "[shop, us-east1], latency", "[shoop, us-east1], latency",
     "s:8:18: between: unknown region or consumer \"shoop\"; did you mean \"shop\"? "
     "known: us-east1, us-west1, shop"},
    {"a link between regions", "[shop, us-east1], latency", "[us-west1, us-east1], latency",
     "s:8:28: between: us-west1 has no link with \"us-east1\"; its links are with: shop"},
    {"a link with itself", "[shop, us-east1], latency", "[shop, shop], latency",
     "s:8:24: between: \"shop\" stands here twice"},
    {"an unknown backend service of a fault", "of: us-east1/checkout/web",
     "of: us-east1/checkout/wob",
     "s:34:39: of: unknown backend service \"us-east1/checkout/wob\"; did you mean "
     "\"us-east1/checkout/web\"? known: us-east1/checkout/web, us-east1/checkout/api, "
     "us-west1/checkout/web, us-west1/checkout/api"},
    {"a backend service without its region", "of: us-east1/checkout/web", "of: web",
     "s:34:39: of: unknown backend service \"web\"; known: us-east1/checkout/web, "
     "us-east1/checkout/api, us-west1/checkout/web, us-west1/checkout/api"},
    {"an unknown region of a fault", "region: {name: us-east1}", "region: {name: eu-west1}",
     "s:35:38: name: unknown region \"eu-west1\"; did you mean \"us-west1\"? known: "
     "us-east1, us-west1"},
    {"an unknown link of a fault", "between: [shop, us-west1], become",
     "between: [shop, eu-west1], become",
     "s:36:46: between: unknown region or consumer \"eu-west1\"; did you mean "
     "\"us-west1\"? known: us-east1, us-west1, shop"},
    {"an unknown region of an expectation", "failover: {from: us-east1", "failover: {from: us-east",
     "s:38:22: from: unknown region \"us-east\"; did you mean \"us-east1\"? known: "
     "us-east1, us-west1"},
    {"an unknown service of an expectation", "of: us-east1/checkout, at_most",
     "of: us-east1/check, at_most",
     "s:40:23: of: unknown published service \"us-east1/check\"; did you mean "
     "\"us-east1/checkout\"? known: us-east1/checkout, us-west1/checkout"},
    {"an unknown region of an override", "      us-west1:\n", "      us-west2:\n",
     "s:24:7: unknown region \"us-west2\"; did you mean \"us-west1\"? known: us-east1, "
     "us-west1"},
    {"an unknown backend service of an override", "        web: {autoscaling: {min_instances: 1}}",
     "        wbe: {autoscaling: {min_instances: 1}}",
     "s:25:9: unknown backend service \"wbe\"; did you mean \"web\"? known: web, api"},
    {"an unknown producer", "load_balancer: {regions",
     "producer: chekout\n"
     "    load_balancer: {regions",
     "s:28:15: producer: unknown producer \"chekout\"; did you mean \"checkout\"? known: "
     "checkout"},
    {"no producer among several", "producers:\n",
     "producers:\n"
     "  other: {regions: [us-east1], backend_services: {web: {}}}\n",
     "s:29:5: the key producer is missing, and there is more than one: other, checkout"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, RefusesTransitionsOfWhatHasNoSignal) {
  const bad_file cases[] = {
    {"transitions without a composite",
     "    composite_health:\n"
     "      sources:\n"
     "        - {backend_service: web, healthy_percent_threshold: 60, "
     "min_healthy_threshold: 1}\n",
     "",
     "s:37:23: of: \"us-east1/checkout\" has neither composite_health nor service_health, hence no transitions"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, RefusesNumbersThatDoNotFitEachOther) {
  const bad_file cases[] = {
    {"warm-up as long as the run", "warm_up: 1m", "warm_up: 10m",
     "s:4:10: warm_up: must be below duration (10m); got 10m"},
    {"min above max", "min_instances: 2, max", "min_instances: 21, max",
     "s:16:57: min_instances: must be at most max_instances (20); got 21"},
    {"an override puts min above max", "{min_instances: 1}", "{max_instances: 1}",
     "s:25:44: min_instances: must be at most max_instances (1); got 2"},
    {"fixed at 0 instances", "policy: fixed, instances: 3", "policy: fixed, instances: 0",
     "s:19:49: instances: must be between 1 and 10000; got 0"},
    {"fixed with a minimum", "policy: fixed, instances: 3", "policy: fixed, min_instances: 0",
     "s:19:53: min_instances: has no meaning with policy fixed; allowed: policy, instances"},
    {"cloud_run with a number", "min_instances: 2, max_instances: 20", "instances: 2",
     "s:16:53: instances: has no meaning with policy cloud_run; allowed: policy, variant, "
     "min_instances, max_instances, cpu_target, concurrency_target, evaluation, dead_band, "
     "adaptive_concurrency"},
    {"a target out of range", "min_instances: 2,", "cpu_target: 96%,",
     "s:16:54: cpu_target: must be between 10% and 95%, or 0 to turn the driver off; got "
     "96%"},
    {"both drivers off", "min_instances: 2,", "cpu_target: 0, concurrency_target: 0,",
     "s:16:77: concurrency_target: both drivers are off; one of cpu_target and "
     "concurrency_target must be above 0"},
    {"timeout above interval", "timeout: 3s", "timeout: 5s",
     "s:17:47: timeout: must be at most interval (4s); got 5s"},
    {"an answer as slow as the timeout", "timeout: 3s", "timeout: 3s, response_time: 3s",
     "s:17:66: response_time: must be below timeout (3s); got 3s"},
    {"quorum above probers", "probers: 3", "probers: 3, quorum: 4",
     "s:17:71: quorum: must be at most probers (3); got 4"},
    {"p99 below median", "p99: 200ms", "p99: 20ms",
     "s:15:91: p99: must be at least median (40ms); got 20ms"},
    {"backoff max below base", "max: 5s", "max: 500ms",
     "s:32:51: max: must be at least base (1s); got 500ms"},
    {"steps out of order", "{at: 5m, rps: 200}", "{at: 5m, rps: 200}, {at: 5m, rps: 1}",
     "s:30:73: at: must be after the step before (5m); got 5m"},
    {"the first step is late", "{at: 0s, rps: 100}", "{at: 1s, rps: 100}",
     "s:30:33: at: the first step must be at 0s; got 1s"},
    {"the first step ramps", "{at: 0s, rps: 100}", "{at: 0s, rps: 100, ramp: true}",
     "s:30:53: ramp: the first step has none before it to move from"},
    {"a fault at the end of the run", "at: 6m, for", "at: 10m, for",
     "s:36:10: at: must be before the end of the run (10m); got 10m"},
    {"a share and a count", "fraction: 50%,", "fraction: 50%, count: 2,",
     "s:34:84: count: stands beside fraction; use one or the other"},
    {"an error share of silence", "fraction: 50%,", "error_fraction: 50%,",
     "s:34:78: error_fraction: has a meaning with become: failing only"},
    {"a delay without length", ", by: 1s", "",
     "s:36:29: the key by is missing; it says how much is added to the latency"},
    {"a cut with a length", "become: delayed", "become: cut",
     "s:36:74: by: has no meaning with become: cut; it has one with delayed, jittery, "
     "reordering, limited"},
    {"a window that ends before it begins", "{from: 2m, to: 4m", "{from: 4m, to: 2m",
     "s:39:28: to: must be after from (4m); got 2m"},
    {"a window beyond the run", "to: 4m, at", "to: 11m, at",
     "s:39:28: to: must be within the run (10m); got 11m"},
    {"a window within the warm-up", "{from: 2m, to: 4m", "{from: 10s, to: 20s",
     "s:39:29: to: must be after the warm-up (1m); got 20s"},
    {"what only the domain knows", "{at: 5m, rps: 200}", "{at: 5m, rps: 0.0000001}",
     "s:30:62: rate[1].rps: must be 0, or from 0.000001 to 10000000"},
    {"waves that leave nothing", "open_loop: {",
     "open_loop: {waves: [{amplitude: 1, period: 2s}, {amplitude: 1, period: 2s, phase: 1s}], ",
     "s:30:29: waves[0].phase: the waves of this period cancel one another out\n"
     "s:30:91: waves[1].phase: the waves of this period cancel one another out"},
  };
  expect_problems(cases);
}

} // namespace

} // namespace spillover::test
