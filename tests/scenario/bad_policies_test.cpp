#include "tests/scenario/bad_files.hpp"

namespace spillover::test {
namespace {

TEST(ParseScenario, SaysWhatPodAutoscalersCannotBe) {
  const bad_file cases[] = {
    {"Knative's own bounds, all at once", "policy: fixed, instances: 3",
     "policy: knative_kpa, config: {stable-window: 5s}, annotations: {target: \"0\", min-scale: 3, "
     "max-scale: 2}",
     "s:19:68: config.stable-window: must be whole seconds from 6s to 1h\n"
     "s:19:96: annotations.target: must be at least 0.01\n"
     "s:19:125: annotations.max-scale: must be 0 or at least min-scale"},
    {"a spelling that Knative takes", "policy: fixed, instances: 3",
     "policy: knative_kpa, annotations: {minScale: 3}",
     "s:19:58: unknown key \"minScale\"; did you mean \"min-scale\"? allowed: activation-scale, "
     "initial-scale, max-scale, metric, metric-aggregation-algorithm, min-scale, "
     "panic-threshold-percentage, panic-window-percentage, progress-deadline, scale-down-delay, "
     "scale-to-zero-pod-retention-period, target, target-burst-capacity, "
     "target-utilization-percentage, window"},
    {"more pods than a run can hold", "policy: fixed, instances: 3",
     "policy: knative_kpa, config: {min-scale: 10001}",
     "s:19:22: annotations: min-scale, initial-scale and activation-scale must be at most 10000 "
     "here"},
    {"another policy's key", "policy: fixed, instances: 3", "policy: knative_kpa, instances: 3",
     "s:19:55: instances: has no meaning with policy knative_kpa; allowed: policy, config, "
     "annotations, reachable, deployed_at_start, report_offset, tick_offset, routing, "
     "scrape_sample, activator"},
    {"an activator that is no mapping", "policy: fixed, instances: 3",
     "policy: knative_kpa, activator: 20ms", "s:19:66: activator: must be a mapping; got \"20ms\""},
    {"a metric without a target", "policy: fixed, instances: 3",
     "policy: hpa, metrics: [{resource: cpu}]",
     "s:19:46: needs one of resource, pods, object and external, and one of "
     "average_utilization, average_value and value"},
    {"a rate of both kinds", "policy: fixed, instances: 3",
     "policy: hpa, behavior: {scale_up: {policies: [{pods: 1, percent: 5}]}}",
     "s:19:69: policies[0]: needs exactly one of: pods; percent"},
    {"a value of a resource", "policy: fixed, instances: 3",
     "policy: hpa, metrics: [{resource: cpu, value: 1}]",
     "s:19:46: metrics[0]: must be average_utilization or average_value for a resource"},
    {"a minimum above the maximum", "policy: fixed, instances: 3",
     "policy: hpa, min_replicas: 5, max_replicas: 4",
     "s:19:50: min_replicas: must be at least 0 and at most max_replicas"},
    {"a group without a statistic", "policy: fixed, instances: 3",
     "policy: netscaler_adm, thresholds: {}",
     "s:19:58: thresholds: needs at least one of: cpu, memory, throughput"},
    {"limits the wrong way round", "policy: fixed, instances: 3",
     "policy: netscaler_adm, thresholds: {cpu: {min: 85, max: 40}}",
     "s:19:79: thresholds.cpu.max: must be above min, by a thousandth at least"},
  };
  expect_problems(cases);
}

} // namespace
} // namespace spillover::test
