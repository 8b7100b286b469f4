#include "tests/scenario/bad_files.hpp"

namespace spillover::test {

namespace {

using namespace std::chrono_literals;

constexpr auto place = "region: {name: us-east1}"; // 35:19

// The sample's second fault made another one.
fault read_fault(const std::string& text) {
  const auto x = valid(edited(place, text));
  return x.faults.size() > 1 ? x.faults[1] : fault{};
}

link_symptom read_link(const std::string& text) {
  const auto x = read_fault("link: {between: [shop, us-east1], " + text + "}");
  return std::get<link_fault>(x.what).suffer;
}

TEST(ParseScenario, ReadsEveryAilmentOfLinks) {
  using enum link_ailment;
  EXPECT_EQ(read_link("become: cut"), (link_symptom{.become = cut}));
  EXPECT_EQ(read_link("become: delayed, by: 80ms"), (link_symptom{.become = delayed, .by = 80ms}));
  EXPECT_EQ(read_link("become: jittery, by: 80ms"), (link_symptom{.become = jittery, .by = 80ms}));
  EXPECT_EQ(read_link("become: lossy, share: 5%"), (link_symptom{.become = lossy, .share = 0.05}));
  EXPECT_EQ(read_link("become: duplicating, share: 1"),
            (link_symptom{.become = duplicating, .share = 1}));
  EXPECT_EQ(read_link("become: reordering, share: 25%, by: 1s"),
            (link_symptom{.become = reordering, .by = 1s, .share = 0.25}));
  EXPECT_EQ(read_link("become: limited, per_second: 200, by: 0s"),
            (link_symptom{.become = limited, .by = 0s, .per_second = 200}));
}

TEST(ParseScenario, ReadsFaultsOfProbersConsumersAndClocks) {
  const auto what = [](const char* text) { return read_fault(text).what; };
  EXPECT_EQ(std::get<prober_fault>(what("probers: {of: us-east1/checkout/web}")),
            (prober_fault{"us-east1/checkout/web", prober_ailment::lost, std::nullopt}));
  EXPECT_EQ(
    std::get<prober_fault>(what("probers: {of: us-east1/checkout/web, become: cut_off, count: 2}")),
    (prober_fault{"us-east1/checkout/web", prober_ailment::cut_off, 2}));
  EXPECT_EQ(std::get<consumer_fault>(what("consumer: {name: shop}")), consumer_fault{"shop"});
  EXPECT_EQ(std::get<balancer_fault>(what("load_balancer: {of: shop}")), balancer_fault{"shop"});
  EXPECT_EQ(std::get<balancer_fault>(
              what("load_balancer: {of: shop, error_fraction: 60%, status: internal_error}")),
            (balancer_fault{"shop", 0.6, outcome::internal_error}));
  EXPECT_EQ(std::get<clock_fault>(what("clock: {site: us-east1, ahead: 3s}")),
            (clock_fault{"us-east1", 3s}));
  EXPECT_EQ(std::get<clock_fault>(what("clock: {site: shop, behind: 3s}")),
            (clock_fault{"shop", -3s}));
}

TEST(ParseScenario, SaysWhichKeysAnAilmentOfLinksHas) {
  const bad_file cases[] = {
    {"a delay of nothing", place, "link: {between: [shop, us-east1], become: delayed, by: 0s}",
     "s:35:78: by: must be above 0s with become: delayed; got 0s"},
    {"jitter without length", place, "link: {between: [shop, us-east1], become: jittery}",
     "s:35:29: the key by is missing; it says how much is added to the latency at most"},
    {"loss of a share that nobody names", place, "link: {between: [shop, us-east1], become: lossy}",
     "s:35:29: the key share is missing; it says which share is lost"},
    {"loss with a length", place,
     "link: {between: [shop, us-east1], become: lossy, share: 5%, by: 1s}",
     "s:35:87: by: has no meaning with become: lossy; it has one with delayed, jittery, "
     "reordering, limited"},
    {"loss of nothing", place, "link: {between: [shop, us-east1], become: lossy, share: 0%}",
     "s:35:79: share: must be above 0 and at most 1; got 0%"},
    {"a duplicate of a share that nobody names", place,
     "link: {between: [shop, us-east1], become: duplicating}",
     "s:35:29: the key share is missing; it says which share arrives twice"},
    {"reordering without both", place, "link: {between: [shop, us-east1], become: reordering}",
     "s:35:29: the key by is missing; it says for how long a message is held back\n"
     "s:35:29: the key share is missing; it says which share is held back"},
    {"a limit without both", place, "link: {between: [shop, us-east1], become: limited}",
     "s:35:29: the key by is missing; it says how long a message waits at most\n"
     "s:35:29: the key per_second is missing; it says how many messages pass in a second"},
    {"a limit of nothing", place,
     "link: {between: [shop, us-east1], become: limited, by: 1s, per_second: 0}",
     "s:35:94: per_second: must be between 1 and 1000000; got 0"},
    {"a rate of a delay", place,
     "link: {between: [shop, us-east1], become: delayed, by: 1s, per_second: 5}",
     "s:35:94: per_second: has no meaning with become: delayed; it has one with limited"},
    {"an unknown ailment", place, "link: {between: [shop, us-east1], become: loss}",
     "s:35:65: become: unknown value \"loss\"; did you mean \"lossy\"? allowed: cut, delayed, "
     "jittery, lossy, duplicating, reordering, limited"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhatFaultsOfProbersConsumersAndClocksNeed) {
  const bad_file cases[] = {
    {"probers of nobody", place, "probers: {become: lost}",
     "s:35:32: probers: the key of is missing"},
    {"probers of an unknown backend service", place, "probers: {of: us-east1/checkout/wob}",
     "s:35:37: of: unknown backend service \"us-east1/checkout/wob\"; did you mean "
     "\"us-east1/checkout/web\"? known: us-east1/checkout/web, us-east1/checkout/api, "
     "us-west1/checkout/web, us-west1/checkout/api"},
    {"more probers than there are", place, "probers: {of: us-east1/checkout/web, count: 4}",
     "s:35:67: count: must be at most probers of us-east1/checkout/web (3); got 4"},
    {"a load balancer of nobody", place, "load_balancer: {of: shops}",
     "s:35:43: of: unknown consumer \"shops\"; did you mean \"shop\"? known: shop"},
    {"a load balancer that fails never", place, "load_balancer: {of: shop, error_fraction: 0}",
     "s:35:65: error_fraction: must be above 0 and at most 1; got 0"},
    {"a load balancer that answers well", place, "load_balancer: {of: shop, status: ok}",
     "s:35:57: status: unknown value \"ok\"; allowed: internal_error, bad_gateway, unavailable"},
    {"no prober", place, "probers: {of: us-east1/checkout/web, count: 0}",
     "s:35:67: count: must be between 1 and 32; got 0"},
    {"probers that are silent", place, "probers: {of: us-east1/checkout/web, become: silent}",
     "s:35:68: become: unknown value \"silent\"; allowed: lost, cut_off"},
    {"an unknown consumer", place, "consumer: {name: shoop}",
     "s:35:40: name: unknown consumer \"shoop\"; did you mean \"shop\"? known: shop"},
    {"a region as a consumer", place, "consumer: {name: us-east1}",
     "s:35:40: name: unknown consumer \"us-east1\"; known: shop"},
    {"a clock that is right", place, "clock: {site: shop}",
     "s:35:30: clock: needs exactly one of: ahead; behind"},
    {"a clock that is both", place, "clock: {site: shop, ahead: 1s, behind: 1s}",
     "s:35:30: clock: needs exactly one of: ahead; behind"},
    {"a clock that is fast by nothing", place, "clock: {site: shop, ahead: 0s}",
     "s:35:50: ahead: must be above 0s; got 0s"},
    {"the clock of an unknown site", place, "clock: {site: director, ahead: 1s}",
     "s:35:37: site: unknown region or consumer \"director\"; known: us-east1, us-west1, shop"},
  };
  expect_problems(cases);
}

// There is no balancer that could fail.
TEST(ParseScenario, RefusesAFaultOfABalancerWhereDnsStandsInItsPlace) {
  struct {
    const char* why = "";
    const char* kind = "";
    const char* expected = "";
  } const cases[] = {
    {"dns", "dns",
     "s:35:43: of: has no meaning with kind dns of shop: no balancer is between clients and regions"},
    {"an Envoy can fail", "envoy", ""},
    {"and so can a proxy of connections", "internal_proxy_network", ""},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto text = edited(place, "load_balancer: {of: shop}");
    const std::string_view before = ", retry_on: [unavailable]";
    text.replace(text.find(before), before.size(), std::string{", kind: "}.append(x.kind));
    EXPECT_EQ(joined(problems_of(parse_scenario(text, "s"))), x.expected);
  }
}

} // namespace

} // namespace spillover::test
