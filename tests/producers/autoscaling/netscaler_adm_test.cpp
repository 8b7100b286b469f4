#include "producers/autoscaling/netscaler_adm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using lines = std::vector<std::string>;

/// A group whose nodes do as it says, with one load.
class group {
public:
  explicit group(const netscaler_adm_config& x) : subject_(make_netscaler_adm(x, 4)) {}

  /// Lets seconds pass, with so many requests in flight at each node.
  /// @returns what was said, each with the second
  lines pass(int seconds, double concurrency) {
    lines said;
    for (int i = 0; i < seconds; ++i) {
      now_ += 1s;
      take_looks(said);
      std::vector<instance_usage> nodes;
      for (std::uint32_t node = 0; node < count_; ++node)
        nodes.push_back({.index = node,
                         .state = instance_state::ready,
                         .cpu = 2,
                         .concurrency = concurrency,
                         .requests = 7});
      subject_->observe({now_, 0, 0, 0, nodes});
      if (now_.time_since_epoch() % subject_->period() == 0s)
        take(subject_->decide(now_, {.recommended = count_}), said);
      take_looks(said);
    }
    return said;
  }

private:
  void take_looks(lines& said) {
    while (subject_->next_look() <= now_)
      take(subject_->look(now_, {.recommended = count_}), said);
  }

  void take(const recommendation& x, lines& said) {
    if (x.step)
      said.push_back(std::to_string((now_ - run_start) / 1s) + " " + std::string{x.driver} + " "
                     + std::to_string(x.count));
    count_ = x.count;
  }

  std::unique_ptr<autoscaler> subject_;
  std::uint32_t count_ = 1;
  instant now_ = run_start;
};

netscaler_adm_config quick() {
  netscaler_adm_config x;
  x.adm.watch_time = 0s;
  x.adm.watch = netscaler::watch_rule::at_least;
  x.adm.provisioning_time = 10s;
  x.adm.cooldown = 0s;
  x.adm.drain_connection_timeout = 20s;
  x.adm.deprovisioning_time = 5s;
  x.adm.max_nodes = 2;
  return x;
}

TEST(NetscalerAdm, TellsEachStepByItselfAndCountsANodeFromItsOrderToItsDrain) {
  group x{quick()};
  EXPECT_EQ(x.pass(60, 80), (lines{"60 MEMORY 2"}));
  EXPECT_EQ(x.pass(60, 40), (lines{"70 JOINED 2", "70 ADDED 2"}));
  // Nothing is left at the node that goes, so that its drain is over at once.
  EXPECT_EQ(x.pass(70, 20),
            (lines{"180 MEMORY 2", "180 DRAIN 1", "181 DEPROVISION 1", "186 REMOVED 1"}));
}

TEST(NetscalerAdm, D_12_NodesThatAreDownOrDeniedCountToo) {
  const auto scaler = make_netscaler_adm(quick(), 4);
  auto now = run_start;
  // One node reports and has too much to do; the other one starts again, or a quota denies it.
  for (const auto restarting : {true, false})
    for (int i = 0; i < 120; ++i) {
      now += 1s;
      std::vector<instance_usage> nodes{{.state = instance_state::ready, .concurrency = 90}};
      if (restarting)
        nodes.push_back({.index = 1, .state = instance_state::starting});
      scaler->observe({now, 0, 0, 0, nodes});
      if (now.time_since_epoch() % scaler->period() == 0s) {
        EXPECT_EQ(scaler->decide(now, {.recommended = 2}).count, 2u);
      }
    }
}

/// @returns the node that the steps of a scale-in name, each with its driver.
lines leaving(const std::vector<instance_usage>& nodes, std::uint32_t recommended) {
  auto config = quick();
  config.adm.max_nodes = 9;
  const auto scaler = make_netscaler_adm(config, 4);
  const fleet_size size{.recommended = recommended};
  lines said;
  const auto take = [&said](const recommendation& x) {
    if (!x.step)
      return;
    const auto node = std::find_if(x.inputs.begin(), x.inputs.end(),
                                   [](const auto& input) { return input.first == "node"; });
    said.push_back(std::string{x.driver} + " "
                   + (node == x.inputs.end() ? "nobody" : std::to_string(node->second)));
  };
  for (auto now = run_start + 1s; now <= run_start + 60s; now += 1s)
    scaler->observe({now, 0, 0, 0, nodes});
  take(scaler->decide(run_start + 60s, size));
  take(scaler->look(run_start + 60s, size));
  return said;
}

TEST(NetscalerAdm, D_12_NamesTheNodeThatGoes) {
  using enum instance_state;
  struct {
    const char* why;
    std::vector<instance_usage> nodes = {};
    std::uint32_t recommended = 0;
    lines said = {};
  } const cases[] = {
    {"the youngest that serves", {{0, ready}, {1, ready}}, 2, {"MEMORY 1", "DRAIN 1"}},
    {"one that is crashed before it", {{0, crashed}, {1, ready}}, 2, {"MEMORY 0", "DRAIN 0"}},
    {"one that starts before that",
     {{0, starting}, {1, crashed}, {2, ready}},
     3,
     {"MEMORY 0", "DRAIN 0"}},
    {"of those the youngest",
     {{0, starting}, {1, starting}, {2, ready}},
     3,
     {"MEMORY 1", "DRAIN 1"}},
    {"one that drains has gone already",
     {{0, ready}, {1, draining}},
     2,
     {"MEMORY nobody", "DRAIN nobody"}},
    {"one that a quota has not let come", {{0, ready}}, 2, {"MEMORY nobody", "DRAIN nobody"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(leaving(x.nodes, x.recommended), x.said);
  }
}

TEST(NetscalerAdm, D_10_ClientsUseANodeForAsLongAsDnsTellsThem) {
  auto config = quick();
  config.adm.distribution = netscaler::traffic_distribution::dns;
  config.adm.drain_ends_when_empty = false;
  group x{config};
  x.pass(120, 80);
  EXPECT_EQ(x.pass(100, 20),
            (lines{"180 MEMORY 2", "190 DRAIN 1", "210 DEPROVISION 1", "215 REMOVED 1"}));
}

TEST(NetscalerAdm, ScalesByWhatIsSelected) {
  struct {
    const char* why;
    netscaler::threshold cpu = {};
    netscaler::threshold memory = {};
    netscaler::threshold throughput = {};
    lines said = {};
  } const cases[] = {
    {"the CPU, at 2 of 4", {true, 40, 49}, {}, {}, {"60 CPU 2"}},
    {"the CPU, at 2 of 4, is not above", {true, 40, 50}, {}, {}, {}},
    {"memory, 10 % and 1 % for each request", {}, {true, 10, 29}, {}, {"60 MEMORY 2"}},
    {"memory is not above", {}, {true, 10, 30}, {}, {}},
    {"requests a second", {}, {}, {true, 1, 6.9}, {"60 THROUGHPUT 2"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto config = quick();
    config.adm.cpu = x.cpu;
    config.adm.memory = x.memory;
    config.adm.throughput = x.throughput;
    EXPECT_EQ(group{config}.pass(60, 20), x.said);
  }
}

TEST(NetscalerAdm, IsCheckedFieldByField) {
  EXPECT_TRUE(validate(netscaler_adm_config{}).empty());
  auto x = quick();
  x.memory = {-1, 101};
  x.adm.victim = netscaler::node_choice::oldest;
  x.adm.min_nodes = 0;
  EXPECT_EQ(validate(x).size(), 4u);
}

} // namespace
} // namespace spillover
