#include "report/why_decisions.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;

using numbers = std::vector<std::pair<std::string, std::int64_t>>;

std::string said(const char* policy, const char* driver, numbers inputs) {
  std::string result;
  for (const auto& line : words_of_inputs({policy, 4, 6, 4, 0, driver, std::move(inputs)}))
    result.append(result.empty() ? "" : "\n").append(line);
  return result;
}

/// @returns the inputs of both, one after the other.
numbers joined(numbers x, const numbers& y) {
  x.insert(x.end(), y.begin(), y.end());
  return x;
}

struct decision_case {
  const char* why = "";
  const char* driver = "";
  numbers inputs = {};
  const char* expected = "";
};

/// What every decision of the horizontal pod autoscaler ends with.
const numbers hpa_end{
  {"tolerance_up_milli", 100}, {"tolerance_down_milli", 50}, {"min", 1}, {"max", 6}};

/// A decision by the CPU, whose pods are as told.
numbers by_cpu(std::int64_t current, const numbers& ratios, const numbers& pods) {
  numbers result{{"n", 4}, {"cpu_target_percent", 60}, {"cpu_current_percent", current}};
  result = joined(joined(std::move(result), ratios), pods);
  return joined(std::move(result), hpa_end);
}

TEST(WhyDecisions, SayWhatAMetricOfPodsAskedFor) {
  const decision_case cases[] = {
    {"every pod counts", "CPU",
     by_cpu(90, {{"cpu_ratio_milli", 1500}, {"cpu_adjusted_ratio_milli", 1500}, {"cpu_count", 6}},
            {{"cpu_won", 1}, {"cpu_ready", 4}, {"cpu_unready", 0}, {"cpu_missing", 0}}),
     "CPU 90 % / 60 % = 1.5 x 4 pods -> 6\nmin 1, max 6"},
    {"unready and missing ones on the way up", "CPU",
     by_cpu(240, {{"cpu_ratio_milli", 4000}, {"cpu_adjusted_ratio_milli", 2000}, {"cpu_count", 8}},
            {{"cpu_ready", 2}, {"cpu_unready", 1}, {"cpu_missing", 1}, {"cpu_ignored", 3}}),
     "CPU 240 % / 60 % = 4, of all 4 pods 2 (1 without a sample, 1 unready, 3 leaving) x 4 pods -> "
     "8\nmin 1, max 6"},
    {"unready ones have no say on the way down", "CPU",
     by_cpu(30, {{"cpu_ratio_milli", 500}, {"cpu_adjusted_ratio_milli", 500}, {"cpu_count", 2}},
            {{"cpu_ready", 3}, {"cpu_unready", 1}, {"cpu_missing", 0}}),
     "CPU 30 % / 60 % = 0.5 x 3 pods -> 2\nmin 1, max 6"},
    {"it would turn around", "CPU",
     by_cpu(90,
            {{"cpu_ratio_milli", 1500},
             {"cpu_adjusted_ratio_milli", 750},
             {"cpu_turned", 1},
             {"cpu_count", 4}},
            {{"cpu_ready", 2}, {"cpu_unready", 1}, {"cpu_missing", 1}}),
     "CPU 90 % / 60 % = 1.5, of all 4 pods 0.75 (1 without a sample, 1 unready, 0 leaving), which "
     "would turn around: stays at 4\nmin 1, max 6"},
    {"close enough", "CPU",
     by_cpu(58,
            {{"cpu_ratio_milli", 966},
             {"cpu_adjusted_ratio_milli", 966},
             {"cpu_within_tolerance", 1},
             {"cpu_count", 4}},
            {{"cpu_ready", 4}, {"cpu_unready", 0}, {"cpu_missing", 0}}),
     "CPU 58 % / 60 % = 0.966, within 0.95 to 1.1: stays at 4\nmin 1, max 6"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(said("hpa", x.driver, x.inputs), x.expected);
  }
}

TEST(WhyDecisions, SayWhichOfSeveralMetricsWonAndWhichFailed) {
  const numbers cpu{
    {"n", 4},         {"cpu_target_percent", 60}, {"cpu_failed", 1},  {"cpu_no_samples", 1},
    {"cpu_ready", 0}, {"cpu_unready", 1},         {"cpu_missing", 2}, {"cpu_ignored", 0}};
  const numbers rate{{"requests_per_second_target_milli", 25'000},
                     {"requests_per_second_current_milli", 50'000},
                     {"requests_per_second_total_milli", 200'000},
                     {"requests_per_second_ratio_milli", 2000},
                     {"requests_per_second_count", 8},
                     {"requests_per_second_won", 1},
                     {"requests_per_second_ready", 4}};
  const numbers value{{"concurrency_2_target_milli", 60'000},
                      {"concurrency_2_current_milli", 90'000},
                      {"concurrency_2_ratio_milli", 1500},
                      {"concurrency_2_count", 6},
                      {"concurrency_2_ready", 4}};
  EXPECT_EQ(said("hpa", "REQUESTS_PER_SECOND",
                 joined(joined(joined(joined(cpu, rate), value), {{"proposed", 8}}), hpa_end)),
            "CPU is unknown: no pod has a sample that counts; 2 without a sample, 1 unready, 0 "
            "leaving\n"
            "requests per second 200 / 25 -> 8 (wins)\n"
            "concurrency 2 90 / 60 = 1.5 x 4 ready pods -> 6\n"
            "proposed 8\n"
            "min 1, max 6");
}

TEST(WhyDecisions, SayWhichLimitOfAHorizontalPodAutoscalerActed) {
  const decision_case cases[] = {
    {"none",
     "CPU",
     {{"n", 4}, {"proposed", 6}, {"stabilized", 6}, {"rate_limit", 8}},
     "proposed 6; the rate allows at most 8\nmin 1, max 6"},
    {"the rate",
     "RATE",
     {{"n", 4}, {"proposed", 9}, {"stabilized", 9}, {"rate_limit", 5}, {"scale_up_limit", 1}},
     "proposed 9; the rate allows at most 5 (acts)\nmin 1, max 6"},
    {"the rate down",
     "RATE",
     {{"n", 4}, {"proposed", 1}, {"stabilized", 1}, {"rate_limit", 3}, {"scale_down_limit", 1}},
     "proposed 1; the rate allows at least 3 (acts)\nmin 1, max 6"},
    {"the window",
     "STABILIZATION",
     {{"n", 4},
      {"proposed", 1},
      {"stabilized", 3},
      {"rate_limit", 0},
      {"scale_down_stabilized", 1},
      {"window_ns", 300'000'000'000}},
     "proposed 1, held at 3 by the highest proposal of the last 300 s; the rate allows at least 0\n"
     "min 1, max 6"},
    {"the window up",
     "STABILIZATION",
     {{"n", 4},
      {"proposed", 9},
      {"stabilized", 5},
      {"scale_up_stabilized", 1},
      {"window_ns", 60'000'000'000}},
     "proposed 9, held at 5 by the lowest proposal of the last 60 s\nmin 1, max 6"},
    {"the maximum",
     "MAX",
     {{"n", 4}, {"proposed", 9}, {"stabilized", 9}, {"rate_limit", 8}, {"too_many_replicas", 1}},
     "proposed 9; the rate allows at most 8\nmin 1, max 6 (acts)"},
    {"fewer than the minimum",
     "MIN",
     {{"n", 0}, {"too_few_replicas", 1}},
     "no metric is asked outside of the bounds\nmin 1 (acts), max 6"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(said("hpa", x.driver, joined(x.inputs, hpa_end)), x.expected);
  }
}

/// What a group of NetScaler ADM saw when it decided.
numbers of_group(std::int64_t memory, std::int64_t above_ns, std::int64_t below_ns) {
  return {{"nodes", 3},
          {"reporting", 2},
          {"cpu_milli", 50'000},
          {"cpu_min_milli", 40'000},
          {"cpu_max_milli", 85'000},
          {"cpu_above_ns", -1},
          {"memory_milli", memory},
          {"memory_min_milli", 40'000},
          {"memory_max_milli", 85'000},
          {"memory_above_ns", above_ns},
          {"highest_node", 0},
          {"below_ns", below_ns},
          {"watch_time_ns", 120'000'000'000},
          {"watch_at_least", 0},
          {"min_nodes", 1},
          {"max_nodes", 32}};
}

TEST(WhyDecisions, SayWhyANetscalerGroupActs) {
  EXPECT_EQ(
    said("netscaler_adm", "MEMORY",
         joined(of_group(90'000, 180'000'000'000, -1),
                {{"provisioning_time_ns", 300'000'000'000}, {"cooldown_ns", 600'000'000'000}})),
    "CPU 50 within 40 to 85; MEMORY 90 above max 85 for 180 s\n"
    "watch time 120 s, to be exceeded; mean of 2 nodes, 1 more tell nothing; min 1, max 32\n"
    "a node is provisioned, which takes 300 s; after it a cooldown of 600 s");
  auto idle = of_group(30'000, -1, 180'000'000'000);
  for (auto& [name, value] : idle) {
    if (name == "cpu_milli")
      value = 39'999;
    else if (name == "reporting")
      value = 3;
    else if (name == "highest_node" || name == "watch_at_least")
      value = 1;
  }
  EXPECT_EQ(said("netscaler_adm", "ALL", joined(idle, {{"node", 2}, {"node_connections", 1}})),
            "CPU 39.999 below min 40; MEMORY 30 below min 40\n"
            "all below for 180 s; watch time 120 s, to be reached; highest of 3 nodes; min 1, max "
            "32\n"
            "node 2 with 1 connection is taken out: it is to get no new connection");
}

TEST(WhyDecisions, SayWhatAStepOfANetscalerGroupTook) {
  constexpr std::int64_t second = 1'000'000'000;
  const decision_case cases[] = {
    {"a node came",
     "JOINED",
     {{"action_ns", 300 * second}, {"provisioning_time_ns", 300 * second}},
     "the node has come, 300 s after the decision"},
    {"it is used",
     "ADDED",
     {{"action_ns", 310 * second}, {"update_time_ns", 10 * second}, {"cooldown_ns", 600 * second}},
     "connections are led to the node, 310 s after the decision\nthe cooldown of 600 s begins"},
    {"the load balancer leaves it out at once",
     "DRAIN",
     {{"update_time_ns", 0}, {"drain_connection_timeout_ns", 600 * second}, {"node", 3}},
     "node 3 gets no new connection any more; those it has may last for 600 s"},
    {"the load balancer takes its time",
     "DRAIN",
     {{"update_time_ns", second}, {"drain_connection_timeout_ns", 600 * second}, {"node", 3}},
     "node 3 gets no new connection any more: the load balancer needed 1 s; those it has may last "
     "for 600 s"},
    {"DNS did",
     "DRAIN",
     {{"dns_ttl_ns", 10 * second}, {"drain_connection_timeout_ns", 600 * second}},
     "a node that has not come yet gets no new connection any more: the time to live of 10 s is "
     "over; those it has may last for 600 s"},
    {"it is empty",
     "DEPROVISION",
     {{"drained_ns", 20 * second}, {"drain_connection_timeout_ns", 600 * second}, {"node", 3}},
     "node 3 has no connection left after 20 s of at most 600 s: it leaves the cluster"},
    {"its time is over",
     "DEPROVISION",
     {{"drained_ns", 600 * second}, {"drain_connection_timeout_ns", 600 * second}, {"node", 3}},
     "the 600 s for connections of node 3 are over: it leaves the cluster"},
    {"it is gone",
     "REMOVED",
     {{"action_ns", 840 * second}, {"deprovisioning_time_ns", 240 * second}, {"node", 3}},
     "node 3 is gone, 840 s after the decision; limits are watched anew"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(said("netscaler_adm", x.driver, x.inputs), x.expected);
  }
}

TEST(WhyDecisions, SayWhichBoundActed) {
  const numbers cpu{{"cpu_avg60_milli", 3000},
                    {"cpu_raw_milli", 5000},
                    {"cpu_count", 5},
                    {"cpu_target_milli", 600},
                    {"min", 6},
                    {"max", 9}};
  EXPECT_EQ(said("cloud_run", "CPU", cpu), "CPU 3 / 0.6 = 5 -> 5\nmin 6, max 9");
  EXPECT_EQ(said("cloud_run", "MIN", cpu), "CPU 3 / 0.6 = 5 -> 5\nmin 6 (acts), max 9");
  EXPECT_EQ(said("cloud_run", "MAX", cpu), "CPU 3 / 0.6 = 5 -> 5\nmin 6, max 9 (acts)");
  EXPECT_EQ(said("fixed", "FIXED", {{"instances", 4}}), "always 4 instances");
}

TEST(WhyDecisions, SayWhatKnativesDriversMean) {
  const std::pair<const char*, const char*> cases[] = {
    {"STABLE", ""},
    {"ZERO", "; idle for the stable window and the grace period"},
    {"LAST", "; the last pod stays for the stable window"},
    {"INITIAL", "; nothing was measured yet"},
    {"ACTIVATION", "; from zero to the activation scale at least"},
  };
  for (const auto& [driver, meaning] : cases)
    EXPECT_EQ(said("knative_kpa", driver,
                   {{"stable_milli", 0}, {"panic_milli", 0}, {"target_milli", 7'000}, {"max", 3}}),
              "desired 0: stable 0 / 7 -> 0, panic 0 / 7 -> 0" + std::string{meaning}
                + "\n0 ready, so at least 0 and at most 0\nmin 0, max 3; excess burst capacity 0")
      << driver;
}

} // namespace
