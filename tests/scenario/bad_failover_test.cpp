#include "tests/scenario/bad_files.hpp"

namespace spillover::test {

namespace {

TEST(ParseScenario, SaysHowRegionsCannotBeLeftOrUsedAgain) {
  const bad_file cases[] = {
    {"an unknown way back", "load_balancer: {", "load_balancer: {failback: later, ",
     "s:28:31: failback: must be immediate, manual, {after: 60s} or {over: 5m}; got \"later\""},
    {"a hold and a ramp", "load_balancer: {", "load_balancer: {failback: {after: 1s, over: 1s}, ",
     "s:28:31: failback: needs either after or over"},
    {"a hold of nothing", "load_balancer: {", "load_balancer: {failback: {after: 0s}, ",
     "s:28:39: after: must be at least 1ms; got 0s"},
    {"a ramp without steps", "load_balancer: {", "load_balancer: {failback: {over: 1m, steps: 0}, ",
     "s:28:49: steps: must be between 1 and 100; got 0"},
    {"steps of a hold", "load_balancer: {", "load_balancer: {failback: {after: 1m, steps: 2}, ",
     "s:28:50: steps: has a meaning with over only"},
    {"an unknown way out", "load_balancer: {", "load_balancer: {failover: off, ",
     "s:28:31: failover: must be automatic, manual or {after: 60s}; got \"off\""},
    {"a region that is not used", "load_balancer: {",
     "load_balancer: {actions: [{at: 1m, fail_over: us-west2}], ",
     "s:28:51: fail_over: shop does not use \"us-west2\"; did you mean \"us-west1\"? known: us-east1, us-west1"},
    {"an action too late", "load_balancer: {",
     "load_balancer: {actions: [{at: 10m, failover: off}], ",
     "s:28:36: at: must be before the end of the run (10m); got 10m"},
    {"actions in the wrong order", "load_balancer: {",
     "load_balancer: {actions: [{at: 2m, failover: off}, {at: 1m, failover: on}], ",
     "s:28:61: at: must not be before the action above (2m); got 1m"},
    {"two things at once", "load_balancer: {",
     "load_balancer: {actions: [{at: 2m, failover: off, fail_back: us-east1}], ",
     "s:28:31: actions[0]: needs exactly one of: failover; fail_over; fail_back"},
    {"a hold of who routes by endpoints", "load_balancer: {",
     "load_balancer: {kind: envoy, failback: manual, ",
     "s:28:44: failback: has no meaning with kind envoy, which does not route by the states of PSC NEGs alone"},
  };
  expect_problems(cases);
}

} // namespace

} // namespace spillover::test
