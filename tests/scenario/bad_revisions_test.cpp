#include "tests/scenario/sample.hpp"

namespace spillover::test {

namespace {

// What a backend service (in line 6), its override (in line 7) and the actions (from line 10 on) say.
struct bad_service {
  const char* why = "";
  const char* web = "";
  const char* in_west = "{}";
  std::vector<const char*> more = {};
  const char* expected = "";
};

void expect_problems_of(std::span<const bad_service> cases) {
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    std::string text = "name: a\nduration: 20m\nproducers:\n  shop:\n    regions: [east, west]\n";
    text.append("    backend_services: {web: ").append(x.web).append("}\n");
    text.append("    overrides: {west: {web: ").append(x.in_west).append("}}\n");
    text += "consumers: {users: {traffic: [{closed_loop: {}}]}}\n";
    for (const auto* line : x.more)
      text.append(line).append("\n");
    EXPECT_EQ(joined(problems_of(parse_scenario(text, "s"))), x.expected) << text;
  }
}

constexpr const char* two = "{revisions: {v1: {}, v2: {}}}";

// Nothing in the west, and in the next line a composite.
constexpr const char* composed =
  "{}}}\n    composite_health: {sources: [{backend_service: web}], propagation: {";

TEST(ParseScenario, RefusesRevisionsThatCannotBe) {
  const bad_service cases[] = {
    {"a word of traffic",
     "{revisions: {v1: {}, latest: {}}}",
     "{}",
     {},
     "s:6:50: a revision cannot be named \"latest\", which has a meaning of its own"},
    {"a part of a path",
     "{revisions: {source: {}, probers: {}}}",
     "{}",
     {},
     "s:6:42: a revision cannot be named \"source\", which has a meaning of its own\n"
     "s:6:54: a revision cannot be named \"probers\", which has a meaning of its own"},
    {"a number, as instances have",
     "{revisions: {\"7\": {}}}",
     "{}",
     {},
     "s:6:43: \"7\" must be a name of a-z, 0-9 and -, that starts with a letter, does not end "
     "with - and has at most 63 characters (RFC 1035)"},
    {"a key that is not a revision's",
     "{revisions: {v1: {weight: 2}}}",
     "{}",
     {},
     "s:6:47: unknown key \"weight\"; allowed: autoscaling, instance, pending, request_timeout, "
     "scale_in"},
    {"another policy's key",
     "{revisions: {v1: {autoscaling: {instances: 2}}}}",
     "{}",
     {},
     "s:6:72: instances: has no meaning with policy cloud_run; allowed: policy, variant, "
     "min_instances, max_instances, cpu_target, concurrency_target, evaluation, dead_band, "
     "adaptive_concurrency"},
    {"bounds that do not fit those in common",
     "{autoscaling: {max_instances: 5}, revisions: {v1: {autoscaling: {min_instances: 6}}}}",
     "{}",
     {},
     "s:6:109: min_instances: must be at most max_instances (5); got 6"},
    {"bounds that do not fit in one region",
     "{revisions: {v1: {autoscaling: {min_instances: 6}}}}",
     "{autoscaling: {max_instances: 5}}",
     {},
     "s:6:76: min_instances: must be at most max_instances (5); got 6"},
    {"one that the service does not have",
     two,
     "{revisions: {v3: {}}}",
     {},
     "s:7:42: unknown revision \"v3\"; did you mean \"v1\"? known: v1, v2"},
    {"one of a service without any",
     "{}",
     "{revisions: {v1: {}}}",
     {},
     "s:7:42: unknown revision \"v1\"; web has no revisions"},
    {"the policy of old",
     "{autoscaling: {policy: manual}}",
     "{}",
     {},
     "s:6:52: policy: \"manual\" is no policy; the backend service has scaling: "
     "{manual_instances: N} for it; allowed: cloud_run, fixed, hpa, knative_kpa, netscaler_adm"},
  };
  expect_problems_of(cases);
}

TEST(ParseScenario, RefusesTrafficThatCannotBe) {
  const bad_service cases[] = {
    {"an unknown revision",
     "{revisions: {v1: {}}, traffic: [{revision: v2, percent: 100}]}",
     "{}",
     {},
     "s:6:72: revision: unknown revision \"v2\"; did you mean \"v1\"? known: v1"},
    {"a revision where there is none",
     "{traffic: [{revision: v2, percent: 100}]}",
     "{}",
     {},
     "s:6:51: revision: unknown revision \"v2\"; web has no revisions"},
    {"too little",
     "{revisions: {v1: {}}, traffic: [{revision: v1, percent: 99}]}",
     "{}",
     {},
     "s:6:60: traffic: percents of the entries without a tag must add up to 100, not to 99"},
    {"nothing",
     "{revisions: {v1: {}}, traffic: [{revision: v1, percent: 0}]}",
     "{}",
     {},
     "s:6:85: percent: must be between 1 and 100; got 0"},
    {"a share by a tag",
     "{traffic: [{percent: 100, tag: canary}]}",
     "{}",
     {},
     "s:6:40: traffic[0]: needs exactly one of: percent; tag"},
    {"neither share nor tag",
     "{revisions: {v1: {}}, traffic: [{revision: v1}]}",
     "{}",
     {},
     "s:6:61: traffic[0]: needs exactly one of: percent; tag"},
    {"twice the same",
     "{revisions: {v1: {}}, traffic: [{revision: v1, percent: 50}, {revision: v1, percent: 50}]}",
     "{}",
     {},
     "s:6:101: traffic[1].revision: has a share already"},
    {"a tag of two",
     "{revisions: {v1: {}, v2: {}}, traffic: [{percent: 100}, {revision: v1, tag: a}, {revision: v2, tag: a}]}",
     "{}",
     {},
     "s:6:129: traffic[2].tag: is taken already"},
    {"in a region only",
     two,
     "{traffic: [{revision: v9, percent: 100}]}",
     {},
     "s:7:51: revision: unknown revision \"v9\"; did you mean \"v1\"? known: v1, v2"},
  };
  expect_problems_of(cases);
}

TEST(ParseScenario, RefusesScalingThatCannotBe) {
  const bad_service cases[] = {
    {"a fixed number and a bound",
     "{scaling: {manual_instances: 3, max_instances: 4}}",
     "{}",
     {},
     "s:6:58: manual_instances: stands beside bounds for the autoscaler, which it turns off; "
     "leave one of them out"},
    {"bounds the wrong way round",
     "{scaling: {min_instances: 5, max_instances: 4}}",
     "{}",
     {},
     "s:6:55: min_instances: must be at most max_instances"},
    {"none at all",
     "{scaling: {manual_instances: 0}}",
     "{}",
     {},
     "s:6:58: manual_instances: must be between 1 and 10000; got 0"},
    {"a policy that knows no such bounds",
     "{autoscaling: {policy: fixed}, scaling: {min_instances: 5}}",
     "{}",
     {},
     "s:6:69: scaling: has no meaning with policy fixed; only cloud_run has it"},
    {"in one region",
     "{scaling: {min_instances: 5}}",
     "{autoscaling: {policy: fixed}}",
     {},
     "s:7:43: scaling: has no meaning with policy fixed; only cloud_run has it"},
    {"of one revision",
     "{revisions: {v1: {}, v2: {autoscaling: {policy: hpa}}}, scaling: {min_instances: 5}}",
     "{}",
     {},
     "s:6:94: scaling: has no meaning with policy hpa; only cloud_run has it"},
  };
  expect_problems_of(cases);
}

TEST(ParseScenario, RefusesActionsThatCannotBe) {
  const bad_service cases[] = {
    {"after the run",
     two,
     "{}",
     {"actions:", "  - {at: 20m, of: east/shop/web, deploy: {revision: v2}}"},
     "s:10:10: at: must be before the end of the run (20m); got 20m"},
    {"of nobody",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/wob, deploy: {revision: v2}}"},
     "s:10:18: of: unknown backend service \"east/shop/wob\"; did you mean \"east/shop/web\"? "
     "known: east/shop/web, west/shop/web"},
    {"nothing to do",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web}"},
     "s:10:5: actions[0]: needs exactly one of: deploy; split; roll_back; scale; "
     "patch_health_policy; update_health_check"},
    {"two at once",
     two,
     "{}",
     {"actions:",
      "  - {at: 2m, of: east/shop/web, deploy: {revision: v2}, roll_back: {revision: v1}}"},
     "s:10:5: actions[0]: needs exactly one of: deploy; split; roll_back; scale; "
     "patch_health_policy; update_health_check"},
    {"a name twice",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, name: a, deploy: {revision: v2}}",
      "  - {at: 3m, of: east/shop/web, name: a, deploy: {revision: v2}}"},
     "s:11:39: name: \"a\" is the name of an entry before"},
    {"unknown revisions",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, deploy: {revision: v3}}",
      "  - {at: 3m, of: east/shop/web, roll_back: {revision: v3}}",
      "  - {at: 4m, of: east/shop/web, split: [{revision: v3, percent: 100}]}"},
     "s:10:52: revision: unknown revision \"v3\"; did you mean \"v1\"? known: v1, v2\n"
     "s:11:55: revision: unknown revision \"v3\"; did you mean \"v1\"? known: v1, v2\n"
     "s:12:52: revision: unknown revision \"v3\"; did you mean \"v1\"? known: v1, v2"},
    {"of a service without revisions",
     "{}",
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, deploy: {revision: v2}}"},
     "s:10:52: revision: unknown revision \"v2\"; web has no revisions"},
  };
  expect_problems_of(cases);
}

