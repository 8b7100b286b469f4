#include "tests/scenario/lint_worlds.hpp"

namespace spillover::test {

namespace {

constexpr const char* fixed = "{policy: fixed, instances: 10}";
constexpr const char* composite =
  "    composite_health:\n      sources:\n        - {backend_service: web, "
  "healthy_percent_threshold: 60, min_healthy_threshold: 1}\n";

std::vector<lint_world> health_worlds() {
  return {
    {"1 of 2 is below 60 %, 2 of 3 is not",
     "single-loss-fails-over",
     {{"instances: 10", "instances: 2"}},
     {{"instances: 10", "instances: 3"}},
     "s:18:61: lint: east/checkout/web: 2 of the 2 instances at the start must be healthy (60 %, at least 1), so that any single loss fails the region over; from 3 instances on one may be lost, or with healthy_percent_threshold 50 or less [single-loss-fails-over: B-16, B-17]\n"
     "s:18:61: lint: west/checkout/web: 2 of the 2 instances at the start must be healthy (60 %, at least 1), so that any single loss fails the region over; from 3 instances on one may be lost, or with healthy_percent_threshold 50 or less [single-loss-fails-over: B-16, B-17]"},
    {"95 % allows no loss of 19, one of 20",
     "single-loss-fails-over",
     {{"instances: 10", "instances: 19"}, {"threshold: 60", "threshold: 95"}},
     {{"instances: 10", "instances: 20"}, {"threshold: 60", "threshold: 95"}},
     "s:18:61: lint: east/checkout/web: 19 of the 19 instances at the start must be healthy (95 %, at least 1), so that any single loss fails the region over; from 20 instances on one may be lost, or with healthy_percent_threshold 94 or less [single-loss-fails-over: B-16, B-17]\n"
     "s:18:61: lint: west/checkout/web: 19 of the 19 instances at the start must be healthy (95 %, at least 1), so that any single loss fails the region over; from 20 instances on one may be lost, or with healthy_percent_threshold 94 or less [single-loss-fails-over: B-16, B-17]"},
    {"the count decides, whatever the share",
     "single-loss-fails-over",
     {{"threshold: 60, min_healthy_threshold: 1", "threshold: 0, min_healthy_threshold: 10"}},
     {{"threshold: 60, min_healthy_threshold: 1", "threshold: 0, min_healthy_threshold: 9"}},
     "s:18:61: lint: east/checkout/web: 10 of the 10 instances at the start must be healthy (0 %, at least 10), so that any single loss fails the region over; from 11 instances on one may be lost [single-loss-fails-over: B-16, B-17]\n"
     "s:18:61: lint: west/checkout/web: 10 of the 10 instances at the start must be healthy (0 %, at least 10), so that any single loss fails the region over; from 11 instances on one may be lost [single-loss-fails-over: B-16, B-17]"},
    {"100 % allows no loss whatever the number",
     "single-loss-fails-over",
     {{"threshold: 60", "threshold: 100"}},
     {{"threshold: 60", "threshold: 90"}},
     "s:18:61: lint: east/checkout/web: 10 of the 10 instances at the start must be healthy (100 %, at least 1), so that any single loss fails the region over; with healthy_percent_threshold 90 or less [single-loss-fails-over: B-16, B-17]\n"
     "s:18:61: lint: west/checkout/web: 10 of the 10 instances at the start must be healthy (100 %, at least 1), so that any single loss fails the region over; with healthy_percent_threshold 90 or less [single-loss-fails-over: B-16, B-17]"},
    {"1 at the start, and the 2 that the load calls for: 50 x 200 ms / (10 x 60 %), or 50 x 20 ms / 60 %",
     "single-loss-fails-over",
     {{fixed, "{policy: cloud_run, min_instances: 1, max_instances: 20}"}},
     {{fixed, "{policy: cloud_run, min_instances: 3, max_instances: 20}"}},
     "s:18:61: lint: east/checkout/web: 1 of the 1 instance at the start must be healthy (60 %, at least 1), so that any single loss fails the region over; from 3 instances on one may be lost [single-loss-fails-over: B-16, B-17]\n"
     "s:18:61: lint: east/checkout/web: 2 of the 2 instances that 50 requests/s call for must be healthy (60 %, at least 1), so that any single loss fails the region over; from 3 instances on one may be lost, or with healthy_percent_threshold 50 or less [single-loss-fails-over: B-16, B-17]\n"
     "s:18:61: lint: west/checkout/web: 1 of the 1 instance at the start must be healthy (60 %, at least 1), so that any single loss fails the region over; from 3 instances on one may be lost [single-loss-fails-over: B-16, B-17]"},
  };
}

std::vector<lint_world> scaling_worlds() {
  return {
    {"1 of 2 is UNHEALTHY",
     "scale-out-fails-over",
     {{fixed, "{policy: cloud_run, min_instances: 1, max_instances: 20}"}},
     {{fixed, "{policy: cloud_run, min_instances: 2, max_instances: 20}"}},
     "s:14:57: lint: east/checkout/web: a new endpoint counts as unhealthy until its first probes, so scaling out from 1 makes 1 of 2 healthy and the composite UNHEALTHY (60 %, at least 1); raise min_instances [scale-out-fails-over: B-38]\n"
     "s:14:57: lint: west/checkout/web: a new endpoint counts as unhealthy until its first probes, so scaling out from 1 makes 1 of 2 healthy and the composite UNHEALTHY (60 %, at least 1); raise min_instances [scale-out-fails-over: B-38]"},
    {"in the override of one region, which is named",
     "scale-out-fails-over",
     {{fixed, "{policy: cloud_run, min_instances: 4, max_instances: 20}"},
      {"consumers:",
       "    overrides: {west: {web: {autoscaling: {min_instances: 1}}}}\nconsumers:"}},
     {{fixed, "{policy: cloud_run, min_instances: 4, max_instances: 20}"}},
     "s:19:59: lint: west/checkout/web: a new endpoint counts as unhealthy until its first probes, so scaling out from 1 makes 1 of 2 healthy and the composite UNHEALTHY (60 %, at least 1); raise min_instances [scale-out-fails-over: B-38]"},
    {"no endpoints are UNHEALTHY",
     "scales-to-unhealthy",
     {{fixed, "{policy: cloud_run, min_instances: 0, max_instances: 20}"}},
     {{fixed, "{policy: cloud_run, min_instances: 1, max_instances: 20}"}},
     "s:14:57: lint: east/checkout/web: may scale to zero, and a source without endpoints is UNHEALTHY, which sends consumers elsewhere; min_instances 1 avoids it [scales-to-unhealthy: B-18]\n"
     "s:14:57: lint: west/checkout/web: may scale to zero, and a source without endpoints is UNHEALTHY, which sends consumers elsewhere; min_instances 1 avoids it [scales-to-unhealthy: B-18]"},
    {"more than there can be",
     "never-healthy",
     {{"min_healthy_threshold: 1", "min_healthy_threshold: 11"}},
     {{"min_healthy_threshold: 1", "min_healthy_threshold: 10"}},
     "s:18:88: lint: east/checkout/web: can never be HEALTHY: min_healthy_threshold is 11, and there are at most 10 instances [never-healthy: B-16]\n"
     "s:18:88: lint: west/checkout/web: can never be HEALTHY: min_healthy_threshold is 11, and there are at most 10 instances [never-healthy: B-16]"},
    {"more than there are at the start",
     "never-healthy",
     {{fixed, "{policy: cloud_run, min_instances: 4, max_instances: 20}"},
      {"min_healthy_threshold: 1", "min_healthy_threshold: 5"}},
     {{fixed, "{policy: cloud_run, min_instances: 5, max_instances: 20}"},
      {"min_healthy_threshold: 1", "min_healthy_threshold: 5"}},
     "s:18:88: lint: east/checkout/web: is UNHEALTHY until it has scaled out: min_healthy_threshold is 5, and it starts with 4 instances; raise min_instances to 5 [never-healthy: B-16]\n"
     "s:18:88: lint: west/checkout/web: is UNHEALTHY until it has scaled out: min_healthy_threshold is 5, and it starts with 4 instances; raise min_instances to 5 [never-healthy: B-16]"},
    {"said once, not for each region",
     "emulator-extension",
     {{fixed, "{policy: cloud_run, min_instances: 4, max_instances: 20}"}},
     {{fixed, "{policy: fixed, instances: 4}"}},
     "s:18:29: note: checkout/web: policy cloud_run behind a composite health check is this emulator's extension; in Google Cloud a Cloud Run service cannot be a health source [emulator-extension: A-74]"},
  };
}

std::vector<lint_world> failover_worlds() {
  return {
    {"5 s + 5 s + 2 s + 1 s at best (B-42)",
     "failover-too-slow",
     {{"within: 20s", "within: 12999ms"}},
     {{"within: 20s", "within: 13s"}},
     "s:27:36: lint: failover from east takes 13s even at best, which is over 12999ms (interval 5s x 2, timeout 5s, aggregation up to 1s, propagation 2s to 3s, apply 1s); allow 20s, or probe more often [failover-too-slow: B-39, B-42]"},
    {"what fails at once is noticed 5 s earlier",
     "failover-too-slow",
     {{"become: silent", "become: crashed"}, {"within: 20s", "within: 7s"}},
     {{"become: silent", "become: crashed"}, {"within: 20s", "within: 8s"}},
     "s:27:36: lint: failover from east takes 8s even at best, which is over 7s (interval 5s x 2, aggregation up to 1s, propagation 2s to 3s, apply 1s); allow 15s, or probe more often [failover-too-slow: B-39, B-42]"},
    {"10 s + 5 s + 1 s + 3 s + 1 s at worst (B-42)",
     "failover-may-be-late",
     {{"within: 20s", "within: 19s"}},
     {{"within: 20s", "within: 20s"}},
     "s:27:36: lint: failover from east takes 13s at best, and up to 20s, which is over 19s (interval 5s x 2, timeout 5s, aggregation up to 1s, propagation 2s to 3s, apply 1s); whether it is met depends on the seed; allow 20s, or probe more often [failover-may-be-late: B-39, B-42]"},
    {"Envoy's pause between failures, which begins when a probe has failed",
     "failover-may-be-late",
     {{"timeout: 5s}", "timeout: 5s, unhealthy_edge_interval: 1s}"}},
     {{"timeout: 5s}", "timeout: 5s, unhealthy_edge_interval: 1s}"},
      {"within: 20s", "within: 22s"}},
     "s:27:36: lint: failover from east takes 14s at best, and up to 21001ms, which is over 20s (interval 5s x 2, 1s between failures, timeout 5s, aggregation up to 1s, propagation 2s to 3s, apply 1s); whether it is met depends on the seed; allow 21001ms, or probe more often [failover-may-be-late: B-39, B-42]"},
    {"an error that decides needs no second one",
     "failover-may-be-late",
     {{"timeout: 5s}", "timeout: 5s, error_decides: true}"},
      {"silent", "failing"},
      {"within: 20s", "within: 9s"}},
     {{"timeout: 5s}", "timeout: 5s, error_decides: true}"},
      {"silent", "failing"},
      {"within: 20s", "within: 10s"}},
     "s:27:36: lint: failover from east takes 3s at best, and up to 10s, which is over 9s (interval 5s x 1, an error decides, aggregation up to 1s, propagation 2s to 3s, apply 1s); whether it is met depends on the seed; allow 10s, or probe more often [failover-may-be-late: B-39, B-42]"},
    {"the health plane takes its time as well",
     "failover-may-be-late",
     {{"latency: 40ms}",
       "latency: 40ms}\n    - {from: east, to: shop, plane: health, latency: 1ms}"}},
     {{"latency: 40ms}",
       "latency: 40ms}\n    - {from: west, to: shop, plane: health, latency: 1ms}"}},
     "s:28:36: lint: failover from east takes 13001ms at best, and up to 20001ms, which is over 20s (interval 5s x 2, timeout 5s, aggregation up to 1s, propagation 2s to 3s, link 1ms, apply 1s); whether it is met depends on the seed; allow 20001ms, or probe more often [failover-may-be-late: B-39, B-42]"},
    {"4 of 10 turn nothing, so that probes alone bring no failover",
     "failover-may-be-late",
     {{"within: 20s", "within: 19s"}, {"fraction: 50%", "count: 5"}},
     {{"within: 20s", "within: 19s"}, {"fraction: 50%", "count: 4"}},
     "s:27:36: lint: failover from east takes 13s at best, and up to 20s, which is over 19s (interval 5s x 2, timeout 5s, aggregation up to 1s, propagation 2s to 3s, apply 1s); whether it is met depends on the seed; allow 20s, or probe more often [failover-may-be-late: B-39, B-42]"},
    {"a whole region", "failover-may-be-late", {{"within: 20s", "within: 19s"}, {"instances: {of: east/checkout/web, fraction: 50%, become: silent}", "region: {name: east}"}}, {{"within: 20s", "within: 19s"}, {"instances: {of: east/checkout/web, fraction: 50%, become: silent}", "region: {name: west}"}}, "s:27:36: lint: failover from east takes 13s at best, and up to 20s, which is over 19s (interval 5s x 2, timeout 5s, aggregation up to 1s, propagation 2s to 3s, apply 1s); whether it is met depends on the seed; allow 20s, or probe more often [failover-may-be-late: B-39, B-42]"},
  };
}

std::vector<lint_world> routing_worlds() {
  return {
    {"nowhere to go",
     "one-region",
     {{"{regions: [east, west], timeout", "{regions: [east], timeout"},
      {"    - {between: [shop, west], latency: 40ms}", "    []"}},
     {{"{regions: [east, west], timeout", "{regions: [west, east], timeout"}},
     "s:21:30: lint: shop: has one region, east, and can never fail over; give it a second one [one-region: B-29]"},
    {"nothing is propagated",
     "no-health",
     {{composite, ""}},
     {},
     "s:18:5: lint: shop: checkout has no composite_health, so its PSC NEGs stay UNKNOWN and new requests always go to east first, however ill that is; only retries reach the others; add composite_health to checkout, or outlier_detection to shop [no-health: B-22, B-31]"},
    {"an unknown_policy does not help",
     "no-health",
     {{composite, ""}, {"retries: 1", "unknown_policy: as_unhealthy"}},
     {{"retries: 1", "unknown_policy: as_unhealthy"}},
     "s:18:5: lint: shop: checkout has no composite_health, so its PSC NEGs stay UNKNOWN and new requests always go to east first, however ill that is; only retries reach the others; add composite_health to checkout, or outlier_detection to shop [no-health: B-22, B-31]"},
    {"without a composite both can only fail",
     "failover-cannot-happen",
     {{composite, ""}},
     {},
     "s:24:22: lint: failover from east: can only fail: no consumer that uses the region has both another one and a service with composite_health [failover-cannot-happen: B-22, B-29]\n"
     "s:25:20: lint: failback to east: can only fail: no consumer that uses the region has both another one and a service with composite_health [failover-cannot-happen: B-22, B-29]"},
    {"without another region as well",
     "failover-cannot-happen",
     {{"{regions: [east, west], timeout", "{regions: [east], timeout"},
      {"    - {between: [shop, west], latency: 40ms}", "    []"},
      {"  - failback: {to: east, within: 30s}\n", ""}},
     {},
     "s:27:22: lint: failover from east: can only fail: no consumer that uses the region has both another one and a service with composite_health [failover-cannot-happen: B-22, B-29]"},
    {"each try goes where the first one failed",
     "retry-in-place",
     {{"{regions: [east, west], timeout", "{regions: [east], timeout"},
      {"    - {between: [shop, west], latency: 40ms}", "    []"}},
     {{"{regions: [east, west], timeout", "{regions: [east], timeout"},
      {"    - {between: [shop, west], latency: 40ms}", "    []"},
      {"retries: 1", "retries: 0"}},
     "s:21:61: lint: shop: 1 retry can only go to east again, up to 2 times the load where it failed; use retries 0 or a second region [retry-in-place: B-29]"},
    {"clients give up first",
     "balancer-outlasts-client",
     {{"timeout: 10s", "timeout: 21s"}},
     {{"timeout: 10s", "timeout: 20s"}},
     "s:21:53: lint: shop: load_balancer.timeout (21s) is above the clients' timeout (20s): clients give up first, and their requests keep slots in the region until then; set it below [balancer-outlasts-client: B-58]"},
    {"clients without a timeout wait for ever",
     "balancer-outlasts-client",
     {{"timeout: 10s", "timeout: 21s"}},
     {{"timeout: 10s", "timeout: 21s"}, {"client: {timeout: 20s}", "client: {}"}},
     "s:21:53: lint: shop: load_balancer.timeout (21s) is above the clients' timeout (20s): clients give up first, and their requests keep slots in the region until then; set it below [balancer-outlasts-client: B-58]"},
  };
}

std::vector<lint_world> channel_worlds() {
  constexpr const char* place = "{regions: [east, west], timeout: 10s";
  return {
    {"the next region is tried when the request is over",
     "failover-outlasts-request",
     {{place, "{kind: grpc, regions: [east, west], timeout: 10s"}},
     {{place, "{kind: grpc, regions: [east, west], timeout: 11s"}},
     "s:21:65: lint: shop: a region that does not answer is waited for 10s before the next one is tried, and requests give up after 10s; raise load_balancer.timeout, or lower grpc.failover_timeout or grpc.connect_timeout [failover-outlasts-request: B-88]"},
    {"a round of attempts is shorter than the timer, unless there are more addresses",
     "failover-outlasts-request",
     {{place,
       "{kind: grpc, grpc: {connect_timeout: 6s, addresses: 2}, regions: [east, west], timeout: "
       "10s"}},
     {{place,
       "{kind: grpc, grpc: {connect_timeout: 6s, addresses: 1}, regions: [east, west], timeout: "
       "10s"}},
     "s:21:108: lint: shop: a region that does not answer is waited for 10s before the next one is tried, and requests give up after 10s; raise load_balancer.timeout, or lower grpc.failover_timeout or grpc.connect_timeout [failover-outlasts-request: B-88]"},
    {"clients with connections of their own need nobody else to judge regions",
     "no-health",
     {{composite, ""}},
     {{composite, ""}, {place, "{kind: grpc, regions: [east, west], timeout: 11s"}},
     "s:18:5: lint: shop: checkout has no composite_health, so its PSC NEGs stay UNKNOWN and new requests always go to east first, however ill that is; only retries reach the others; add composite_health to checkout, or outlier_detection to shop [no-health: B-22, B-31]"},
  };
}

std::vector<lint_world> outlier_worlds() {
  return {
    {"outlier detection leaves a region without composite health",
     "no-health",
     {{composite, ""}},
     {{composite, ""}, {"retries: 1", "outlier_detection: {}"}},
     "s:18:5: lint: shop: checkout has no composite_health, so its PSC NEGs stay UNKNOWN and new requests always go to east first, however ill that is; only retries reach the others; add composite_health to checkout, or outlier_detection to shop [no-health: B-22, B-31]"},
    {"10 % of two regions",
     "ejection-cap-spares-all",
     {{"retries: 1",
       "outlier_detection: {always_eject_one_host: false, max_ejection_percent: 49}"}},
     {{"retries: 1",
       "outlier_detection: {always_eject_one_host: false, max_ejection_percent: 50}"}},
     "s:21:130: lint: shop: outlier detection ejects nothing, however ill: max_ejection_percent 49 of 2 regions is 0.98, below 1, and always_eject_one_host is false; set it to true, or max_ejection_percent to at least 50 [ejection-cap-spares-all: B-43]"},
    {"two of three regions are ill",
     "ejection-cap-spares-some",
     {{"regions: [east, west]", "regions: [east, west, north]"},
      {"{regions: [east, west], timeout: 10s, retries: 1}",
       "{timeout: 10s, outlier_detection: {max_ejection_percent: 65}}"},
      {"west], latency: 40ms}",
       "west], latency: 40ms}\n    - {between: [shop, north], latency: 50ms}"},
      {"expect:\n", "  - {at: 3m, for: 2m, region: {name: west}}\nexpect:\n"}},
     {{"regions: [east, west]", "regions: [east, west, north]"},
      {"{regions: [east, west], timeout: 10s, retries: 1}",
       "{timeout: 10s, outlier_detection: {max_ejection_percent: 67}}"},
      {"west], latency: 40ms}",
       "west], latency: 40ms}\n    - {between: [shop, north], latency: 50ms}"},
      {"expect:\n", "  - {at: 3m, for: 2m, region: {name: west}}\nexpect:\n"}},
     "s:22:77: lint: shop: 2 regions are ill at 3m, but max_ejection_percent 65 of 3 lets 1 be ejected at a time; 1 stays in use however ill; set it to at least 67 [ejection-cap-spares-some: B-43]"},
    {"nothing is enforced that two regions could meet",
     "ejection-never-happens",
     {{"retries: 1", "outlier_detection: {enforcing_consecutive_5xx: 0}"}},
     {{"retries: 1", "outlier_detection: {enforcing_consecutive_5xx: 1}"}},
     "s:21:105: lint: shop: outlier detection ejects nothing: enforcing_consecutive_5xx is 0, enforcing_consecutive_gateway_failure is 0, success_rate_minimum_hosts is 5 of 2 regions, enforcing_failure_percentage is 0; use consecutive_5xx 5 with enforcing_consecutive_5xx 100 [ejection-never-happens: B-43, B-46]"},
    {"no number is so far from others",
     "ejection-never-happens",
     {{"retries: 1",
       "outlier_detection: {consecutive_5xx: 0, success_rate_minimum_hosts: 2, success_rate_stdev_factor: 1000, enforcing_failure_percentage: 100}"}},
     {{"retries: 1",
       "outlier_detection: {consecutive_5xx: 0, success_rate_minimum_hosts: 2, success_rate_stdev_factor: 999, enforcing_failure_percentage: 100}"}},
     "s:21:77: lint: shop: outlier detection ejects nothing: consecutive_5xx is 0, enforcing_consecutive_gateway_failure is 0, success_rate_stdev_factor is 1000, and none of 2 regions can be more than sqrt(1) standard deviations below the mean, failure_percentage_minimum_hosts is 5 of 2 regions; use consecutive_5xx 5 with enforcing_consecutive_5xx 100 [ejection-never-happens: B-43, B-46]"},
    {"301 proxies at 50 requests/s need 30.1 s for five errors each",
     "ejection-slow-per-proxy",
     {{"retries: 1", "proxies: 301, outlier_detection: {}"}},
     {{"retries: 1", "proxies: 300, outlier_detection: {}"}},
     "s:21:91: lint: shop: 301 proxies each must see 5 errors in a row, together 1505 failed requests, which at 50 requests/s takes 30.1 s at best, and an ejection lasts 30s: a dead region is never left by all; use fewer errors, or a longer base_ejection_time [ejection-slow-per-proxy: B-48]"},
    {"proxies that do nothing by themselves", "proxies-without-detection", {{"retries: 1", "proxies: 2"}}, {{"retries: 1", "proxies: 2, outlier_detection: {}"}}, "s:21:67: lint: shop: proxies 2 changes nothing, because only outlier detection and circuit breakers are each proxy's own; add outlier_detection or circuit_breakers, or leave proxies out [proxies-without-detection: B-48, B-81]"},
    {"proxies that have breakers of their own",
     "proxies-without-detection",
     {{"retries: 1", "proxies: 3"}},
     {{"retries: 1", "proxies: 3, circuit_breakers: {max_requests: 10}"}},
     "s:21:67: lint: shop: proxies 3 changes nothing, because only outlier detection and circuit breakers are each proxy's own; add outlier_detection or circuit_breakers, or leave proxies out [proxies-without-detection: B-48, B-81]"},
  };
}

std::vector<lint_world> spillover_worlds() {
  return {
    {"an instance serves 50 a second: 10 at a time, 200 ms each",
     "capacity-out-of-reach",
     {{"retries: 1",
       "distribution: {max_rate_per_endpoint: 50, backends: {west: {max_rate_per_endpoint: 51}}}"}},
     {{"retries: 1", "distribution: {max_rate_per_endpoint: 50}"}},
     "s:21:117: lint: shop: the capacity of west, 51 requests/s for each endpoint, is never reached: an instance can serve 50, so that they are overloaded before anything spills over; lower it [capacity-out-of-reach: B-50, B-51]"},
    {"C52: the default of some controllers; half of 1,000 a second is what ten instances serve",
     "capacity-out-of-reach",
     {{"retries: 1", "distribution: {max_rate: 100000000, backends: {west: {max_rate: 500}}}"}},
     {{"retries: 1",
       "distribution: {max_rate: 1000, backends: {west: {capacity_scaler: 0}, east: {capacity_scaler: 0.5}}}"}},
     "s:21:72: lint: shop: the capacity of east, 1e+08 requests/s for each backend, is never reached: all instances together can serve 500, so that they are overloaded before anything spills over; lower it [capacity-out-of-reach: B-50, B-51]"},
    {"connections are requests at a time",
     "capacity-out-of-reach",
     {{"{regions: [east, west], timeout: 10s, retries: 1}",
       "{kind: internal_proxy_network, timeout: 10s, distribution: {max_connections_per_endpoint: 10, backends: {west: {max_connections_per_endpoint: 11}}}}"}},
     {{"{regions: [east, west], timeout: 10s, retries: 1}",
       "{kind: internal_proxy_network, timeout: 10s, distribution: {max_connections_per_endpoint: 10}}"}},
     "s:21:131: lint: shop: the capacity of west, 11 requests at a time for each endpoint, is never reached: an instance can serve 10, so that they are overloaded before anything spills over; lower it [capacity-out-of-reach: B-50, B-51]"},
  };
}

std::vector<lint_world> capacity_worlds() {
  return {
    {"500 x 200 ms are 100 at a time, and 10 x 10 hold 100",
     "survivor-short-of-slots",
     {{"rate: 50", "rate: 501"}},
     {{"rate: 50", "rate: 500"}},
     "s:14:49: lint: when east fails, 501 requests/s come to west/checkout/web at 2m; by Little's law, x 200 ms each that is 100.2 at a time, and 10 instances x concurrency 10 hold 100; raise instances to at least 11 [survivor-short-of-slots: A-52, B-33]"},
    {"consumers of the survivor count as well",
     "survivor-short-of-slots",
     {{"faults:",
       "  other: {load_balancer: {regions: [west, east]}, traffic: [{open_loop: {rate: 460}}]}\n"
       "faults:"},
      {"    - {between: [shop, west], latency: 40ms}",
       "    - {between: [shop, west], latency: 40ms}\n    - {between: [other, east], latency: 40ms}"},
      {"cpu_per_request: 20ms", "cpu_per_request: 1ms"}},
     {{"faults:",
       "  other: {load_balancer: {regions: [west, east]}, traffic: [{open_loop: {rate: 440}}]}\n"
       "faults:"},
      {"    - {between: [shop, west], latency: 40ms}",
       "    - {between: [shop, west], latency: 40ms}\n    - {between: [other, east], latency: 40ms}"},
      {"cpu_per_request: 20ms", "cpu_per_request: 1ms"}},
     "s:15:49: lint: when east fails, 510 requests/s come to west/checkout/web (460 of them its own) at 2m; by Little's law, x 200 ms each that is 102 at a time, and 10 instances x concurrency 10 hold 100; raise instances to at least 11 [survivor-short-of-slots: A-52, B-33]\n"
     "s:15:49: lint: when west fails, 510 requests/s come to east/checkout/web (50 of them its own) at 1m; by Little's law, x 200 ms each that is 102 at a time, and 10 instances x concurrency 10 hold 100; raise instances to at least 11 [survivor-short-of-slots: A-52, B-33]"},
    {"the load while the fault lasts counts, not that after it",
     "survivor-short-of-slots",
     {{"rate: 50", "rate: [{at: 0s, rps: 50}, {at: 3m, rps: 600}]"}},
     {{"rate: 50", "rate: [{at: 0s, rps: 50}, {at: 4m, rps: 600}]"}},
     "s:14:49: lint: when east fails, 600 requests/s come to west/checkout/web at 3m; by Little's law, x 200 ms each that is 120 at a time, and 10 instances x concurrency 10 hold 100; raise instances to at least 12 [survivor-short-of-slots: A-52, B-33]"},
    {"closed loops: 160 clients / (100 ms + 200 ms + 20 ms) x 200 ms are 100",
     "survivor-short-of-slots",
     {{"open_loop: {rate: 50}", "closed_loop: {clients: 161, think_time: 100ms}"}},
     {{"open_loop: {rate: 50}", "closed_loop: {clients: 160, think_time: 100ms}"}},
     "s:14:49: lint: when east fails, 503.13 requests/s come to west/checkout/web at 2m; by Little's law, x 200 ms each that is 100.63 at a time, and 10 instances x concurrency 10 hold 100; raise instances to at least 11 [survivor-short-of-slots: A-52, B-33]"},
    {"500 x 20 ms are 10 vCPU, and there are 10",
     "survivor-short-of-cpu",
     {{"rate: 50", "rate: 501"}},
     {{"rate: 50", "rate: 500"}},
     "s:14:49: lint: when east fails, 501 requests/s come to west/checkout/web at 2m; x 20 ms of CPU each that is 10.02 vCPU, and 10 instances x cpu 1 are 10; raise instances to at least 11 [survivor-short-of-cpu: A-52, B-33]"},
    {"the CPU part is no longer than the request",
     "survivor-short-of-cpu",
     {{"cpu_per_request: 20ms", "cpu_per_request: 1h"}, {"rate: 50", "rate: 51"}},
     {{"cpu_per_request: 20ms", "cpu_per_request: 1h"}},
     "s:14:49: lint: when east fails, 51 requests/s come to west/checkout/web at 2m; x 200 ms of CPU each that is 10.2 vCPU, and 10 instances x cpu 1 are 10; raise instances to at least 11 [survivor-short-of-cpu: A-52, B-33]"},
    {"p99 of 11 s, and a limit of max(10 s, 3.5 x the mean of 2.6 s)",
     "cold-start-beyond-pending-limit",
     {{fixed, "{policy: cloud_run, min_instances: 4, max_instances: 20}"},
      {"cold_start: 2s", "cold_start: {lognormal: {median: 2s, p99: 11s}}"}},
     {{fixed, "{policy: cloud_run, min_instances: 4, max_instances: 20}"},
      {"cold_start: 2s", "cold_start: {lognormal: {median: 2s, p99: 10s}}"}},
     "s:13:57: lint: west/checkout/web: one cold start in a hundred takes 11 s or more, and a request waits for 10 s before it asks for another instance, or fails with 429 at max_instances; keep more min_instances, or raise pending.floor above the p99 [cold-start-beyond-pending-limit: A-35, A-36]"},
    {"4.6 x 2.2 s",
     "cold-start-beyond-pending-limit",
     {{fixed, "{policy: cloud_run, min_instances: 4, max_instances: 20}"},
      {"cold_start: 2s", "cold_start: {exponential: {mean: 2200ms}}"}},
     {{fixed, "{policy: cloud_run, min_instances: 4, max_instances: 20}"},
      {"cold_start: 2s", "cold_start: {exponential: {mean: 2170ms}}"}},
     "s:13:57: lint: west/checkout/web: one cold start in a hundred takes 10.13 s or more, and a request waits for 10 s before it asks for another instance, or fails with 429 at max_instances; keep more min_instances, or raise pending.floor above the p99 [cold-start-beyond-pending-limit: A-35, A-36]"},
    {"a fixed fleet starts nothing for load",
     "cold-start-beyond-pending-limit",
     {{fixed, "{policy: cloud_run, min_instances: 4, max_instances: 20}"},
      {"cold_start: 2s", "cold_start: {empirical: [1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 11s]}"}},
     {{"cold_start: 2s", "cold_start: {empirical: [1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 11s]}"}},
     "s:13:57: lint: west/checkout/web: one cold start in a hundred takes 11 s or more, and a request waits for 10 s before it asks for another instance, or fails with 429 at max_instances; keep more min_instances, or raise pending.floor above the p99 [cold-start-beyond-pending-limit: A-35, A-36]"},
  };
}

// A second consumer, which waits for longer.
constexpr const char* with_patient = R"(client: {timeout: 20s}
  patient:
    load_balancer: {regions: [east, west], timeout: 30s, retries: 1}
    traffic: [{open_loop: {rate: 1}}]
    client: {timeout: 40s}
)";

std::vector<lint_world> consumer_worlds() {
  return {
    {"only those of the consumer that is meant wait",
     "errors-window-too-short",
     {{"client: {timeout: 20s}\n", with_patient},
      {"to: 4m, at_most: 5%", "to: 140s, at_most: 5%, consumer: patient"}},
     {{"client: {timeout: 20s}\n", with_patient},
      {"to: 4m, at_most: 5%", "to: 140s, at_most: 5%, consumer: shop"}},
     "s:34:28: lint: errors from 2m to 140s: patient waits up to 30s for an answer, so that failures of this time are counted after it; end it at 150s or later, or lower load_balancer.timeout [errors-window-too-short: B-58]"},
  };
}

std::vector<lint_world> time_worlds() {
  return {
    {"failures come 10 s later",
     "errors-window-too-short",
     {{"to: 4m", "to: 129s"}},
     {{"to: 4m", "to: 130s"}},
     "s:30:28: lint: errors from 2m to 129s: shop waits up to 10s for an answer, so that failures of this time are counted after it; end it at 130s or later, or lower load_balancer.timeout [errors-window-too-short: B-58]"},
    {"half of the window does not count",
     "errors-window-in-warm-up",
     {{"{from: 2m, to", "{from: 59s, to"}},
     {{"{from: 2m, to", "{from: 60s, to"}},
     "s:30:20: lint: errors from 59s: the warm-up ends at 1m, and nothing before counts; begin there [errors-window-in-warm-up: warm_up]"},
    {"20 s are left, 10 s too few",
     "expectation-beyond-end",
     {{"duration: 10m", "duration: 260s"}, {"in: west, within: 1m", "in: west, within: 121s"}},
     {{"duration: 10m", "duration: 270s"}},
     "s:28:34: lint: failback to east within 30s: counts from the fault's end at 4m at the earliest, and the run ends at 260s, which may be too early to tell; make the run longer [expectation-beyond-end: duration]"},
    {"capacity counts from the end of routing",
     "expectation-beyond-end",
     {{"in: west, within: 1m", "in: west, within: 481s"}},
     {{"in: west, within: 1m", "in: west, within: 480s"}},
     "s:29:44: lint: capacity recovered in west within 481s: counts from the end of routing, which follows the fault at 2m at the earliest, and the run ends at 10m, which may be too early to tell; make the run longer [expectation-beyond-end: duration]"},
    {"not judged",
     "fault-in-warm-up",
     {{"at: 2m, for", "at: 59s, for"}},
     {{"at: 2m, for", "at: 60s, for"}},
     "s:25:10: lint: instances east/checkout/web: 50 % silent: begins at 59s, in the warm-up, which ends at 1m; a failover that it causes is not judged; let it begin later [fault-in-warm-up: warm_up]"},
    {"it would end after the run",
     "fault-outlasts-run",
     {{"for: 2m", "for: 481s"}},
     {{"for: 2m", "for: 480s"}},
     "s:25:19: lint: instances east/checkout/web: 50 % silent: lasts 481s from 2m, and the run ends at 10m, before the fault does; leave out for, or make the run longer [fault-outlasts-run: duration]"},
    {"counts from what probes meet, not from what is slow before",
     "expectation-beyond-end",
     {{"faults:\n",
       "faults:\n  - {at: 90s, for: 1s, instances: {of: east/checkout/web, become: slow, factor: 9}}\n"},
      {"duration: 10m", "duration: 269s"}},
     {{"become: silent", "become: waiting, by: 1s"}, {"duration: 10m", "duration: 245s"}},
     "s:29:34: lint: failback to east within 30s: counts from the fault's end at 4m at the earliest, and the run ends at 269s, which may be too early to tell; make the run longer [expectation-beyond-end: duration]"},
    {"a leak is no failover",
     "fault-in-warm-up",
     {{"at: 2m, for", "at: 59s, for"}, {"become: silent", "become: failing, error_fraction: 10%"}},
     {{"at: 2m, for", "at: 59s, for"}, {"become: silent", "become: leaking, vcpu_per_minute: 1"}},
     "s:25:10: lint: instances east/checkout/web: 50 % failing (10 % unavailable): begins at 59s, in the warm-up, which ends at 1m; a failover that it causes is not judged; let it begin later [fault-in-warm-up: warm_up]"},
    {"what is slow for ever takes nobody away",
     "failback-without-end",
     {{"for: 2m, ", ""},
      {"faults:\n",
       "faults:\n  - {at: 90s, for: 1s, instances: {of: east/checkout/web, become: slow, factor: 9}}\n"}},
     {{"faults:\n",
       "faults:\n  - {at: 90s, instances: {of: east/checkout/web, become: slow, factor: 9}}\n"}},
     "s:29:20: lint: failback to east: counts from the end of instances east/checkout/web: 50 % silent, which does not end in the run; give it a for that does [failback-without-end: B-29]"},
    {"of several faults one that ends is enough",
     "failback-without-end",
     {{"for: 2m, ", ""},
      {"faults:\n", "faults:\n  - {at: 90s, link: {between: [shop, east], become: cut}}\n"}},
     {{"faults:\n",
       "faults:\n  - {at: 90s, instances: {of: east/checkout/web, count: 1, become: crashed}}\n"}},
     "s:29:20: lint: failback to east: counts from the end of instances east/checkout/web: 50 % silent, which does not end in the run; give it a for that does [failback-without-end: B-29]"},
    {"no end, no failback",
     "failback-without-end",
     {{"for: 2m, ", ""}},
     {{"for: 2m", "for: 479s"}},
     "s:28:20: lint: failback to east: counts from the end of instances east/checkout/web: 50 % silent, which does not end in the run; give it a for that does [failback-without-end: B-29]"},
  };
}

std::vector<lint_world> count_worlds() {
  return {
    {"at the maximum it can be met",
     "count-out-of-reach",
     {{"expect:\n", "expect:\n  - instances: {of: east/checkout/web, at: 5m, at_least: 11}\n"}},
     {{"expect:\n", "expect:\n  - instances: {of: east/checkout/web, at: 5m, at_least: 10}\n"}},
     "s:27:58: lint: at_least 11 can only fail: there are at most 10 instances of east/checkout/web [count-out-of-reach: A-14]"},
    {"there are never more than the maximum",
     "count-out-of-reach",
     {{"expect:\n", "stop_if:\n  - instances: {of: east/checkout/web, above: 10}\nexpect:\n"}},
     {{"expect:\n", "stop_if:\n  - instances: {of: east/checkout/web, above: 9}\nexpect:\n"}},
     "s:27:47: lint: above 10 never comes: there are at most 10 instances of east/checkout/web [count-out-of-reach: A-14]"},
    {"more victims than instances",
     "count-out-of-reach",
     {{"fraction: 50%", "count: 11"}},
     {{"fraction: 50%", "count: 10"}},
     "s:25:65: lint: count 11 hits all that are there: there are at most 10 instances of east/checkout/web [count-out-of-reach: A-14]"},
    {"an override has a maximum of its own",
     "count-out-of-reach",
     {{"fraction: 50%", "count: 10"},
      {"consumers:", "    overrides: {east: {web: {autoscaling: {instances: 9}}}}\nconsumers:"}},
     {{"fraction: 50%", "count: 10"},
      {"consumers:", "    overrides: {west: {web: {autoscaling: {instances: 9}}}}\nconsumers:"}},
     "s:26:65: lint: count 10 hits all that are there: there are at most 9 instances of east/checkout/web [count-out-of-reach: A-14]"},
    {"starts are no instances",
     "count-out-of-reach",
     {{"fraction: 50%, become: silent", "count: 99, become: crashed"}},
     {{"fraction: 50%, become: silent", "count: 99, become: unstartable"}},
     "s:25:65: lint: count 99 hits all that are there: there are at most 10 instances of east/checkout/web [count-out-of-reach: A-14]"},
  };
}

} // namespace

std::vector<lint_world> lint_worlds() {
  std::vector<lint_world> result;
  for (auto* make : {health_worlds, scaling_worlds, probe_worlds, failover_worlds, routing_worlds,
                     channel_worlds, spillover_worlds, outlier_worlds, capacity_worlds,
                     consumer_worlds, count_worlds, revision_worlds, time_worlds})
    for (auto& x : make())
      result.push_back(std::move(x));
  return result;
}

} // namespace spillover::test
