#include "report/health_view.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using json = nlohmann::json;
using enum health;

constexpr auto web = "us-east1/checkout/web";
constexpr auto source = "us-east1/checkout/web/source";
constexpr auto composite = "us-east1/checkout/composite";

/// A region with a source of four instances in two zones, and a consumer.
class HealthView : public testing::Test {
protected:
  HealthView() {
    using enum instance_state;
    for (int i = 0; i < 4; ++i)
      add(0s, instance(i), instance_changed{starting, ready, 1, "started", i < 2 ? "a" : "b"});
    for (int i = 0; i < 4; ++i)
      add(10s, instance(i), endpoint_changed{unknown, healthy, 2, 3, ""});
    add(11s, source, source_changed{unknown, healthy, 4, 4, 3});
    add(11s, composite, composite_changed{unknown, healthy, 1, "web=HEALTHY"});
    add(13s, "shop/lb", neg_changed{"us-east1", unknown, healthy, 1, 0});
    add(100s, instance(0), endpoint_changed{healthy, unhealthy, 2, 3, ""});
    add(102s, instance(3), endpoint_changed{healthy, unhealthy, 2, 3, ""});
    add(103s, source, source_changed{healthy, unhealthy, 2, 4, 3});
    add(103s, composite, composite_changed{healthy, unhealthy, 2, "web=UNHEALTHY"});
    add(105s, "shop/lb", neg_changed{"us-east1", healthy, unhealthy, 2, 0});
    add(110s, instance(1), instance_changed{ready, draining, 1, "idle", "a"});
    add(120s, instance(4), instance_changed{stopped, starting, 1, "started", "b"});
  }

  static std::string instance(int index) { return std::string{web} + "/" + std::to_string(index); }

  void add(duration at, const std::string& entity, payload what) {
    log.record(run_start + at, entity, {}, std::move(what));
  }

  [[nodiscard]] json view(duration at) const {
    return json::parse(health_view(log, resources, run_start + at));
  }

  static json group(const char* zone, int endpoints, int healthy_ones) {
    return {{"group", std::string{"zones/us-east1-"} + zone + "/instanceGroups/web"},
            {"endpointCount", endpoints},
            {"healthyEndpointCount", healthy_ones}};
  }

  event_log log{{"director", "us-east1", "shop"}};
  health_resources resources{.services = {{"us-east1/checkout", composite, {web}}},
                             .negs = {{"shop", "us-east1"}}};
};

TEST_F(HealthView, B_4_SaysWhatSourcesAndCompositesAre) {
  const auto x = view(102s);
  EXPECT_EQ(x.at("healthSources"), json::parse(R"([{"name": "us-east1/checkout/web/source",
              "kind": "compute#healthSourceHealth", "healthState": "HEALTHY",
              "sources": [{"source": "us-east1/checkout/web", "backends": [
                {"group": "zones/us-east1-a/instanceGroups/web",
                 "endpointCount": 2, "healthyEndpointCount": 1},
                {"group": "zones/us-east1-b/instanceGroups/web",
                 "endpointCount": 2, "healthyEndpointCount": 1}]}]}])"))
    << "endpoints as they are now, the state as it was judged last";
  EXPECT_EQ(x.at("compositeHealthChecks"),
            json::parse(R"([{"name": "us-east1/checkout/composite", "healthState": "HEALTHY",
              "healthSources": [{"source": "us-east1/checkout/web/source",
                                 "healthState": "HEALTHY"}]}])"));
  EXPECT_EQ(x.at("networkEndpointGroups"),
            json::parse(R"([{"consumer": "shop", "neg": "us-east1", "healthState": "HEALTHY"}])"));
}