TEST(ParseScenario, RefusesWhatAnActionCannotDo) {
  const bad_service cases[] = {
    {"steps down",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, deploy: {revision: v2, steps: [50, 10]}}"},
     "s:10:68: steps[1]: must be above the one before"},
    {"steps beyond all, and no time",
     two,
     "{}",
     {"actions:",
      "  - {at: 2m, of: east/shop/web, deploy: {revision: v2, steps: [101], every: 0s}}"},
     "s:10:64: steps[0]: must be between 1 and 100; got 101\n"
     "s:10:77: every: must be above 0s; got 0s"},
    {"a split that does not add up",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, split: [{revision: v1, percent: 70}]}"},
     "s:10:40: split: percents of the entries without a tag must add up to 100, not to 70"},
    {"a scale of nothing",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, scale: {}}"},
     "s:10:40: scale: needs at least one of: manual_instances, max_instances, min_instances"},
    {"a patch where nothing is aggregated",
     "{}",
     "{}",
     {"actions:",
      "  - {at: 2m, of: east/shop/web, patch_health_policy: {min_healthy_threshold: 2}}"},
     "s:10:54: patch_health_policy: \"east/shop/web\" has no health source; give it one in "
     "composite_health"},
    {"a patch of nothing, or of more than all, or of what was not there yet",
     "{}",
     composed,
     {"actions:", "  - {at: 2m, of: east/shop/web, patch_health_policy: {}}",
      "  - {at: 2m, of: east/shop/web, patch_health_policy: {healthy_percent_threshold: 101}}",
      "  - {at: 2m, of: east/shop/web, patch_health_policy: {min_healthy_threshold: 2, read_at: "
      "3m}}"},
     "s:11:54: patch_health_policy: needs at least one of: healthy_percent_threshold, "
     "min_healthy_threshold, read_at, takes_effect_after\n"
     "s:12:82: healthy_percent_threshold: must be between 0 and 100; got 101\n"
     "s:13:90: read_at: must not be after the action (2m); got 3m"},
    {"a health check that cannot be, once it is updated twice",
     "{}",
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, update_health_check: {timeout: 3s}}",
      "  - {at: 3m, of: east/shop/web, update_health_check: {interval: 2s}}"},
     "s:11:54: timeout: must be above 0 and at most the interval, as the health check is from 3m on"},
    {"a scale of a policy without",
     "{autoscaling: {policy: hpa}}",
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, scale: {min_instances: 2}}"},
     "s:10:40: scale: has no meaning with policy hpa; only cloud_run has it"},
  };
  expect_problems_of(cases);
}

