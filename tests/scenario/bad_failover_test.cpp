#include "tests/scenario/bad_files.hpp"

namespace spillover::test {

namespace {

TEST(ParseScenario, SaysHowRegionsCannotBeLeftOrUsedAgain) {
  const bad_file cases[] = {
    {"an unknown way back", "load_balancer: {", "load_balancer: {failback: later, ",
     "s:30:31: failback: must be immediate, manual, {after: 60s} or {over: 5m}; got \"later\""},
    {"a hold and a ramp", "load_balancer: {", "load_balancer: {failback: {after: 1s, over: 1s}, ",
     "s:30:31: failback: needs either after or over"},
    {"a hold of nothing", "load_balancer: {", "load_balancer: {failback: {after: 0s}, ",
     "s:30:39: after: must be at least 1ms; got 0s"},
    {"a ramp without steps", "load_balancer: {", "load_balancer: {failback: {over: 1m, steps: 0}, ",
     "s:30:50: steps: must be between 1 and 100; got 0"},
    {"steps of a hold", "load_balancer: {", "load_balancer: {failback: {after: 1m, steps: 2}, ",
     "s:30:51: steps: has a meaning with over only"},
    {"an unknown way out", "load_balancer: {", "load_balancer: {failover: off, ",
     "s:30:31: failover: must be automatic, manual or {after: 60s}; got \"off\""},
    {"a region that is not used", "load_balancer: {regions: [us-east1, us-west1],",
     "load_balancer: {regions: [us-east1], actions: [{at: 1m, fail_over: us-west1}],",
     "s:9:14: from: unknown"},
    {"an action too late", "load_balancer: {",
     "load_balancer: {actions: [{at: 10m, failover: off}], ",
     "s:30:36: at: must be before the end of the run (10m); got 10m"},
    {"actions in the wrong order", "load_balancer: {",
     "load_balancer: {actions: [{at: 2m, failover: off}, {at: 1m, failover: on}], ",
     "s:30:61: at: must not be before the action above (2m); got 1m"},
    {"two things at once", "load_balancer: {",
     "load_balancer: {actions: [{at: 2m, failover: off, fail_back: us-east1}], ",
     "s:30:31: actions[0]: needs exactly one of: failover; fail_over; fail_back"},
    {"a hold of a resolver", "load_balancer: {", "load_balancer: {kind: dns, failback: manual, ",
     "s:30:42: failback: has no meaning with kind dns, which does not route by the states of PSC "
     "NEGs alone"},
  };
  expect_problems(cases);
}

} // namespace

} // namespace spillover::test
