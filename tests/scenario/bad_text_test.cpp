#include "tests/scenario/bad_files.hpp"

namespace spillover::test {

namespace {

TEST(ParseScenario, SaysWhatYamlItCannotRead) {
  const bad_file cases[] = {
    {"a tab indents", "  default:", "	default:",
     "s:6:1: not valid YAML: tab character may not be used as indentation"},
    {"a quote is left open", "name: sample", "name: \"sample",
     "s:1:7: not valid YAML: wrongly indented double-quoted scalar"},
    {"a bracket is left open",
     "regions: [us-east1, us-west1]\n"
     "    backend",
     "regions: [us-east1, us-west1\n"
     "    backend",
     "s:14:10: not valid YAML: missing comma in flow sequence"},
    {"a key stands twice", "seed: 7",
     "seed: 7\n"
     "name: other",
     "s:3:1: duplicate key \"name\""},
    {"a consumer stands twice", "faults:\n",
     "  shop: {traffic: [{closed_loop: {}}]}\n"
     "faults:\n",
     "s:33:3: duplicate key \"shop\""},
    {"a key is a list", "seed: 7", "[a]: 7", "s:2:1: a key must be a plain text"},
    {"a tag", "seed: 7", "seed: !!int 7", "s:2:7: tags such as !!str have no use in a scenario"},
    {"an alias without an anchor", "seed: 7", "seed: *seven",
     "s:2:7: alias *seven names no anchor before it"},
    {"a merge of a number", "seed: 7", "<<: 7", "s:2:5: << merges mappings only"},
    {"a second document", "seed: 7",
     "seed: 7\n"
     "---\n"
     "a: 1",
     "s:3:1: a second document begins here; a scenario file holds one"},
    {"a control character in a text", "seed: 7", "description: \"a\\x01b\"",
     "s:2:15: contains control characters"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysItAtAPlaceOfTheText) {
  struct {
    const char* why;
    std::string_view text;
    const char* expected;
  } const cases[] = {
    {"a text over lines that has none, at the end", "\n|", "s:2:2: must be a mapping; got \"\""},
    {"the same with a line end, on the empty line", "\n|\n", "s:3:1: must be a mapping; got \"\""},
    {"what is missing at the end is missing behind it", "a: [1",
     "s:1:6: not valid YAML: flow sequence without a closing bracket"},
    {"line ends of other systems are two lines, and count once", "\r\n\r|",
     "s:3:2: must be a mapping; got \"\""},
    {"line ends that YAML 1.1 knows are characters", "%YAML 1.1\n---\na\xc2\x85: b\n",
     "s:3:3: not valid YAML: invalid mapping in plain multiline"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    keep_for_fuzzing(x.text);
    EXPECT_EQ(joined(problems_of(parse_scenario(x.text, "s"))), x.expected);
  }
}

TEST(ParseScenario, SaysWhichKeysAreAllowed) {
  const bad_file cases[] = {
    {"an unknown key at the top", "seed: 7", "sede: 7",
     "s:2:1: unknown key \"sede\"; did you mean \"seed\"? allowed: actions, consumers, "
     "description, duration, expect, faults, name, network, producers, recovery, seed, "
     "stop_if, warm_up"},
    {"an unknown key without a near one", "seed: 7", "zebra: 7",
     "s:2:1: unknown key \"zebra\"; allowed: actions, consumers, description, duration, expect, "
     "faults, name, network, producers, recovery, seed, stop_if, warm_up"},
    {"an unknown key deep inside", "interval: 4s", "intervall: 4s",
     "s:17:24: unknown key \"intervall\"; did you mean \"interval\"? allowed: "
     "error_decides, expected_statuses, first_result_decides, healthy_edge_interval, "
     "healthy_threshold, initial_delay, interval, network_lag, no_traffic_interval, path, "
     "path_status, probers, protocol, quorum, response_time, timeout, "
     "unhealthy_edge_interval, unhealthy_interval, unhealthy_threshold"},
    {"an unknown key in an override", "autoscaling: {min_instances: 1}", "instance: {cpus: 1}",
     "s:25:26: unknown key \"cpus\"; did you mean \"cpu\"? allowed: cold_start, concurrency, cpu, cpu_per_request, liveness_probe, "
     "readiness_probe, restart_backoff, service_time, sidecars, startup_cpu_boost, startup_probe"},
    {"a key in another's place", "{cpu: 2,", "{probers: 2,",
     "s:15:20: unknown key \"probers\"; allowed: cold_start, concurrency, cpu, cpu_per_request, liveness_probe, "
     "readiness_probe, restart_backoff, service_time, sidecars, startup_cpu_boost, startup_probe"},
    {"a missing key at the top", "duration: 10m\n", "", "s:1:1: the key duration is missing"},
    {"a missing key in a service",
     "    regions: [us-east1, us-west1]\n"
     "    backend",
     "    backend", "s:12:5: checkout: the key regions is missing"},
    {"no consumer",
     "consumers:\n"
     "  shop:",
     "consumers: {}\n"
     "other:\n"
     "  shop:",
     "s:26:12: consumers: must have at least 1 entry\n"
     "s:27:1: unknown key \"other\"; allowed: actions, consumers, description, duration, expect, "
     "faults, name, network, producers, recovery, seed, stop_if, warm_up"},
    {"two loads in one entry",
     "- closed_loop: {clients: 10, think_time: {exponential: {mean: 2s}}}",
     "- {closed_loop: {}, open_loop: {rate: 5}}",
     "s:31:9: traffic[1]: needs exactly one of: closed_loop, open_loop, push_subscription, trace"},
    {"a fault of nothing", ", region: {name: us-east1}", "",
     "s:35:5: faults[1]: needs exactly one of: instances; zone; region; link; probers; consumer; "
     "load_balancer; clock; quota"},
    {"a fault of two things", ", region: {name: us-east1}",
     ", region: {name: us-east1}, link: {between: [shop, us-east1], become: cut}",
     "s:35:5: faults[1]: needs exactly one of: instances; zone; region; link; probers; consumer; "
     "load_balancer; clock; quota"},
    {"an expectation of nothing", "- failover: {from: us-east1, within: 20s}", "- {}",
     "s:38:5: expect[0]: needs exactly one of: failover; failback; capacity_recovered; clock; "
     "errors; latency; queue; rate; instances; transitions; lost; cost; sequence; "
     "backlog"},
    {"an expectation with nothing but a name", "- failover: {from: us-east1, within: 20s}",
     "- {name: x}",
     "s:38:5: expect[0]: needs exactly one of: failover; failback; capacity_recovered; clock; "
     "errors; latency; queue; rate; instances; transitions; lost; cost; sequence; "
     "backlog"},
    {"two expectations in one", "- failover: {from: us-east1, within: 20s}",
     "- {failover: {from: us-east1, within: 20s}, lost: {}}",
     "s:38:5: expect[0]: needs exactly one of: failover; failback; capacity_recovered; clock; "
     "errors; latency; queue; rate; instances; transitions; lost; cost; sequence; "
     "backlog"},
    {"a link without ends", "{between: [shop, us-east1], latency: 8ms}", "{latency: 8ms}",
     "s:8:7: links[0]: needs exactly one of: between; from and to"},
    {"a link with both spellings", "{between: [shop, us-east1], latency: 8ms}",
     "{between: [shop, us-east1], to: shop, latency: 8ms}",
     "s:8:39: to: stands beside between; use one or the other"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhichTypesAreAllowed) {
  const bad_file cases[] = {
    {"a text for a number", "concurrency: 40", "concurrency: many",
     "s:15:41: concurrency: must be a whole number; got \"many\""},
    {"a fraction for a whole number", "concurrency: 40", "concurrency: 4.5",
     "s:15:41: concurrency: must be a whole number; got 4.5"},
    {"yes is a text", "seed: 7", "seed: yes", "s:2:7: seed: must be a whole number; got \"yes\""},
    {"a duration without unit", "interval: 4s", "interval: 4",
     "s:17:34: interval: must be a duration such as 5s, 250ms, 1m30s or 1.5h; got 4"},
    {"a duration with a space", "interval: 4s", "interval: \"4 s\"",
     "s:17:35: interval: must be a duration such as 5s, 250ms, 1m30s or 1.5h; got \"4 s\""},
    {"days are no unit", "duration: 10m", "duration: 1d",
     "s:3:11: duration: must be a duration such as 5s, 250ms, 1m30s or 1.5h; got \"1d\""},
    {"a negative duration", "interval: 4s", "interval: -4s",
     "s:17:34: interval: must be a duration such as 5s, 250ms, 1m30s or 1.5h; got \"-4s\""},
    {"nothing for a mapping", "client: {retries: 1, backoff: {base: 1s, max: 5s}}",
     "client:", "s:32:5: client: must be a mapping; got nothing"},
    {"a list for a mapping", "default: {latency: 30ms, jitter: 2ms, loss: 0.1%}", "default: [1]",
     "s:6:12: default: must be a mapping; got a list"},
    {"a mapping for a list",
     "- {backend_service: web, healthy_percent_threshold: 60, min_healthy_threshold: 1}",
     "{backend_service: web}", "s:22:9: sources: must be a list; got a mapping"},
    {"an unknown distribution", "{exponential: {mean: 2s}}", "{normal: {mean: 2s}}",
     "s:31:49: unknown key \"normal\"; did you mean \"lognormal\"? allowed: empirical, "
     "exponential, lognormal"},
    {"two distributions", "{exponential: {mean: 2s}}", "{exponential: {mean: 2s}, empirical: [1s]}",
     "s:31:48: think_time: needs exactly one of: empirical, exponential, lognormal"},
    {"a number for a distribution", "{exponential: {mean: 2s}}", "5",
     "s:31:48: think_time: must be a duration such as 50ms, or one of exponential, "
     "lognormal and empirical; got 5"},
    {"a flag that is none", "autoscaling: {policy: cloud_run,", "autoscaling: {dead_band: on,",
     "s:16:34: dead_band: must be true or false; got \"on\""},
  };
  expect_problems(cases);
}

} // namespace

} // namespace spillover::test
