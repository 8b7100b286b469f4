#pragma once

#include "producers/autoscaling/netscaler/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace spillover::netscaler {

/// Makes the statistics of an interval of those of its seconds: for each node the mean over the
/// seconds in which it told something (D-1, inferred), and the connections of the last one.
///
/// An interval takes one pass over its nodes, a second one pass over those that tell something. Memory is kept for as many nodes as there were at most: once that is reached nothing allocates.
class collector {
public:
  /// @param x whose selected statistics are asked for; the others stay 0
  explicit collector(const settings& x) noexcept;

  /// Begins a second.
  void begin() noexcept;

  /// Takes what a node tells about the second into account.
  /// @param x each node at most once a second, in any order; quickest in the order of their numbers
  void add(const node_statistics& x);

  /// Ends the interval.
  /// @returns nodes that told something in the last second, in the order of their numbers; valid until
  ///          the next call
  std::span<const node_statistics> collect();

private:
  struct total {
    std::uint32_t node = 0;
    std::uint32_t connections = 0;
    std::int64_t seconds = 0;
    std::int64_t last = 0; // number of the second
    double cpu = 0;        // sums
    double memory = 0;
    double throughput = 0;
  };

  total& of(std::uint32_t node);

  bool cpu_;
  bool memory_;
  bool throughput_;
  std::vector<total> totals_; // by node
  std::vector<node_statistics> collected_;
  std::int64_t second_ = 0;
  std::size_t next_ = 0; // where the next node probably is
};

} // namespace spillover::netscaler