TEST(ParseScenario, RefusesActionsThatAreCertainNotToBePossible) {
  const bad_service cases[] = {
    {"a split to one that nothing deploys",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, split: [{revision: v2, percent: 100}]}"},
     "s:10:52: revision: \"v2\" was not deployed before 2m, and is not in the traffic when the "
     "run begins; deploy it first"},
    {"a tag of one that nothing deploys",
     two,
     "{}",
     {"actions:",
      "  - {at: 2m, of: east/shop/web, split: [{percent: 100}, {revision: v2, tag: a}]}"},
     "s:10:68: revision: \"v2\" was not deployed before 2m, and is not in the traffic when the "
     "run begins; deploy it first"},
    {"a way back to one that was not there",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, roll_back: {revision: v2}}",
      "  - {at: 3m, of: east/shop/web, deploy: {revision: v2}}"},
     "s:10:55: revision: \"v2\" was not deployed before 2m, and is not in the traffic when the "
     "run begins; deploy it first"},
    {"deployed in another region",
     two,
     "{}",
     {"actions:", "  - {at: 1m, of: west/shop/web, deploy: {revision: v2}}",
      "  - {at: 2m, of: east/shop/web, roll_back: {revision: v2}}"},
     "s:11:55: revision: \"v2\" was not deployed before 2m, and is not in the traffic when the "
     "run begins; deploy it first"},
    {"a deployment of the first, which is the latest",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, deploy: {revision: v1}}"},
     "s:10:52: revision: \"v1\" gets requests already at 2m; deploy one that does not, or change "
     "the shares with split"},
    {"a deployment of one with a share",
     "{revisions: {v1: {}, v2: {}}, traffic: [{revision: v1, percent: 90}, {revision: v2, percent: 10}]}",
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, deploy: {revision: v2}}"},
     "s:10:52: revision: \"v2\" gets requests already at 2m; deploy one that does not, or change "
     "the shares with split"},
    {"a deployment of one that all was rolled back to",
     "{revisions: {v1: {}, v2: {}}, traffic: [{revision: v1, percent: 90}, {revision: v2, percent: 10}]}",
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, roll_back: {revision: v2}}",
      "  - {at: 3m, of: east/shop/web, deploy: {revision: v2}}"},
     "s:11:52: revision: \"v2\" gets requests already at 3m; deploy one that does not, or change "
     "the shares with split"},
    {"a minimum above the maximum that there is",
     "{scaling: {max_instances: 4}}",
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, scale: {min_instances: 5}}"},
     "s:10:40: min_instances: must be at most max_instances, as they are from 2m on"},
  };
  expect_problems_of(cases);
}

