#include "tests/scenario/lint_worlds.hpp"

namespace spillover::test {

namespace {

// In line 16, and from line 27 on.
constexpr std::pair<const char*, const char*> two{
  "timeout: 5s}\n", "timeout: 5s}\n        revisions: {v1: {}, v2: {}}\n"};

std::vector<lint_world> deployment_worlds() {
  return {
    {"deployed in one region is enough",
     "revision-never-deployed",
     {two},
     {two,
      {"expect:\n",
       "actions:\n  - {at: 2m, of: west/checkout/web, deploy: {revision: v2}}\nexpect:\n"}},
     ""},
    {"in the traffic it is there from the start, and then the first one is not",
     "revision-never-deployed",
     {{"timeout: 5s}\n",
       "timeout: 5s}\n        revisions: {v1: {}, v2: {}}\n        traffic: [{revision: v2, percent: "
       "100}]\n"}},
     {{"timeout: 5s}\n",
       "timeout: 5s}\n        revisions: {v1: {}, v2: {}}\n        traffic: [{percent: 100}, "
       "{revision: v2, tag: a}, {revision: v1, tag: b}]\n"}},
     ""},
    {"two steps of 4 min from 2 min on",
     "rollout-beyond-end",
     {two,
      {"expect:\n", "actions:\n  - {at: 2m, of: west/checkout/web, deploy: {revision: v2, steps: "
                    "[10, 20, 100], every: 4m}}\nexpect:\n"}},
     {two,
      {"expect:\n", "actions:\n  - {at: 2m, of: west/checkout/web, deploy: {revision: v2, steps: "
                    "[10, 20, 100], every: 239s}}\nexpect:\n"}},
     ""},
    {"one step is taken at once",
     "rollout-beyond-end",
     {two,
      {"expect:\n", "actions:\n  - {at: 9m, of: west/checkout/web, deploy: {revision: v2, steps: "
                    "[10, 20]}}\nexpect:\n"}},
     {two,
      {"expect:\n",
       "actions:\n  - {at: 9m, of: west/checkout/web, deploy: {revision: v2}}\nexpect:\n"}},
     ""},
    {"a moment before the end of the warm-up",
     "action-in-warm-up",
     {two,
      {"expect:\n",
       "actions:\n  - {at: 59s, of: west/checkout/web, deploy: {revision: v2}}\nexpect:\n"}},
     {two,
      {"expect:\n",
       "actions:\n  - {at: 1m, of: west/checkout/web, deploy: {revision: v2}}\nexpect:\n"}},
     ""},
  };
}

std::vector<lint_world> tag_worlds() {
  return {
    {"nobody has the tag, and then the latest",
     "tag-without-revision",
     {{"  shop:\n", "  shop:\n    tag: canary\n"}},
     {{"  shop:\n", "  shop:\n    tag: canary\n"},
      {"timeout: 5s}\n", "timeout: 5s}\n        traffic: [{percent: 100}, {tag: canary}]\n"}},
     ""},
    {"given by a split in one region only",
     "tag-without-revision",
     {{"  shop:\n", "  shop:\n    tag: canary\n"},
      {"expect:\n", "actions:\n  - {at: 2m, of: west/checkout/web, split: [{percent: 100}, {tag: "
                    "canary}]}\nexpect:\n"}},
     {{"  shop:\n", "  shop:\n    tag: canary\n"},
      {"expect:\n", "actions:\n  - {at: 2m, of: west/checkout/web, split: [{percent: 100}, {tag: "
                    "canary}]}\n  - {at: 3m, of: east/checkout/web, split: [{percent: 100}, {tag: "
                    "canary}]}\nexpect:\n"}},
     ""},
    {"one revision of several has a maximum of its own",
     "count-out-of-reach",
     {two,
      {"expect:\n",
       "expect:\n  - instances: {of: east/checkout/web, revision: v1, at: 5m, at_least: "
       "11}\n"}},
     {two,
      {"expect:\n", "expect:\n  - instances: {of: east/checkout/web, at: 5m, at_least: 11}\n"}},
     ""},
  };
}

} // namespace

std::vector<lint_world> revision_worlds() {
  auto result = deployment_worlds();
  for (auto& x : tag_worlds())
    result.push_back(std::move(x));
  return result;
}

} // namespace spillover::test
