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

TEST(ParseScenario, RefusesRevisionsThatCannotBe) {
  const bad_service cases[] = {
    {"a word of traffic", "{revisions: {v1: {}, latest: {}}}", "{}", {}, ""},
    {"a part of a path", "{revisions: {source: {}, probers: {}}}", "{}", {}, ""},
    {"a number, as instances have", "{revisions: {\"7\": {}}}", "{}", {}, ""},
    {"a key that is not a revision's", "{revisions: {v1: {weight: 2}}}", "{}", {}, ""},
    {"another policy's key", "{revisions: {v1: {autoscaling: {instances: 2}}}}", "{}", {}, ""},
    {"bounds that do not fit those in common",
     "{autoscaling: {max_instances: 5}, revisions: {v1: {autoscaling: {min_instances: 6}}}}",
     "{}",
     {},
     ""},
    {"bounds that do not fit in one region",
     "{revisions: {v1: {autoscaling: {min_instances: 6}}}}",
     "{autoscaling: {max_instances: 5}}",
     {},
     ""},
    {"one that the service does not have", two, "{revisions: {v3: {}}}", {}, ""},
    {"one of a service without any", "{}", "{revisions: {v1: {}}}", {}, ""},
    {"the policy of old", "{autoscaling: {policy: manual}}", "{}", {}, ""},
  };
  expect_problems_of(cases);
}

TEST(ParseScenario, RefusesTrafficThatCannotBe) {
  const bad_service cases[] = {
    {"an unknown revision",
     "{revisions: {v1: {}}, traffic: [{revision: v2, percent: 100}]}",
     "{}",
     {},
     ""},
    {"a revision where there is none", "{traffic: [{revision: v2, percent: 100}]}", "{}", {}, ""},
    {"too little", "{revisions: {v1: {}}, traffic: [{revision: v1, percent: 99}]}", "{}", {}, ""},
    {"nothing", "{revisions: {v1: {}}, traffic: [{revision: v1, percent: 0}]}", "{}", {}, ""},
    {"a share by a tag", "{traffic: [{percent: 100, tag: canary}]}", "{}", {}, ""},
    {"neither share nor tag", "{revisions: {v1: {}}, traffic: [{revision: v1}]}", "{}", {}, ""},
    {"twice the same",
     "{revisions: {v1: {}}, traffic: [{revision: v1, percent: 50}, {revision: v1, percent: 50}]}",
     "{}",
     {},
     ""},
    {"a tag of two",
     "{revisions: {v1: {}, v2: {}}, traffic: [{percent: 100}, {revision: v1, tag: a}, {revision: v2, tag: a}]}",
     "{}",
     {},
     ""},
    {"in a region only", two, "{traffic: [{revision: v9, percent: 100}]}", {}, ""},
  };
  expect_problems_of(cases);
}

TEST(ParseScenario, RefusesScalingThatCannotBe) {
  const bad_service cases[] = {
    {"a fixed number and a bound",
     "{scaling: {manual_instances: 3, max_instances: 4}}",
     "{}",
     {},
     ""},
    {"bounds the wrong way round", "{scaling: {min_instances: 5, max_instances: 4}}", "{}", {}, ""},
    {"none at all", "{scaling: {manual_instances: 0}}", "{}", {}, ""},
    {"a policy that knows no such bounds",
     "{autoscaling: {policy: fixed}, scaling: {min_instances: 5}}",
     "{}",
     {},
     ""},
    {"in one region", "{scaling: {min_instances: 5}}", "{autoscaling: {policy: fixed}}", {}, ""},
    {"of one revision",
     "{revisions: {v1: {}, v2: {autoscaling: {policy: hpa}}}, scaling: {min_instances: 5}}",
     "{}",
     {},
     ""},
  };
  expect_problems_of(cases);
}

