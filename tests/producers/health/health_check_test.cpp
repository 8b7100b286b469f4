#include "producers/health/health_check.hpp"

#include "tests/support/problem_fields.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace spillover {
namespace {

using namespace std::chrono_literals;

char letter(health x) {
  return to_string(x)[0] == 'U' && x == health::unknown ? '?' : to_string(x)[0];
}

probe_result result_of(char x) {
  if (x == '+')
    return probe_result::answered;
  return x == '!' ? probe_result::failed : probe_result::refused;
}

/// What the tracker thinks after each result; '0+' is a success seen by prober 0, '0-' that nobody
/// answered it, '0!' an error that it got.
std::string states(const health_check_config& config, health initial, std::string_view results) {
  endpoint_tracker tracker{config, initial};
  std::string result;
  for (std::size_t i = 0; i + 1 < results.size(); i += 2) {
    const auto before = tracker.state();
    const auto change =
      tracker.observe(static_cast<std::uint32_t>(results[i] - '0'), result_of(results[i + 1]));
    EXPECT_EQ(change.has_value(), before != tracker.state());
    if (change) {
      EXPECT_EQ(change->before, before);
      EXPECT_EQ(change->after, tracker.state());
      EXPECT_GE(change->agreeing, quorum_of(config));
    }
    result += letter(tracker.state());
  }
  return result;
}

TEST(EndpointTracker, NeedsThresholdsInARowAndEnoughProbers) {
  const health_check_config one{.probers = 1};
  const health_check_config fast{.healthy_threshold = 1, .unhealthy_threshold = 3, .probers = 1};
  const health_check_config three{};
  const health_check_config any{.healthy_threshold = 1, .unhealthy_threshold = 1, .quorum = 1};
  const health_check_config all{.healthy_threshold = 1, .unhealthy_threshold = 1, .quorum = 3};
  struct {
    const char* why;
    const health_check_config& config;
    health initial;
    const char* results;
    const char* expected;
  } const cases[] = {
    {"unknown until a threshold is met", one, health::unknown, "0+0+", "?H"},
    {"either threshold", one, health::unknown, "0-0-", "?U"},
    {"B-36: the opposite result starts the count anew", one, health::unknown, "0+0-0+0+", "???H"},
    {"a lone failure changes nothing", one, health::unknown, "0+0+0-0+0-0-", "?HHHHU"},
    {"B-38: unhealthy from the start", one, health::unhealthy, "0-0-0+0+", "UUUH"},
    {"thresholds of its own", fast, health::unhealthy, "0+0-0-0+0-0-0-0+", "HHHHHHUH"},
    {"two of three", three, health::unhealthy, "0+1+2+0+1+2+", "UUUUHH"},
    {"one prober alone is not enough", three, health::unhealthy, "0+0+0+0+0+", "UUUUU"},
    {"interleaved streaks do not break each other", three, health::unhealthy, "0+1-0+1+2-1+",
     "UUUUUH"},
    {"any one", any, health::unhealthy, "1+0-1-", "HHU"},
    {"all", all, health::unhealthy, "0+1+2+0-", "UUHH"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(states(x.config, x.initial, x.results), x.expected);
  }
}

TEST(EndpointTracker, MayDecideAtOnceAsEnvoyDoes) {
  const health_check_config strict{.healthy_threshold = 3, .unhealthy_threshold = 3, .probers = 1};
  auto first = strict;
  first.first_result_decides = true;
  auto error = strict;
  error.error_decides = true;
  auto both = first;
  both.error_decides = true;
  struct {
    const char* why;
    const health_check_config& config;
    health initial;
    const char* results;
    const char* expected;
  } const cases[] = {
    {"an error counts like any failure", strict, health::unknown, "0+0+0+0!0!0!", "??HHHU"},
    {"the first success makes a new endpoint healthy", first, health::unhealthy, "0+0-0-0-",
     "HHHU"},
    {"only the first", first, health::unhealthy, "0-0+0+0+", "UUUH"},
    {"the first failure as well", first, health::unknown, "0-0+0+0+", "UUUH"},
    {"C63: an error at once", error, health::unknown, "0+0+0+0!", "??HU"},
    {"no answer is not an error", error, health::unknown, "0+0+0+0-0-0-", "??HHHU"},
    {"a streak before it does not matter", error, health::unknown, "0+0+0+0-0!0+", "??HHUU"},
    {"the way back needs its threshold", error, health::unknown, "0!0+0+0+", "UUUH"},
    {"both", both, health::unhealthy, "0+0!0+0+0+", "HUUUH"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(states(x.config, x.initial, x.results), x.expected);
  }
}

TEST(EndpointTracker, KnowsWhichProberIsAtAnEdge) {
  struct {
    const char* why;
    health initial;
    const char* results;
    bool pending;
  } const cases[] = {
    {"one of three failures", health::healthy, "0-", true},
    {"the third is no edge any more", health::healthy, "0-0-0-", false},
    {"a success where it is healthy", health::healthy, "0-0+", false},
    {"one of three successes", health::unhealthy, "0+", true},
    {"a failure where it is unhealthy", health::unhealthy, "0+0-", false},
    {"what is not known is taken for unhealthy", health::unknown, "0-", false},
    {"and a success begins to change that", health::unknown, "0+", true},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    endpoint_tracker tracker{{.healthy_threshold = 3, .unhealthy_threshold = 3, .probers = 1},
                             x.initial};
    for (std::size_t i = 0; x.results[i] != '\0'; i += 2)
      tracker.observe(0, result_of(x.results[i + 1]));
    EXPECT_EQ(tracker.is_pending(0), x.pending);
  }
}

TEST(HealthCheckConfig, PausesAsEnvoyDoes) {
  health_check_config all{.interval = 10s};
  all.no_traffic_interval = 60s;
  all.unhealthy_interval = 3s;
  all.unhealthy_edge_interval = 2s;
  all.healthy_edge_interval = 1s;
  health_check_config some{.interval = 10s};
  some.unhealthy_interval = 3s;
  const health_check_config none{.interval = 10s};
  struct {
    const char* why;
    const health_check_config& check;
    bool success;
    bool pending;
    bool traffic;
    duration expected;
  } const cases[] = {
    {"healthy", all, true, false, true, 10s},
    {"on the way to healthy", all, true, true, true, 1s},
    {"unhealthy", all, false, false, true, 3s},
    {"on the way to unhealthy", all, false, true, true, 2s},
    {"C62: no traffic goes before all", all, true, false, false, 60s},
    {"C64: also before the unhealthy interval", all, false, false, false, 60s},
    {"the edge follows the unhealthy interval", some, false, true, true, 3s},
    {"the other edge the interval", some, true, true, true, 10s},
    {"no traffic means nothing without its interval", some, false, false, false, 3s},
    {"nothing given", none, false, true, false, 10s},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(pause_after(x.check, x.success, x.pending, x.traffic), x.expected);
  }
  EXPECT_TRUE(is_paced(all));
  EXPECT_TRUE(is_paced(some));
  EXPECT_FALSE(is_paced(none));
}

TEST(HealthCheckConfig, JudgesTheStatusOfItsPath) {
  using enum probe_result;
  struct {
    const char* why;
    probe_protocol protocol;
    std::uint32_t status;
    std::vector<std::uint32_t> expected;
    probe_result met;
    probe_result result;
  } const cases[] = {
    {"200 is what Google takes", probe_protocol::http, 200, {200}, answered, answered},
    {"a redirect fails", probe_protocol::http, 302, {200}, answered, failed},
    {"unless it is expected", probe_protocol::http2, 302, {200, 302}, answered, answered},
    {"200 fails where it is not", probe_protocol::https, 200, {204}, answered, failed},
    {"there is no path in gRPC", probe_protocol::grpc, 404, {200}, answered, answered},
    {"nor in TCP", probe_protocol::tcp, 404, {200}, answered, answered},
    {"no answer has no status", probe_protocol::http, 404, {200}, silent, silent},
    {"nor has a refusal", probe_protocol::http, 404, {200}, refused, refused},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    health_check_config check;
    check.protocol = x.protocol;
    check.path_status = x.status;
    check.expected_statuses = x.expected;
    EXPECT_EQ(judged_by(check, x.met), x.result);
  }
}

TEST(EndpointTracker, TellsHowManyProbersAgree) {
  endpoint_tracker tracker{{.healthy_threshold = 1, .probers = 5}, health::unhealthy};
  EXPECT_FALSE(tracker.observe(4, result_of('+')));
  EXPECT_FALSE(tracker.observe(0, result_of('+')));
  EXPECT_EQ(tracker.observe(2, result_of('+')),
            (endpoint_tracker::transition{health::unhealthy, health::healthy, 3}));
  EXPECT_FALSE(tracker.observe(1, result_of('+'))) << "a fourth changes nothing";
}

TEST(HealthCheckConfig, QuorumIsTheMajorityUnlessSet) {
  EXPECT_EQ(quorum_of({.probers = 1}), 1u);
  EXPECT_EQ(quorum_of({.probers = 2}), 2u);
  EXPECT_EQ(quorum_of({.probers = 3}), 2u);
  EXPECT_EQ(quorum_of({.probers = 10}), 6u);
  EXPECT_EQ(quorum_of({.probers = 10, .quorum = 1}), 1u);
}

TEST(HealthCheckConfig, IsCheckedFieldByField) {
  struct {
    const char* why;
    health_check_config config;
    std::vector<std::string> fields;
  } const cases[] = {
    {"defaults", {}, {}},
    {"a timeout above the interval", {.interval = 4s}, {"timeout"}},
    {"too often", {.interval = 999ms, .timeout = 500ms}, {"interval"}},
    {"too rare", {.interval = 301s}, {"interval"}},
    {"no timeout", {.timeout = 0s}, {"timeout", "response_time"}},
    {"thresholds",
     {.healthy_threshold = 0, .unhealthy_threshold = 11},
     {"healthy_threshold", "unhealthy_threshold"}},
    {"probers", {.probers = 33}, {"probers"}},
    {"nobody probes", {.probers = 0}, {"probers"}},
    {"a quorum beyond them", {.quorum = 4}, {"quorum"}},
    {"a healthy instance that times out", {.response_time = 5s}, {"response_time"}},
    {"no path", {.path = "healthz", .path_status = 99}, {"path", "path_status"}},
    {"no status is a success", {.expected_statuses = {}}, {"expected_statuses"}},
    {"no status at all", {.expected_statuses = {200, 600}}, {"expected_statuses"}},
    {"Envoy's intervals at their bounds",
     {.no_traffic_interval = 1h, .unhealthy_interval = 1ms},
     {}},
    {"and beyond",
     {.no_traffic_interval = 0s, .unhealthy_interval = 2h},
     {"no_traffic_interval", "unhealthy_interval"}},
    {"edges",
     {.unhealthy_edge_interval = 2h, .healthy_edge_interval = 0s},
     {"unhealthy_edge_interval", "healthy_edge_interval"}},
    {"a delay before the start", {.initial_delay = -1s}, {"initial_delay"}},
    {"a network that never comes", {.network_lag = 2h}, {"network_lag"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(test::problem_fields(validate(x.config)), x.fields);
  }
}

} // namespace
} // namespace spillover