TEST(ParseScenario, RefusesToWatchRevisionsThatAreNotThere) {
  const bad_service cases[] = {
    {"an unknown revision",
     two,
     "{}",
     {"expect:", "  - queue: {of: east/shop/web, revision: v3, at_most: 1}"},
     "s:10:42: revision: unknown revision \"v3\"; did you mean \"v1\"? known: v1, v2"},
    {"of a service without revisions",
     "{}",
     "{}",
     {"stop_if:", "  - queue: {of: east/shop/web, revision: v3, above: 1}"},
     "s:10:42: revision: unknown revision \"v3\"; web has no revisions"},
    {"of a region",
     two,
     "{}",
     {"expect:", "  - rate: {of: east, revision: v1, from: 1m, to: 2m, at_most: 1}"},
     "s:10:32: revision: stands beside a region; a revision is one of a backend service"},
    {"paths that no entity has",
     two,
     "{}",
     {"expect:",
      "  - sequence: {within: 1s, of: [{event: rollout_stepped, of: east/shop/web/v3}, {event: "
      "instance_changed, of: east/shop/web/7}]}"},
     "s:10:62: of: unknown path \"east/shop/web/v3\"; did you mean \"east/shop/web/v1\"? known: "
     "director, east, west, east/shop, east/shop/composite, east/shop/service_health, west/shop, "
     "west/shop/composite, west/shop/service_health, east/shop/web, east/shop/web/source, "
     "east/shop/web/probers, east/shop/web/auto_healing, west/shop/web, west/shop/web/source, "
     "west/shop/web/probers, west/shop/web/auto_healing, east/shop/web/v1, east/shop/web/v2, "
     "west/shop/web/v1, west/shop/web/v2, users, users/clients, users/lb, users/link/east, "
     "east/link/users, users/link/west, west/link/users\n"
     "s:10:111: of: unknown path \"east/shop/web/7\"; did you mean \"east/shop/web\"? known: "
     "director, east, west, east/shop, east/shop/composite, east/shop/service_health, west/shop, "
     "west/shop/composite, west/shop/service_health, east/shop/web, east/shop/web/source, "
     "east/shop/web/probers, east/shop/web/auto_healing, west/shop/web, west/shop/web/source, "
     "west/shop/web/probers, west/shop/web/auto_healing, east/shop/web/v1, east/shop/web/v2, "
     "west/shop/web/v1, west/shop/web/v2, users, users/clients, users/lb, users/link/east, "
     "east/link/users, users/link/west, west/link/users"},
  };
  expect_problems_of(cases);
}

} // namespace

} // namespace spillover::test
