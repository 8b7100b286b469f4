#include "tests/scenario/bad_files.hpp"

namespace spillover::test {

namespace {

using namespace std::chrono_literals;

constexpr instant at(duration x) {
  return run_start + x;
}

/// The sample with one more expectation, at its end: in line 41.
std::string expecting(const std::string& x) {
  return std::string{sample} + "  - " + x + "\n";
}

/// The sample with one condition to stop on: in line 42.
std::string stopping(const std::string& x) {
  return std::string{sample} + "stop_if:\n  - " + x + "\n";
}

TEST(ReadExpectations, EachKindAsItIsWritten) {
  const struct {
    const char* text = "";
    expectation expected = {};
  } cases[] = {
    {"{name: left in time, failover: {from: us-east1, within: 20s}}",
     {expect_failover{"us-east1", 20s}, "left in time"}},
    {"failover: {from: us-east1, within: 20s, which: 2}", expect_failover{"us-east1", 20s, 2}},
    {"failback: {to: us-east1, within: 20s, which: all}",
     expect_failback{"us-east1", 20s, std::nullopt}},
    {"capacity_recovered: {in: us-west1, within: 20s, which: 3}",
     expect_capacity_recovered{"us-west1", 20s, 3}},
    {"clock: {which: aggregate, of: us-east1, within: 0s}",
     expect_clock{failover_clock::aggregate, "us-east1", 0s}},
    {"errors: {from: 2m, to: 4m, at_most: 1%, consumer: shop, region: us-west1}",
     expect_errors{at(2min), at(4min), 0.01, "shop", "us-west1"}},
    {"errors: {from: 2m, to: 4m, at_least: 50%}",
     expect_errors{.from = at(2min), .to = at(4min), .at_least = 0.5}},
    {"latency: {quantile: 99%, from: 2m, to: 4m, at_most: 250ms, consumer: shop}",
     expect_latency{0.99, at(2min), at(4min), 250ms, "shop"}},
    {"queue: {of: us-west1/checkout/web, at_most: 0}",
     expect_queue{.of = "us-west1/checkout/web", .at_most = 0}},
    {"queue: {of: us-west1/checkout/web, from: 2m, to: 4m, at_most: 5}",
     expect_queue{"us-west1/checkout/web", at(2min), at(4min), 5}},
    {"rate: {of: us-west1, from: 2m, to: 4m, at_least: 0.5}",
     expect_rate{"us-west1", at(2min), at(4min), 0.5, std::nullopt}},
    {"instances: {of: us-west1/checkout/web, at: 3m, at_least: 4, at_most: 8}",
     expect_instances{"us-west1/checkout/web", at(3min), at(3min), 4, 8}},
    {"instances: {of: us-west1/checkout/web, from: 2m, to: 4m, at_most: 8}",
     expect_instances{"us-west1/checkout/web", at(2min), at(4min), std::nullopt, 8}},
    {"lost: {}", expect_lost{}},
    {"lost: {at_most: 5, consumer: shop, young: 1m}", expect_lost{5, "shop", 1min}},
    {"cost: {of: us-west1, instance_seconds_at_most: 1000}", expect_cost{"us-west1", 1'000}},
    {"cost: {of: us-west1, vcpu_seconds_at_most: 1000, from: 2m}",
     expect_cost{.of = "us-west1", .vcpu_seconds_at_most = 1'000, .from = at(2min)}},
    {"sequence: {of: [{event: source_changed, of: us-east1, where: {after: UNHEALTHY, healthy: 5}}, "
     "{event: routing_changed, where: {fail_open: false}}], within: 10s}",
     expect_sequence{{{"source_changed", "us-east1", {{"after", "UNHEALTHY"}, {"healthy", "5"}}},
                      {"routing_changed", "", {{"fail_open", "false"}}}},
                     10s}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(valid(expecting(c.text)).expectations.back(), c.expected);
  }
}

TEST(ReadExpectations, SayWhatIsWrong) {
  const struct {
    const char* why;
    const char* text;
    const char* expected;
  } cases[] = {
    {"an unknown consumer",
     "latency: {quantile: 99%, from: 2m, to: 4m, at_most: 1s, consumer: shp}",
     "s:41:71: consumer: unknown consumer \"shp\"; did you mean \"shop\"? known: shop"},
    {"an unknown region of tries", "errors: {from: 2m, to: 4m, at_most: 1%, region: us-west2}",
     "s:41:53: region: unknown region \"us-west2\"; did you mean \"us-west1\"? known: us-east1, "
     "us-west1"},
    {"an unknown path", "queue: {of: us-west1/checkout/wob, at_most: 1}",
     "s:41:17: of: unknown backend service \"us-west1/checkout/wob\"; did you mean "
     "\"us-west1/checkout/web\"? known: us-east1/checkout/web, us-east1/checkout/api, "
     "us-west1/checkout/web, us-west1/checkout/api"},
    {"neither a region nor a path", "cost: {of: us-west1/checkout, instance_seconds_at_most: 1}",
     "s:41:16: of: unknown region or backend service \"us-west1/checkout\"; known: us-east1, "
     "us-west1, us-east1/checkout/web, us-east1/checkout/api, us-west1/checkout/web, "
     "us-west1/checkout/api"},
    {"an unknown clock", "clock: {which: detection, of: us-east1, within: 1s}",
     "s:41:20: which: unknown value \"detection\"; did you mean \"detect\"? allowed: detect, "
     "aggregate, propagate, route, capacity"},
    {"a failover that cannot be", "failover: {from: us-east1, within: 1s, which: 0}",
     "s:41:51: which: must be between 1 and 1000000; got 0"},
    {"an unknown choice", "failover: {from: us-east1, within: 1s, which: last}",
     "s:41:51: which: must be a number from 1, or all; got \"last\""},
    {"no limit", "rate: {of: us-west1, from: 2m, to: 4m}",
     "s:41:11: needs at_least, at_most or both"},
    {"limits that exclude each other",
     "instances: {of: us-west1/checkout/web, at: 2m, at_least: 3, at_most: 2}",
     "s:41:62: at_least: must be at most at_most (2); got 3"},
    {"neither instant nor window", "instances: {of: us-west1/checkout/web, from: 2m, at_most: 2}",
     "s:41:16: instances: needs exactly one of: at; from and to"},
    {"an instant and half a window",
     "instances: {of: us-west1/checkout/web, at: 2m, from: 2m, at_most: 2}",
     "s:41:58: from: stands beside at; use one or the other"},
    {"an instant in the warm-up", "instances: {of: us-west1/checkout/web, at: 1m, at_most: 2}",
     "s:41:48: at: must be after the warm-up (1m); got 1m"},
    {"an instant beyond the run", "instances: {of: us-west1/checkout/web, at: 11m, at_most: 2}",
     "s:41:48: at: must be within the run (10m); got 11m"},
    {"a window that begins after the run",
     "queue: {of: us-west1/checkout/web, from: 10m, at_most: 1}",
     "s:41:46: from: must be before the end of the run (10m); got 10m"},
    {"half a window in the warm-up", "queue: {of: us-west1/checkout/web, to: 30s, at_most: 1}",
     "s:41:44: to: must be after the warm-up (1m); got 30s"},
    {"an unknown kind of event",
     "sequence: {of: [{event: source_change}, {event: first_request}], within: 1s}",
     "s:41:29: event: unknown kind of event \"source_change\"; did you mean \"source_changed\"? "
     "known: run_started, run_ended, run_stopped, fault_started, fault_ended, fault_applied, "
     "instance_afflicted, instance_changed, readiness_changed, endpoint_changed, auto_healing_judged, "
     "source_changed, composite_changed, neg_changed, endpoints_seen, outlier_changed, "
     "connection_changed, routing_changed, first_request, scaling_decided, start_denied, "
     "queue_changed, path_changed, action_taken, rollout_stepped, traffic_changed, share_sample, "
     "revision_sample, attempt_sample, overflow_sample, ..."},
    {"an unknown field",
     "sequence: {of: [{event: first_request, where: {regon: x}}, {event: first_request}], within: 1s}",
     "s:41:52: first_request has no field \"regon\"; did you mean \"region\"? known: region"},
    {"one event is no sequence", "sequence: {of: [{event: first_request}], within: 1s}",
     "s:41:20: of: must have at least 2 entries; got 1"},
    {"a value that is a list",
     "sequence: {of: [{event: first_request, where: {region: [x]}}, {event: first_request}], within: 1s}",
     "s:41:60: region: must be a text, a whole number, or true or false; got a list"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    EXPECT_EQ(joined(problems_of(parse_scenario(expecting(c.text), "s"))), c.expected);
  }
}

TEST(ReadExpectations, SayThatALeastShareOfNoneAlwaysHolds) {
  const struct {
    const char* why;
    const char* text;
    const char* expected;
  } cases[] = {
    {"alone", "errors: {from: 2m, to: 4m, at_least: 0}",
     "s:41:42: at_least: must be above 0, which always holds; at_most: 0 means that none fails"},
    {"beside a limit that says something", "errors: {from: 2m, to: 4m, at_least: 0%, at_most: 1%}",
     "s:41:42: at_least: must be above 0, which always holds; at_most: 0 means that none fails"},
    {"a little is something", "errors: {from: 2m, to: 4m, at_least: 0.01%}", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    EXPECT_EQ(joined(problems_of(parse_scenario(expecting(c.text), "s"))), c.expected);
  }
}

TEST(ReadExpectations, SayWhatIsWrongWithACost) {
  const struct {
    const char* why;
    const char* text;
    const char* expected;
  } cases[] = {
    {"two limits", "cost: {instance_seconds_at_most: 1, vcpu_seconds_at_most: 1}",
     "s:41:11: cost: needs exactly one of: instance_seconds_at_most; vcpu_seconds_at_most"},
    {"no limit", "cost: {from: 2m}",
     "s:41:11: cost: needs exactly one of: instance_seconds_at_most; vcpu_seconds_at_most"},
    {"a window before the warm-up's end", "cost: {vcpu_seconds_at_most: 1, to: 30s}",
     "s:41:41: to: must be after the warm-up (1m); got 30s"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    EXPECT_EQ(joined(problems_of(parse_scenario(expecting(c.text), "s"))), c.expected);
  }
}

TEST(ReadExpectations, RefusesPatternsThatNoEventMatches) {
  const struct {
    const char* why;
    const char* text;
    const char* expected;
  } cases[] = {
    {"a state in lower case",
     "sequence: {of: [{event: source_changed, where: {after: unhealthy}}, {event: first_request}], "
     "within: 1s}",
     "s:41:60: after: must be one of UNKNOWN, HEALTHY, UNHEALTHY; got \"unhealthy\""},
    {"a number in words",
     "sequence: {of: [{event: queue_changed, where: {length: none}}, {event: first_request}], "
     "within: 1s}",
     "s:41:60: length: must be a whole number; got \"none\""},
    {"a flag as a number",
     "sequence: {of: [{event: routing_changed, where: {fail_open: 1}}, {event: first_request}], "
     "within: 1s}",
     "s:41:65: fail_open: must be one of true, false; got \"1\""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    EXPECT_EQ(joined(problems_of(parse_scenario(expecting(c.text), "s"))), c.expected);
  }
}

TEST(ReadExpectations, NamesAreUnique) {
  EXPECT_EQ(
    joined(problems_of(parse_scenario(
      expecting("{name: a, lost: {}}\n  - {name: b, lost: {}}\n  - {name: a, lost: {}}"), "s"))),
    "s:43:12: name: \"a\" is the name of an entry before");
}

TEST(ReadExpectations, PathsOfEventsMayNameWhateverHasEvents) {
  for (const auto* path :
       {"director", "us-east1", "us-east1/checkout", "us-east1/checkout/composite",
        "us-east1/checkout/web", "us-east1/checkout/web/17", "us-east1/checkout/web/source",
        "us-east1/checkout/web/probers", "shop", "shop/lb", "shop/clients", "shop/link/us-east1",
        "us-west1/link/shop"}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(joined(problems_of(parse_scenario(
                stopping("event: {event: first_request, of: " + std::string{path} + "}"), "s"))),
              "");
  }
  EXPECT_NE(joined(problems_of(parse_scenario(
                     stopping("event: {event: first_request, of: us-east1/checkout/web/x}"), "s")))
              .find("s:42:39: of: unknown path \"us-east1/checkout/web/x\"; did you mean "
                    "\"us-east1/checkout/web\"? known: "),
            std::string::npos);
}

TEST(ReadStopConditions, EachKindAsItIsWritten) {
  const struct {
    const char* text = "";
    stop_condition expected = {};
  } cases[] = {
    {"{name: too bad, errors: {above: 20%, over: 30s, consumer: shop}}",
     {stop_on_errors{0.2, 30s, "shop"}, "too bad"}},
    {"queue: {of: us-west1/checkout/web, above: 1000}",
     {stop_on_queue{"us-west1/checkout/web", 1'000}}},
    {"queue: {of: us-west1/checkout/web, above: 1000, for: 10s}",
     {stop_on_queue{"us-west1/checkout/web", 1'000, 10s}}},
    {"instances: {of: us-west1/checkout/web, below: 2, for: 3s}",
     {stop_on_instances{"us-west1/checkout/web", std::nullopt, 2, 3s}}},
    {"event: {event: routing_changed, where: {fail_open: true}}",
     {stop_on_event{{"routing_changed", "", {{"fail_open", "true"}}}}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(valid(stopping(c.text)).stop_if, std::vector<stop_condition>{c.expected});
  }
}

TEST(ReadStopConditions, SayWhatIsWrong) {
  const struct {
    const char* why;
    const char* text;
    const char* expected;
  } cases[] = {
    {"nothing to stop on", "{}",
     "s:42:5: stop_if[0]: needs exactly one of: errors; queue; "
     "instances; event"},
    {"half a second", "errors: {above: 20%, over: 500ms}",
     "s:42:32: over: must be at least 1s; got 500ms"},
    {"broken seconds", "queue: {of: us-west1/checkout/web, above: 1, for: 1500ms}",
     "s:42:55: for: must be whole seconds; got 1500ms"},
    {"longer than there is", "errors: {above: 20%, over: 10m}",
     "s:42:32: over: must be at most what follows the warm-up (9m); got 10m"},
    {"no limit", "instances: {of: us-west1/checkout/web}", "s:42:16: needs above, below or both"},
    {"limits that every count breaks", "instances: {of: us-west1/checkout/web, above: 2, below: 3}",
     "s:42:61: below: must be at most above (2), or every count would end the run; got 3"},
    {"an unknown consumer", "errors: {above: 20%, over: 1s, consumer: shops}",
     "s:42:46: consumer: unknown consumer \"shops\"; did you mean \"shop\"? known: shop"},
    {"a queue for longer than the run", "queue: {of: us-west1/checkout/web, above: 1, for: 11m}",
     "s:42:55: for: must be at most the run's duration (10m); got 11m"},
    {"a count for longer than the run",
     "instances: {of: us-west1/checkout/web, above: 1, for: 11m}",
     "s:42:59: for: must be at most the run's duration (10m); got 11m"},
    {"what comes at the end", "event: {event: run_ended}",
     "s:42:20: event: run_ended comes when the run is over, and cannot stop it"},
    {"the same name twice",
     "{name: a, queue: {of: us-west1/checkout/web, above: 1}}\n"
     "  - {name: a, queue: {of: us-west1/checkout/web, above: 2}}",
     "s:43:12: name: \"a\" is the name of an entry before"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    EXPECT_EQ(joined(problems_of(parse_scenario(stopping(c.text), "s"))), c.expected);
  }
}

} // namespace

} // namespace spillover::test