TEST_F(HealthView, FollowsTheRun) {
  const struct {
    const char* why;
    duration at;
    const char* source_state;
    const char* neg_state;
    json backends;
  } cases[] = {
    {"nothing is known", 5s, "UNKNOWN", "UNKNOWN", {group("a", 2, 0), group("b", 2, 0)}},
    {"the consumer learns later", 12s, "HEALTHY", "UNKNOWN", {group("a", 2, 2), group("b", 2, 2)}},
    {"events of the instant count",
     103s,
     "UNHEALTHY",
     "HEALTHY",
     {group("a", 2, 1), group("b", 2, 1)}},
    {"a draining one is no endpoint",
     110s,
     "UNHEALTHY",
     "UNHEALTHY",
     {group("a", 1, 0), group("b", 2, 1)}},
    {"a starting one is, and not healthy",
     120s,
     "UNHEALTHY",
     "UNHEALTHY",
     {group("a", 1, 0), group("b", 3, 1)}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    const auto x = view(c.at);
    EXPECT_EQ(x.at("healthSources")[0].at("healthState"), c.source_state);
    EXPECT_EQ(x.at("healthSources")[0].at("sources")[0].at("backends"), c.backends);
    EXPECT_EQ(x.at("networkEndpointGroups")[0].at("healthState"), c.neg_state);
  }
}

TEST_F(HealthView, B_68_CountsByReadinessWhereThatIsTheSignal) {
  resources.services[0].by_readiness = true;
  using enum instance_state;
  const auto backends = [this](duration at) {
    return view(at).at("healthSources")[0].at("sources")[0].at("backends");
  };
  add(125s, instance(4), instance_changed{starting, ready, 1, "started", "b"});
  for (const int i : {0, 2, 3})
    add(126s, instance(i), endpoint_changed{unknown, healthy, 0, 0, ""});
  EXPECT_EQ(backends(126s), (json{group("a", 1, 1), group("b", 2, 2)}))
    << "one that serves does not count before its probe had a result";
  add(127s, instance(4), endpoint_changed{unknown, unhealthy, 0, 0, ""});
  EXPECT_EQ(backends(127s), (json{group("a", 1, 1), group("b", 3, 2)}));
  add(130s, instance(2), endpoint_changed{healthy, unhealthy, 0, 0, ""});
  EXPECT_EQ(backends(130s), (json{group("a", 1, 1), group("b", 3, 1)}));
  add(131s, instance(2), instance_changed{ready, crashed, 1, "liveness probe failed", "b"});
  add(140s, instance(2), instance_changed{crashed, starting, 2, "restarted", "b"});
  add(145s, instance(2), instance_changed{starting, ready, 2, "started", "b"});
  for (const auto at : {131s, 140s, 145s})
    EXPECT_EQ(backends(at), (json{group("a", 1, 1), group("b", 2, 1)})) << at.count();
}

TEST_F(HealthView, B_4_NamesTheForwardingRuleOfAPassthroughLoadBalancer) {
  EXPECT_FALSE(view(0s).at("healthSources")[0].at("sources")[0].contains("forwardingRule"));
  resources.services[0].passthrough = true;
  EXPECT_EQ(view(0s).at("healthSources")[0].at("sources")[0].at("forwardingRule"),
            "us-east1/checkout");
}

TEST_F(HealthView, B_25_LogsEachChangeOnItsSide) {
  std::istringstream lines{health_log(log, resources)};
  std::vector<json> found;
  for (std::string line; std::getline(lines, line);)
    found.push_back(json::parse(line));
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[3], json::parse(R"({"logName": "compute.googleapis.com%2Fcompositehealth",
    "at_ns": 103000000000, "resource": {"name": "us-east1/checkout/web/source"},
    "jsonPayload": {"healthState": "UNHEALTHY", "previousHealthState": "HEALTHY",
      "healthDestination": "us-east1/checkout",
      "sources": [{"source": "us-east1/checkout/web", "backends": [
        {"group": "zones/us-east1-a/instanceGroups/web",
         "endpointCount": 2, "healthyEndpointCount": 1},
        {"group": "zones/us-east1-b/instanceGroups/web",
         "endpointCount": 2, "healthyEndpointCount": 1}]}]}})"));
  EXPECT_EQ(found[4].at("resource").at("name"), composite);
  EXPECT_EQ(found[4].at("jsonPayload").at("sources").size(), 1u);
  EXPECT_EQ(found[5], json::parse(R"({"logName": "compute.googleapis.com%2Fservicehealthchecks",
    "at_ns": 105000000000, "resource": {"type": "compute.googleapis.com/NetworkEndpointGroupV2"},
    "jsonPayload": {"healthState": "UNHEALTHY", "previousHealthState": "HEALTHY",
      "serviceHealthCheckResult": {"neg": "shop/us-east1"}}})"));
}

} // namespace
} // namespace spillover