TEST(ParseScenario, RefusesActionsThatCannotBe) {
  const bad_service cases[] = {
    {"after the run",
     two,
     "{}",
     {"actions:", "  - {at: 20m, of: east/shop/web, deploy: {revision: v2}}"},
     ""},
    {"of nobody",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/wob, deploy: {revision: v2}}"},
     ""},
    {"nothing to do", two, "{}", {"actions:", "  - {at: 2m, of: east/shop/web}"}, ""},
    {"two at once",
     two,
     "{}",
     {"actions:",
      "  - {at: 2m, of: east/shop/web, deploy: {revision: v2}, roll_back: {revision: v1}}"},
     ""},
    {"a name twice",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, name: a, deploy: {revision: v2}}",
      "  - {at: 3m, of: east/shop/web, name: a, deploy: {revision: v2}}"},
     ""},
    {"unknown revisions",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, deploy: {revision: v3}}",
      "  - {at: 3m, of: east/shop/web, roll_back: {revision: v3}}",
      "  - {at: 4m, of: east/shop/web, split: [{revision: v3, percent: 100}]}"},
     ""},
    {"of a service without revisions",
     "{}",
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, deploy: {revision: v2}}"},
     ""},
    {"steps down",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, deploy: {revision: v2, steps: [50, 10]}}"},
     ""},
    {"steps beyond all, and no time",
     two,
     "{}",
     {"actions:",
      "  - {at: 2m, of: east/shop/web, deploy: {revision: v2, steps: [101], every: 0s}}"},
     ""},
    {"a split that does not add up",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, split: [{revision: v1, percent: 70}]}"},
     ""},
    {"a scale of nothing",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, scale: {}}"},
     ""},
    {"a scale of a policy without",
     "{autoscaling: {policy: hpa}}",
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, scale: {min_instances: 2}}"},
     ""},
  };
  expect_problems_of(cases);
}

TEST(ParseScenario, RefusesActionsThatAreCertainNotToBePossible) {
  const bad_service cases[] = {
    {"a split to one that nothing deploys",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, split: [{revision: v2, percent: 100}]}"},
     ""},
    {"a tag of one that nothing deploys",
     two,
     "{}",
     {"actions:",
      "  - {at: 2m, of: east/shop/web, split: [{percent: 100}, {revision: v2, tag: a}]}"},
     ""},
    {"a way back to one that was not there",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, roll_back: {revision: v2}}",
      "  - {at: 3m, of: east/shop/web, deploy: {revision: v2}}"},
     ""},
    {"deployed in another region",
     two,
     "{}",
     {"actions:", "  - {at: 1m, of: west/shop/web, deploy: {revision: v2}}",
      "  - {at: 2m, of: east/shop/web, roll_back: {revision: v2}}"},
     ""},
    {"a deployment of the first, which is the latest",
     two,
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, deploy: {revision: v1}}"},
     ""},
    {"a deployment of one with a share",
     "{revisions: {v1: {}, v2: {}}, traffic: [{revision: v1, percent: 90}, {revision: v2, percent: 10}]}",
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, deploy: {revision: v2}}"},
     ""},
    {"a deployment of one that all was rolled back to",
     "{revisions: {v1: {}, v2: {}}, traffic: [{revision: v1, percent: 90}, {revision: v2, percent: 10}]}",
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, roll_back: {revision: v2}}",
      "  - {at: 3m, of: east/shop/web, deploy: {revision: v2}}"},
     ""},
    {"a minimum above the maximum that there is",
     "{scaling: {max_instances: 4}}",
     "{}",
     {"actions:", "  - {at: 2m, of: east/shop/web, scale: {min_instances: 5}}"},
     ""},
  };
  expect_problems_of(cases);
}

TEST(ParseScenario, RefusesToWatchRevisionsThatAreNotThere) {
  const bad_service cases[] = {
    {"an unknown revision",
     two,
     "{}",
     {"expect:", "  - queue: {of: east/shop/web, revision: v3, at_most: 1}"},
     ""},
    {"of a service without revisions",
     "{}",
     "{}",
     {"stop_if:", "  - queue: {of: east/shop/web, revision: v3, above: 1}"},
     ""},
    {"of a region",
     two,
     "{}",
     {"expect:", "  - rate: {of: east, revision: v1, from: 1m, to: 2m, at_most: 1}"},
     ""},
    {"paths that no entity has",
     two,
     "{}",
     {"expect:",
      "  - sequence: {within: 1s, of: [{event: rollout_stepped, of: east/shop/web/v3}, {event: "
      "instance_changed, of: east/shop/web/7}]}"},
     ""},
  };
  expect_problems_of(cases);
}

} // namespace

} // namespace spillover::test
