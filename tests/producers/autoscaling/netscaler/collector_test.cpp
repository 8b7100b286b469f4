#include "producers/autoscaling/netscaler/collector.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover::netscaler;

using nodes = std::vector<node_statistics>;

struct told {
  std::uint32_t node = 0;
  double cpu = 0;
  double memory = 0;
  double throughput = 0;
  std::uint32_t connections = 0;
  friend bool operator==(const told&, const told&) = default;
};

const settings all{.cpu = {true, 40, 85}, .memory = {true, 40, 85}, .throughput = {true, 40, 85}};

void add(collector& to, const nodes& second) {
  to.begin();
  for (const auto& x : second)
    to.add(x);
}

std::vector<told> collect(collector& from) {
  std::vector<told> result;
  for (const auto& x : from.collect())
    result.push_back({x.node, x.cpu, x.memory, x.throughput, x.connections});
  return result;
}

// D-1
TEST(NetscalerCollector, TellsTheMeanOfEachNodeAndItsLastConnections) {
  collector subject{all};
  add(subject, nodes{{1, 10, 50, 4, 3}, {0, 20, 60, 0, 1}});
  add(subject, nodes{{0, 40, 61, 2, 0}, {1, 30, 50, 8, 5}});
  EXPECT_EQ(collect(subject), (std::vector<told>{{0, 30, 60.5, 1, 0}, {1, 20, 50, 6, 5}}));
}

TEST(NetscalerCollector, BeginsEachIntervalAnew) {
  collector subject{all};
  add(subject, nodes{{0, 90, 90, 90, 9}});
  EXPECT_EQ(collect(subject).size(), 1u);
  EXPECT_TRUE(collect(subject).empty());
  add(subject, nodes{{0, 10, 10, 10, 1}});
  EXPECT_EQ(collect(subject), (std::vector<told>{{0, 10, 10, 10, 1}}));
}

TEST(NetscalerCollector, CountsOnlySecondsInWhichANodeWasThere) {
  collector subject{all};
  add(subject, nodes{{0, 10, 0, 0, 0}, {1, 10, 0, 0, 0}});
  add(subject, nodes{{0, 20, 0, 0, 0}, {2, 80, 0, 0, 0}});
  EXPECT_EQ(collect(subject), (std::vector<told>{{0, 15, 0, 0, 0}, {2, 80, 0, 0, 0}}))
    << "node 1 has gone, node 2 came";
  add(subject, nodes{{0, 10, 0, 0, 0}});
  add(subject, {});
  EXPECT_TRUE(collect(subject).empty()) << "nobody told anything in the last second";
}

TEST(NetscalerCollector, LeavesOutWhatIsNotSelected) {
  collector subject{settings{.cpu = {true, 40, 85}, .memory = {}, .throughput = {}}};
  add(subject, nodes{{0, 10, 20, 30, 1}});
  EXPECT_EQ(collect(subject), (std::vector<told>{{0, 10, 0, 0, 1}}));
}

} // namespace
