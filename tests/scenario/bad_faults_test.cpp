#include "tests/scenario/bad_files.hpp"

namespace spillover::test {

namespace {

TEST(ParseFaults, SaysWhichValuesAreAllowed) {
  const bad_file cases[] = {
    {"an unknown ailment", "become: silent", "become: silen",
     "s:34:85: become: unknown value \"silen\"; did you mean \"silent\"? allowed: crashed, "
     "silent, hung, failing, slow, waiting, leaking, unstartable, slow_starting"},
    {"what a region cannot become", "region: {name: us-east1}",
     "region: {name: us-east1, become: silent}",
     "s:35:56: become: unknown value \"silent\"; allowed: lost, crashed"},
    {"27 zones", "min_instances: 1}", "min_instances: 1}, zones: 27",
     "s:25:55: zones: must be between 1 and 26; got 27"},
    {"a zone that is no letter", "region: {name: us-east1}", "zone: {region: us-east1, name: A}",
     "s:35:54: name: must be the letter of a zone, a to z; got \"A\""},
    {"a factor that changes nothing", "become: silent", "become: slow, factor: 1",
     "s:34:99: factor: must be above 1 and at most 1000; got 1"},
    {"a leak of nothing", "become: silent", "become: leaking, vcpu_per_minute: 0",
     "s:34:111: vcpu_per_minute: must be above 0 and at most 64; got 0"},
    {"a wait of nothing", "become: silent", "become: waiting, by: 0s",
     "s:34:98: by: must be above 0s; got 0s"},
    {"a negative rate", "region: {name: us-east1}",
     "quota: {of: us-east1/checkout/web, starts_per_minute: -1}",
     "s:35:77: starts_per_minute: must be between 0 and 1000000; got -1"},
    {"a flap without its parts", "region: {name: us-east1}", "region: {name: us-east1}, flap: {}",
     "s:35:55: flap: the key period is missing\n"
     "s:35:55: flap: the key down is missing"},
    {"a name of a fault with a space", "region: {name: us-east1}",
     "region: {name: us-east1}, name: a b",
     "s:35:55: name: must be a name of a-z, 0-9 and -, that starts with a letter, does not "
     "end with - and has at most 63 characters (RFC 1035); got \"a b\""},
  };
  expect_problems(cases);
}

TEST(ParseFaults, SaysWhatExistsWhenANameRefersToNothing) {
  const bad_file cases[] = {
    {"an unknown region of a zone", "region: {name: us-east1}", "zone: {region: eu-west1, name: a}",
     "s:35:38: region: unknown region \"eu-west1\"; did you mean \"us-west1\"? known: "
     "us-east1, us-west1"},
    {"an unknown zone", "region: {name: us-east1}", "zone: {region: us-east1, name: d}",
     "s:35:54: name: no backend service in us-east1 has a zone \"d\"; known: a to c"},
    {"an unknown backend service of a quota", "region: {name: us-east1}",
     "quota: {of: us-east1/checkout/wob, instances: 1}",
     "s:35:35: of: unknown backend service \"us-east1/checkout/wob\"; did you mean "
     "\"us-east1/checkout/web\"? known: us-east1/checkout/web, us-east1/checkout/api, "
     "us-west1/checkout/web, us-west1/checkout/api"},
  };
  expect_problems(cases);
}

TEST(ParseFaults, RefusesKeysThatDoNotFitEachOther) {
  const bad_file cases[] = {
    {"parts of a crash", "become: silent", "become: crashed, affects: probes",
     "s:34:103: affects: has a meaning with become: silent or failing only"},
    {"a spread restart of what did not end", "become: silent", "become: slow, restart_jitter: 1s",
     "s:34:34: the key factor is missing; it says how many times as long it takes\n"
     "s:34:107: restart_jitter: has a meaning with become: crashed only"},
    {"a quota without a limit", "region: {name: us-east1}", "quota: {of: us-east1/checkout/web}",
     "s:35:30: one of starts_per_minute and instances is missing; a quota limits something"},
    {"a wait without its length", "become: silent", "become: waiting",
     "s:34:34: the key by is missing; it says how much longer a request waits"},
    {"a leak without its rate", "become: silent", "become: leaking",
     "s:34:34: the key vcpu_per_minute is missing; it says how fast the leak grows"},
    {"a factor of a wait", "become: silent", "become: waiting, by: 1s, factor: 2",
     "s:34:110: factor: has a meaning with become: slow or slow_starting only"},
    {"a spread restart of a silent zone", "region: {name: us-east1}",
     "zone: {region: us-east1, name: a, restart_jitter: 1s}",
     "s:35:73: restart_jitter: has a meaning with become: crashed only"},
    {"a spread restart of a lost region", "region: {name: us-east1}",
     "region: {name: us-east1, restart_jitter: 1s}",
     "s:35:64: restart_jitter: has a meaning with become: crashed only"},
    {"down all the time", "region: {name: us-east1}",
     "region: {name: us-east1}, flap: {period: 5s, down: 5s}",
     "s:35:74: down: must be below period (5s); got 5s"},
    {"a flap that nothing could tell from its mean", "region: {name: us-east1}",
     "region: {name: us-east1}, flap: {period: 999ms, down: 5ms}",
     "s:35:64: period: must be at least 1s; got 999ms"},
    {"two faults of one name", "- {at: 4m, for: 1m, region: {name: us-east1}}",
     "- {at: 4m, name: twice, region: {name: us-east1}}\n"
     "  - {at: 5m, name: twice, region: {name: us-west1}}",
     "s:36:20: name: \"twice\" is the name of a fault already"},
  };
  expect_problems(cases);
}

} // namespace

} // namespace spillover::test
