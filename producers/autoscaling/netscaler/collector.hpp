#pragma once

#include "producers/autoscaling/netscaler/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spillover::netscaler {

/// Makes the statistics of an interval of those of its seconds: for each node that tells something in
/// the last one the mean over the seconds in which it did (D-1, inferred), and its connections then.
///
/// What a node tells is looked at once, when it tells it; at the end of an interval there is nothing
/// left to do. Memory is kept for as many nodes as there were at most: once that is reached nothing
/// allocates.
class collector {
public:
  /// Begins a second.
  /// @param last whether an interval ends with it
  void begin(bool last) noexcept;

  /// Takes what a node tells about the second into account.
  /// @param x each node at most once a second, in any order; quickest in the order of their numbers
  void add(const node_statistics& x);

  /// @returns the statistics of the interval that ended with the last second, in the order in which the
  ///          nodes told them then; none in any other second. Valid until the next call of `begin`.
  [[nodiscard]] const collection& collected() const noexcept { return collected_; }

private:
  struct total {
    std::uint32_t node = 0;
    std::uint32_t seconds = 0;
    double cpu = 0; // sums
    double memory = 0;
    double throughput = 0;
  };

  total& of(std::uint32_t node);

  std::vector<total> totals_; // by node
  collection collected_;
  bool last_ = false;
  std::size_t next_ = 0; // where the next node probably is
};

} // namespace spillover::netscaler
