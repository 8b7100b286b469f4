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
     "s:16:33: lint: checkout/web/v2: is in no traffic when the run begins, and no action deploys "
     "it, so that it never runs; deploy it, or leave it out [revision-never-deployed: A-58]"},
    {"in the traffic it is there from the start, and then the first one is not",
     "revision-never-deployed",
     {{"timeout: 5s}\n",
       "timeout: 5s}\n        revisions: {v1: {}, v2: {}}\n        traffic: [{revision: v2, percent: "
       "100}]\n"}},
     {{"timeout: 5s}\n",
       "timeout: 5s}\n        revisions: {v1: {}, v2: {}}\n        traffic: [{percent: 100}, "
       "{revision: v2, tag: a}, {revision: v1, tag: b}]\n"}},
     "s:16:25: lint: checkout/web/v1: is in no traffic when the run begins, and no action deploys "
     "it, so that it never runs; deploy it, or leave it out [revision-never-deployed: A-58]"},
    {"two steps of 4 min from 2 min on",
     "rollout-beyond-end",
     {two,
      {"expect:\n", "actions:\n  - {at: 2m, of: west/checkout/web, deploy: {revision: v2, steps: "
                    "[10, 20, 100], every: 4m}}\nexpect:\n"}},
     {two,
      {"expect:\n", "actions:\n  - {at: 2m, of: west/checkout/web, deploy: {revision: v2, steps: "
                    "[10, 20, 100], every: 239s}}\nexpect:\n"}},
     "s:28:45: lint: deploy v2 by 10 %, 20 %, 100 % every 4m at west/checkout/web: begins at 2m, "
     "and takes its last step 8m later at the earliest, when the run is over (10m); deploy it "
     "earlier, or make the run longer [rollout-beyond-end: A-58]"},
    {"one step is taken at once",
     "rollout-beyond-end",
     {two,
      {"expect:\n", "actions:\n  - {at: 9m, of: west/checkout/web, deploy: {revision: v2, steps: "
                    "[10, 20]}}\nexpect:\n"}},
     {two,
      {"expect:\n",
       "actions:\n  - {at: 9m, of: west/checkout/web, deploy: {revision: v2}}\nexpect:\n"}},
     "s:28:45: lint: deploy v2 by 10 %, 20 % every 1m at west/checkout/web: begins at 9m, and "
     "takes its last step 1m later at the earliest, when the run is over (10m); deploy it "
     "earlier, or make the run longer [rollout-beyond-end: A-58]"},
    {"a moment before the end of the warm-up",
     "action-in-warm-up",
     {two,
      {"expect:\n",
       "actions:\n  - {at: 59s, of: west/checkout/web, deploy: {revision: v2}}\nexpect:\n"}},
     {two,
      {"expect:\n",
       "actions:\n  - {at: 1m, of: west/checkout/web, deploy: {revision: v2}}\nexpect:\n"}},
     "s:28:10: note: deploy v2 at west/checkout/web: is carried out at 59s, in the warm-up, which "
     "ends at 1m; what follows from it until then is not judged [action-in-warm-up: warm_up]"},
  };
}

std::vector<lint_world> tag_worlds() {
  return {
    {"nobody has the tag, and then the latest",
     "tag-without-revision",
     {{"  shop:\n", "  shop:\n    tag: canary\n"}},
     {{"  shop:\n", "  shop:\n    tag: canary\n"},
      {"timeout: 5s}\n", "timeout: 5s}\n        traffic: [{percent: 100}, {tag: canary}]\n"}},
     "s:21:10: lint: shop: no revision of east/checkout has the tag \"canary\" at any time, so "
     "that its requests there are refused as unavailable; give one that tag "
     "[tag-without-revision: A-57]\n"
     "s:21:10: lint: shop: no revision of west/checkout has the tag \"canary\" at any time, so "
     "that its requests there are refused as unavailable; give one that tag "
     "[tag-without-revision: A-57]"},
    {"given by a split in one region only",
     "tag-without-revision",
     {{"  shop:\n", "  shop:\n    tag: canary\n"},
      {"expect:\n", "actions:\n  - {at: 2m, of: west/checkout/web, split: [{percent: 100}, {tag: "
                    "canary}]}\nexpect:\n"}},
     {{"  shop:\n", "  shop:\n    tag: canary\n"},
      {"expect:\n", "actions:\n  - {at: 2m, of: west/checkout/web, split: [{percent: 100}, {tag: "
                    "canary}]}\n  - {at: 3m, of: east/checkout/web, split: [{percent: 100}, {tag: "
                    "canary}]}\nexpect:\n"}},
     "s:21:10: lint: shop: no revision of east/checkout has the tag \"canary\" at any time, so "
     "that its requests there are refused as unavailable; give one that tag "
     "[tag-without-revision: A-57]"},
    {"one revision of several has a maximum of its own",
     "count-out-of-reach",
     {two,
      {"expect:\n",
       "expect:\n  - instances: {of: east/checkout/web, revision: v1, at: 5m, at_least: "
       "11}\n"}},
     {two,
      {"expect:\n", "expect:\n  - instances: {of: east/checkout/web, at: 5m, at_least: 11}\n"}},
     "s:28:72: lint: at_least 11 can only fail: there are at most 10 instances of "
     "east/checkout/web/v1 [count-out-of-reach: A-14]"},
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
