#include "tests/scenario/bad_files.hpp"

namespace spillover::test {
namespace {

// After "    load_balancer: {" of the sample, and before its regions.
constexpr const char* here = "load_balancer: {";
// All of that line.
constexpr const char* whole = "{regions: [us-east1, us-west1], retry_on: [unavailable]}";

TEST(ParseScenario, SaysWhatAnEnvoyCannotBe) {
  const bad_file cases[] = {
    {"another kind's key", here, "load_balancer: {envoy: {}, ",
     "s:28:28: envoy: has no meaning with kind global_external_application; only envoy has it"},
    {"a region that it does not have", whole,
     "{kind: envoy, envoy: {priorities: [[us-east1], [us-wst1]]}}",
     "s:28:68: \"us-wst1\" is not among the regions of this load balancer; did you mean "
     "\"us-west1\"? known: us-east1, us-west1"},
    {"a region in two priorities", whole,
     "{kind: envoy, envoy: {priorities: [[us-east1], [us-west1, us-east1]]}}",
     "s:28:78: priorities: \"us-east1\" is there twice"},
    {"a region in none", whole, "{kind: envoy, envoy: {priorities: [[us-east1]]}}",
     "s:28:54: priorities: must name every region of this load balancer; not there: us-west1"},
    {"a priority of nobody", whole,
     "{kind: envoy, envoy: {priorities: [[], [us-east1, us-west1]]}}",
     "s:28:55: priorities[0]: must have at least 1 entry; got 0"},
    {"a weight of a region that it does not have", whole,
     "{kind: envoy, envoy: {locality_weights: {us-west2: 3}}}",
     "s:28:61: \"us-west2\" is not among the regions of this load balancer; did you mean "
     "\"us-west1\"? known: us-east1, us-west1"},
    {"a weight of nothing", whole, "{kind: envoy, envoy: {locality_weights: {us-west1: 0}}}",
     "s:28:71: us-west1: must be between 1 and 1000000; got 0"},
    {"a factor that takes health away", whole,
     "{kind: envoy, envoy: {overprovisioning_factor: 99}}",
     "s:28:67: overprovisioning_factor: must be between 100 and 100000; got 99"},
    {"a threshold beyond all", whole, "{kind: envoy, envoy: {healthy_panic_threshold: 101}}",
     "s:28:67: healthy_panic_threshold: must be between 0 and 100; got 101"},
    {"keys without a ring", whole, "{kind: envoy, envoy: {policy: round_robin, hash_keys: 5}}",
     "s:28:74: hash_keys: has a meaning with policy: ring_hash only"},
    {"an unknown policy", whole, "{kind: envoy, envoy: {policy: least_requests}}",
     "s:28:50: policy: unknown value \"least_requests\"; did you mean \"least_request\"? allowed: "
     "round_robin, least_request, random, ring_hash"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhatGrpcCannotBe) {
  const bad_file cases[] = {
    {"another kind's key", whole, "{kind: envoy, grpc: {}}",
     "s:28:40: grpc: has no meaning with kind envoy; only grpc has it"},
    {"what judges regions otherwise", whole,
     "{kind: grpc, outlier_detection: {}, circuit_breakers: {}, connection_draining_timeout: 1s}",
     "s:28:52: outlier_detection: has no meaning with kind grpc, whose clients have connections and "
     "nothing else to judge regions by\n"
     "s:28:74: circuit_breakers: has no meaning with kind grpc, whose clients have connections and "
     "nothing else to judge regions by\n"
     "s:28:107: connection_draining_timeout: has no meaning with kind grpc, whose clients have "
     "connections and nothing else to judge regions by"},
    {"capacities", whole, "{kind: grpc, distribution: {max_rate: 10}}",
     "s:28:47: distribution: has no meaning with kind grpc, which does not distribute by capacity"},
    {"a failback policy", whole, "{kind: grpc, failback: {after: 10s}}",
     "s:28:43: failback: has no meaning with kind grpc, which does not route by the states of PSC "
     "NEGs alone"},
    {"no address", whole, "{kind: grpc, grpc: {addresses: 0}}",
     "s:28:51: addresses: must be between 1 and 100; got 0"},
    {"an attempt without time", whole, "{kind: grpc, grpc: {connect_timeout: 0s}}",
     "s:28:57: connect_timeout: must be at least 1ms; got 0s"},
    {"pauses that shrink", whole, "{kind: grpc, grpc: {back_off: {multiplier: 99}}}",
     "s:28:63: multiplier: must be between 100 and 1000; got 99"},
    {"a longest pause below the first", whole,
     "{kind: grpc, grpc: {back_off: {base_interval: 10s, max_interval: 5s}}}",
     "s:28:85: max_interval: must be at least base_interval (10s); got 5s"},
    {"pings without end", whole, "{kind: grpc, grpc: {keepalive: {interval: 1ms}}}",
     "s:28:62: interval: must be at least 100ms; got 1ms"},
    {"a timer that is asked whether", whole, "{kind: grpc, grpc: {failover_timer_restarts: often}}",
     "s:28:65: failover_timer_restarts: unknown value \"often\"; allowed: never, when_over, always"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhatDnsCannotBe) {
  const bad_file cases[] = {
    {"another kind's key", whole, "{kind: envoy, dns: {}}",
     "s:28:39: dns: has no meaning with kind envoy; only dns has it"},
    {"nobody tries again", whole, "{kind: dns, retries: 1, retry_on: [unavailable]}",
     "s:28:41: retries: has no meaning with kind dns: only clients see how a request ended, and can "
     "try it again\n"
     "s:28:54: retry_on: has no meaning with kind dns: only clients see how a request ended, and can "
     "try it again"},
    {"nor for connections", whole, "{kind: internal_proxy_network, retry_on: [unavailable]}",
     "s:28:61: retry_on: has no meaning with kind internal_proxy_network: only clients see how a "
     "request ended, and can try it again"},
    {"no balancer", whole, "{kind: dns, proxies: 2, outlier_detection: {}, circuit_breakers: {}}",
     "s:28:41: proxies: has no meaning with kind dns: no balancer is between clients and regions\n"
     "s:28:63: outlier_detection: has no meaning with kind dns: no balancer is between clients and "
     "regions\n"
     "s:28:85: circuit_breakers: has no meaning with kind dns: no balancer is between clients and "
     "regions"},
    {"a TTL of nothing", whole, "{kind: dns, dns: {ttl: 0s}}",
     "s:28:43: ttl: must be at least 1s; got 0s"},
    {"no resolver", whole, "{kind: dns, dns: {resolvers: 0}}",
     "s:28:49: resolvers: must be between 1 and 1000; got 0"},
    {"an unknown answer", whole, "{kind: dns, dns: {answer: any}}",
     "s:28:46: answer: unknown value \"any\"; did you mean \"all\"? allowed: failover, all"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhatCircuitBreakersCannotBe) {
  const bad_file cases[] = {
    {"nothing gets through", here, "load_balancer: {circuit_breakers: {max_requests: 0}, ",
     "s:28:54: max_requests: must be between 1 and 1000000; got 0"},
    {"two limits of retries", here,
     "load_balancer: {circuit_breakers: {max_retries: 5, retry_budget: {percent: 10}}, ",
     "s:28:53: max_retries: has no meaning beside retry_budget, which takes its place"},
    {"more than all", here, "load_balancer: {circuit_breakers: {retry_budget: {percent: 101}}, ",
     "s:28:64: percent: must be between 0 and 100; got 101"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhatTriesCannotBe) {
  const bad_file cases[] = {
    {"no time for a try", here, "load_balancer: {per_try_timeout: 0s, ",
     "s:28:38: per_try_timeout: must be at least 1ms; got 0s"},
    {"a hedge that nothing starts", here, "load_balancer: {hedge_on_per_try_timeout: true, ",
     "s:28:47: hedge_on_per_try_timeout: needs per_try_timeout, and at least one retry"},
    {"a hedge without a second try", here,
     "load_balancer: {per_try_timeout: 1s, retries: 0, hedge_on_per_try_timeout: true, ",
     "s:28:80: hedge_on_per_try_timeout: needs per_try_timeout, and at least one retry"},
    {"a longest pause below the first", here,
     "load_balancer: {retry_back_off: {base_interval: 1s, max_interval: 999ms}, ",
     "s:28:71: max_interval: must be at least base_interval (1s); got 999ms"},
    {"draining for longer than the product lets", here,
     "load_balancer: {connection_draining_timeout: 3601s, ",
     "s:28:50: connection_draining_timeout: must be at most 1h; got 3601s"},
    {"connections that are shared", here,
     "load_balancer: {circuit_breakers: {max_connections: 5, max_pending_requests: 0}, ",
     "s:28:57: max_connections: has no meaning with protocol http2, where tries share a connection; "
     "only http1 has it\n"
     "s:28:82: max_pending_requests: has no meaning with protocol http2, where tries share a "
     "connection; only http1 has it"},
    {"an unknown protocol", here, "load_balancer: {circuit_breakers: {protocol: http3}, ",
     "s:28:50: protocol: unknown value \"http3\"; did you mean \"http1\"? allowed: http1, http2"},
    {"nobody drains", whole, "{kind: dns, connection_draining_timeout: 1s}",
     "s:28:61: connection_draining_timeout: has no meaning with kind dns: no balancer is between "
     "clients and regions"},
    {"nobody sees an answer", whole, "{kind: internal_proxy_network, per_try_timeout: 1s}",
     "s:28:68: per_try_timeout: has no meaning with kind internal_proxy_network: only clients see how "
     "a request ended, and can try it again"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, TakesTheLongestPauseFromTheFirst) {
  const auto back_off = [](const std::string& settings) {
    const auto x = valid(edited(here, "load_balancer: {retry_back_off: {" + settings + "}, "));
    return x.consumers.at(0).load_balancer.retry_back_off;
  };
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  EXPECT_EQ(back_off(""), (retry_back_off_config{milliseconds{25}, milliseconds{250}}));
  EXPECT_EQ(back_off("base_interval: 3s"), (retry_back_off_config{seconds{3}, seconds{30}}));
  EXPECT_EQ(back_off("base_interval: 3600s"),
            (retry_back_off_config{seconds{3'600}, seconds{3'600}}));
  EXPECT_EQ(back_off("max_interval: 1s"), (retry_back_off_config{milliseconds{25}, seconds{1}}));
}

// What places are is decided before regions are ordered by latency (B-34).
TEST(ParseScenario, KeepsPrioritiesAndWeightsWithTheirRegions) {
  const auto x = valid(edited(whole, "{kind: envoy, regions: [us-west1, us-east1], envoy: "
                                     "{priorities: [[us-west1], [us-east1]], "
                                     "locality_weights: {us-west1: 7}}}"));
  const auto& consumer = x.consumers.at(0);
  EXPECT_EQ(consumer.regions, (std::vector<std::string>{"us-east1", "us-west1"}));
  EXPECT_EQ(consumer.load_balancer.envoy.priorities, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(consumer.load_balancer.envoy.locality_weights, (std::vector<std::uint32_t>{1, 7}));
}

} // namespace
} // namespace spillover::test
