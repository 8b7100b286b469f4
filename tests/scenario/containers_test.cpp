#include "tests/scenario/bad_files.hpp"

namespace spillover::test {
namespace {

using namespace std::chrono_literals;

/// @returns an instance of web in us-east1 of the sample, with these keys more.
instance_config with(const std::string& keys) {
  const auto x = valid(edited("{cpu: 2,", "{cpu: 2, " + keys + ","));
  return x.published_services[0].backend_services[0].instance;
}

TEST(ParseScenario, ReadsStartupProbesWithTheDefaultsOfTheirKind) {
  using enum startup_probe_kind;
  struct {
    const char* why = "";
    const char* keys = "";
    std::optional<startup_probe_config> expected = std::nullopt;
  } const cases[] = {
    {"none", "startup_probe: off", std::nullopt},
    {"A-62: the product's own", "startup_probe: {}", startup_probe_config{tcp, 0s, 240s, 240s, 1}},
    {"the same, by name", "startup_probe: {kind: tcp}",
     startup_probe_config{tcp, 0s, 240s, 240s, 1}},
    {"A-63: a custom one", "startup_probe: {kind: custom}",
     startup_probe_config{custom, 0s, 10s, 1s, 3}},
    {"A-63: one on TCP that a user configures", "startup_probe: {period: 5s}",
     startup_probe_config{tcp, 0s, 5s, 1s, 3}},
    {"all keys",
     "startup_probe: {kind: custom, initial_delay: 4s, period: 3s, timeout: 2s, "
     "failure_threshold: 9}",
     startup_probe_config{custom, 4s, 3s, 2s, 9}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(with(x.keys).startup_probe, x.expected);
  }
}

TEST(ParseScenario, ReadsWhatElseAnInstanceIsMadeOf) {
  EXPECT_EQ(with("liveness_probe: {}").liveness_probe, liveness_probe_config{});
  EXPECT_EQ(
    with("liveness_probe: {initial_delay: 4s, period: 3s, timeout: 2s, failure_threshold: 9}")
      .liveness_probe,
    (liveness_probe_config{4s, 3s, 2s, 9}));
  EXPECT_EQ(with("readiness_probe: {}").readiness_probe, readiness_probe_config{});
  EXPECT_EQ(
    with("readiness_probe: {period: 3s, timeout: 2s, failure_threshold: 9, success_threshold: 4}")
      .readiness_probe,
    (readiness_probe_config{3s, 2s, 9, 4}));
  EXPECT_EQ(with("restart_backoff: {base: 1s, max: 9s, reset_after: 1m}").restart_backoff,
            (restart_backoff_config{1s, 9s, 1min}));
  EXPECT_TRUE(with("startup_cpu_boost: true").startup_cpu_boost);
  EXPECT_EQ(with("sidecars: [{cpu: 0.5}, {cpu: 1}]").sidecars,
            (std::vector<sidecar_config>{{0.5}, {1}}));
  for (const auto& x : cold_start_presets())
    EXPECT_EQ(with("cold_start: {runtime: " + std::string{x.runtime} + "}").cold_start,
              distribution{x.takes})
      << "A-68";
}

TEST(ParseScenario, AnOverrideChangesAProbeOrTurnsItOff) {
  struct {
    const char* why = "";
    const char* below = "";
    const char* above = "";
    std::optional<startup_probe_config> expected = std::nullopt;
  } const cases[] = {
    {"one key of it", "{kind: custom, period: 5s}", "startup_probe: {timeout: 2s}",
     startup_probe_config{startup_probe_kind::custom, 0s, 5s, 2s, 3}},
    {"another kind begins anew", "{kind: custom, period: 5s}", "startup_probe: {kind: tcp}",
     startup_probe_config{}},
    {"off", "{kind: custom, period: 5s}", "startup_probe: off", std::nullopt},
    {"on", "off", "startup_probe: {kind: custom}", custom_startup_probe()},
    {"something else", "{kind: custom}", "cpu: 1", custom_startup_probe()},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto text = edited("{cpu: 2,", "{cpu: 2, startup_probe: " + std::string{x.below} + ",");
    const std::string place = "web: {autoscaling";
    text.replace(text.rfind(place), place.size(),
                 "web: {instance: {" + std::string{x.above} + "}, autoscaling");
    const auto y = valid(text);
    EXPECT_EQ(y.published_services[1].backend_services[0].instance.startup_probe, x.expected);
  }
}

TEST(ParseScenario, SaysWhatContainersCannotBe) {
  const bad_file cases[] = {
    {"neither off nor a probe", "cpu: 2,", "cpu: 2, startup_probe: on,",
     "s:15:43: startup_probe: must be off, or a mapping; got \"on\""},
    {"a switch", "cpu: 2,", "cpu: 2, liveness_probe: true,",
     "s:15:44: liveness_probe: must be off, or a mapping; got true"},
    {"an unknown kind", "cpu: 2,", "cpu: 2, startup_probe: {kind: http},",
     "s:15:50: kind: unknown value \"http\"; did you mean \"tcp\"? allowed: tcp, custom"},
    {"a key of another probe", "cpu: 2,", "cpu: 2, readiness_probe: {initial_delay: 1s},",
     "s:15:46: unknown key \"initial_delay\"; allowed: failure_threshold, period, "
     "success_threshold, timeout"},
    {"beyond the range of a start", "cpu: 2,", "cpu: 2, startup_probe: {initial_delay: 241s},",
     "s:15:59: initial_delay: must be at most 4m; got 241s"},
    {"no whole seconds", "cpu: 2,", "cpu: 2, liveness_probe: {period: 1500ms},",
     "s:15:53: period: must be whole seconds; got 1500ms"},
    {"a timeout beyond the period", "cpu: 2,", "cpu: 2, liveness_probe: {period: 2s, timeout: 3s},",
     "s:15:66: liveness_probe.timeout: must be at most the period"},
    {"more failures than a start may take", "cpu: 2,",
     "cpu: 2, startup_probe: {failure_threshold: 61},",
     "s:15:63: startup_probe.failure_threshold: times the period must be at most 600s"},
    {"no failure at all", "cpu: 2,", "cpu: 2, readiness_probe: {failure_threshold: 0},",
     "s:15:65: failure_threshold: must be between 1 and 1000; got 0"},
    {"waits the wrong way round", "cpu: 2,", "cpu: 2, restart_backoff: {base: 2s, max: 1s},",
     "s:15:61: restart_backoff.max: must be at least base"},
    {"a sidecar without a limit", "cpu: 2,", "cpu: 2, sidecars: [{}],",
     "s:15:39: sidecars[0]: the key cpu is missing"},
    {"a sidecar without CPU", "cpu: 2,", "cpu: 2, sidecars: [{cpu: 0}],",
     "s:15:45: cpu: must be above 0 and at most 64; got 0"},
    {"a runtime that nobody measured", "cpu: 2,", "cpu: 2, cold_start: {runtime: java},",
     "s:15:50: runtime: unknown value \"java\"; allowed: cpp, rust, go, python, nodejs, "
     "model_server"},
    {"a runtime's cold start is no service time",
     "service_time: {lognormal: {median: 40ms, p99: 200ms}}", "service_time: {runtime: go}",
     "s:15:60: unknown key \"runtime\"; allowed: empirical, exponential, lognormal"},
    {"a node is no container", "        autoscaling: {policy: fixed, instances: 3}",
     "        instance: {liveness_probe: {}}\n"
     "        autoscaling: {policy: netscaler_adm, thresholds: {cpu: {min: 40, max: 80}}}",
     "s:19:36: liveness_probe: has no meaning with policy netscaler_adm, whose nodes are no "
     "containers"},
  };
  expect_problems(cases);
}

} // namespace
} // namespace spillover::test
