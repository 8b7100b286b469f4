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

/// @param last whether the interval ends with this second
void add(collector& to, const nodes& second, bool last = false) {
  to.begin(last);
  for (const auto& x : second)
    to.add(x);
}

std::vector<told> collected(const collector& from) {
  std::vector<told> result;
  for (const auto& x : from.collected().nodes())
    result.push_back({x.node, x.cpu, x.memory, x.throughput, x.connections});
  return result;
}

constexpr auto last = true;

// D-1
TEST(NetscalerCollector, TellsTheMeanOfEachNodeAndItsLastConnections) {
  collector subject;
  add(subject, {{1, 10, 50, 4, 3}, {0, 20, 60, 0, 1}});
  EXPECT_TRUE(collected(subject).empty()) << "the interval lasts";
  add(subject, {{0, 40, 61, 2, 0}, {1, 30, 50, 8, 5}}, last);
  EXPECT_EQ(collected(subject), (std::vector<told>{{0, 30, 60.5, 1, 0}, {1, 20, 50, 6, 5}}));
  EXPECT_EQ(subject.collected().of_cluster(0, cluster_statistic::mean), 25'000);
  EXPECT_EQ(subject.collected().of_cluster(1, cluster_statistic::highest_node), 60'500);
}

TEST(NetscalerCollector, BeginsEachIntervalAnew) {
  collector subject;
  add(subject, {{0, 90, 90, 90, 9}}, last);
  EXPECT_EQ(collected(subject).size(), 1u);
  add(subject, {{0, 20, 10, 10, 1}});
  EXPECT_TRUE(collected(subject).empty());
  add(subject, {{0, 10, 10, 10, 1}}, last);
  EXPECT_EQ(collected(subject), (std::vector<told>{{0, 15, 10, 10, 1}}));
  EXPECT_EQ(subject.collected().of_cluster(2, cluster_statistic::highest_node), 10'000);
}

TEST(NetscalerCollector, CountsOnlySecondsInWhichANodeWasThere) {
  collector subject;
  add(subject, {{0, 10, 0, 0, 0}, {1, 10, 0, 0, 0}});
  add(subject, {{0, 20, 0, 0, 0}, {2, 80, 0, 0, 0}}, last);
  EXPECT_EQ(collected(subject), (std::vector<told>{{0, 15, 0, 0, 0}, {2, 80, 0, 0, 0}}))
    << "node 1 has gone, node 2 came";
  add(subject, {{0, 10, 0, 0, 0}});
  add(subject, {}, last);
  EXPECT_TRUE(collected(subject).empty()) << "nobody told anything in the last second";
}

} // namespace
