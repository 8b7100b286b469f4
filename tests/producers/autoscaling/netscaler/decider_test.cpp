#include "tests/producers/autoscaling/netscaler/group.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace spillover::netscaler;
using namespace spillover::netscaler::test;
using namespace std::chrono_literals;

using numbers = std::vector<std::pair<std::string_view, std::int64_t>>;

numbers of(const input_list& x) {
  return {x.begin(), x.end()};
}

group::load high(int) {
  return memory(90);
}

group::load low(int) {
  return memory(30);
}

constexpr std::int64_t minute = 60'000'000'000;

TEST(NetscalerDecider, TellsEveryNumberThatLedToAScaleOut) {
  group subject{{.cpu = {true, 20.5, 70}, .max_nodes = 9}, 2};
  subject.run(3, [](int t) { return group::load{50 + 10.0 * t, 90, 5}; });
  ASSERT_EQ(subject.told.size(), 1u);
  EXPECT_EQ(subject.told[0].reason, "MEMORY");
  EXPECT_EQ(subject.told[0].node, no_node);
  const numbers expected{
    {"nodes", 2},
    {"reporting", 2},
    {"cpu_milli", 80'000},
    {"cpu_min_milli", 20'500},
    {"cpu_max_milli", 70'000},
    {"cpu_above_ns", 0},
    {"memory_milli", 90'000},
    {"memory_min_milli", 40'000},
    {"memory_max_milli", 85'000},
    {"memory_above_ns", 3 * minute},
    {"highest_node", 0},
    {"below_ns", -1},
    {"watch_time_ns", 2 * minute},
    {"watch_at_least", 0},
    {"min_nodes", 1},
    {"max_nodes", 9},
  };
  EXPECT_EQ(of(subject.told[0].inputs), expected);
  EXPECT_EQ(of(subject.subject.last().inputs), expected);
}

TEST(NetscalerDecider, TellsWhatLedToEachLaterStep) {
  struct {
    const char* why;
    std::size_t number;
    step_kind kind;
    std::uint32_t node;
    const char* reason;
    numbers inputs = {};
  } const cases[] = {
    {"added",
     1,
     step_kind::join,
     1,
     "PROVISIONED",
     {{"action_ns", 5 * minute}, {"provisioning_time_ns", 5 * minute}}},
    {"in traffic",
     2,
     step_kind::register_address,
     1,
     "UPDATED",
     {{"action_ns", 6 * minute}, {"update_time_ns", minute}, {"cooldown_ns", 2 * minute}}},
    {"out of traffic",
     4,
     step_kind::drain,
     1,
     "UPDATED",
     {{"action_ns", minute},
      {"update_time_ns", minute},
      {"drain_connection_timeout_ns", 10 * minute}}},
    {"out of the cluster",
     5,
     step_kind::deprovision,
     1,
     "DRAIN_TIMEOUT",
     {{"action_ns", 11 * minute},
      {"drained_ns", 10 * minute},
      {"drain_connection_timeout_ns", 10 * minute}}},
    {"gone",
     6,
     step_kind::remove,
     1,
     "DEPROVISIONED",
     {{"action_ns", 15 * minute}, {"deprovisioning_time_ns", 4 * minute}}},
  };
  group subject{{.cooldown = 2min, .update_time = 1min}, 1};
  subject.run(31, [](int t) { return memory(t < 4 ? 90 : 30); });
  ASSERT_EQ(subject.history, "3m provision, 8m join, 9m register_address, "
                             "14m deregister_address, 15m drain, 25m deprovision, 29m remove");
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    const auto& told = subject.told[x.number];
    EXPECT_EQ(told.kind, x.kind);
    EXPECT_EQ(told.node, x.node);
    EXPECT_EQ(told.reason, x.reason);
    EXPECT_EQ(of(told.inputs), x.inputs);
  }
  const auto& chosen = subject.told[3];
  EXPECT_EQ(chosen.reason, "MEMORY");
  EXPECT_EQ(chosen.inputs.find("node"), 1);
  EXPECT_EQ(chosen.inputs.find("node_connections"), 7);
  EXPECT_EQ(chosen.inputs.find("below_ns"), 3 * minute);
}

TEST(NetscalerDecider, SaysHowLongItStillIgnoresStatistics) {
  group subject{{}, 1};
  subject.run(12, high);
  EXPECT_EQ(subject.subject.current(), phase::cooldown);
  EXPECT_EQ(subject.subject.next_due(), run_start + 18min);
  const numbers expected{{"nodes", 2}, {"lasts_ns", 4 * minute}, {"remaining_ns", 6 * minute}};
  EXPECT_EQ(of(subject.subject.last().inputs), expected);
}

// D-11
TEST(NetscalerDecider, EndsADrainWhenTheLastConnectionDoes) {
  struct {
    const char* why;
    settings with;
    duration emptied;
    const char* expected;
    std::string_view reason;
  } const cases[] = {
    {"at once", {}, 5min, "5m deprovision, 9m remove", "EMPTY"},
    {"at the start of the drain", {}, 3min, "3m deprovision, 7m remove", "EMPTY"},
    {"unless it is told to wait",
     {.drain_ends_when_empty = false},
     5min,
     "13m deprovision, 17m remove",
     "DRAIN_TIMEOUT"},
    {"while clients still know the address, more may come",
     {.distribution = traffic_distribution::dns, .dns_ttl = 3min},
     5min,
     "6m drain, 16m deprovision, 20m remove",
     "DRAIN_TIMEOUT"},
    {"at the timeout the timer comes first",
     {},
     13min,
     "13m deprovision, 17m remove",
     "DRAIN_TIMEOUT"},
    {"later it changes nothing", {}, 14min, "13m deprovision, 17m remove", "DRAIN_TIMEOUT"},
    {"a removal that takes no time",
     {.deprovisioning_time = 0s},
     5min,
     "5m deprovision, 5m remove",
     "EMPTY"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    group subject{x.with, 2};
    subject.run(3, low);
    subject.history.clear();
    subject.take(subject.subject.emptied(run_start + x.emptied));
    EXPECT_GT(subject.subject.next_due(), run_start + x.emptied) << "nothing is left for later";
    subject.take(subject.subject.advance(run_start + 21min));
    EXPECT_EQ(subject.history, x.expected);
    EXPECT_EQ(subject.told[subject.told.size() - 2].reason, x.reason);
  }
}

TEST(NetscalerDecider, WatchesAnewWhenANodeDoesNotCome) {
  group subject{{}, 1};
  subject.run(5, high);
  subject.take(subject.subject.failed(run_start + 5min + 30s));
  EXPECT_EQ(subject.told.back().reason, "FAILED");
  EXPECT_EQ(subject.told.back().node, 1u);
  EXPECT_EQ(subject.subject.next_due(), never);
  subject.run(9, high);
  EXPECT_EQ(subject.history, "3m provision, 330s remove, 9m provision");
  // Once it has come it is too late to fail.
  EXPECT_EQ(subject.subject.failed(run_start + 14min).size(), 2u);
  EXPECT_EQ(subject.subject.current(), phase::cooldown);
  EXPECT_TRUE(subject.subject.failed(run_start + 15min).empty());
}

TEST(NetscalerDecider, KnowsItsNodeForAsLongAsTheActionLasts) {
  group subject{{}, 2};
  subject.run(2, low);
  subject.subject.assign(0);
  EXPECT_EQ(subject.subject.acting_on(), no_node) << "nobody is being provisioned";
  subject.run(16, low);
  EXPECT_EQ(subject.subject.acting_on(), 1u);
  subject.subject.assign(0);
  EXPECT_EQ(subject.subject.acting_on(), 1u) << "nor while a node leaves";
  subject.run(17, low);
  ASSERT_EQ(subject.told.back().kind, step_kind::remove);
  EXPECT_EQ(subject.told.back().node, 1u);
  EXPECT_EQ(subject.subject.acting_on(), no_node);
  EXPECT_EQ(subject.subject.traffic_to(1), traffic::all) << "a later node of that number";
}

TEST(NetscalerDecider, LeadsNothingToANodeBeforeItsAddressIsRegistered) {
  group subject{{.update_time = 1min}, 1};
  const auto at = [&subject](int minutes) {
    subject.run(minutes, high);
    return subject.subject.traffic_to(1);
  };
  EXPECT_EQ(at(4), traffic::none);
  EXPECT_EQ(at(8), traffic::none) << "a member whose address is not applied yet";
  EXPECT_EQ(subject.subject.acting_on(), 1u);
  EXPECT_EQ(at(9), traffic::all);
  EXPECT_EQ(subject.subject.acting_on(), no_node);
}

// D-12
TEST(NetscalerDecider, ChoosesTheNodeThatItIsToldTo) {
  const std::vector<node_statistics> nodes{
    {4, 0, 30, 0, 2}, {7, 0, 30, 0, 9}, {2, 0, 30, 0, 5}, {6, 0, 30, 0, 2}};
  const std::pair<node_choice, std::uint32_t> cases[] = {
    {node_choice::youngest, 7}, {node_choice::oldest, 2}, {node_choice::fewest_connections, 6}};
  for (const auto& [choice, expected] : cases) {
    decider subject{{.watch_time = 0s, .watch = watch_rule::at_least, .victim = choice}};
    const auto steps = subject.observe(run_start, {4, test::collected(nodes)});
    ASSERT_EQ(steps.size(), 2u);
    EXPECT_EQ(steps[0].node, expected);
    EXPECT_EQ(subject.acting_on(), expected);
  }
}

TEST(NetscalerDecider, CountsNodesThatTellNothing) {
  const settings eager{
    .watch_time = 0s, .watch = watch_rule::at_least, .min_nodes = 2, .max_nodes = 3};
  const node_statistics busy{0, 0, 90};
  const node_statistics idle{0, 0, 30};
  struct {
    const char* why;
    const node_statistics* node;
    std::uint32_t nodes;
    std::string_view reason;
  } const cases[] = {
    {"the maximum holds for all members", &busy, 3, "MAX"},
    {"also beyond it", &busy, 4, "MAX"},
    {"one below it", &busy, 2, "MEMORY"},
    {"the minimum holds for all members", &idle, 3, "MEMORY"},
    {"it is not undercut", &idle, 2, "MIN"},
    {"nor when it is missed already", &idle, 1, "MIN"},
    {"nobody tells anything", nullptr, 3, "NO_STATISTICS"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    decider subject{eager};
    subject.observe(run_start, {x.nodes, test::collected({x.node, x.node == nullptr ? 0u : 1u})});
    EXPECT_EQ(subject.last().reason, x.reason);
  }
}

TEST(NetscalerDecider, CarriesOutWhatIsDueBeforeItCollects) {
  // No call between: the whole way of a node, and the next decision in the instant of its end.
  const settings eager{.watch_time = 0s, .watch = watch_rule::at_least};
  const std::vector<node_statistics> nodes{{0, 0, 30}, {1, 0, 30}, {2, 0, 30}};
  decider subject{eager};
  EXPECT_EQ(subject.observe(run_start, {3, test::collected(nodes)}).size(), 2u);
  std::string told;
  for (const auto& x : subject.observe(run_start + 14min, {2, test::collected({nodes.data(), 2})}))
    told.append(to_string(x.at.time_since_epoch()))
      .append(" ")
      .append(to_string(x.kind))
      .append("; ");
  EXPECT_EQ(told, "10m deprovision; 14m remove; 14m deregister_address; 14m drain; ");
  EXPECT_EQ(subject.acting_on(), 1u);
}

TEST(NetscalerDecider, TakesNoTimeWhereItIsToldTo) {
  const settings instantly{.watch_time = 0s,
                           .watch = watch_rule::at_least,
                           .cooldown = 0s,
                           .provisioning_time = 0s,
                           .deprovisioning_time = 0s,
                           .drain_connection_timeout = 0s};
  group out{instantly, 1};
  out.run(1, high);
  EXPECT_EQ(out.history, "0s provision, 0s join, 0s register_address, "
                         "1m provision, 1m join, 1m register_address");
  group in{instantly, 3};
  in.run(2, low);
  EXPECT_EQ(in.history, "0s deregister_address, 0s drain, 0s deprovision, 0s remove, "
                        "1m deregister_address, 1m drain, 1m deprovision, 1m remove");
  EXPECT_EQ(in.reasons.back(), "MIN");
}

} // namespace
