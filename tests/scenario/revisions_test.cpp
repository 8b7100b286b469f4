#include "tests/scenario/sample.hpp"

namespace spillover::test {

namespace {

using namespace std::chrono_literals;

constexpr instant at(duration x) {
  return run_start + x;
}

/// A scenario of one service in two regions, with what its backend service `web` has, what is different
/// in the second region, and what else the file says.
scenario with(const std::string& web, const std::string& in_west = "{}",
              const std::string& more = "") {
  return valid("name: a\nduration: 20m\nproducers:\n  shop:\n    regions: [east, west]\n"
               "    backend_services: {web: "
               + web + "}\n    overrides: {west: {web: " + in_west
               + "}}\nconsumers: {users: {traffic: [{closed_loop: {}}]}}\n" + more);
}

const backend_service_spec& web_of(const scenario& x, std::size_t region) {
  return x.published_services.at(region).backend_services.at(0);
}

TEST(ReadRevisions, BeginWithWhatTheyHaveInCommon) {
  const auto x = with("{instance: {cpu: 2, cold_start: 1s}, request_timeout: 20s, revisions: "
                      "{v1: {}, v2: {instance: {cold_start: 3s}, autoscaling: {max_instances: 50}, "
                      "pending: {floor: 4s}, scale_in: {window: 5s}, request_timeout: 6s}}}");
  const auto& web = web_of(x, 0);
  ASSERT_EQ(web.revisions.size(), 2u);
  const auto& v1 = web.revisions[0];
  EXPECT_EQ(v1,
            (revision_spec{"v1", web.instance, web.autoscaling, web.pending, web.scale_in, 20s}));
  const auto& v2 = web.revisions[1];
  EXPECT_EQ(v2.instance.cpu, 2);
  EXPECT_EQ(v2.instance.cold_start, distribution{constant_distribution{3s}});
  EXPECT_EQ(std::get<cloud_run_config>(v2.autoscaling).max_instances, 50u);
  EXPECT_EQ(v2.pending.floor, 4s);
  EXPECT_EQ(v2.scale_in.window, 5s);
  EXPECT_EQ(v2.request_timeout, 6s);
}

TEST(ReadRevisions, AnOverrideIsBelowTheRevisionsOfTheServiceAndAboveThemWithItsOwn) {
  // By region and revision: the minimum, and the maximum.
  const struct {
    const char* why = "";
    const char* web = "";
    const char* in_west = "";
    std::array<std::pair<std::uint32_t, std::uint32_t>, 4> expected = {};
  } cases[] = {
    {"common settings of the region, where the revision has none",
     "{autoscaling: {min_instances: 1}, revisions: {v1: {}, v2: {autoscaling: {min_instances: 2}}}}",
     "{autoscaling: {min_instances: 3, max_instances: 30}}",
     {{{1, 100}, {2, 100}, {3, 30}, {2, 30}}}},
    {"the revision's own of the region are above all",
     "{autoscaling: {min_instances: 1}, revisions: {v1: {}, v2: {autoscaling: {min_instances: 2}}}}",
     "{autoscaling: {min_instances: 3}, revisions: {v2: {autoscaling: {min_instances: 4}}}}",
     {{{1, 100}, {2, 100}, {3, 100}, {4, 100}}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    const auto x = with(c.web, c.in_west);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto& policy =
        std::get<cloud_run_config>(web_of(x, i / 2).revisions.at(i % 2).autoscaling);
      EXPECT_EQ(std::pair(policy.min_instances, policy.max_instances), c.expected[i]) << i;
    }
  }
}

TEST(ReadRevisions, AnotherPolicyBeginsWithItsOwnDefaults) {
  const auto x = with("{instance: {concurrency: 10}, autoscaling: {policy: fixed, instances: 3}, "
                      "revisions: {v1: {}, v2: {autoscaling: {policy: hpa}}, "
                      "v3: {autoscaling: {policy: cloud_run}}}}");
  const auto& revisions = web_of(x, 0).revisions;
  EXPECT_EQ(revisions[0].autoscaling, autoscaling_config{fixed_config{3}});
  EXPECT_EQ(revisions[1].autoscaling, *default_policy("hpa"));
  EXPECT_EQ(revisions[2].autoscaling, autoscaling_config{cloud_run_config{}});
  // What the common settings say of an instance holds for all of them.
  for (const auto& revision : revisions)
    EXPECT_EQ(revision.instance.concurrency, 10u) << revision.name;
}

TEST(ReadRevisions, TheConcurrencyThatNobodySaysIsThatOfTheRevisionsPolicy) {
  const auto x = with("{instance: {cpu: 1}, revisions: {v1: {}, v2: {instance: {cpu: 0.5}}, "
                      "v3: {autoscaling: {policy: knative_kpa}}}}",
                      "{revisions: {v1: {instance: {cpu: 0.5}}}}");
  const auto concurrency = [&x](std::size_t region) {
    std::vector<std::uint32_t> result;
    for (const auto& revision : web_of(x, region).revisions)
      result.push_back(revision.instance.concurrency);
    return result;
  };
  EXPECT_EQ(concurrency(0), (std::vector<std::uint32_t>{80, 1, 0}));
  EXPECT_EQ(concurrency(1), (std::vector<std::uint32_t>{1, 1, 0}));
}

TEST(ReadTraffic, ShareTagAndTheLatest) {
  const std::string revisions = "revisions: {v1: {}, v2: {}}";
  const struct {
    const char* why = "";
    std::string web;
    const char* in_west = "";
    std::vector<traffic_target> expected = {};
  } cases[] = {
    {"nothing said is the latest", "{" + revisions + "}", "{}", {}},
    {"latest by its word and without one",
     "{" + revisions + ", traffic: [{revision: latest, tag: new}, {percent: 100}]}",
     "{}",
     {{.tag = "new"}, {"", 100}}},
    {"shares and a tag",
     "{" + revisions
       + ", traffic: [{revision: v1, percent: 90}, {revision: v2, percent: 10}, "
         "{revision: v2, tag: canary}]}",
     "{}",
     {{"v1", 90}, {"v2", 10}, {.revision = "v2", .tag = "canary"}}},
    {"an override replaces it",
     "{" + revisions + ", traffic: [{revision: v1, percent: 90}, {revision: v2, percent: 10}]}",
     "{traffic: [{revision: v2, percent: 100}]}",
     {{"v2", 100}}},
    {"even by nothing",
     "{" + revisions + ", traffic: [{revision: v1, percent: 100}]}",
     "{traffic: []}",
     {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    EXPECT_EQ(web_of(with(c.web, c.in_west), 1).traffic, c.expected);
  }
}

TEST(ReadScaling, AnOverrideReplacesIt) {
  const auto x =
    with("{scaling: {min_instances: 4, max_instances: 40}}", "{scaling: {manual_instances: 6}}");
  EXPECT_EQ(web_of(x, 0).scaling, (service_scaling{.min_instances = 4, .max_instances = 40}));
  EXPECT_EQ(web_of(x, 1).scaling, (service_scaling{.manual_instances = 6}));
  const auto y =
    with("{scaling: {min_instances: 4}}", "{autoscaling: {policy: fixed}, scaling: {}}");
  EXPECT_EQ(web_of(y, 1).scaling, service_scaling{});
}

TEST(ReadActions, EachKindAsItIsWritten) {
  const auto x = with("{revisions: {v1: {}, v2: {}, v3: {}}}", "{}",
                      "actions:\n"
                      "  - {at: 5m, of: east/shop/web, name: ship, deploy: {revision: v2, "
                      "steps: [10, 50, 100], every: 30s, deadline: 2m}}\n"
                      "  - {at: 8m, of: east/shop/web, split: [{revision: v1, percent: 60}, "
                      "{percent: 40}, {revision: v2, tag: canary}]}\n"
                      "  - {at: 9m, of: east/shop/web, roll_back: {revision: v1}}\n"
                      "  - {at: 9m, of: west/shop/web, scale: {min_instances: 10}}\n"
                      "  - {at: 10m, of: west/shop/web, deploy: {revision: v3}}\n");
  const std::string east = "east/shop/web";
  const std::string west = "west/shop/web";
  const std::vector<service_action> expected{
    {at(5min), east, deploy_action{"v2", {{10, 50, 100}, 30s, 2min}}, "ship"},
    {at(8min), east, split_action{{{"v1", 60}, {"", 40}, {.revision = "v2", .tag = "canary"}}}},
    {at(9min), east, roll_back_action{"v1"}},
    {at(9min), west, scale_action{{.min_instances = 10}}},
    {at(10min), west, deploy_action{"v3", rollout_plan{}}},
  };
  EXPECT_EQ(x.actions, expected);
}

TEST(ReadActions, AllowsWhatTheRunHasToTell) {
  const struct {
    const char* why = "";
    const char* web = "";
    std::vector<const char*> actions = {};
  } cases[] = {
    {"a revision that was deployed by then, whether or not it became ready",
     "{revisions: {v1: {}, v2: {}}}",
     {"at: 1m, of: east/shop/web, deploy: {revision: v2}",
      "at: 1m, of: east/shop/web, split: [{revision: v2, percent: 100}]"}},
    {"another try of one that may have failed",
     "{revisions: {v1: {}, v2: {}}}",
     {"at: 1m, of: east/shop/web, deploy: {revision: v2}",
      "at: 3m, of: east/shop/web, deploy: {revision: v2}"}},
    {"one that has lost its traffic",
     "{revisions: {v1: {}, v2: {}}, traffic: [{revision: v1, percent: 50}, {revision: v2, "
     "percent: 50}]}",
     {"at: 1m, of: east/shop/web, split: [{revision: v1, percent: 100}]",
      "at: 2m, of: east/shop/web, deploy: {revision: v2}"}},
    {"one that has but a tag",
     "{revisions: {v1: {}, v2: {}}, traffic: [{revision: v1, percent: 100}, {revision: v2, "
     "tag: canary}]}",
     {"at: 2m, of: east/shop/web, deploy: {revision: v2}"}},
    {"in the order of time, not of the file",
     "{revisions: {v1: {}, v2: {}}}",
     {"at: 2m, of: east/shop/web, roll_back: {revision: v2}",
      "at: 1m, of: east/shop/web, deploy: {revision: v2}"}},
    {"bounds in place of a fixed number",
     "{scaling: {manual_instances: 50}}",
     {"at: 1m, of: east/shop/web, scale: {max_instances: 2}",
      "at: 2m, of: east/shop/web, scale: {min_instances: 2}"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    std::string more = "actions:\n";
    for (const auto* action : c.actions)
      more.append("  - {").append(action).append("}\n");
    EXPECT_EQ(with(c.web, "{}", more).actions.size(), c.actions.size());
  }
}

TEST(ReadRevisions, ExpectationsAndConditionsCanNameThem) {
  const auto x =
    with("{revisions: {v1: {}, v2: {}}}", "{}",
         "expect:\n"
         "  - instances: {of: east/shop/web, revision: v2, at: 5m, at_most: 3}\n"
         "  - rate: {of: east/shop/web, revision: v1, from: 1m, to: 2m, at_most: 3}\n"
         "  - queue: {of: east/shop/web, revision: v2, at_most: 3}\n"
         "  - sequence: {within: 1m, of: [{event: rollout_stepped, of: east/shop/web/v2, where: "
         "{step: ready}}, {event: traffic_changed, of: east/shop/web}, {event: action_taken, "
         "where: {name: ship, index: 0}}, {event: instance_changed, of: east/shop/web/v1/0}]}\n"
         "stop_if:\n"
         "  - queue: {of: east/shop/web, revision: v1, above: 3}\n"
         "  - instances: {of: east/shop/web, revision: v2, above: 3}\n");
  EXPECT_EQ(std::get<expect_instances>(x.expectations[0].what).revision, "v2");
  EXPECT_EQ(std::get<expect_rate>(x.expectations[1].what).revision, "v1");
  EXPECT_EQ(std::get<expect_queue>(x.expectations[2].what).revision, "v2");
  EXPECT_EQ(std::get<expect_sequence>(x.expectations[3].what).of[0],
            (event_pattern{"rollout_stepped", "east/shop/web/v2", {{"step", "ready"}}}));
  EXPECT_EQ(std::get<stop_on_queue>(x.stop_if[0].what).revision, "v1");
  EXPECT_EQ(std::get<stop_on_instances>(x.stop_if[1].what).revision, "v2");
}

TEST(ReadConsumers, ATagOfItsOwn) {
  const auto x =
    valid("{name: a, duration: 1m, producers: {b: {regions: [c], backend_services: {d: "
          "{}}}}, consumers: {e: {tag: canary, traffic: [{closed_loop: {}}]}}}");
  EXPECT_EQ(x.consumers.at(0).tag, "canary");
}

} // namespace

} // namespace spillover::test
